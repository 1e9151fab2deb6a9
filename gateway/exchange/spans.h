/*
 * A request and its attempts as OpenTelemetry spans, with the attributes of
 * the GenAI conventions.  A client's traceparent is continued, and what it
 * does not sample is not exported.
 */
#ifndef GATEWAY_SPANS_H
#define GATEWAY_SPANS_H

#include "gateway/decisions/failure_cause.h"

struct call;

/* Hands the spans of a call that has ended to its gateway's exporter, which it
 * has. */
void spans_export(const struct call *c, int status, enum cause cause);

#endif
