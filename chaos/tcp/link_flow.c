/*
 * Bytes through a link.
 *
 * Read, through the chain of taps, into a queue, written: that is the way of
 * a direction with toxics.  Where there are none and nothing waits:
 *
 *	COPIED --a read fills the whole buffer--> BULK
 *	BULK --little came--> COPIED
 *
 * COPIED bytes are sent from the buffer they were read into; BULK ones do not
 * leave the kernel (conduit.h).  A toxic that is added meets what is read
 * from then on; what waits before it leaves first.
 *
 * Sockets are asked what they can do only when they could not: reading stays
 * armed until too much waits, writing is armed when the socket is full.
 */
#include "chaos/tcp/link_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define HELD_MAX   (4u << 20) /* waiting in taps, a direction */
#define METHOD_MAX 20
#define PASS_MAX   (128u << 10) /* one read that no toxic looks at */
#define OUT_MAX    (64u << 10)  /* waiting for the socket, a direction */
#define BULK_MIN   (16u << 10)  /* less at once is copied */
#define PUMP_MAX   8            /* rounds before others have their turn */
#define HUSH_S     5            /* a silence that ends a link */

static void write_out(struct direction *d);

static bool
is_again(int error)
{
	return error == EAGAIN || error == EINTR;
}

/* Nothing looks at the bytes and none wait. */
static bool
is_free(const struct direction *d)
{
	return d->link->is_connected && tap_chain_is_empty(d->chain) &&
	    d->out_bytes == 0 && !d->close_wanted;
}

/* ---- reading */

/* Only while little enough waits further on. */
static bool
has_room(const struct direction *d)
{
	return tap_chain_held(d->chain) < HELD_MAX && d->out_bytes < OUT_MAX;
}

static void
update_reading(struct direction *d)
{
	struct link *l = d->link;

	if (l->is_dead || !l->is_connected || d->is_read_over)
		return;
	if (has_room(d))
		event_add(&d->from->readable, NULL);
	else
		event_del(&d->from->readable);
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
	link_dial(l);
	update_reading(&l->dirs[TOXIC_DOWNSTREAM]);
}

/*
 * A direction that swallows has no end of its own: it is spent when nobody
 * talks into it any more, and towards a client that has said its last, which
 * only an answer could have kept.
 */
static bool
is_spent(const struct direction *d, bool is_last)
{
	return d->is_over ||
	    (tap_chain_swallows(d->chain) && (d->is_read_over || is_last));
}

/*
 * The upstream never hears of an end that is swallowed.  What it was about to
 * say still reaches the client, which may have closed its half alone; but one
 * that is silent would keep the link for ever.
 */
static void
await_hush(struct link *l)
{
	static const struct timeval silence = { HUSH_S, 0 };

	event_add(&l->hush, &silence);
}

void
link_on_hush(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	link_close(arg, false);
}

static void
heard(struct direction *d)
{
	if (d->stream == TOXIC_DOWNSTREAM &&
	    event_pending(&d->link->hush, EV_TIMEOUT, NULL))
		await_hush(d->link);
}

/* Who has gone must not cost descriptors for as long as a toxic is there. */
void
link_close_if_spent(struct link *l)
{
	const struct direction *up = &l->dirs[TOXIC_UPSTREAM];
	bool is_up_spent = is_spent(up, false);

	if (l->is_dead || !is_up_spent)
		return;
	if (is_spent(&l->dirs[TOXIC_DOWNSTREAM], true))
		link_close(l, false);
	else if (!up->is_over)
		await_hush(l);
}

static void
read_over(struct direction *d)
{
	d->is_read_over = d->from->has_said = true;
	event_del(&d->from->readable);
	tap_chain_end(d->chain);
	link_close_if_spent(d->link);
}

/* A reset is passed on as one; the original takes it for an end. */
static void
read_failed(struct direction *d)
{
	if (is_again(errno))
		return;
	if (d->link->is_strict && errno == ECONNRESET)
		read_over(d);
	else
		link_close(d->link, errno == ECONNRESET);
}

static void
write_failed(struct link *l)
{
	link_close(l, errno == ECONNRESET && !l->is_strict);
}

/* Writes what was read as it is.  Returns how much; what is left is the
 * queue's.  A socket tells of its error once, so the link is closed here. */
static size_t
pass_on(struct direction *d, const char *p, size_t n)
{
	ssize_t sent;

	if (!is_free(d))
		return 0;
	sent = send(d->to->fd, p, n, MSG_NOSIGNAL);
	if (sent < 0 && !is_again(errno))
		write_failed(d->link);
	if (sent <= 0)
		return 0;
	*d->sent += (uint64_t)sent;
	return (size_t)sent;
}

static void
want_bulk(struct direction *d)
{
	if (d->conduit || d->is_never_bulk)
		return;
	d->conduit = conduit_new();
	d->is_never_bulk = !d->conduit;
}

static void
read_copied(struct direction *d)
{
	static char bytes[PASS_MAX];
	size_t room = tap_chain_is_empty(d->chain) ? PASS_MAX : CHUNK_MAX;
	size_t passed;
	ssize_t n = read(d->from->fd, bytes, room);

	if (n < 0) {
		read_failed(d);
		return;
	}
	if (n == 0) {
		read_over(d);
		return;
	}
	turn(d, bytes, (size_t)n);
	heard(d);
	*d->received += (uint64_t)n;
	passed = pass_on(d, bytes, (size_t)n);
	if (d->link->is_dead)
		return;
	if (n == PASS_MAX)
		want_bulk(d);
	if (passed == (size_t)n)
		return;
	tap_chain_feed(d->chain, chunk_new(bytes + passed, (size_t)n - passed));
	update_reading(d);
}

/* One round of bulk.  True: there may be more to move at once. */
static bool
pump(struct direction *d)
{
	ssize_t n = conduit_fill(d->conduit, d->from->fd);

	if (n < 0) {
		read_failed(d);
		return false;
	}
	if (n == 0) {
		read_over(d);
		return false;
	}
	/* As turn(), without its look at the bytes: here nobody sees them, and
	 * with a redial under way there is no bulk. */
	d->link->has_begun = true;
	d->link->is_answered = d->stream == TOXIC_DOWNSTREAM;
	heard(d);
	*d->received += (uint64_t)n;
	d->out_bytes += (size_t)n;
	write_out(d);
	if (d->link->is_dead || d->out_bytes)
		return false;
	/* The pipe goes as soon as little comes: an idle link must not hold two
	 * descriptors and 256 KiB more than it needs. */
	if (n < BULK_MIN) {
		conduit_free(d->conduit);
		d->conduit = NULL;
	}
	return d->conduit != NULL;
}

static bool
is_bulk(const struct direction *d)
{
	return d->conduit && is_free(d) && !d->link->redial;
}

static void
read_some(struct direction *d)
{
	int rounds = 0;

	if (!is_bulk(d)) {
		read_copied(d);
		return;
	}
	while (rounds++ < PUMP_MAX && pump(d))
		continue;
	update_reading(d);
}

void
link_on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct direction *d = arg;

	(void)fd;
	if (d->link->is_leaving)
		link_leave_on(d->link, what);
	else
		read_some(d);
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
	/* Toxiproxy closes the whole connection when one of its directions
	 * ends. */
	else if (l->is_strict)
		close_whole(d);
	else
		/* A client that half-closes (RFC 9293, 3.6) waits for the
		 * answer still: the end goes on in its own direction only. */
		shutdown(d->to->fd, SHUT_WR);
	link_close_if_spent(l);
}

static void
set_full(struct side *s, bool is_full)
{
	if (s->is_full == is_full)
		return;
	s->is_full = is_full;
	if (is_full)
		event_add(&s->writable, NULL);
	else
		event_del(&s->writable);
}

/* What one attempt to write came to.  False: the socket is full, or the link
 * is over. */
static bool
wrote(struct direction *d, ssize_t n)
{
	if (n >= 0) {
		*d->sent += (uint64_t)n;
		d->out_bytes -= (size_t)n;
		return true;
	}
	if (is_again(errno))
		set_full(d->to, true);
	else
		write_failed(d->link);
	return false;
}

static bool
write_conduit(struct direction *d)
{
	while (conduit_held(d->conduit) > 0)
		if (!wrote(d, conduit_flush(d->conduit, d->to->fd)))
			return false;
	return true;
}

static bool
write_chunks(struct direction *d)
{
	struct chunk *c;

	while ((c = STAILQ_FIRST(&d->out))) {
		ssize_t n = send(d->to->fd, c->data + d->out_at,
		    c->n - d->out_at, MSG_NOSIGNAL);

		if (!wrote(d, n))
			return false;
		d->out_at += (size_t)n;
		if (d->out_at < c->n)
			continue;
		d->out_at = 0;
		STAILQ_REMOVE_HEAD(&d->out, entry);
		free(c);
	}
	return true;
}

static void
write_out(struct direction *d)
{
	if (!write_conduit(d) || !write_chunks(d))
		return;
	set_full(d->to, false);
	if (d->close_wanted)
		link_leave(d->link);
	else if (d->end_wanted && !d->is_over)
		direction_over(d);
}

/* Bulk goes on at once: what came meanwhile need not be told of. */
void
link_on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct direction *d = arg;

	(void)fd;
	(void)what;
	write_out(d);
	if (!d->link->is_dead && !d->is_read_over && is_bulk(d))
		read_some(d);
	else
		update_reading(d);
}

/* ---- from the chain */

static void
on_chunk(struct chunk *c, void *arg)
{
	struct direction *d = arg;
	bool was_empty = d->out_bytes == 0;

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
	if (!d->link->is_dead && d->out_bytes == 0)
		write_out(d);
}

static void
on_close(bool is_reset, void *arg)
{
	struct link *l = ((struct direction *)arg)->link;

	if (is_reset)
		link_close(l, true);
	else
		link_leave(l);
}

static void
on_close_when_sent(void *arg)
{
	struct direction *d = arg;

	d->close_wanted = true;
	if (!d->link->is_dead && d->out_bytes == 0)
		write_out(d);
}

static void
on_held(void *arg)
{
	update_reading(arg);
}

const struct tap_chain_ops link_chain_ops = { .on_chunk = on_chunk,
	.on_end = on_end,
	.on_close = on_close,
	.on_close_when_sent = on_close_when_sent,
	.on_held = on_held };

/* What the client says first is often here already. */
void
link_begin_flow(struct link *l)
{
	struct direction *up = &l->dirs[TOXIC_UPSTREAM];

	write_out(up);
	if (!l->is_dead && !up->is_read_over && has_room(up))
		read_some(up);
	update_reading(up);
	update_reading(&l->dirs[TOXIC_DOWNSTREAM]);
}
