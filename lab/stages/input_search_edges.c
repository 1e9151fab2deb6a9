/*
 * The last size with which a way is taken, and the first.
 *
 * "cols / 16 < 375" is true of many sizes, and a table of 4,608 places that is
 * filled behind it is too short for the last of them alone.  So from the shape
 * in which an outcome was found each dimension is made larger until the outcome
 * is another one, and smaller, and the sizes between are halved.
 */
#include "lab/stages/input_search_priv.h"

#include <string.h>

#define COST_MAX  ((uint64_t)1 << 19)
#define LOOKS_MAX 40000
#define FEW       2  /* of what no row goes along */
#define MORE      16 /* where they are cheap */
#define MORE_COST ((uint64_t)1 << 18)
#define EDGE_MIN  64 /* smaller ones are drawn often enough */

struct edges {
	struct op_shape *out;
	size_t n, max;
	uint64_t looks;
};

/* Is the goal's outcome that of the same work item in another shape? */
static bool
stays(struct seek *s, const struct goal *g, const struct op_shape *shape,
    struct edges *e)
{
	struct cond_place at = { 0 };

	if (!seek_is_legal(s->op, shape) ||
	    seek_cost(s->op, shape) > COST_MAX || !seek_place(s, shape, &at))
		return false;
	for (uint32_t d = 0; d < 3; d++)
		at.id[d] = g->id[d] % at.global[d];
	e->looks++;
	return cond_outcome(s->cond, g->point, &at) == (int)g->outcome;
}

static struct op_shape
with(struct seek *s, const struct op_shape *from, size_t arg, uint64_t v)
{
	struct op_shape ret = *from;

	if (s->facts.is_even[arg])
		v -= v % 2;
	*seek_scalar(s->op, arg, &ret) = (uint32_t)v;
	op_close_strides(s->op, &ret);
	return ret;
}

/* Few rows, where that changes nothing. */
static struct op_shape
make_cheap(struct seek *s, const struct goal *g, size_t arg, struct edges *e)
{
	struct op_shape ret = g->shape, fewer;

	op_close_strides(s->op, &ret);
	for (size_t i = 0; i < s->op->nargs; i++) {
		if (i == arg || !seek_is_dimension(s->op, i) ||
		    *seek_scalar(s->op, i, &ret) <= FEW)
			continue;
		fewer = with(s, &ret, i, FEW + (uint64_t)s->facts.is_even[i]);
		if (stays(s, g, &fewer, e))
			ret = fewer;
	}
	return ret;
}

/* From a size with the outcome towards one without: the last that has it. */
static uint64_t
halve(struct seek *s, const struct goal *g, const struct op_shape *from,
    size_t arg, uint64_t has, uint64_t lacks, struct edges *e)
{
	uint64_t step = s->facts.is_even[arg] ? 2 : 1;

	while ((has > lacks ? has - lacks : lacks - has) > step) {
		uint64_t v = (has + lacks) / 2 / step * step;
		struct op_shape now = with(s, from, arg, v);

		if (v == has || v == lacks)
			break;
		if (stays(s, g, &now, e))
			has = v;
		else
			lacks = v;
	}
	return has;
}

/* Rows enough for one element of each part of a row. */
static void
add_rows(struct seek *s, const struct goal *g, size_t arg, struct op_shape *ret,
    struct edges *e)
{
	for (size_t i = 0; i < s->op->nargs; i++) {
		struct op_shape more;

		if (i == arg || !seek_is_dimension(s->op, i) ||
		    seek_is_along(s->op, i) ||
		    *seek_scalar(s->op, i, ret) >= MORE)
			continue;
		more = with(s, ret, i, MORE);
		if (seek_cost(s->op, &more) <= MORE_COST &&
		    stays(s, g, &more, e))
			*ret = more;
	}
}

static void
keep(struct edges *e, const struct op *op, const struct op_shape *shape)
{
	for (size_t i = 0; i < e->n; i++)
		if (op_shape_is_same(op, &e->out[i], shape))
			return;
	if (e->n < e->max)
		e->out[e->n++] = *shape;
}

static void
find(struct seek *s, const struct goal *g, size_t arg, bool up, struct edges *e)
{
	struct op_shape from = make_cheap(s, g, arg, e), now;
	uint64_t has = *seek_scalar(s->op, arg, &from), v = has;

	if (!stays(s, g, &from, e))
		return;
	do {
		has = v;
		v = up ? v * 2 : v / 2;
		now = with(s, &from, arg, v);
		/* What costs too much is no edge. */
		if (v == 0 || !seek_is_legal(s->op, &now) ||
		    seek_cost(s->op, &now) > COST_MAX)
			return;
	} while (stays(s, g, &now, e));
	has = halve(s, g, &from, arg, has, v, e);
	now = with(s, &from, arg, has);
	if (has < EDGE_MIN || !stays(s, g, &now, e))
		return;
	add_rows(s, g, arg, &now, e);
	keep(e, s->op, &now);
}

size_t
seek_edges(struct seek *s, struct op_shape *out, size_t max)
{
	struct edges e = { .out = out, .max = max };

	for (size_t i = 0; i < s->ngoals && e.n < max; i++)
		for (size_t a = 0; a < s->op->nargs; a++)
			for (int up = 1; up >= 0; up--)
				if (s->goals[i].found && e.looks < LOOKS_MAX &&
				    seek_is_dimension(s->op, a))
					find(s, &s->goals[i], a, up == 1, &e);
	return e.n;
}
