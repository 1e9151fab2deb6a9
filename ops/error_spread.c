/*
 * The factor: of the known-good kernels the worst comes to 1.2, a kernel that
 * cuts long sums to 13 bits to 16 and to 73
 * (tests/corpus/bad/rmsnorm_cut_squares and matmul_cut_sums).
 *
 * One sample far out is luck: in a fiftieth of the seeds some row was exact in
 * each of our orders and not in the kernel's.  So a third of the samples must
 * be above the factor as well, and no order counts as better than one that
 * is off by half of float32's last rounding.
 *
 * Where an eighth of the samples is farther out still, each beside its own
 * orders, it is no luck either, however large the errors of others are: some
 * rows are summed in another way.  Samples that one of our orders has nearly
 * exact tell nothing there: a running mean rounds what a sum does not.
 */
#include "ops/error_spread.h"

#include "base/mem.h"
#include <math.h>
#include <stdlib.h>

#define FACTOR      3.0
#define FAR_FACTOR  20.0
#define SAMPLES_MIN 6
#define ABOVE_SHARE 3 /* one in so many */
#define FAR_MANY    6
#define FAR_SHARE   8
#define FLOORS      1.25
#define SHORTEST    4 /* as a power of two */
#define WORK_MAX    ((uint64_t)1 << 24)

/* Where a length belongs; SPREAD_NLENGTHS: it is too short. */
static size_t
bin_of(uint32_t length)
{
	size_t bits = 0;

	while (length >> (bits + 1))
		bits++;
	if (bits < SHORTEST)
		return SPREAD_NLENGTHS;
	bits -= SHORTEST;
	return bits < SPREAD_NLENGTHS ? bits : SPREAD_NLENGTHS - 1;
}

/* What the element may be off, or 0: nothing is learnt from it. */
static double
unit_of(const struct judge_want *w, size_t i, float got)
{
	double limit = dtype_overflow(w->t) / 2.0;

	if (!isfinite(got) || !isfinite(w->y[i]) || fabs(w->y[i]) > limit ||
	    !isfinite(w->bound[i]) || (w->may && w->may[i] != 0))
		return 0.0;
	return w->bound[i] + dtype_half_ulp(w->t, fabs(w->y[i]));
}

static double
squared(double got, double y, double unit)
{
	double d = (got - y) / unit;

	return d * d;
}

/* What is off by half of float32's last rounding, in units. */
static double
least(double y, double unit)
{
	double d = dtype_half_ulp(DTYPE_F32, y) / 2.0 / unit;

	return d * d;
}

/* The elements [i, i + n), which rest on one sum. */
static void
add_sample(struct spread *s, size_t bin, const struct judge_want *w,
    const float *got, float *const rounded[OP_NORDERS], size_t i, size_t n)
{
	double mine = 0.0, theirs[OP_NORDERS] = { 0.0 }, worst = 0.0;
	double floors = 0.0, best = HUGE_VAL;
	size_t told = 0;

	for (size_t end = i + n; i < end; i++) {
		double unit = unit_of(w, i, got[i]), floor;
		bool finite = unit > 0.0;

		for (int o = 0; o < OP_NORDERS; o++)
			finite &= isfinite(rounded[o][i]) != 0;
		if (!finite)
			continue;
		floor = least(w->y[i], unit);
		floors += floor;
		mine += squared((double)got[i], w->y[i], unit);
		for (int o = 0; o < OP_NORDERS; o++)
			theirs[o] += fmax(floor,
			    squared((double)dtype_round(w->t, rounded[o][i]),
			        w->y[i], unit));
		told++;
	}
	if (told == 0)
		return;
	s->lengths[bin].n++;
	s->lengths[bin].got += mine / (double)told;
	for (int o = 0; o < OP_NORDERS; o++) {
		s->lengths[bin].rounded[o] += theirs[o] / (double)told;
		worst = fmax(worst, theirs[o]);
		best = fmin(best, theirs[o]);
	}
	s->lengths[bin].above += mine > FACTOR * FACTOR * worst;
	if (best <= FLOORS * FLOORS * floors)
		return;
	s->lengths[bin].rounds++;
	s->lengths[bin].far += mine > FAR_FACTOR * FAR_FACTOR * worst;
}

void
spread_add(struct spread *s, const struct op_instance *in,
    const struct judge_want *w, const float *got)
{
	const struct op_sums *sums = in->op->sums;
	uint32_t length = sums ? sums->length(&in->shape) : 0;
	size_t bin = bin_of(length);
	size_t each = in->shape.k > 1 ? 1 : in->out.cols;
	float *rounded[OP_NORDERS];

	if (!sums || bin == SPREAD_NLENGTHS || w->n == 0 ||
	    (uint64_t)in->out.rows * (in->shape.k > 1 ? in->out.cols : 1) *
	            length >
	        WORK_MAX)
		return;
	for (int o = 0; o < OP_NORDERS; o++) {
		rounded[o] = xcalloc(w->n, sizeof *rounded[o]);
		sums->rounded(in, (enum op_order)o, rounded[o]);
	}
	for (size_t i = 0; i + each <= w->n; i += each)
		add_sample(s, bin, w, got, rounded, i, each);
	for (int o = 0; o < OP_NORDERS; o++)
		free(rounded[o]);
}

bool
spread_is_float32(const struct spread *s, double *ret_factor,
    uint32_t *ret_length)
{
	*ret_factor = 0.0;
	*ret_length = 0;
	for (size_t i = 0; i < SPREAD_NLENGTHS; i++) {
		size_t n = s->lengths[i].n;
		double worst = 0.0, factor;

		for (int o = 0; o < OP_NORDERS; o++)
			worst = fmax(worst, s->lengths[i].rounded[o]);
		if (n < SAMPLES_MIN || worst == 0.0)
			continue;
		factor = sqrt(s->lengths[i].got / worst);
		if (s->lengths[i].above * ABOVE_SHARE < n)
			factor = fmin(factor, FACTOR); /* a few were luck */
		if (s->lengths[i].far >= FAR_MANY &&
		    s->lengths[i].far * FAR_SHARE >= s->lengths[i].rounds)
			factor = fmax(factor, FAR_FACTOR);
		if (factor > *ret_factor) {
			*ret_factor = factor;
			*ret_length = 1U << (i + SHORTEST);
		}
	}
	return *ret_factor <= FACTOR;
}
