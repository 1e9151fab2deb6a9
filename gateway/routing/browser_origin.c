/*
 * Browsers say the truth about Host, Origin and Sec-Fetch-Site, and pages
 * cannot make them lie; programs may say what they like, and need no door to
 * spend their user's keys.  A request without Origin that another site caused
 * (an image, a link) is known by Sec-Fetch-Site.
 */
#include "gateway/routing/browser_origin.h"

#include "base/addr.h"

#include <string.h>
#include <strings.h>

static bool
is_listed(const struct ynode *list, const char *text)
{
	for (const struct ynode *n = list ? list->first : NULL; n; n = n->next)
		if (strcasecmp(n->text, text) == 0)
			return true;
	return false;
}

static bool
ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcasecmp(text + n - m, end) == 0;
}

/* RFC 6761: names below localhost never leave this machine. */
static bool
is_own_name(const struct conf *c, const struct addr *at)
{
	const char *host = at->host;

	/* What nearly every client says, without a look at addresses. */
	if (strcmp(host, "127.0.0.1") == 0 ||
	    strcasecmp(host, "localhost") == 0)
		return true;
	return addr_is_loopback(at) || ends_with(host, ".localhost") ||
	    is_listed(c->hosts, host);
}

/* Whom the request means: an absolute target's own host replaces Host
 * (RFC 9112, 3.2.2); NULL: it does not say. */
static const struct slice *
host_of(const struct http1_head *h)
{
	return h->authority.n > 0 ? &h->authority : http1_get(h, "host");
}

static bool
is_host_known(const struct conf *c, const struct http1_head *h)
{
	const struct slice *v = host_of(h);
	struct addr at;

	/* HTTP/1.0 knows no Host, and no browser speaks it. */
	if (!v)
		return h->minor == 0;
	return addr_of_host(*v, &at) && is_own_name(c, &at);
}

/* A page that this very door served: http(s)://HOST. */
static bool
is_own_origin(const struct http1_head *h, struct slice origin)
{
	const struct slice *host = host_of(h);

	return host && url_skip_scheme(&origin, NULL) &&
	    slice_same(origin, *host);
}

const char *
browser_origin_origin(const struct conf *c, const struct http1_head *h)
{
	const struct slice *v = c->origins ? http1_get(h, "origin") : NULL;

	if (!v)
		return NULL;
	for (const struct ynode *n = c->origins->first; n; n = n->next)
		if (slice_is(*v, n->text))
			return n->text;
	return NULL;
}

/* No browser says it twice, and which one counts nobody knows. */
static bool
is_said_twice(const struct http1_head *h, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < h->nheaders; i++)
		n += slice_is_nocase(h->headers[i].name, name);
	return n > 1;
}

static bool
is_page_foreign(const struct auth_door *door, const struct http1_head *h)
{
	const struct slice *origin = http1_get(h, "origin");
	const struct slice *site = http1_get(h, "sec-fetch-site");

	if ((origin && is_said_twice(h, "origin")) ||
	    (site && is_said_twice(h, "sec-fetch-site")))
		return true;
	if (!door->is_admins && browser_origin_origin(door->conf, h))
		return false;
	if (origin)
		return !is_own_origin(h, *origin);
	return site && !slice_is_nocase(*site, "none") &&
	    !slice_is_nocase(*site, "same-origin");
}

bool
browser_origin_is_preflight(const struct conf *c, const struct http1_head *h)
{
	/* Browsers send none with a body, and a stranger's is not read. */
	return slice_is(h->method, "OPTIONS") && h->framing == HTTP1_NO_BODY &&
	    browser_origin_origin(c, h) &&
	    http1_get(h, "access-control-request-method");
}

struct browser_origin_verdict
browser_origin_judge(const struct auth_door *door, const struct http1_head *h)
{
	static const struct browser_origin_verdict come_in = { .status = 0 };
	static const struct browser_origin_verdict no_key = { 401,
		"invalid_api_key",
		"a valid key is needed: Authorization: Bearer KEY", NULL };
	static const struct browser_origin_verdict no_host = { 403,
		"unknown_host",
		"the Host is no name of this machine; hosts: [NAME] in the "
		"configuration adds one",
		NULL };
	static const struct browser_origin_verdict no_page = { 403,
		"foreign_origin",
		"a web page of another origin may not call this gateway; "
		"origins: [ORIGIN] in the configuration lets one",
		NULL };

	/* It reloads, and makes keys and revokes them. */
	static const struct browser_origin_verdict no_admin = { 403,
		"foreign_origin",
		"a web page of another origin may not call the admin port",
		NULL };

	struct browser_origin_verdict verdict = no_key;

	if (door->asks_keys) {
		verdict.caller = auth_caller(door, h, &verdict.message);
		if (verdict.caller ||
		    (!door->is_admins &&
		        browser_origin_is_preflight(door->conf, h)))
			verdict.status = 0;
		return verdict;
	}
	if (!is_host_known(door->conf, h))
		return no_host;
	if (!is_page_foreign(door, h))
		return come_in;
	return door->is_admins ? no_admin : no_page;
}
