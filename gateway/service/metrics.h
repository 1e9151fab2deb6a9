/*
 * What Prometheus scrapes.  Names of OpenTelemetry's GenAI conventions where
 * there is one, kf_gateway_ for the rest.
 */
#ifndef GATEWAY_METRICS_H
#define GATEWAY_METRICS_H

#include "base/buf.h"

struct gateway;

void metrics_print(const struct gateway *g, struct buf *out);

#endif
