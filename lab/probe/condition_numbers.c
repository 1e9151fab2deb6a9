/*
 * Numbers that sizes alone make: an entry of a constant table, a curve of a
 * size.  Nothing asks for them, so that no outcome tells which sizes matter.
 */
#include "lab/probe/condition_priv.h"

#include "lab/probe/arithmetic.h"
#include "lab/probe/builtin.h"
#include "lab/probe/program_combine.h"
#include <math.h>
#include <string.h>

#define STEPS_MAX 400
#define DEPTH_MAX 12

bool
cond_eval_place(const struct cond *c, struct cond_value v,
    const struct prog_instr *i, const struct cond_place *at, uint32_t *left,
    uint64_t *ret)
{
	const struct prog_gep *g = &c->p->geps[i->aux];
	uint64_t p;

	if (!cond_eval(c, (struct cond_value){ v.f, i->a }, at, left, &p))
		return false;
	p += g->offset;
	for (uint32_t k = 0; k < g->n; k++) {
		uint64_t index;

		if (!cond_eval(c, (struct cond_value){ v.f, g->index[k] }, at,
		        left, &index))
			return false;
		p += (uint64_t)arith_extend(index, g->bits[k]) * g->stride[k];
	}
	*ret = p;
	return true;
}

/* Constants alone are what they are. */
bool
cond_eval_load(const struct cond *c, struct cond_value v,
    const struct prog_instr *i, const struct cond_place *at, uint32_t *left,
    uint64_t *ret)
{
	uint64_t p, bytes = i->bits / 8, offset;

	if (bytes == 0 || bytes > sizeof *ret ||
	    !cond_eval(c, (struct cond_value){ v.f, i->a }, at, left, &p) ||
	    p >> PROG_REGION_SHIFT != PROG_CONSTANT)
		return false;
	offset = p - prog_pointer(PROG_CONSTANT, 0);
	if (offset > c->p->image_bytes || bytes > c->p->image_bytes - offset)
		return false;
	*ret = 0;
	memcpy(ret, c->p->image + offset, bytes);
	return true;
}

/* Of numbers: what a table of functions has, and products with a sum. */
bool
cond_eval_function(const struct cond *c, struct cond_value v,
    const struct prog_instr *i, const struct cond_place *at, uint32_t *left,
    uint64_t *ret)
{
	const struct prog_call *call = &c->p->calls[i->aux];
	const struct prog_builtin *b = call->known;
	bool fused = prog_is_fused(c->p, i);
	double x[3] = { 0, 0, 0 };

	if (i->op != PROG_BUILTIN || call->nargs > 3 || call->nargs == 0 ||
	    (!b->of1 && !b->of2 && !fused))
		return false;
	for (uint32_t k = 0; k < call->nargs; k++) {
		uint64_t a;

		if (call->types[k]->kind != PROG_FLOAT ||
		    !cond_eval(c, (struct cond_value){ v.f, call->args[k] }, at,
		        left, &a))
			return false;
		x[k] = builtin_value(a, call->types[k]->bits);
	}
	*ret = builtin_to_bits(fused ? x[0] * x[1] + x[2]
	        : b->of1             ? b->of1(x[0])
	                             : b->of2(x[0], x[1]),
	    i->bits);
	return true;
}

/* ---- which of them are worth a look */

/* Is there more in it than sizes, their sums and differences, their product
 * with a constant and a quotient?  Such a number has no place of its own. */
static bool
is_curved(const struct cond *c, struct cond_value v, int depth)
{
	const struct prog_instr *i;
	bool a_varies, b_varies;

	v = cond_resolve(c, v);
	i = cond_maker(c, v);
	if (!i || depth == DEPTH_MAX)
		return false;
	if (i->op == PROG_LOAD || i->op == PROG_FADD || i->op == PROG_FSUB)
		return true;
	if (i->op == PROG_BUILTIN) {
		const struct prog_call *call = &c->p->calls[i->aux];

		return call->known->of1 || call->known->of2 ||
		    prog_is_fused(c->p, i);
	}
	if (i->op < PROG_ADD || i->op > PROG_SITOFP || i->op == PROG_ICMP)
		return false;
	a_varies = !prog_is_constant(i->a);
	b_varies = i->op < PROG_FNEG && !prog_is_constant(i->b);
	if ((i->op == PROG_MUL || i->op == PROG_FMUL) && a_varies && b_varies)
		return true;
	if (i->op >= PROG_UREM && i->op <= PROG_XOR && i->op != PROG_SHL)
		return true;
	return is_curved(c, (struct cond_value){ v.f, i->a }, depth + 1) ||
	    (b_varies &&
	        is_curved(c, (struct cond_value){ v.f, i->b }, depth + 1));
}

bool
cond_number(const struct cond *c, const struct cond_place *at,
    struct cond_number_place which, double *ret)
{
	const struct prog_instr *i =
	    &c->p->functions[which.function].code[which.instr];
	const struct cond_value number = { which.function, i->dst };
	uint32_t left = STEPS_MAX;
	uint64_t v;

	if (!cond_eval(c, number, at, &left, &v))
		return false;
	*ret = builtin_value(v, i->bits);
	return true;
}

static bool
makes_number(const struct cond *c, const struct prog_instr *i)
{
	if (i->lanes != 1 || (i->bits != 32 && i->bits != 64))
		return false;
	if (i->op == PROG_LOAD)
		return i->type->kind == PROG_FLOAT;
	if (i->op == PROG_BUILTIN)
		return c->p->calls[i->aux].result->kind == PROG_FLOAT;
	return (i->op >= PROG_FADD && i->op <= PROG_FDIV) ||
	    i->op == PROG_UITOFP || i->op == PROG_SITOFP;
}

size_t
cond_numbers(const struct cond *c, const struct cond_place *at,
    struct cond_number_place *out, size_t max)
{
	size_t n = 0;
	double v;

	/* Of a long expression its end, which comes last. */
	for (uint32_t f = (uint32_t)c->p->nfunctions; f-- > 0 && n < max;)
		for (uint32_t k = c->p->functions[f].ncode;
		     k-- > 0 && n < max;) {
			const struct prog_instr *i =
			    &c->p->functions[f].code[k];
			const struct cond_number_place is = { f, k };

			if (c->p->functions[f].is_candidates &&
			    makes_number(c, i) && cond_number(c, at, is, &v) &&
			    is_curved(c, (struct cond_value){ f, i->dst }, 0))
				out[n++] = is;
		}
	return n;
}
