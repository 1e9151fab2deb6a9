/*
 * Network addresses and URLs as text.
 */
#ifndef BASE_ADDR_H
#define BASE_ADDR_H

#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

#define ADDR_HOST_MAX 256
#define ADDR_TEXT_MAX 288

struct addr {
	char host[ADDR_HOST_MAX]; /* name or number, no brackets */
	uint16_t port;
};

/* "HOST:PORT" or "[V6]:PORT"; port 0 allowed. */
enum err addr_parse(const char *text, struct addr *ret, struct why *why);
void addr_format(const struct addr *a, char out[ADDR_TEXT_MAX]);
/* Whom a Host header names (RFC 9110, 7.2), or what is behind an origin's
 * "://": HOST, HOST:PORT or [V6]:PORT; port 0: not said.  A last dot goes,
 * since "NAME." and "NAME" are one host.  False: it names none. */
bool addr_of_host(struct slice text, struct addr *ret);
bool addr_is_loopback(const struct addr *a); /* numeric or "localhost" */

/* Takes "http://" or "https://", in any case of letters (RFC 3986, 3.1), off a
 * text's front; false: it has neither.  *ret_tls: which; NULL-safe. */
bool url_skip_scheme(struct slice *text, bool *ret_tls);

struct url {
	bool tls; /* https */
	struct addr addr;
	char path[1024]; /* base path with no trailing slash, "" for none */
};

/* http:// and https:// only; no user info, query or fragment. */
enum err url_parse(const char *text, struct url *ret, struct why *why);
/* Where to connect to: a URL, or HOST:PORT; no port 0, which nobody has. */
enum err url_parse_where(const char *text, struct url *ret, struct why *why);

#endif
