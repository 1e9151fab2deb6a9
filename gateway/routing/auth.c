/*
 * Keys are compared by their digests, all of them and in constant time, so
 * that neither length nor place of a difference shows.
 */
#include "gateway/routing/auth.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/keyed_hash.h"
#include <string.h>

#define KNOWN_KEYS 256

/* Where clients put their key: OpenAI's, Anthropic's, Azure's. */
static const struct {
	const char *header, *scheme;
} places[] = {
	{ "authorization", "Bearer " },
	{ "x-api-key", "" },
	{ "api-key", "" },
};

/* The first place that is filled in counts: two keys are not tried in turn. */
static struct slice
find_key(const struct http1_head *h)
{
	static const struct slice none = { "", 0 };

	for (size_t i = 0; i < COUNT(places); i++) {
		const struct slice *v = http1_get(h, places[i].header);
		size_t n = strlen(places[i].scheme);

		if (!v)
			continue;
		if (v->n <= n ||
		    !slice_is_nocase((struct slice){ v->p, n },
		        places[i].scheme))
			return none;
		return (struct slice){ v->p + n, v->n - n };
	}
	return none;
}

/*
 * Of keys that came before the digest is known: a table by a hash whose key is
 * drawn at the start, so that nobody can make two keys that meet in it, and
 * which holds no key itself.
 */
static void
digest_key(struct slice key, uint8_t digest[DIGEST_BYTES])
{
	static struct keyed_hash secret;
	static struct known {
		struct keyed_hash mac;
		uint8_t digest[DIGEST_BYTES];
	} all[KNOWN_KEYS];
	struct known *k;
	struct keyed_hash mac;

	if (!secret.low)
		digest_random(&secret, sizeof secret);
	mac = keyed_hash_of(&secret, key.p, key.n);
	k = &all[mac.low % KNOWN_KEYS];
	if (!digest_equal(&k->mac, &mac, sizeof mac)) {
		digest_sha256(key.p, key.n, k->digest);
		k->mac = mac;
	}
	memcpy(digest, k->digest, DIGEST_BYTES);
}

/* One that was handed out. */
static const struct conf_key *
find_granted(const struct keyring *keys, const uint8_t digest[DIGEST_BYTES],
    const char **fault)
{
	const struct keyring_grant *g = keyring_find(keys, digest);
	const char *why = g ? keyring_fault(g, clock_wall_ms()) : NULL;

	if (why && fault)
		*fault = why;
	return g && !why ? &g->who : NULL;
}

const struct conf_key *
auth_caller(const struct auth_door *door, const struct http1_head *h,
    const char **fault)
{
	static const struct conf_key nobody = { .subject = "" };
	const struct conf *c = door->conf;
	const struct conf_key *caller = NULL;
	uint8_t got[DIGEST_BYTES];
	struct slice key;

	if (!door->asks_keys)
		return &nobody;
	key = find_key(h);
	if (key.n == 0)
		return NULL;
	digest_key(key, got);
	for (size_t i = 0; i < c->nkeys; i++)
		if (digest_equal(got, c->keys[i].digest, sizeof got))
			caller = &c->keys[i];
	return caller ? caller : find_granted(door->keys, got, fault);
}
