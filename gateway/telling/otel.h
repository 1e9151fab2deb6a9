/*
 * Spans on their way to an OpenTelemetry collector: OTLP over HTTP, in JSON.
 *
 * Spans are collected as text and sent some at a time by a timer, one request
 * after the other.  A collector that is slow or gone costs nobody anything:
 * what does not fit, or is not taken, is dropped and counted.
 */
#ifndef GATEWAY_OTEL_H
#define GATEWAY_OTEL_H

#include "base/buf.h"
#include "base/loop.h"
#include <stdbool.h>
#include <stdint.h>

struct conf_otlp;
struct fetch_pool;
struct otel;

/* conf and pool are borrowed.  NULL when the configuration has it off; all
 * functions take that. */
struct otel *otel_new(struct loop *l, struct fetch_pool *pool,
    const struct conf_otlp *conf);
void otel_free(struct otel *o);

/* Spans: JSON objects with commas between, n of them. */
void otel_add(struct otel *o, const struct buf *spans, uint64_t n);

/* Sends at once what waits.  True: nothing waits, nothing is under way. */
bool otel_flush(struct otel *o);

uint64_t otel_sent(const struct otel *o);
uint64_t otel_dropped(const struct otel *o);

#endif
