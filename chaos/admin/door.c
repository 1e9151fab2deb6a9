/*
 * The token comes as a bearer's, or as the password of Basic, which is what a
 * browser asks its user for, also for a stream of events.
 */
#include "chaos/admin/door.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/addr.h"
#include "base/base64.h"
#include "base/digest.h"

#define BEARER    "Bearer "
#define BASIC     "Basic "
#define BASIC_MAX 1024

/* "NAME" and "NAME:PORT" are one host, and so is "NAME.". */
static void
host_of(struct slice host, char out[ADDR_TEXT_MAX])
{
	struct addr at;
	size_t n;

	snprintf(out, ADDR_TEXT_MAX, SLICE_FMT, SLICE_ARG(host));
	if (addr_parse(out, &at, NULL) == ERR_OK)
		snprintf(out, ADDR_TEXT_MAX, "%s", at.host);
	n = strlen(out);
	if (n > 1 && out[n - 1] == '.')
		out[n - 1] = '\0';
}

static bool
is_known(const struct door *d, struct slice host)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	char name[ADDR_TEXT_MAX];

	if (host.n == 0 || host.n >= sizeof name)
		return false;
	host_of(host, name);
	if (strcasecmp(name, "localhost") == 0 ||
	    inet_pton(AF_INET, name, bytes) == 1 ||
	    inet_pton(AF_INET6, name, bytes) == 1)
		return true;
	for (size_t i = 0; d->hosts && i < d->hosts->n; i++)
		if (strcmp(d->hosts->items[i], DOOR_ANY) == 0 ||
		    strcasecmp(d->hosts->items[i], name) == 0)
			return true;
	return false;
}

/* Compared by their hashes, so that no time tells how much of it was right. */
static bool
is_token(const struct door *d, const char *p, size_t n)
{
	uint8_t want[DIGEST_BYTES], got[DIGEST_BYTES];

	digest_sha256(d->token, strlen(d->token), want);
	digest_sha256(p, n, got);
	return digest_equal(want, got, sizeof want);
}

/* USER:TOKEN, whoever the user says to be. */
static bool
is_basic(const struct door *d, struct slice text)
{
	char plain[BASIC_MAX];
	const char *colon = NULL;
	size_t n = 0;

	if (text.n < sizeof plain && base64_decode(text.p, text.n, plain, &n))
		colon = memchr(plain, ':', n);
	return colon &&
	    is_token(d, colon + 1, (size_t)(plain + n - (colon + 1)));
}

static bool
has_token(const struct door *d, const struct slice *authorization)
{
	struct slice rest;

	if (!authorization)
		return false;
	rest = *authorization;
	if (slice_begins_nocase(rest, BEARER)) {
		rest.p += strlen(BEARER);
		rest.n -= strlen(BEARER);
		return is_token(d, rest.p, rest.n);
	}
	if (!slice_begins_nocase(rest, BASIC))
		return false;
	rest.p += strlen(BASIC);
	rest.n -= strlen(BASIC);
	return is_basic(d, rest);
}

int
door_check(const struct door *d, const struct http1_head *h, const char **text)
{
	const struct slice *host = http1_get(h, "host");

	*text = "";
	if (host && !is_known(d, *host)) {
		*text = "the host must be a number, localhost or a name given "
		        "by --allow-host";
		return 403;
	}
	if (d->token && !has_token(d, http1_get(h, "authorization"))) {
		*text = "expected the token of " DOOR_TOKEN_NAME
		        ", as a bearer's or as the password";
		return 401;
	}
	return 0;
}
