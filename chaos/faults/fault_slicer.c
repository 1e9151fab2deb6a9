/*
 * slicer{average_size,size_variation,delay}: a chunk leaves in pieces, made
 * by halving it until each is near the average size; after each piece the
 * line rests for delay microseconds.
 */
#include "chaos/rules/fault.h"

#include <stdlib.h>

#include "chaos/http/toxic_tap.h"

#define SIZE_MAX_BYTES 1e9
#define DELAY_MAX_US   1e9
#define RANGES_MAX     64

struct conf {
	int64_t average_size, size_variation, delay_us;
};

static const struct jfield fields[] = {
	{ "average_size", JF_INT, 0, 0, SIZE_MAX_BYTES,
	    offsetof(struct conf, average_size), NULL },
	{ "delay", JF_INT, 0, 0, DELAY_MAX_US, offsetof(struct conf, delay_us),
	    NULL },
	{ "size_variation", JF_INT, 0, 0, SIZE_MAX_BYTES,
	    offsetof(struct conf, size_variation), NULL },
};

struct range {
	size_t at, n;
};

/* Somewhere near the middle, but inside: 1 to n - 1. */
static size_t
cut_point(struct tap *t, const struct conf *c, size_t n)
{
	int64_t v = c->size_variation, mid = (int64_t)(n / 2);

	if (v > 0)
		mid += (int64_t)tap_between(t, 0, (uint64_t)v * 2) - v;
	if (mid < 1)
		mid = 1;
	return (size_t)mid < n ? (size_t)mid : n - 1;
}

static void
send_piece(struct tap *t, const struct conf *c, const char *p, size_t n)
{
	uint64_t *busy_us = tap_counter(t, 0), now = tap_now_us(t);

	if (*busy_us < now)
		*busy_us = now;
	tap_queue(t, chunk_new(p, n), *busy_us);
	*busy_us += (uint64_t)c->delay_us;
}

/* Halves by a stack of ranges, the left one always first. */
static void
on_chunk(struct tap *t, struct chunk *chunk)
{
	const struct conf *c = tap_conf(t);
	struct range stack[RANGES_MAX] = { { 0, chunk->n } };
	size_t depth = 1;
	size_t most = (size_t)(c->average_size + c->size_variation);

	while (depth > 0) {
		struct range r = stack[--depth];

		if (r.n <= most || r.n < 2 || c->average_size == 0 ||
		    depth + 2 > RANGES_MAX) {
			send_piece(t, c, chunk->data + r.at, r.n);
			continue;
		}
		size_t left = cut_point(t, c, r.n);

		stack[depth++] = (struct range){ r.at + left, r.n - left };
		stack[depth++] = (struct range){ r.at, left };
	}
	free(chunk);
}

static const struct toxic_ops toxic = { .on_chunk = on_chunk };

const struct fault_type fault_slicer = {
	.name = "slicer",
	.about = "data leaves in small pieces",
	FAULT_CONF,
	.toxic = &toxic,
};
