/*
 * Host names to socket addresses, without blocking the loop.
 *
 * Numbers and "localhost" are answered at once; other names go through
 * libevent's resolver (the hosts file, then DNS), which starts with the
 * first such name.
 */
#ifndef BASE_RESOLVE_H
#define BASE_RESOLVE_H

#include "base/addr.h"
#include <event2/event.h>
#include <stddef.h>
#include <sys/socket.h>

#define RESOLVE_MAX 8 /* addresses of one name that are tried */

struct resolver;
struct resolve; /* one question under way */

struct resolve_answer {
	struct sockaddr_storage addrs[RESOLVE_MAX];
	socklen_t lens[RESOLVE_MAX];
	size_t n; /* 0: no such host */
};

struct resolver *resolver_new(struct event_base *base);
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
