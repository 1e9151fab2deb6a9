/*
 * Names to addresses.
 *
 * evdns may answer before evdns_getaddrinfo() returns (from the hosts file),
 * and a cancelled question still gets its last callback later; so every
 * question is an object of its own that hands its answer on from a timer of
 * zero length and outlives its owner's interest until evdns is done with it.
 */
#include "base/resolve.h"

#include "base/mem.h"
#include <arpa/inet.h>
#include <event2/dns.h>
#include <event2/event_struct.h>
#include <event2/util.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct resolver {
	struct event_base *base;  /* borrowed */
	struct evdns_base *evdns; /* owned; NULL until the first name */
};

struct resolve {
	struct event deliver;
	struct evdns_getaddrinfo_request *request; /* while evdns works */
	bool asked;                                /* evdns owes a callback */
	bool cancelled;                            /* nobody waits any more */
	struct resolve_answer answer;
	void (*on_answer)(const struct resolve_answer *answer, void *arg);
	void *arg;
};

static void on_found(int result, struct evutil_addrinfo *res, void *arg);
static void on_deliver(evutil_socket_t fd, short what, void *arg);

struct resolver *
resolver_new(struct event_base *base)
{
	struct resolver *r = xcalloc(1, sizeof *r);

	r->base = base;
	return r;
}

void
resolver_free(struct resolver *r)
{
	if (!r)
		return;
	if (r->evdns)
		evdns_base_free(r->evdns, 1);
	free(r);
}

bool
resolve_at_once(const struct addr *a, struct resolve_answer *ret)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET,
		.sin_port = htons(a->port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
		.sin6_port = htons(a->port) };
	const char *host =
	    strcmp(a->host, "localhost") == 0 ? "127.0.0.1" : a->host;

	if (inet_pton(AF_INET, host, &v4.sin_addr) == 1) {
		memcpy(&ret->addrs[0], &v4, sizeof v4);
		ret->lens[0] = sizeof v4;
	} else if (inet_pton(AF_INET6, host, &v6.sin6_addr) == 1) {
		memcpy(&ret->addrs[0], &v6, sizeof v6);
		ret->lens[0] = sizeof v6;
	} else {
		return false;
	}
	ret->n = 1;
	return true;
}

struct resolve *
resolve_start(struct resolver *r, const struct addr *a,
    void (*on_answer)(const struct resolve_answer *answer, void *arg),
    void *arg)
{
	struct evutil_addrinfo hints = { .ai_family = AF_UNSPEC,
		.ai_socktype = SOCK_STREAM };
	struct resolve *q = xcalloc(1, sizeof *q);
	char port[8];

	q->on_answer = on_answer;
	q->arg = arg;
	event_assign(&q->deliver, r->base, -1, 0, on_deliver, q);
	if (!r->evdns)
		r->evdns = evdns_base_new(r->base,
		    EVDNS_BASE_INITIALIZE_NAMESERVERS |
		        EVDNS_BASE_DISABLE_WHEN_INACTIVE);
	if (!r->evdns) {
		event_active(&q->deliver, EV_TIMEOUT, 0);
		return q;
	}
	(void)snprintf(port, sizeof port, "%u", (unsigned)a->port);
	q->asked = true;
	q->request =
	    evdns_getaddrinfo(r->evdns, a->host, port, &hints, on_found, q);
	return q;
}

void
resolve_cancel(struct resolve *q)
{
	if (!q)
		return;
	q->cancelled = true;
	if (!q->asked) {
		event_del(&q->deliver);
		free(q);
	} else if (q->request) {
		evdns_getaddrinfo_cancel(q->request);
	}
}

static void
on_found(int result, struct evutil_addrinfo *res, void *arg)
{
	struct resolve *q = arg;
	struct resolve_answer *a = &q->answer;

	q->asked = false;
	q->request = NULL;
	for (struct evutil_addrinfo *ai = result == 0 ? res : NULL;
	     ai && a->n < RESOLVE_MAX; ai = ai->ai_next) {
		if ((size_t)ai->ai_addrlen > sizeof a->addrs[0])
			continue;
		memcpy(&a->addrs[a->n], ai->ai_addr, ai->ai_addrlen);
		a->lens[a->n++] = ai->ai_addrlen;
	}
	if (res)
		evutil_freeaddrinfo(res);
	if (q->cancelled)
		free(q);
	else
		event_active(&q->deliver, EV_TIMEOUT, 0);
}

static void
on_deliver(evutil_socket_t fd, short what, void *arg)
{
	struct resolve *q = arg;

	(void)fd;
	(void)what;
	q->on_answer(&q->answer, q->arg);
	free(q);
}
