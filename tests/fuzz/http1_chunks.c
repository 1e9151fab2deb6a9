/*
 * A chunked body of any bytes, requests and answers: the data comes out the
 * same however the bytes were cut, never more of it than came in or than the
 * cap allows, and an end is only where a last chunk was.
 */
// links: base
#include "base/http1.h"
#include "base/mem.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BODY_MAX 4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const heads[] = {
	[HTTP1_REQUEST] =
	    "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n",
	[HTTP1_RESPONSE] =
	    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
};

struct seen {
	uint64_t hash;
	size_t bytes;
	enum http1_event last;
};

static void
take(struct seen *s, struct slice data)
{
	for (size_t i = 0; i < data.n; i++)
		s->hash = (s->hash ^ (unsigned char)data.p[i]) *
		    UINT64_C(0x100000001b3);
	s->bytes += data.n;
}

static struct seen
run(enum http1_kind kind, const char *in, size_t n, size_t step)
{
	const struct http1_limits limits = { 2048, 256, BODY_MAX };
	struct seen seen = { UINT64_C(0xcbf29ce484222325), 0, HTTP1_MORE };
	struct http1_head head = { .nheaders = 0 };
	size_t at = 0, have = strlen(heads[kind]), used;
	struct http1_parser p;

	http1_parser_init(&p, kind, &limits);
	for (;;) {
		/* A block of its own, so that reading past it is seen. */
		char *copy = xmemdup(in, have);

		do {
			seen.last =
			    http1_parse(&p, copy + at, have - at, &used, &head);
			at += used;
			if (seen.last == HTTP1_DATA)
				take(&seen, p.data);
		} while (seen.last == HTTP1_HEAD || seen.last == HTTP1_DATA);
		free(copy);
		if (seen.last != HTTP1_MORE || have == n)
			return seen;
		have = n - have < step ? n : have + step;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const size_t steps[] = { 1, 13, 500 };

	if (size > 8192)
		return 0;
	for (int k = HTTP1_REQUEST; k <= HTTP1_RESPONSE; k++) {
		enum http1_kind kind = (enum http1_kind)k;
		size_t n = strlen(heads[k]) + size;
		char *in = xmalloc(n + 1);
		struct seen whole, cut;

		memcpy(in, heads[k], strlen(heads[k]));
		memcpy(in + strlen(heads[k]), data, size);
		whole = run(kind, in, n, n);
		if (whole.bytes > size || whole.bytes > BODY_MAX)
			abort();
		for (size_t i = 0; i < COUNT(steps); i++) {
			cut = run(kind, in, n, steps[i]);
			if (cut.last != whole.last ||
			    (whole.last == HTTP1_END &&
			        (cut.hash != whole.hash ||
			            cut.bytes != whole.bytes)))
				abort();
		}
		free(in);
	}
	return 0;
}
