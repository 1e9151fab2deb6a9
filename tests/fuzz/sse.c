/*
 * The event parser against arbitrary bytes: raw bytes joined are the input
 * again, and the items do not depend on how the bytes were cut.
 */
// links: base
#include "base/sse.h"
#include "base/mem.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define BLOCK_MAX 512

static bool
on_item(const struct sse_item *item, void *arg)
{
	struct buf *out = arg;

	(void)buf_addf(out, "%d[%zu]", item->kind, item->raw.n);
	(void)buf_add(out, item->raw.p, item->raw.n);
	(void)buf_add(out, item->event.p, item->event.n);
	(void)buf_addc(out, '|');
	(void)buf_add(out, item->data.p, item->data.n);
	if (item->data.n + item->event.n > item->raw.n)
		abort();
	return true;
}

/* What comes out of in[0..n) in steps of `step`, as text.  Owned. */
static char *
run(const uint8_t *in, size_t n, size_t step, size_t *ret_len)
{
	struct sse_parser *p = sse_parser_new(BLOCK_MAX);
	enum err e = ERR_OK;
	struct slice rest;
	struct buf out;
	size_t m;
	char *copy;

	buf_init(&out, 1u << 20);
	for (size_t at = 0; at < n && e == ERR_OK; at += m) {
		m = n - at < step ? n - at : step;
		copy = xmemdup(in + at, m);
		e = sse_feed(p, copy, m, on_item, &out);
		free(copy);
	}
	rest = sse_pending(p);
	if (rest.n > BLOCK_MAX)
		abort();
	/* How much of a block that is too long was kept depends on the
	 * cuts; that it was too long does not. */
	if (e == ERR_OK)
		(void)buf_add(&out, rest.p, rest.n);
	(void)buf_adds(&out, err_name(e));
	sse_parser_free(p);
	*ret_len = out.len;
	return buf_take(&out);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t steps[] = { 1, 7, 600 };
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
