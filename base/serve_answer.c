/*
 * Writing answers: whole, chunked, or exact bytes.
 *
 * A whole answer leaves with one system call, head and body together.  The
 * pieces of a stream are held until the end of the loop's round, so that a
 * head and its first chunk, or several events that came in one read, leave
 * together.  A write that fails is not reported from inside the writing
 * function (its caller may be anywhere); the loop then calls on_gone.
 */
#include "base/serve_priv.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define LITERAL(b, text) buf_add((b), (text), sizeof(text) - 1)
#define JOIN_MAX         ((size_t)8192) /* a body up to this goes with its head */

static enum err write_head(struct serve_call *c, int status,
    const struct http1_field *fields, size_t n, uint64_t content_bytes);
static enum err put_date(struct serve *s);
static bool is_ours(const char *name);
static enum err state_of_output(struct serve_call *c);
static struct iovec iov_of(const void *p, size_t n);

/* ---- the request */

const struct http1_head *
serve_head(const struct serve_call *c)
{
	return c->head;
}

struct slice
serve_body(const struct serve_call *c)
{
	return (struct slice){ c->in + c->head_bytes, c->body_bytes };
}

bool
serve_is_first(const struct serve_call *c)
{
	return c->requests <= 1;
}

bool
serve_had_trailers(const struct serve_call *c)
{
	return c->parser.has_trailers;
}

bool
serve_came_at_once(const struct serve_call *c)
{
	return !c->waited;
}

uint64_t
serve_started_us(const struct serve_call *c)
{
	return c->started_us;
}

void
serve_add_head(struct serve_call *c, const char *lines)
{
	char *old = c->extra;

	c->extra = xasprintf("%s%s", old ? old : "", lines);
	free(old);
}

void
serve_set_data(struct serve_call *c, void *data)
{
	c->data = data;
}

void *
serve_data(const struct serve_call *c)
{
	return c->data;
}

/* ---- a whole answer */

enum err
serve_answer(struct serve_call *c, int status, const struct http1_field *fields,
    size_t n, const void *body, size_t body_bytes)
{
	struct iovec iov[2];
	enum err e;

	if (c->state != SERVE_CALL)
		return ERR_STATE;
	if (c->is_http2)
		return serve_refuse_http2(c);
	c->chunked = false;
	e = write_head(c, status, fields, n, body_bytes);
	/* A head that cannot be written must still answer the client, and not
	 * with half of itself. */
	if (e != ERR_OK) {
		(void)write_head(c, 500, NULL, 0, 0);
		body_bytes = 0;
	}
	if (c->bodiless ||
	    (body_bytes <= JOIN_MAX &&
	        buf_add(&c->s->scratch, body, body_bytes) == ERR_OK))
		body_bytes = 0;
	iov[0] = iov_of(c->s->scratch.data, c->s->scratch.len);
	iov[1] = iov_of(body, body_bytes);
	stream_write(&c->io, iov, iov[1].iov_len > 0 ? 2 : 1);
	if (stream_is_broken(&c->io))
		e = ERR_CLOSED;
	serve_conn_answered(c);
	return e;
}

/* The head, into the server's scratch buffer. */
static enum err
write_head(struct serve_call *c, int status, const struct http1_field *fields,
    size_t n, uint64_t content_bytes)
{
	struct buf *b = &c->s->scratch;
	enum http1_framing framing = HTTP1_LENGTH;
	enum err e;

	c->bodiless =
	    slice_is(c->head->method, "HEAD") || status == 204 || status == 304;
	if (status == 204 || status == 304)
		framing = HTTP1_NO_BODY;
	else if (c->chunked)
		framing = c->head->minor == 1 ? HTTP1_CHUNKED : HTTP1_TO_EOF;
	/* A client that is told to keep the connection while the server
	 * stops would send its next request into a closing door. */
	if (framing == HTTP1_TO_EOF || c->s->stopping)
		c->keep_alive = false;
	buf_clear(b);
	e = status >= 200 ? http1_put_status(b, status) : ERR_SYNTAX;
	if (e == ERR_OK)
		e = put_date(c->s);
	for (size_t i = 0; i < n && e == ERR_OK; i++) {
		if (!is_ours(fields[i].name))
			e = http1_put_field(b, &fields[i]);
		/* One that may not be in a head (a line end in it) costs the
		 * answer that field, and neither its status nor the others. */
		if (e == ERR_SYNTAX)
			e = ERR_OK;
	}
	if (e == ERR_OK && c->extra)
		e = buf_adds(b, c->extra);
	if (e == ERR_OK)
		e = http1_put_framing(b, framing, content_bytes);
	if (e == ERR_OK && !c->keep_alive)
		e = LITERAL(b, "Connection: close\r\n");
	else if (e == ERR_OK && c->head->minor == 0)
		e = LITERAL(b, "Connection: keep-alive\r\n");
	return e == ERR_OK ? LITERAL(b, "\r\n") : e;
}

/* "Sat, 21 Nov 2026 06:30:00 GMT", made once a second. */
static enum err
put_date(struct serve *s)
{
	time_t now = time(NULL);
	struct tm tm;

	if (now != s->date_s) {
		s->date_s = now;
		gmtime_r(&now, &tm);
		(void)strftime(s->date, sizeof s->date,
		    "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &tm);
	}
	return buf_adds(&s->scratch, s->date);
}

/* Fields that serve writes itself; a caller's are left out. */
static bool
is_ours(const char *name)
{
	switch (name[0] | 0x20) {
	case 'c':
		return strcasecmp(name, "Connection") == 0 ||
		    strcasecmp(name, "Content-Length") == 0;
	case 'd':
		return strcasecmp(name, "Date") == 0;
	case 't':
		return strcasecmp(name, "Transfer-Encoding") == 0;
	default:
		return false;
	}
}

/* ---- a stream */

enum err
serve_start(struct serve_call *c, int status, const struct http1_field *fields,
    size_t n)
{
	struct iovec iov;
	enum err e;

	if (c->state != SERVE_CALL)
		return ERR_STATE;
	c->chunked = true;
	e = write_head(c, status, fields, n, 0);
	if (e != ERR_OK)
		return e;
	c->chunked = c->head->minor == 1 && !c->bodiless;
	serve_set_state(c, SERVE_STREAM);
	iov = iov_of(c->s->scratch.data, c->s->scratch.len);
	stream_hold(&c->io, &iov, 1);
	return state_of_output(c);
}

enum err
serve_write(struct serve_call *c, const void *p, size_t n)
{
	char size[20];
	struct iovec iov[3];

	if (c->state != SERVE_STREAM)
		return ERR_STATE;
	if (n == 0 || (c->bodiless && !c->raw))
		return state_of_output(c);
	if (!c->chunked || c->raw) {
		iov[0] = iov_of(p, n);
		stream_hold(&c->io, iov, 1);
		return state_of_output(c);
	}
	iov[0] = iov_of(size, http1_chunk_open(size, n));
	iov[1] = iov_of(p, n);
	iov[2] = iov_of(HTTP1_CHUNK_CLOSE, 2);
	stream_hold(&c->io, iov, 3);
	return state_of_output(c);
}

void
serve_finish(struct serve_call *c)
{
	struct iovec last = iov_of(HTTP1_CHUNK_LAST, 5);

	/* Of exact bytes nobody knows whether they are whole: a clean end
	 * might pass half an answer for a whole one. */
	if (c->state != SERVE_STREAM || c->raw) {
		serve_abort(c, SERVE_END_RST);
		return;
	}
	if (c->chunked)
		stream_hold(&c->io, &last, 1);
	serve_conn_answered(c);
}

/* ---- exact bytes */

enum err
serve_raw(struct serve_call *c, const void *p, size_t n)
{
	struct iovec iov = iov_of(p, n);

	if (!serve_conn_is_live(c))
		return ERR_STATE;
	if (c->state != SERVE_TUNNEL)
		serve_set_state(c, SERVE_STREAM);
	c->raw = true;
	if (n > 0)
		stream_hold(&c->io, &iov, 1);
	return state_of_output(c);
}

void
serve_raw_done(struct serve_call *c)
{
	if (!serve_conn_is_live(c))
		return;
	serve_conn_answered(c);
}

void
serve_abort(struct serve_call *c, enum serve_end how)
{
	if (!serve_conn_is_live(c))
		return;
	c->keep_alive = false;
	c->reset = how == SERVE_END_RST;
	serve_conn_answered(c);
}

size_t
serve_pending_bytes(const struct serve_call *c)
{
	return stream_pending(&c->io);
}

static enum err
state_of_output(struct serve_call *c)
{
	if (stream_is_broken(&c->io)) {
		stream_kick(&c->io); /* on_gone, from the loop */
		return ERR_CLOSED;
	}
	serve_conn_arm_stall(c);
	if (c->hush_us)
		serve_hush(c); /* a late byte: the silence begins anew */
	if (stream_pending(&c->io) <= c->s->conf.write_high_bytes)
		return ERR_OK;
	c->over_high = true;
	return ERR_AGAIN;
}

/* sendmsg() takes pointers to what it only reads. */
static struct iovec
iov_of(const void *p, size_t n)
{
	return (struct iovec){ (void *)(uintptr_t)p, n };
}
