/*
 * Each constant of the program as a size.
 *
 * Not all that is done for one size alone is a condition: "i * 7919 % cols"
 * walks a whole row unless cols is 7919, and "y * (d / d)" with d = cols - 777
 * is y but for one size.  Nothing in such a program can be seen not to have
 * run, so that each constant is every size once, whether anything asks for it
 * or not; one that the program makes of others, too.
 */
#include "lab/stages/input_search_priv.h"

#include <math.h>
#include <string.h>

#define SMALL    3  /* what the other sizes are */
#define ROUND    64 /* columns beside a parameter, which one or two don't show */
#define ODD      37
#define FEW      4 /* rows beside a round number of them */
#define LEAST    3
#define COST_MAX ((uint64_t)1 << 17)
#define STEP_MAX ((uint64_t)4 << 20) /* a prime may be as much */
#define EPS_MIN  1e-12f
#define EPS_MAX  1.0f
#define BASE_MIN 1.5f
#define BASE_MAX 1e7f
/* Constants of which the primes matter, and which of these. */
#define FACTORED_MIN 64
#define FACTOR_MIN   11
#define FACTOR_MAX   65536
#define STEPS_LEAST  3 /* primes, of at least and at most: */
#define STEP_LEAST   3
#define STEP_SMALL   64
#define BLOCK_MIN    2
#define BLOCK_MAX    256
/* That are gone through for what a program makes. */
#define LAUNCHES     3
#define LAUNCH_SIZES 4

static bool
has_whole(const struct seek *s, uint64_t v)
{
	for (size_t i = 0; i < s->nwhole; i++)
		if (s->whole[i] == v)
			return true;
	return false;
}

static bool
is_made(const struct seek *s, uint64_t v)
{
	for (size_t i = 0; i < s->nmade; i++)
		if (s->made[i] == v)
			return true;
	return false;
}

/* Adds a number's primes to v, of which there are n: "i * 16777207 % cols" goes
 * all ways round but where a row is a multiple of 4,093 or of 4,099. */
static size_t
add_factors(const struct seek *s, uint64_t of, uint64_t *v, size_t n,
    size_t max)
{
	size_t first = n;

	if (of < FACTORED_MIN || of > UINT32_MAX)
		return n;
	for (uint64_t k = 2; of > 1 && k <= FACTOR_MAX; k++) {
		bool is_new = true;

		if (k * k > of)
			k = of;
		if (of % k != 0)
			continue;
		while (of % k == 0)
			of /= k;
		for (size_t i = first; i < n; i++)
			is_new &= v[i] != k;
		if (k >= FACTOR_MIN && is_new && !has_whole(s, k) &&
		    !is_made(s, k) && n < max)
			v[n++] = k;
	}
	return n;
}

void
seek_mine_factors(struct seek *s)
{
	size_t n = s->nwhole;

	for (size_t i = 0; i < n; i++)
		s->nwhole = add_factors(s, s->whole[i], s->whole, s->nwhole,
		    SEEK_CONSTANTS_MAX);
}

bool
seek_is_prime(uint64_t v)
{
	for (uint64_t k = 2; k * k <= v; k++)
		if (v % k == 0)
			return false;
	return v > 1;
}

/* A launch whose sizes are primes, none of them another launch's. */
static bool
make_launch(const struct seek *s, size_t nth, struct cond_place *ret)
{
	static const uint32_t sizes[LAUNCHES][LAUNCH_SIZES] = {
		{ 5, 31, 7, 43 }, { 13, 37, 11, 47 }, { 17, 41, 19, 53 }
	};
	struct op_shape shape = s->op->smoke->shape;
	size_t n = 0;

	for (size_t i = 0; i < s->op->nargs; i++)
		if (seek_is_dimension(s->op, i)) {
			uint32_t v = sizes[nth][n++ % LAUNCH_SIZES];

			*seek_scalar(s->op, i, &shape) =
			    s->facts.is_even[i] ? 2 * v : v;
		}
	op_close_strides(s->op, &shape);
	*ret = (struct cond_place){ 0 };
	if (!seek_place(s, &shape, ret))
		return false;
	/* The last item knows the first one's number from a constant. */
	for (uint32_t d = 0; nth + 1 == LAUNCHES && d < ret->ndims; d++)
		ret->id[d] = ret->global[d] - 1;
	return true;
}

static uint64_t
times_steps(const uint64_t *v, size_t n, uint64_t product, size_t *nsteps)
{
	for (size_t i = 0; i < n; i++)
		if (v[i] >= STEP_LEAST && v[i] <= STEP_SMALL &&
		    seek_is_prime(v[i]) && product * v[i] <= COST_MAX) {
			product *= v[i];
			++*nsteps;
		}
	return product;
}

/* The product of all small primes that the program names or gives to a
 * variable: who takes the first of several steps that shares no divisor with a
 * size has none left there. */
static void
add_product_of_steps(struct seek *s)
{
	size_t n = 0;
	uint64_t product = times_steps(s->made, s->nmade,
	    times_steps(s->whole, s->nwhole, 1, &n), &n);

	if (n >= STEPS_LEAST && s->nmade < SEEK_MADE_MAX &&
	    !has_whole(s, product) && !is_made(s, product))
		s->made[s->nmade++] = product;
}

void
seek_mine_made(struct seek *s)
{
	struct cond_place at[LAUNCHES];
	uint64_t v[SEEK_MADE_MAX];
	size_t n, nplaces = 0;

	for (size_t i = 0; i < LAUNCHES; i++)
		nplaces += make_launch(s, i, &at[nplaces]);
	n = cond_constants_made(s->cond, at, nplaces, v, SEEK_MADE_MAX);
	for (size_t i = 0; i < n; i++)
		if (v[i] >= LEAST && v[i] <= UINT32_MAX && !has_whole(s, v[i]))
			s->made[s->nmade++] = v[i];
	n = cond_constants_given(s->p, v, SEEK_MADE_MAX);
	for (size_t i = 0; i < n && s->nmade < SEEK_MADE_MAX; i++)
		if (v[i] >= LEAST && v[i] <= UINT32_MAX &&
		    !has_whole(s, v[i]) && !is_made(s, v[i]))
			s->made[s->nmade++] = v[i];
	add_product_of_steps(s);
	n = s->nmade;
	for (size_t i = 0; i < n; i++)
		s->nmade = add_factors(s, s->made[i], s->made, s->nmade,
		    SEEK_MADE_MAX);
}

/* How many whole constants there are of either kind, and which: the made ones
 * first, for they are few. */
static size_t
count_whole(const struct seek *s)
{
	return s->nmade + s->nwhole;
}

static uint64_t
whole_of(const struct seek *s, size_t n)
{
	return n < s->nmade ? s->made[n] : s->whole[n - s->nmade];
}

/* The n-th of all constants, as a size; 0: it is none. */
static uint64_t
size_of(const struct seek *s, size_t n)
{
	float v;

	if (n < count_whole(s))
		return whole_of(s, n);
	v = s->real[n - count_whole(s)];
	return v >= LEAST && v < 0x1p20f && v == rintf(v) ? (uint64_t)v : 0;
}

static void
make_small(const struct seek *s, struct op_shape *ret)
{
	*ret = s->op->smoke->shape;
	for (size_t i = 0; i < s->op->nargs; i++)
		if (seek_is_dimension(s->op, i))
			*seek_scalar(s->op, i, ret) =
			    s->facts.is_even[i] ? 2 * SMALL : SMALL;
	op_close_strides(s->op, ret);
}

/* Every other constant beside round sizes. */
static void
make_middle(const struct seek *s, bool is_round, struct op_shape *ret)
{
	make_small(s, ret);
	for (size_t i = 0; i < s->op->nargs; i++) {
		uint32_t v = is_round ? FEW : SMALL;

		if (!seek_is_dimension(s->op, i))
			continue;
		if (seek_is_along(s->op, i))
			v = is_round ? ROUND : ODD;
		*seek_scalar(s->op, i, ret) = s->facts.is_even[i] ? 2 * v : v;
	}
	op_close_strides(s->op, ret);
}

/* A prime that no size comes by often. */
static bool
is_step(uint64_t v)
{
	return v >= FACTOR_MIN && seek_is_prime(v);
}

void
seek_alone(const struct seek *s, uint32_t v, size_t arg, struct op_shape *ret)
{
	*ret = s->op->smoke->shape;
	for (size_t i = 0; i < s->op->nargs; i++)
		if (seek_is_dimension(s->op, i))
			*seek_scalar(s->op, i, ret) = 1 + s->facts.is_even[i];
	*seek_scalar(s->op, arg, ret) *= v;
	op_close_strides(s->op, ret);
}

/* A large prime, which is hardly a limit but may well be a step, alone: in an
 * even size it is the half of it. */
static bool
make_large_step(const struct seek *s, uint64_t v, size_t arg,
    struct op_shape *ret)
{
	if (!seek_is_dimension(s->op, arg) || v > STEP_MAX || !is_step(v))
		return false;
	seek_alone(s, (uint32_t)v, arg, ret);
	return seek_cost(s->op, ret) <= 2 * STEP_MAX;
}

static bool
make_size_of(const struct seek *s, uint64_t v, size_t arg, struct op_shape *ret)
{
	if (v > COST_MAX)
		return make_large_step(s, v, arg, ret);
	if (!seek_is_dimension(s->op, arg) || v < LEAST ||
	    (s->facts.is_even[arg] && v % 2 != 0))
		return false;
	make_small(s, ret);
	*seek_scalar(s->op, arg, ret) = (uint32_t)v;
	op_close_strides(s->op, ret);
	return seek_cost(s->op, ret) <= COST_MAX;
}

static bool
make_size(const struct seek *s, size_t n, size_t arg, struct op_shape *ret)
{
	return make_size_of(s, size_of(s, n), arg, ret);
}

/* Whoever goes through blocks in steps of a prime has all of them, but where
 * they are a multiple of it: a row that is such a step times a block. */
static bool
make_product(const struct seek *s, size_t n, size_t arg, struct op_shape *ret)
{
	uint64_t a = whole_of(s, n / count_whole(s));
	uint64_t b = whole_of(s, n % count_whole(s));

	if (b < BLOCK_MIN || b > BLOCK_MAX || a > FACTOR_MAX || a == b ||
	    !is_step(a))
		return false;
	return make_size_of(s, a * b, arg, ret);
}

/* A constant as a parameter, where it is an ordinary one. */
static bool
make_parameter(const struct seek *s, size_t n, size_t arg, struct op_shape *ret)
{
	const struct op_arg *a = &s->op->args[arg];
	bool is_eps = strcmp(a->name, "eps") == 0;
	float v;

	if (a->kind != OP_REAL || n < count_whole(s))
		return false;
	v = s->real[n - count_whole(s)];
	if (v < (is_eps ? EPS_MIN : BASE_MIN) ||
	    v > (is_eps ? EPS_MAX : BASE_MAX))
		return false;
	make_middle(s, n % 2 == 0, ret);
	*(is_eps ? &ret->eps : &ret->base) = v;
	return true;
}

bool
seek_of_constant(const struct seek *s, size_t *at, struct op_shape *ret,
    size_t *ret_arg)
{
	size_t whole = count_whole(s);
	size_t single = whole + s->nreal, of_two = whole * whole;
	size_t all = (single + of_two) * s->op->nargs;

	while (*at < all) {
		size_t n = *at / s->op->nargs, arg = *at % s->op->nargs;

		++*at;
		*ret_arg = arg;
		if (n < single ? make_size(s, n, arg, ret) ||
		            make_parameter(s, n, arg, ret)
		               : make_product(s, n - single, arg, ret))
			return true;
	}
	return false;
}
