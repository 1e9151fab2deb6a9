/*
 * A comparison that was made before, and has come out since.
 *
 * "for (c = l; c < cols; c += 4) { if (c + 0 < cols) ...; if (c + 1 < cols)"
 * is what a macro that unrolls a loop leaves.  Where a block is come to on one
 * way of a comparison alone, that comparison of the same operands comes out so
 * again, if nothing between the two has written to the variables in it.
 */
#include "lab/probe/condition_priv.h"

#include "base/mem.h"
#include <stdlib.h>

#define DEPTH_MAX 6

struct repeat {
	const struct cond *c;
	const struct prog_function *f;
	const struct cond_function *cf;
	uint32_t before, at; /* blocks */
	/* By block, on ways that do not come by the one before: is it come to
	 * behind that, does it lead to the other one? */
	bool *behind, *leads; /* owned */
};

static bool
is_written(const struct prog_instr *i, int32_t slot)
{
	return cond_has_result(i) && slot >= i->dst &&
	    slot < i->dst + (int32_t)i->lanes;
}

/* Is a variable the same for the instructions first and then, one in each of
 * the blocks? */
static bool
is_left_alone(const struct repeat *r, int32_t slot, uint32_t first,
    uint32_t then)
{
	const struct prog_function *f = r->f;

	for (uint32_t k = 0; k < f->nmoves; k++)
		if (slot >= f->moves[k].dst &&
		    slot < f->moves[k].dst + (int32_t)f->moves[k].slots)
			return false;
	for (uint32_t k = 0; k < f->ncode; k++) {
		uint32_t block = r->cf->block[k];

		if (!is_written(&f->code[k], slot))
			continue;
		if (block == r->before   ? k > first
		        : block == r->at ? k < then || r->leads[block]
		                         : r->behind[block] && r->leads[block])
			return false;
	}
	return true;
}

/* The instruction of a block that makes a value there; past "+ 0". */
static const struct prog_instr *
made_in(const struct repeat *r, int32_t *v, uint32_t block)
{
	const struct program *p = r->c->p;

	for (int hop = 0; hop < DEPTH_MAX && !prog_is_constant(*v); hop++) {
		uint32_t d = r->cf->def[*v];
		const struct prog_instr *i;

		if (d == 0 || d == COND_NOWHERE || r->cf->block[d - 1] != block)
			return NULL;
		i = &r->f->code[d - 1];
		if (i->op != PROG_ADD || i->lanes != 1 ||
		    !prog_is_constant(i->b) || p->constants[-i->b - 1] != 0)
			return i;
		*v = i->a;
	}
	return NULL;
}

static bool
is_same(const struct repeat *r, int32_t a, int32_t b, int depth)
{
	const struct prog_instr *ia = made_in(r, &a, r->before);
	const struct prog_instr *ib = made_in(r, &b, r->at);

	if (prog_is_constant(a) || prog_is_constant(b))
		return prog_is_constant(a) && prog_is_constant(b) &&
		    r->c->p->constants[-a - 1] == r->c->p->constants[-b - 1];
	/* A value that is made once is made before both. */
	if (a == b)
		return true;
	if (!ia || !ib || ia->op != ib->op || ia->bits != ib->bits ||
	    ia->from_bits != ib->from_bits || ia->lanes != 1 ||
	    ib->lanes != 1 || depth == 0)
		return false;
	if (ia->op == PROG_MOVE)
		return !prog_is_constant(ia->a) && ia->a == ib->a &&
		    is_left_alone(r, ia->a, (uint32_t)(ia - r->f->code),
		        (uint32_t)(ib - r->f->code));
	if (ia->op >= PROG_ADD && ia->op <= PROG_XOR)
		return is_same(r, ia->a, ib->a, depth - 1) &&
		    is_same(r, ia->b, ib->b, depth - 1);
	return ia->op >= PROG_TRUNC && ia->op <= PROG_SEXT &&
	    is_same(r, ia->a, ib->a, depth - 1);
}

/* Marks what is come to from a block, or what comes to it, by ways that leave
 * out the one before.  The block itself only where one of them comes back. */
static void
mark(const struct repeat *r, uint32_t from, bool is_backwards, bool *ret)
{
	const struct prog_function *f = r->f;
	bool grows = true;

	while (grows) {
		grows = false;
		for (uint32_t e = 0; e < f->nedges; e++) {
			uint32_t a =
			    is_backwards ? f->edges[e].to : f->edges[e].from;
			uint32_t b =
			    is_backwards ? f->edges[e].from : f->edges[e].to;

			if ((a != from && !ret[a]) || a == r->before ||
			    b == r->before || ret[b])
				continue;
			ret[b] = grows = true;
		}
	}
}

static const struct prog_instr *
comparison_at_end(const struct repeat *r)
{
	const struct prog_block *b = &r->f->blocks[r->before];
	const struct prog_instr *last = &r->f->code[b->first + b->n - 1], *by;
	int32_t is = last->a;

	if (last->op != PROG_BRANCH || prog_is_constant(is))
		return NULL;
	by = made_in(r, &is, r->before);
	return by && by->op == PROG_ICMP && by->lanes == 1 ? by : NULL;
}

/* Does the comparison stand on the other way of the same one before? */
static bool
is_settled(struct repeat *r, const struct prog_instr *i, uint32_t outcome)
{
	int way = cond_way_to(r->f, r->cf, r->before, r->at);
	const struct prog_instr *by = way >= 0 ? comparison_at_end(r) : NULL;
	uint32_t branch, head;
	bool settled;

	if (!by || by->aux != i->aux || (uint32_t)way == outcome)
		return false;
	branch = r->f->blocks[r->before].first + r->f->blocks[r->before].n - 1;
	head = r->f->edges[r->f->code[branch].aux + (uint32_t)!way].to;
	r->behind = xcalloc(r->f->nblocks + 1, sizeof *r->behind);
	r->leads = xcalloc(r->f->nblocks + 1, sizeof *r->leads);
	mark(r, head, false, r->behind);
	r->behind[head] = true;
	mark(r, r->at, true, r->leads);
	settled = is_same(r, by->a, i->a, DEPTH_MAX) &&
	    is_same(r, by->b, i->b, DEPTH_MAX);
	free(r->behind);
	free(r->leads);
	return settled;
}

bool
cond_is_settled(const struct cond *c, const struct prog_point *pt,
    uint32_t outcome)
{
	struct repeat r = { .c = c,
		.f = &c->p->functions[pt->function],
		.cf = &c->functions[pt->function],
		.at = pt->block };
	uint32_t block = pt->block;

	while (block != 0 && r.cf->idom[block] != COND_NOWHERE) {
		block = r.before = r.cf->idom[block];
		if (is_settled(&r, &r.f->code[pt->instr], outcome))
			return true;
	}
	return false;
}
