/*
 * Two decisions, each harmless and each taken both ways, may be joined through
 * a variable, a pointer or an array, which nobody follows.  So shapes are
 * sought in which two outcomes come up together, for every two that sizes
 * decide: of a shape that takes the one and a shape that takes the other, each
 * scalar from either.  A pair that is not found so is left alone.
 */
#include "lab/stages/input_search_priv.h"

#define CROSSINGS      16
#define LOOKS_MAX      60000
#define COST_MAX       ((uint64_t)1 << 17)
#define ROWS_MANY      61
#define MIXED_COST_MAX ((uint64_t)1 << 20)
#define PAD_MAX        9 /* elements */

/* Of the first goals, which a shape takes, as its first work item sees it. */
static uint64_t
taken(const struct seek *s, const struct op_shape *shape)
{
	struct cond_place at = { 0 };
	uint64_t set = 0;

	if (!seek_place(s, shape, &at))
		return 0;
	for (size_t i = 0; i < s->ngoals && i < SEEK_PAIRS_MAX; i++)
		if (cond_outcome(s->cond, s->goals[i].point, &at) ==
		    (int)s->goals[i].outcome)
			set |= (uint64_t)1 << i;
	return set;
}

static void
note(struct seek *s, uint64_t set)
{
	for (size_t i = 0; i < SEEK_PAIRS_MAX; i++)
		if (set >> i & 1)
			s->together[i] |= set;
}

void
seek_know_pairs(struct seek *s, const struct op_shape *shape)
{
	if (s->ngoals > 2)
		note(s, taken(s, shape));
}

/* Each scalar of either; a stride that is too short lies close. */
static void
cross(struct seek *s, const struct op_shape *a, const struct op_shape *b,
    struct op_shape *ret)
{
	uint64_t bits = draw_bits(&s->dice);

	*ret = *a;
	for (size_t i = 0; i < s->op->nargs; i++)
		if (s->op->args[i].kind == OP_UINT && (bits >> i & 1))
			*seek_scalar(s->op, i, ret) =
			    op_scalar_uint(&s->op->args[i], b);
	seek_draw_parameters(s, ret);
	seek_widen_strides(s->op, ret);
}

static bool
is_wanted(const struct seek *s, size_t i, size_t k)
{
	const struct goal *a = &s->goals[i], *b = &s->goals[k];

	return a->found && b->found && a->point != b->point &&
	    (s->together[i] >> k & 1) == 0;
}

/* What is wrong of a row is mostly wrong of some rows only: so many of them,
 * where the outcomes stay. */
static void
add_rows(const struct seek *s, uint32_t rows, uint64_t stays,
    struct op_shape *ret)
{
	struct op_shape many = *ret;

	many.rows = rows;
	if (!s->op->is_elementwise && ret->rows < rows &&
	    seek_is_legal(s->op, &many) && seek_cost(s->op, &many) < COST_MAX &&
	    (taken(s, &many) & stays) == stays)
		*ret = many;
}

static bool
lies_apart(const struct op *op, const struct op_shape *shape)
{
	struct op_shape is = *shape, close = *shape;

	op_close_strides(op, &close);
	for (size_t i = 0; i < op->nargs; i++)
		if (seek_is_stride(op, i) &&
		    *seek_scalar(op, i, &is) == *seek_scalar(op, i, &close))
			return false;
	return true;
}

void
seek_know_mixed(struct seek *s, const struct op_shape *shape, bool is_loose)
{
	if (s->ngoals > 0 && (is_loose || lies_apart(s->op, shape)))
		s->mixed |= taken(s, shape);
}

/* What no first work item takes is no way of a whole launch. */
size_t
seek_mixed(struct seek *s, struct op_shape *out, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < s->ngoals && i < SEEK_PAIRS_MAX && n < max;
	     i++) {
		const struct goal *g = &s->goals[i];

		if (!g->found || s->mixed >> i & 1 || g->cost > 2 * COST_MAX ||
		    !(taken(s, &g->shape) >> i & 1))
			continue;
		out[n] = g->shape;
		s->mixed |= taken(s, &out[n++]);
	}
	return n;
}

void
seek_loosen(struct seek *s, struct op_shape *ret)
{
	uint64_t stays = taken(s, ret);

	for (size_t i = 0; i < s->op->nargs; i++) {
		struct op_shape wider = *ret;

		if (!seek_is_stride(s->op, i))
			continue;
		*seek_scalar(s->op, i, &wider) +=
		    1 + (uint32_t)(draw_bits(&s->dice) % PAD_MAX);
		if (seek_is_legal(s->op, &wider) &&
		    (taken(s, &wider) & stays) == stays)
			*ret = wider;
	}
	for (uint32_t rows = ROWS_MANY; rows > 8; rows /= 2)
		add_rows(s, rows, stays, ret);
}

static bool
find(struct seek *s, size_t i, size_t k, struct op_shape *ret, uint64_t *looks)
{
	uint64_t both = (uint64_t)1 << i | (uint64_t)1 << k;

	for (int n = 0; n < CROSSINGS && *looks < LOOKS_MAX; n++) {
		uint64_t set;

		cross(s, &s->goals[i].shape, &s->goals[k].shape, ret);
		if (!seek_is_legal(s->op, ret) ||
		    seek_cost(s->op, ret) > COST_MAX)
			continue;
		set = taken(s, ret);
		*looks += s->ngoals;
		if ((set & both) != both)
			continue;
		note(s, set);
		add_rows(s, ROWS_MANY, both, ret);
		return true;
	}
	return false;
}

size_t
seek_pairs(struct seek *s, struct op_shape *out, size_t max)
{
	size_t all = s->ngoals < SEEK_PAIRS_MAX ? s->ngoals : SEEK_PAIRS_MAX;
	size_t from = all ? (size_t)(draw_bits(&s->dice) % all) : 0, n = 0;
	uint64_t looks = 0;

	for (size_t a = 0; a < all; a++)
		for (size_t b = a + 1; b < all && n < max; b++) {
			size_t i = (a + from) % all, k = (b + from) % all;

			if (is_wanted(s, i, k) &&
			    find(s, i, k, &out[n], &looks))
				n++;
		}
	return n;
}
