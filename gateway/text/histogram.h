/*
 * A histogram as Prometheus counts them: fixed upper bounds, one addition an
 * observation.
 */
#ifndef GATEWAY_HISTOGRAM_H
#define GATEWAY_HISTOGRAM_H

#include "base/buf.h"
#include <stdint.h>

#define HIST_BOUNDS_MAX 16

enum hist_kind {
	HIST_SECONDS,   /* 10 ms to 80 s */
	HIST_PER_TOKEN, /* 1 ms to 2.5 s */
	HIST_TOKENS,    /* 1 to 16 M */
	HIST_OVERHEAD,  /* 10 us to 10 ms */
	HIST_NKINDS
};

struct hist {
	uint64_t counts[HIST_BOUNDS_MAX + 1]; /* the last: beyond all bounds */
	double sum;
};

void hist_add(struct hist *h, enum hist_kind kind, double v);
/* Adds another one's observations, which are of the same kind. */
void hist_join(struct hist *h, const struct hist *more);
/* The lines of one series; labels without braces, "" for none. */
void hist_print(const struct hist *h, enum hist_kind kind, const char *name,
    const char *labels, struct buf *out);
/* The bound below which a share of the observations lies, 0 for none. */
double hist_quantile(const struct hist *h, enum hist_kind kind, double share);

#endif
