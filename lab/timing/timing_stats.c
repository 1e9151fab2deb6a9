/*
 * Medians and their spread, because the noise of a shared machine is one-sided:
 * a mean would move with every neighbour.
 */
#include "lab/timing/timing_stats.h"

#include "lab/timing/timing_plausible.h"
#include <math.h>
#include <stdlib.h>

#define NOISY_PART 0.10

static int
by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

double
timing_quantile(const double *sorted, size_t n, double q)
{
	double at = n > 0 ? q * (double)(n - 1) : 0;
	size_t i = (size_t)at;

	if (n == 0)
		return 0;
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

void
timing_summarize(double *parent_ms, double *device_ms, size_t n,
    struct lab_series *ret)
{
	qsort(parent_ms, n, sizeof *parent_ms, by_value);
	qsort(device_ms, n, sizeof *device_ms, by_value);
	ret->median_ms = timing_quantile(parent_ms, n, 0.5);
	ret->q1_ms = timing_quantile(parent_ms, n, 0.25);
	ret->q3_ms = timing_quantile(parent_ms, n, 0.75);
	ret->device_ms = timing_quantile(device_ms, n, 0.5);
	ret->samples = n;
	ret->is_noisy = ret->q3_ms - ret->q1_ms > NOISY_PART * ret->median_ms;
}

/* Milliseconds a byte written costs: the triad writes one for two read. */
static double
write_ms(const struct lab_machine *m)
{
	double read = 1e-6 / m->read_gbs, triad = 1e-6 / m->triad_gbs;
	double rest = 3 * triad - 2 * read;

	return rest > read ? rest : read;
}

void
timing_floor(const struct lab_machine *m, const struct op_traffic *t,
    double flops, struct lab_timing_size *ret)
{
	ret->bytes = t->read_bytes + t->written_bytes;
	ret->flops = flops;
	ret->memory_ms =
	    t->read_bytes * 1e-6 / m->read_gbs + t->written_bytes * write_ms(m);
	ret->flops_ms = flops * 1e-6 / m->peak_gflops;
	ret->floor_ms = fmax(ret->memory_ms, ret->flops_ms);
}

void
timing_judge(struct lab_timing_size *s)
{
	double t = s->candidate.median_ms, base = s->plain.median_ms;

	s->status = timing_plausibility(s);
	s->speedup = s->roofline = s->sol = (double)NAN;
	if (s->status == LAB_TIMING_IMPOSSIBLE ||
	    s->status == LAB_TIMING_CLOCKS)
		return;
	s->speedup = base / t;
	s->roofline = s->floor_ms / t;
	if (base > s->floor_ms)
		s->sol = 1 / (1 + (t - s->floor_ms) / (base - s->floor_ms));
}

double
timing_mean(const struct lab_timing *t)
{
	double sum = 0;

	for (size_t i = 0; i < t->nsizes; i++) {
		if (isnan(t->sizes[i].speedup))
			return 0;
		sum += log(t->sizes[i].speedup);
	}
	return t->nsizes ? exp(sum / (double)t->nsizes) : 0;
}
