/*
 * How often a loop goes round, told from sizes and places.
 *
 * "for (c = lid; c < cols; c += 64)": the test is worked out with what the
 * variables in it are before the first round, then with what a round makes of
 * them.  A variable is told where one definition reaches the loop and one stands
 * in each round.  Of a loop in others the first time is told that the innermost
 * comes to it.  That is one way it goes round, not all of them: enough to seek
 * by, and no proof.
 */
#include "lab/probe/condition_loops.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 1000
#define NEST_MAX  8
#define DEPTH_MAX 12
#define LOOKS_MAX 500

/* ---- finding them */

/* Does each round come through a block? */
static bool
is_each_rounds(const struct cond *c, const struct cond_loop *l, uint32_t block)
{
	const struct prog_function *f = &c->p->functions[l->f];

	for (uint32_t e = 0; e < f->nedges; e++)
		if (f->edges[e].to == l->head && l->in[f->edges[e].from] &&
		    !cond_stands_before(&c->functions[l->f], block,
		        f->edges[e].from))
			return false;
	return l->in[block];
}

/* All blocks from which the loop's head is come to again. */
static void
find_body(const struct prog_function *f, struct cond_loop *l)
{
	bool grows = true;

	while (grows) {
		grows = false;
		for (uint32_t e = f->nedges; e-- > 0;)
			if (l->in[f->edges[e].to] &&
			    f->edges[e].to != l->head &&
			    !l->in[f->edges[e].from]) {
				l->in[f->edges[e].from] = true;
				grows = true;
			}
	}
	for (uint32_t b = 0; b < f->nblocks; b++)
		l->blocks += l->in[b];
}

/* The way out that each round comes by: one before it has done anything, if
 * there is one. */
static void
find_test(const struct cond *c, const struct prog_edge *edge, bool is_before,
    struct cond_loop *l)
{
	const struct prog_function *f = &c->p->functions[l->f];
	const struct prog_block *b = &f->blocks[edge->from];
	const struct prog_instr *last = &f->code[b->first + b->n - 1];

	if (last->op != PROG_BRANCH || !is_each_rounds(c, l, edge->from) ||
	    (l->has_test && !is_before))
		return;
	l->has_test = true;
	l->test = edge->from;
	l->is_before = is_before;
	l->asks = last->a;
	l->leaves_if = edge == &f->edges[last->aux];
}

static const struct prog_step *
step_of(const struct prog_function *f, const struct prog_edge *e,
    uint32_t point)
{
	for (uint32_t k = 0; k < e->nsteps; k++)
		if (f->steps[e->first_step + k].point == point)
			return &f->steps[e->first_step + k];
	return NULL;
}

static void
find_loop(const struct cond *c, uint32_t point, struct cond_loop *l)
{
	const struct prog_point *pt = &c->p->points[point];
	const struct prog_function *f = &c->p->functions[pt->function];

	*l = (struct cond_loop){ .point = point,
		.f = pt->function,
		.head = pt->block,
		.in = xcalloc(f->nblocks + 1, sizeof *l->in) };
	l->in[l->head] = true;
	for (uint32_t e = 0; e < f->nedges; e++) {
		const struct prog_step *s = step_of(f, &f->edges[e], point);

		if (s && s->kind == PROG_LOOP_AGAIN)
			l->in[f->edges[e].from] = true;
	}
	find_body(f, l);
	for (uint32_t e = 0; e < f->nedges; e++) {
		const struct prog_step *s = step_of(f, &f->edges[e], point);

		if (!s ||
		    (s->kind != PROG_LOOP_LEFT &&
		        s->kind != PROG_LOOP_LEFT_BEFORE))
			continue;
		l->exits++;
		find_test(c, &f->edges[e], s->kind == PROG_LOOP_LEFT_BEFORE, l);
	}
}

/* ---- what they carry */

/* Blocks that lie on a way from one to another without going back. */
static bool
lies_between(const struct cond *c, const struct cond_loop *l, uint32_t from,
    uint32_t block)
{
	const struct prog_function *f = &c->p->functions[l->f];
	const struct cond_function *cf = &c->functions[l->f];
	bool *after = xcalloc(f->nblocks + 1, sizeof *after), grows = true, is;
	bool *before = xcalloc(f->nblocks + 1, sizeof *before);

	after[from] = before[l->head] = true;
	while (grows) {
		grows = false;
		for (uint32_t e = 0; e < f->nedges; e++) {
			uint32_t a = f->edges[e].from, b = f->edges[e].to;

			if (cond_stands_before(cf, b, a))
				continue;
			if (after[a] && a != l->head && !after[b])
				after[b] = grows = true;
			if (before[b] && b != from && !before[a])
				before[a] = grows = true;
		}
	}
	is = block != from && after[block] && before[block];
	free(after);
	free(before);
	return is;
}

/* Of two definitions before the head, the one nearer to it. */
static bool
is_later(const struct cond_function *cf, uint32_t a, uint32_t b)
{
	return cf->block[a] == cf->block[b]
	    ? a > b
	    : cond_stands_before(cf, cf->block[b], cf->block[a]);
}

static bool
defines(const struct prog_instr *i, int32_t slot)
{
	return cond_has_result(i) && !(i->op == PROG_ALLOCA && i->b) &&
	    slot >= i->dst && slot < i->dst + (int32_t)i->lanes;
}

/* The definition that reaches the head from before, and the one in each round;
 * false: it is not to be told. */
static bool
find_definitions(const struct cond *c, const struct cond_loop *l, int32_t slot,
    uint32_t *ret_first, uint32_t *ret_next)
{
	const struct prog_function *f = &c->p->functions[l->f];
	const struct cond_function *cf = &c->functions[l->f];

	*ret_first = *ret_next = COND_NOWHERE;
	for (uint32_t k = 0; k < f->ncode; k++) {
		if (!defines(&f->code[k], slot))
			continue;
		if (f->code[k].op != PROG_MOVE || f->code[k].lanes != 1)
			return false;
		if (l->in[cf->block[k]]) {
			if (*ret_next != COND_NOWHERE ||
			    !is_each_rounds(c, l, cf->block[k]))
				return false;
			*ret_next = k;
		} else if (cond_stands_before(cf, cf->block[k], l->head) &&
		    (*ret_first == COND_NOWHERE ||
		        is_later(cf, k, *ret_first))) {
			*ret_first = k;
		}
	}
	if (*ret_first == COND_NOWHERE)
		return false;
	for (uint32_t k = 0; k < f->ncode; k++)
		if (defines(&f->code[k], slot) && !l->in[cf->block[k]] &&
		    lies_between(c, l, cf->block[*ret_first], cf->block[k]))
			return false;
	return true;
}

static bool collect(const struct cond *c, struct cond_loop *l, int32_t operand,
    int depth);

static bool
add_carried(const struct cond *c, struct cond_loop *l, int32_t slot, int depth)
{
	const struct prog_function *f = &c->p->functions[l->f];
	const struct cond_function *cf = &c->functions[l->f];
	struct cond_carried *k = &l->carried[l->ncarried];
	uint32_t first, next;

	for (size_t i = 0; i < l->ncarried; i++)
		if (l->carried[i].slot == slot)
			return true;
	for (uint32_t i = 0; i < f->nmoves; i++)
		if (slot >= f->moves[i].dst &&
		    slot < f->moves[i].dst + (int32_t)f->moves[i].slots)
			return false;
	if (l->ncarried == COND_CARRIED_MAX ||
	    !find_definitions(c, l, slot, &first, &next))
		return false;
	l->ncarried++;
	k->slot = slot;
	k->first = f->code[first].a;
	k->is_moved = next != COND_NOWHERE;
	if (!k->is_moved)
		return true;
	k->next = f->code[next].a;
	k->is_early = cf->block[next] != l->test &&
	    cond_stands_before(cf, cf->block[next], l->test);
	return collect(c, l, k->next, depth);
}

/* The variables that a value of a round is made of; false: one is not told. */
static bool
collect(const struct cond *c, struct cond_loop *l, int32_t operand, int depth)
{
	struct cond_value v =
	    cond_resolve(c, (struct cond_value){ l->f, operand });
	const struct prog_instr *i = cond_maker(c, v);

	if (prog_is_constant(v.v) || v.f != l->f)
		return true;
	if (!i)
		return c->functions[v.f].param[v.v] >= 0 ||
		    add_carried(c, l, v.v, depth - 1);
	if (depth <= 0 || l->looks++ >= LOOKS_MAX)
		return false;
	if (i->op == PROG_BUILTIN || i->op == PROG_CALL) {
		const struct prog_call *call = &c->p->calls[i->aux];

		for (uint32_t a = 0; a < call->nargs; a++)
			if (!collect(c, l, call->args[a], depth - 1))
				return false;
		return true;
	}
	if (i->op < PROG_ADD || i->op > PROG_SITOFP)
		return false;
	return collect(c, l, i->a, depth - 1) &&
	    (i->op >= PROG_TRUNC || i->op == PROG_FNEG ||
	        collect(c, l, i->b, depth - 1)) &&
	    (i->op != PROG_SELECT || collect(c, l, i->c, depth - 1));
}

/* The smallest loop around each. */
static void
nest(struct cond *c)
{
	for (size_t i = 0; i < c->nloops; i++)
		for (size_t k = 0; k < c->nloops; k++) {
			struct cond_loop *in = &c->loops[i];
			const struct cond_loop *l = &c->loops[k];

			if (l->f == in->f && l->in[in->head] &&
			    l->blocks > in->blocks &&
			    (!in->around || l->blocks < in->around->blocks))
				in->around = l;
		}
}

void
cond_find_loops(struct cond *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->p->npoints; i++)
		n += c->p->points[i].kind == PROG_POINT_LOOP;
	c->loops = xcalloc(n + 1, sizeof *c->loops);
	for (uint32_t i = 0; i < c->p->npoints; i++) {
		struct cond_loop *l = &c->loops[c->nloops];

		if (c->p->points[i].kind != PROG_POINT_LOOP)
			continue;
		find_loop(c, i, l);
		l->is_told = l->has_test && collect(c, l, l->asks, DEPTH_MAX);
		c->nloops++;
	}
	nest(c);
}

void
cond_free_loops(struct cond *c)
{
	for (size_t i = 0; i < c->nloops; i++)
		free(c->loops[i].in);
	free(c->loops);
}

const struct cond_loop *
cond_loop_of(const struct cond *c, size_t point)
{
	for (size_t i = 0; i < c->nloops; i++)
		if (c->loops[i].point == point)
			return &c->loops[i];
	return NULL;
}

bool
cond_may_miss(const struct cond *c, size_t point)
{
	const struct cond_loop *l = cond_loop_of(c, point);

	return l && l->is_before;
}

bool
cond_has_one_end(const struct cond *c, size_t point)
{
	const struct cond_loop *l = cond_loop_of(c, point);

	return l && l->is_told && l->exits == 1;
}

/* ---- going round */

bool
cond_is_bound(const struct cond_place *at, struct cond_value v, uint64_t *ret)
{
	for (uint32_t i = at->nbound; i-- > 0;)
		if (at->bound[i].slot == v.v && at->bound[i].f == v.f) {
			*ret = at->bound[i].v;
			return true;
		}
	return false;
}

/* What its variables are when it is come to, and those of the loops around it;
 * false: they are not to be told. */
static bool
begin(const struct cond *c, const struct cond_loop *l, int depth,
    struct cond_place *at, struct cond_bound *bound, uint32_t *left)
{
	if (depth == 0 ||
	    (l->around && l->around->is_told &&
	        !begin(c, l->around, depth - 1, at, bound, left)))
		return false;
	for (size_t i = 0; i < l->ncarried; i++) {
		struct cond_bound *b = &bound[at->nbound];

		if (at->nbound == COND_BOUND_MAX ||
		    !cond_eval(c,
		        (struct cond_value){ l->f, l->carried[i].first }, at,
		        left, &b->v))
			return false;
		b->f = l->f;
		b->slot = l->carried[i].slot;
		at->nbound++;
	}
	return true;
}

/* What a round makes of its variables; all of them, or those that it makes
 * before its test. */
static bool
go_round(const struct cond *c, const struct cond_loop *l, bool early,
    const struct cond_place *at, uint64_t *v, uint32_t *left)
{
	const struct cond_bound *own = &at->bound[at->nbound - l->ncarried];

	for (size_t i = 0; i < l->ncarried; i++) {
		const struct cond_carried *k = &l->carried[i];

		v[i] = own[i].v;
		if (k->is_moved && (k->is_early || !early) &&
		    !cond_eval(c, (struct cond_value){ l->f, k->next }, at,
		        left, &v[i]))
			return false;
	}
	return true;
}

/* Is the loop left by its test in this round?  -1: not to be told. */
static int
is_left(const struct cond *c, const struct cond_loop *l, struct cond_place at,
    uint32_t *left)
{
	struct cond_bound bound[COND_BOUND_MAX];
	uint64_t v[COND_CARRIED_MAX], is;
	uint32_t from = at.nbound - (uint32_t)l->ncarried;

	if (!go_round(c, l, true, &at, v, left))
		return -1;
	memcpy(bound, at.bound, at.nbound * sizeof *bound);
	for (size_t i = 0; i < l->ncarried; i++)
		bound[from + i].v = v[i];
	at.bound = bound;
	if (!cond_eval(c, (struct cond_value){ l->f, l->asks }, &at, left, &is))
		return -1;
	return (is & 1) == l->leaves_if;
}

int
cond_rounds(const struct cond *c, const struct cond_loop *l,
    struct cond_place *at, struct cond_bound *bound)
{
	uint32_t left = STEPS_MAX;
	int rounds = l->is_before ? 0 : 1;
	uint64_t v[COND_CARRIED_MAX];

	at->bound = bound;
	at->nbound = 0;
	if (!l->is_told || !begin(c, l, NEST_MAX, at, bound, &left))
		return COND_UNKNOWN;
	for (;; rounds++) {
		int is = is_left(c, l, *at, &left);

		if (is != 0)
			return is < 0 ? COND_UNKNOWN : rounds;
		if (rounds == 1)
			return 2;
		if (!go_round(c, l, false, at, v, &left))
			return COND_UNKNOWN;
		for (size_t i = 0; i < l->ncarried; i++)
			bound[at->nbound - l->ncarried + i].v = v[i];
	}
}
