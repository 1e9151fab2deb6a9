/*
 * GET /metrics: Toxiproxy's two counters and ours, in Prometheus' text form,
 * counted live (docs/toxiproxy.md lists them).
 */
#ifndef CHAOS_METRICS_H
#define CHAOS_METRICS_H

struct admin_request;

void metrics_get(struct admin_request *r);

#endif
