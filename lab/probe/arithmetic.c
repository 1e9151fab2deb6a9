/*
 * Numbers as a work item computes with them: whole ones of a width, floats by
 * their bits, and what is undefined made some value.
 */
#include "lab/probe/arithmetic.h"

#include "lab/probe/builtin.h"
#include "lab/probe/machine_priv.h"
#include <math.h>
#include <string.h>

#define ALL_ONES 0x7fffffffU

/* ---- numbers */

/* Division by zero and its overflow: some value, and no trap. */
static uint64_t
divide(enum prog_op op, uint64_t a, uint64_t b, uint32_t bits)
{
	int64_t sa = arith_extend(a, bits), sb = arith_extend(b, bits);

	if (b == 0)
		return op == PROG_UDIV || op == PROG_SDIV ? UINT64_MAX : a;
	if (op == PROG_UDIV)
		return a / b;
	if (op == PROG_UREM)
		return a % b;
	if (sb == -1)
		return op == PROG_SDIV ? (uint64_t)0 - (uint64_t)sa : 0;
	return op == PROG_SDIV ? (uint64_t)(sa / sb) : (uint64_t)(sa % sb);
}

uint64_t
arith_whole(enum prog_op op, uint64_t a, uint64_t b, uint32_t bits)
{
	switch ((int)op) {
	case PROG_ADD:
		return a + b;
	case PROG_SUB:
		return a - b;
	case PROG_MUL:
		return a * b;
	case PROG_SHL:
		return b < bits ? a << b : 0;
	case PROG_LSHR:
		return b < bits ? a >> b : 0;
	case PROG_ASHR:
		return (uint64_t)(arith_extend(a, bits) >>
		    (b < bits ? b : bits - 1));
	case PROG_AND:
		return a & b;
	case PROG_OR:
		return a | b;
	case PROG_XOR:
		return a ^ b;
	default:
		return divide(op, a, b, bits);
	}
}

static float
as_float(uint64_t v)
{
	uint32_t bits = (uint32_t)v;
	float f;

	memcpy(&f, &bits, sizeof f);
	return f;
}

static uint64_t
of_float(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof bits);
	return bits;
}

static float
flushed(const struct machine *m, float v)
{
	return m->l->is_pessimist && fabsf(v) < 0x1p-126f ? copysignf(0.0f, v)
	                                                  : v;
}

static bool
is_power_of_two(float v)
{
	int e;

	return isfinite(v) && fabsf(frexpf(v, &e)) == 0.5f;
}

static uint64_t
real_float(struct machine *m, enum prog_op op, uint64_t a, uint64_t b)
{
	float x = flushed(m, as_float(a)), y = flushed(m, as_float(b)), v;

	switch ((int)op) {
	case PROG_FADD:
		v = x + y;
		break;
	case PROG_FSUB:
		v = x - y;
		break;
	case PROG_FMUL:
		v = x * y;
		break;
	case PROG_FDIV:
		v = x / y;
		break;
	default:
		v = fmodf(x, y);
		break;
	}
	/* Division alone may be off, by two and a half ulps; but by a power of
	 * two no device is, whose reciprocal is exact however it is found. */
	if (m->l->is_pessimist && op == PROG_FDIV && !is_power_of_two(y)) {
		static const struct prog_builtin division = { .ulps = 2.5 };

		v = (float)builtin_err(m, &division, (double)x,
		    (double)x / (double)y, 32);
	}
	/* A NaN's bits are the device's choice: some have one alone, all ones,
	 * which whoever rounds by hand carries out of. */
	if (m->l->is_pessimist && isnan(v))
		return ALL_ONES;
	return of_float(flushed(m, v));
}

uint64_t
arith_real(struct machine *m, enum prog_op op, uint64_t a, uint64_t b,
    uint32_t bits)
{
	double x, y, v;

	if (bits == 32)
		return real_float(m, op, a, b);
	x = builtin_value(a, bits);
	y = builtin_value(b, bits);
	v = op == PROG_FADD   ? x + y
	    : op == PROG_FSUB ? x - y
	    : op == PROG_FMUL ? x * y
	    : op == PROG_FDIV ? x / y
	                      : fmod(x, y);
	return builtin_to_bits(v, bits);
}

bool
arith_compare_whole(uint32_t predicate, uint64_t a, uint64_t b, uint32_t bits)
{
	int64_t sa = arith_extend(a, bits), sb = arith_extend(b, bits);

	switch ((int)predicate) {
	case PROG_EQ:
		return a == b;
	case PROG_NE:
		return a != b;
	case PROG_UGT:
		return a > b;
	case PROG_UGE:
		return a >= b;
	case PROG_ULT:
		return a < b;
	case PROG_ULE:
		return a <= b;
	case PROG_SGT:
		return sa > sb;
	case PROG_SGE:
		return sa >= sb;
	case PROG_SLT:
		return sa < sb;
	default:
		return sa <= sb;
	}
}

/* Bits of a float predicate, as LLVM numbers them: equal, greater, less,
 * unordered. */
static const unsigned char fcmp_bits[] = {
	[PROG_FALSE] = 0,
	[PROG_OEQ] = 1,
	[PROG_OGT] = 2,
	[PROG_OGE] = 3,
	[PROG_OLT] = 4,
	[PROG_OLE] = 5,
	[PROG_ONE] = 6,
	[PROG_ORD] = 7,
	[PROG_UNO] = 8,
	[PROG_UEQ] = 9,
	[PROG_FUGT] = 10,
	[PROG_FUGE] = 11,
	[PROG_FULT] = 12,
	[PROG_FULE] = 13,
	[PROG_UNE] = 14,
	[PROG_TRUE] = 15,
};

bool
arith_compare_real(uint32_t predicate, uint64_t a, uint64_t b, uint32_t bits)
{
	double x = builtin_value(a, bits), y = builtin_value(b, bits);
	unsigned is = isnan(x) || isnan(y) ? 8U : x < y ? 4U : x > y ? 2U : 1U;

	return (fcmp_bits[predicate] & is) != 0;
}

/* ---- casts */

/* Out of range is undefined: some value. */
static uint64_t
to_whole(double v, bool is_signed)
{
	if (isnan(v))
		return 0;
	if (is_signed)
		return v >= 0x1p63 ? (uint64_t)INT64_MAX
		    : v < -0x1p63  ? (uint64_t)INT64_MIN
		                   : (uint64_t)(int64_t)v;
	return v >= 0x1p64 ? UINT64_MAX
	    : v < 0        ? (uint64_t)(int64_t)v
	                   : (uint64_t)v;
}

/* A whole number as a float, rounded once: a double would round twice. */
static uint64_t
from_whole(uint64_t v, bool is_signed, uint32_t from_bits, uint32_t bits)
{
	int64_t s = arith_extend(v, from_bits);

	if (bits == 32)
		return of_float(is_signed ? (float)s : (float)v);
	return builtin_to_bits(is_signed ? (double)s : (double)v, bits);
}

uint64_t
arith_cast(const struct prog_instr *i, uint64_t v)
{
	switch ((int)i->op) {
	case PROG_SEXT:
		return (uint64_t)arith_extend(v, i->from_bits);
	case PROG_FPTRUNC:
	case PROG_FPEXT:
		return builtin_to_bits(builtin_value(v, i->from_bits), i->bits);
	case PROG_FPTOUI:
		return to_whole(builtin_value(v, i->from_bits), false);
	case PROG_FPTOSI:
		return to_whole(builtin_value(v, i->from_bits), true);
	case PROG_UITOFP:
		return from_whole(v, false, i->from_bits, i->bits);
	case PROG_SITOFP:
		return from_whole(v, true, i->from_bits, i->bits);
	default:
		return v;
	}
}
