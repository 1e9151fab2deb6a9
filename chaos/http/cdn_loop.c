/*
 * CDN-Loop = #( name *( OWS ";" OWS parameter ) ), in one field or several.
 */
#include "chaos/http/cdn_loop.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/digest.h"

void
hopmark_init(struct hopmark *m)
{
	uint64_t id;

	digest_random(&id, sizeof id);
	snprintf(m->name, sizeof m->name, "kf-chaos-%016" PRIx64, id);
	m->has_told = false;
}

/* What stands before the first of that byte; *rest is what is behind it. */
static struct slice
cut(struct slice s, char at, struct slice *rest)
{
	const char *end = s.n ? memchr(s.p, at, s.n) : NULL;
	size_t n = end ? (size_t)(end - s.p) : s.n;

	*rest =
	    (struct slice){ s.p + n + (end != NULL), s.n - n - (end != NULL) };
	return slice_trim((struct slice){ s.p, n });
}

static unsigned
count(const struct hopmark *m, struct slice list)
{
	struct slice parameters;
	unsigned n = 0;

	while (list.n) {
		struct slice one = cut(list, ',', &list);

		n += slice_is(cut(one, ';', &parameters), m->name);
	}
	return n;
}

bool
hopmark_is_circle(const struct hopmark *m, const struct http1_head *h)
{
	unsigned n = 0;

	for (size_t i = 0; i < h->nheaders; i++)
		if (slice_is_nocase(h->headers[i].name, HOPMARK_FIELD))
			n += count(m, h->headers[i].value);
	return n >= HOPMARK_TURNS_MAX;
}
