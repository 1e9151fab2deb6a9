/* Following values back, and what paths demand. */
#include "lab/probe/condition_loops.h"

#include "base/mem.h"
#include "lab/probe/arithmetic.h"
#include "lab/probe/builtin.h"
#include "lab/probe/program_combine.h"
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX 3000
#define HOPS_MAX  64

static void
find_callers(struct cond *c)
{
	for (uint32_t k = 0; k < c->p->nfunctions; k++)
		c->functions[k].caller = c->functions[k].call = COND_NOWHERE;
	for (uint32_t k = 0; k < c->p->nfunctions; k++)
		for (uint32_t i = 0; i < c->p->functions[k].ncode; i++) {
			const struct prog_instr *in =
			    &c->p->functions[k].code[i];
			struct cond_function *callee;

			if (in->op != PROG_CALL)
				continue;
			callee = &c->functions[c->p->calls[in->aux].callee];
			/* Two places: neither. */
			callee->call =
			    callee->caller == COND_NOWHERE ? i : COND_NOWHERE;
			callee->caller = k;
		}
}

struct cond *
cond_new(const struct program *p, const struct prog_function *kernel)
{
	struct cond *c = xcalloc(1, sizeof *c);

	c->p = p;
	c->kernel = (uint32_t)(kernel - p->functions);
	c->functions = xcalloc(p->nfunctions + 1, sizeof *c->functions);
	for (size_t k = 0; k < p->nfunctions; k++) {
		cond_find_definitions(&p->functions[k], &c->functions[k]);
		cond_find_dominators(&p->functions[k], &c->functions[k]);
	}
	find_callers(c);
	cond_find_loops(c);
	return c;
}

void
cond_free(struct cond *c)
{
	if (!c)
		return;
	for (size_t k = 0; k < c->p->nfunctions; k++) {
		free(c->functions[k].def);
		free(c->functions[k].block);
		free(c->functions[k].idom);
		free(c->functions[k].param);
	}
	free(c->functions);
	cond_free_loops(c);
	free(c);
}

/* ---- values */

const struct prog_instr *
cond_maker(const struct cond *c, struct cond_value v)
{
	uint32_t d;

	if (prog_is_constant(v.v) || v.f == COND_NOWHERE)
		return NULL;
	d = c->functions[v.f].def[v.v];
	if (d == 0 || d == COND_NOWHERE || c->functions[v.f].param[v.v] >= 0)
		return NULL;
	return &c->p->functions[v.f].code[d - 1];
}

struct cond_value
cond_resolve(const struct cond *c, struct cond_value v)
{
	for (int hop = 0; hop < HOPS_MAX && !prog_is_constant(v.v); hop++) {
		const struct cond_function *cf = &c->functions[v.f];
		const struct prog_instr *i = cond_maker(c, v);

		if (i && (i->op == PROG_MOVE || i->op == PROG_ZEXT) &&
		    i->lanes == 1) {
			v.v = i->a;
		} else if (!i && cf->param[v.v] >= 0 && v.f != c->kernel &&
		    cf->call != COND_NOWHERE) {
			const struct prog_instr *call =
			    &c->p->functions[cf->caller].code[cf->call];

			v.v = c->p->calls[call->aux].args[cf->param[v.v]];
			v.f = cf->caller;
		} else {
			break;
		}
	}
	return v;
}

int
cond_argument(const struct cond *c, struct cond_value v)
{
	if (prog_is_constant(v.v) || v.f != c->kernel ||
	    c->functions[v.f].def[v.v] != 0)
		return -1;
	return c->functions[v.f].param[v.v];
}

bool
cond_asks(const struct cond *c, const struct prog_instr *i,
    enum cond_identity *ret, uint64_t *ret_d)
{
	static const char *const names[] = {
		[COND_GLOBAL_ID] = "get_global_id",
		[COND_LOCAL_ID] = "get_local_id",
		[COND_GROUP_ID] = "get_group_id",
		[COND_GLOBAL_SIZE] = "get_global_size",
		[COND_LOCAL_SIZE] = "get_local_size",
		[COND_NUM_GROUPS] = "get_num_groups",
	};
	const struct prog_call *call;

	if (!i || i->op != PROG_BUILTIN)
		return false;
	call = &c->p->calls[i->aux];
	if (call->nargs != 1 || !prog_is_constant(call->args[0]))
		return false;
	*ret_d = c->p->constants[-call->args[0] - 1];
	for (int k = 0; k <= COND_NUM_GROUPS; k++)
		if (slice_is(call->plain, names[k])) {
			*ret = (enum cond_identity)k;
			return *ret_d < 3;
		}
	return false;
}

uint64_t
cond_identity(enum cond_identity which, uint64_t d, const struct cond_place *at)
{
	const uint64_t is[] = { [COND_GLOBAL_ID] = at->id[d],
		[COND_LOCAL_ID] = at->id[d] % at->local[d],
		[COND_GROUP_ID] = at->id[d] / at->local[d],
		[COND_GLOBAL_SIZE] = at->global[d],
		[COND_LOCAL_SIZE] = at->local[d],
		[COND_NUM_GROUPS] = at->global[d] / at->local[d] };

	return is[which];
}

bool
cond_compare(uint32_t predicate, uint64_t a, uint64_t b, uint32_t bits)
{
	int64_t sa = arith_extend(a, bits), sb = arith_extend(b, bits);
	const bool is[] = { [PROG_EQ] = a == b,
		[PROG_NE] = a != b,
		[PROG_UGT] = a > b,
		[PROG_UGE] = a >= b,
		[PROG_ULT] = a<b, [PROG_ULE] = a <= b, [PROG_SGT] = sa> sb,
		[PROG_SGE] = sa >= sb,
		[PROG_SLT] = sa < sb,
		[PROG_SLE] = sa <= sb };

	return is[predicate];
}

static bool
combine(const struct prog_instr *i, uint64_t a, uint64_t b, uint64_t *ret)
{
	int64_t sa = arith_extend(a, i->bits), sb = arith_extend(b, i->bits);

	if (i->op >= PROG_UDIV && i->op <= PROG_SREM && (b == 0 || sb == -1))
		return false;
	if (i->op >= PROG_SHL && i->op <= PROG_ASHR && b >= i->bits)
		return false;
	switch ((int)i->op) {
	case PROG_ADD:
		*ret = a + b;
		break;
	case PROG_SUB:
		*ret = a - b;
		break;
	case PROG_MUL:
		*ret = a * b;
		break;
	case PROG_UDIV:
		*ret = a / b;
		break;
	case PROG_SDIV:
		*ret = (uint64_t)(sa / sb);
		break;
	case PROG_UREM:
		*ret = a % b;
		break;
	case PROG_SREM:
		*ret = (uint64_t)(sa % sb);
		break;
	case PROG_SHL:
		*ret = a << b;
		break;
	case PROG_LSHR:
		*ret = a >> b;
		break;
	case PROG_ASHR:
		*ret = (uint64_t)(sa >> b);
		break;
	case PROG_AND:
		*ret = a & b;
		break;
	case PROG_OR:
		*ret = a | b;
		break;
	case PROG_XOR:
		*ret = a ^ b;
		break;
	default:
		return false;
	}
	*ret &= arith_mask(i->bits);
	return true;
}

static uint64_t
combine_real(const struct prog_instr *i, uint64_t a, uint64_t b)
{
	double x = builtin_value(a, i->bits), y = builtin_value(b, i->bits);

	return builtin_to_bits(i->op == PROG_FADD ? x + y
	        : i->op == PROG_FSUB              ? x - y
	        : i->op == PROG_FMUL              ? x * y
	                                          : x / y,
	    i->bits);
}

/* The upper half of a product of whole numbers of 32 bits. */
static bool
ask_high_half(const struct cond *c, struct cond_value v,
    const struct prog_instr *i, const struct cond_place *at, uint32_t *left,
    uint64_t *ret)
{
	const struct prog_call *call = &c->p->calls[i->aux];
	uint64_t a, b;

	if (i->op == PROG_CALL || !slice_is(call->plain, "mul_hi") ||
	    i->bits != 32 ||
	    !cond_eval(c, (struct cond_value){ v.f, call->args[0] }, at, left,
	        &a) ||
	    !cond_eval(c, (struct cond_value){ v.f, call->args[1] }, at, left,
	        &b))
		return false;
	*ret = call->is_signed
	    ? (uint64_t)(arith_extend(a, 32) * arith_extend(b, 32)) >> 32
	    : a * b >> 32;
	*ret &= arith_mask(32);
	return true;
}

/* min, max of whole numbers, and who a work item is. */
static bool
ask_builtin(const struct cond *c, struct cond_value v,
    const struct prog_instr *i, const struct cond_place *at, uint32_t *left,
    uint64_t *ret)
{
	const struct prog_call *call = &c->p->calls[i->aux];
	enum cond_identity which;
	uint64_t a, b;
	bool less;

	if (cond_asks(c, i, &which, &a)) {
		*ret = cond_identity(which, a, at);
		return true;
	}
	if (i->op == PROG_BUILTIN && slice_is(call->plain, "popcount") &&
	    cond_eval(c, (struct cond_value){ v.f, call->args[0] }, at, left,
	        &a)) {
		*ret = (uint64_t)__builtin_popcountll(a);
		return true;
	}
	if (ask_high_half(c, v, i, at, left, ret))
		return true;
	if (i->op == PROG_CALL || call->nargs != 2 ||
	    !(slice_is(call->plain, "min") || slice_is(call->plain, "max")) ||
	    call->types[0]->kind != PROG_INT ||
	    !cond_eval(c, (struct cond_value){ v.f, call->args[0] }, at, left,
	        &a) ||
	    !cond_eval(c, (struct cond_value){ v.f, call->args[1] }, at, left,
	        &b))
		return false;
	less = call->is_signed
	    ? arith_extend(a, i->bits) < arith_extend(b, i->bits)
	    : a < b;
	*ret = less == slice_is(call->plain, "min") ? a : b;
	return true;
}

bool
cond_eval(const struct cond *c, struct cond_value v,
    const struct cond_place *at, uint32_t *left, uint64_t *ret)
{
	const struct prog_instr *i;
	uint64_t a = 0, b = 0;
	int arg;

	v = cond_resolve(c, v);
	if (prog_is_constant(v.v)) {
		*ret = c->p->constants[-v.v - 1];
		return true;
	}
	if (at->nbound > 0 && cond_is_bound(at, v, ret))
		return true;
	arg = cond_argument(c, v);
	if (arg >= 0) {
		*ret = at->args[arg];
		return c->p->functions[v.f].types[arg]->kind == PROG_INT;
	}
	i = cond_maker(c, v);
	if (!i || i->lanes != 1 || *left == 0)
		return false;
	--*left;
	if (i->op == PROG_BUILTIN || i->op == PROG_CALL)
		return ask_builtin(c, v, i, at, left, ret) ||
		    cond_eval_function(c, v, i, at, left, ret);
	if (i->op == PROG_GEP)
		return cond_eval_place(c, v, i, at, left, ret);
	if (i->op == PROG_LOAD)
		return cond_eval_load(c, v, i, at, left, ret);
	if (i->op < PROG_ADD || i->op > PROG_SITOFP || i->op == PROG_FCMP ||
	    i->op == PROG_FREM)
		return false;
	if (!cond_eval(c, (struct cond_value){ v.f, i->a }, at, left, &a))
		return (i->op == PROG_MUL || i->op == PROG_AND) &&
		    cond_eval(c, (struct cond_value){ v.f, i->b }, at, left,
		        ret) &&
		    *ret == 0;
	if (i->op >= PROG_TRUNC) {
		*ret = arith_cast(i, a) & arith_mask(i->bits);
		return true;
	}
	if (i->op == PROG_FNEG) {
		*ret = a ^ (uint64_t)1 << (i->bits - 1);
		return true;
	}
	if (!cond_eval(c, (struct cond_value){ v.f, i->b }, at, left, &b)) {
		*ret = 0;
		return (i->op == PROG_MUL || i->op == PROG_AND) && a == 0;
	}
	if (i->op >= PROG_FADD && i->op <= PROG_FDIV) {
		*ret = combine_real(i, a, b);
		return true;
	}
	if (i->op == PROG_ICMP) {
		*ret = cond_compare(i->aux, a, b, i->from_bits);
		return true;
	}
	if (i->op == PROG_SELECT) {
		uint64_t which;

		if (!cond_eval(c, (struct cond_value){ v.f, i->c }, at, left,
		        &which))
			return false;
		*ret = which & 1 ? a : b;
		return true;
	}
	return combine(i, a, b, ret);
}

/* ---- paths */

int
cond_way_to(const struct prog_function *f, const struct cond_function *cf,
    uint32_t from, uint32_t to)
{
	const struct prog_block *b = &f->blocks[from];
	const struct prog_instr *i = &f->code[b->first + b->n - 1];
	int way = -1;

	if (i->op != PROG_BRANCH)
		return -1;
	for (int k = 0; k < 2; k++) {
		uint32_t head = f->edges[i->aux + (uint32_t)!k].to, d = to;
		uint32_t into = 0;

		for (uint32_t e = 0; e < f->nedges; e++)
			into += f->edges[e].to == head;
		while (d != 0 && d != head && d != COND_NOWHERE)
			d = cf->idom[d];
		if (d == head && into == 1 && head != from)
			way = k;
	}
	return way;
}

/* Do all conditions before a block that can be told allow it? */
static bool
is_allowed(const struct cond *c, uint32_t k, uint32_t block,
    const struct cond_place *at, uint32_t *left)
{
	for (int hop = 0; hop < HOPS_MAX && k != COND_NOWHERE; hop++) {
		const struct prog_function *f = &c->p->functions[k];
		const struct cond_function *cf = &c->functions[k];

		for (uint32_t b = block; b != 0 && b != COND_NOWHERE;
		     b = cf->idom[b]) {
			uint32_t d = cf->idom[b];
			const struct prog_instr *i;
			uint64_t v;
			int way;

			if (d == COND_NOWHERE)
				break;
			way = cond_way_to(f, cf, d, b);
			i = &f->code[f->blocks[d].first + f->blocks[d].n - 1];
			if (way >= 0 &&
			    cond_eval(c, (struct cond_value){ k, i->a }, at,
			        left, &v) &&
			    (v & 1) != (uint64_t)way)
				return false;
		}
		if (k == c->kernel || cf->call == COND_NOWHERE)
			return true;
		block = c->functions[cf->caller].block[cf->call];
		k = cf->caller;
	}
	return true;
}

/* Of a product of which one factor is told, what it may be. */
static int
combined_outcome(const struct cond *c, uint32_t f, const struct prog_instr *i,
    const struct cond_place *at, uint32_t *left)
{
	bool fused = prog_is_fused(c->p, i);
	const int32_t *args = fused ? c->p->calls[i->aux].args : NULL;
	uint64_t v;

	if (cond_eval(c, (struct cond_value){ f, i->dst }, at, left, &v))
		return prog_combined_outcome(c->p, i, v);
	if (i->op != PROG_MUL && i->op != PROG_FMUL && i->op != PROG_AND &&
	    !fused)
		return COND_UNKNOWN;
	if (cond_eval(c, (struct cond_value){ f, fused ? args[0] : i->a }, at,
	        left, &v) ||
	    cond_eval(c, (struct cond_value){ f, fused ? args[1] : i->b }, at,
	        left, &v))
		return !prog_is_nothing(i, v);
	return COND_UNKNOWN;
}

static int
outcome_of(const struct cond *c, const struct prog_point *pt,
    const struct cond_place *at, uint32_t *left)
{
	const struct prog_instr *i =
	    &c->p->functions[pt->function].code[pt->instr];
	struct cond_value v = { pt->function,
		i->op == PROG_SELECT ? i->c : i->a };
	uint64_t a, b;

	if (pt->kind == PROG_POINT_LOOP || pt->kind == PROG_POINT_QUOTIENT ||
	    i->op == PROG_FCMP)
		return COND_UNKNOWN;
	if (pt->kind == PROG_POINT_BITS)
		return cond_eval(c, (struct cond_value){ v.f, i->dst }, at,
		           left, &a)
		    ? prog_combined_outcome(c->p, i, a)
		    : COND_UNKNOWN;
	if (pt->kind == PROG_POINT_COMBINED)
		return combined_outcome(c, pt->function, i, at, left);
	if (i->op == PROG_BUILTIN) {
		const struct prog_call *call = &c->p->calls[i->aux];

		if (call->nargs != 2 || call->types[0]->kind != PROG_INT ||
		    !cond_eval(c, (struct cond_value){ v.f, call->args[0] }, at,
		        left, &a) ||
		    !cond_eval(c, (struct cond_value){ v.f, call->args[1] }, at,
		        left, &b))
			return COND_UNKNOWN;
		return slice_is(call->plain, "min") ? a > b : a < b;
	}
	if (!cond_eval(c, v, at, left, &a))
		return COND_UNKNOWN;
	if (i->op == PROG_SWITCH) {
		const struct prog_switch *s = &c->p->switches[i->aux];
		uint32_t k = 0;

		while (k < s->n && s->values[k] != a)
			k++;
		return (int)k;
	}
	if (i->op != PROG_ICMP)
		return (int)(a & 1);
	if (i->lanes != 1 ||
	    !cond_eval(c, (struct cond_value){ v.f, i->b }, at, left, &b))
		return COND_UNKNOWN;
	return cond_compare(i->aux, a, b, i->from_bits);
}

/* The loops around it are in their first rounds. */
static int
outcome_of_loop(const struct cond *c, size_t point, const struct cond_place *at)
{
	const struct cond_loop *l = cond_loop_of(c, point);
	struct cond_bound bound[COND_BOUND_MAX];
	struct cond_place in = *at;
	uint32_t left = STEPS_MAX;
	int is = l ? cond_rounds(c, l, &in, bound) : COND_UNKNOWN;

	if (is < 0)
		return is;
	return is_allowed(c, l->f, l->head, &in, &left) ? is : COND_BEFORE;
}

int
cond_outcome(const struct cond *c, size_t point, const struct cond_place *at)
{
	const struct prog_point *pt = &c->p->points[point];
	uint32_t left = STEPS_MAX;
	int is;

	if (pt->kind == PROG_POINT_LOOP)
		return outcome_of_loop(c, point, at);
	is = outcome_of(c, pt, at, &left);
	if (is < 0)
		return is;
	return is_allowed(c, pt->function, pt->block, at, &left) ? is
	                                                         : COND_BEFORE;
}

bool
cond_is_told(const struct cond *c, size_t point)
{
	struct cond_place at = { .ndims = 3,
		.global = { 64, 64, 64 },
		.local = { 1, 1, 1 } };
	uint32_t left = STEPS_MAX;

	for (size_t i = 0; i < MACHINE_ARGS_MAX; i++)
		at.args[i] = 8;
	if (c->p->points[point].kind == PROG_POINT_LOOP)
		return cond_outcome(c, point, &at) != COND_UNKNOWN;
	return outcome_of(c, &c->p->points[point], &at, &left) >= 0;
}
