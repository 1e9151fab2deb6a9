/*
 * Asking upstreams to count: stream_options.include_usage is set on every
 * stream, because without it nobody knows what the stream has cost.
 */
#ifndef GATEWAY_USAGE_H
#define GATEWAY_USAGE_H

#include "gateway/text/request_peek.h"

/*
 * The value stream_options must have, appended to out with a NUL; returns
 * whether it differs from what the client sent (so that the usage event is
 * ours to take out again).
 */
bool usage_options(const struct peek *request, struct buf *out);

#endif
