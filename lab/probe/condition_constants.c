/*
 * The constants in a program that may decide something: what sizes, positions
 * and values are drawn from, so that a condition on a number is met by trying
 * near that number.
 */
#include "lab/probe/condition_priv.h"

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
	bool real, is_compared; /* is_compared: those of comparisons alone */
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
		if ((i->op == PROG_XOR || i->op == PROG_SUB) &&
		    !m->is_compared && i->bits <= 32 && i->bits >= 16)
			take_lanes(m, i, i->bits);
		if (i->op == PROG_FCMP ||
		    (i->op >= PROG_FADD && i->op <= PROG_FREM &&
		        !m->is_compared))
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
mine(struct mine m)
{
	const struct program *p = m.p;

	for (size_t k = 0; k < p->nfunctions; k++)
		for (uint32_t i = 0;
		     p->functions[k].is_candidates && i < p->functions[k].ncode;
		     i++)
			look_at(&m, &p->functions[k].code[i]);
	return settle(m.out, m.n);
}

size_t
cond_constants_whole(const struct program *p, uint64_t *out, size_t max)
{
	return mine((struct mine){ .p = p, .out = out, .max = max });
}

static bool
is_whole(const struct prog_type *t)
{
	return t && t->kind == PROG_INT;
}

/* What an instruction hands on as it is. */
static void
look_at_given(struct mine *m, const struct prog_function *f,
    const struct prog_instr *i)
{
	if ((i->op == PROG_MOVE || i->op == PROG_STORE) && is_whole(i->type))
		take(m, i->a, i->bits, false);
	if (i->op == PROG_SELECT && i->lanes == 1) {
		take(m, i->a, i->bits, false);
		take(m, i->b, i->bits, false);
	}
	if (i->op == PROG_RETURN && is_whole(f->result))
		take(m, i->a, f->result->bits, false);
	if (i->op == PROG_CALL) {
		const struct prog_call *c = &m->p->calls[i->aux];

		for (uint32_t k = 0; k < c->nargs; k++)
			if (is_whole(c->types[k]))
				take(m, c->args[k], c->types[k]->bits, false);
	}
}

size_t
cond_constants_given(const struct program *p, uint64_t *out, size_t max)
{
	struct mine m = { .p = p, .out = out, .max = max };

	for (size_t k = 0; k < p->nfunctions; k++) {
		const struct prog_function *f = &p->functions[k];

		for (uint32_t i = 0; f->is_candidates && i < f->ncode; i++)
			look_at_given(&m, f, &f->code[i]);
		for (uint32_t i = 0; f->is_candidates && i < f->nmoves; i++)
			if (f->moves[i].slots == 1)
				take(&m, f->moves[i].src, 32, false);
	}
	return settle(out, m.n);
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

static size_t
real_constants(const struct program *p, bool is_compared, float *out,
    size_t max)
{
	uint64_t *bits = calloc(max + 1, sizeof *bits);
	size_t n = 0, kept = 0;

	if (bits)
		n = mine((struct mine){ .p = p,
		    .out = bits,
		    .max = max,
		    .real = true,
		    .is_compared = is_compared });

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

size_t
cond_constants_real(const struct program *p, float *out, size_t max)
{
	return real_constants(p, false, out, max);
}

size_t
cond_constants_compared(const struct program *p, float *out, size_t max)
{
	return real_constants(p, true, out, max);
}

uint32_t
cond_makes_whole(const struct program *p)
{
	uint32_t most = 0;

	for (size_t k = 0; k < p->nfunctions; k++) {
		const struct prog_function *f = &p->functions[k];

		for (uint32_t i = 0; f->is_candidates && i < f->ncode; i++)
			if ((f->code[i].op == PROG_FPTOUI ||
			        f->code[i].op == PROG_FPTOSI) &&
			    f->code[i].bits > most)
				most = f->code[i].bits;
	}
	return most;
}

/* ---- what it cuts to */

#define CUT_BITS_MIN 8
#define CUT_BITS_MAX 20

uint32_t
cond_cuts_to(const struct program *p, const struct prog_instr *i)
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
	a = cond_mask_bits(p, i->a);
	b = cond_mask_bits(p, i->b);
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
			uint32_t bits =
			    cond_cuts_to(p, &p->functions[k].code[i]);

			if (bits < CUT_BITS_MIN || bits > CUT_BITS_MAX)
				continue;
			out[n++] = ((uint64_t)1 << bits) - 1;
			n = settle(out, n);
		}
	return n;
}
