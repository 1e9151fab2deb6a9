/*
 * What a variable is before a comparison of it first comes out one way.
 *
 * "for (k = 8; k < 8; k += 8)" is what a tree of 8 lanes leaves of a loop over
 * its parts.  Everything but constants that the variable is given, it is given
 * behind that way of the comparison: so until it comes out so for the first
 * time the variable is one of them, and if it comes out so for none it never
 * does.
 */
#include "lab/probe/condition_priv.h"

static bool
is_of_slot(const struct prog_instr *i, int32_t slot)
{
	return cond_has_result(i) && !(i->op == PROG_ALLOCA && i->b) &&
	    slot >= i->dst && slot < i->dst + (int32_t)i->lanes;
}

/* Which way its block ends on where the comparison comes out so; -1: another
 * thing decides that. */
static int
way_of(const struct cond *c, const struct prog_point *pt, uint32_t outcome)
{
	const struct prog_function *f = &c->p->functions[pt->function];
	const struct prog_block *b = &f->blocks[pt->block];
	const struct prog_instr *last = &f->code[b->first + b->n - 1], *by;
	int32_t is = f->code[pt->instr].dst;

	if (last->op != PROG_BRANCH)
		return -1;
	if (last->a == is)
		return (int)outcome;
	/* "!(k >= 8)" */
	by = cond_maker(c, (struct cond_value){ pt->function, last->a });
	if (by && by->op == PROG_XOR && by->lanes == 1 && by->a == is &&
	    prog_is_constant(by->b) && (c->p->constants[-by->b - 1] & 1) != 0)
		return !outcome;
	return -1;
}

size_t
cond_first_values(const struct cond *c, const struct prog_point *pt,
    uint32_t outcome, struct cond_value of, struct cond_value *out, size_t max)
{
	const struct prog_function *f = &c->p->functions[pt->function];
	const struct cond_function *cf = &c->functions[pt->function];
	struct cond_value v = cond_resolve(c, of);
	int way = way_of(c, pt, outcome);
	bool is_given = false;
	size_t n = 0;

	if (way < 0 || prog_is_constant(v.v) || v.f != pt->function ||
	    cf->def[v.v] != COND_NOWHERE || cf->param[v.v] >= 0)
		return 0;
	for (uint32_t k = 0; k < f->nmoves; k++)
		if (v.v >= f->moves[k].dst &&
		    v.v < f->moves[k].dst + (int32_t)f->moves[k].slots)
			return 0;
	for (uint32_t k = 0; k < f->ncode; k++) {
		const struct prog_instr *i = &f->code[k];

		if (!is_of_slot(i, v.v) ||
		    cond_way_to(f, cf, pt->block, cf->block[k]) == way)
			continue;
		if (i->op != PROG_MOVE || i->lanes != 1 || n == max)
			return 0;
		out[n] =
		    cond_resolve(c, (struct cond_value){ pt->function, i->a });
		if (!prog_is_constant(out[n++].v))
			return 0;
		/* Or it might be what memory held. */
		is_given |= cf->block[k] == pt->block
		    ? k < pt->instr
		    : cond_stands_before(cf, cf->block[k], pt->block);
	}
	return is_given ? n : 0;
}
