/*
 * Where a program asks whether two digests are alike: numbers that multiplied
 * bits of its elements are mixed into.  Other elements may have the same one,
 * and no input that anybody tries is likely to hold them.  Nor is one likely to
 * be among those that such a number is zero for, which as a float may divide.
 *
 * Each slot of a function has a grade, which what is made of it takes over: the
 * highest of all that is ever moved there.  Memory has one for all of it.
 */
#include "lab/probe/condition_priv.h"

#include "base/mem.h"
#include "base/units.h"
#include "lab/probe/builtin.h"
#include <stdlib.h>

enum grade {
	GRADE_NONE,
	GRADE_BITS,   /* those of a float, or a pointer at such */
	GRADE_DIGEST, /* of some */
	GRADE_APART,  /* by how much two of these differ */
};

struct grades {
	const struct program *p;
	uint8_t **slots;   /* owned: of each function */
	uint8_t *returned; /* owned: of each function */
	uint8_t memory;
	bool changes;
};

static uint8_t
grade_of(const struct grades *g, uint32_t f, int32_t slot)
{
	return slot < 0 || (uint32_t)slot >= g->p->functions[f].slots
	    ? GRADE_NONE
	    : g->slots[f][slot];
}

static uint8_t
highest(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

static void
raise_to(struct grades *g, uint8_t *to, uint8_t grade)
{
	if (grade <= *to)
		return;
	*to = grade;
	g->changes = true;
}

static void
raise_slots(struct grades *g, uint32_t f, int32_t slot, uint32_t n,
    uint8_t grade)
{
	for (uint32_t k = 0; slot >= 0 && k < n; k++)
		if ((uint32_t)slot + k < g->p->functions[f].slots)
			raise_to(g, &g->slots[f][(uint32_t)slot + k], grade);
}

static uint8_t
of_operand(const struct grades *g, uint32_t f, int32_t slot, uint32_t n)
{
	uint8_t most = GRADE_NONE;

	for (uint32_t k = 0; slot >= 0 && k < (n ? n : 1); k++)
		most = highest(most, grade_of(g, f, slot + (int32_t)k));
	return most;
}

static bool
mixes(const struct prog_call *c)
{
	static const char *const names[] = { "rotate", "mul24", "mad24",
		"mul_hi", "mad_hi", "mad_sat" };

	return slice_is_any(c->plain, names, COUNT(names));
}

/* What a built-in makes; it may as well put it into memory. */
static uint8_t
of_builtin(struct grades *g, uint32_t f, const struct prog_call *c)
{
	const struct prog_type *t = c->result;
	uint8_t most = GRADE_NONE;

	for (uint32_t k = 0; k < c->nargs; k++)
		most = highest(most,
		    of_operand(g, f, c->args[k], c->types[k]->slots));
	if (c->known->is_atomic) {
		if (most >= GRADE_DIGEST)
			raise_to(g, &g->memory, most);
		return g->memory;
	}
	if (most >= GRADE_BITS && mixes(c))
		return GRADE_DIGEST;
	if (t && prog_lane(t)->kind == PROG_FLOAT)
		return GRADE_NONE;
	return most;
}

static uint8_t
of_call(struct grades *g, uint32_t f, const struct prog_call *c)
{
	const struct prog_function *to = &g->p->functions[c->callee];

	for (uint32_t k = 0; k < c->nargs && k < to->nparams; k++)
		for (uint32_t s = 0; s < c->types[k]->slots; s++)
			raise_slots(g, c->callee, to->params[k] + (int32_t)s, 1,
			    grade_of(g, f, c->args[k] + (int32_t)s));
	return g->returned[c->callee];
}

static uint8_t
of_bitcast(const struct prog_instr *i, uint8_t operand)
{
	const struct prog_type *from = i->from, *to = i->type;

	if (!from || !to)
		return operand;
	if (from->kind == PROG_POINTER && to->kind == PROG_POINTER)
		return highest(operand, GRADE_BITS);
	return prog_lane(from)->kind == PROG_FLOAT
	    ? highest(operand, GRADE_BITS)
	    : operand;
}

/* What a load finds: bits of elements, where a pointer was made for it. */
static uint8_t
of_load(const struct grades *g, uint32_t f, const struct prog_instr *i)
{
	if (!i->type || prog_lane(i->type)->kind != PROG_INT)
		return GRADE_NONE;
	return highest(grade_of(g, f, i->a) ? GRADE_BITS : GRADE_NONE,
	    g->memory);
}

/* A power of two shifts, and mixes nothing. */
static bool
is_shift(const struct grades *g, const struct prog_instr *i)
{
	const uint64_t *v = g->p->constants;

	return (prog_is_constant(i->b) &&
	           (v[-i->b - 1] & (v[-i->b - 1] - 1)) == 0) ||
	    (prog_is_constant(i->a) &&
	        (v[-i->a - 1] & (v[-i->a - 1] - 1)) == 0);
}

static uint8_t
of_result(struct grades *g, uint32_t f, const struct prog_instr *i)
{
	uint32_t n =
	    i->op == PROG_BITCAST && i->from ? i->from->slots : i->lanes;
	uint8_t a = of_operand(g, f, i->a, n), b, c;

	if (i->op == PROG_BUILTIN)
		return of_builtin(g, f, &g->p->calls[i->aux]);
	if (i->op == PROG_CALL)
		return of_call(g, f, &g->p->calls[i->aux]);
	if (i->op == PROG_LOAD)
		return of_load(g, f, i);
	if (i->op == PROG_BITCAST)
		return of_bitcast(i, a);
	if (i->op == PROG_MOVE || i->op == PROG_GEP ||
	    (i->op >= PROG_TRUNC && i->op <= PROG_SEXT) ||
	    i->op == PROG_UITOFP || i->op == PROG_SITOFP)
		return a;
	b = of_operand(g, f, i->b, n);
	c = of_operand(g, f, i->c, n);
	if (i->op == PROG_MUL && !is_shift(g, i))
		return highest(a, b) ? GRADE_DIGEST : GRADE_NONE;
	if ((i->op == PROG_XOR || i->op == PROG_SUB) && a >= GRADE_DIGEST &&
	    b >= GRADE_DIGEST)
		return GRADE_APART;
	if ((i->op >= PROG_ADD && i->op <= PROG_XOR) || i->op == PROG_INSERT ||
	    i->op == PROG_EXTRACT || i->op == PROG_SHUFFLE)
		return highest(a, b);
	return i->op == PROG_SELECT ? highest(highest(a, b), c) : GRADE_NONE;
}

static bool
is_compared(const struct grades *g, uint32_t f, const struct prog_instr *i)
{
	uint8_t a = of_operand(g, f, i->a, i->lanes);
	uint8_t b = of_operand(g, f, i->b, i->lanes);
	bool is_equality =
	    (i->op == PROG_ICMP && (i->aux == PROG_EQ || i->aux == PROG_NE)) ||
	    (i->op == PROG_FCMP &&
	        (i->aux == PROG_OEQ || i->aux == PROG_UNE ||
	            i->aux == PROG_UEQ || i->aux == PROG_ONE));

	/* A digest that is compared with a constant comes up, or does not. */
	if (prog_is_constant(i->a) || prog_is_constant(i->b))
		return is_equality && highest(a, b) == GRADE_APART;
	return is_equality && highest(a, b) >= GRADE_DIGEST;
}

static bool
is_counted_with(const struct grades *g, uint32_t f, const struct prog_instr *i)
{
	return (i->op == PROG_UITOFP || i->op == PROG_SITOFP) &&
	    of_operand(g, f, i->a, i->lanes) >= GRADE_DIGEST;
}

static void
pass(struct grades *g, uint32_t f)
{
	const struct prog_function *fn = &g->p->functions[f];

	for (uint32_t k = 0; k < fn->ncode; k++) {
		const struct prog_instr *i = &fn->code[k];

		if (i->op == PROG_RETURN)
			raise_to(g, &g->returned[f],
			    of_operand(g, f, i->a, i->lanes));
		else if (i->op == PROG_STORE && i->type &&
		    i->type->kind != PROG_FLOAT &&
		    of_operand(g, f, i->a, i->lanes) >= GRADE_DIGEST)
			raise_to(g, &g->memory, GRADE_DIGEST);
		else if (cond_has_result(i))
			raise_slots(g, f, i->dst, i->lanes, of_result(g, f, i));
	}
	for (uint32_t k = 0; k < fn->nmoves; k++)
		for (uint32_t s = 0; s < fn->moves[k].slots; s++)
			raise_slots(g, f, fn->moves[k].dst + (int32_t)s, 1,
			    grade_of(g, f, fn->moves[k].src + (int32_t)s));
}

/* Whole numbers that lie in a tensor are its elements' bits, or positions. */
static void
begin(struct grades *g, bool with_tensors)
{
	for (uint32_t f = 0; f < g->p->nfunctions; f++) {
		const struct prog_function *fn = &g->p->functions[f];

		g->slots[f] = xcalloc(fn->slots + 1, 1);
		for (uint32_t k = 0;
		     with_tensors && fn->is_kernel && k < fn->nparams; k++)
			if (fn->types[k]->kind == PROG_POINTER)
				raise_slots(g, f, fn->params[k], 1, GRADE_BITS);
	}
}

typedef bool (
    *is_use)(const struct grades *g, uint32_t f, const struct prog_instr *i);

static size_t
find(const struct program *p, bool with_tensors, is_use use, uint32_t *out,
    size_t max)
{
	struct grades g = { .p = p,
		.slots = xcalloc(p->nfunctions + 1, sizeof *g.slots),
		.returned = xcalloc(p->nfunctions + 1, 1) };
	size_t n = 0;

	begin(&g, with_tensors);
	do {
		g.changes = false;
		for (uint32_t f = 0; f < p->nfunctions; f++)
			pass(&g, f);
	} while (g.changes);
	for (uint32_t f = 0; f < p->nfunctions; f++)
		for (uint32_t k = 0; p->functions[f].is_candidates &&
		     k < p->functions[f].ncode && n < max;
		     k++)
			if (use(&g, f, &p->functions[f].code[k]))
				out[n++] = p->functions[f].code[k].line;
	for (size_t f = 0; f < p->nfunctions; f++)
		free(g.slots[f]);
	free(g.slots);
	free(g.returned);
	return n;
}

size_t
cond_digests(const struct program *p, uint32_t *out, size_t max)
{
	size_t n = find(p, true, is_compared, out, max);

	/* A position times a number may well become an angle. */
	return n + find(p, false, is_counted_with, out + n, max - n);
}
