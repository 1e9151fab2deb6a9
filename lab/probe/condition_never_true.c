/*
 * What can never happen.
 *
 * A guard like "if (i >= rows * cols) return;" in a kernel that is launched
 * with just so many work items is never taken, and no launch can show it.  It
 * is excused when it is proved:
 *
 *	i < B		for an id below its count N, when B = N for all sizes
 *	i / Q < B	when B * Q = N;  i % Q < B when B = Q
 *	i * K < B	each of these by a small constant, when what it was
 *			below is B / K rounded up
 *	a remainder	by a constant: of a switch over it the default, where
 *			each of them has a case
 *	a size		against a constant below its least value
 *	a stride	against its columns
 *	constants	against constants
 *	a loop's count	that begins where the loop ends
 *	a comparison	of the same operands as one before it
 *	"|", "&", "!"	of comparisons, each of which is proved
 *
 * Two expressions are held equal when they agree at many random sizes and at
 * all small ones.  That proves something only for expressions that cannot
 * hide one special size: sums, products, and divisions by small constants of
 * sizes.  Anything else proves nothing.
 */
#include "lab/probe/condition_priv.h"

#include <string.h>

#define STEPS_MAX   2000
#define HOPS_MAX    64
#define SAMPLES     400
#define NODES_MAX   40
#define DIVISOR_MAX 64
#define FACTORS_MAX 4
#define DEPTH_MAX   4
#define BITS_DEEP   12
#define FIRST_MAX   4
#define WHOLE_MAX   ((uint64_t)1 << 31) /* below it no sign is in the way */

enum truth { MAYBE, ALWAYS, NEVER };

/* Is it a sum or product of sizes, which hides no special one? */
static bool
is_plain(const struct cond *c, struct cond_value v,
    const struct cond_facts *facts, uint32_t *left)
{
	const struct prog_instr *i;
	struct cond_value b;
	int arg;

	v = cond_resolve(c, v);
	if ((*left)-- == 0) {
		*left = 0;
		return false;
	}
	if (prog_is_constant(v.v))
		return true;
	arg = cond_argument(c, v);
	if (arg >= 0)
		return facts->is_size[arg];
	i = cond_maker(c, v);
	if (!i || i->lanes != 1)
		return false;
	b = cond_resolve(c, (struct cond_value){ v.f, i->b });
	if (i->op == PROG_TRUNC)
		return i->bits >= 32 &&
		    is_plain(c, (struct cond_value){ v.f, i->a }, facts, left);
	if (i->op == PROG_UDIV || i->op == PROG_LSHR || i->op == PROG_SHL) {
		uint64_t by = prog_is_constant(b.v) ? c->p->constants[-b.v - 1]
		                                    : UINT64_MAX;

		return by <= (i->op == PROG_UDIV ? DIVISOR_MAX : 6) &&
		    is_plain(c, (struct cond_value){ v.f, i->a }, facts, left);
	}
	return (i->op == PROG_ADD || i->op == PROG_SUB || i->op == PROG_MUL) &&
	    is_plain(c, (struct cond_value){ v.f, i->a }, facts, left) &&
	    is_plain(c, (struct cond_value){ v.f, i->b }, facts, left);
}

static uint64_t
next(uint64_t *dice)
{
	*dice = *dice * 6364136223846793005ULL + 1442695040888963407ULL;
	return *dice >> 33;
}

/* Sizes of sample n: small ones first, then of every magnitude. */
static bool
draw(const struct cond_facts *facts, uint32_t n, struct cond_place *at)
{
	uint64_t dice = n * 0x9e3779b97f4a7c15ULL + 1;

	for (int i = 0; i < MACHINE_ARGS_MAX; i++) {
		uint64_t bits = n < SAMPLES / 4 ? 3 : next(&dice) % 11 + 2;
		uint64_t v = next(&dice) % ((uint64_t)1 << bits);

		v = v < facts->least[i] ? facts->least[i] : v;
		at->args[i] = facts->is_even[i] ? (v + 1) / 2 * 2 : v;
	}
	for (int i = 0; i < MACHINE_ARGS_MAX; i++)
		if (facts->not_less[i] >= 0)
			at->args[i] =
			    at->args[facts->not_less[i]] + next(&dice) % 70;
	return facts->geometry(facts->arg, at);
}

/* What an id is below: its count in this launch.  0: it is no id. */
static uint64_t
count_of(const struct cond *c, struct cond_value v, const struct cond_place *at)
{
	enum cond_identity which;
	uint64_t d;

	if (!cond_asks(c, cond_maker(c, v), &which, &d))
		return 0;
	if (which == COND_GLOBAL_ID)
		return at->global[d];
	if (which == COND_LOCAL_ID)
		return at->local[d];
	return which == COND_GROUP_ID ? at->global[d] / at->local[d] : 0;
}

static bool
is_constant(const struct cond *c, int32_t v, uint64_t is)
{
	return prog_is_constant(v) && c->p->constants[-v - 1] == is;
}

/* Past what leaves an id's value as it is. */
static struct cond_value
bare(const struct cond *c, struct cond_value v)
{
	const struct prog_instr *i;

	v = cond_resolve(c, v);
	for (int hop = 0; hop < HOPS_MAX; hop++) {
		i = cond_maker(c, v);
		if (!i || i->lanes != 1 ||
		    (i->op != PROG_SEXT &&
		        (i->op != PROG_TRUNC || i->bits < 32) &&
		        (i->op != PROG_ADD || !is_constant(c, i->b, 0))))
			break;
		v = cond_resolve(c, (struct cond_value){ v.f, i->a });
	}
	return v;
}

static bool
product(const struct cond *c, const struct cond_value *factors, size_t n,
    const struct cond_place *at, uint64_t *ret)
{
	uint32_t left = STEPS_MAX;

	*ret = 1;
	for (size_t i = 0; i < n; i++) {
		uint64_t v;

		if (!cond_eval(c, factors[i], at, &left, &v))
			return false;
		*ret *= v;
	}
	return true;
}

/* Past a product with a small constant; *ret: which, or 1. */
static struct cond_value
unscaled(const struct cond *c, struct cond_value v, uint64_t *ret)
{
	const struct prog_instr *i = cond_maker(c, v);
	int32_t a, b;
	uint64_t by;

	*ret = 1;
	if (!i || i->lanes != 1 || (i->op != PROG_MUL && i->op != PROG_SHL))
		return v;
	/* "4 * i" as well */
	a = i->op == PROG_MUL && prog_is_constant(i->a) ? i->b : i->a;
	b = a == i->a ? i->b : i->a;
	if (!prog_is_constant(b))
		return v;
	by = c->p->constants[-b - 1];
	if (i->op == PROG_SHL)
		by = by < 32 ? (uint64_t)1 << by : 0;
	if (by == 0 || by > DIVISOR_MAX)
		return v;
	*ret = by;
	return bare(c, (struct cond_value){ v.f, a });
}

/* Is a below b for all sizes? */
static bool
is_below(const struct cond *c, struct cond_value a, struct cond_value b,
    const struct cond_facts *facts)
{
	struct cond_value factors[FACTORS_MAX] = { b };
	const struct prog_instr *i;
	uint32_t left = NODES_MAX, seen = 0;
	bool is_rest = false;
	uint64_t by;
	size_t n = 1;

	a = unscaled(c, bare(c, a), &by);
	while ((i = cond_maker(c, a)) != NULL && n < FACTORS_MAX &&
	    (i->op == PROG_UDIV || i->op == PROG_UREM) && !is_rest) {
		is_rest = i->op == PROG_UREM;
		factors[n++] = (struct cond_value){ a.f, i->b };
		if (!is_rest)
			a = bare(c, (struct cond_value){ a.f, i->a });
	}
	for (size_t k = 0; k < n; k++)
		if (!is_plain(c, factors[k], facts, &left))
			return false;
	for (uint32_t s = 0; s < SAMPLES; s++) {
		struct cond_place at = { 0 };
		uint64_t limit, others, count;

		if (!draw(facts, s, &at))
			continue;
		/* A remainder is below what it was divided by. */
		if (is_rest && !product(c, &factors[n - 1], 1, &at, &count))
			return false;
		if (!is_rest)
			count = count_of(c, a, &at);
		if (count == 0 || !product(c, factors, 1, &at, &limit) ||
		    !product(c, factors + 1, is_rest ? n - 2 : n - 1, &at,
		        &others) ||
		    (limit + by - 1) / by * others != count)
			return false;
		seen++;
	}
	return seen > SAMPLES / 8;
}

/* The least and the largest that a value is known to have. */
static void
range_of(const struct cond *c, struct cond_value v, int depth,
    const struct cond_facts *facts, uint64_t *ret_min, uint64_t *ret_max)
{
	struct cond_place at = { 0 };
	const struct prog_instr *i;
	int arg;

	*ret_min = 0;
	*ret_max = UINT64_MAX;
	v = bare(c, v);
	arg = cond_argument(c, v);
	i = cond_maker(c, v);
	if (prog_is_constant(v.v)) {
		*ret_min = *ret_max = c->p->constants[-v.v - 1];
	} else if (arg >= 0 && facts->is_size[arg]) {
		*ret_min = facts->least[arg];
	} else if (i && (i->op == PROG_BUILTIN || i->op == PROG_CALL) &&
	    draw(facts, 1, &at)) {
		/* A local size that no size moves. */
		uint64_t n = count_of(c, v, &at);

		for (uint32_t s = 2; s < SAMPLES && n > 0; s++)
			if (draw(facts, s, &at) && count_of(c, v, &at) != n)
				n = 0;
		*ret_max = n > 0 ? n - 1 : UINT64_MAX;
	} else if (i && i->lanes == 1 && prog_is_constant(i->b) &&
	    (i->op == PROG_UREM || i->op == PROG_AND)) {
		uint64_t by = c->p->constants[-i->b - 1];

		/* With its highest bit it may have been made negative since. */
		if (by > 0 && by >> (i->bits - 1) == 0)
			*ret_max = i->op == PROG_UREM ? by - 1 : by;
	} else if (i && depth > 0 &&
	    /* A product of 32 bits wraps: 65,536 squared is nothing. */
	    ((i->op == PROG_MUL && i->bits > 32) || i->op == PROG_ADD)) {
		uint64_t a, b, none;

		range_of(c, (struct cond_value){ v.f, i->a }, depth - 1, facts,
		    &a, &none);
		range_of(c, (struct cond_value){ v.f, i->b }, depth - 1, facts,
		    &b, &none);
		*ret_min = a < 1U << 16 && b < 1U << 16
		    ? i->op == PROG_MUL ? a * b : a + b
		    : 0;
	}
}

/* Is it no less than zero with a sign as well?  Sizes are, and who a work item
 * is, and what is made of these without ever passing 31 bits of 32. */
static bool
is_whole(const struct cond *c, struct cond_value v, int depth,
    const struct cond_facts *facts)
{
	const struct prog_instr *i;
	enum cond_identity which;
	uint64_t d;
	int arg;

	v = bare(c, v);
	if (prog_is_constant(v.v))
		return c->p->constants[-v.v - 1] < WHOLE_MAX;
	arg = cond_argument(c, v);
	if (arg >= 0)
		return facts->is_size[arg];
	i = cond_maker(c, v);
	if (cond_asks(c, i, &which, &d))
		return true;
	if (!i || i->lanes != 1 || depth == 0)
		return false;
	if (i->op == PROG_UDIV || i->op == PROG_UREM || i->op == PROG_LSHR)
		return is_whole(c, (struct cond_value){ v.f, i->a }, depth - 1,
		    facts);
	return (i->op == PROG_SDIV || i->op == PROG_SREM ||
	           ((i->op == PROG_MUL || i->op == PROG_ADD) &&
	               i->bits > 32)) &&
	    is_whole(c, (struct cond_value){ v.f, i->a }, depth - 1, facts) &&
	    is_whole(c, (struct cond_value){ v.f, i->b }, depth - 1, facts);
}

/* Is a < b?  is_signed: with their signs. */
static enum truth
below(const struct cond *c, struct cond_value a, struct cond_value b,
    bool is_signed, const struct cond_facts *facts)
{
	struct cond_value ra = bare(c, a), rb = bare(c, b);
	int arg_a = cond_argument(c, ra), arg_b = cond_argument(c, rb);
	uint64_t min_a, max_a, min_b, max_b;

	range_of(c, a, DEPTH_MAX, facts, &min_a, &max_a);
	range_of(c, b, DEPTH_MAX, facts, &min_b, &max_b);
	/* What nothing is known of is at least zero, but not with a sign. */
	if (is_signed &&
	    !(is_whole(c, a, DEPTH_MAX, facts) &&
	        is_whole(c, b, DEPTH_MAX, facts))) {
		min_a = min_b = 0;
		max_a = max_b = UINT64_MAX;
	}
	if (max_a < min_b || is_below(c, a, b, facts))
		return ALWAYS;
	if (min_a >= max_b ||
	    (arg_a >= 0 && arg_b >= 0 && facts->not_less[arg_a] == arg_b) ||
	    is_below(c, b, a, facts))
		return NEVER;
	return MAYBE;
}

static enum truth
negated(enum truth is)
{
	return is == MAYBE ? MAYBE : is == ALWAYS ? NEVER : ALWAYS;
}

/* Whether a comparison holds. */
static enum truth
truth_of(const struct cond *c, uint32_t predicate, struct cond_value a,
    struct cond_value b, const struct cond_facts *facts)
{
	bool is_signed = predicate >= PROG_SGT && predicate <= PROG_SLE;
	enum truth ab = below(c, a, b, is_signed, facts);
	enum truth ba = below(c, b, a, is_signed, facts);

	switch ((int)predicate) {
	case PROG_ULT:
	case PROG_SLT:
		return ab;
	case PROG_UGE:
	case PROG_SGE:
		return negated(ab);
	case PROG_UGT:
	case PROG_SGT:
		return ba;
	case PROG_ULE:
	case PROG_SLE:
		return negated(ba);
	default:
		break;
	}
	if (ab == ALWAYS || ba == ALWAYS)
		return predicate == PROG_EQ ? NEVER : ALWAYS;
	if (ab == NEVER && ba == NEVER)
		return predicate == PROG_EQ ? ALWAYS : NEVER;
	return MAYBE;
}

/* Whether what is made of comparisons by bits, each of which is 0 or 1, is 1. */
static enum truth
truth_of_bits(const struct cond *c, struct cond_value v, int depth,
    const struct cond_facts *facts)
{
	const struct prog_instr *i;
	struct cond_value a, b;
	enum truth ta, tb;

	v = cond_resolve(c, v);
	i = cond_maker(c, v);
	if (!i || i->lanes != 1 || depth == 0)
		return MAYBE;
	a = (struct cond_value){ v.f, i->a };
	b = (struct cond_value){ v.f, i->b };
	ta = i->op == PROG_ICMP && i->aux == PROG_NE && is_constant(c, i->b, 0)
	    ? truth_of_bits(c, a, depth - 1, facts)
	    : MAYBE;
	if (ta != MAYBE)
		return ta;
	if (i->op == PROG_ICMP)
		return truth_of(c, i->aux, a, b, facts);
	if (i->op == PROG_ZEXT)
		return truth_of_bits(c, a, depth - 1, facts);
	if (i->op == PROG_XOR && is_constant(c, i->b, 1))
		return negated(truth_of_bits(c, a, depth - 1, facts));
	if (i->op != PROG_OR && i->op != PROG_AND)
		return MAYBE;
	ta = truth_of_bits(c, a, depth - 1, facts);
	tb = truth_of_bits(c, b, depth - 1, facts);
	if (ta == tb)
		return ta;
	if (i->op == PROG_OR)
		return ta == ALWAYS || tb == ALWAYS ? ALWAYS : MAYBE;
	return ta == NEVER || tb == NEVER ? NEVER : MAYBE;
}

/* Of what a variable is until the comparison first comes out so, does it come
 * out so for none? */
static bool
never_begins(const struct cond *c, const struct prog_point *pt,
    uint32_t outcome, const struct cond_facts *facts)
{
	const struct prog_instr *i =
	    &c->p->functions[pt->function].code[pt->instr];
	struct cond_value sides[2] = { { pt->function, i->a },
		{ pt->function, i->b } };

	for (size_t side = 0; side < 2; side++) {
		struct cond_value first[FIRST_MAX], at[2];
		size_t n = cond_first_values(c, pt, outcome, sides[side], first,
		    FIRST_MAX);
		bool none = n > 0;

		for (size_t k = 0; k < n && none; k++) {
			at[side] = first[k];
			at[!side] = sides[!side];
			none = truth_of(c, i->aux, at[0], at[1], facts) ==
			    (outcome ? NEVER : ALWAYS);
		}
		if (none)
			return true;
	}
	return false;
}

/* Of a switch: is a case outside of what its number can be, or each number that
 * it can be a case? */
static bool
is_never_switched(const struct cond *c, const struct prog_point *pt,
    uint32_t outcome, const struct cond_facts *facts)
{
	const struct prog_instr *i =
	    &c->p->functions[pt->function].code[pt->instr];
	const struct prog_switch *s = &c->p->switches[i->aux];
	uint64_t min, max, within = 0;

	range_of(c, (struct cond_value){ pt->function, i->a }, DEPTH_MAX, facts,
	    &min, &max);
	if (outcome < s->n)
		return s->values[outcome] < min || s->values[outcome] > max;
	/* No number has two cases. */
	for (uint32_t k = 0; k < s->n; k++)
		within += s->values[k] >= min && s->values[k] <= max;
	return max >= min && max - min < within;
}

bool
cond_is_impossible(const struct cond *c, size_t point, uint32_t outcome,
    const struct cond_facts *facts)
{
	const struct prog_point *pt = &c->p->points[point];
	const struct prog_instr *i =
	    &c->p->functions[pt->function].code[pt->instr];
	enum truth is;

	if (i->op == PROG_SWITCH)
		return is_never_switched(c, pt, outcome, facts);
	is = truth_of_bits(c, (struct cond_value){ pt->function, i->dst },
	    BITS_DEEP, facts);
	if (pt->kind == PROG_POINT_COMBINED && pt->outcomes == 2)
		return is == (outcome ? NEVER : ALWAYS);
	if (i->op != PROG_ICMP || i->lanes != 1)
		return false;
	return is == (outcome ? NEVER : ALWAYS) ||
	    never_begins(c, pt, outcome, facts) ||
	    cond_is_settled(c, pt, outcome);
}
