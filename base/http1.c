/*
 * The message parser: one state, one function a state.
 *
 *	HEAD --head--> AFTER                  no body
 *	             > LENGTH --left 0--> AFTER
 *	             > TO_EOF --eof--> AFTER
 *	             > SIZE -> (BWS -> EXT) -> SIZE_LF -> CHUNK -> CHUNK_CR ->
 *	               CHUNK_LF -> SIZE ...,  size 0: TRAILER
 *	TRAILER -> TRAILER_LINE -> TRAILER_LF -> TRAILER,  empty line: AFTER
 *	AFTER --HTTP1_END--> HEAD
 *	any --fault--> BROKEN
 *
 * A state's function takes what it can from the bytes, sets the next state
 * and says which event came of it; HTTP1_MORE with bytes left means "ask the
 * next state".  Heads are parsed whole and in place (http1_head.c), framing
 * bytes one at a time, body bytes as long slices.  Trailers are checked and
 * dropped: nobody here may act on a field that came after the body.
 */
#include "base/http1.h"

#include "base/http1_priv.h"
#include <string.h>

#define HEAD_BYTES_MAX   65536
#define TARGET_BYTES_MAX 8192
#define SIZE_DIGITS_MAX  15   /* 60 bits: no sum of them wraps */
#define EXTENSION_MAX    1024 /* bytes of chunk extensions a message */

enum state {
	ST_HEAD,
	ST_LENGTH,
	ST_TO_EOF,
	ST_SIZE,
	ST_BWS,
	ST_EXT,
	ST_SIZE_LF,
	ST_CHUNK,
	ST_CHUNK_CR,
	ST_CHUNK_LF,
	ST_TRAILER,
	ST_TRAILER_LINE,
	ST_TRAILER_LF,
	ST_END_LF,
	ST_AFTER,
	ST_BROKEN,
	ST_NSTATES
};

struct input {
	char *p;
	size_t n; /* left */
	struct http1_head *head;
};

typedef enum http1_event state_fn(struct http1_parser *, struct input *);

static state_fn on_head, on_length, on_to_eof, on_size, on_bws, on_ext,
    on_size_lf, on_chunk, on_chunk_cr, on_chunk_lf, on_trailer, on_trailer_line,
    on_trailer_lf, on_end_lf, on_after, on_broken;
static enum http1_event fail(struct http1_parser *p, enum http1_fault fault);
static enum http1_event take_data(struct http1_parser *p, struct input *in);
static enum http1_event expect_byte(struct http1_parser *p, struct input *in,
    char c, enum state next);
static int hex_digit(char c);

static state_fn *const states[ST_NSTATES] = {
	[ST_HEAD] = on_head,
	[ST_LENGTH] = on_length,
	[ST_TO_EOF] = on_to_eof,
	[ST_SIZE] = on_size,
	[ST_BWS] = on_bws,
	[ST_EXT] = on_ext,
	[ST_SIZE_LF] = on_size_lf,
	[ST_CHUNK] = on_chunk,
	[ST_CHUNK_CR] = on_chunk_cr,
	[ST_CHUNK_LF] = on_chunk_lf,
	[ST_TRAILER] = on_trailer,
	[ST_TRAILER_LINE] = on_trailer_line,
	[ST_TRAILER_LF] = on_trailer_lf,
	[ST_END_LF] = on_end_lf,
	[ST_AFTER] = on_after,
	[ST_BROKEN] = on_broken,
};

static const struct {
	int status;
	const char *text;
} faults[HTTP1_NFAULTS] = {
	[HTTP1_FAULT_NONE] = { 200, "no fault" },
	[HTTP1_FAULT_SYNTAX] = { 400, "not a well-formed HTTP/1.1 message" },
	[HTTP1_FAULT_SMUGGLING] = { 400, "message lengths that disagree" },
	[HTTP1_FAULT_HEAD_TOO_BIG] = { 431, "the head is too big" },
	[HTTP1_FAULT_MANY_FIELDS] = { 431, "more than 128 header fields" },
	[HTTP1_FAULT_TARGET_TOO_BIG] = { 414,
	    "the request target is too long" },
	[HTTP1_FAULT_BODY_TOO_BIG] = { 413, "the body is too big" },
	[HTTP1_FAULT_VERSION] = { 505,
	    "an HTTP version other than 1.0 and 1.1" },
	[HTTP1_FAULT_CODING] = { 501, "a transfer coding other than chunked" },
};

int
http1_fault_status(enum http1_fault f)
{
	return faults[f].status;
}

const char *
http1_fault_text(enum http1_fault f)
{
	return faults[f].text;
}

void
http1_parser_init(struct http1_parser *p, enum http1_kind kind,
    const struct http1_limits *limits)
{
	*p = (struct http1_parser){ .kind = kind, .state = ST_HEAD };
	if (limits)
		p->limits = *limits;
	if (!p->limits.head_bytes)
		p->limits.head_bytes = HEAD_BYTES_MAX;
	if (!p->limits.target_bytes)
		p->limits.target_bytes = TARGET_BYTES_MAX;
}

enum http1_event
http1_parse(struct http1_parser *p, char *bytes, size_t n, size_t *used,
    struct http1_head *head)
{
	struct input in = { bytes, n, head };
	enum http1_event ev;
	int before;

	do {
		before = p->state;
		ev = states[before](p, &in);
	} while (ev == HTTP1_MORE && p->state != before &&
	    (in.n > 0 || p->state == ST_AFTER));
	*used = n - in.n;
	return ev;
}

enum http1_event
http1_parse_eof(struct http1_parser *p)
{
	if (p->state == ST_HEAD && p->scanned == 0)
		return HTTP1_MORE;
	if (p->state == ST_AFTER || p->state == ST_TO_EOF) {
		p->state = ST_AFTER;
		return on_after(p, NULL);
	}
	return fail(p, HTTP1_FAULT_SYNTAX);
}

/* The state after a head, by its framing. */
static const enum state body_states[] = {
	[HTTP1_NO_BODY] = ST_AFTER,
	[HTTP1_LENGTH] = ST_LENGTH,
	[HTTP1_CHUNKED] = ST_SIZE,
	[HTTP1_TO_EOF] = ST_TO_EOF,
};

static enum http1_event
on_head(struct http1_parser *p, struct input *in)
{
	enum http1_fault fault;
	size_t len;

	fault = http1_head_scan(p, in->p, in->n, &len);
	if (!fault && len == 0)
		return HTTP1_MORE;
	if (!fault)
		fault = http1_head_read(p, in->p, len, in->head);
	if (fault)
		return fail(p, fault);
	if (p->limits.body_bytes && in->head->framing == HTTP1_LENGTH &&
	    in->head->content_bytes > p->limits.body_bytes)
		return fail(p, HTTP1_FAULT_BODY_TOO_BIG);
	in->p += len;
	in->n -= len;
	p->scanned = 0;
	p->digits = 0;
	p->has_trailers = false;
	p->total = 0;
	p->left = in->head->content_bytes;
	p->state = (int)body_states[in->head->framing];
	if (p->state == ST_LENGTH && p->left == 0)
		p->state = ST_AFTER;
	return HTTP1_HEAD;
}

static enum http1_event
on_length(struct http1_parser *p, struct input *in)
{
	enum http1_event ev = take_data(p, in);

	if (p->left == 0)
		p->state = ST_AFTER;
	return ev;
}

static enum http1_event
on_to_eof(struct http1_parser *p, struct input *in)
{
	enum http1_event ev;

	p->total += in->n;
	if (p->limits.body_bytes && p->total > p->limits.body_bytes)
		return fail(p, HTTP1_FAULT_BODY_TOO_BIG);
	p->left = in->n;
	ev = take_data(p, in);
	p->left = 0;
	return ev;
}

/* As much of the p->left body bytes as there are. */
static enum http1_event
take_data(struct http1_parser *p, struct input *in)
{
	size_t n = in->n;

	if (n > p->left)
		n = (size_t)p->left;
	if (n == 0)
		return HTTP1_MORE;
	p->data = (struct slice){ in->p, n };
	in->p += n;
	in->n -= n;
	p->left -= n;
	return HTTP1_DATA;
}

/* ---- chunks */

static enum http1_event
on_size(struct http1_parser *p, struct input *in)
{
	int digit;

	for (; in->n > 0; in->p++, in->n--) {
		digit = hex_digit(*in->p);
		if (digit < 0)
			break;
		if (++p->digits > SIZE_DIGITS_MAX)
			return fail(p, HTTP1_FAULT_SYNTAX);
		p->left = p->left << 4 | (unsigned)digit;
	}
	if (in->n == 0)
		return HTTP1_MORE;
	if (p->digits == 0 || *in->p == '\0' || !strchr("\r; \t", *in->p))
		return fail(p, HTTP1_FAULT_SYNTAX);
	if (p->limits.body_bytes && p->left > p->limits.body_bytes - p->total)
		return fail(p, HTTP1_FAULT_BODY_TOO_BIG);
	p->total += p->left;
	p->digits = 0;
	p->state = *in->p == '\r' ? ST_SIZE_LF
	    : *in->p == ';'       ? ST_EXT
	                          : ST_BWS;
	in->p++;
	in->n--;
	return HTTP1_MORE;
}

/* White space is taken before an extension and nowhere else (RFC 9112,
 * 7.1.1): who takes "5 " for a size, too, reads another one than who does not.
 */
static enum http1_event
on_bws(struct http1_parser *p, struct input *in)
{
	for (; in->n > 0 && (*in->p == ' ' || *in->p == '\t'); in->p++, in->n--)
		if (++p->scanned > EXTENSION_MAX)
			return fail(p, HTTP1_FAULT_HEAD_TOO_BIG);
	return expect_byte(p, in, ';', ST_EXT);
}

static enum http1_event
on_ext(struct http1_parser *p, struct input *in)
{
	char c = '\0';

	while (in->n > 0 && c != '\r') {
		c = *in->p;
		if (c != '\r' && !(http1_class(c) & HTTP1_VALUE))
			return fail(p, HTTP1_FAULT_SYNTAX);
		if (++p->scanned > EXTENSION_MAX)
			return fail(p, HTTP1_FAULT_HEAD_TOO_BIG);
		in->p++;
		in->n--;
	}
	if (c == '\r')
		p->state = ST_SIZE_LF;
	return HTTP1_MORE;
}

/* One fixed byte of framing, then the next state. */
static enum http1_event
expect_byte(struct http1_parser *p, struct input *in, char c, enum state next)
{
	if (in->n == 0)
		return HTTP1_MORE;
	if (*in->p != c)
		return fail(p, HTTP1_FAULT_SYNTAX);
	in->p++;
	in->n--;
	p->state = (int)next;
	return HTTP1_MORE;
}

static enum http1_event
on_size_lf(struct http1_parser *p, struct input *in)
{
	bool last = p->left == 0;

	return expect_byte(p, in, '\n', last ? ST_TRAILER : ST_CHUNK);
}

static enum http1_event
on_chunk(struct http1_parser *p, struct input *in)
{
	enum http1_event ev = take_data(p, in);

	if (p->left == 0)
		p->state = ST_CHUNK_CR;
	return ev;
}

static enum http1_event
on_chunk_cr(struct http1_parser *p, struct input *in)
{
	return expect_byte(p, in, '\r', ST_CHUNK_LF);
}

static enum http1_event
on_chunk_lf(struct http1_parser *p, struct input *in)
{
	return expect_byte(p, in, '\n', ST_SIZE);
}

/* ---- trailers: lines of token ':' value, read and dropped.  The bytes of
 * extensions and trailers count together against head_bytes. */

static enum http1_event
on_trailer(struct http1_parser *p, struct input *in)
{
	if (in->n == 0)
		return HTTP1_MORE;
	if (*in->p == '\r')
		return expect_byte(p, in, '\r', ST_END_LF);
	p->digits = 0; /* now: was the colon of this line seen */
	if (!(http1_class(*in->p) & HTTP1_TOKEN))
		return fail(p, HTTP1_FAULT_SYNTAX);
	p->has_trailers = true;
	p->state = ST_TRAILER_LINE;
	return HTTP1_MORE;
}

static enum http1_event
on_trailer_line(struct http1_parser *p, struct input *in)
{
	char c;

	while (in->n > 0) {
		c = *in->p;
		if (c == '\r' && p->digits)
			return expect_byte(p, in, '\r', ST_TRAILER_LF);
		if (c == ':')
			p->digits = 1;
		else if (!(http1_class(c) &
		             (p->digits ? HTTP1_VALUE : HTTP1_TOKEN)))
			return fail(p, HTTP1_FAULT_SYNTAX);
		if (++p->scanned > p->limits.head_bytes)
			return fail(p, HTTP1_FAULT_HEAD_TOO_BIG);
		in->p++;
		in->n--;
	}
	return HTTP1_MORE;
}

static enum http1_event
on_trailer_lf(struct http1_parser *p, struct input *in)
{
	return expect_byte(p, in, '\n', ST_TRAILER);
}

static enum http1_event
on_end_lf(struct http1_parser *p, struct input *in)
{
	return expect_byte(p, in, '\n', ST_AFTER);
}

/* ---- the ends */

static enum http1_event
on_after(struct http1_parser *p, struct input *in)
{
	(void)in;
	p->state = ST_HEAD;
	p->scanned = 0;
	p->digits = 0;
	return HTTP1_END;
}

static enum http1_event
on_broken(struct http1_parser *p, struct input *in)
{
	(void)p;
	(void)in;
	return HTTP1_ERROR;
}

static enum http1_event
fail(struct http1_parser *p, enum http1_fault fault)
{
	p->state = ST_BROKEN;
	p->fault = fault;
	return HTTP1_ERROR;
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}
