/*
 * Two decisions, each harmless and each taken both ways, may be joined through
 * a variable, a pointer or an array, which nobody follows.  So shapes are
 * sought in which two outcomes come up together, for every two that sizes
 * decide: of a shape that takes the one and a shape that takes the other, each
 * scalar from either.  A pair that is not found so is left alone.
 */
#include "lab/stages/input_search_priv.h"

#include <string.h>

#define CROSSINGS      40
#define LOOKS_MAX      100000
#define COST_MAX       ((uint64_t)1 << 17)
#define DEAR_COST_MAX  ((uint64_t)3 << 20)
#define DEAR_MAX       2 /* of such, a program */
#define DEAR_JOINED    1 /* and of those that join more than two */
#define JOINED_MAX     4
#define RARE           4   /* of so many items, at most one takes it */
#define JOININGS       100 /* tries for one more */
#define ROWS_MANY      61
#define MIXED_COST_MAX ((uint64_t)1 << 20)
#define PAD_MAX        9 /* elements */
#define STRIDES_MAX    3
#define LEFT_OF        48U
#define COLUMNS_LEAST  40U /* where one or two show little */
#define COLUMNS_MORE   3U  /* as a power of two */

/* How much was looked at for pairs, and how many dear shapes were found. */
struct looked {
	uint64_t looks;
	unsigned dear;
};

/* Of the first goals, which the work item at a place takes. */
static uint64_t
taken_at(const struct seek *s, const struct cond_place *at)
{
	uint64_t set = 0;

	for (size_t i = 0; i < s->ngoals && i < SEEK_PAIRS_MAX; i++)
		if (cond_outcome(s->cond, s->goals[i].point, at) ==
		    (int)s->goals[i].outcome)
			set |= (uint64_t)1 << i;
	return set;
}

/* Which a shape takes, as its first work item sees it. */
static uint64_t
taken(const struct seek *s, const struct op_shape *shape)
{
	struct cond_place at = { 0 };

	return seek_place(s, shape, &at) ? taken_at(s, &at) : 0;
}

/* Does the place where a goal was come to take it in another shape? */
static bool
takes(const struct seek *s, const struct op_shape *shape, const struct goal *g)
{
	struct cond_place at = { 0 };

	if (!seek_place(s, shape, &at))
		return false;
	for (uint32_t d = 0; d < 3; d++)
		at.id[d] = g->id[d] % at.global[d];
	return cond_outcome(s->cond, g->point, &at) == (int)g->outcome;
}

static void
note(struct seek *s, uint64_t set)
{
	for (size_t i = 0; i < SEEK_PAIRS_MAX; i++)
		if (set >> i & 1)
			s->together[i] |= set;
}

/* What a work item of a launch takes. */
static void
note_launched(struct seek *s, uint64_t set)
{
	bool is_known = s->nsets == SEEK_SETS_MAX;

	note(s, set);
	s->nlaunched++;
	for (size_t i = 0; i < SEEK_PAIRS_MAX; i++)
		s->often[i] += (uint32_t)(set >> i & 1);
	for (size_t i = 0; i < s->nsets && !is_known; i++)
		is_known = s->sets[i] == set;
	if (!is_known)
		s->sets[s->nsets++] = set;
}

/* Whether the work items at the ends of a shape's launch, or those that took
 * either of two goals elsewhere, take what both stands for. */
static bool
takes_both(struct seek *s, const struct op_shape *shape, uint64_t both,
    const struct goal *a, const struct goal *b)
{
	struct cond_place at = { 0 };
	bool is = false;

	if (!seek_place(s, shape, &at))
		return false;
	for (uint32_t n = 0; n < 4 && !is; n++) {
		const uint64_t *id = n == 2 ? a->id : b->id;
		uint64_t set;

		for (uint32_t d = 0; d < 3; d++)
			at.id[d] = n == 0 ? 0
			    : n == 1      ? at.global[d] - 1
			                  : id[d] % at.global[d];
		set = taken_at(s, &at);
		is = (set & both) == both;
		if (is)
			note(s, set);
	}
	return is;
}

void
seek_know_pairs(struct seek *s, const struct op_shape *shape)
{
	struct cond_place at = { 0 };

	if (s->ngoals <= 2 || !seek_place(s, shape, &at))
		return;
	note_launched(s, taken_at(s, &at));
	for (uint32_t d = 0; d < 3; d++)
		at.id[d] = at.global[d] - 1;
	note_launched(s, taken_at(s, &at));
}

/* As little of a dimension as the outcome needs, if more never takes it less. */
static void
shrink_size(struct seek *s, struct goal *g, size_t arg)
{
	uint32_t step = s->facts.is_even[arg] ? 2 : 1, low = step;
	uint32_t high = *seek_scalar(s->op, arg, &g->shape);

	if (seek_is_along(s->op, arg) && !s->op->is_elementwise)
		low = high < COLUMNS_LEAST ? high : COLUMNS_LEAST;

	while (low < high) {
		uint32_t middle = (low + (high - low) / 2) / step * step;
		struct op_shape less = g->shape;

		*seek_scalar(s->op, arg, &less) = middle;
		op_close_strides(s->op, &less);
		if (takes(s, &less, g)) {
			g->shape = less;
			high = middle;
		} else {
			low = middle + step;
		}
	}
}

/* What is put together of two such shapes is cheap. */
static void
shrink(struct seek *s, struct goal *g)
{
	for (size_t i = 0; i < s->op->nargs; i++)
		if (seek_is_dimension(s->op, i))
			shrink_size(s, g, i);
}

/* Each scalar of either; a stride that is too short lies close. */
static void
cross(struct seek *s, const struct op_shape *a, const struct op_shape *b,
    struct op_shape *ret)
{
	uint64_t bits = draw_bits(&s->dice);
	struct op_shape was;

	*ret = *a;
	for (size_t i = 0; i < s->op->nargs; i++)
		if (s->op->args[i].kind == OP_UINT && (bits >> i & 1))
			*seek_scalar(s->op, i, ret) =
			    op_scalar_uint(&s->op->args[i], b);
	seek_draw_parameters(s, ret);
	was = *ret;
	seek_widen_strides(s->op, ret);
	/* What is asked of a stride is often what is left of it. */
	for (size_t i = 0; i < s->op->nargs && (bits >> 63); i++) {
		uint32_t *stride = seek_scalar(s->op, i, ret);

		if (seek_is_stride(s->op, i))
			*stride += (LEFT_OF - *stride % LEFT_OF +
			               *seek_scalar(s->op, i, &was)) %
			    LEFT_OF;
	}
}

static bool
is_wanted(const struct seek *s, size_t i, size_t k)
{
	const struct goal *a = &s->goals[i], *b = &s->goals[k];

	return a->found && b->found && a->point != b->point &&
	    (s->together[i] >> k & 1) == 0;
}

/* What is wrong of a row is mostly wrong of some rows only: so many of them,
 * where the outcomes stay.  A stride may have to go along: some ways ask for
 * one that is the number of rows.  which: the strides that do. */
static void
add_rows(const struct seek *s, uint32_t rows, uint32_t which, uint64_t stays,
    struct op_shape *ret)
{
	struct op_shape many = *ret;

	if (ret->rows == 0 || ret->rows >= rows)
		return;
	many.rows = rows;
	for (size_t i = 0, nth = 0; i < s->op->nargs; i++)
		if (seek_is_stride(s->op, i) && (which >> nth++ & 1))
			*seek_scalar(s->op, i, &many) = rows;
	seek_widen_strides(s->op, &many);
	if (seek_is_legal(s->op, &many) && seek_cost(s->op, &many) < COST_MAX &&
	    (taken(s, &many) & stays) == stays)
		*ret = many;
}

/* A cap, or a tail, shows past its column alone, and there in some lanes: more
 * columns than the least for which the outcomes come up. */
static void
add_columns(struct seek *s, uint64_t both, const struct goal *a,
    const struct goal *b, uint64_t cost, struct op_shape *ret)
{
	for (uint32_t n = 0; n < COLUMNS_MORE * PAD_MAX; n++) {
		struct op_shape more = *ret;

		for (size_t i = 0; i < s->op->nargs; i++)
			if (seek_is_dimension(s->op, i) &&
			    seek_is_along(s->op, i))
				*seek_scalar(s->op, i, &more) <<=
				    COLUMNS_MORE - n / PAD_MAX;
		op_close_strides(s->op, &more);
		for (size_t i = 0; i < s->op->nargs; i++)
			if (seek_is_stride(s->op, i))
				*seek_scalar(s->op, i, &more) += n % PAD_MAX;
		if (!seek_is_legal(s->op, &more) ||
		    seek_cost(s->op, &more) > cost ||
		    !takes_both(s, &more, both, a, b))
			continue;
		*ret = more;
		return;
	}
}

static void
add_any_rows(const struct seek *s, uint64_t stays, struct op_shape *ret)
{
	for (uint32_t which = 0; which < 1U << STRIDES_MAX; which++)
		for (uint32_t rows = ROWS_MANY; rows > 1; rows /= 2)
			add_rows(s, rows, which, stays, ret);
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

	add_any_rows(s, stays, ret);
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
}

static bool
find(struct seek *s, size_t i, size_t k, struct op_shape *ret, struct looked *l)
{
	uint64_t both = (uint64_t)1 << i | (uint64_t)1 << k;

	for (int n = 0; n < CROSSINGS && l->looks < LOOKS_MAX; n++) {
		bool is_dear;

		cross(s, &s->goals[i].shape, &s->goals[k].shape, ret);
		is_dear = seek_cost(s->op, ret) > COST_MAX;
		if (!seek_is_legal(s->op, ret) ||
		    seek_cost(s->op, ret) > DEAR_COST_MAX ||
		    (is_dear && l->dear == DEAR_MAX))
			continue;
		l->looks += 2 * s->ngoals;
		if (!takes_both(s, ret, both, &s->goals[i], &s->goals[k]))
			continue;
		l->dear += is_dear;
		add_rows(s, ROWS_MANY, 0, both, ret);
		add_columns(s, both, &s->goals[i], &s->goals[k],
		    is_dear ? DEAR_COST_MAX : COST_MAX, ret);
		return true;
	}
	return false;
}

/* ---- more than two at once */

static bool
is_together(const struct seek *s, uint64_t set)
{
	for (size_t i = 0; i < s->nsets; i++)
		if ((s->sets[i] & set) == set)
			return true;
	return false;
}

/* What few launches take: each of the others is there with most. */
static uint64_t
rare_goals(const struct seek *s, size_t all)
{
	uint64_t ret = 0;

	for (size_t i = 0; i < all; i++)
		if (s->goals[i].found && s->often[i] <= s->nlaunched / RARE)
			ret |= (uint64_t)1 << i;
	return ret;
}

/* A shape of some outcomes, and one more. */
static bool
add_outcome(struct seek *s, uint64_t set, const struct goal *first,
    const struct goal *g, struct op_shape *ret, struct looked *l)
{
	for (int n = 0; n < JOININGS && l->looks < LOOKS_MAX; n++) {
		struct op_shape more;

		cross(s, ret, &g->shape, &more);
		if (!seek_is_legal(s->op, &more) ||
		    seek_cost(s->op, &more) >
		        (l->dear < DEAR_JOINED ? DEAR_COST_MAX : COST_MAX))
			continue;
		l->looks += 2 * s->ngoals;
		if (!takes_both(s, &more, set, first, g))
			continue;
		*ret = more;
		return true;
	}
	return false;
}

/* As many rare outcomes as come up with the n-th one.  false: fewer than three,
 * or some launch has them. */
static bool
join_with(struct seek *s, size_t nth, uint64_t rare, size_t all,
    struct op_shape *ret, struct looked *l)
{
	uint64_t set = (uint64_t)1 << nth;
	size_t from = (size_t)(draw_bits(&s->dice) % all), joined = 1;

	*ret = s->goals[nth].shape;
	for (size_t k = 0; k < all; k++) {
		size_t other = (k + from) % all;
		uint64_t with = set | (uint64_t)1 << other;

		if (with == set || !(rare >> other & 1) ||
		    !add_outcome(s, with, &s->goals[nth], &s->goals[other], ret,
		        l))
			continue;
		set = with;
		joined++;
	}
	return joined > 2 && !is_together(s, set);
}

/* Whoever hands a decision on from one place of an array to the next joins as
 * many as there are places. */
static size_t
join(struct seek *s, size_t all, struct op_shape *out, size_t n, size_t max)
{
	struct looked l = { 0 };
	uint64_t rare = rare_goals(s, all);
	size_t from = n;

	for (size_t i = 0; i < all && n < max && n - from < JOINED_MAX; i++) {
		if (!(rare >> i & 1) ||
		    !join_with(s, i, rare, all, &out[n], &l))
			continue;
		l.dear += seek_cost(s->op, &out[n]) > COST_MAX;
		seek_know_pairs(s, &out[n++]);
	}
	return n;
}

size_t
seek_pairs(struct seek *s, struct op_shape *out, size_t max)
{
	size_t all = s->ngoals < SEEK_PAIRS_MAX ? s->ngoals : SEEK_PAIRS_MAX;
	size_t from = all ? (size_t)(draw_bits(&s->dice) % all) : 0, n = 0;
	struct looked l = { 0 };

	for (size_t i = 0; i < all; i++)
		if (s->goals[i].found)
			shrink(s, &s->goals[i]);
	/* First those of which no case that there is anyway takes either. */
	for (size_t pass = 0; pass < 2 * all; pass++)
		for (size_t b = pass % all + 1; b < all && n < max; b++) {
			size_t i = (pass % all + from) % all;
			size_t k = (b + from) % all;
			bool is_rare = !s->goals[i].known || !s->goals[k].known;

			if (is_rare == (pass < all) && is_wanted(s, i, k) &&
			    find(s, i, k, &out[n], &l))
				seek_know_pairs(s, &out[n++]);
		}
	return all > 2 ? join(s, all, out, n, max) : n;
}
