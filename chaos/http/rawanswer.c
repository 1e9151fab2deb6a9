/*
 * The head is written in the order in which base/serve writes it, so that a
 * client cannot tell which of the two did.
 */
#include "chaos/http/rawanswer.h"

#include <string.h>
#include <time.h>

#include "chaos/http/client_taps.h"

#define HEAD_MAX   ((size_t)256 << 10)
#define DATE_BYTES 40

void
rawanswer_init(struct rawanswer *r, struct serve_call *call, struct wire *wire)
{
	*r = (struct rawanswer){ .call = call, .wire = wire };
	buf_init(&r->head, HEAD_MAX);
}

void
rawanswer_done(struct rawanswer *r)
{
	buf_done(&r->head);
}

static enum err
put(struct rawanswer *r, const void *p, size_t n)
{
	return r->wire ? wire_bytes(r->wire, p, n) : serve_raw(r->call, p, n);
}

static void
end(struct rawanswer *r, enum item_end how)
{
	if (r->wire)
		wire_end(r->wire, how);
	else if (how == ITEM_END_CLEAN)
		serve_raw_done(r->call);
	else
		serve_abort(r->call,
		    how == ITEM_END_RST ? SERVE_END_RST : SERVE_END_FIN);
}

static enum http1_framing
framing_of(const struct answer_head *a, const struct http1_head *request)
{
	if (slice_is(request->method, "HEAD") || a->status == 204 ||
	    a->status == 304)
		return HTTP1_NO_BODY;
	if (a->is_websocket)
		return HTTP1_TO_EOF;
	if (a->has_length)
		return HTTP1_LENGTH;
	/* A client of HTTP/1.0 knows no chunks (RFC 9112, 6.1); for it the body
	 * ends with the connection. */
	return request->minor == 1 ? HTTP1_CHUNKED : HTTP1_TO_EOF;
}

/* Date first, then the answer's own, then what the connection needs. */
static size_t
collect(const struct rawanswer *r, const struct answer_head *a,
    struct http1_field *out, char date[DATE_BYTES])
{
	const struct http1_head *request = serve_head(r->call);
	time_t now = time(NULL);
	struct tm tm;
	size_t n = 1;

	gmtime_r(&now, &tm);
	strftime(date, DATE_BYTES, "%a, %d %b %Y %H:%M:%S GMT", &tm);
	out[0] = (struct http1_field){ "Date", date };
	n += answer_head_fields(a, out + n);
	if (a->is_websocket)
		out[n++] = (struct http1_field){ "Connection", "Upgrade" };
	else if (r->framing == HTTP1_TO_EOF || !request->keep_alive)
		out[n++] = (struct http1_field){ "Connection", "close" };
	/* HTTP/1.0 closes unless the server says that it will not (RFC 9112,
	 * appendix C.2.2). */
	else if (request->minor == 0)
		out[n++] = (struct http1_field){ "Connection", "keep-alive" };
	return n;
}

/* The first line with the reason that the upstream gave. */
static enum err
put_reason(struct buf *head, const struct answer_head *a)
{
	const char *rest = memchr(head->data, '\r', head->len);
	struct buf whole;
	enum err e;

	if (!answer_head_reason(a) || !rest)
		return ERR_OK;
	buf_init(&whole, HEAD_MAX);
	e = buf_addf(&whole, "HTTP/1.1 %d %s", a->status,
	    answer_head_reason(a));
	if (e == ERR_OK)
		e = buf_add(&whole, rest,
		    (size_t)(head->data + head->len - rest));
	buf_done(head);
	*head = whole;
	return e;
}

/* Does the head say a length that no body has? */
static bool
says_length(const struct answer_head *a, const struct http1_head *request)
{
	return a->has_length &&
	    (a->status == 304
	            ? a->said_bytes > 0
	            : a->status != 204 && slice_is(request->method, "HEAD"));
}

enum err
rawanswer_head(struct rawanswer *r, const struct answer_head *a, size_t first)
{
	struct http1_field fields[ANSWER_HEAD_FIELDS_MAX + 2];
	char date[DATE_BYTES];
	size_t n;
	enum err e;

	r->framing = framing_of(a, serve_head(r->call));
	r->left = r->framing == HTTP1_LENGTH ? a->content_bytes : 0;
	n = collect(r, a, fields, date);
	e = says_length(a, serve_head(r->call))
	    ? http1_write_response(&r->head, a->status, fields, n, HTTP1_LENGTH,
	          a->said_bytes ? a->said_bytes : a->content_bytes)
	    : http1_write_response(&r->head, a->status, fields, n, r->framing,
	          a->content_bytes);
	if (e == ERR_OK)
		e = put_reason(&r->head, a);
	if (e != ERR_OK)
		return e;
	if (first == 0 || first > r->head.len)
		first = r->head.len;
	put(r, r->head.data, first);
	buf_drop(&r->head, first);
	return ERR_OK;
}

/* What of the head was kept back. */
static void
finish_head(struct rawanswer *r)
{
	if (r->head.len)
		put(r, r->head.data, r->head.len);
	buf_clear(&r->head);
}

enum err
rawanswer_bytes(struct rawanswer *r, const char *p, size_t n)
{
	char size[20];

	finish_head(r);
	if (r->framing == HTTP1_NO_BODY || n == 0)
		return ERR_OK;
	if (r->framing == HTTP1_CHUNKED) {
		put(r, size, http1_chunk_open(size, n));
		put(r, p, n);
		return put(r, HTTP1_CHUNK_CLOSE, 2);
	}
	/* A fault may have made the body longer than was promised: what is
	 * beyond would be read as the next answer's head. */
	if (r->framing == HTTP1_LENGTH) {
		n = n < r->left ? n : (size_t)r->left;
		r->left -= n;
		if (r->wire && r->left == 0)
			wire_is_whole(r->wire);
	}
	return put(r, p, n);
}

void
rawanswer_end(struct rawanswer *r, enum item_end how)
{
	finish_head(r);
	/* The next request on this connection would be answered with what
	 * the client still takes for this answer's body. */
	if (how == ITEM_END_CLEAN &&
	    (r->left > 0 || r->framing == HTTP1_TO_EOF))
		how = ITEM_END_FIN;
	if (how == ITEM_END_CLEAN && r->framing == HTTP1_CHUNKED)
		put(r, HTTP1_CHUNK_LAST, 5);
	end(r, how);
	r->call = NULL;
}
