/*
 *	client_fd --read--> chain UPSTREAM   --write--> upstream_fd
 *	upstream_fd --read--> chain DOWNSTREAM --write--> client_fd
 *
 * A direction is over when the end of its stream has been written; the link
 * is over when both are, or at once on an error, a close or a reset.
 */
#include "chaos/link.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "chaos/tap.h"

#define HELD_MAX    (4u << 20) /* waiting in taps, a direction */
#define DRAIN_READS 64
#define METHOD_MAX  20
#define PASS_MAX    (128u << 10) /* one read that no toxic looks at */
#define OUT_MAX     (64u << 10)  /* waiting for the socket, a direction */

struct side {
	int fd;                            /* owned; -1: closed */
	struct event *readable, *writable; /* owned */
};

struct direction {
	struct link *link;
	enum toxic_stream stream;
	struct side *from, *to;
	struct tap_chain *chain; /* owned */
	struct chunk_queue out;
	size_t out_bytes, out_at; /* out_at: sent of the first chunk */
	bool is_read_over, end_wanted, close_wanted, is_over;
	uint64_t *received, *sent; /* the proxy's, or these: */
	uint64_t late_received, late_sent;
};

struct link {
	struct loop *loop;
	struct side client, upstream;
	struct direction dirs[TOXIC_NSTREAMS];
	struct resolve_answer *dialling; /* owned; NULL: no more to try */
	struct resolve_answer *redial;   /* owned; NULL: none wanted */
	size_t dialled;
	bool is_connected, is_dead, is_strict;
	bool has_begun;   /* somebody has said something */
	bool is_answered; /* the last bytes came from the upstream */
	uint64_t *received, *sent;
	struct event *reaper; /* owned */
	void (*on_over)(struct link *l, void *arg);
	void *arg;
};

static void dial(struct link *l);
static void write_out(struct direction *d);

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

static void
side_close(struct side *s, bool is_reset)
{
	struct linger now = { .l_onoff = 1, .l_linger = 0 };

	if (s->fd < 0)
		return;
	event_del(s->readable);
	event_del(s->writable);
	if (is_reset)
		setsockopt(s->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
	else
		drain(s->fd);
	close(s->fd);
	s->fd = -1;
}

static void
side_done(struct side *s)
{
	if (s->readable)
		event_free(s->readable);
	if (s->writable)
		event_free(s->writable);
	s->readable = s->writable = NULL;
}

/* The one close.  The memory goes in the loop's next round. */
static void
link_close(struct link *l, bool is_reset)
{
	struct timeval now = { 0, 0 };

	if (l->is_dead)
		return;
	l->is_dead = true;
	side_close(&l->client, is_reset);
	side_close(&l->upstream, is_reset);
	evtimer_add(l->reaper, &now);
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
	side_done(&l->client);
	side_done(&l->upstream);
	event_free(l->reaper);
	free(l->dialling);
	free(l->redial);
	free(l);
}

/* ---- reading */

/* Reads only while little enough waits further on. */
static void
update_reading(struct direction *d)
{
	struct link *l = d->link;

	if (l->is_dead || !l->is_connected || d->is_read_over)
		return;
	if (tap_chain_held(d->chain) < HELD_MAX && d->out_bytes < OUT_MAX)
		event_add(d->from->readable, NULL);
	else
		event_del(d->from->readable);
}

/* A method and a space: how an HTTP request begins. */
static bool
is_request(const char *p, size_t n)
{
	size_t i = 0;

	while (i < n && i < METHOD_MAX && p[i] >= 'A' && p[i] <= 'Z')
		i++;
	return i > 0 && i < n && p[i] == ' ';
}

/* Who speaks now; at a client's next request a wanted redial happens. */
static void
turn(struct direction *d, const char *p, size_t n)
{
	struct link *l = d->link;
	bool is_new =
	    d->stream == TOXIC_UPSTREAM && (l->is_answered || !l->has_begun);

	l->has_begun = true;
	l->is_answered = d->stream == TOXIC_DOWNSTREAM;
	if (!is_new || !l->redial || d->out_bytes || tap_chain_held(d->chain) ||
	    !is_request(p, n))
		return;
	side_close(&l->upstream, false);
	l->is_connected = false;
	free(l->dialling);
	l->dialling = l->redial;
	l->redial = NULL;
	l->dialled = 0;
	dial(l);
}

/*
 * Where no toxic looks at the bytes and none wait, they are written as they
 * were read.  Returns how many were; what is left is the queue's.  A socket
 * tells of its error once, so the link is closed here then.
 */
static size_t
pass_on(struct direction *d, const char *p, size_t n)
{
	ssize_t sent;

	if (!d->link->is_connected || !tap_chain_is_empty(d->chain) ||
	    !STAILQ_EMPTY(&d->out) || d->close_wanted)
		return 0;
	sent = send(d->to->fd, p, n, MSG_NOSIGNAL);
	if (sent < 0 && errno != EAGAIN && errno != EINTR)
		link_close(d->link, errno == ECONNRESET);
	if (sent <= 0)
		return 0;
	*d->sent += (uint64_t)sent;
	return (size_t)sent;
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	static char bytes[PASS_MAX];
	struct direction *d = arg;
	size_t room = tap_chain_is_empty(d->chain) ? PASS_MAX : CHUNK_MAX;
	size_t passed;
	ssize_t n = read(fd, bytes, room);

	(void)what;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n < 0) {
		link_close(d->link, errno == ECONNRESET);
		return;
	}
	if (n == 0) {
		d->is_read_over = true;
		event_del(d->from->readable);
		tap_chain_end(d->chain);
		return;
	}
	turn(d, bytes, (size_t)n);
	*d->received += (uint64_t)n;
	passed = pass_on(d, bytes, (size_t)n);
	if (passed == (size_t)n || d->link->is_dead)
		return;
	tap_chain_feed(d->chain, chunk_new(bytes + passed, (size_t)n - passed));
	update_reading(d);
}

/* ---- writing */

/* The side that was written to is closed; what it still said is not read,
 * what was read from it goes on to the other side. */
static void
close_whole(struct direction *d)
{
	struct direction *back = &d->link->dirs[1 - d->stream];

	side_close(d->to, false);
	if (back->is_read_over)
		return;
	back->is_read_over = true;
	tap_chain_end(back->chain);
}

static void
direction_over(struct direction *d)
{
	struct link *l = d->link;

	d->is_over = true;
	if (l->dirs[TOXIC_UPSTREAM].is_over &&
	    l->dirs[TOXIC_DOWNSTREAM].is_over)
		link_close(l, false);
	else if (l->is_strict)
		close_whole(d);
	else
		shutdown(d->to->fd, SHUT_WR);
}

static void
write_out(struct direction *d)
{
	struct chunk *c;

	while ((c = STAILQ_FIRST(&d->out))) {
		ssize_t n = send(d->to->fd, c->data + d->out_at,
		    c->n - d->out_at, MSG_NOSIGNAL);

		if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
			event_add(d->to->writable, NULL);
			return;
		}
		if (n < 0) {
			link_close(d->link, errno == ECONNRESET);
			return;
		}
		*d->sent += (uint64_t)n;
		d->out_bytes -= (size_t)n;
		d->out_at += (size_t)n;
		if (d->out_at < c->n)
			continue;
		d->out_at = 0;
		STAILQ_REMOVE_HEAD(&d->out, entry);
		free(c);
	}
	if (d->close_wanted)
		link_close(d->link, false);
	else if (d->end_wanted && !d->is_over)
		direction_over(d);
}

static void
on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct direction *d = arg;

	(void)fd;
	(void)what;
	write_out(d);
	update_reading(d);
}

static void
on_chunk(struct chunk *c, void *arg)
{
	struct direction *d = arg;
	bool was_empty = STAILQ_EMPTY(&d->out);

	if (d->link->is_dead || d->close_wanted) {
		free(c);
		return;
	}
	d->out_bytes += c->n;
	STAILQ_INSERT_TAIL(&d->out, c, entry);
	if (was_empty)
		write_out(d);
}

static void
on_end(void *arg)
{
	struct direction *d = arg;

	d->end_wanted = true;
	if (!d->link->is_dead && STAILQ_EMPTY(&d->out))
		write_out(d);
}

static void
on_close(bool is_reset, void *arg)
{
	link_close(((struct direction *)arg)->link, is_reset);
}

static void
on_close_when_sent(void *arg)
{
	struct direction *d = arg;

	d->close_wanted = true;
	if (!d->link->is_dead && STAILQ_EMPTY(&d->out))
		write_out(d);
}

static void
on_held(void *arg)
{
	update_reading(arg);
}

static const struct tap_chain_ops chain_ops = { on_chunk, on_end, on_close,
	on_close_when_sent, on_held };

/* ---- the beginning */

static void
on_connected(evutil_socket_t fd, short what, void *arg)
{
	struct direction *up = arg;
	struct link *l = up->link;
	struct direction *down = &l->dirs[TOXIC_DOWNSTREAM];
	int error = 0;
	socklen_t n = sizeof error;

	(void)what;
	if (l->is_connected) {
		on_writable(fd, what, arg);
		return;
	}
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n);
	if (error) {
		dial(l);
		return;
	}
	free(l->dialling);
	l->dialling = NULL;
	l->is_connected = true;
	write_out(up);
	update_reading(up);
	update_reading(down);
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
	        .ops = &chain_ops,
	        .arg = d });
	TAILQ_FOREACH(t, &conf->toxics[stream], entry)
		if (toxic_is_tap(t))
			tap_chain_add(d->chain, t);
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
	int on = 1;

	side_done(s);
	s->fd = fd;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	s->readable = event_new(base, fd, EV_READ | EV_PERSIST, on_readable,
	    &l->dirs[is_client ? TOXIC_UPSTREAM : TOXIC_DOWNSTREAM]);
	s->writable = event_new(base, fd, EV_WRITE,
	    is_client ? on_writable : on_connected,
	    &l->dirs[is_client ? TOXIC_DOWNSTREAM : TOXIC_UPSTREAM]);
}

/* The next address that takes a connection; none: the link is over. */
static void
dial(struct link *l)
{
	const struct resolve_answer *a = l->dialling;
	int fd;

	side_close(&l->upstream, false);
	while (a && l->dialled < a->n) {
		size_t i = l->dialled++;

		fd = socket(a->addrs[i].ss_family,
		    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
		if (fd < 0)
			continue;
		side_open(l, &l->upstream, fd);
		if (connect(fd, (const struct sockaddr *)&a->addrs[i],
		        a->lens[i]) == 0 ||
		    errno == EINPROGRESS) {
			event_add(l->upstream.writable, NULL);
			return;
		}
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
	l->reaper = evtimer_new(loop_base(l->loop), on_reaper, l);
	l->upstream.fd = -1;
	side_open(l, &l->client, conf->client_fd);
	l->dialling = xmemdup(conf->upstream, sizeof *conf->upstream);
	dial(l);
	direction_init(l, conf, TOXIC_UPSTREAM);
	direction_init(l, conf, TOXIC_DOWNSTREAM);
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
}
