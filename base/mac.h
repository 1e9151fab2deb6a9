/*
 * A keyed hash of short texts (SipHash-2-4, 128 bits) for tables of what came
 * before: who does not know the key can find no two texts that are alike in it.
 */
#ifndef BASE_MAC_H
#define BASE_MAC_H

#include <stddef.h>
#include <stdint.h>

struct mac {
	uint64_t low, high;
};

struct mac mac_of(const struct mac *key, const void *p, size_t n);

#endif
