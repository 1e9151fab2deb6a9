/*
 * Keys are compared by their digests, all of them and in constant time, so
 * that neither length nor place of a difference shows.
 */
#include "gateway/auth.h"

#include "base/digest.h"

const char *
auth_subject(const struct conf *c, const struct http1_head *h)
{
	static const struct slice scheme = { "Bearer ", 7 };
	const struct slice *v = http1_get(h, "authorization");
	const char *subject = NULL;
	uint8_t got[DIGEST_BYTES];

	if (c->nkeys == 0)
		return "";
	if (!v || v->n <= scheme.n ||
	    !slice_is_nocase((struct slice){ v->p, scheme.n }, scheme.p))
		return NULL;
	digest_sha256(v->p + scheme.n, v->n - scheme.n, got);
	for (size_t i = 0; i < c->nkeys; i++)
		if (digest_equal(got, c->keys[i].digest, sizeof got))
			subject = c->keys[i].subject;
	return subject;
}
