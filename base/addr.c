/* Addresses and URLs: strict, small, no resolving. */
#include "base/addr.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define SHOWN_MAX 140 /* of an address, in a message */

static bool
is_host_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

/* What may be said of an address or a URL: no user part, which may be a
 * password, and of a query, which may be a key, that there is one. */
static const char *
shown(const char *text, char out[SHOWN_MAX])
{
	const char *query = strpbrk(text, "?#"), *scheme = strstr(text, "://");
	const char *host =
	    scheme && (!query || scheme < query) ? scheme + 3 : text;
	const char *at = memrchr(host, '@', strcspn(host, "/?#"));
	const char *from = at ? at : host;
	size_t n = query ? (size_t)(query - from) : strlen(from);

	snprintf(out, SHOWN_MAX, "%.*s%s%.*s%s", (int)(host - text), text,
	    at ? "***" : "", n < SHOWN_MAX ? (int)n : SHOWN_MAX, from,
	    query ? *query == '?' ? "?..." : "#..." : "");
	return out;
}

static enum err
bad(const char *text, const char *expected, struct why *why)
{
	char said[SHOWN_MAX];

	/* Of a part of a text, which nothing ends, nobody asks why. */
	if (!why)
		return ERR_SYNTAX;
	return why_set(why, ERR_SYNTAX, "address \"%s\": expected %s",
	    shown(text, said), expected);
}

/* Digits only, 0 to 65535; -1 otherwise. */
static long
port_of(const char *s, size_t n)
{
	long v = 0;

	if (n == 0 || n > 5)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		v = v * 10 + (s[i] - '0');
	}
	return v <= 65535 ? v : -1;
}

/* text[0..n) is the host without brackets. */
static enum err
take_host(const char *text, const char *host, size_t n, bool v6,
    struct addr *ret, struct why *why)
{
	struct in6_addr in6;
	struct in_addr in4;

	if (n == 0 || n >= sizeof ret->host)
		return bad(text, "a host name", why);
	memcpy(ret->host, host, n);
	ret->host[n] = '\0';
	if (v6)
		return inet_pton(AF_INET6, ret->host, &in6) == 1
		    ? ERR_OK
		    : bad(text, "an IPv6 address in brackets", why);
	for (size_t i = 0; i < n; i++)
		if (!is_host_char(host[i]))
			return bad(text, "a host name", why);
	/* Digits and dots name no host, and a resolver would ask for one, or
	 * read 0177.0.0.1 by rules that are no others'. */
	if (strchr(ret->host, '.') && ret->host[n - 1] != '.' &&
	    strspn(ret->host, "0123456789.") == n &&
	    inet_pton(AF_INET, ret->host, &in4) != 1)
		return bad(text, "an IPv4 address", why);
	return ERR_OK;
}

/* HOST[:PORT] in text[0..n); default_port -1: a port must be there. */
static enum err
parse_host_port(const char *text, size_t n, long default_port, struct addr *ret,
    struct why *why)
{
	const char *end = text + n, *host = text, *after, *close;
	struct addr a = { .port = 0 };
	bool v6 = n > 0 && text[0] == '[';
	long port = default_port;
	enum err e;

	if (v6) {
		close = memchr(text, ']', n);
		if (!close)
			return bad(text, "HOST:PORT", why);
		host = text + 1;
		after = close + 1;
	} else {
		close = memchr(text, ':', n);
		after = close ? close : end;
		close = after;
	}
	if (after < end && *after == ':')
		port = port_of(after + 1, (size_t)(end - after - 1));
	else if (after < end)
		port = -1;
	if (port < 0)
		return bad(text, "HOST:PORT with a port from 0 to 65535", why);
	e = take_host(text, host, (size_t)(close - host), v6, &a, why);
	if (e != ERR_OK)
		return e;
	a.port = (uint16_t)port;
	*ret = a;
	return ERR_OK;
}

enum err
addr_parse(const char *text, struct addr *ret, struct why *why)
{
	return parse_host_port(text, strlen(text), -1, ret, why);
}

/* By hand: it stands in every request that is sent. */
void
addr_format(const struct addr *a, char out[ADDR_TEXT_MAX])
{
	bool v6 = strchr(a->host, ':') != NULL;
	char digits[8], *d = digits + sizeof digits - 1;
	unsigned port = a->port;
	char *to = out;

	*d = '\0';
	do
		*--d = (char)('0' + port % 10);
	while ((port /= 10) > 0);
	if (v6)
		*to++ = '[';
	to = stpcpy(to, a->host);
	if (v6)
		*to++ = ']';
	*to++ = ':';
	stpcpy(to, d);
}

bool
addr_of_host(struct slice text, struct addr *ret)
{
	size_t n;

	/* RFC 3986, 3.2.3: a port may be empty. */
	if (text.n > 0 && text.p[text.n - 1] == ':')
		text.n--;
	if (text.n == 0 ||
	    parse_host_port(text.p, text.n, 0, ret, NULL) != ERR_OK)
		return false;
	n = strlen(ret->host);
	if (n > 1 && ret->host[n - 1] == '.')
		ret->host[n - 1] = '\0';
	return true;
}

bool
addr_is_loopback(const struct addr *a)
{
	struct in_addr in;

	if (strcmp(a->host, "localhost") == 0 || strcmp(a->host, "::1") == 0)
		return true;
	return inet_pton(AF_INET, a->host, &in) == 1 &&
	    (ntohl(in.s_addr) >> 24) == 127;
}

bool
url_skip_scheme(struct slice *text, bool *ret_tls)
{
	static const char *const schemes[] = { "http://", "https://" };

	for (size_t i = 0; i < COUNT(schemes); i++)
		if (slice_begins_nocase(*text, schemes[i])) {
			text->p += strlen(schemes[i]);
			text->n -= strlen(schemes[i]);
			if (ret_tls)
				*ret_tls = i == 1;
			return true;
		}
	return false;
}

enum err
url_parse(const char *text, struct url *ret, struct why *why)
{
	struct url u = { .tls = false };
	struct slice behind = slice_of(text);
	const char *rest, *slash;
	char said[SHOWN_MAX];
	size_t n;
	enum err e;

	shown(text, said);
	if (!url_skip_scheme(&behind, &u.tls))
		return why_set(why, ERR_SYNTAX,
		    "URL \"%s\": expected http:// or https://", said);
	rest = behind.p;
	slash = strchr(rest, '/');
	n = slash ? (size_t)(slash - rest) : strlen(rest);
	e = parse_host_port(rest, n, u.tls ? 443 : 80, &u.addr, why);
	if (e != ERR_OK)
		return why_prefix(why, e, "URL \"%s\"", said);
	n = slash ? strlen(slash) : 0;
	while (n > 0 && slash[n - 1] == '/')
		n--;
	if (n >= sizeof u.path)
		return why_set(why, ERR_TOOBIG, "URL: path over %zu bytes",
		    sizeof u.path - 1);
	for (size_t i = 0; i < n; i++)
		if (slash[i] <= ' ' || slash[i] >= 0x7f || slash[i] == '?' ||
		    slash[i] == '#')
			return why_set(why, ERR_SYNTAX,
			    "URL \"%s\": expected no query, fragment or "
			    "spaces",
			    said);
	if (n > 0)
		memcpy(u.path, slash, n);
	*ret = u;
	return ERR_OK;
}

enum err
url_parse_where(const char *text, struct url *ret, struct why *why)
{
	struct url u = { .tls = false };
	enum err e = strstr(text, "://") ? url_parse(text, &u, why)
	                                 : addr_parse(text, &u.addr, why);

	if (e == ERR_OK && u.addr.port == 0)
		e = bad(text, "a port from 1 to 65535 to connect to", why);
	if (e == ERR_OK)
		*ret = u;
	return e;
}
