/*
 * A size or a place that is cut to some bits is itself below them: "rows &
 * 0x1fff" is rows for 8,191 of them, and a mask of sixteen bits changes no index
 * of a small tensor.  So each way that sizes decide is gone with each dimension
 * beyond each cut of the program, and with rows so far apart that the last one
 * is.
 */
#include "lab/stages/input_search_priv.h"

#include <string.h>

#define COST_MAX    ((uint64_t)1 << 19)
#define CUTS_MAX    3
#define WAYS_MAX    8 /* dimensions and strides */
#define LOOKS_MAX   60000
#define BEYOND_MAX  40
#define COLUMNS     40
#define COLUMNS_FEW 8

/* Beyond which cut, along which argument, which goals are taken. */
struct beyond {
	uint64_t taken[CUTS_MAX][WAYS_MAX];
	uint64_t looks;
};

static uint32_t
rows_of(const struct op *op, size_t stride, const struct op_shape *s)
{
	const char *name = op->args[stride].name;
	size_t n = strlen(name) - strlen("_stride");

	for (size_t i = 0; i < op->nargs; i++)
		if (strlen(op->args[i].name) == n &&
		    strncmp(op->args[i].name, name, n) == 0)
			return op->extent(s, i).rows;
	return 0;
}

/* One dimension, or a stride's last row, a little beyond the cut. */
static bool
go_beyond(struct seek *s, uint64_t cut, size_t arg, struct op_shape *ret)
{
	uint64_t v = cut + 2 + draw_bits(&s->dice) % BEYOND_MAX;
	uint32_t *at = seek_scalar(s->op, arg, ret), rows;

	if (seek_is_stride(s->op, arg)) {
		rows = rows_of(s->op, arg, ret);
		if (rows < 2)
			return false;
		v = v / (rows - 1) + *at;
	}
	*at = (uint32_t)(v + (s->facts.is_even[arg] && v % 2));
	seek_widen_strides(s->op, ret);
	return seek_is_legal(s->op, ret) && seek_cost(s->op, ret) <= COST_MAX;
}

/* Of the first goals, which are taken where they were come to. */
static uint64_t
taken_in(struct seek *s, const struct op_shape *shape, struct beyond *b)
{
	struct cond_place at = { 0 };
	uint64_t set = 0;

	if (!seek_place(s, shape, &at))
		return 0;
	for (size_t i = 0; i < s->ngoals && i < SEEK_PAIRS_MAX; i++) {
		const struct goal *g = &s->goals[i];

		for (uint32_t d = 0; d < 3; d++)
			at.id[d] = g->id[d] % at.global[d];
		b->looks++;
		if (cond_outcome(s->cond, g->point, &at) == (int)g->outcome)
			set |= (uint64_t)1 << i;
	}
	return set;
}

/* Columns enough for all lanes of a group, where the goal stays. */
static void
add_columns(struct seek *s, size_t goal, struct op_shape *ret, uint64_t *set,
    struct beyond *b)
{
	struct op_shape more = *ret;
	uint64_t taken;

	for (size_t i = 0; i < s->op->nargs; i++)
		if (seek_is_dimension(s->op, i) && seek_is_along(s->op, i) &&
		    *seek_scalar(s->op, i, &more) < COLUMNS)
			*seek_scalar(s->op, i, &more) = COLUMNS;
	seek_widen_strides(s->op, &more);
	if (!seek_is_legal(s->op, &more) || seek_cost(s->op, &more) > COST_MAX)
		return;
	taken = taken_in(s, &more, b);
	if (taken >> goal & 1) {
		*ret = more;
		*set = taken;
	}
}

/* A goal's shape beyond a cut; where that is dear, with fewer columns. */
static bool
make(struct seek *s, const struct goal *g, uint64_t cut, size_t arg,
    struct op_shape *ret)
{
	*ret = g->shape;
	if (go_beyond(s, cut, arg, ret))
		return true;
	*ret = g->shape;
	for (size_t i = 0; i < s->op->nargs; i++)
		if (seek_is_dimension(s->op, i) && seek_is_along(s->op, i) &&
		    *seek_scalar(s->op, i, ret) > COLUMNS_FEW)
			*seek_scalar(s->op, i, ret) = COLUMNS_FEW;
	op_close_strides(s->op, ret);
	return go_beyond(s, cut, arg, ret);
}

static bool
find(struct seek *s, size_t goal, uint64_t cut, struct beyond *b, size_t nth,
    struct op_shape *ret)
{
	size_t way = 0;

	for (size_t i = 0; i < s->op->nargs && way < WAYS_MAX; i++) {
		uint64_t set;

		if (!seek_is_dimension(s->op, i) && !seek_is_stride(s->op, i))
			continue;
		if (b->taken[nth][way++] >> goal & 1)
			continue;
		if (!make(s, &s->goals[goal], cut, i, ret))
			continue;
		set = taken_in(s, ret, b);
		if (!(set >> goal & 1))
			continue;
		add_columns(s, goal, ret, &set, b);
		b->taken[nth][way - 1] |= set;
		return true;
	}
	return false;
}

size_t
seek_beyond_cuts(struct seek *s, struct op_shape *out, size_t max)
{
	uint64_t cuts[CUTS_MAX];
	size_t ncuts = cond_cuts(s->p, cuts, CUTS_MAX), n = 0;
	struct beyond b = { 0 };

	/* First what no case that there is anyway takes. */
	for (int known = 0; known < 2; known++)
		for (size_t k = 0; k < ncuts; k++)
			for (size_t i = 0; i < s->ngoals &&
			     i < SEEK_PAIRS_MAX && b.looks < LOOKS_MAX;
			     i++)
				while (n < max && s->goals[i].found &&
				    s->goals[i].known == (known == 1) &&
				    b.looks < LOOKS_MAX &&
				    find(s, i, cuts[k], &b, k, &out[n]))
					n++;
	return n;
}
