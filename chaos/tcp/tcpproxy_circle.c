/*
 * Proxies in a row are welcome; in a circle one connection becomes another,
 * and so on until the process has no descriptors left.  A circle is made by
 * whichever of its proxies comes last, so asking then, from that one on, finds
 * every one that runs through addresses known without DNS.
 */
#include "chaos/tcp/tcpproxy_priv.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hosts.h"
#include "chaos/http/upstream.h"

/* Either family's address and port, IPv4 as IPv6 writes it. */
struct place {
	struct in6_addr host;
	uint16_t port;
};

static void
place_of(const struct sockaddr_storage *ss, struct place *ret)
{
	const struct sockaddr_in6 *v6 = (const void *)ss;
	const struct sockaddr_in *v4 = (const void *)ss;

	if (ss->ss_family == AF_INET6) {
		*ret = (struct place){ v6->sin6_addr, ntohs(v6->sin6_port) };
		return;
	}
	memset(ret, 0, sizeof *ret);
	memset(&ret->host.s6_addr[10], 0xff, 2);
	memcpy(&ret->host.s6_addr[12], &v4->sin_addr, sizeof v4->sin_addr);
	ret->port = ntohs(v4->sin_port);
}

static bool
is_any(const struct in6_addr *a)
{
	static const struct in6_addr v4 = { { { [10] = 0xff, 0xff } } };

	return IN6_IS_ADDR_UNSPECIFIED(a) || memcmp(a, &v4, sizeof v4) == 0;
}

/* An address of this machine: one that can be bound. */
static bool
is_here(const struct in6_addr *a)
{
	struct sockaddr_in6 at = { .sin6_family = AF_INET6, .sin6_addr = *a };
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	bool is_v4 = IN6_IS_ADDR_V4MAPPED(a);
	int fd =
	    socket(is_v4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool is_bound;

	if (fd < 0)
		return false;
	memcpy(&v4.sin_addr, &a->s6_addr[12], sizeof v4.sin_addr);
	is_bound = is_v4 ? bind(fd, (struct sockaddr *)&v4, sizeof v4) == 0
	                 : bind(fd, (struct sockaddr *)&at, sizeof at) == 0;
	close(fd);
	return is_bound;
}

/* Does who connects to `to` come to who listens at `at`?  An upstream that
 * is all hosts is this machine. */
static bool
reaches(const struct place *to, const struct place *at)
{
	if (to->port != at->port || at->port == 0)
		return false;
	return memcmp(&to->host, &at->host, sizeof at->host) == 0 ||
	    is_any(&to->host) || (is_any(&at->host) && is_here(&to->host));
}

static bool
listens_at(const char *listen, const struct resolve_answer *to)
{
	struct resolve_answer where = { .n = 0 };
	struct place at, one;

	if (tcpproxy_look_up(listen, &where, NULL) != ERR_OK)
		return false;
	place_of(&where.addrs[0], &at);
	for (size_t i = 0; i < to->n; i++) {
		place_of(&to->addrs[i], &one);
		if (reaches(&one, &at))
			return true;
	}
	return false;
}

/* False: nobody knows without asking DNS. */
static bool
where_is(const struct tcpproxy *p, const char *upstream,
    struct resolve_answer *ret)
{
	struct upstreams *named = p->set->conf.upstreams;
	struct url url = { .tls = false };
	struct addr known;
	enum err e;

	/* A ready file may be the last run's still: whoever needs the address
	 * first reads it, and that address is kept. */
	if (named && !upstreams_is_known(named, upstream))
		return false;
	e = strstr(upstream, "://") ? url_parse(upstream, &url, NULL)
	                            : tcpproxy_upstream(p, upstream, &url.addr);
	known = url.addr;
	return e == ERR_OK &&
	    (resolve_at_once(&url.addr, ret) ||
	        (hosts_find(HOSTS_FILE, url.addr.host, known.host) &&
	            resolve_at_once(&known, ret)));
}

/* Asked first of each of what may be thousands of proxies: a started one says
 * its port in numbers. */
static bool
has_port(const struct tcpproxy *q, const struct resolve_answer *to)
{
	const char *colon = strrchr(q->listen, ':');
	struct place at;

	place_of(&to->addrs[0], &at);
	return colon && strtoul(colon + 1, NULL, 10) == at.port;
}

/* The started proxy at one of these addresses; p would listen at `listen`. */
static const struct tcpproxy *
proxy_at(const struct tcpproxy *p, const char *listen,
    const struct resolve_answer *to)
{
	const struct tcpproxy *q;

	if (listens_at(listen, to))
		return p;
	TAILQ_FOREACH(q, &p->set->proxies, entry)
		if (q != p && q->is_started && has_port(q, to) &&
		    listens_at(q->listen, to))
			return q;
	return NULL;
}

enum err
tcpproxy_check_circle(const struct tcpproxy *p, const char *listen,
    const char *upstream, struct why *why)
{
	const struct tcpproxy *q = p, *first = NULL, *any;
	struct resolve_answer to;
	size_t left = 1;

	TAILQ_FOREACH(any, &p->set->proxies, entry)
		left++;
	/* A circle that p is not in would go on for ever. */
	while (q && left-- > 0) {
		to.n = 0;
		q = where_is(q, q == p ? upstream : q->upstream, &to) && to.n
		    ? proxy_at(p, listen, &to)
		    : NULL;
		if (q == p)
			return why_set(why, ERR_STATE,
			    "upstream %.100s leads back to the proxy itself%s"
			    "%.60s",
			    upstream, first ? " through " : "",
			    first ? first->name : "");
		if (!first)
			first = q;
	}
	return ERR_OK;
}
