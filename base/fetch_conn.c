/*
 * Connections of the client once they stand: sending a request, reading its
 * answer, going back to the pool.
 *
 * All connections read into one shared buffer and hand body bytes on from
 * there; a connection keeps bytes of its own only while a head is incomplete
 * or its reader has paused.  Every callback is followed by a look at whether
 * the connection still serves that request.
 */
#include "base/fetch_priv.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INTERIMS_MAX 16 /* 1xx heads of one answer */

#define IN_MAX            (16u << 20)
#define TUNNEL_HIGH_BYTES (256u << 10) /* more than this waits for on_drain */

static void established(struct fetch_conn *c);
static bool count(struct fetch_conn *c);
static void send_request(struct fetch_conn *c);
static void on_readable(void *arg);
static void on_written(void *arg);
static void on_deadline(void *arg);
static void on_broken(void *arg);
static bool may_read(const struct fetch_conn *c);
static void feed(struct fetch_conn *c, char *bytes, size_t n);
static void forget_request(struct fetch_conn *c);
static void begin_tunnel(struct fetch_conn *c, const struct http1_head *h);
static size_t parse(struct fetch_conn *c, char *bytes, size_t n);
static void take_head(struct fetch_conn *c);
static void answer_complete(struct fetch_conn *c, bool is_clean);
static void on_end(struct fetch_conn *c);
static void lost(struct fetch_conn *c);

static const struct stream_ops io_ops = {
	.on_readable = on_readable,
	.on_written = on_written,
	.on_deadline = on_deadline,
	.on_broken = on_broken,
};

void
fetch_conn_set_state(struct fetch_conn *c, enum fetch_conn_state to)
{
	static const char *const names[] = {
		[FETCH_RESOLVING] = "resolving",
		[FETCH_CONNECTING] = "connecting",
		[FETCH_BUSY] = "busy",
		[FETCH_IDLE] = "idle",
		[FETCH_CLOSED] = "closed",
	};

	if (log_has_debug() && c->state != to)
		log_debug(c->host->addr.host, "%s -> %s", names[c->state],
		    names[to]);
	c->state = to;
}

struct fetch_conn *
fetch_conn_new(struct fetch *f)
{
	struct fetch_conn *c = xcalloc(1, sizeof *c);

	c->pool = f->pool;
	c->host = f->host;
	c->host->nconns++;
	c->fetch = f;
	f->conn = c;
	buf_init(&c->in, IN_MAX);
	return c;
}

void
fetch_conn_close(struct fetch_conn *c)
{
	if (c->state == FETCH_CLOSED)
		return;
	if (c->state == FETCH_IDLE) {
		TAILQ_REMOVE(&c->host->idle, c, link);
		c->host->nidle--;
	}
	if (c->state == FETCH_BUSY || c->state == FETCH_IDLE)
		stream_done(&c->io);
	fetch_dial_done(c);
	if (c->fetch)
		c->fetch->conn = NULL;
	c->fetch = NULL;
	fetch_conn_set_state(c, FETCH_CLOSED);
	fetch_host_release(c->pool, c->host);
	TAILQ_INSERT_TAIL(&c->pool->dead, c, link);
	event_active(&c->pool->reaper, EV_TIMEOUT, 0);
}

void
fetch_conn_reap(struct fetch_pool *p)
{
	struct fetch_conn *c, *next;

	for (c = TAILQ_FIRST(&p->dead); c; c = next) {
		next = TAILQ_NEXT(c, link);
		buf_done(&c->in);
		free(c);
	}
	TAILQ_INIT(&p->dead);
}

/* ---- a connection that is there */

void
fetch_conn_connected(struct fetch_conn *c, int fd, struct tls *tls,
    uint64_t by_us)
{
	stream_init(&c->io, loop_base(c->pool->loop), fd, tls);
	stream_watch(&c->io, &io_ops, c);
	stream_set_deadline(&c->io, by_us);
	fetch_conn_set_state(c, FETCH_BUSY);
	stream_set_reading(&c->io, !c->fetch->paused || c->io.tls);
	if (!c->io.tls)
		established(c);
	send_request(c);
}

static void
established(struct fetch_conn *c)
{
	c->established = true;
	stream_set_deadline(&c->io, 0);
	fetch_dial_done(c);
}

/*
 * Takes down what the connection has exchanged before this request.  The
 * kernel is asked once a connection, and its counts are carried on by the
 * stream's: the question costs more than all else that a reuse does.  An end
 * that comes in between is told in the order of the loop's events, or after
 * this request, as one that comes a moment later.
 */
static bool
count(struct fetch_conn *c)
{
	uint64_t sent, received;

	stream_counted(&c->io, &sent, &received);
	if (!c->is_counted) {
		if (!tcp_acked_read(c->io.fd, &c->ahead) || !c->ahead.is_open)
			return false;
		c->is_counted = true;
		c->ahead.sent -= sent;
		c->ahead.received -= received;
	}
	c->sent.sent = c->ahead.sent + sent;
	c->sent.received = c->ahead.received + received;
	return true;
}

bool
fetch_conn_reuse(struct fetch *f)
{
	struct fetch_host *h = f->host;
	struct fetch_conn *c;

	/* One whose end has come while it lay here is of no use. */
	h->nconns++; /* closing its last connection would free it */
	while ((c = TAILQ_FIRST(&h->idle)) && !count(c))
		fetch_conn_close(c);
	h->nconns--;
	if (!c)
		return false;
	TAILQ_REMOVE(&h->idle, c, link);
	h->nidle--;
	fetch_conn_set_state(c, FETCH_BUSY);
	c->fetch = f;
	f->conn = c;
	f->reused = true;
	stream_set_deadline(&c->io, 0);
	send_request(c);
	return true;
}

static void
send_request(struct fetch_conn *c)
{
	struct fetch *f = c->fetch;
	struct iovec iov = { f->request.data, f->request.len };

	http1_parser_init(&c->parser, HTTP1_RESPONSE, &c->pool->conf.limits);
	c->parser.to_head_request = f->to_head;
	c->interim = false;
	c->interims = 0;
	stream_write(&c->io, &iov, 1);
	if (stream_is_broken(&c->io))
		stream_kick(&c->io); /* told from the loop */
	else if (!c->established && stream_pending(&c->io) == 0)
		established(c);
	if (f->raw)
		begin_tunnel(c, NULL);
}

/* ---- what the stream reports */

static void
on_written(void *arg)
{
	struct fetch_conn *c = arg;
	size_t pending = stream_pending(&c->io);

	if (!c->established && pending == 0)
		established(c);
	if (c->is_ending && pending == 0) {
		c->is_ending = false;
		stream_shutdown(&c->io);
	}
	if (c->is_full && pending < TUNNEL_HIGH_BYTES / 2) {
		c->is_full = false;
		if (c->fetch && c->fetch->ops.on_drain)
			c->fetch->ops.on_drain(c->fetch, c->fetch->arg);
	}
}

static void
on_deadline(void *arg)
{
	struct fetch_conn *c = arg;

	/* The handshakes are done: what takes so long is the upload, and
	 * that has the caller's timers. */
	if (c->fetch && c->state == FETCH_BUSY && c->io.tls &&
	    tls_is_ready(c->io.tls))
		established(c);
	else if (c->fetch)
		fetch_fail(c->fetch, FETCH_FAIL_CONNECT_TIMEOUT,
		    "the connection took too long");
	else
		fetch_conn_close(c);
}

/* A server may answer and close before it has read the request: what it
 * said can still be read, and the reading ends with the real reason. */
static void
on_broken(void *arg)
{
	struct fetch_conn *c = arg;

	if (c->io.end != STREAM_OPEN)
		on_readable(c);
}

static void
on_readable(void *arg)
{
	struct fetch_conn *c = arg;
	char *bytes = c->pool->bytes;
	size_t n;

	if (c->in.len > 0 && may_read(c))
		feed(c, NULL, 0);
	if (c->state == FETCH_CLOSED || !may_read(c))
		return;
	n = stream_read(&c->io, bytes, FETCH_READ_BYTES);
	if (n > 0 && c->fetch) {
		feed(c, bytes, n);
		forget_request(c);
	} else if (!c->fetch && (n > 0 || c->io.end != STREAM_OPEN))
		fetch_conn_close(c); /* nobody asked for that */
	if (c->fetch && c->io.end != STREAM_OPEN)
		on_end(c);
}

/* A paused reader does not stop a TLS handshake. */
static bool
may_read(const struct fetch_conn *c)
{
	return !c->fetch || !c->fetch->paused || !c->established;
}

void
fetch_conn_set_paused(struct fetch_conn *c, bool paused)
{
	if (c->state != FETCH_BUSY || !c->established)
		return;
	stream_set_reading(&c->io, !paused);
	if (!paused)
		stream_kick(&c->io);
}

/* ---- reading an answer */

/* Parses what was kept, then the new bytes; keeps what is left. */
static void
feed(struct fetch_conn *c, char *bytes, size_t n)
{
	size_t used;

	if (c->fetch)
		c->fetch->answered = true;
	if (c->in.len == 0) {
		used = parse(c, bytes, n);
		if (c->state == FETCH_BUSY && used < n)
			(void)buf_add(&c->in, bytes + used, n - used);
		return;
	}
	if (n > 0) {
		buf_drop(&c->in, c->in_at);
		c->in_at = 0;
		(void)buf_add(&c->in, bytes, n);
	}
	c->in_at += parse(c, c->in.data + c->in_at, c->in.len - c->in_at);
	if (c->in_at == c->in.len && c->state != FETCH_CLOSED) {
		buf_done(&c->in);
		c->in_at = 0;
	}
}

/* An answer that goes on after its first read may go on for minutes, and
 * the request cannot be needed again. */
static void
forget_request(struct fetch_conn *c)
{
	struct fetch *f = c->fetch;

	if (f && f->answered && f->request.data && stream_pending(&c->io) == 0)
		buf_done(&f->request);
}

static void
tell_data(struct fetch *f, const char *p, size_t n)
{
	if (f->ops.on_data)
		f->ops.on_data(f, p, n, f->arg);
}

/*
 * Hands out events until bytes are missing, the reader pauses or the answer
 * ends.  Returns how many bytes were used.
 */
static size_t
parse(struct fetch_conn *c, char *bytes, size_t n)
{
	struct fetch *f = c->fetch;
	size_t at = 0, used;
	enum http1_event ev;

	while (c->fetch == f && !f->paused) {
		if (c->is_tunnel) {
			if (n > at)
				tell_data(f, bytes + at, n - at);
			return n;
		}
		ev = http1_parse(&c->parser, bytes + at, n - at, &used,
		    &c->pool->head);
		at += used;
		if (ev == HTTP1_MORE)
			break;
		if (ev == HTTP1_HEAD) {
			take_head(c);
		} else if (ev == HTTP1_DATA) {
			tell_data(f, c->parser.data.p, c->parser.data.n);
		} else if (ev == HTTP1_ERROR) {
			fetch_fail(f, FETCH_FAIL_PROTOCOL,
			    http1_fault_text(c->parser.fault));
			break;
		} else if (c->interim) {
			c->interim = false;
		} else {
			answer_complete(c, at == n);
			break;
		}
	}
	return at;
}

static void
take_head(struct fetch_conn *c)
{
	const struct http1_head *h = &c->pool->head;
	struct fetch *f = c->fetch;

	c->interim = h->status < 200;
	c->keep_alive = h->keep_alive;
	if (!c->interim)
		f->status = h->status;
	if (h->status == 101 && f->upgrade)
		begin_tunnel(c, h);
	else if (h->status == 101)
		fetch_fail(f, FETCH_FAIL_PROTOCOL,
		    "a protocol switch that was not asked for");
	else if (c->interim && ++c->interims > INTERIMS_MAX)
		fetch_fail(f, FETCH_FAIL_PROTOCOL, "endless interim answers");
	else if (f->status && f->ops.on_head)
		f->ops.on_head(f, h, f->arg);
}

/* ---- tunnels */

static void
begin_tunnel(struct fetch_conn *c, const struct http1_head *h)
{
	struct fetch *f = c->fetch;

	c->is_tunnel = true;
	c->interim = c->keep_alive = false;
	f->answered = true;
	f->ops.on_tunnel(f, h, f->arg);
}

enum err
fetch_send(struct fetch *f, const void *p, size_t n)
{
	struct iovec iov = { (void *)(uintptr_t)p, n };
	struct fetch_conn *c = f->conn;

	if (!c || !c->is_tunnel)
		return ERR_STATE;
	stream_write(&c->io, &iov, 1);
	if (stream_is_broken(&c->io))
		stream_kick(&c->io); /* told from the loop */
	c->is_full = stream_pending(&c->io) > TUNNEL_HIGH_BYTES;
	return c->is_full ? ERR_AGAIN : ERR_OK;
}

void
fetch_send_end(struct fetch *f)
{
	struct fetch_conn *c = f->conn;

	if (!c || !c->is_tunnel)
		return;
	if (stream_pending(&c->io) == 0)
		stream_shutdown(&c->io);
	else
		c->is_ending = true;
}

/* The connection goes back to the pool first, so that on_end may use it. */
static void
answer_complete(struct fetch_conn *c, bool is_clean)
{
	struct fetch_host *h = c->host;
	struct fetch *f = c->fetch;
	bool keep = is_clean && c->keep_alive && c->io.end == STREAM_OPEN &&
	    !c->io.unwritable && stream_pending(&c->io) == 0 &&
	    h->nidle < c->pool->conf.idle_per_host;

	f->had_trailers = c->parser.has_trailers;
	if (keep) {
		c->fetch = NULL;
		fetch_conn_set_state(c, FETCH_IDLE);
		TAILQ_INSERT_HEAD(&h->idle, c, link);
		h->nidle++;
		stream_set_deadline(&c->io,
		    clock_mono_us() + c->pool->conf.idle_timeout_ms * 1000ull);
	} else {
		fetch_conn_close(c);
	}
	fetch_finish(f);
}

/* ---- the peer's end */

static void
on_end(struct fetch_conn *c)
{
	struct fetch *f = c->fetch;

	if (f->reused && !f->answered && !f->retried && !f->once &&
	    tcp_acked_is_untouched(c->io.fd, &c->sent)) {
		/* Stale: the server closed it while it lay in the pool.  Had
		 * it taken a byte, it might be at work. */
		c->pool->resent++;
		f->retried = true;
		f->reused = false;
		c->fetch = NULL;
		fetch_conn_dial(f);
		fetch_conn_close(c);
		return;
	}
	if (c->io.end == STREAM_EOF && f->answered &&
	    (c->is_tunnel || http1_parse_eof(&c->parser) == HTTP1_END))
		answer_complete(c, false);
	else
		lost(c);
}

static void
lost(struct fetch_conn *c)
{
	struct fetch *f = c->fetch;
	char text[TLS_REASON_MAX];

	switch (c->io.end) {
	case STREAM_BAD_TLS:
		(void)snprintf(text, sizeof text, "TLS: %s",
		    tls_reason(c->io.tls));
		fetch_fail(f, FETCH_FAIL_TLS, text);
		break;
	case STREAM_RESET:
		fetch_fail(f, FETCH_FAIL_RESET, "reset by the peer");
		break;
	case STREAM_OPEN:
	case STREAM_EOF:
	case STREAM_CUT:
		if (c->io.unwritable)
			fetch_fail(f, FETCH_FAIL_RESET, "reset by the peer");
		else if (f->answered)
			fetch_fail(f, FETCH_FAIL_CUT,
			    "closed inside the answer");
		else
			fetch_fail(f, FETCH_FAIL_EMPTY,
			    "closed without an answer");
		break;
	}
}
