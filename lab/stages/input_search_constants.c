/*
 * Each constant of the program as a size.
 *
 * Not all that is done for one size alone is a condition: "i * 7919 % cols"
 * walks a whole row unless cols is 7919, and "y * (d / d)" with d = cols - 777
 * is y but for one size.  Nothing in such a program can be seen not to have
 * run, so that each constant is every size once, whether anything asks for it
 * or not.
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
#define EPS_MIN  1e-12f
#define EPS_MAX  1.0f
#define BASE_MIN 1.5f
#define BASE_MAX 1e7f
/* Constants of which the primes matter, and which of these. */
#define FACTORED_MIN 64
#define FACTOR_MIN   11
#define FACTOR_MAX   65536
#define BLOCK_MIN    2
#define BLOCK_MAX    256

static bool
has_whole(const struct seek *s, uint64_t v)
{
	for (size_t i = 0; i < s->nwhole; i++)
		if (s->whole[i] == v)
			return true;
	return false;
}

/* The primes of a constant: "i * 16777207 % cols" goes all ways round but where
 * a row is a multiple of 4,093 or of 4,099. */
void
seek_mine_factors(struct seek *s)
{
	size_t n = s->nwhole;

	for (size_t i = 0; i < n; i++) {
		uint64_t rest = s->whole[i];

		if (rest < FACTORED_MIN || rest > UINT32_MAX)
			continue;
		for (uint64_t k = 2; rest > 1 && k <= FACTOR_MAX; k++) {
			if (k * k > rest)
				k = rest;
			if (rest % k != 0)
				continue;
			while (rest % k == 0)
				rest /= k;
			if (k >= FACTOR_MIN && !has_whole(s, k) &&
			    s->nwhole < SEEK_CONSTANTS_MAX)
				s->whole[s->nwhole++] = k;
		}
	}
}

/* The n-th of all constants, as a size; 0: it is none. */
static uint64_t
size_of(const struct seek *s, size_t n)
{
	float v;

	if (n < s->nwhole)
		return s->whole[n];
	v = s->real[n - s->nwhole];
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
	for (uint64_t k = 2; k * k <= v; k++)
		if (v % k == 0)
			return false;
	return v >= FACTOR_MIN;
}

static bool
make_size_of(const struct seek *s, uint64_t v, size_t arg, struct op_shape *ret)
{
	if (!seek_is_dimension(s->op, arg) || v < LEAST || v > COST_MAX ||
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
	uint64_t a = s->whole[n / s->nwhole], b = s->whole[n % s->nwhole];

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

	if (a->kind != OP_REAL || n < s->nwhole)
		return false;
	v = s->real[n - s->nwhole];
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
	size_t single = s->nwhole + s->nreal, of_two = s->nwhole * s->nwhole;
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
