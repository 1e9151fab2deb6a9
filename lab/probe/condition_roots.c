/*
 * Where a number that a value makes passes zero.
 *
 * "y * (1 + exp(-d * d * 1e8))" with d = 0.37 * x - 6.4 is y for all values but
 * those about 17.297, which no constant of the program is.  So what is read, or
 * summed up, or known by nobody, is one unknown, and for each sum in the
 * program it is worked out where the sum changes its sign.
 */
#include "lab/probe/condition_roots.h"

#include "lab/probe/builtin.h"
#include "lab/probe/condition_priv.h"
#include "lab/probe/program_combine.h"
#include <math.h>

#define STEPS_MAX  200
#define DEPTH_MAX  12
#define HALVINGS   48
#define GRID_LOW   (-20) /* powers of two */
#define GRID_HIGH  22
#define GRID_EACH  8 /* of each of them, and of their negatives */
#define GRID_ALL   ((GRID_HIGH - GRID_LOW) * GRID_EACH)
#define SUMS_MAX   12
#define EACH_MAX   ((size_t)3) /* of a sum: some swing for ever */
#define FLOAT_BITS 32

struct unknown {
	const struct cond *c;
	const struct cond_place *at;
	const double *fixed; /* by argument; NAN: the unknown */
	double z;
};

static double value_of(const struct unknown *u, struct cond_value v, int depth);

/* The tensor that is read from, or -1. */
static int
tensor_of(const struct cond *c, struct cond_value v)
{
	for (int hop = 0; hop < DEPTH_MAX; hop++) {
		const struct prog_instr *i;
		int arg;

		v = cond_resolve(c, v);
		arg = cond_argument(c, v);
		i = cond_maker(c, v);
		if (arg >= 0 || !i || i->op != PROG_GEP)
			return arg;
		v.v = i->a;
	}
	return -1;
}

static double
value_read(const struct unknown *u, struct cond_value v,
    const struct prog_instr *i)
{
	int arg = -1;

	if (i && i->op == PROG_LOAD)
		arg = tensor_of(u->c, (struct cond_value){ v.f, i->a });
	if (i && i->op == PROG_CALL && u->c->p->calls[i->aux].nargs > 0)
		arg = tensor_of(u->c,
		    (struct cond_value){ v.f, u->c->p->calls[i->aux].args[0] });
	return arg >= 0 && !isnan(u->fixed[arg]) ? u->fixed[arg] : u->z;
}

/* A function of numbers; false: it is none that is known. */
static bool
value_of_function(const struct unknown *u, struct cond_value v,
    const struct prog_instr *i, int depth, double *ret)
{
	const struct prog_call *call = &u->c->p->calls[i->aux];
	bool fused = prog_is_fused(u->c->p, i);
	double x[3] = { 0, 0, 0 };

	if (i->op != PROG_BUILTIN || call->nargs == 0 || call->nargs > 3 ||
	    (!fused && !call->known->of1 && !call->known->of2))
		return false;
	for (uint32_t k = 0; k < call->nargs; k++) {
		if (call->types[k]->kind != PROG_FLOAT)
			return false;
		x[k] = value_of(u, (struct cond_value){ v.f, call->args[k] },
		    depth + 1);
	}
	*ret = fused           ? x[0] * x[1] + x[2]
	    : call->known->of1 ? call->known->of1(x[0])
	                       : call->known->of2(x[0], x[1]);
	return true;
}

static double
value_of(const struct unknown *u, struct cond_value v, int depth)
{
	const struct prog_instr *i;
	uint32_t left = STEPS_MAX;
	uint64_t bits;
	double ret, a, b;

	v = cond_resolve(u->c, v);
	i = cond_maker(u->c, v);
	if (cond_eval(u->c, v, u->at, &left, &bits))
		return builtin_value(bits, i ? i->bits : FLOAT_BITS);
	if (!i || i->lanes != 1 || depth == DEPTH_MAX ||
	    (i->op != PROG_BUILTIN &&
	        (i->op < PROG_FADD || i->op > PROG_FDIV) && i->op != PROG_FNEG))
		return value_read(u, v, i);
	if (i->op == PROG_BUILTIN)
		return value_of_function(u, v, i, depth, &ret) ? ret : u->z;
	a = value_of(u, (struct cond_value){ v.f, i->a }, depth + 1);
	if (i->op == PROG_FNEG)
		return -a;
	b = value_of(u, (struct cond_value){ v.f, i->b }, depth + 1);
	return i->op == PROG_FADD ? a + b
	    : i->op == PROG_FSUB  ? a - b
	    : i->op == PROG_FMUL  ? a * b
	                          : a / b;
}

static double
sum_at(struct unknown *u, struct cond_value sum, double z)
{
	u->z = z;
	return value_of(u, sum, 0);
}

static double
grid(int n)
{
	double v = ldexp(1.0 + (double)(n % GRID_EACH) / GRID_EACH,
	    GRID_LOW + n / GRID_EACH);

	return v;
}

static double
halve(struct unknown *u, struct cond_value sum, double low, double high)
{
	bool is_below = sum_at(u, sum, low) < 0;

	for (int n = 0; n < HALVINGS; n++) {
		double middle = (low + high) / 2;

		if ((sum_at(u, sum, middle) < 0) == is_below)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Zero itself is everybody's. */
static size_t
find_roots(struct unknown *u, struct cond_value sum, double *out, size_t max)
{
	size_t n = 0;

	for (int side = -1; side <= 1 && n < max; side += 2) {
		double was = sum_at(u, sum, side * grid(0));

		for (int k = 1; k < GRID_ALL && n < max; k++) {
			double is = sum_at(u, sum, side * grid(k));

			if ((was < 0 && is > 0) || (was > 0 && is < 0) ||
			    (is == 0 && was != 0))
				out[n++] = halve(u, sum, side * grid(k - 1),
				    side * grid(k));
			was = is;
		}
	}
	return n;
}

static bool
is_sum(const struct cond *c, const struct prog_instr *i)
{
	return i->lanes == 1 && i->bits == FLOAT_BITS &&
	    (i->op == PROG_FADD || i->op == PROG_FSUB ||
	        prog_is_fused(c->p, i));
}

size_t
cond_roots(const struct cond *c, const struct cond_place *at,
    const double *fixed, double *out, size_t max)
{
	struct unknown u = { .c = c, .at = at, .fixed = fixed };
	size_t n = 0, sums = 0;

	for (uint32_t f = (uint32_t)c->p->nfunctions; f-- > 0;) {
		const struct prog_function *of = &c->p->functions[f];

		for (uint32_t k = of->ncode; of->is_candidates && k-- > 0;) {
			const struct cond_value sum = { f, of->code[k].dst };
			uint32_t left = STEPS_MAX;
			uint64_t bits;

			if (n == max || sums == SUMS_MAX)
				return n;
			if (!is_sum(c, &of->code[k]) ||
			    cond_eval(c, sum, at, &left, &bits))
				continue;
			sums++;
			n += find_roots(&u, sum, out + n,
			    max - n < EACH_MAX ? max - n : EACH_MAX);
		}
	}
	return n;
}
