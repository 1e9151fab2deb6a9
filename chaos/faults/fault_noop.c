/*
 * noop{}: nothing, as Toxiproxy has it; for trying out an API client.
 */
#include "chaos/rules/fault.h"

#include "chaos/http/toxic_tap.h"

static const struct toxic_ops toxic = { .on_chunk = NULL };

const struct fault_type fault_noop = {
	.name = "noop",
	.about = "does nothing",
	.is_piped = true,
	.conf_bytes = 1,
	.toxic = &toxic,
};
