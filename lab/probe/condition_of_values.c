/*
 * What values decide: a condition over a float or over what memory holds, and
 * all that lies behind one.  A loop's counter is neither.
 */
#include "lab/probe/condition_priv.h"

#define DEPTH_MAX 12
#define HOPS_MAX  8

static bool is_of_values(const struct cond *c, struct cond_value v,
    unsigned depth);

static bool
is_call_of_values(const struct cond *c, uint32_t f,
    const struct prog_call *call, unsigned depth)
{
	for (uint32_t k = 0; k < call->nargs; k++)
		if (call->types[k]->kind == PROG_FLOAT ||
		    is_of_values(c, (struct cond_value){ f, call->args[k] },
		        depth))
			return true;
	return false;
}

static bool
is_of_values(const struct cond *c, struct cond_value v, unsigned depth)
{
	const struct prog_instr *i;

	v = cond_resolve(c, v);
	i = cond_maker(c, v);
	if (!i || depth == 0)
		return false;
	if (i->op == PROG_LOAD || i->op == PROG_FCMP || i->op == PROG_FPTOUI ||
	    i->op == PROG_FPTOSI)
		return true;
	if (i->op == PROG_BITCAST)
		return i->from && i->from->kind == PROG_FLOAT;
	if (i->op == PROG_BUILTIN || i->op == PROG_CALL)
		return is_call_of_values(c, v.f, &c->p->calls[i->aux],
		    depth - 1);
	if (i->op == PROG_TRUNC || i->op == PROG_ZEXT || i->op == PROG_SEXT)
		return is_of_values(c, (struct cond_value){ v.f, i->a },
		    depth - 1);
	if (i->op < PROG_ADD || i->op > PROG_SELECT)
		return false;
	return is_of_values(c, (struct cond_value){ v.f, i->a }, depth - 1) ||
	    is_of_values(c, (struct cond_value){ v.f, i->b }, depth - 1) ||
	    (i->op == PROG_SELECT &&
	        is_of_values(c, (struct cond_value){ v.f, i->c }, depth - 1));
}

bool
cond_hangs_on_values(const struct cond *c, size_t point)
{
	const struct prog_point *pt = &c->p->points[point];
	const struct prog_instr *i =
	    &c->p->functions[pt->function].code[pt->instr];
	uint32_t k = pt->function, block = pt->block;

	if (is_of_values(c, (struct cond_value){ k, i->a }, DEPTH_MAX) ||
	    (pt->kind == PROG_POINT_COMBINED &&
	        is_of_values(c, (struct cond_value){ k, i->b }, DEPTH_MAX)))
		return true;
	for (int hop = 0; hop < HOPS_MAX && k != COND_NOWHERE; hop++) {
		const struct prog_function *f = &c->p->functions[k];
		const struct cond_function *cf = &c->functions[k];

		for (uint32_t b = block; b != 0 && b != COND_NOWHERE;
		     b = cf->idom[b]) {
			uint32_t d = cf->idom[b];
			const struct prog_block *of;

			if (d == COND_NOWHERE)
				break;
			of = &f->blocks[d];
			if (cond_way_to(f, cf, d, b) >= 0 &&
			    is_of_values(c,
			        (struct cond_value){ k,
			            f->code[of->first + of->n - 1].a },
			        DEPTH_MAX))
				return true;
		}
		if (k == c->kernel || cf->call == COND_NOWHERE)
			break;
		block = c->functions[cf->caller].block[cf->call];
		k = cf->caller;
	}
	return false;
}
