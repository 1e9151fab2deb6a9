/*
 * How often each key was seen: a hash table over a ring of entries.  When
 * the ring is full the oldest key is forgotten, so that a client that makes
 * up keys costs a fixed amount of memory.  Keys are held as digests.
 */
#include "chaos/rules/seen_keys.h"

#include "base/digest.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define ID_BYTES 16

struct entry {
	uint8_t id[ID_BYTES];
	uint32_t chain; /* index + 1 of the next in its bucket */
	uint32_t bucket;
	bool is_used;
	uint64_t seen;
	uint64_t marks[SEEN_KEYS_RULES_MAX / 64];
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
find(struct seen_keys *k, const char *proxy, const char *key)
{
	struct digest *d = digest_new();
	uint8_t hash[DIGEST_BYTES];
	struct entry *e;
	uint32_t bucket, i;

	digest_adds(d, proxy);
	/* A byte that no proxy's name holds: "ab" with "c" must not be "a" with
	 * "bc". */
	digest_add(d, "", 1);
	digest_adds(d, key);
	digest_finish(d, hash);
	memcpy(&bucket, hash + ID_BYTES, sizeof bucket);
	bucket %= (uint32_t)k->max;
	for (i = k->buckets[bucket]; i; i = k->ring[i - 1].chain)
		if (memcmp(k->ring[i - 1].id, hash, ID_BYTES) == 0)
			return &k->ring[i - 1];
	forget(k, k->next);
	e = &k->ring[k->next];
	memcpy(e->id, hash, ID_BYTES);
	e->is_used = true;
	e->bucket = bucket;
	e->chain = k->buckets[bucket];
	k->buckets[bucket] = (uint32_t)k->next + 1;
	k->next = (k->next + 1) % k->max;
	return e;
}

uint64_t
seen_keys_see(struct seen_keys *k, const char *proxy, const char *key)
{
	return ++find(k, proxy, key)->seen;
}

void
seen_keys_mark(struct seen_keys *k, const char *proxy, const char *key,
    size_t rule)
{
	find(k, proxy, key)->marks[rule / 64] |= UINT64_C(1) << rule % 64;
}

bool
seen_keys_is_marked(struct seen_keys *k, const char *proxy, const char *key,
    size_t rule)
{
	return find(k, proxy, key)->marks[rule / 64] >> rule % 64 & 1;
}
