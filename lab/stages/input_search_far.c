/*
 * Shapes of launches far out (huge_launch.h) for each way that a kernel can go.
 *
 * Places of 32 bits are mostly written in a path of its own: for rows that lie
 * close, for one row or column, for wide or aligned rows.  So what no far shape
 * takes yet is sought among far shapes, once with far strides and once with
 * sizes whose product passes 2^32.
 *
 * A way that no far shape takes may be guarded.  Behind a guard that looks at
 * one stride the others are far, and behind one that looks at all but one this
 * one is; behind one that looks at the sizes, they are as far as it lets them
 * be: who counts in floats there errs below 2^32.  Behind one that lets a single
 * number through, the shape that was found for it is stretched.
 */
#include "lab/stages/input_search_priv.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define TRIES_MAX  1500
#define LOOKS_MAX  150000
#define PLACES     5
#define FAR_BITS   32 /* what a tensor passes, in elements */
#define SPAN_BITS  50 /* and what it does not */
#define ROWS_BITS  32 /* of a tensor whose rows are a product */
#define ITEMS_BITS 31
#define STRIDE_MIN ((uint32_t)1 << 27)
#define WALK_MAX   4096 /* columns or terms, beside far strides */

#define STRIDES_MAX    3
#define DIMENSIONS_MAX 3
#define WIDTHS         3 /* of the other dimensions: 1, small and odd, a thousand */
#define DIMENSION_FAR  ((uint32_t)1 << 26)
#define GUARD_TRIES    160
#define GUARD_LOOKS    60000
#define FAR_LEAST      12 /* as a power of two */
#define FAR_MOST       31
#define OCTAVE         6                   /* tries in one */
#define STEP_FAR       ((uint64_t)1 << 22) /* nobody walks less in vain */
#define SIZE_MOST      ((uint64_t)INT32_MAX)

enum kind {
	FAR_STRIDES,
	FAR_SIZES,
	FAR_BUT_ONE,                           /* stride, for each of them */
	FAR_ALONE = FAR_BUT_ONE + STRIDES_MAX, /* the same stride */
	AS_FAR = FAR_ALONE + STRIDES_MAX, /* dimension, beside each of WIDTHS */
	NKINDS = AS_FAR + DIMENSIONS_MAX * WIDTHS
};

struct far_search {
	struct seek *s;
	bool *met[NKINDS]; /* owned: of each goal */
	uint64_t looks;
};

static bool
fits(const struct op *op, const struct op_shape *shape)
{
	for (size_t i = 0; i < op->nargs; i++) {
		struct op_extent e;

		if (op->args[i].kind != OP_IN && op->args[i].kind != OP_OUT)
			continue;
		e = op->extent(shape, i);
		if ((uint64_t)e.rows *
		        (e.stride > e.cols ? e.stride : e.cols) >>
		    SPAN_BITS)
			return false;
	}
	return (uint64_t)shape->batch * shape->seq >> ROWS_BITS == 0;
}

/* Is it one that a machine can be given, and of this kind?  With far strides
 * the last row of every tensor is, where there are several. */
static bool
is_far(const struct seek *s, const struct op_shape *shape, enum kind kind)
{
	bool some = false, all = true, pitched = kind != FAR_STRIDES;

	if (!fits(s->op, shape))
		return false;
	if (kind > FAR_SIZES)
		return true;
	for (size_t i = 0; i < s->op->nargs; i++) {
		struct op_extent e;
		uint64_t stride, reach;

		if (s->op->args[i].kind != OP_IN &&
		    s->op->args[i].kind != OP_OUT)
			continue;
		e = s->op->extent(shape, i);
		stride = e.stride > e.cols ? e.stride : e.cols;
		reach = (e.rows - 1) *
		    (kind == FAR_STRIDES ? stride : (uint64_t)e.cols);
		some |= reach >> FAR_BITS != 0;
		pitched |= stride >= STRIDE_MIN && e.rows > 1;
		all &= e.rows == 1 || stride < STRIDE_MIN ||
		    reach >> FAR_BITS != 0;
	}
	return some && pitched && (kind == FAR_SIZES || all);
}

static bool
has_room(const struct cond_place *at)
{
	for (uint32_t d = 0; d < 3; d++)
		if (at->global[d] >> ITEMS_BITS)
			return false;
	return true;
}

/* Marks what a shape takes; was anything of it new? */
static bool
meet(struct far_search *f, const struct op_shape *shape, enum kind kind)
{
	struct cond_place at = { 0 };
	bool is_new = false;

	if (!is_far(f->s, shape, kind) || !seek_place(f->s, shape, &at) ||
	    !has_room(&at))
		return false;
	for (uint32_t n = 0; n < PLACES; n++) {
		seek_draw_place(f->s, n, &at);
		for (size_t i = 0; i < f->s->ngoals; i++) {
			const struct goal *g = &f->s->goals[i];

			if (f->met[kind][i])
				continue;
			f->looks++;
			if (cond_outcome(f->s->cond, g->point, &at) !=
			    (int)g->outcome)
				continue;
			f->met[kind][i] = true;
			is_new = true;
		}
	}
	return is_new;
}

/* A size that is not far: 1, small and odd, near a constant, round. */
static uint32_t
draw_near(struct seek *s)
{
	uint64_t bits = draw_bits(&s->dice);
	uint64_t v = 5 + 2 * ((bits >> 8) % 3);

	if (bits % 8 == 0)
		v = 1;
	else if (bits % 8 == 1)
		v = (uint64_t)1 << (bits >> 8) % 12;
	else if (bits % 8 < 5 && s->nwhole > 0)
		v = s->whole[(bits >> 8) % s->nwhole] * (1 + (bits >> 24) % 3) +
		    (bits >> 32) % 3 - 1;
	return v < 1 || v > WALK_MAX ? 7 : (uint32_t)v;
}

static void
draw_sizes(struct seek *s, enum kind kind, struct op_shape *ret)
{
	uint64_t bits = draw_bits(&s->dice);
	size_t first = bits % s->op->nargs, second = (bits >> 8) % s->op->nargs;
	uint32_t far_bits =
	    first == second ? 30 : 16 + (uint32_t)(bits >> 16) % 3;

	*ret = s->op->smoke->shape;
	for (size_t i = 0; i < s->op->nargs; i++) {
		uint32_t *v;

		if (s->op->args[i].kind != OP_UINT ||
		    !seek_is_dimension(s->op, i))
			continue;
		v = seek_scalar(s->op, i, ret);
		*v = draw_near(s);
		if (kind == FAR_SIZES && (i == first || i == second))
			*v = ((uint32_t)1 << far_bits) +
			    (uint32_t)(draw_bits(&s->dice) % 4096);
		if (s->facts.is_even[i])
			*v = *v / 2 * 2 + 2;
	}
	if (kind == FAR_STRIDES && bits >> 24 & 1)
		ret->rows += 64;
}

/* Close, alike, or each its own; in units of some power of two. */
static void
draw_strides(struct seek *s, enum kind kind, struct op_shape *ret)
{
	uint64_t bits = draw_bits(&s->dice);
	uint32_t unit = (uint32_t)1 << bits % 7, of_all, way = bits >> 8 & 3;

	op_close_strides(s->op, ret);
	of_all = (uint32_t)(INT32_MAX - (bits >> 16) % 4096);
	for (size_t i = 0; i < s->op->nargs; i++) {
		uint32_t *v, cols;

		if (!seek_is_stride(s->op, i))
			continue;
		v = seek_scalar(s->op, i, ret);
		cols = *v;
		bits = draw_bits(&s->dice);
		if (kind == FAR_STRIDES)
			*v = (way == 0 ? of_all
			               : (uint32_t)(INT32_MAX - bits % 4096)) /
			    unit * unit;
		else if (way != 0)
			*v = (cols + (uint32_t)(bits % 65) + unit - 1) / unit *
			    unit;
		*v = *v < cols ? cols : *v;
	}
}

static bool
is_all_met(const struct far_search *f, enum kind kind)
{
	for (size_t i = 0; i < f->s->ngoals; i++)
		if (!f->met[kind][i])
			return false;
	return true;
}

/* The others are far, or it is alone, the rows many. */
static void
draw_but_one(struct seek *s, size_t one, bool is_alone, struct op_shape *ret)
{
	size_t nth = 0;

	draw_sizes(s, FAR_STRIDES, ret);
	ret->rows |= 64;
	draw_strides(s, FAR_STRIDES, ret);
	for (size_t i = 0; i < s->op->nargs; i++) {
		struct op_shape close = *ret;

		if (!seek_is_stride(s->op, i) || (nth++ == one) == is_alone)
			continue;
		op_close_strides(s->op, &close);
		*seek_scalar(s->op, i, ret) = *seek_scalar(s->op, i, &close);
	}
}

/* The n-th dimension of the operator; nargs: it has no more. */
static size_t
dimension(const struct op *op, size_t n)
{
	size_t i = 0;

	for (; i < op->nargs; i++)
		if (op->args[i].kind == OP_UINT && seek_is_dimension(op, i) &&
		    n-- == 0)
			break;
	return i;
}

/* One dimension between three quarters of 2^bits and all of it. */
static void
draw_as_far(struct seek *s, size_t far, uint32_t width, uint32_t bits,
    struct op_shape *ret)
{
	uint64_t dice = draw_bits(&s->dice);

	*ret = s->op->smoke->shape;
	for (size_t n = 0, i; (i = dimension(s->op, n)) < s->op->nargs; n++) {
		uint32_t *v = seek_scalar(s->op, i, ret);

		*v = 1;
		if (width == 1 || (width == 2 && n > 1))
			*v = 3 + 2 * (uint32_t)((dice >> 4 * n) % 3);
		else if (width == 2)
			*v = 900 + (uint32_t)((dice >> 4 * n) % 200);
		if (i == far)
			*v = (uint32_t)(((uint64_t)3 << bits) / 4 +
			    (dice >> 32) % (((uint64_t)1 << bits) / 4));
		*v += s->facts.is_even[i] && *v % 2;
	}
	seek_draw_parameters(s, ret);
	draw_strides(s, FAR_SIZES, ret);
}

/* Behind a guard that looks at one stride, or at all but one: only what far
 * ones do not take. */
static size_t
seek_but_one(struct far_search *f, enum kind kind, struct op_shape *out,
    size_t max)
{
	bool is_alone = kind >= FAR_ALONE;
	size_t one = kind - (is_alone ? FAR_ALONE : FAR_BUT_ONE), n = 0;

	memcpy(f->met[kind], f->met[FAR_STRIDES],
	    f->s->ngoals * sizeof **f->met);
	f->looks = 0;
	for (int i = 0; i < GUARD_TRIES && n < max && f->looks < GUARD_LOOKS &&
	     !is_all_met(f, kind);
	     i++) {
		struct op_shape shape;

		draw_but_one(f->s, one, is_alone, &shape);
		if (meet(f, &shape, kind))
			out[n++] = shape;
	}
	return n;
}

/* What no shape takes whose dimension is far: from far to near. */
static size_t
seek_as_far(struct far_search *f, size_t nth, uint32_t width,
    struct op_shape *out, size_t max)
{
	enum kind kind = (enum kind)(AS_FAR + nth * WIDTHS + width);
	size_t n = 0, arg = dimension(f->s->op, nth);

	f->looks = 0;
	for (uint32_t i = 0;
	     arg < f->s->op->nargs && i < OCTAVE * (FAR_MOST - FAR_LEAST) &&
	     n < max && f->looks < GUARD_LOOKS && !is_all_met(f, kind);
	     i++) {
		struct op_shape shape;

		draw_as_far(f->s, arg, width, FAR_MOST - i / OCTAVE, &shape);
		if (meet(f, &shape, kind))
			out[n++] = shape;
	}
	return n;
}

/* A shape whose dimension is far takes some of it. */
static void
know_as_far(struct far_search *f, const struct op_shape *shape)
{
	struct op_shape at = *shape;

	for (size_t nth = 0; nth < DIMENSIONS_MAX; nth++) {
		size_t arg = dimension(f->s->op, nth);

		if (arg == f->s->op->nargs ||
		    *seek_scalar(f->s->op, arg, &at) < DIMENSION_FAR)
			continue;
		for (size_t w = 0; w < WIDTHS; w++)
			meet(f, shape, (enum kind)(AS_FAR + nth * WIDTHS + w));
	}
}

/* A way that nothing but an empty shape goes has no far end. */
static bool
writes(const struct op *op, const struct op_shape *shape)
{
	for (size_t i = 0; i < op->nargs; i++) {
		struct op_extent e;

		if (op->args[i].kind != OP_OUT)
			continue;
		e = op->extent(shape, i);
		return e.rows > 0 && e.cols > 0;
	}
	return false;
}

/* Does a work item of the shape, which writes something, go the way? */
static bool
takes(struct far_search *f, const struct op_shape *shape, const struct goal *g)
{
	struct cond_place at = { 0 };

	if (!fits(f->s->op, shape) || !writes(f->s->op, shape) ||
	    !seek_place(f->s, shape, &at) || !has_room(&at))
		return false;
	for (uint32_t d = 0; d < 3; d++)
		at.id[d] = g->id[d] % at.global[d];
	f->looks++;
	return cond_outcome(f->s->cond, g->point, &at) == (int)g->outcome;
}

/* From a shape that goes the i-th way, one dimension as far as it lets it be.
 */
static bool
stretch(struct far_search *f, size_t i, size_t nth, struct op_shape *ret)
{
	const struct goal *g = &f->s->goals[i];
	size_t arg = dimension(f->s->op, nth);

	for (uint32_t bits = FAR_MOST; bits >= FAR_LEAST; bits--) {
		uint64_t dice = draw_bits(&f->s->dice);
		uint32_t *v = seek_scalar(f->s->op, arg, ret);

		*ret = g->shape;
		*v = (uint32_t)(((uint64_t)3 << bits) / 4 +
		    dice % (((uint64_t)1 << bits) / 4));
		*v += f->s->facts.is_even[arg] && *v % 2;
		seek_widen_strides(f->s->op, ret);
		if (takes(f, ret, g))
			return true;
	}
	return false;
}

static bool
is_met_as_far(const struct far_search *f, size_t i, size_t nth)
{
	for (size_t w = 0; w < WIDTHS; w++)
		if (f->met[AS_FAR + nth * WIDTHS + w][i])
			return true;
	return false;
}

/* Behind a guard that lets one number through, by luck nobody comes: "pitch ==
 * 1069" beside many rows. */
static size_t
seek_stretched(struct far_search *f, struct op_shape *out, size_t max)
{
	size_t n = 0;

	f->looks = 0;
	for (size_t i = 0; i < f->s->ngoals; i++)
		for (size_t nth = 0;
		     nth < DIMENSIONS_MAX && n < max && f->looks < GUARD_LOOKS;
		     nth++) {
			if (!f->s->goals[i].found ||
			    dimension(f->s->op, nth) == f->s->op->nargs ||
			    is_met_as_far(f, i, nth) ||
			    !stretch(f, i, nth, &out[n]))
				continue;
			meet(f, &out[n], (enum kind)(AS_FAR + nth * WIDTHS));
			f->met[AS_FAR + nth * WIDTHS][i] = true;
			n++;
		}
	return n;
}

static size_t
seek_behind_guards(struct far_search *f, const struct op_shape *have,
    size_t nhave, struct op_shape *out, size_t max)
{
	size_t n = 0, strides = 0;

	for (size_t i = 0; i < f->s->op->nargs; i++)
		strides += seek_is_stride(f->s->op, i);
	for (size_t k = 0; k < strides && k < STRIDES_MAX; k++) {
		n += seek_but_one(f, (enum kind)(FAR_BUT_ONE + k), out + n,
		    max - n);
		n += seek_but_one(f, (enum kind)(FAR_ALONE + k), out + n,
		    max - n);
	}
	for (size_t i = 0; i < nhave; i++)
		know_as_far(f, &have[i]);
	for (uint32_t k = 0; k < DIMENSIONS_MAX * WIDTHS; k++)
		n += seek_as_far(f, k % DIMENSIONS_MAX, k / DIMENSIONS_MAX,
		    out + n, max - n);
	return n;
}

/* A large prime of the program's as one size, the others small: who goes on by
 * it, and takes what is left of a size, comes by each place of all others. */
static size_t
seek_far_steps(const struct seek *s, struct op_shape *out, size_t max)
{
	size_t n = 0;

	for (size_t k = 0; k < s->nwhole; k++) {
		uint64_t v = s->whole[k];

		if (2 * v < STEP_FAR || v > SIZE_MOST || !seek_is_prime(v))
			continue;
		for (size_t arg = 0; arg < s->op->nargs && n < max; arg++) {
			uint64_t size = v << s->facts.is_even[arg];

			if (seek_is_dimension(s->op, arg) && size >= STEP_FAR &&
			    size <= SIZE_MOST)
				seek_alone(s, (uint32_t)v, arg, &out[n++]);
		}
	}
	return n;
}

size_t
seek_far(struct seek *s, const struct op_shape *have, size_t nhave,
    struct op_shape *out, size_t max)
{
	struct far_search f = { .s = s };
	size_t n = 0;

	for (int k = 0; k < NKINDS; k++)
		f.met[k] = xcalloc(s->ngoals + 1, sizeof **f.met);
	/* Nobody looks for what cannot be, whatever the kind. */
	for (size_t i = 0; i < s->ngoals; i++)
		if (seek_is_impossible(s, s->goals[i].point,
		        s->goals[i].outcome))
			for (int k = 0; k < NKINDS; k++)
				f.met[k][i] = true;
	for (int k = FAR_STRIDES; k <= FAR_SIZES; k++)
		for (size_t i = 0; i < nhave; i++)
			meet(&f, &have[i], (enum kind)k);
	for (size_t i = 0; i < TRIES_MAX && n < max && f.looks < LOOKS_MAX &&
	     !(is_all_met(&f, FAR_STRIDES) && is_all_met(&f, FAR_SIZES));
	     i++) {
		enum kind kind = (enum kind)(i % (FAR_SIZES + 1));
		struct op_shape shape;

		draw_sizes(s, kind, &shape);
		draw_strides(s, kind, &shape);
		if (meet(&f, &shape, kind))
			out[n++] = shape;
	}
	n += seek_behind_guards(&f, have, nhave, out + n, SEEK_GUARDED_MAX);
	n += seek_stretched(&f, out + n, SEEK_STRETCHED_MAX);
	n += seek_far_steps(s, out + n, SEEK_STEPS_MAX);
	for (int k = 0; k < NKINDS; k++)
		free(f.met[k]);
	return n;
}
