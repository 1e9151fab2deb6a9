/*
 * Whole numbers that may be a quotient, made without a division: what a product
 * is shifted down to, the upper half of one, the whole part of a float.  Such a
 * one is right for so many sizes that nobody notices the few for which the
 * factor was rounded too far.
 */
#include "lab/probe/condition_priv.h"

#define STEPS_MAX 400
#define DEPTH_MAX 10

static bool
is_high(const struct cond *c, const struct prog_instr *i)
{
	return i->op == PROG_BUILTIN &&
	    slice_is(c->p->calls[i->aux].plain, "mul_hi");
}

static bool
is_cast(const struct prog_instr *i)
{
	return i->op == PROG_MOVE ||
	    (i->op >= PROG_TRUNC && i->op <= PROG_SITOFP);
}

/* Does who a work item is have a say in a value? */
static bool
is_of_item(const struct cond *c, struct cond_value v, int depth)
{
	const struct prog_instr *i;
	enum cond_identity which;
	uint64_t d;

	v = cond_resolve(c, v);
	i = cond_maker(c, v);
	if (!i || depth == 0 || i->lanes != 1)
		return false;
	if (cond_asks(c, i, &which, &d))
		return which <= COND_GROUP_ID;
	if (!is_cast(i) && (i->op < PROG_ADD || i->op > PROG_XOR))
		return false;
	return is_of_item(c, (struct cond_value){ v.f, i->a }, depth - 1) ||
	    (!is_cast(i) &&
	        is_of_item(c, (struct cond_value){ v.f, i->b }, depth - 1));
}

/* The product, or the float, that a value is made of, where it is of a work
 * item: the factor that is. */
static bool
find_divided(const struct cond *c, struct cond_value v, bool of_real, int depth,
    struct cond_value *ret)
{
	const struct prog_instr *i;
	int32_t sides[2];
	bool is_product;

	v = cond_resolve(c, v);
	i = cond_maker(c, v);
	if (!i || depth == 0 || i->lanes != 1)
		return false;
	is_product = !of_real && (i->op == PROG_MUL || is_high(c, i));
	sides[0] = is_high(c, i) ? c->p->calls[i->aux].args[0] : i->a;
	sides[1] = is_high(c, i) ? c->p->calls[i->aux].args[1] : i->b;
	if (of_real && (i->op == PROG_UITOFP || i->op == PROG_SITOFP)) {
		*ret = (struct cond_value){ v.f, i->a };
		return is_of_item(c, *ret, DEPTH_MAX);
	}
	for (int k = 0; is_product && k < 2; k++) {
		*ret = (struct cond_value){ v.f, sides[k] };
		if (!prog_is_constant(sides[!k]) &&
		    is_of_item(c, *ret, DEPTH_MAX))
			return true;
	}
	if (is_product ||
	    (!is_cast(i) && (i->op < PROG_ADD || i->op > PROG_FDIV)))
		return false;
	return find_divided(c, (struct cond_value){ v.f, i->a }, of_real,
	           depth - 1, ret) ||
	    (!is_cast(i) &&
	        find_divided(c, (struct cond_value){ v.f, i->b }, of_real,
	            depth - 1, ret));
}

/* Is it a constant times another number?  It may be that one's quotient. */
static bool
is_scaled(const struct cond *c, struct cond_value of, struct cond_value *ret)
{
	const struct prog_instr *i;

	of = cond_resolve(c, of);
	i = cond_maker(c, of);
	if (!i || i->lanes != 1 || (i->op != PROG_MUL && i->op != PROG_SHL))
		return false;
	if (prog_is_constant(i->b))
		*ret = (struct cond_value){ of.f, i->a };
	else if (i->op == PROG_MUL && prog_is_constant(i->a))
		*ret = (struct cond_value){ of.f, i->b };
	else
		return false;
	return true;
}

/* Of one instruction; of what is scaled, also what was.  Returns how many. */
static size_t
find_quotients(const struct cond *c, uint32_t function,
    const struct prog_instr *i, struct cond_quotient out[2])
{
	bool of_real = i->op == PROG_FPTOUI || i->op == PROG_FPTOSI;
	bool high = is_high(c, i);
	struct cond_value of, is_of = { function, high ? i->dst : i->a };

	if ((!of_real && !high &&
	        !(i->op == PROG_LSHR && prog_is_constant(i->b))) ||
	    i->lanes != 1 || !find_divided(c, is_of, of_real, DEPTH_MAX, &of))
		return 0;
	out[0] = (struct cond_quotient){ .function = function,
		.is = i->dst,
		.of_function = of.f,
		.of = of.v };
	if (!is_scaled(c, of, &of))
		return 1;
	out[1] = out[0];
	out[1].of_function = of.f;
	out[1].of = of.v;
	return 2;
}

size_t
cond_quotients(const struct cond *c, struct cond_quotient *out, size_t max)
{
	size_t n = 0;

	for (uint32_t k = 0; k < c->p->nfunctions; k++) {
		const struct prog_function *f = &c->p->functions[k];

		for (uint32_t m = 0; f->is_candidates && m < f->ncode; m++) {
			struct cond_quotient found[2];
			size_t nfound =
			    find_quotients(c, k, &f->code[m], found);

			for (size_t q = 0; q < nfound && n < max; q++)
				out[n++] = found[q];
		}
	}
	return n;
}

bool
cond_quotient(const struct cond *c, const struct cond_place *at,
    const struct cond_quotient *q, uint64_t *ret, uint64_t *ret_of)
{
	uint32_t left = STEPS_MAX;

	return cond_eval(c, (struct cond_value){ q->function, q->is }, at,
	           &left, ret) &&
	    cond_eval(c, (struct cond_value){ q->of_function, q->of }, at,
	        &left, ret_of);
}
