/*
 * The token comes as a bearer's, or as the password of Basic, which is what a
 * browser asks its user for, also for a stream of events.
 */
#include "chaos/admin/admin_door.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "base/addr.h"
#include "base/base64.h"
#include "base/digest.h"

#define BEARER    "Bearer "
#define BASIC     "Basic "
#define BASIC_MAX 1024

static bool
is_known(const struct door *d, struct slice host)
{
	unsigned char bytes[sizeof(struct in6_addr)];
	const char *name;
	struct addr at;

	if (!addr_of_host(host, &at))
		return false;
	name = at.host;
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
	    digest_is_secret(d->token, colon + 1,
	        (size_t)(plain + n - (colon + 1)));
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
		return digest_is_secret(d->token, rest.p, rest.n);
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
