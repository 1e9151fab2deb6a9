/*
 * The codec against arbitrary bytes: nothing crashes, nothing is read past
 * the end, slices stay inside the input, and what is found does not depend
 * on how the bytes were cut.
 */
// links: base
#include "base/http1.h"
#include "base/mem.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t
mix(uint64_t hash, const void *p, size_t n)
{
	const unsigned char *c = p;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ c[i]) * 0x100000001b3ull;
	return hash;
}

static uint64_t
mix_slice(uint64_t hash, struct slice s, const char *in, size_t n)
{
	if (s.n > 0 && (s.p < in || s.p + s.n > in + n))
		abort();
	return mix(mix(hash, &s.n, sizeof s.n), s.p, s.n);
}

static uint64_t
mix_head(uint64_t hash, const struct http1_head *h, const char *in, size_t n)
{
	hash = mix_slice(hash, h->method, in, n);
	hash = mix_slice(hash, h->target, in, n);
	hash = mix_slice(hash, h->reason, in, n);
	if (h->nheaders > HTTP1_HEADERS_MAX)
		abort();
	for (size_t i = 0; i < h->nheaders; i++) {
		hash = mix_slice(hash, h->headers[i].name, in, n);
		hash = mix_slice(hash, h->headers[i].value, in, n);
	}
	hash = mix(hash, &h->status, sizeof h->status);
	hash = mix(hash, &h->framing, sizeof h->framing);
	return mix(hash, &h->content_bytes, sizeof h->content_bytes);
}

/* A hash over all that comes out of in[0..n) in steps of `step`. */
static uint64_t
run(enum http1_kind kind, const char *in, size_t n, size_t step)
{
	const struct http1_limits limits = { 2048, 256, 4096 };
	uint64_t hash = 0xcbf29ce484222325ull;
	enum http1_event ev = HTTP1_MORE;
	struct http1_parser p;
	struct http1_head head = { .nheaders = 0 };
	size_t at = 0, have = 0, used;
	char *copy;

	http1_parser_init(&p, kind, &limits);
	while (ev != HTTP1_ERROR && have < n) {
		have = n - have < step ? n : have + step;
		copy = xmemdup(in, have);
		do {
			ev =
			    http1_parse(&p, copy + at, have - at, &used, &head);
			if (used > have - at)
				abort();
			at += used;
			if (ev == HTTP1_HEAD)
				hash = mix_head(hash, &head, copy, have);
			else if (ev == HTTP1_DATA)
				hash = mix(hash, p.data.p, p.data.n);
			else if (ev == HTTP1_END)
				hash = mix(hash, "end", 3);
		} while (ev != HTTP1_MORE && ev != HTTP1_ERROR);
		free(copy);
	}
	if (ev == HTTP1_MORE)
		ev = http1_parse_eof(&p);
	hash = mix(hash, &p.fault, sizeof p.fault);
	return mix(hash, &ev, sizeof ev);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *in = (const char *)data;

	if (size > 8192)
		return 0;
	for (int k = HTTP1_REQUEST; k <= HTTP1_RESPONSE; k++) {
		enum http1_kind kind = (enum http1_kind)k;
		uint64_t whole = run(kind, in, size, size + 1);

		if (size < 1024 && run(kind, in, size, 1) != whole)
			abort();
		if (run(kind, in, size, 97) != whole)
			abort();
	}
	return 0;
}
