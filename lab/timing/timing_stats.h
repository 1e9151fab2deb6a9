/* The arithmetic of timing.  Pure. */
#ifndef LAB_TIMING_STATS_H
#define LAB_TIMING_STATS_H

#include "lab/timing/timing.h"

/* Quantile q of n values in order, interpolated; 0 of none. */
double timing_quantile(const double *sorted, size_t n, double q);

/* Sorts both arrays of n. */
void timing_summarize(double *parent_ms, double *device_ms, size_t n,
    struct lab_series *ret);

/*
 * The floor of a size.  Reads and writes are told apart: reading runs at the
 * reading kernel's rate, writing at what is left of the triad once its reads
 * are paid for.
 */
void timing_floor(const struct lab_machine *m, const struct op_traffic *t,
    double flops, struct lab_timing_size *ret);

/* Speed-up, roofline, score and status, once both series are in. */
void timing_judge(struct lab_timing_size *s);

/* Geometric mean of the speed-ups; 0 when there is none, or one that is not
 * claimed. */
double timing_mean(const struct lab_timing *t);

#endif
