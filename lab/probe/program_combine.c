/*
 * What several decisions make together.
 *
 * "(cols >= 1024) * (cols % 8 == 0)" has three comparisons' worth of outcomes
 * and no branch: each comparison may have been true in some launch, and the
 * product never.  So values are followed from where they are decided:
 *
 *	flag	one of a few known values: a comparison's, a step()'s, a bit,
 *		a variable's that is given constants in several places, and
 *		whatever is computed of flags and constants alone
 *	masked	data that a flag was multiplied into, or that a min or a clamp
 *		cut: it may or may not be nothing
 *
 * What a constant table of few values gives is a flag as well, of which each
 * value is asked for.  Of a flag that two or more decisions make, zero and
 * something else are asked for, and each value where it goes on into data, an
 * index, a call or memory; of a product with a flag or with something masked,
 * that it came out other than zero.
 */
#include "lab/probe/program_combine.h"

#include "base/mem.h"
#include "base/units.h"
#include "lab/probe/arithmetic.h"
#include "lab/probe/program_flags.h"
#include "lab/probe/program_narrow.h"
#include "lab/probe/program_tables.h"
#include <stdlib.h>
#include <string.h>

struct look {
	struct program *p;
	struct flags *flags;
	struct narrow *narrow;
	uint32_t k; /* the function */
};

/* The values that go on into what is no flag: their slots; owned. */
static bool *
find_sunk(const struct look *l)
{
	const struct prog_function *f = &l->p->functions[l->k];
	bool *sunk = xcalloc(f->slots + 1, sizeof *sunk), grows = true;

	for (uint32_t n = 0; n < f->ncode; n++) {
		const struct prog_instr *i = &f->code[n];
		const int32_t ops[] = { i->a, i->b };
		bool is = i->op == PROG_STORE || i->op == PROG_RETURN;

		if (flags_makes_value(i) &&
		    (i->op >= PROG_ADD && i->op <= PROG_FREM))
			is = !flags_is_product(i->op) &&
			    flags_value(l->flags, l->k, i->dst).made != FLAG;
		for (int k = 0; k < 2 && is; k++)
			if (!prog_is_constant(ops[k]))
				sunk[ops[k]] = true;
		if (i->op == PROG_GEP)
			for (uint32_t k = 0; k < l->p->geps[i->aux].n; k++)
				if (l->p->geps[i->aux].index[k] >= 0)
					sunk[l->p->geps[i->aux].index[k]] =
					    true;
		if (i->op == PROG_CALL || i->op == PROG_BUILTIN)
			for (uint32_t k = 0; k < l->p->calls[i->aux].nargs; k++)
				if (l->p->calls[i->aux].args[k] >= 0)
					sunk[l->p->calls[i->aux].args[k]] =
					    true;
	}
	while (grows) { /* back through variables and casts */
		grows = false;
		for (uint32_t n = 0; n < f->ncode; n++) {
			const struct prog_instr *i = &f->code[n];
			bool is = i->op == PROG_MOVE ||
			    (i->op >= PROG_TRUNC && i->op <= PROG_BITCAST);

			if (!is || prog_is_constant(i->a) || sunk[i->a] ||
			    !sunk[i->dst])
				continue;
			sunk[i->a] = grows = true;
		}
	}
	return sunk;
}

static uint32_t
count_bits(uint64_t v)
{
	return (uint32_t)__builtin_popcountll(v);
}

/* Of a flag that several decisions make. */
static bool
ask_of_flag(const struct prog_instr *i, const struct value *v, bool sunk,
    struct prog_combined *ret)
{
	uint32_t zeros = 0;

	if (v->made != FLAG || v->n < 2 || count_bits(v->decisions) < 2)
		return false;
	for (uint32_t k = 0; k < v->n; k++)
		zeros += prog_is_nothing(i, v->v[k]);
	if (zeros == 0 && v->n > PROG_COMBINED_EACH)
		return false;
	if (zeros == 0 || (sunk && v->n > 2 && v->n <= PROG_COMBINED_EACH)) {
		ret->n = v->n;
		memcpy(ret->v, v->v, sizeof ret->v);
	}
	return true;
}

bool
prog_is_nothing(const struct prog_instr *i, uint64_t v)
{
	bool real = i->op >= PROG_FADD && i->op <= PROG_FNEG;

	return (real ? v & arith_mask(i->bits - 1) : v) == 0;
}

bool
prog_is_fused(const struct program *p, const struct prog_instr *i)
{
	static const char *const names[] = { "fma", "mad", "mad24",
		"llvm.fmuladd.f32", "llvm.fmuladd.f64", "llvm.fma.f32" };

	return i->op == PROG_BUILTIN &&
	    slice_is_any(p->calls[i->aux].plain, names, COUNT(names));
}

int
prog_combined_outcome(const struct program *p, const struct prog_instr *i,
    uint64_t v)
{
	const struct prog_combined *c = &p->combined[i->combined - 1];

	if (c->n == 0)
		return !prog_is_nothing(i, v);
	for (uint32_t k = 0; k < c->n; k++)
		if (c->v[k] == v)
			return (int)k;
	return -1;
}

/* A product: may it be something, and has it to be shown? */
static bool
ask_of_product(const struct look *l, const struct prog_instr *i)
{
	bool fused = prog_is_fused(l->p, i), decides = false;

	if (!flags_is_product(i->op) && !fused)
		return false;
	for (int o = 0; o < 2; o++) {
		struct value v = flags_value(l->flags, l->k,
		    fused   ? l->p->calls[i->aux].args[o]
		        : o ? i->b
		            : i->a);

		if (v.made == FLAG && v.n == 1)
			return false;
		decides |= v.made == MASKED || flags_is_flag(&v);
	}
	return decides;
}

/* Has zero to be shown of what is no flag's, or of a flag that it makes? */
static bool
ask_of_bits(const struct look *l, const struct prog_instr *i)
{
	struct value a, b;
	bool is_a, is_b;

	if (i->op == PROG_BUILTIN)
		return flags_value(l->flags, l->k, i->dst).made != FLAG &&
		    narrow_asks(l->narrow, l->k, i, NULL);
	if (i->op < PROG_ADD || i->op > PROG_XOR)
		return false;
	a = flags_value(l->flags, l->k, i->a);
	b = flags_value(l->flags, l->k, i->b);
	is_a = a.made == FLAG && a.n == 1 &&
	    (i->op == PROG_AND || i->op == PROG_XOR);
	is_b = b.made == FLAG && b.n == 1;
	if ((a.made == FLAG && !is_a) || (is_a && is_b))
		return false;
	return narrow_asks(l->narrow, l->k, i,
	    is_a       ? &a.v[0]
	        : is_b ? &b.v[0]
	               : NULL);
}

/* May it be nothing for most values, and something for a few? */
static bool
is_quotient(const struct program *p, const struct prog_instr *i)
{
	return i->op == PROG_UDIV || i->op == PROG_SDIV || i->op == PROG_LSHR ||
	    i->op == PROG_ASHR || i->op == PROG_FPTOUI ||
	    i->op == PROG_FPTOSI ||
	    (i->op == PROG_BUILTIN &&
	        slice_begins(p->calls[i->aux].plain, "convert_") &&
	        p->calls[i->aux].result->kind == PROG_INT);
}

static bool
is_counted_itself(const struct prog_instr *i)
{
	return i->op == PROG_ICMP || i->op == PROG_FCMP || i->op == PROG_MOVE ||
	    i->op == PROG_CALL || i->op == PROG_EXTRACT ||
	    i->op == PROG_INSERT || i->op == PROG_SHUFFLE ||
	    (i->op >= PROG_TRUNC && i->op <= PROG_BITCAST);
}

static void
ask(struct look *l, const bool *sunk, uint32_t block, uint32_t at)
{
	struct prog_function *f = &l->p->functions[l->k];
	struct prog_instr *i = &f->code[at];
	struct prog_combined c = { .n = 0 };
	struct prog_point point = { .kind = PROG_POINT_COMBINED,
		.function = l->k,
		.block = block,
		.instr = at,
		.line = i->line,
		.outcomes = 2 };
	struct value v;

	if (!flags_makes_value(i) ||
	    (is_counted_itself(i) && !is_quotient(l->p, i)))
		return;
	v = flags_value(l->flags, l->k, i->dst);
	c.n = prog_table_values(l->p, f, i, c.v);
	if (c.n == 0 && v.made != FLAG && ask_of_product(l, i))
		point.free_outcomes = 1; /* nothing: a flag says no */
	else if (c.n == 0 && ask_of_bits(l, i))
		point.kind = PROG_POINT_BITS;
	else if (c.n == 0 && !ask_of_flag(i, &v, sunk[i->dst], &c)) {
		if (!is_quotient(l->p, i))
			return;
		point.kind = PROG_POINT_QUOTIENT;
		point.free_outcomes = 3;
	}
	if (c.n > 0)
		point.outcomes = c.n;
	c.is_fused = prog_is_fused(l->p, i);
	c.point = prog_add_point(l->p, &point);
	l->p->combined = xreallocarray(l->p->combined, l->p->ncombined + 1,
	    sizeof *l->p->combined);
	l->p->combined[l->p->ncombined++] = c;
	i->combined = (uint32_t)l->p->ncombined;
}

void
prog_find_combined(struct program *p)
{
	struct look l = { .p = p,
		.flags = flags_new(p),
		.narrow = narrow_new(p) };

	for (l.k = 0; l.k < p->nfunctions; l.k++) {
		const struct prog_function *f = &p->functions[l.k];
		bool *sunk = find_sunk(&l);

		for (uint32_t b = 0; f->is_candidates && b < f->nblocks; b++)
			for (uint32_t i = 0; i < f->blocks[b].n; i++)
				ask(&l, sunk, b, f->blocks[b].first + i);
		free(sunk);
	}
	flags_free(l.flags);
	narrow_free(l.narrow);
}
