/*
 * Shapes of launches far out (huge_launch.h) for each way that a kernel can go.
 *
 * Places of 32 bits are mostly written in a path of its own: for rows that lie
 * close, for one row or column, for wide or aligned rows.  So what no far shape
 * takes yet is sought among far shapes, once with far strides and once with
 * sizes whose product passes 2^32.
 */
#include "lab/stages/input_search_priv.h"

#include "base/mem.h"
#include <stdlib.h>

#define TRIES_MAX  1500
#define LOOKS_MAX  150000
#define PLACES     5
#define FAR_BITS   32 /* what a tensor passes, in elements */
#define SPAN_BITS  40 /* and what it does not */
#define ROWS_BITS  28 /* of a tensor whose rows are a product */
#define ITEMS_BITS 31
#define STRIDE_MIN ((uint32_t)1 << 27)
#define WALK_MAX   4096 /* columns or terms, beside far strides */

enum kind { FAR_STRIDES, FAR_SIZES, NKINDS };

struct far_search {
	struct seek *s;
	bool *met[NKINDS]; /* owned: of each goal */
	uint64_t looks;
};

/* Is it one that a machine can be given, and of this kind?  With far strides
 * the last row of every tensor is, where there are several. */
static bool
is_far(const struct seek *s, const struct op_shape *shape, enum kind kind)
{
	bool some = false, all = true;

	for (size_t i = 0; i < s->op->nargs; i++) {
		struct op_extent e;
		uint64_t stride, reach;

		if (s->op->args[i].kind != OP_IN &&
		    s->op->args[i].kind != OP_OUT)
			continue;
		e = s->op->extent(shape, i);
		stride = e.stride > e.cols ? e.stride : e.cols;
		if (e.rows * stride >> SPAN_BITS)
			return false;
		reach = (e.rows - 1) *
		    (kind == FAR_STRIDES ? stride : (uint64_t)e.cols);
		some |= reach >> FAR_BITS != 0;
		all &= e.rows == 1 || stride < STRIDE_MIN ||
		    reach >> FAR_BITS != 0;
	}
	return some && (kind == FAR_SIZES || all);
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
is_all_met(const struct far_search *f)
{
	for (size_t i = 0; i < f->s->ngoals; i++)
		for (int k = 0; k < NKINDS; k++)
			if (!f->met[k][i])
				return false;
	return true;
}

size_t
seek_far(struct seek *s, const struct op_shape *have, size_t nhave,
    struct op_shape *out, size_t max)
{
	struct far_search f = { .s = s };
	size_t n = 0;

	for (int k = 0; k < NKINDS; k++) {
		f.met[k] = xcalloc(s->ngoals + 1, sizeof **f.met);
		for (size_t i = 0; i < s->ngoals; i++)
			f.met[k][i] = seek_is_impossible(s, s->goals[i].point,
			    s->goals[i].outcome);
		for (size_t i = 0; i < nhave; i++)
			meet(&f, &have[i], (enum kind)k);
	}
	for (size_t i = 0;
	     i < TRIES_MAX && n < max && f.looks < LOOKS_MAX && !is_all_met(&f);
	     i++) {
		enum kind kind = (enum kind)(i % NKINDS);
		struct op_shape shape;

		draw_sizes(s, kind, &shape);
		draw_strides(s, kind, &shape);
		if ((uint64_t)shape.batch * shape.seq >> ROWS_BITS == 0 &&
		    meet(&f, &shape, kind))
			out[n++] = shape;
	}
	for (int k = 0; k < NKINDS; k++)
		free(f.met[k]);
	return n;
}
