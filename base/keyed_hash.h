/*
 * A keyed hash of short texts (SipHash-2-4, 128 bits) for tables of what came
 * before: who does not know the key can find no two texts that are alike in it.
 */
#ifndef BASE_KEYED_HASH_H
#define BASE_KEYED_HASH_H

#include <stddef.h>
#include <stdint.h>

struct keyed_hash {
	uint64_t low, high;
};

struct keyed_hash keyed_hash_of(const struct keyed_hash *key, const void *p,
    size_t n);

#endif
