/*
 * Connecting: an address is found, and of several the first that answers is
 * taken (RFC 8305).  The next one starts when one fails or RACE_MS have passed,
 * so that an address that swallows packets costs a moment and not the whole
 * time that connecting may take.  All of it has one deadline.
 *
 * The address that won is tried first as long as its host is known here.
 *
 * Who finds no descriptor left waits for one, until the deadline: calls that
 * are under way end, and give theirs back.
 */
#include "base/fetch_priv.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/own_address.h"
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define RACE_MS  250
#define SHORT_MS 50

static void on_resolved(const struct resolve_answer *answer, void *arg);
static void on_too_late(evutil_socket_t fd, short what, void *arg);
static void on_next(evutil_socket_t fd, short what, void *arg);
static void on_racer(evutil_socket_t fd, short what, void *arg);
static void race(struct fetch_conn *c);
static bool is_short(const struct fetch_dial *d);
static void take_answer(struct fetch_conn *c);

void
fetch_conn_dial(struct fetch *f)
{
	struct fetch_conn *c = fetch_conn_new(f);
	struct event_base *base = loop_base(c->pool->loop);
	struct fetch_dial *d = xcalloc(1, sizeof *d);
	uint32_t ms = f->connect_timeout_ms;
	char reason[TLS_REASON_MAX];

	c->dial = d;
	d->by_us = clock_mono_us() + ms * 1000ull;
	event_assign(&d->deadline, base, -1, 0, on_too_late, c);
	event_assign(&d->turn, base, -1, 0, on_next, c);
	if (c->host->tls && !fetch_pool_tls(c->pool, reason)) {
		fetch_fail_later(f, FETCH_FAIL_TLS, reason);
		return;
	}
	loop_arm_at(&d->deadline, d->by_us);
	if (resolve_at_once(&c->host->addr, &d->answer))
		take_answer(c);
	else
		d->question = resolve_start(c->pool->resolver, &c->host->addr,
		    on_resolved, c);
}

void
fetch_dial_done(struct fetch_conn *c)
{
	struct fetch_dial *d = c->dial;

	if (!d)
		return;
	c->dial = NULL;
	resolve_cancel(d->question);
	event_del(&d->deadline);
	event_del(&d->turn);
	for (size_t i = 0; i < d->next; i++)
		if (d->racers[i].fd >= 0) {
			event_del(&d->racers[i].event);
			close(d->racers[i].fd);
		}
	free(d);
}

static void
on_too_late(evutil_socket_t fd, short what, void *arg)
{
	struct fetch_conn *c = arg;

	(void)fd;
	(void)what;
	if (c->state == FETCH_RESOLVING)
		fetch_fail(c->fetch, FETCH_FAIL_RESOLVE,
		    "no answer about the host");
	else
		fetch_fail(c->fetch, FETCH_FAIL_CONNECT_TIMEOUT,
		    is_short(c->dial) ? "no descriptor became free"
		                      : "the connection took too long");
}

/* ---- the addresses */

/* The one that won last time comes first. */
static void
put_first(struct resolve_answer *a, const struct fetch_host *h)
{
	struct sockaddr_storage first;
	socklen_t len;

	for (size_t i = 1; i < a->n; i++) {
		if (a->lens[i] != h->good_len ||
		    memcmp(&a->addrs[i], &h->good, h->good_len) != 0)
			continue;
		first = a->addrs[i];
		len = a->lens[i];
		memmove(&a->addrs[1], &a->addrs[0], i * sizeof a->addrs[0]);
		memmove(&a->lens[1], &a->lens[0], i * sizeof a->lens[0]);
		a->addrs[0] = first;
		a->lens[0] = len;
		return;
	}
}

static void
on_resolved(const struct resolve_answer *answer, void *arg)
{
	struct fetch_conn *c = arg;

	c->dial->question = NULL;
	if (answer->n == 0) {
		fetch_fail(c->fetch, FETCH_FAIL_RESOLVE, "no such host");
		return;
	}
	c->dial->answer = *answer;
	take_answer(c);
}

/* Behind the lookup, on what is connected to: a name says nothing of where it
 * leads, and may lead elsewhere the next time. */
static void
leave_out_own(struct resolve_answer *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->n; i++) {
		if (own_address_is((const void *)&a->addrs[i]))
			continue;
		a->addrs[n] = a->addrs[i];
		a->lens[n++] = a->lens[i];
	}
	a->n = n;
}

static void
take_answer(struct fetch_conn *c)
{
	struct resolve_answer *a = &c->dial->answer;

	if (c->host->is_outward)
		leave_out_own(a);
	if (a->n == 0) {
		fetch_fail_later(c->fetch, FETCH_FAIL_INWARD,
		    "it leads to this machine itself");
		return;
	}
	put_first(a, c->host);
	race(c);
}

/* ---- the race */

/* False: that address cannot even be tried. */
static bool
start_racer(struct fetch_conn *c, size_t i)
{
	struct fetch_dial *d = c->dial;
	const struct sockaddr *sa = (const void *)&d->answer.addrs[i];
	struct fetch_racer *r = &d->racers[i];
	int on = 1;

	r->fd = socket(sa->sa_family,
	    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (r->fd < 0)
		goto fail;
	setsockopt(r->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (connect(r->fd, sa, d->answer.lens[i]) < 0 && errno != EINPROGRESS)
		goto fail;
	event_assign(&r->event, loop_base(c->pool->loop), r->fd, EV_WRITE,
	    on_racer, c);
	event_add(&r->event, NULL);
	d->running++;
	return true;
fail:
	d->error = errno;
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
	return false;
}

static bool
is_short(const struct fetch_dial *d)
{
	return d->running == 0 && (d->error == EMFILE || d->error == ENFILE);
}

/* One more, if there is one; nobody left is a failure. */
static void
race(struct fetch_conn *c)
{
	struct fetch_dial *d = c->dial;
	char text[128];

	fetch_conn_set_state(c, FETCH_CONNECTING);
	event_del(&d->turn);
	for (; d->next < d->answer.n; d->next++) {
		if (start_racer(c, d->next)) {
			if (++d->next < d->answer.n)
				loop_arm(&d->turn, RACE_MS * US_PER_MS);
			return;
		}
		if (is_short(d)) {
			loop_arm(&d->turn, SHORT_MS * US_PER_MS);
			return;
		}
	}
	if (d->running > 0)
		return;
	(void)snprintf(text, sizeof text, "cannot connect: %s",
	    strerror(d->error));
	fetch_fail_later(c->fetch,
	    d->error == ETIMEDOUT ? FETCH_FAIL_CONNECT_TIMEOUT
	                          : FETCH_FAIL_REFUSED,
	    text);
}

static void
on_next(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	race(arg);
}

static void
win(struct fetch_conn *c, size_t i)
{
	struct fetch_dial *d = c->dial;
	int fd = d->racers[i].fd;
	struct tls *tls = NULL;

	c->host->good = d->answer.addrs[i];
	c->host->good_len = d->answer.lens[i];
	if (c->host->tls &&
	    !(tls = tls_new(c->pool->tls, c->host->addr.host))) {
		fetch_fail(c->fetch, FETCH_FAIL_TLS, "cannot begin with TLS");
		return;
	}
	d->racers[i].fd = -1;
	/* From here on the stream has the deadline, and knows an upload from
	 * a handshake. */
	event_del(&d->deadline);
	event_del(&d->turn);
	fetch_conn_connected(c, fd, tls, d->by_us);
}

static void
on_racer(evutil_socket_t fd, short what, void *arg)
{
	struct fetch_conn *c = arg;
	struct fetch_dial *d = c->dial;
	socklen_t len = sizeof d->error;
	size_t i = 0;

	(void)what;
	while (d->racers[i].fd != fd)
		i++;
	d->running--;
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &d->error, &len) < 0)
		d->error = errno;
	if (!d->error) {
		win(c, i);
		return;
	}
	close(fd);
	d->racers[i].fd = -1;
	race(c);
}
