/*
 * Keys are compared by their digests, all of them and in constant time, so
 * that neither length nor place of a difference shows.
 */
#include "gateway/routing/auth.h"

#include "base/digest.h"

const struct conf_key *
auth_caller(const struct conf *c, const struct http1_head *h)
{
	static const struct slice scheme = { "Bearer ", 7 };
	const struct slice *v = http1_get(h, "authorization");
	static const struct conf_key nobody = { .subject = "" };
	const struct conf_key *caller = NULL;
	uint8_t got[DIGEST_BYTES];

	if (c->nkeys == 0)
		return &nobody;
	if (!v || v->n <= scheme.n ||
	    !slice_is_nocase((struct slice){ v->p, scheme.n }, scheme.p))
		return NULL;
	digest_sha256(v->p + scheme.n, v->n - scheme.n, got);
	for (size_t i = 0; i < c->nkeys; i++)
		if (digest_equal(got, c->keys[i].digest, sizeof got))
			caller = &c->keys[i];
	return caller;
}
