/*
 * Keys are compared by their digests, all of them and in constant time, so
 * that neither length nor place of a difference shows.
 */
#include "gateway/routing/auth.h"

#include "base/clock.h"
#include "base/digest.h"
#include <string.h>

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
	digest_sha256(key.p, key.n, got);
	for (size_t i = 0; i < c->nkeys; i++)
		if (digest_equal(got, c->keys[i].digest, sizeof got))
			caller = &c->keys[i];
	return caller ? caller : find_granted(door->keys, got, fault);
}
