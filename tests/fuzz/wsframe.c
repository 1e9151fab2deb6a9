/*
 * The reader of WebSocket frames against arbitrary bytes: heads and payloads
 * joined are the input again, and the events do not depend on how the bytes
 * were cut.
 */
// links: base cltext chaos
#include "chaos/http/wsframe.h"
#include "base/buf.h"
#include "base/mem.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	struct buf out, bytes; /* the events as text; heads and payloads */
};

static void
note(struct seen *s, const struct wsframe_reader *r, enum wsframe_event ev,
    const uint8_t *at, size_t used)
{
	if (ev == WSFRAME_HEAD) {
		(void)buf_add(&s->bytes, r->head, r->head_n);
		(void)buf_addf(&s->out, "%d,%llu,%llu;", (int)r->opcode,
		    (unsigned long long)r->bytes,
		    (unsigned long long)r->message);
	} else if (ev == WSFRAME_PAYLOAD) {
		if (r->at + used > r->bytes)
			abort();
		(void)buf_add(&s->bytes, at, used);
	} else if (ev == WSFRAME_END) {
		(void)buf_adds(&s->out, "end;");
	}
}

/* The events of a piece, which has a room of its own: reading past shows. */
static enum wsframe_event
feed(struct seen *s, struct wsframe_reader *r, const uint8_t *in, size_t n)
{
	uint8_t *copy = xmemdup(in, n);
	enum wsframe_event ev;
	size_t done = 0, used;

	do {
		ev = wsframe_next(r, copy + done, n - done, &used);
		if (used > n - done || r->head_n > WSFRAME_HEAD_MAX)
			abort();
		note(s, r, ev, copy + done, used);
		done += used;
	} while (ev != WSFRAME_MORE && ev != WSFRAME_BAD);
	free(copy);
	return ev;
}

/* What comes out of in[0..n) in steps of `step`, as text.  Owned. */
static char *
run(const uint8_t *in, size_t n, size_t step, size_t *ret_len)
{
	struct wsframe_reader r;
	enum wsframe_event ev = WSFRAME_MORE;
	struct seen s;

	wsframe_init(&r);
	buf_init(&s.out, 1u << 20);
	buf_init(&s.bytes, 1u << 20);
	for (size_t at = 0; at < n && ev != WSFRAME_BAD; at += step)
		ev = feed(&s, &r, in + at, n - at < step ? n - at : step);
	if (s.bytes.len > n ||
	    (s.bytes.len && memcmp(s.bytes.data, in, s.bytes.len) != 0))
		abort();
	if (ev == WSFRAME_BAD)
		(void)buf_adds(&s.out, "bad");
	buf_done(&s.bytes);
	*ret_len = s.out.len;
	(void)buf_addc(&s.out, '.');
	return buf_take(&s.out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t steps[] = { 1, 3, 15 };
	size_t len, other_len;
	char *whole, *other;

	if (size > 4096)
		return 0;
	whole = run(data, size, size + 1, &len);
	for (size_t i = 0; i < COUNT(steps); i++) {
		other = run(data, size, steps[i], &other_len);
		if (other_len != len || memcmp(whole, other, len) != 0)
			abort();
		free(other);
	}
	free(whole);
	return 0;
}
