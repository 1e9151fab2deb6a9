/*
 * limit_data{bytes}: exactly so many bytes pass in this direction (of an
 * exchange: of the answer, its head too), then the connection is closed.
 */
#include "chaos/rules/fault.h"

#include <stdlib.h>

#include "chaos/http/toxic_tap.h"

#define BYTES_MAX 9e15

struct conf {
	int64_t bytes;
};

static const struct jfield fields[] = {
	{ "bytes", JF_INT, 0, 0, BYTES_MAX, offsetof(struct conf, bytes),
	    NULL },
};

static void
on_chunk(struct tap *t, struct chunk *c)
{
	const struct conf *conf = tap_conf(t);
	uint64_t *passed = tap_counter(t, 0), limit = (uint64_t)conf->bytes;
	uint64_t left = limit > *passed ? limit - *passed : 0;

	/* With its last byte and not with the first one beyond: a body that
	 * just fits is closed on too, as by Toxiproxy. */
	if (c->n < left || !tap_strike_at(t, limit)) {
		*passed += c->n;
		tap_queue(t, c, 0);
		return;
	}
	*passed += left;
	if (left)
		tap_queue(t, chunk_new(c->data, (size_t)left), 0);
	free(c);
	tap_close_when_sent(t);
}

static const struct toxic_ops toxic = { .strikes_late = true,
	.on_chunk = on_chunk };

const struct fault_type fault_limit_data = {
	.name = "limit_data",
	.about = "so many bytes, then the connection is closed",
	FAULT_CONF,
	.toxic = &toxic,
};
