/*
 * The constants in a program that may decide something: what sizes, positions
 * and values are drawn from, so that a condition on a number is met by trying
 * near that number.
 */
#include "lab/probe/condition.h"

#include "lab/probe/builtin.h"
#include "ops/dtype.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int
by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Each once, up to max: of too many the smallest. */
static size_t
settle(uint64_t *v, size_t n)
{
	size_t kept = 0;

	qsort(v, n, sizeof *v, by_value);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || v[kept - 1] != v[i])
			v[kept++] = v[i];
	return kept;
}

struct mine {
	const struct program *p;
	uint64_t *out;
	size_t n, max;
	bool real;
};

static void
take(struct mine *m, int32_t v, uint32_t bits, bool is_shift)
{
	uint64_t c;

	if (!prog_is_constant(v) || bits < 8)
		return;
	c = m->p->constants[-v - 1];
	if (is_shift)
		c = c < 32 ? (uint64_t)1 << c : 0;
	if (m->n == m->max)
		m->n = settle(m->out, m->n);
	if (m->n < m->max)
		m->out[m->n++] = c;
}

/* Lanes of a constant vector too. */
static void
take_lanes(struct mine *m, const struct prog_instr *i, uint32_t bits)
{
	uint32_t n = i->from ? i->from->slots : i->lanes;

	for (uint32_t k = 0; k < n && k < PROG_LANES_MAX; k++) {
		if (prog_is_constant(i->a))
			take(m, i->a - (int32_t)k, bits, false);
		if (prog_is_constant(i->b))
			take(m, i->b - (int32_t)k, bits, false);
	}
}

static bool
is_real(const struct prog_type *t)
{
	return (t->of ? t->of : t)->kind == PROG_FLOAT;
}

static void
look_at(struct mine *m, const struct prog_instr *i)
{
	if (i->op == PROG_BUILTIN) {
		const struct prog_call *c = &m->p->calls[i->aux];

		for (uint32_t k = 0; k < c->nargs; k++)
			if ((i->point != PROG_NO_POINT ||
			        c->known->is_atomic) &&
			    is_real(c->types[k]) == m->real)
				take(m, c->args[k], c->types[k]->bits, false);
	} else if (i->op == PROG_SWITCH && !m->real) {
		const struct prog_switch *s = &m->p->switches[i->aux];

		for (uint32_t k = 0; k < s->n && m->n < m->max; k++)
			m->out[m->n++] = s->values[k];
	} else if (m->real) {
		/* A value's bits may be compared too. */
		if (i->op == PROG_ICMP && i->from_bits <= 32 &&
		    i->from_bits >= 16)
			take_lanes(m, i, i->from_bits);
		if ((i->op == PROG_XOR || i->op == PROG_SUB) && i->bits <= 32 &&
		    i->bits >= 16)
			take_lanes(m, i, i->bits);
		if (i->op == PROG_FCMP ||
		    (i->op >= PROG_FADD && i->op <= PROG_FREM))
			take_lanes(m, i,
			    i->op == PROG_FCMP ? i->from_bits : i->bits);
	} else if (i->op == PROG_ICMP) {
		take_lanes(m, i, i->from_bits);
	} else if (i->op >= PROG_ADD && i->op <= PROG_XOR) {
		bool is_shift = i->op >= PROG_SHL && i->op <= PROG_ASHR;

		take(m, i->b, i->bits, is_shift);
		if (!is_shift)
			take(m, i->a, i->bits, false);
	}
}

static size_t
mine(const struct program *p, uint64_t *out, size_t max, bool real)
{
	struct mine m = { .p = p, .out = out, .max = max, .real = real };

	for (size_t k = 0; k < p->nfunctions; k++)
		for (uint32_t i = 0;
		     p->functions[k].is_candidates && i < p->functions[k].ncode;
		     i++)
			look_at(&m, &p->functions[k].code[i]);
	return settle(out, m.n);
}

size_t
cond_constants_whole(const struct program *p, uint64_t *out, size_t max)
{
	return mine(p, out, max, false);
}

/* What a constant's bits are as a number: a double's are told by their width,
 * sixteen of them may be a half's or a bfloat16's.  At most two. */
static size_t
values_of(uint64_t bits, double ret[2])
{
	if (bits > 0xffff) {
		ret[0] = builtin_value(bits, bits >> 32 ? 64 : 32);
		return 1;
	}
	ret[0] = (double)dtype_f16_to_float((uint16_t)bits);
	ret[1] = (double)dtype_bf16_to_float((uint16_t)bits);
	return 2;
}

/* A small whole number is one: as bits it would be next to nothing. */
static bool
may_decide(double v)
{
	return isfinite(v) && fabs(v) > 1e-30 && fabs(v) < 3.4e38;
}

size_t
cond_constants_real(const struct program *p, float *out, size_t max)
{
	uint64_t *bits = calloc(max + 1, sizeof *bits);
	size_t n = bits ? mine(p, bits, max, true) : 0, kept = 0;

	for (size_t i = 0; i < n; i++) {
		double v[2];
		size_t nv = values_of(bits[i], v);

		for (size_t k = 0; k < nv && kept < max; k++)
			if (may_decide(v[k]))
				out[kept++] = (float)v[k];
	}
	free(bits);
	return kept;
}

/* ---- how far it counts */

#define COUNT_BITS_MAX 24
#define ONE            0x3f800000U /* a float's bits */

static uint32_t
mask_bits(const struct program *p, int32_t v)
{
	uint64_t mask = prog_is_constant(v) ? p->constants[-v - 1] : 0;
	uint32_t bits = 0;

	while (mask >> bits & 1)
		bits++;
	return bits < 64 && mask >> bits == 0 && bits <= COUNT_BITS_MAX ? bits
	                                                                : 0;
}

static uint32_t
counts_to(const struct program *p, const struct prog_instr *i)
{
	uint32_t a, b;

	if (i->op == PROG_FPTOUI || i->op == PROG_FPTOSI)
		return COUNT_BITS_MAX;
	if (i->op == PROG_BUILTIN) {
		struct slice name = p->calls[i->aux].plain;

		return slice_is(name, "mul24") || slice_is(name, "mad24")
		    ? COUNT_BITS_MAX
		    : 0;
	}
	if (i->op != PROG_AND || i->lanes != 1)
		return 0;
	a = mask_bits(p, i->a);
	b = mask_bits(p, i->b);
	return a > b ? a : b;
}

/* The variable that a value was read from, or the value. */
static int32_t
variable_of(const struct prog_function *f, int32_t v)
{
	for (uint32_t i = 0; i < f->ncode; i++)
		if (f->code[i].op == PROG_MOVE && f->code[i].lanes == 1 &&
		    f->code[i].dst == v)
			return f->code[i].a;
	return v;
}

/* Is one added to a float that a comparison looks at?  It goes no further than
 * its bits. */
static bool
counts_by_ones(const struct program *p, const struct prog_function *f,
    const struct prog_instr *add)
{
	bool is_first = prog_is_constant(add->a);
	int32_t one = is_first ? add->a : add->b, counter;

	if (add->op != PROG_FADD || add->lanes != 1 || add->bits != 32 ||
	    !prog_is_constant(one) || p->constants[-one - 1] != ONE)
		return false;
	counter = variable_of(f, is_first ? add->b : add->a);
	for (uint32_t i = 0; i < f->ncode; i++)
		if (f->code[i].op == PROG_FCMP &&
		    (variable_of(f, f->code[i].a) == counter ||
		        variable_of(f, f->code[i].b) == counter))
			return true;
	return false;
}

uint32_t
cond_counts_to(const struct program *p)
{
	uint32_t most = 0;

	for (size_t k = 0; k < p->nfunctions; k++)
		for (uint32_t i = 0;
		     p->functions[k].is_candidates && i < p->functions[k].ncode;
		     i++) {
			const struct prog_function *f = &p->functions[k];
			uint32_t bits = counts_to(p, &f->code[i]);

			if (counts_by_ones(p, f, &f->code[i]))
				bits = COUNT_BITS_MAX;
			most = bits > most ? bits : most;
		}
	return most;
}

/* ---- what it cuts to */

#define CUT_BITS_MIN 8
#define CUT_BITS_MAX 20

/* To how many bits an instruction cuts a number that had more; 0: it does not.
 */
static uint32_t
cuts_to(const struct program *p, const struct prog_instr *i)
{
	uint32_t a, b;

	if (i->lanes != 1)
		return 0;
	if (i->op == PROG_TRUNC && i->from_bits >= 32)
		return i->bits;
	if (i->op == PROG_UREM && prog_is_constant(i->b)) {
		uint64_t of = p->constants[-i->b - 1];

		for (a = 0; a < 63 && (uint64_t)1 << a < of; a++)
			;
		return (uint64_t)1 << a == of ? a : 0;
	}
	if (i->op != PROG_AND)
		return 0;
	a = mask_bits(p, i->a);
	b = mask_bits(p, i->b);
	return a > b ? a : b;
}

size_t
cond_cuts(const struct program *p, uint64_t *out, size_t max)
{
	size_t n = 0;

	for (size_t k = 0; k < p->nfunctions; k++)
		for (uint32_t i = 0; p->functions[k].is_candidates &&
		     i < p->functions[k].ncode && n < max;
		     i++) {
			uint32_t bits = cuts_to(p, &p->functions[k].code[i]);

			if (bits < CUT_BITS_MIN || bits > CUT_BITS_MAX)
				continue;
			out[n++] = ((uint64_t)1 << bits) - 1;
			n = settle(out, n);
		}
	return n;
}
