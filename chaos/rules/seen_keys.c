/*
 * How often each key was seen: a hash table over a ring of entries.  When
 * the ring is full the oldest key is forgotten, so that a client that makes
 * up keys costs a fixed amount of memory.  Keys are held as hashes.
 */
#include "chaos/rules/seen_keys.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

struct entry {
	struct keyed_hash key;
	uint32_t chain; /* index + 1 of the next in its bucket */
	uint32_t bucket;
	bool is_used;
	uint64_t seen;
	struct seen_rules marks;
};

struct seen_keys {
	struct entry *ring; /* owned, max of them */
	uint32_t *buckets;  /* owned, index + 1 */
	size_t max, next;
};

struct seen_keys *
seen_keys_new(size_t max)
{
	struct seen_keys *k = xcalloc(1, sizeof *k);

	k->max = max;
	k->ring = xcalloc(max, sizeof *k->ring);
	k->buckets = xcalloc(max, sizeof *k->buckets);
	return k;
}

void
seen_keys_free(struct seen_keys *k)
{
	if (!k)
		return;
	free(k->ring);
	free(k->buckets);
	free(k);
}

static void
forget(struct seen_keys *k, size_t i)
{
	struct entry *e = &k->ring[i];
	uint32_t *link = &k->buckets[e->bucket];

	if (!e->is_used)
		return;
	while (*link && *link != i + 1)
		link = &k->ring[*link - 1].chain;
	*link = e->chain;
	memset(e, 0, sizeof *e);
}

static struct entry *
find(struct seen_keys *k, struct keyed_hash key)
{
	uint32_t bucket = (uint32_t)(key.low % k->max), i;
	struct entry *e;

	for (i = k->buckets[bucket]; i; i = k->ring[i - 1].chain)
		if (k->ring[i - 1].key.low == key.low &&
		    k->ring[i - 1].key.high == key.high)
			return &k->ring[i - 1];
	forget(k, k->next);
	e = &k->ring[k->next];
	e->key = key;
	e->is_used = true;
	e->bucket = bucket;
	e->chain = k->buckets[bucket];
	k->buckets[bucket] = (uint32_t)k->next + 1;
	k->next = (k->next + 1) % k->max;
	return e;
}

uint64_t
seen_keys_see(struct seen_keys *k, struct keyed_hash key)
{
	return ++find(k, key)->seen;
}

struct seen_rules
seen_keys_marks(struct seen_keys *k, struct keyed_hash key)
{
	return find(k, key)->marks;
}

void
seen_keys_mark(struct seen_keys *k, struct keyed_hash key, size_t rule)
{
	find(k, key)->marks.bits[rule / 64] |= UINT64_C(1) << rule % 64;
}
