/*
 * Where a number that sizes make is out of the ordinary.
 *
 * "y * (1 + T1[cols & 63] * T2[cols >> 6 & 63])" and "y * (1 + exp(-d * d))"
 * with d = cols - 1357 are y for all sizes but one, and nothing is compared.
 * So each size is gone through by itself, each pitch's gap, both further on by
 * a hundredth each, and from where a number was largest or smallest each other
 * size: whatever makes it least or most, or no number, is launched.
 */
#include "lab/probe/condition_roots.h"
#include "lab/stages/input_search_priv.h"

#include <math.h>
#include <string.h>

#define NUMBERS_MAX 8
#define SWEEP_SIZES 4200 /* past 2^12, of one size alone */
#define SWEEP_GAPS  520  /* past 2^9, of a pitch */
#define SWEEP_MORE  520  /* beside what was found */
#define SMALL       5
#define LOOKS_MAX   400000
#define COST_MAX    ((uint64_t)1 << 18)
#define FAR_COST    ((uint64_t)1 << 20)
#define FAR_PART    128 /* a step, of what it is added to */
#define FAR_SIZES   (1U << 19)

enum end { END_LEAST, END_MOST, END_NAN, NENDS };

struct sweep {
	struct seek *s;
	struct cond_number_place which[NUMBERS_MAX];
	size_t n;
	double ends[NUMBERS_MAX][NENDS];
	struct op_shape shapes[NUMBERS_MAX][NENDS];
	bool is_there[NUMBERS_MAX][NENDS];
	uint64_t looks, cost_max;
};

static struct op_shape
small_shape(struct seek *s, uint32_t n)
{
	struct op_shape ret = s->op->smoke->shape;

	for (size_t i = 0; i < s->op->nargs; i++)
		if (seek_is_dimension(s->op, i))
			*seek_scalar(s->op, i, &ret) =
			    s->facts.is_even[i] ? 2 * n : n;
	op_close_strides(s->op, &ret);
	seek_draw_parameters(s, &ret);
	return ret;
}

static void
keep(struct sweep *w, size_t i, enum end e, double v,
    const struct op_shape *shape)
{
	w->ends[i][e] = v;
	w->shapes[i][e] = *shape;
	w->is_there[i][e] = true;
}

static void
look(struct sweep *w, const struct op_shape *shape)
{
	struct cond_place at = { 0 };

	if (!seek_is_legal(w->s->op, shape) ||
	    seek_cost(w->s->op, shape) > w->cost_max ||
	    !seek_place(w->s, shape, &at))
		return;
	for (size_t i = 0; i < w->n && w->looks < LOOKS_MAX; i++) {
		double v;

		w->looks++;
		if (!cond_number(w->s->cond, &at, w->which[i], &v))
			continue;
		if (!isfinite(v) && !w->is_there[i][END_NAN])
			keep(w, i, END_NAN, v, shape);
		if (!isfinite(v))
			continue;
		if (!w->is_there[i][END_LEAST] || v < w->ends[i][END_LEAST])
			keep(w, i, END_LEAST, v, shape);
		if (!w->is_there[i][END_MOST] || v > w->ends[i][END_MOST])
			keep(w, i, END_MOST, v, shape);
	}
}

/* Strides of now as far over their least as from's are over close's: a gap
 * stays one, as the row grows. */
static void
keep_gaps(const struct op *op, const struct op_shape *from,
    const struct op_shape *close, struct op_shape *now)
{
	struct op_shape tight = *now;

	op_close_strides(op, &tight);
	for (size_t i = 0; i < op->nargs; i++)
		if (seek_is_stride(op, i))
			*seek_scalar(op, i, now) =
			    op_scalar_uint(&op->args[i], &tight) +
			    op_scalar_uint(&op->args[i], from) -
			    op_scalar_uint(&op->args[i], close);
}

/* One size, or a pitch's gap, from so much over its least to so much more. */
static void
sweep_arg(struct sweep *w, const struct op_shape *from, size_t arg,
    uint32_t first, uint32_t n)
{
	const struct op *op = w->s->op;
	struct op_shape close = *from;
	bool is_stride = seek_is_stride(op, arg);
	uint32_t step = w->s->facts.is_even[arg] ? 2 : 1, least = step;

	op_close_strides(op, &close);
	if (is_stride)
		least = op_scalar_uint(&op->args[arg], &close);
	for (uint32_t k = first; k < n && w->looks < LOOKS_MAX;
	     k += first ? k / FAR_PART / step * step : step) {
		struct op_shape now = *from;

		*seek_scalar(op, arg, &now) = least + k;
		if (!is_stride)
			keep_gaps(op, from, &close, &now);
		look(w, &now);
	}
}

static void
sweep_all(struct sweep *w, const struct op_shape *from, uint32_t sizes,
    uint32_t gaps)
{
	const struct op *op = w->s->op;

	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_UINT && seek_is_dimension(op, i))
			sweep_arg(w, from, i, 0, sizes);
		else if (seek_is_stride(op, i))
			sweep_arg(w, from, i, 0, gaps);
}

/* Other sizes are small there, so that it is cheap. */
static void
sweep_far(struct sweep *w)
{
	const struct op *op = w->s->op;
	struct op_shape from = small_shape(w->s, 1);

	w->cost_max = FAR_COST;
	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_UINT && seek_is_dimension(op, i))
			sweep_arg(w, &from, i, SWEEP_SIZES, FAR_SIZES);
		else if (seek_is_stride(op, i))
			sweep_arg(w, &from, i, SWEEP_GAPS, FAR_SIZES);
}

/* Up a hill of which a far step has met the side: by half as much each time. */
static void
climb(struct sweep *w, size_t i, enum end e)
{
	const struct op *op = w->s->op;

	for (size_t arg = 0; arg < op->nargs && w->is_there[i][e]; arg++) {
		struct op_shape at = w->shapes[i][e];
		uint32_t from = op->args[arg].kind == OP_UINT
		    ? *seek_scalar(op, arg, &at)
		    : 0;

		for (uint32_t step = from > SWEEP_GAPS ? from / FAR_PART : 0;
		     step > 0; step /= 2)
			for (uint32_t side = 0; side < 2; side++) {
				uint32_t by = w->s->facts.is_even[arg]
				    ? step & ~1U
				    : step;

				at = w->shapes[i][e];
				*seek_scalar(op, arg, &at) +=
				    side ? by : 0 - by;
				seek_widen_strides(op, &at);
				look(w, &at);
			}
	}
}

static bool
is_listed(const struct op *op, const struct op_shape *out, size_t n,
    const struct op_shape *shape)
{
	for (size_t i = 0; i < n; i++)
		if (op_shape_is_same(op, &out[i], shape))
			return true;
	return false;
}

size_t
seek_roots(const struct seek *s, const struct op_shape *shape,
    const double *fixed, double *out, size_t max)
{
	struct cond_place at = { 0 };

	return seek_place(s, shape, &at)
	    ? cond_roots(s->cond, &at, fixed, out, max)
	    : 0;
}

size_t
seek_numbers(struct seek *s, struct op_shape *out, size_t max)
{
	struct sweep w = { .s = s, .cost_max = COST_MAX };
	struct op_shape from = small_shape(s, SMALL);
	struct cond_place at = { 0 };
	size_t n = 0;

	if (!seek_place(s, &from, &at))
		return 0;
	w.n = cond_numbers(s->cond, &at, w.which, NUMBERS_MAX);
	if (w.n == 0)
		return 0;
	sweep_all(&w, &from, SWEEP_SIZES, SWEEP_GAPS);
	for (size_t i = 0; i < w.n; i++)
		for (enum end e = END_LEAST; e <= END_MOST; e++)
			if (w.is_there[i][e]) {
				from = w.shapes[i][e];
				sweep_all(&w, &from, SWEEP_MORE, SWEEP_MORE);
			}
	sweep_far(&w);
	for (size_t i = 0; i < w.n; i++)
		for (enum end e = END_LEAST; e <= END_MOST; e++)
			climb(&w, i, e);
	for (size_t i = 0; i < w.n; i++)
		for (int e = 0; e < NENDS && n < max; e++)
			if (w.is_there[i][e] &&
			    !is_listed(s->op, out, n, &w.shapes[i][e]))
				out[n++] = w.shapes[i][e];
	return n;
}
