/*
 * A connection's life, and reading requests from it.
 *
 * A client that closes while its request is being answered has to be
 * noticed, so reading goes on during a call as long as the input buffer has
 * room.  FIN alone does not tell a client that left from one that shut down
 * its sending side and waits.  The latter does so right after its request;
 * therefore a FIN within HALF_CLOSE_US of the request counts as a
 * half-close, and the answer is still sent (a client that really left is
 * then noticed by the reset that the answer brings, and serve_unheard.c looks
 * where none comes); a later FIN means that the client is gone.
 */
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/serve_priv.h"
#include "base/tls.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HALF_CLOSE_US 10000
#define LINGER_US     2000000
#define RESET_WAIT_US 2000000
#define RESET_POLL_US 2000
#define ROOM_MIN      512   /* for the bytes behind a request */
#define GROW_AT_ONCE  65536 /* a body up to this size: one allocation */

static void on_readable(void *arg);
static void on_written(void *arg);
static void on_deadline(void *arg);
static void on_broken(void *arg);
static void fill(struct serve_call *c);
static bool make_room(struct serve_call *c);
static void grow(struct serve_call *c, size_t size);
static void rebase(struct http1_head *h, const char *from, const char *to);
static void run(struct serve_call *c);
static bool step(struct serve_call *c);
static void take_head(struct serve_call *c);
static void take_data(struct serve_call *c);
static uint64_t body_deadline(const struct serve_call *c);
static void wait_for_more(struct serve_call *c);
static void begin_call(struct serve_call *c);
static void drain(struct serve_call *c);
static void finish_connection(struct serve_call *c);
static uint64_t after_ms(uint32_t ms);

static const struct stream_ops io_ops = {
	.on_readable = on_readable,
	.on_written = on_written,
	.on_deadline = on_deadline,
	.on_broken = on_broken,
};

void
serve_conn_new(struct serve *s, int fd)
{
	struct tls *tls = NULL;
	struct serve_call *c;

	if (s->conf.tls) {
		tls = tls_new(s->conf.tls, NULL);
		if (!tls) {
			close(fd);
			return;
		}
	}
	c = xcalloc(1, sizeof *c);
	c->s = s;
	stream_init(&c->io, loop_base(s->loop), fd, tls);
	stream_watch(&c->io, &io_ops, c);
	http1_parser_init(&c->parser, HTTP1_REQUEST, &s->conf.limits);
	TAILQ_INSERT_TAIL(&s->calls, c, link);
	c->known = !s->ops.on_head;
	if (!c->known)
		TAILQ_INSERT_TAIL(&s->strangers, c, stranger);
	serve_conn_count(s, 1);
	/* The first byte has as long as a head has. */
	stream_set_deadline(&c->io, after_ms(s->conf.head_timeout_ms));
	stream_set_reading(&c->io, true);
}

void
serve_conn_close(struct serve_call *c)
{
	struct serve *s = c->s;

	if (c->closed)
		return;
	c->closed = true;
	if (serve_conn_is_live(c))
		s->nactive--;
	serve_set_state(c, SERVE_GONE);
	TAILQ_REMOVE(&s->calls, c, link);
	if (!c->known)
		TAILQ_REMOVE(&s->strangers, c, stranger);
	c->known = true;
	serve_unheard_remove(c);
	free(c->extra);
	c->extra = NULL;
	free(c->secured);
	free(c->tls_host);
	c->secured = c->tls_host = NULL;
	serve_stock_take(s, c);
	free(c->head);
	c->head = NULL;
	if (c->reset)
		stream_reset(&c->io);
	else
		stream_done(&c->io);
	serve_conn_count(s, -1);
	TAILQ_INSERT_TAIL(&s->dead, c, link);
	event_active(&s->reaper, EV_TIMEOUT, 0);
}

void
serve_set_state(struct serve_call *c, enum serve_state to)
{
	static const char *const names[SERVE_NSTATES] = { "idle", "head",
		"body", "call", "stream", "tunnel", "flush", "linger", "gone" };
	char subject[32];

	if (log_has_debug() && c->state != to) {
		snprintf(subject, sizeof subject, "client %d", c->io.fd);
		log_debug(subject, "%s -> %s", names[c->state], names[to]);
	}
	c->state = to;
}

static uint64_t
after_ms(uint32_t ms)
{
	return clock_mono_us() + (uint64_t)ms * 1000;
}

/* ---- reading */

static void
on_readable(void *arg)
{
	struct serve_call *c = arg;

	if (c->state == SERVE_LINGER) {
		drain(c);
	} else if (c->state == SERVE_TUNNEL) {
		serve_tunnel_readable(c);
	} else {
		if (c->tls_next)
			serve_tunnel_sniff(c);
		if (c->io.end == STREAM_OPEN && !c->tls_next)
			fill(c);
		run(c);
		if (!c->closed &&
		    (c->io.end != STREAM_OPEN || c->io.unwritable))
			serve_conn_on_end(c);
	}
}

static void
fill(struct serve_call *c)
{
	if (!make_room(c)) {
		stream_set_reading(&c->io, false);
		serve_unheard_add(c);
		return;
	}
	c->in_len +=
	    stream_read(&c->io, c->in + c->in_len, c->in_size - c->in_len);
}

/*
 * While a call is answered its bytes must not move, so there the buffer does
 * not grow: pipelined bytes wait in the kernel.
 */
static bool
make_room(struct serve_call *c)
{
	size_t size = c->in_size * 2, whole;

	if (!c->in) {
		c->in = serve_stock_in(c->s);
		c->in_size = SERVE_IN_BYTES;
	}
	if (c->in_len < c->in_size)
		return true;
	if (c->state >= SERVE_CALL)
		return false;
	if (c->state == SERVE_BODY && c->head->framing == HTTP1_LENGTH) {
		whole =
		    c->head_bytes + (size_t)c->head->content_bytes + ROOM_MIN;
		if (whole < GROW_AT_ONCE || size > whole)
			size = whole;
	}
	grow(c, size);
	return true;
}

static void
grow(struct serve_call *c, size_t size)
{
	char *in = xmalloc(size);

	memcpy(in, c->in, c->in_len);
	if (c->state >= SERVE_BODY)
		rebase(c->head, c->in, in);
	free(c->in);
	c->in = in;
	c->in_size = size;
}

static void
move_slice(struct slice *s, const char *from, const char *to)
{
	if (s->p)
		s->p = to + (s->p - from);
}

/* The bytes behind a head have moved. */
static void
rebase(struct http1_head *h, const char *from, const char *to)
{
	move_slice(&h->method, from, to);
	move_slice(&h->target, from, to);
	move_slice(&h->authority, from, to);
	for (size_t i = 0; i < h->nheaders; i++) {
		move_slice(&h->headers[i].name, from, to);
		move_slice(&h->headers[i].value, from, to);
	}
}

/* Parses on, request after request, until bytes or an answer are missing. */
static void
run(struct serve_call *c)
{
	if (c->running)
		return;
	c->running = true;
	while (!c->closed && c->state <= SERVE_BODY && step(c))
		continue;
	c->running = false;
}

static bool
step(struct serve_call *c)
{
	size_t n;

	if (c->state == SERVE_IDLE && c->in_len == 0)
		return false;
	switch (http1_parse(&c->parser, c->in + c->used, c->in_len - c->used,
	    &n, &c->s->head)) {
	case HTTP1_MORE:
		c->used += n;
		wait_for_more(c);
		return false;
	case HTTP1_HEAD:
		c->used += n;
		take_head(c);
		break;
	case HTTP1_DATA:
		c->used += n;
		take_data(c);
		break;
	case HTTP1_END:
		c->used += n;
		begin_call(c);
		break;
	case HTTP1_ERROR:
		serve_conn_refuse(c, http1_fault_status(c->parser.fault),
		    http1_fault_text(c->parser.fault));
		break;
	}
	return true;
}

static void
wait_for_more(struct serve_call *c)
{
	if (c->state == SERVE_IDLE) {
		serve_set_state(c, SERVE_HEAD);
		stream_set_deadline(&c->io,
		    after_ms(c->s->conf.head_timeout_ms));
	}
	if (c->state != SERVE_BODY)
		return;
	c->waited = true;
	/* A byte now and then keeps a body alive, but not for ever. */
	stream_set_deadline(&c->io, body_deadline(c));
	/* The framing of chunks is consumed: reuse its place. */
	if (c->used == c->in_len)
		c->used = c->in_len = c->head_bytes + c->body_bytes;
}

static uint64_t
body_deadline(const struct serve_call *c)
{
	uint64_t idle = after_ms(c->s->conf.body_timeout_ms);
	uint64_t total =
	    c->started_us + (uint64_t)c->s->conf.body_total_ms * 1000;

	return idle < total ? idle : total;
}

static void
take_head(struct serve_call *c)
{
	static char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
	struct iovec go_on = { text, sizeof text - 1 };
	const struct serve_ops *ops = &c->s->ops;
	const char *reason = "refused";
	int status = 0;

	serve_conn_keep_head(c, &c->s->head);
	serve_set_state(c, SERVE_BODY);
	c->head_bytes = c->used;
	c->body_bytes = 0;
	c->waited = false;
	c->started_us = clock_mono_us();
	c->requests++;
	c->keep_alive = c->head->keep_alive && !c->s->stopping;
	if (ops->on_head)
		status = ops->on_head(c, &reason, c->s->arg);
	if (status) {
		serve_conn_refuse(c, status, reason);
		return;
	}
	serve_conn_known(c);
	if (c->head->expect_continue && c->used == c->in_len)
		stream_write(&c->io, &go_on, 1);
}

/* Heads are read into one table; a call keeps what its own has. */
void
serve_conn_keep_head(struct serve_call *c, const struct http1_head *h)
{
	free(c->head);
	c->head = xmemdup(h, http1_head_bytes(h));
}

static void
take_data(struct serve_call *c)
{
	char *to = c->in + c->head_bytes + c->body_bytes;

	if (to != c->parser.data.p)
		memmove(to, c->parser.data.p, c->parser.data.n);
	c->body_bytes += c->parser.data.n;
}

static void
begin_call(struct serve_call *c)
{
	if (c->in_len == c->in_size)
		grow(c, c->in_size + ROOM_MIN);
	serve_set_state(c, SERVE_CALL);
	stream_set_deadline(&c->io, 0);
	c->s->nactive++;
	c->s->ops.on_request(c, c->s->arg);
	/* The time the handler took is not the client's.  A call that is over
	 * is among the dead at worst, so it may still be written to. */
	c->whole_us = clock_exact_us();
}

/* ---- ends */

bool
serve_conn_is_live(const struct serve_call *c)
{
	return c->state >= SERVE_CALL && c->state <= SERVE_TUNNEL;
}

void
serve_conn_on_end(struct serve_call *c)
{
	bool is_eof = !stream_is_broken(&c->io);

	stream_set_reading(&c->io, false);
	if (c->state == SERVE_FLUSH && is_eof) {
		c->half_closed = true;
		return;
	}
	if (!serve_conn_is_live(c)) {
		serve_conn_close(c);
		return;
	}
	if (is_eof && !c->half_closed)
		c->half_closed = clock_mono_us() - c->whole_us < HALF_CLOSE_US;
	if (is_eof && c->half_closed) {
		serve_unheard_add(c);
		return;
	}
	serve_conn_gone(c, is_eof ? SERVE_GONE_EOF : SERVE_GONE_RESET);
}

void
serve_conn_gone(struct serve_call *c, enum serve_gone why)
{
	c->s->nactive--;
	serve_set_state(c, SERVE_GONE);
	if (c->s->ops.on_gone)
		c->s->ops.on_gone(c, why, c->s->arg);
	serve_conn_close(c);
}

static void
on_broken(void *arg)
{
	struct serve_call *c = arg;

	serve_conn_on_end(c);
}

static void
on_deadline(void *arg)
{
	struct serve_call *c = arg;

	switch (c->state) {
	case SERVE_HEAD:
	case SERVE_BODY:
		serve_conn_refuse(c, 408, "the request took too long");
		break;
	case SERVE_CALL:
	case SERVE_STREAM:
	case SERVE_TUNNEL:
		c->reset = true;
		serve_conn_gone(c, SERVE_GONE_TIMEOUT);
		break;
	case SERVE_FLUSH:
		if (c->reset && stream_pending(&c->io) == 0)
			finish_connection(c);
		else {
			c->reset = true;
			serve_conn_close(c);
		}
		break;
	case SERVE_IDLE:
	case SERVE_LINGER:
	case SERVE_GONE:
	case SERVE_NSTATES:
		serve_conn_close(c);
		break;
	}
}

/*
 * What the client sent behind the request stays, with room for more: reading
 * goes on, since it tells when the client leaves.
 */
void
serve_release(struct serve_call *c)
{
	size_t behind = c->in_len - c->used;
	char *in = NULL;

	if (c->state != SERVE_STREAM || !c->head)
		return;
	if (behind > 0) {
		in = xmalloc(behind + ROOM_MIN);
		memcpy(in, c->in + c->used, behind);
	}
	serve_stock_take(c->s, c);
	c->in = in;
	c->in_len = behind;
	c->in_size = in ? behind + ROOM_MIN : 0;
	c->used = c->head_bytes = c->body_bytes = 0;
	free(c->head);
	c->head = NULL;
}

/* ---- after the answer */

static void
on_written(void *arg)
{
	struct serve_call *c = arg;
	size_t pending = stream_pending(&c->io);
	bool is_live = serve_conn_is_live(c);

	if (is_live || c->state == SERVE_FLUSH) {
		stream_set_deadline(&c->io, 0);
		serve_conn_arm_stall(c);
	}
	if (c->state == SERVE_FLUSH && pending == 0) {
		finish_connection(c);
	} else if (is_live && c->over_high &&
	    pending <= c->s->conf.write_high_bytes / 2) {
		c->over_high = false;
		if (c->s->ops.on_drain)
			c->s->ops.on_drain(c, c->s->arg);
	}
}

void
serve_conn_arm_stall(struct serve_call *c)
{
	if (stream_pending(&c->io) > 0 && c->io.deadline_us == 0)
		stream_set_deadline(&c->io,
		    after_ms(c->s->conf.body_timeout_ms));
}

void
serve_conn_answered(struct serve_call *c)
{
	c->s->nactive--;
	serve_set_state(c, SERVE_FLUSH);
	c->over_high = false;
	if (c->reset)
		c->reset_by_us = clock_mono_us() + RESET_WAIT_US;
	if (stream_pending(&c->io) == 0 || stream_is_broken(&c->io))
		finish_connection(c);
	else
		serve_conn_arm_stall(c);
}

/* All is sent: the next request, or one of three ends. */
static void
finish_connection(struct serve_call *c)
{
	bool has_more = c->in_len > c->used;
	uint64_t now;

	stream_set_deadline(&c->io, 0);
	if (c->reset) {
		/* Bytes that are still on their way would be lost. */
		now = clock_mono_us();
		if (now < c->reset_by_us && !stream_is_broken(&c->io) &&
		    stream_is_sending(&c->io))
			stream_set_deadline(&c->io, now + RESET_POLL_US);
		else
			serve_conn_close(c);
	} else if (!stream_is_broken(&c->io) && c->keep_alive &&
	    (has_more || !c->half_closed)) {
		serve_conn_next(c);
	} else if (!stream_is_broken(&c->io) && !c->half_closed &&
	    (has_more || c->refused)) {
		/* Closing over unread bytes would reset the connection and
		 * could destroy the answer on its way. */
		serve_set_state(c, SERVE_LINGER);
		stream_shutdown(&c->io);
		stream_set_deadline(&c->io, clock_mono_us() + LINGER_US);
		stream_set_reading(&c->io, true);
	} else {
		serve_conn_close(c);
	}
}

void
serve_conn_next(struct serve_call *c)
{
	c->in_len -= c->used;
	if (c->in_len > 0)
		memmove(c->in, c->in + c->used, c->in_len);
	c->used = c->head_bytes = c->body_bytes = 0;
	c->data = NULL;
	free(c->extra);
	c->extra = NULL;
	free(c->head);
	c->head = NULL;
	c->chunked = c->bodiless = c->raw = false;
	c->hush_us = 0;
	serve_set_state(c, SERVE_IDLE);
	if (c->in_len == 0) {
		serve_stock_take(c->s, c);
		stream_set_deadline(&c->io,
		    after_ms(c->s->conf.idle_timeout_ms));
	} else if (!c->running) {
		stream_kick(&c->io);
	}
	if (!c->half_closed) {
		serve_unheard_remove(c);
		stream_set_reading(&c->io, true);
	}
}

static void
drain(struct serve_call *c)
{
	char waste[4096];

	while (stream_read(&c->io, waste, sizeof waste) > 0)
		continue;
	if (c->io.end != STREAM_OPEN)
		serve_conn_close(c);
}
