/*
 * Host names to socket addresses, without blocking the loop.
 *
 * Numbers and "localhost" are answered at once; other names are looked up by
 * c-ares (the hosts file, then DNS, over TCP where an answer is truncated).
 * A name is asked for once, however many wait for it, and known for as long as
 * its records say.  Servers are those of resolv.conf as it is now: one that
 * was repaired needs no restart.
 */
#ifndef BASE_RESOLVE_H
#define BASE_RESOLVE_H

#include "base/addr.h"
#include <event2/event.h>
#include <stddef.h>
#include <sys/socket.h>

#define RESOLVE_MAX      8  /* addresses of one name that are tried */
#define RESOLVE_DELAY_MS 50 /* that one family waits for the other */

struct resolver;
struct resolve; /* one question under way */

struct resolve_answer {
	/* The families in turn, IPv6 first (RFC 8305). */
	struct sockaddr_storage addrs[RESOLVE_MAX];
	socklen_t lens[RESOLVE_MAX];
	size_t n; /* 0: no such host */
};

struct resolve_servers {
	const char *file; /* like /etc/resolv.conf, which NULL stands for */
	uint16_t port;    /* 0: DNS's own */
};

/* The file's name is borrowed; NULL: the system's servers. */
struct resolver *resolver_new(struct event_base *base,
    const struct resolve_servers *servers);
/* Cancels what is under way. */
void resolver_free(struct resolver *r);

/* True: *ret is filled in now.  False: the name has to be asked for. */
bool resolve_at_once(const struct addr *a, struct resolve_answer *ret);

/* on_answer comes later, from the loop, unless the question is cancelled. */
struct resolve *resolve_start(struct resolver *r, const struct addr *a,
    void (*on_answer)(const struct resolve_answer *answer, void *arg),
    void *arg);
void resolve_cancel(struct resolve *q);

#endif
