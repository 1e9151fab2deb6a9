/*
 * How often each key was seen, and which rules fired for it: what "attempt"
 * and "once a key" mean.  Bounded: the oldest key is forgotten.
 */
#ifndef CHAOS_KEYS_H
#define CHAOS_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct keys;

#define KEYS_RULES_MAX 256

struct keys *keys_new(size_t max);
void keys_free(struct keys *k);

/* Counts one more request of (proxy, key); returns the count, from 1. */
uint64_t keys_see(struct keys *k, const char *proxy, const char *key);
void keys_mark(struct keys *k, const char *proxy, const char *key, size_t rule);
bool keys_is_marked(struct keys *k, const char *proxy, const char *key,
    size_t rule);

#endif
