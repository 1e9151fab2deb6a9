/*
 *	client_fd --read--> chain UPSTREAM   --write--> upstream_fd
 *	upstream_fd --read--> chain DOWNSTREAM --write--> client_fd
 *
 * A direction is over when the end of its stream has been written; the link
 * is over when both are, or at once on an error, a close or a reset.
 */
#include "chaos/tcp/link_priv.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define DRAIN_READS 64
#define LEAVE_S     1
#define LEAVE_BYTES (4u << 20)

/* ---- the end */

/* Closing on unread bytes would send a reset, so they are read away. */
static void
drain(int fd)
{
	char bytes[4096];

	for (int i = 0; i < DRAIN_READS; i++)
		if (read(fd, bytes, sizeof bytes) <= 0)
			return;
}

void
side_close(struct side *s, bool is_reset)
{
	struct linger now = { .l_onoff = 1, .l_linger = 0 };

	if (s->fd < 0)
		return;
	event_del(&s->readable);
	event_del(&s->writable);
	if (is_reset)
		/* With a linger of zero close() sends a reset and drops what
		 * waits (socket(7)). */
		setsockopt(s->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
	else if (!s->has_said)
		drain(s->fd);
	close(s->fd);
	s->fd = -1;
	s->is_full = false;
}

/* The one close.  The memory goes in the loop's next round. */
void
link_close(struct link *l, bool is_reset)
{
	if (l->is_dead)
		return;
	l->is_dead = true;
	event_del(&l->hush);
	side_close(&l->client, is_reset);
	side_close(&l->upstream, is_reset);
	event_active(&l->reaper, EV_TIMEOUT, 0);
}

/*
 * The same, when it is the client that must read all that was sent: what it
 * says after the close would be answered by a reset, which throws away what
 * it has not read yet.  So it gets its end, and is listened to until it has
 * gone, or for so long and so much.
 */
void
link_leave(struct link *l)
{
	if (l->is_dead || l->client.has_said || l->client.fd < 0 ||
	    shutdown(l->client.fd, SHUT_WR) < 0) {
		link_close(l, false);
		return;
	}
	l->is_dead = l->is_leaving = true;
	event_del(&l->hush);
	side_close(&l->upstream, false);
	event_del(&l->client.writable);
	loop_arm(&l->client.readable, LEAVE_S * US_PER_S);
}

void
link_leave_on(struct link *l, short what)
{
	char bytes[4096];
	ssize_t n = 0;

	if (!(what & EV_TIMEOUT))
		n = read(l->client.fd, bytes, sizeof bytes);
	if (n > 0 && (l->left_bytes += (size_t)n) < LEAVE_BYTES)
		return;
	l->is_dead = l->is_leaving = false;
	link_close(l, false);
}

static void
on_reaper(evutil_socket_t fd, short what, void *arg)
{
	struct link *l = arg;

	(void)fd;
	(void)what;
	l->on_over(l, l->arg);
	link_free(l);
}

static void
direction_done(struct direction *d)
{
	struct chunk *c;

	d->link->received[d->stream] += d->late_received;
	d->link->sent[d->stream] += d->late_sent;
	tap_chain_free(d->chain);
	conduit_free(d->conduit);
	while ((c = STAILQ_FIRST(&d->out))) {
		STAILQ_REMOVE_HEAD(&d->out, entry);
		free(c);
	}
}

void
link_free(struct link *l)
{
	if (!l)
		return;
	side_close(&l->client, false);
	side_close(&l->upstream, false);
	for (int i = 0; i < TOXIC_NSTREAMS; i++)
		direction_done(&l->dirs[i]);
	event_del(&l->reaper);
	event_del(&l->hush);
	free(l->dialling);
	free(l->redial);
	free(l);
}

/* ---- the beginning */

static void
connected(struct link *l)
{
	free(l->dialling);
	l->dialling = NULL;
	l->is_connected = true;
}

static void
on_connected(evutil_socket_t fd, short what, void *arg)
{
	struct direction *up = arg;
	struct link *l = up->link;
	int error = 0;
	socklen_t n = sizeof error;

	if (l->is_connected) {
		link_on_writable(fd, what, arg);
		return;
	}
	/* A socket that could not connect is writable too; only SO_ERROR tells
	 * the two apart (connect(2)). */
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n);
	if (error)
		link_dial(l);
	else
		connected(l);
	if (l->is_connected)
		link_begin_flow(l);
}

static void
direction_init(struct link *l, const struct link_conf *conf,
    enum toxic_stream stream)
{
	struct direction *d = &l->dirs[stream];
	struct toxic *t;

	d->link = l;
	d->stream = stream;
	d->from = stream == TOXIC_UPSTREAM ? &l->client : &l->upstream;
	d->to = stream == TOXIC_UPSTREAM ? &l->upstream : &l->client;
	d->received =
	    l->is_strict ? &d->late_received : &conf->received[stream];
	d->sent = l->is_strict ? &d->late_sent : &conf->sent[stream];
	STAILQ_INIT(&d->out);
	d->chain =
	    tap_chain_new(&(struct tap_chain_conf){ .base = loop_base(l->loop),
	        .decide = conf->decide,
	        .is_strict = conf->is_strict,
	        .late = conf->late,
	        .ops = &link_chain_ops,
	        .arg = d });
	TAILQ_FOREACH(t, &conf->toxics[stream], entry)
		if (toxic_is_tap(t))
			tap_chain_add(d->chain, t);
	/* A rule's faults speak of the answer, so its toxics stand on the way
	 * back. */
	if (conf->own && stream == TOXIC_DOWNSTREAM)
		TAILQ_FOREACH(t, conf->own, entry)
			tap_chain_add(d->chain, t);
	tap_chain_open(d->chain);
}

static void
side_open(struct link *l, struct side *s, int fd)
{
	struct event_base *base = loop_base(l->loop);
	bool is_client = s == &l->client;

	s->fd = fd;
	s->has_said = s->is_full = false;
	event_assign(&s->readable, base, fd, EV_READ | EV_PERSIST,
	    link_on_readable,
	    &l->dirs[is_client ? TOXIC_UPSTREAM : TOXIC_DOWNSTREAM]);
	event_assign(&s->writable, base, fd, EV_WRITE | EV_PERSIST,
	    is_client ? link_on_writable : on_connected,
	    &l->dirs[is_client ? TOXIC_DOWNSTREAM : TOXIC_UPSTREAM]);
}

/*
 * On one machine both ends have agreed before connect() returns, which still
 * says that it is under way; asked again it knows, for less than a round of
 * the loop.  False: it failed.
 */
static bool
try_connect(struct link *l, const struct sockaddr *to, socklen_t n)
{
	int fd = l->upstream.fd;

	if (connect(fd, to, n) == 0 ||
	    (errno == EINPROGRESS && connect(fd, to, n) == 0)) {
		connected(l);
		return true;
	}
	if (errno != EALREADY && errno != EINPROGRESS)
		return false;
	/* Writable is also how the kernel says that a connection is there. */
	l->upstream.is_full = true;
	event_add(&l->upstream.writable, NULL);
	return true;
}

/* The next address that takes a connection; none: the link is over. */
void
link_dial(struct link *l)
{
	const struct resolve_answer *a = l->dialling;
	int fd, on = 1;

	side_close(&l->upstream, false);
	while (a && l->dialled < a->n) {
		size_t i = l->dialled++;

		fd = socket(a->addrs[i].ss_family,
		    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (fd < 0)
			continue;
		/* Delays are ours to make: Nagle's would be added to them. */
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
		side_open(l, &l->upstream, fd);
		if (try_connect(l, (const struct sockaddr *)&a->addrs[i],
		        a->lens[i]))
			return;
		side_close(&l->upstream, false);
	}
	link_close(l, false);
}

struct link *
link_new(const struct link_conf *conf)
{
	struct link *l = xcalloc(1, sizeof *l);

	l->loop = conf->loop;
	l->is_strict = conf->is_strict;
	l->received = conf->received;
	l->sent = conf->sent;
	l->on_over = conf->on_over;
	l->arg = conf->arg;
	event_assign(&l->reaper, loop_base(l->loop), -1, 0, on_reaper, l);
	event_assign(&l->hush, loop_base(l->loop), -1, 0, link_on_hush, l);
	l->upstream.fd = -1;
	side_open(l, &l->client, conf->client_fd);
	l->dialling = xmemdup(conf->upstream, sizeof *conf->upstream);
	direction_init(l, conf, TOXIC_UPSTREAM);
	direction_init(l, conf, TOXIC_DOWNSTREAM);
	/* A toxic may close the connection when it starts, which is inside
	 * direction_init(). */
	if (!l->is_dead)
		link_dial(l);
	if (l->is_connected)
		link_begin_flow(l);
	return l;
}

void
link_redial(struct link *l, const struct resolve_answer *to)
{
	free(l->redial);
	l->redial = xmemdup(to, sizeof *to);
}

/* ---- toxics come and go */

static struct tap_chain *
chain_of(struct link *l, const struct toxic *t)
{
	return l->dirs[t->stream].chain;
}

void
link_add(struct link *l, const struct toxic *t)
{
	tap_chain_add(chain_of(l, t), t);
	link_close_if_spent(l);
}

void
link_remove(struct link *l, const struct toxic *t)
{
	tap_chain_remove(chain_of(l, t), t);
}

void
link_change(struct link *l, const struct toxic *t)
{
	tap_chain_change(chain_of(l, t), t);
	link_close_if_spent(l);
}
