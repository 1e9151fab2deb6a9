/*
 * reset_peer{timeout}: data is dropped, and the connection is reset so many
 * milliseconds after the toxic began, silent connections included.
 */
#include "chaos/fault.h"

#include <stdlib.h>

#include "chaos/tap.h"

#define TIMEOUT_MAX_MS 86400000
#define US_PER_MS      1000

struct conf {
	int64_t timeout_ms;
};

static const struct jfield fields[] = {
	{ "timeout", JF_INT, 0, 0, TIMEOUT_MAX_MS,
	    offsetof(struct conf, timeout_ms), NULL },
};

static void
set_deadline(struct tap *t)
{
	const struct conf *c = tap_conf(t);

	tap_set_deadline(t,
	    tap_started_us(t) + (uint64_t)c->timeout_ms * US_PER_MS);
}

static void
drop(struct tap *t, struct chunk *c)
{
	(void)t;
	free(c);
}

static const struct toxic_ops toxic = {
	.on_start = set_deadline,
	.on_chunk = drop,
	.on_end = tap_hold_end,
	.on_deadline = tap_reset,
	.on_change = set_deadline,
};

const struct fault_type fault_reset_peer = {
	.name = "reset_peer",
	.about = "the connection is reset",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.toxic = &toxic,
};
