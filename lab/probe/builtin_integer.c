/*
 * Built-ins of whole numbers, of bits, of lanes, and conversions: none of them
 * may err, so that the pessimist has nothing to add.
 */
#include "lab/probe/arithmetic.h"
#include "lab/probe/builtin.h"
#include "lab/probe/machine_priv.h"

#include <math.h>
#include <string.h>

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

enum integer_op {
	INT_ABS,
	INT_ABS_DIFF,
	INT_ADD_SAT,
	INT_SUB_SAT,
	INT_HADD,
	INT_RHADD,
	INT_MUL_HI,
	INT_MAD_HI,
	INT_MAD_SAT,
	INT_ROTATE,
	INT_CLZ,
	INT_POPCOUNT,
	INT_MUL24,
	INT_MAD24,
	INT_UPSAMPLE,
	INT_NOPS
};

static const char *const op_names[INT_NOPS] = {
	[INT_ABS] = "abs",
	[INT_ABS_DIFF] = "abs_diff",
	[INT_ADD_SAT] = "add_sat",
	[INT_SUB_SAT] = "sub_sat",
	[INT_HADD] = "hadd",
	[INT_RHADD] = "rhadd",
	[INT_MUL_HI] = "mul_hi",
	[INT_MAD_HI] = "mad_hi",
	[INT_MAD_SAT] = "mad_sat",
	[INT_ROTATE] = "rotate",
	[INT_CLZ] = "clz",
	[INT_POPCOUNT] = "popcount",
	[INT_MUL24] = "mul24",
	[INT_MAD24] = "mad24",
	[INT_UPSAMPLE] = "upsample",
};

/* An argument with its sign: unsigned ones of 64 bits need the room. */
static wide
number(const struct builtin_call *k, uint32_t a, uint32_t i)
{
	return k->c->is_signed ? (wide)builtin_whole(k, a, i)
	                       : (wide)(uint64_t)builtin_whole(k, a, i);
}

static wide
saturate(const struct builtin_call *k, wide v)
{
	uint32_t width = builtin_width(k, 0);
	wide one = 1;
	wide max = (k->c->is_signed ? one << (width - 1) : one << width) - 1;
	wide min = k->c->is_signed ? -max - 1 : 0;

	return v < min ? min : v > max ? max : v;
}

static uint64_t
rotate_by(uint64_t v, uint64_t n, uint32_t width)
{
	n %= width;
	return n ? v << n | v >> (width - n) : v;
}

static uint32_t
leading_zeros(uint64_t v, uint32_t width)
{
	uint32_t n = 0;

	while (n < width && !(v >> (width - 1 - n) & 1))
		n++;
	return n;
}

static wide
low24(const struct builtin_call *k, uint32_t a, uint32_t i)
{
	uint32_t v = (uint32_t)builtin_bits(k, a, i) << 8;

	return k->c->is_signed ? (wide)((int32_t)v >> 8) : (wide)(v >> 8);
}

/* The product of two such does not fit in a number with a sign. */
static wide
mad_sat_wide(unsigned_wide a, unsigned_wide b, unsigned_wide c)
{
	unsigned_wide v = a * b + c;

	return (wide)(v < UINT64_MAX ? v : UINT64_MAX);
}

static wide
compute(const struct builtin_call *k, enum integer_op op, uint32_t i)
{
	uint32_t width = builtin_width(k, 0);
	wide a = number(k, 0, i), b = k->c->nargs > 1 ? number(k, 1, i) : 0;
	wide c = k->c->nargs > 2 ? number(k, 2, i) : 0;

	switch ((int)op) {
	case INT_ABS:
		return a < 0 ? -a : a;
	case INT_ABS_DIFF:
		return a > b ? a - b : b - a;
	case INT_ADD_SAT:
		return saturate(k, a + b);
	case INT_SUB_SAT:
		return saturate(k, a - b);
	case INT_HADD:
		return (a + b) >> 1;
	case INT_RHADD:
		return (a + b + 1) >> 1;
	case INT_MUL_HI:
	case INT_MAD_HI:
		if (width == 64 && !k->c->is_signed)
			return (wide)((unsigned_wide)a * (unsigned_wide)b >>
			           64) +
			    c;
		return (a * b >> width) + c;
	case INT_MAD_SAT:
		if (width == 64 && !k->c->is_signed)
			return mad_sat_wide((unsigned_wide)a, (unsigned_wide)b,
			    (unsigned_wide)c);
		return saturate(k, a * b + c);
	case INT_ROTATE:
		return (wide)rotate_by(builtin_bits(k, 0, i),
		    builtin_bits(k, 1, i), width);
	case INT_CLZ:
		return leading_zeros(builtin_bits(k, 0, i), width);
	case INT_POPCOUNT:
		return __builtin_popcountll(builtin_bits(k, 0, i));
	case INT_MUL24:
		return low24(k, 0, i) * low24(k, 1, i);
	case INT_MAD24:
		return low24(k, 0, i) * low24(k, 1, i) + c;
	default:
		return (wide)(builtin_bits(k, 0, i) << width |
		    builtin_bits(k, 1, i));
	}
}

static void
integer_at(struct builtin_call *k)
{
	enum integer_op op = 0;

	while (op < INT_NOPS - 1 && !slice_is(k->c->plain, op_names[op]))
		op++;
	for (uint32_t i = 0; i < k->lanes; i++)
		builtin_set_whole(k, i, (uint64_t)compute(k, op, i));
}

static void
choose_at(struct builtin_call *k, bool is_max)
{
	for (uint32_t i = 0; i < k->lanes; i++) {
		wide a = number(k, 0, i), b = number(k, 1, i);

		if (is_max ? a >= b : a <= b)
			builtin_chose(k, 0);
		if (is_max ? b >= a : b <= a)
			builtin_chose(k, 1);
		builtin_set_whole(k, i,
		    (uint64_t)(builtin_told(k, is_max != (a > b)) == 0 ? a
		                                                       : b));
	}
}

static void
max_at(struct builtin_call *k)
{
	choose_at(k, true);
}

static void
min_at(struct builtin_call *k)
{
	choose_at(k, false);
}

static void
clamp_at(struct builtin_call *k)
{
	for (uint32_t i = 0; i < k->lanes; i++) {
		wide v = number(k, 0, i), low = number(k, 1, i);
		wide high = number(k, 2, i);

		uint32_t is = builtin_told(k, v < low ? 0 : v > high ? 2 : 1);

		builtin_chose(k, is);
		builtin_set_whole(k, i,
		    (uint64_t)(is == 0 ? low
		            : is == 2  ? high
		                       : v));
	}
}

/* ---- bits and lanes, of floats too: by their bits */

/* Of a vector the highest bit says, of a scalar any. */
static bool
says_yes(const struct builtin_call *k, uint32_t a, uint32_t i)
{
	uint64_t v = builtin_bits(k, a, i);

	return k->c->types[a]->slots > 1 ? v >> (builtin_width(k, a) - 1) & 1
	                                 : v != 0;
}

static void
select_at(struct builtin_call *k)
{
	for (uint32_t i = 0; i < k->lanes; i++) {
		bool is = builtin_told(k, says_yes(k, 2, i)) != 0;

		if (arith_differ(builtin_bits(k, 0, i), builtin_bits(k, 1, i)))
			builtin_chose(k, is);
		k->out[i] = builtin_bits(k, is ? 1 : 0, i);
	}
}

static void
bitselect_at(struct builtin_call *k)
{
	for (uint32_t i = 0; i < k->lanes; i++) {
		uint64_t c = builtin_bits(k, 2, i);

		k->out[i] =
		    (builtin_bits(k, 0, i) & ~c) | (builtin_bits(k, 1, i) & c);
	}
}

static void
all_at(struct builtin_call *k)
{
	uint32_t n = 0, lanes = k->c->types[0]->slots;

	for (uint32_t i = 0; i < lanes; i++)
		n += (uint32_t)(builtin_bits(k, 0, i) >>
		         (builtin_width(k, 0) - 1)) &
		    1;
	k->out[0] =
	    builtin_told(k, slice_is(k->c->plain, "all") ? n == lanes : n > 0);
	builtin_chose(k, k->out[0] != 0);
}

static void
shuffle_at(struct builtin_call *k)
{
	bool two = slice_is(k->c->plain, "shuffle2");
	uint32_t n = k->c->types[0]->slots;

	for (uint32_t i = 0; i < k->lanes; i++) {
		uint64_t at =
		    builtin_bits(k, two ? 2 : 1, i) % (two ? 2 * n : n);

		k->out[i] = at < n ? k->args[0][at] : k->args[1][at - n];
	}
}

static void
nan_at(struct builtin_call *k)
{
	for (uint32_t i = 0; i < k->lanes; i++)
		builtin_set_real(k, i, (double)NAN);
}

/* ---- convert_T[_sat][_rte|_rtz|_rtp|_rtn] */

static bool
has(struct slice name, const char *part)
{
	size_t n = strlen(part);

	for (size_t i = 0; i + n <= name.n; i++)
		if (memcmp(name.p + i, part, n) == 0)
			return true;
	return false;
}

static double
rounded(struct slice name, double v, bool to_whole)
{
	if (has(name, "_rtp"))
		return ceil(v);
	if (has(name, "_rtn"))
		return floor(v);
	if (has(name, "_rte"))
		return rint(v);
	return to_whole ? trunc(v) : v;
}

static wide
bound_of(bool is_signed, uint32_t width, bool upper)
{
	wide one = 1;
	wide max = (is_signed ? one << (width - 1) : one << width) - 1;

	return upper ? max : is_signed ? -max - 1 : 0;
}

/* A float's value as a whole number: what lies outside is cut, as _sat has
 * it, and as any device may. */
static wide
real_to_whole(double v, bool is_signed, uint32_t width)
{
	wide max = bound_of(is_signed, width, true);
	wide min = bound_of(is_signed, width, false);

	if (isnan(v))
		return 0;
	return v >= (double)max ? max : v <= (double)min ? min : (wide)v;
}

/* To a float with a rounding of its own. */
static double
to_float(struct slice name, double v)
{
	float f = (float)v;

	if (has(name, "_rtz") && fabs((double)f) > fabs(v))
		f = nextafterf(f, 0.0f);
	if (has(name, "_rtp") && (double)f < v)
		f = nextafterf(f, INFINITY);
	if (has(name, "_rtn") && (double)f > v)
		f = nextafterf(f, -INFINITY);
	return (double)f;
}

static void
convert_at(struct builtin_call *k)
{
	const struct prog_type *from = k->c->types[0], *to = k->c->result;
	bool from_real = (from->of ? from->of : from)->kind == PROG_FLOAT;
	bool to_real = (to->of ? to->of : to)->kind == PROG_FLOAT;
	bool is_signed = !has(k->c->plain, "convert_u");

	for (uint32_t i = 0; i < k->lanes; i++) {
		wide v = from_real
		    ? real_to_whole(rounded(k->c->plain, builtin_real(k, 0, i),
		                        true),
		          to_real || is_signed, to_real ? 64 : to->bits)
		    : number(k, 0, i);

		if (to_real && from_real)
			builtin_set_real(k, i, builtin_real(k, 0, i));
		else if (to_real && to->bits == 32 && !has(k->c->plain, "_rt"))
			builtin_set_real(k, i, (double)(float)v);
		else if (to_real)
			builtin_set_real(k, i,
			    to->bits == 32 ? to_float(k->c->plain, (double)v)
			                   : (double)v);
		else {
			wide max = bound_of(is_signed, to->bits, true);
			wide min = bound_of(is_signed, to->bits, false);

			if (has(k->c->plain, "_sat"))
				v = v > max ? max : v < min ? min : v;
			builtin_set_whole(k, i, (uint64_t)v);
		}
	}
}

/* clang-format off */
#define ROW(n, a)       { .name = (n), .fn = integer_at, .needs = (a) }
#define OWN(n, f, a, o) { .name = (n), .fn = (f), .needs = (a), .outcomes = (o) }

const struct prog_builtin builtin_integer_rows[] = {
	ROW("abs", 1), ROW("abs_diff", 2), ROW("add_sat", 2), ROW("sub_sat", 2),
	ROW("hadd", 2), ROW("rhadd", 2), ROW("mul_hi", 2), ROW("mad_hi", 3),
	ROW("mad_sat", 3), ROW("rotate", 2), ROW("clz", 1), ROW("popcount", 1),
	ROW("mul24", 2), ROW("mad24", 3), ROW("upsample", 2),
	OWN("max", max_at, 2, 2), OWN("min", min_at, 2, 2),
	OWN("clamp", clamp_at, 3, 3), OWN("select", select_at, 3, 2),
	OWN("bitselect", bitselect_at, 3, 0), OWN("all", all_at, 1, 2),
	OWN("any", all_at, 1, 2), OWN("shuffle", shuffle_at, 2, 0),
	OWN("shuffle2", shuffle_at, 3, 0), OWN("nan", nan_at, 1, 0),
	OWN("convert_*", convert_at, 1, 0),
};
/* clang-format on */

const size_t builtin_integer_nrows = COUNT(builtin_integer_rows);
