/*
 * How far a program counts.
 *
 * What a mask leaves of a column is the column in all rows but those that are
 * longer than it, and so is what mul24() and a float count, and the upper bits
 * of a word that holds something else in its lower ones.  A number of eight or
 * sixteen bits that each round adds to counts the rounds of an item, not the
 * columns of a row: for such a one it is told by how much an index grows.
 */
#include "lab/probe/condition_priv.h"

#include "base/units.h"

#define FLOAT_BITS   24
#define WORD_BITS    32
#define ONE          0x3f800000U /* a float's bits */
#define DEPTH_MAX    10
#define COUNTER_MIN  8
#define COUNTER_MAX  20
#define STEP_MOST    4096
#define STARTS_STEPS 400

uint32_t
cond_mask_bits(const struct program *p, int32_t v)
{
	uint64_t mask = prog_is_constant(v) ? p->constants[-v - 1] : 0;
	uint32_t bits = 0;

	while (bits < 64 && mask >> bits & 1)
		bits++;
	return bits < 64 && mask >> bits == 0 && bits <= COND_COUNT_BITS_MAX
	    ? bits
	    : 0;
}

static bool
goes_on(const struct prog_instr *i)
{
	return i->op == PROG_MOVE || i->op == PROG_TRUNC ||
	    i->op == PROG_ZEXT || i->op == PROG_SEXT;
}

static bool
joins(const struct prog_instr *i)
{
	return i->op == PROG_ADD || i->op == PROG_OR || i->op == PROG_XOR;
}

/* Was a number shifted up by so many bits, and something put below it? */
static bool
is_packed(const struct cond *c, struct cond_value v, uint64_t by, int depth)
{
	const struct prog_instr *i;

	v = cond_resolve(c, v);
	i = cond_maker(c, v);
	if (!i || i->lanes != 1 || depth == 0)
		return false;
	if (i->op == PROG_SHL)
		return prog_is_constant(i->b) && !prog_is_constant(i->a) &&
		    c->p->constants[-i->b - 1] == by;
	if (i->op == PROG_MUL && prog_is_constant(i->b))
		return c->p->constants[-i->b - 1] == (uint64_t)1 << by;
	return joins(i) &&
	    (is_packed(c, (struct cond_value){ v.f, i->a }, by, depth - 1) ||
	        is_packed(c, (struct cond_value){ v.f, i->b }, by, depth - 1));
}

/* What is left of a word whose upper bits are taken out again. */
static uint32_t
packed_bits(const struct cond *c, uint32_t f, const struct prog_instr *i)
{
	uint64_t by;

	if (i->op != PROG_LSHR || i->lanes != 1 || i->bits != WORD_BITS ||
	    !prog_is_constant(i->b))
		return 0;
	by = c->p->constants[-i->b - 1];
	return by < WORD_BITS &&
	        is_packed(c, (struct cond_value){ f, i->a }, by, DEPTH_MAX)
	    ? WORD_BITS - (uint32_t)by
	    : 0;
}

/* The bits that a mask leaves, and those that were shifted out below them: a
 * column's upper bits say in which part of a row it is. */
static uint32_t
masked_bits(const struct cond *c, uint32_t f, int32_t mask, int32_t of)
{
	uint32_t bits = cond_mask_bits(c->p, mask);
	const struct prog_instr *i =
	    cond_maker(c, cond_resolve(c, (struct cond_value){ f, of }));
	uint64_t by = 0;

	if (bits == 0)
		return 0;
	if (i && i->op == PROG_LSHR && i->lanes == 1 && prog_is_constant(i->b))
		by = c->p->constants[-i->b - 1];
	return by + bits <= COND_COUNT_BITS_MAX ? bits + (uint32_t)by : bits;
}

static uint32_t
counts_to(const struct cond *c, uint32_t f, const struct prog_instr *i)
{
	uint32_t a, b;

	if (i->op == PROG_FPTOUI || i->op == PROG_FPTOSI)
		return FLOAT_BITS;
	if (i->op == PROG_BUILTIN) {
		struct slice name = c->p->calls[i->aux].plain;

		return slice_is(name, "mul24") || slice_is(name, "mad24")
		    ? FLOAT_BITS
		    : 0;
	}
	if (i->op != PROG_AND || i->lanes != 1)
		return packed_bits(c, f, i);
	a = masked_bits(c, f, i->a, i->b);
	b = masked_bits(c, f, i->b, i->a);
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
cond_counts_to(const struct cond *c, uint32_t max)
{
	uint32_t most = 0;

	for (uint32_t k = 0; k < c->p->nfunctions; k++) {
		const struct prog_function *f = &c->p->functions[k];

		for (uint32_t i = 0; f->is_candidates && i < f->ncode; i++) {
			uint32_t bits = counts_to(c, k, &f->code[i]);

			if (counts_by_ones(c->p, f, &f->code[i]))
				bits = FLOAT_BITS;
			if (bits > most && bits <= max)
				most = bits;
		}
	}
	return most;
}

/* ---- what may be too small */

#define MASK_MIN 12 /* fewer are an item's, or a tile's */

/* What rounds a float to a whole number, or asks for the rest of one. */
static bool
makes_whole(struct slice name)
{
	static const char *const names[] = { "ceil", "floor", "round", "rint",
		"trunc", "fmod", "remainder", "cbrt", "fract", "modf" };

	return slice_is_any(name, names, COUNT(names));
}

/* Arithmetic in fewer bits than a size has, or what it is cut to; and products
 * and powers of two of 32 bits, which a size makes too large. */
static bool
is_little(const struct cond *c, uint32_t f, const struct prog_instr *i)
{
	uint32_t cut = cond_cuts_to(c->p, i);

	if (i->op == PROG_ALLOCA)
		return !i->b; /* an array's, or one whose place is taken */
	if (i->op >= PROG_ADD && i->op <= PROG_SHL && i->bits > 1 &&
	    i->bits < WORD_BITS)
		return true;
	if (i->op == PROG_TRUNC)
		return cut > 1 && cut < WORD_BITS;
	if (i->op == PROG_MUL || i->op == PROG_SHL)
		return i->bits == WORD_BITS;
	if (i->op == PROG_BUILTIN && makes_whole(c->p->calls[i->aux].plain))
		return true;
	return (cut >= MASK_MIN && cut < WORD_BITS) ||
	    counts_to(c, f, i) >= MASK_MIN ||
	    counts_by_ones(c->p, &c->p->functions[f], i);
}

bool
cond_keeps_little(const struct cond *c)
{
	for (uint32_t k = 0; k < c->p->nfunctions; k++) {
		const struct prog_function *f = &c->p->functions[k];

		for (uint32_t n = 0; f->is_candidates && n < f->ncode; n++)
			if (is_little(c, k, &f->code[n]))
				return true;
	}
	return false;
}

/* ---- logarithms of sizes */

static bool
is_of_whole(const struct cond *c, struct cond_value v, int depth)
{
	const struct prog_instr *i;

	v = cond_resolve(c, v);
	i = cond_maker(c, v);
	if (!i || depth == 0)
		return false;
	if (i->op == PROG_UITOFP || i->op == PROG_SITOFP)
		return true;
	return i->op >= PROG_FADD && i->op <= PROG_FDIV &&
	    (is_of_whole(c, (struct cond_value){ v.f, i->a }, depth - 1) ||
	        is_of_whole(c, (struct cond_value){ v.f, i->b }, depth - 1));
}

bool
cond_takes_log(const struct cond *c)
{
	static const char *const names[] = { "log", "log2", "log10",
		"native_log", "native_log2", "native_log10", "half_log",
		"half_log2", "half_log10" };

	for (uint32_t k = 0; k < c->p->nfunctions; k++) {
		const struct prog_function *f = &c->p->functions[k];

		for (uint32_t n = 0; f->is_candidates && n < f->ncode; n++) {
			const struct prog_instr *i = &f->code[n];
			const struct prog_call *call;

			if (i->op != PROG_BUILTIN || i->lanes != 1)
				continue;
			call = &c->p->calls[i->aux];
			if (slice_is_any(call->plain, names, COUNT(names)) &&
			    is_of_whole(c,
			        (struct cond_value){ k, call->args[0] },
			        DEPTH_MAX))
				return true;
		}
	}
	return false;
}

/* ---- what goes round with a loop */

/* A way back from what a variable, or an array's place, is given to itself. */
struct round {
	uint32_t f;
	int32_t variable; /* or of an array */
	bool of_array;
	uint32_t bits; /* the fewest on the way */
	uint64_t step; /* a constant that is added; 0: none, or not one */
	bool adds;
};

static bool comes_round(const struct cond *c, struct round *r, int32_t v,
    int depth);

static bool
through(const struct cond *c, struct round *r, const struct prog_instr *i,
    int depth)
{
	uint32_t cut = cond_cuts_to(c->p, i);
	bool a = comes_round(c, r, i->a, depth), b = false;
	bool is_sum = i->op == PROG_ADD || i->op == PROG_SUB;

	if (!a && !goes_on(i))
		b = comes_round(c, r, i->b, depth);
	if (!a && !b)
		return false;
	if (is_sum && i->bits < r->bits)
		cut = i->bits;
	if (cut > 0 && cut < r->bits)
		r->bits = cut;
	r->adds |= is_sum;
	if (is_sum && prog_is_constant(a ? i->b : i->a))
		r->step = c->p->constants[-(a ? i->b : i->a) - 1];
	return true;
}

static bool
comes_round(const struct cond *c, struct round *r, int32_t v, int depth)
{
	const struct prog_instr *i;

	if (prog_is_constant(v) || depth == 0)
		return false;
	if (!r->of_array && v == r->variable)
		return true;
	i = cond_maker(c, (struct cond_value){ r->f, v });
	if (!i || i->lanes != 1)
		return false;
	if (i->op == PROG_LOAD)
		return r->of_array && i->bits == r->bits;
	if (i->op == PROG_MOVE || (i->op >= PROG_ADD && i->op <= PROG_XOR) ||
	    i->op == PROG_SELECT || goes_on(i))
		return through(c, r, i, depth - 1);
	return false;
}

/* Does an instruction give something to a variable, or to an array of narrow
 * numbers, that it was made of? */
static bool
is_round(const struct cond *c, uint32_t k, const struct prog_instr *i,
    struct round *r)
{
	*r = (struct round){ .f = k, .bits = WORD_BITS };
	if (i->lanes != 1)
		return false;
	if (i->op == PROG_MOVE)
		r->variable = i->dst;
	else if (i->op == PROG_STORE && i->type && i->type->kind == PROG_INT &&
	    i->type->bits < WORD_BITS) {
		r->of_array = true;
		r->bits = i->type->bits;
	} else
		return false;
	return comes_round(c, r, i->a, DEPTH_MAX) && r->adds;
}

size_t
cond_add_once(uint64_t *out, size_t n, size_t max, uint64_t v)
{
	for (size_t i = 0; i < n; i++)
		if (out[i] == v)
			return n;
	if (n < max)
		out[n++] = v;
	return n;
}

/* What a round counts to, or (steps) by what it goes on; 0: neither. */
static uint64_t
told_by(const struct round *r, bool steps)
{
	if (steps)
		return r->step > 1 && r->step <= STEP_MOST ? r->step : 0;
	return r->bits >= COUNTER_MIN && r->bits <= COUNTER_MAX
	    ? (uint64_t)1 << r->bits
	    : 0;
}

static size_t
list_rounds(const struct cond *c, bool steps, uint64_t *out, size_t max)
{
	size_t n = 0;
	struct round r;

	for (uint32_t k = 0; k < c->p->nfunctions; k++) {
		const struct prog_function *f = &c->p->functions[k];

		for (uint32_t i = 0; f->is_candidates && i < f->ncode; i++)
			if (is_round(c, k, &f->code[i], &r) &&
			    told_by(&r, steps) > 0)
				n = cond_add_once(out, n, max,
				    told_by(&r, steps));
	}
	return n;
}

size_t
cond_counters(const struct cond *c, uint64_t *out, size_t max)
{
	return list_rounds(c, false, out, max);
}

size_t
cond_steps(const struct cond *c, uint64_t *out, size_t max)
{
	return list_rounds(c, true, out, max);
}

/* ---- who has anything to do */

/* What a side of a comparison is; of a variable, what it is first. */
static bool
first_value(const struct cond *c, struct cond_value v,
    const struct cond_place *at, uint64_t *ret)
{
	uint32_t left = STARTS_STEPS;
	const struct prog_function *f;

	if (cond_eval(c, v, at, &left, ret))
		return true;
	v = cond_resolve(c, v);
	if (prog_is_constant(v.v) || v.f == COND_NOWHERE)
		return false;
	f = &c->p->functions[v.f];
	for (uint32_t n = 0; n < f->ncode; n++) {
		const struct cond_value is = { v.f, f->code[n].a };

		left = STARTS_STEPS;
		if (f->code[n].op == PROG_MOVE && f->code[n].lanes == 1 &&
		    f->code[n].dst == v.v && cond_eval(c, is, at, &left, ret))
			return true;
	}
	return false;
}

int
cond_first_outcome(const struct cond *c, size_t point,
    const struct cond_place *at)
{
	const struct prog_point *pt = &c->p->points[point];
	const struct prog_instr *i =
	    &c->p->functions[pt->function].code[pt->instr];
	uint64_t a, b;

	if (pt->kind != PROG_POINT_COMPARE || i->op != PROG_ICMP ||
	    i->lanes != 1 ||
	    !first_value(c, (struct cond_value){ pt->function, i->a }, at,
	        &a) ||
	    !first_value(c, (struct cond_value){ pt->function, i->b }, at, &b))
		return COND_UNKNOWN;
	return cond_compare(i->aux, a, b, i->from_bits);
}
