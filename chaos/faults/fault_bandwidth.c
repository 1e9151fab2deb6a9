/*
 * bandwidth{rate}: at most so many kilobytes (of 1000 bytes) a second; a
 * larger chunk leaves in pieces, one each 100 ms.  Rate 0 is no limit; in the
 * original it stalls for ever, so it does when we are strict.
 */
#include "chaos/rules/fault.h"

#include <stdlib.h>

#include "chaos/http/toxic_tap.h"

#define RATE_MAX 1e9
#define PIECE_MS 100

struct conf {
	int64_t rate_kb_s; /* which is bytes a millisecond */
};

static const struct jfield fields[] = {
	{ "rate", JF_INT, 0, 0, RATE_MAX, offsetof(struct conf, rate_kb_s),
	    NULL },
};

static void
on_chunk(struct tap *t, struct chunk *c)
{
	const struct conf *conf = tap_conf(t);
	uint64_t rate = (uint64_t)conf->rate_kb_s, now = tap_now_us(t);
	uint64_t *busy_us =
	    tap_counter(t, 0); /* the line is taken until then */
	size_t piece = rate * PIECE_MS, at = 0;

	if (rate == 0) {
		if (tap_is_strict(t))
			tap_hold(t, c);
		else
			tap_queue(t, c, 0);
		return;
	}
	if (*busy_us < now)
		*busy_us = now;
	while (at < c->n) {
		size_t n = c->n - at < piece ? c->n - at : piece;

		/* A piece leaves when its last byte would have: on a slow line
		 * what is half through has not arrived. */
		*busy_us += n * US_PER_MS / rate;
		tap_queue(t, chunk_new(c->data + at, n), *busy_us);
		at += n;
	}
	free(c);
}

static const struct toxic_ops toxic = { .on_chunk = on_chunk };

const struct fault_type fault_bandwidth = {
	.name = "bandwidth",
	.about = "at most so many kilobytes a second",
	FAULT_CONF,
	.toxic = &toxic,
};
