/*
 * Loops that go round not at all, once, more than once.
 *
 * How often a loop goes round mostly grows with a size.  So from a shape in
 * which it goes round otherwise each size is made larger and smaller until it
 * does not, and the sizes between are halved: of tiles of 21,376 columns no
 * drawn size may be one.  Where one loop begins, another one may have nothing
 * left.
 */
#include "lab/stages/input_search_priv.h"

#include <string.h>

#define COST_MAX  ((uint64_t)1 << 21)
#define LOOKS_MAX 6000

bool
seek_is_constant_loop(const struct seek *s, size_t point)
{
	bool is_fixed[3] = { false };

	for (size_t d = 0; d < s->candidate->ndims && d < 3; d++) {
		const char *text = s->candidate->local[d];

		is_fixed[d] = text[strspn(text, "0123456789 ")] == '\0';
	}
	return cond_constants_decide(s->cond, point, is_fixed);
}

/* Goals of their own, behind the others: what is made of those two by two, or
 * demanded of them, is not of these. */
void
seek_add_loops(struct seek *s)
{
	for (size_t i = 0; i < s->p->npoints; i++) {
		uint32_t least = !cond_may_miss(s->cond, i);

		if (s->p->points[i].kind != PROG_POINT_LOOP ||
		    !cond_is_told(s->cond, i) || seek_is_constant_loop(s, i))
			continue;
		for (uint32_t o = least; o < s->p->points[i].outcomes; o++)
			s->goals[s->ngoals + s->nloops++] =
			    (struct goal){ .point = (uint32_t)i, .outcome = o };
	}
}

bool
seek_is_loop_left(const struct seek *s)
{
	for (size_t i = s->ngoals; i < s->ngoals + s->nloops; i++)
		if (!s->goals[i].found)
			return true;
	return false;
}

/* How often the loop goes round in another shape, by the same work item; -1: it
 * is not to be told. */
static int
rounds(struct seek *s, const struct goal *g, const struct op_shape *shape)
{
	struct cond_place at = { 0 };

	if (!seek_is_legal(s->op, shape) ||
	    seek_cost(s->op, shape) > COST_MAX || !seek_place(s, shape, &at))
		return -1;
	for (uint32_t d = 0; d < 3; d++)
		at.id[d] = g->id[d] % at.global[d];
	s->looks++;
	return cond_outcome(s->cond, g->point, &at);
}

static struct op_shape
with(struct seek *s, const struct op_shape *from, size_t arg, uint64_t v)
{
	struct op_shape ret = *from;

	if (s->facts.is_even[arg])
		v -= v % 2;
	*seek_scalar(s->op, arg, &ret) = (uint32_t)v;
	seek_widen_strides(s->op, &ret);
	return ret;
}

/* By which work item, in which group. */
static void
place_goal(const struct seek *s, struct goal *g, const struct goal *from)
{
	struct cond_place at = { 0 };

	if (!seek_place(s, &g->shape, &at))
		return;
	for (uint32_t d = 0; d < 3; d++)
		at.id[d] = from->id[d] % at.global[d];
	g->group = seek_group_of(&at);
	memcpy(g->id, at.id, sizeof g->id);
}

/* Notes a shape for each way a loop goes round in it that was not found. */
static void
meet(struct seek *s, const struct goal *from, const struct op_shape *shape)
{
	for (size_t i = s->ngoals; i < s->ngoals + s->nloops; i++) {
		struct goal *g = &s->goals[i], is = { .point = g->point };

		memcpy(is.id, from->id, sizeof is.id);
		if (g->found || rounds(s, &is, shape) != (int)g->outcome)
			continue;
		g->found = true;
		g->shows = seek_shows(s->op, shape);
		g->cost = seek_cost(s->op, shape);
		g->shape = *shape;
		place_goal(s, g, from);
	}
}

/* From a shape in which a loop goes round one way, along one size: the last that
 * does, and the first that does not. */
static void
halve(struct seek *s, const struct goal *from, size_t arg, bool up)
{
	uint64_t has = op_scalar_uint(&s->op->args[arg], &from->shape), v = has;
	uint64_t step = s->facts.is_even[arg] ? 2 : 1;
	struct op_shape now, last = from->shape;

	do {
		has = v;
		v = up ? v * 2 : v / 2;
		if (v < step || v > UINT32_MAX)
			return;
		now = with(s, &from->shape, arg, v);
		if (rounds(s, from, &now) < 0)
			return;
	} while (rounds(s, from, &now) == (int)from->outcome);
	meet(s, from, &now);
	while ((has > v ? has - v : v - has) > step) {
		uint64_t middle = (has + v) / 2 / step * step;
		struct op_shape is = with(s, &from->shape, arg, middle);

		if (rounds(s, from, &is) == (int)from->outcome) {
			has = middle;
			last = is;
		} else {
			v = middle;
			now = is;
		}
	}
	meet(s, from, &now);
	meet(s, from, &last);
}

void
seek_halve_loops(struct seek *s)
{
	uint64_t most = s->looks + LOOKS_MAX;

	for (size_t k = s->ngoals; k < s->ngoals + s->nloops; k++)
		for (size_t a = 0; a < 2 * s->op->nargs; a++) {
			const struct goal from = s->goals[k];

			if (from.found && s->looks < most &&
			    seek_is_loop_left(s) &&
			    s->op->args[a / 2].kind == OP_UINT)
				halve(s, &from, a / 2, a % 2 == 0);
		}
}

void
seek_know_launched(struct seek *s, const struct op_shape *shape)
{
	for (size_t i = s->ngoals; i < s->ngoals + s->nloops; i++)
		s->goals[i].launched |= s->goals[i].found &&
		    op_shape_is_same(s->op, &s->goals[i].shape, shape);
}

bool
seek_is_left_out(const struct seek *s, size_t point, uint32_t outcome)
{
	for (size_t i = s->ngoals; i < s->ngoals + s->nloops; i++) {
		const struct goal *g = &s->goals[i];

		if (g->point == point && g->outcome == outcome)
			return g->found && !g->known && !g->launched &&
			    cond_has_one_end(s->cond, point);
	}
	return false;
}
