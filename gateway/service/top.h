/*
 * kf-gateway top: a running gateway's targets, from its admin port: breaker,
 * attempts, latencies and cost.  A table that is drawn again on a terminal,
 * plain lines in a pipe.
 */
#ifndef GATEWAY_TOP_H
#define GATEWAY_TOP_H

#include "base/addr.h"
#include "base/err.h"
#include <stdint.h>

struct top_options {
	struct addr admin;
	int64_t interval_ms;
	int64_t count; /* 0: until it is stopped */
};

enum exit_code top_run(const struct top_options *o);

#endif
