/*
 * A comparison needs no comparison: "((d | -d) >> 31)" is whether d is zero,
 * and so are clz(d) >> 5, (popcount(d) + 31) >> 5 and a dozen others; d itself
 * is cols ^ 97 or a hash of it.  Whatever the idiom, in the end a number is
 * cut down to one bit: by a mask, a shift, a division, of which the largest
 * value that is left is known.  Such a bit must have been zero and not zero,
 * unless only a comparison takes it, which is counted itself.
 *
 * Numbers that are cut down to few bits, or shifted by what is no constant, are
 * asked for zero as well, and so is x ^ C, where C is no mask: a sign's flip
 * and a complement ask for nothing.
 */
#include "lab/probe/program_narrow.h"

#include "base/mem.h"
#include "lab/probe/arithmetic.h"
#include <stdlib.h>

#define DEPTH_MAX 8
#define FEW_BITS  8  /* that a shift leaves of a number */
#define WIDE_BITS 16 /* fewer are no size and no value's */
#define SEVERAL   UINT32_MAX

struct narrow_function {
	uint32_t *def; /* owned: 1 + what makes each slot; 0: nothing */
	bool *shown;   /* owned: goes on to more than a comparison */
};

struct narrow {
	const struct program *p;
	struct narrow_function *in; /* owned */
};

static void
define(struct narrow_function *nf, int32_t slot, uint32_t n, uint32_t by)
{
	for (uint32_t k = 0; k < n; k++)
		nf->def[slot + (int32_t)k] =
		    nf->def[slot + (int32_t)k] ? SEVERAL : by;
}

static void
find_definitions(const struct prog_function *f, struct narrow_function *nf)
{
	for (uint32_t a = 0; a < f->nparams; a++)
		define(nf, f->params[a], f->types[a]->slots, SEVERAL);
	for (uint32_t i = 0; i < f->ncode; i++) {
		const struct prog_instr *in = &f->code[i];
		bool is_variable = in->op == PROG_ALLOCA && in->b;

		if (in->lanes > 0 && in->op != PROG_STORE &&
		    in->op != PROG_RETURN && !is_variable &&
		    (in->op < PROG_JUMP || in->op > PROG_SWITCH))
			define(nf, in->dst, in->lanes, i + 1);
	}
	for (uint32_t m = 0; m < f->nmoves; m++)
		define(nf, f->moves[m].dst, f->moves[m].slots, SEVERAL);
}

/* ---- where values go */

static void
show(struct narrow_function *nf, int32_t v, uint32_t lanes)
{
	for (uint32_t k = 0; !prog_is_constant(v) && k < lanes; k++)
		nf->shown[v + (int32_t)k] = true;
}

static bool
passes_on(const struct prog_instr *i)
{
	return i->op == PROG_MOVE ||
	    (i->op >= PROG_TRUNC && i->op <= PROG_BITCAST);
}

static void
show_operands(const struct program *p, const struct prog_instr *i,
    struct narrow_function *nf)
{
	bool is_call = i->op == PROG_CALL || i->op == PROG_BUILTIN;
	const struct prog_call *c = is_call ? &p->calls[i->aux] : NULL;
	bool is_math = i->op >= PROG_ADD && i->op <= PROG_FNEG;

	if (i->op == PROG_GEP)
		for (uint32_t k = 0; k < p->geps[i->aux].n; k++)
			show(nf, p->geps[i->aux].index[k], 1);
	else if (c)
		for (uint32_t k = 0; k < c->nargs; k++)
			show(nf, c->args[k], c->types[k]->slots);
	else if ((i->op == PROG_ICMP && !prog_is_constant(i->b)) || is_math ||
	    i->op == PROG_STORE || i->op == PROG_RETURN ||
	    i->op == PROG_SELECT || i->op == PROG_INSERT)
		show(nf, i->a, i->lanes);
	if (is_math || (i->op == PROG_ICMP && !prog_is_constant(i->a)) ||
	    i->op == PROG_SELECT || i->op == PROG_INSERT)
		show(nf, i->b, i->op == PROG_INSERT ? 1 : i->lanes);
	if (i->op == PROG_EXTRACT || i->op == PROG_SHUFFLE)
		show(nf, i->a, i->from->slots);
}

/* Back through variables and casts. */
static bool
show_before(const struct prog_function *f, struct narrow_function *nf)
{
	bool grows = false;

	for (uint32_t n = 0; n < f->ncode; n++) {
		const struct prog_instr *i = &f->code[n];

		if (!passes_on(i) || prog_is_constant(i->a) ||
		    nf->shown[i->a] || !nf->shown[i->dst])
			continue;
		show(nf, i->a, i->from ? i->from->slots : i->lanes);
		grows = true;
	}
	return grows;
}

static void
find_shown(const struct program *p, const struct prog_function *f,
    struct narrow_function *nf)
{
	for (uint32_t n = 0; n < f->ncode; n++)
		show_operands(p, &f->code[n], nf);
	for (uint32_t m = 0; m < f->nmoves; m++)
		show(nf, f->moves[m].src, f->moves[m].slots);
	while (show_before(f, nf))
		;
}

struct narrow *
narrow_new(const struct program *p)
{
	struct narrow *n = xcalloc(1, sizeof *n);

	n->p = p;
	n->in = xcalloc(p->nfunctions + 1, sizeof *n->in);
	for (size_t k = 0; k < p->nfunctions; k++) {
		const struct prog_function *f = &p->functions[k];

		n->in[k].def = xcalloc(f->slots + 1, sizeof *n->in[k].def);
		n->in[k].shown = xcalloc(f->slots + 1, sizeof *n->in[k].shown);
		if (!f->is_candidates)
			continue;
		find_definitions(f, &n->in[k]);
		find_shown(p, f, &n->in[k]);
	}
	return n;
}

void
narrow_free(struct narrow *n)
{
	for (size_t k = 0; k < n->p->nfunctions; k++) {
		free(n->in[k].def);
		free(n->in[k].shown);
	}
	free(n->in);
	free(n);
}

/* ---- how large values are */

static uint64_t
constant(const struct narrow *n, int32_t v)
{
	return prog_is_constant(v) ? n->p->constants[-v - 1] : 0;
}

static uint64_t
less(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* All bits up to its highest. */
static uint64_t
filled(uint64_t v)
{
	return v ? UINT64_MAX >> __builtin_clzll(v) : 0;
}

/* Of what an operator makes of two numbers that are at most a and b; by: the
 * second one where it is a constant, or 0. */
static uint64_t
max_of_op(const struct prog_instr *i, uint64_t a, uint64_t b, uint64_t by)
{
	uint64_t all = arith_mask(i->bits), sum;

	switch ((int)i->op) {
	case PROG_MOVE:
	case PROG_TRUNC:
	case PROG_ZEXT:
		return less(a, all);
	case PROG_AND:
		return less(a, b);
	case PROG_OR:
	case PROG_XOR:
		return less(filled(a | b), all);
	case PROG_LSHR:
		return by < 64 ? a >> by : all;
	case PROG_UDIV:
		return by > 0 ? a / by : a;
	case PROG_UREM:
		return by > 0 ? less(a, by - 1) : a;
	case PROG_ADD:
		sum = a + b;
		return sum < a || sum > all ? all : sum;
	case PROG_SELECT:
		return a > b ? a : b;
	default:
		return all;
	}
}

static uint64_t
max_of(const struct narrow *n, uint32_t k, int32_t v, uint32_t bits, int depth)
{
	const struct prog_instr *i;
	uint32_t def;

	if (prog_is_constant(v))
		return n->p->constants[-v - 1];
	def = n->in[k].def[v];
	if (def == 0 || def == SEVERAL || depth == 0)
		return arith_mask(bits);
	i = &n->p->functions[k].code[def - 1];
	if (i->lanes != 1)
		return arith_mask(bits);
	if (i->op == PROG_BUILTIN)
		return slice_is(n->p->calls[i->aux].plain, "clz") ||
		        slice_is(n->p->calls[i->aux].plain, "popcount")
		    ? i->bits
		    : arith_mask(bits);
	if (i->op == PROG_ICMP || i->op == PROG_FCMP)
		return 1;
	if (i->op < PROG_ADD && i->op != PROG_MOVE)
		return arith_mask(bits);
	return max_of_op(i,
	    max_of(n, k, i->a,
	        i->op == PROG_TRUNC || i->op == PROG_ZEXT ? i->from_bits
	                                                  : i->bits,
	        depth - 1),
	    passes_on(i) ? 0 : max_of(n, k, i->b, i->bits, depth - 1),
	    passes_on(i) ? 0 : constant(n, i->b));
}

uint64_t
narrow_bit(const struct narrow *n, uint32_t k, const struct prog_instr *i,
    uint64_t by)
{
	uint64_t all = arith_mask(i->bits);
	bool cuts = i->op == PROG_AND || i->op == PROG_UREM ||
	    i->op == PROG_UDIV || i->op == PROG_LSHR;

	if (i->bits < WIDE_BITS / 2)
		return 0;
	if (i->op == PROG_ASHR)
		return by + 1 == i->bits ? all : 0;
	if (i->op == PROG_AND && by != 0 && (by & (by - 1)) == 0)
		return by;
	return cuts &&
	    max_of_op(i,
	        i->lanes == 1 ? max_of(n, k, i->a, i->bits, DEPTH_MAX) : all,
	        by, by) == 1;
}

/* Ones side by side, or all but such. */
static bool
is_mask(uint64_t c, uint32_t bits)
{
	uint64_t all = arith_mask(bits), other = ~c & all;

	c &= all;
	c = c ? c >> __builtin_ctzll(c) : 0;
	other = other ? other >> __builtin_ctzll(other) : 0;
	return (c & (c + 1)) == 0 || (other & (other + 1)) == 0;
}

/* Saturation and high halves: all but a few numbers come out as zero. */
static bool
is_mostly_zero(const struct narrow *n, const struct prog_instr *i)
{
	struct slice name;

	if (i->op != PROG_BUILTIN)
		return false;
	name = n->p->calls[i->aux].plain;
	return slice_is(name, "sub_sat") || slice_is(name, "mul_hi");
}

bool
narrow_asks(const struct narrow *n, uint32_t k, const struct prog_instr *i,
    const uint64_t *by)
{
	bool shifts = i->op == PROG_LSHR || i->op == PROG_ASHR;

	if (!n->in[k].shown[i->dst])
		return false;
	if (is_mostly_zero(n, i))
		return true;
	if (i->op < PROG_ADD || i->op > PROG_XOR)
		return false;
	if (by && narrow_bit(n, k, i, *by))
		return true;
	if (i->bits < WIDE_BITS || !by)
		return i->bits >= WIDE_BITS && shifts;
	if (i->op == PROG_AND)
		return *by != 0 && __builtin_popcountll(*by) <= FEW_BITS / 2;
	if (i->op == PROG_XOR)
		return !is_mask(*by, i->bits);
	return shifts && *by + FEW_BITS >= i->bits &&
	    max_of(n, k, i->a, i->bits, DEPTH_MAX) == arith_mask(i->bits);
}
