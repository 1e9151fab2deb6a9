/*
 * The names are few and a head has few Connection headers, so both are
 * searched in a row; a set would cost more than it saves.
 */
#include "base/hopbyhop.h"

#include <string.h>
#include <strings.h>

static const char *const names[] = {
	"connection",
	"keep-alive",
	"proxy-authenticate",
	"proxy-authorization",
	"proxy-connection",
	"te",
	"trailer",
	"transfer-encoding",
	"upgrade",
};

/* Is name among the comma-separated options? */
static bool
is_among(struct slice options, struct slice name)
{
	while (options.n > 0) {
		const char *comma = memchr(options.p, ',', options.n);
		size_t n = comma ? (size_t)(comma - options.p) : options.n;
		struct slice one = slice_trim((struct slice){ options.p, n });

		if (one.n == name.n && strncasecmp(one.p, name.p, name.n) == 0)
			return true;
		n += comma != NULL;
		options.p += n;
		options.n -= n;
	}
	return false;
}

bool
hopbyhop_ends_here(const struct http1_head *h, struct slice name)
{
	for (size_t i = 0; i < COUNT(names); i++)
		if (slice_is_nocase(name, names[i]))
			return true;
	/* A list may be spread over several headers: each of them counts. */
	for (size_t i = 0; i < h->nheaders; i++)
		if (slice_is_nocase(h->headers[i].name, "connection") &&
		    is_among(h->headers[i].value, name))
			return true;
	return false;
}
