/*
 * What an item counts in eight or sixteen bits is the rounds that it goes, and
 * a row has so many columns for each.  A group's items, or the constants by
 * which an index grows, say how many: of a row whose columns are a multiple of
 * all of these, each item's count is a multiple of what its bits hold.
 */
#include "lab/stages/input_search_priv.h"

#define STEPS_MAX    16
#define UNROLLED     4 /* columns a round of an item, where nothing tells */
#define UNROLLED_MAX ((uint64_t)1 << 20)
#define ROWS_MANY    ((uint64_t)1 << 24)

static uint64_t
lanes_of(const struct seek *s)
{
	struct cond_place at = { 0 };

	return seek_place(s, &s->op->smoke->shape, &at)
	    ? at.local[0] * at.local[1] * at.local[2]
	    : 1;
}

/* The least common multiple; of 0, which is no step, the other one. */
static uint64_t
common(uint64_t a, uint64_t b)
{
	uint64_t x = a, y = b;

	if (b == 0)
		return a;
	while (y > 0) {
		uint64_t rest = x % y;

		x = y;
		y = rest;
	}
	return a / x * b;
}

size_t
seek_counted_columns(const struct seek *s, uint64_t most, uint64_t *out,
    size_t max)
{
	uint64_t steps[STEPS_MAX + 1];
	size_t n = cond_counters(s->cond, out, max);
	size_t nsteps = n ? cond_steps(s->cond, steps + 1, STEPS_MAX) : 0;

	steps[0] = n ? lanes_of(s) : 1;
	for (size_t i = 0; i < n; i++) {
		uint64_t cut = out[i], all = 1;

		for (size_t k = 0; k <= nsteps; k++) {
			uint64_t with = common(all, steps[k]);

			if (with <= most / cut)
				all = with;
		}
		if (all * UNROLLED <= UNROLLED_MAX / cut)
			all *= UNROLLED;
		out[i] = cut * all;
	}
	return n;
}

uint32_t
seek_counts_to(const struct seek *s, uint32_t max)
{
	return cond_counts_to(s->cond, max);
}

bool
seek_keeps_little(const struct seek *s)
{
	return cond_keeps_little(s->cond);
}

bool
seek_takes_log(const struct seek *s)
{
	return cond_takes_log(s->cond);
}

/* ---- who walks a row */

/* Does a comparison come out otherwise in a group than in the first one, and
 * would not, were there more rows? */
static bool
is_spared(const struct seek *s, const struct cond_place *first,
    const struct cond_place *at)
{
	struct cond_place many = *at;

	for (size_t i = 0; i < s->op->nargs; i++)
		if (seek_is_dimension(s->op, i) && !seek_is_along(s->op, i))
			many.args[i] = ROWS_MANY;
	for (size_t k = 0; k < s->p->npoints; k++) {
		int is = cond_first_outcome(s->cond, k, first);

		if (is >= 0 && cond_first_outcome(s->cond, k, at) == !is &&
		    cond_first_outcome(s->cond, k, &many) == is)
			return true;
	}
	return false;
}

/* The groups along a dimension before the first one that is spared. */
static uint64_t
groups_along(const struct seek *s, const struct cond_place *first, uint32_t d)
{
	uint64_t low = 1, high = first->global[d] / first->local[d];
	struct cond_place at = *first;

	at.id[d] = first->global[d] - first->local[d];
	if (high < 2 || !is_spared(s, first, &at))
		return high;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		at.id[d] = middle * first->local[d];
		if (is_spared(s, first, &at))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

uint64_t
seek_walkers(const struct seek *s, const struct op_shape *shape)
{
	struct cond_place first = { 0 };
	uint64_t n = 1;

	if (!seek_place(s, shape, &first))
		return 0;
	for (uint32_t d = 0; d < 3; d++)
		n *= first.local[d] * groups_along(s, &first, d);
	return n;
}
