/*
 * Following values from where they are decided (program_flags.h): through
 * lanes and calls, and through variables from block to block: "n += a; n += b;"
 * is not "n += a" again and again.  Where blocks meet, a variable may hold
 * what it held in either.
 */
#include "lab/probe/program_flags.h"

#include "base/mem.h"
#include "lab/probe/arithmetic.h"
#include "lab/probe/builtin.h"
#include "lab/probe/machine_priv.h"
#include "lab/probe/program_narrow.h"
#include "lab/probe/program_tables.h"
#include <stdlib.h>
#include <string.h>

#define PASSES_MAX    24
#define VARIABLES_MAX 64
#define NO_VARIABLE   UINT32_MAX

struct function {
	struct value *slots; /* owned: what each may hold, ever */
	struct value result; /* its lanes together */
	/* Slots with several definitions: their number among them, and what
	 * they hold at each block's beginning; owned. */
	uint32_t *variable;
	uint32_t nvariables;
	struct value *before;
};

struct flags {
	const struct program *p;
	struct function *in;             /* owned */
	uint32_t k;                      /* the function that is looked at */
	struct value now[VARIABLES_MAX]; /* what its variables hold */
	bool stores_flags, changes;
	struct machine *calm;  /* owned: for built-ins of constants */
	struct narrow *narrow; /* owned */
};

static const struct value data = { .made = DATA };

static struct value
constant(uint64_t v)
{
	return (struct value){ .made = FLAG, .n = 1, .v = { v } };
}

struct value
flags_value(const struct flags *l, uint32_t f, int32_t v)
{
	return prog_is_constant(v) ? constant(l->p->constants[-v - 1])
	                           : l->in[f].slots[v];
}

static uint64_t
decision(const struct flags *l, const struct prog_instr *i, uint32_t lane)
{
	uint64_t at = (uint64_t)(i - l->p->functions[l->k].code);

	return (uint64_t)1 << ((at * 0x9e3779b97f4a7c15ULL + l->k + lane) >>
	           58);
}

static struct value
fresh(const struct flags *l, const struct prog_instr *i, uint32_t lane,
    uint64_t yes)
{
	return (struct value){ .made = FLAG,
		.n = 2,
		.v = { 0, yes },
		.decisions = decision(l, i, lane) };
}

static struct value
operand(const struct flags *l, int32_t v, uint32_t lane)
{
	if (prog_is_constant(v))
		return constant(l->p->constants[-v - 1 + (int32_t)lane]);
	v += (int32_t)lane;
	return l->in[l->k].variable[v] == NO_VARIABLE
	    ? l->in[l->k].slots[v]
	    : l->now[l->in[l->k].variable[v]];
}

static void
add_value(struct value *to, uint64_t v)
{
	for (uint32_t i = 0; i < to->n; i++)
		if (to->v[i] == v)
			return;
	if (to->n == PROG_COMBINED_MAX)
		to->made = DATA;
	else
		to->v[to->n++] = v;
}

static struct value
join(struct value a, struct value b)
{
	if (a.made == NOTHING_YET)
		return b;
	if (b.made == NOTHING_YET)
		return a;
	if (a.made == MASKED || b.made == MASKED)
		return (struct value){ .made = MASKED };
	if (a.made == DATA || b.made == DATA)
		return data;
	for (uint32_t i = 0; i < b.n && a.made == FLAG; i++)
		add_value(&a, b.v[i]);
	a.decisions |= b.decisions;
	return a.made == FLAG ? a : data;
}

/* With what may be there already.  Which one it was is a decision too. */
static void
merge(struct flags *l, struct value *to, struct value v, uint32_t which)
{
	struct value old = *to;

	*to = join(*to, v);
	if (to->made == FLAG && old.made == FLAG && to->n > old.n)
		to->decisions |= (uint64_t)1 << (which * 7 + 13) % 64;
	l->changes |= old.made != to->made || old.n != to->n ||
	    old.decisions != to->decisions;
}

static void
give(struct flags *l, uint32_t k, int32_t slot, struct value v)
{
	if (k == l->k && l->in[k].variable[slot] != NO_VARIABLE)
		l->now[l->in[k].variable[slot]] = v;
	merge(l, &l->in[k].slots[slot], v, (uint32_t)slot);
}

/* ---- one instruction, one lane of it */

static bool
is_whole_op(enum prog_op op)
{
	return op >= PROG_ADD && op <= PROG_XOR;
}

static bool
is_real_op(enum prog_op op)
{
	return op >= PROG_FADD && op <= PROG_FREM;
}

static uint64_t
compute(struct flags *l, const struct prog_instr *i, uint64_t a, uint64_t b)
{
	if (i->op == PROG_ICMP)
		return arith_compare_whole(i->aux, a, b, i->from_bits);
	if (i->op == PROG_FCMP)
		return arith_compare_real(i->aux, a, b, i->from_bits);
	if (is_whole_op(i->op))
		return arith_whole(i->op, a, b, i->bits);
	return arith_real(l->calm, i->op, a, b, i->bits);
}

static struct value
of_flags(struct flags *l, const struct prog_instr *i, const struct value *a,
    const struct value *b)
{
	struct value r = { .made = FLAG,
		.decisions = a->decisions | b->decisions };

	for (uint32_t x = 0; x < a->n && r.made == FLAG; x++)
		for (uint32_t y = 0; y < b->n && r.made == FLAG; y++)
			add_value(&r,
			    compute(l, i, a->v[x], b->v[y]) &
			        arith_mask(i->bits));
	return r.made == FLAG ? r : data;
}

bool
flags_is_product(enum prog_op op)
{
	return op == PROG_MUL || op == PROG_AND || op == PROG_FMUL;
}

bool
flags_is_flag(const struct value *v)
{
	return v->made == FLAG && v->n > 1;
}

static struct value
of_two(struct flags *l, const struct prog_instr *i, uint32_t lane)
{
	struct value a = operand(l, i->a, lane), b = operand(l, i->b, lane);
	uint64_t bit;

	if (a.made == NOTHING_YET || b.made == NOTHING_YET)
		return (struct value){ .made = NOTHING_YET };
	if (a.made == FLAG && b.made == FLAG)
		return of_flags(l, i, &a, &b);
	if (i->op == PROG_ICMP || i->op == PROG_FCMP)
		return fresh(l, i, lane, 1);
	/* A decision that no comparison shows. */
	bit = b.made == FLAG && b.n == 1
	    ? narrow_bit(l->narrow, l->k, i, b.v[0])
	    : i->op == PROG_AND && a.made == FLAG && a.n == 1
	    ? narrow_bit(l->narrow, l->k, i, a.v[0])
	    : 0;
	if (bit)
		return fresh(l, i, lane, bit);
	if (a.made == MASKED || b.made == MASKED ||
	    (flags_is_product(i->op) &&
	        (flags_is_flag(&a) || flags_is_flag(&b))))
		return (struct value){ .made = MASKED };
	return data;
}

static struct value
of_cast(const struct flags *l, const struct prog_instr *i, uint32_t lane)
{
	struct value a = operand(l, i->a, lane), r = a;

	if (i->op == PROG_BITCAST)
		return i->from && i->from->slots == i->lanes ? a : data;
	if (a.made != FLAG)
		return a;
	r.n = 0;
	for (uint32_t x = 0; x < a.n; x++) {
		uint64_t v = i->op == PROG_FNEG
		    ? a.v[x] ^ (uint64_t)1 << (i->bits - 1)
		    : arith_cast(i, a.v[x]);

		add_value(&r, v & arith_mask(i->bits));
	}
	return r;
}

static struct value
of_select(const struct flags *l, const struct prog_instr *i, uint32_t lane)
{
	struct value c = operand(l, i->c, i->from_bits > 1 ? lane : 0);
	struct value r = join(operand(l, i->a, lane), operand(l, i->b, lane));

	if (r.made == FLAG)
		r.decisions |=
		    c.made == FLAG ? c.decisions : decision(l, i, lane);
	return r;
}

static struct value
of_lanes(const struct flags *l, const struct prog_instr *i, uint32_t lane)
{
	struct value r = { .made = NOTHING_YET };
	uint32_t n = i->from ? i->from->slots : 1;

	if (i->op == PROG_INSERT) {
		r = join(operand(l, i->a, lane), operand(l, i->b, 0));
	} else {
		for (uint32_t k = 0; k < n; k++)
			r = join(r, operand(l, i->a, k));
		for (uint32_t k = 0; k < n && i->op == PROG_SHUFFLE; k++)
			r = join(r, operand(l, i->b, k));
	}
	return r;
}

/* ---- built-ins */

static struct value
argument(const struct flags *l, const struct prog_call *c, uint32_t a,
    uint32_t lane)
{
	return operand(l, c->args[a], lane < c->types[a]->slots ? lane : 0);
}

/* All arguments' values, one choice of them after the other. */
static struct value
of_choices(struct flags *l, const struct prog_instr *i, uint32_t lane)
{
	const struct prog_call *c = &l->p->calls[i->aux];
	uint64_t in[3][PROG_LANES_MAX] = { { 0 } }, out[PROG_LANES_MAX];
	struct value args[3] = { { .n = 0 } }, r = { .made = FLAG };
	uint32_t all = 1;

	for (uint32_t a = 0; a < c->nargs; a++) {
		args[a] = argument(l, c, a, lane);
		all *= args[a].n;
		r.decisions |= args[a].decisions;
	}
	for (uint32_t k = 0; k < all && r.made == FLAG; k++) {
		struct builtin_call call = { .m = l->calm,
			.c = c,
			.out = out,
			.lanes = c->result->slots,
			.point = PROG_NO_POINT };
		uint32_t rest = k;

		for (uint32_t a = 0; a < c->nargs; a++) {
			for (uint32_t n = 0; n < PROG_LANES_MAX; n++)
				in[a][n] = args[a].v[rest % args[a].n];
			rest /= args[a].n;
			call.args[a] = in[a];
		}
		memset(out, 0, sizeof out);
		builtin_call(c->known, &call);
		add_value(&r, out[lane] & arith_mask(i->bits));
	}
	return r.made == FLAG ? r : data;
}

/* min(x, 1) of whole numbers. */
static bool
is_cut_to_bit(const struct flags *l, const struct prog_call *c)
{
	for (uint32_t a = 0; a < c->nargs; a++) {
		struct value v = argument(l, c, a, 0);

		if (slice_is(c->plain, "min") && v.made == FLAG && v.n == 1 &&
		    v.v[0] == 1 && c->types[a]->kind == PROG_INT)
			return true;
	}
	return false;
}

/* What a test answers where it says yes; 0: it is no test. */
static uint64_t
yes_of(const struct flags *l, const struct prog_instr *i)
{
	const struct prog_call *c = &l->p->calls[i->aux];

	if (slice_is(c->plain, "step"))
		return builtin_to_bits(1.0, i->bits);
	if (is_cut_to_bit(l, c))
		return 1;
	if (builtin_outcomes(c->known) != 2 || c->plain.n < 3 ||
	    (memcmp(c->plain.p, "is", 2) != 0 &&
	        !slice_is(c->plain, "signbit") && !slice_is(c->plain, "any") &&
	        !slice_is(c->plain, "all")))
		return 0;
	return i->lanes > 1 ? arith_mask(i->bits) : 1;
}

static struct value
of_builtin(struct flags *l, const struct prog_instr *i, uint32_t lane)
{
	const struct prog_call *c = &l->p->calls[i->aux];
	bool flags = c->nargs > 0 && c->nargs <= 3, masked = false;

	for (uint32_t a = 0; a < c->nargs; a++) {
		struct value v = argument(l, c, a, lane);

		if (v.made == NOTHING_YET)
			return v;
		masked |= v.made == MASKED || (flags_is_flag(&v) && a < 2);
		flags &= v.made == FLAG && c->types[a]->kind != PROG_POINTER &&
		    c->types[a]->slots == c->types[0]->slots;
	}
	if (builtin_is_of_memory(c->known))
		return data;
	if (flags && c->types[0]->slots == i->lanes)
		return of_choices(l, i, lane);
	if (yes_of(l, i))
		return fresh(l, i, lane, yes_of(l, i));
	return (struct value){
		.made = masked || builtin_outcomes(c->known) > 0 ? MASKED : DATA
	};
}

/* ---- functions */

static void
pass_arguments(struct flags *l, const struct prog_instr *i)
{
	const struct prog_call *c = &l->p->calls[i->aux];
	const struct prog_function *f = &l->p->functions[c->callee];

	for (uint32_t a = 0; a < c->nargs && a < f->nparams; a++)
		for (uint32_t k = 0; k < f->types[a]->slots; k++)
			give(l, c->callee, f->params[a] + (int32_t)k,
			    f->is_candidates ? operand(l, c->args[a], k)
			                     : data);
}

/* Two calls of one function are two decisions. */
static struct value
of_call(const struct flags *l, const struct prog_instr *i, uint32_t lane)
{
	uint32_t callee = l->p->calls[i->aux].callee;
	struct value r = l->in[callee].result;

	if (!l->p->functions[callee].is_candidates)
		return data;
	if (flags_is_flag(&r))
		r.decisions |= decision(l, i, lane);
	return r;
}

/* A constant table of few values decides. */
static struct value
of_load(const struct flags *l, const struct prog_instr *i, uint32_t lane)
{
	struct value r = { .made = FLAG, .decisions = decision(l, i, lane) };

	r.n = prog_table_values(l->p, &l->p->functions[l->k], i, r.v);
	if (r.n > 0)
		return r;
	return (struct value){ .made = l->stores_flags ? MASKED : DATA };
}

static struct value
value_of(struct flags *l, const struct prog_instr *i, uint32_t lane)
{
	switch ((int)i->op) {
	case PROG_MOVE:
		return operand(l, i->a, lane);
	case PROG_LOAD:
		return of_load(l, i, lane);
	case PROG_SELECT:
		return of_select(l, i, lane);
	case PROG_EXTRACT:
	case PROG_INSERT:
	case PROG_SHUFFLE:
		return of_lanes(l, i, lane);
	case PROG_BUILTIN:
		return of_builtin(l, i, lane);
	case PROG_CALL:
		return of_call(l, i, lane);
	case PROG_ICMP:
	case PROG_FCMP:
		return of_two(l, i, lane);
	case PROG_ALLOCA:
	case PROG_GEP:
		return data;
	default:
		break;
	}
	return is_whole_op(i->op) || is_real_op(i->op) ? of_two(l, i, lane)
	                                               : of_cast(l, i, lane);
}

bool
flags_makes_value(const struct prog_instr *i)
{
	return i->lanes > 0 && i->op != PROG_STORE && i->op != PROG_JUMP &&
	    i->op != PROG_BRANCH && i->op != PROG_SWITCH &&
	    i->op != PROG_RETURN && i->op != PROG_UNREACHABLE &&
	    !(i->op == PROG_ALLOCA && i->b);
}

static void
look_at(struct flags *l, const struct prog_instr *i)
{
	if (i->op == PROG_CALL)
		pass_arguments(l, i);
	if (i->op == PROG_RETURN && i->lanes > 0) {
		struct value old = l->in[l->k].result;

		for (uint32_t k = 0; k < i->lanes; k++)
			l->in[l->k].result =
			    join(l->in[l->k].result, operand(l, i->a, k));
		l->changes |= old.made != l->in[l->k].result.made ||
		    old.n != l->in[l->k].result.n;
	}
	if (i->op == PROG_STORE && !l->stores_flags) {
		struct value v = operand(l, i->a, 0);

		l->stores_flags = flags_is_flag(&v);
		l->changes |= l->stores_flags;
	}
	for (uint32_t k = 0; flags_makes_value(i) && k < i->lanes; k++)
		give(l, l->k, i->dst + (int32_t)k, value_of(l, i, k));
}

/* What the next block begins with, its phis included. */
static void
go_on(struct flags *l, uint32_t e)
{
	const struct prog_function *f = &l->p->functions[l->k];
	const struct prog_edge *edge = &f->edges[e];
	uint32_t n = l->in[l->k].nvariables;
	struct value *to = &l->in[l->k].before[(size_t)edge->to * n];
	struct value held[VARIABLES_MAX];

	memcpy(held, l->now, n * sizeof *held);
	for (uint32_t i = edge->first; i < edge->first + edge->n; i++)
		for (uint32_t k = 0; k < f->moves[i].slots; k++) {
			int32_t slot = f->moves[i].dst + (int32_t)k;
			struct value v = operand(l, f->moves[i].src, k);

			merge(l, &l->in[l->k].slots[slot], v, (uint32_t)slot);
			if (l->in[l->k].variable[slot] != NO_VARIABLE)
				held[l->in[l->k].variable[slot]] = v;
		}
	for (uint32_t v = 0; v < n; v++) {
		merge(l, &to[v], held[v], v);
		/* What a loop makes of it round by round is no choice. */
		if (edge->to <= edge->from && to[v].made == FLAG && to[v].n > 2)
			to[v] = data;
	}
}

static void
look_through(struct flags *l)
{
	const struct prog_function *f = &l->p->functions[l->k];
	uint32_t n = l->in[l->k].nvariables;

	for (uint32_t b = 0; b < f->nblocks; b++) {
		const struct prog_instr *i = &f->code[f->blocks[b].first];
		const struct prog_instr *end = i + f->blocks[b].n;

		memcpy(l->now, &l->in[l->k].before[(size_t)b * n],
		    n * sizeof *l->now);
		for (; i < end; i++)
			look_at(l, i);
		i = end - 1;
		if (i->op == PROG_JUMP || i->op == PROG_BRANCH)
			go_on(l, i->aux);
		if (i->op == PROG_BRANCH)
			go_on(l, i->aux + 1);
		for (uint32_t k = 0;
		     i->op == PROG_SWITCH && k <= l->p->switches[i->aux].n; k++)
			go_on(l, l->p->switches[i->aux].edges[k]);
	}
}

/* Where a function's slots are defined, and how often. */
static void
find_variables(struct flags *l)
{
	const struct prog_function *f = &l->p->functions[l->k];
	uint32_t *is = xcalloc(f->slots + 1, sizeof *is), *n;

	n = &l->in[l->k].nvariables;
	for (uint32_t i = 0; i < f->ncode; i++)
		for (uint32_t k = 0;
		     flags_makes_value(&f->code[i]) && k < f->code[i].lanes;
		     k++)
			is[f->code[i].dst + (int32_t)k]++;
	for (uint32_t i = 0; i < f->nmoves; i++)
		for (uint32_t k = 0; k < f->moves[i].slots; k++)
			is[f->moves[i].dst + (int32_t)k]++;
	for (uint32_t s = 0; s <= f->slots; s++)
		is[s] = is[s] > 1 && *n < VARIABLES_MAX ? (*n)++ : NO_VARIABLE;
	l->in[l->k].variable = is;
	l->in[l->k].slots = xcalloc(f->slots + 1, sizeof(struct value));
	l->in[l->k].before =
	    xcalloc((size_t)f->nblocks * *n + 1, sizeof(struct value));
	for (uint32_t a = 0; f->is_kernel && a < f->nparams; a++)
		for (uint32_t k = 0; k < f->types[a]->slots; k++)
			l->in[l->k].slots[f->params[a] + (int32_t)k] = data;
}

struct flags *
flags_new(const struct program *p)
{
	static const struct machine_launch quiet = { .ndims = 1 };
	struct flags *l = xcalloc(1, sizeof *l);

	l->p = p;
	l->in = xcalloc(p->nfunctions + 1, sizeof *l->in);
	l->calm = xcalloc(1, sizeof *l->calm);
	l->calm->l = &quiet;
	l->calm->p = p;
	l->narrow = narrow_new(p);
	for (l->k = 0; l->k < p->nfunctions; l->k++)
		find_variables(l);
	l->changes = true;
	for (int pass = 0; pass < PASSES_MAX && l->changes; pass++) {
		l->changes = false;
		for (l->k = 0; l->k < p->nfunctions; l->k++)
			if (p->functions[l->k].is_candidates)
				look_through(l);
	}
	return l;
}

void
flags_free(struct flags *l)
{
	for (size_t k = 0; k < l->p->nfunctions; k++) {
		free(l->in[k].slots);
		free(l->in[k].variable);
		free(l->in[k].before);
	}
	free(l->in);
	free(l->calm);
	narrow_free(l->narrow);
	free(l);
}
