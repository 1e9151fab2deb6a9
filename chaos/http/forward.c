/*
 * What becomes of a request to a forward proxy is decided by the host that it
 * names, once: by CONNECT for all that comes inside, else by the target.
 *
 * The answer to CONNECT is the same whether the host is intercepted or not;
 * what comes inside is TLS by its first byte, or plain HTTP (clients tunnel
 * that too).
 */
#include "chaos/http/forward.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "chaos/http/certificate_authority.h"
#include "chaos/http/tunnel.h"
#include "chaos/rules/glob.h"

#define ESTABLISHED "HTTP/1.1 200 Connection established\r\n\r\n"
#define REASON_MAX  320

struct forward {
	const struct proxy_conf *conf; /* borrowed */
	struct fetch_pool *pool;       /* borrowed */
	struct authority *authority;   /* owned */
	struct tunnels *tunnels;       /* owned */
};

enum err
forward_new(const struct proxy_conf *conf, struct fetch_pool *pool,
    struct forward **ret, struct why *why)
{
	struct forward *f;
	char *home = conf->ca ? NULL : authority_default_dir();
	const char *dir = conf->ca ? conf->ca : home;
	struct authority *authority = NULL;
	enum err e;

	if (!dir)
		e = why_set(why, ERR_SYNTAX,
		    "ca: neither XDG_DATA_HOME nor HOME is set: expected a "
		    "folder");
	else
		e = authority_open(dir, &authority, why);
	free(home);
	if (e != ERR_OK)
		return e;
	f = xcalloc(1, sizeof *f);
	f->conf = conf;
	f->pool = pool;
	f->authority = authority;
	f->tunnels = tunnels_new(pool);
	*ret = f;
	return ERR_OK;
}

void
forward_free(struct forward *f)
{
	if (!f)
		return;
	tunnels_free(f->tunnels);
	authority_free(f->authority);
	free(f);
}

/* ---- what becomes of a request */

/* In small letters; "host." is the same host. */
static struct slice
fold(const char *host, char lower[ADDR_HOST_MAX])
{
	size_t n = 0;

	for (; host[n]; n++) {
		lower[n] = host[n];
		if (host[n] >= 'A' && host[n] <= 'Z')
			lower[n] = (char)(host[n] + ('a' - 'A'));
	}
	if (n > 1 && lower[n - 1] == '.')
		n--;
	return (struct slice){ lower, n };
}

/* An entry in brackets is an IPv6 address, which has many spellings. */
static bool
is_meant(const char *entry, const char *host)
{
	char lower[ADDR_HOST_MAX];
	struct in6_addr wanted, given;
	struct addr at;

	if (entry[0] != '[')
		return glob_match(entry, fold(host, lower));
	return addr_of_host(slice_of(entry), &at) &&
	    inet_pton(AF_INET6, at.host, &wanted) == 1 &&
	    inet_pton(AF_INET6, host, &given) == 1 &&
	    memcmp(&wanted, &given, sizeof wanted) == 0;
}

static bool
is_intercepted(const struct forward *f, const char *host)
{
	const json_t *hosts = f->conf->hosts;
	size_t n = json_array_size(hosts), i = 0;

	while (i < n &&
	    !is_meant(json_string_value(json_array_get(hosts, i)), host))
		i++;
	return i < n;
}

static enum forward_step
answer(struct serve_call *c, int status, const char *text)
{
	static const struct http1_field plain = { "Content-Type",
		"text/plain; charset=utf-8" };

	serve_set_data(c, NULL);
	(void)serve_answer(c, status, &plain, 1, text, strlen(text));
	return FORWARD_TAKEN;
}

static enum forward_step
refuse_host(const struct forward *f, struct serve_call *c, const char *host)
{
	char text[REASON_MAX];

	snprintf(text, sizeof text,
	    "403 Forbidden: %s is none of the hosts of this proxy\n", host);
	log_warn(f->conf->name,
	    "%s was refused: it is none of the scenario's hosts", host);
	return answer(c, 403, text);
}

/* Who may use the proxy from elsewhere may not for that reason talk to what
 * listens for this machine alone: the admin API first of all.  A glob does not
 * mean it; who writes the very name does. */
bool
forward_is_outward(const struct proxy_conf *conf, const char *host)
{
	const json_t *v;
	size_t i;

	if (!conf->is_remote)
		return false;
	json_array_foreach(conf->hosts, i, v)
		if (!strpbrk(json_string_value(v), "*?") &&
		    is_meant(json_string_value(v), host))
			return false;
	return true;
}

void
forward_tell_inward(const char *proxy, const char *host)
{
	log_warn(proxy,
	    "%s was refused: it is this machine itself, and the proxy is "
	    "\"remote\"; its very name in hosts allows it",
	    host);
}

static enum forward_step
take_connect(struct forward *f, struct serve_call *c)
{
	char *target = slice_dup(serve_head(c)->target);
	struct addr at;

	if (addr_parse(target, &at, NULL) != ERR_OK || at.port == 0)
		answer(c, 400, "400 Bad Request: expected CONNECT HOST:PORT\n");
	else if (is_intercepted(f, at.host)) {
		log_debug(f->conf->name, "%s is intercepted", target);
		if (!serve_start_tls(c, authority_server(f->authority), target,
		        at.host, ESTABLISHED))
			answer(c, 400,
			    "400 Bad Request: CONNECT inside TLS, or more "
			    "behind it than its answer allows\n");
	} else if (f->conf->refuses_others)
		refuse_host(f, c, at.host);
	else
		tunnel_start(f->tunnels, c,
		    &(struct tunnel_conf){ .proxy = f->conf->name,
		        .to = at,
		        .is_outward = forward_is_outward(f->conf, at.host),
		        .established = ESTABLISHED });
	free(target);
	return FORWARD_TAKEN;
}

enum err
forward_where(struct serve_call *c, struct url *ret, struct why *why)
{
	const struct http1_head *h = serve_head(c);
	const char *secured = serve_secured(c);
	char *text;
	enum err e;

	if (secured)
		text = xasprintf("http%s://%s", serve_is_tls(c) ? "s" : "",
		    secured);
	else if (h->authority.n)
		text = xasprintf("http%s://" SLICE_FMT, h->is_https ? "s" : "",
		    SLICE_ARG(h->authority));
	else
		return why_set(why, ERR_SYNTAX,
		    "a forward proxy was asked without a host: expected "
		    "CONNECT, or http://HOST/ in the request line");
	e = url_parse(text, ret, why);
	free(text);
	return e;
}

enum forward_step
forward_take(struct forward *f, struct serve_call *c)
{
	struct why why = { "" };
	char text[sizeof why.text + 32];
	struct url url = { .tls = false };

	if (slice_is(serve_head(c)->method, "CONNECT"))
		return take_connect(f, c);
	if (forward_where(c, &url, &why) != ERR_OK || url.addr.port == 0) {
		snprintf(text, sizeof text, "400 Bad Request: %s\n", why.text);
		return answer(c, 400, text);
	}
	if (serve_secured(c) || is_intercepted(f, url.addr.host))
		return FORWARD_INTERCEPTED;
	return f->conf->refuses_others ? refuse_host(f, c, url.addr.host)
	                               : FORWARD_UNTOUCHED;
}

/* ---- tunnels */

void
forward_bytes(struct serve_call *c, const char *p, size_t n)
{
	tunnel_bytes(serve_data(c), p, n);
}

void
forward_drain(struct serve_call *c)
{
	tunnel_drain(serve_data(c));
}

void
forward_gone(struct serve_call *c)
{
	if (serve_data(c))
		tunnel_gone(serve_data(c));
}
