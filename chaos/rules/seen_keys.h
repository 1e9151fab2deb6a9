/*
 * How often each key was seen, and which rules were decided for it: what
 * "attempt" and "after" mean.  Bounded: the oldest key is forgotten.
 */
#ifndef CHAOS_SEEN_KEYS_H
#define CHAOS_SEEN_KEYS_H

#include "base/keyed_hash.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seen_keys;

#define SEEN_KEYS_RULES_MAX 256

/* A bit a rule. */
struct seen_rules {
	uint64_t bits[SEEN_KEYS_RULES_MAX / 64];
};

struct seen_keys *seen_keys_new(size_t max);
void seen_keys_free(struct seen_keys *k);

/* Counts one more request of the key, which is a hash of it and its proxy
 * (identity_see()); returns the count, from 1. */
uint64_t seen_keys_see(struct seen_keys *k, struct keyed_hash key);
/* The rules that were marked for the key. */
struct seen_rules seen_keys_marks(struct seen_keys *k, struct keyed_hash key);
void seen_keys_mark(struct seen_keys *k, struct keyed_hash key, size_t rule);

#endif
