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

/* What comes out of in[0..n) in steps of `step`, as text.  Owned. */
static char *
run(const uint8_t *in, size_t n, size_t step, size_t *ret_len)
{
	struct wsframe_reader r;
	enum wsframe_event ev = WSFRAME_MORE;
	struct buf out, bytes;
	size_t used, m;
	uint8_t *copy;

	wsframe_init(&r);
	buf_init(&out, 1u << 20);
	buf_init(&bytes, 1u << 20);
	for (size_t at = 0; at < n && ev != WSFRAME_BAD; at += m) {
		size_t done = 0;

		m = n - at < step ? n - at : step;
		copy = xmemdup(in + at, m);
		do {
			ev = wsframe_next(&r, copy + done, m - done, &used);
			if (used > m - done || r.head_n > WSFRAME_HEAD_MAX)
				abort();
			if (ev == WSFRAME_HEAD) {
				(void)buf_add(&bytes, r.head, r.head_n);
				(void)buf_addf(&out, "%d,%llu,%llu;",
				    (int)r.opcode, (unsigned long long)r.bytes,
				    (unsigned long long)r.message);
			} else if (ev == WSFRAME_PAYLOAD) {
				if (r.at + used > r.bytes)
					abort();
				(void)buf_add(&bytes, copy + done, used);
			} else if (ev == WSFRAME_END) {
				(void)buf_adds(&out, "end;");
			}
			done += used;
		} while (ev != WSFRAME_MORE && ev != WSFRAME_BAD);
		free(copy);
	}
	if (bytes.len > n || (bytes.len && memcmp(bytes.data, in, bytes.len)))
		abort();
	if (ev == WSFRAME_BAD)
		(void)buf_adds(&out, "bad");
	buf_done(&bytes);
	*ret_len = out.len;
	(void)buf_addc(&out, '.');
	return buf_take(&out);
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
