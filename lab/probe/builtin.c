/*
 * Finding a built-in function, and what its makers share: lanes of arguments
 * as numbers, and how a device may err.
 */
#include "lab/probe/builtin.h"

#include "lab/probe/machine_priv.h"
#include "lab/probe/parse.h"
#include "ops/dtype.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX_BYTES 64

/* The plain name out of "_Z3expf"; what follows it, its arguments, in *ret. */
static struct slice
plain_name(struct slice mangled, struct slice *ret)
{
	size_t n = 0, i = 2;

	*ret = slice_of("");
	if (mangled.n < 4 || memcmp(mangled.p, "_Z", 2) != 0)
		return mangled; /* an intrinsic function */
	for (; i < mangled.n && mangled.p[i] >= '0' && mangled.p[i] <= '9' &&
	     n < NAME_MAX_BYTES;
	     i++)
		n = n * 10 + (size_t)(mangled.p[i] - '0');
	if (n == 0 || n > mangled.n - i)
		return slice_of("");
	*ret = (struct slice){ mangled.p + i + n, mangled.n - i - n };
	return (struct slice){ mangled.p + i, n };
}

/* The letter of the first number: past pointers, address spaces, lanes, whose
 * number it leaves in *ret_lanes. */
static char
first_letter(struct slice args, uint32_t *ret_lanes)
{
	size_t i = 0;

	*ret_lanes = 1;
	while (i < args.n) {
		char c = args.p[i];

		if (c == 'U' && i + 1 < args.n) { /* "U3AS1", "U8CLglobal" */
			size_t n = strtoul(args.p + i + 1, NULL, 10);

			i += 2 + n;
		} else if (c == 'D' && i + 1 < args.n && args.p[i + 1] == 'v') {
			i += 2;
			*ret_lanes = (uint32_t)strtoul(args.p + i, NULL, 10);
			while (i < args.n && args.p[i] != '_')
				i++;
			i++;
		} else if (c == 'P' || c == 'K' || c == 'V') {
			i++;
		} else {
			return c;
		}
	}
	return '\0';
}

static uint32_t
bytes_of(char letter)
{
	static const struct {
		const char *letters;
		uint32_t bytes;
	} rows[] = { { "cah", 1 }, { "stD", 2 }, { "ijf", 4 }, { "lmd", 8 } };

	for (size_t i = 0; i < COUNT(rows); i++)
		if (letter && strchr(rows[i].letters, letter))
			return rows[i].bytes;
	return 0;
}

/* A row's name may end in a star: it is a family's beginning. */
static bool
is_named(const struct prog_builtin *b, struct slice name)
{
	size_t n = strlen(b->name);

	if (b->name[n - 1] == '*')
		return name.n >= n - 1 && memcmp(name.p, b->name, n - 1) == 0;
	return slice_is(name, b->name);
}

static const struct prog_builtin *
find_in(const struct prog_builtin *rows, size_t n, struct slice name)
{
	for (size_t i = 0; i < n; i++)
		if (is_named(&rows[i], name))
			return &rows[i];
	return NULL;
}

static bool
is_plain(const struct prog_type *t)
{
	return t->slots > 0 && t->bits > 0;
}

/*
 * The compiler declares a built-in as the language does, other text need not:
 * what a row's function reads is there, and has a width.
 */
static bool
fits(const struct prog_builtin *b, const struct prog_call *c)
{
	if (c->nargs < b->needs || (!b->is_void && !is_plain(c->result)))
		return false;
	for (uint32_t i = 0; i < b->needs; i++)
		if (!is_plain(c->types[i]))
			return false;
	if (slice_is(c->plain, "shuffle2"))
		return parse_is_same(c->types[0], c->types[1]);
	return !slice_is(c->plain, "upsample") || c->types[0]->bits <= 32;
}

const struct prog_builtin *
builtin_find(struct prog_call *c)
{
	const struct prog_builtin *b;
	struct slice args;
	uint32_t lanes;
	char letter;

	c->plain = plain_name(c->name, &args);
	letter = first_letter(args, &lanes);
	c->is_signed = letter && strchr("csila", letter);
	c->from_bytes = bytes_of(letter) * (lanes == 3 ? 4 : lanes);
	if (c->plain.n == 0 || c->result->slots > PROG_LANES_MAX)
		return NULL;
	b = find_in(builtin_memory_rows, builtin_memory_nrows, c->plain);
	/* "max" and its like are of floats or of whole numbers. */
	if (!b && c->nargs > 0 &&
	    (c->types[0]->of ? c->types[0]->of : c->types[0])->kind ==
	        PROG_FLOAT)
		b = find_in(builtin_math_rows, builtin_math_nrows, c->plain);
	if (!b)
		b = find_in(builtin_integer_rows, builtin_integer_nrows,
		    c->plain);
	return b && fits(b, c) ? b : NULL;
}

uint32_t
builtin_outcomes(const struct prog_builtin *b)
{
	return b->outcomes;
}

bool
builtin_is_of_memory(const struct prog_builtin *b)
{
	return b >= builtin_memory_rows &&
	    b < builtin_memory_rows + builtin_memory_nrows;
}

uint32_t
builtin_width(const struct builtin_call *k, uint32_t a)
{
	return k->c->types[a]->bits;
}

uint64_t
builtin_bits(const struct builtin_call *k, uint32_t a, uint32_t i)
{
	return k->args[a][i < k->c->types[a]->slots ? i : 0];
}

double
builtin_value(uint64_t bits, uint32_t width)
{
	double d;
	float f;
	uint32_t low = (uint32_t)bits;

	if (width == 64) {
		memcpy(&d, &bits, sizeof d);
		return d;
	}
	if (width == 16)
		return (double)dtype_f16_to_float((uint16_t)bits);
	memcpy(&f, &low, sizeof f);
	return (double)f;
}

uint64_t
builtin_to_bits(double v, uint32_t width)
{
	uint64_t out = 0;
	float f = (float)v;

	if (width == 64)
		memcpy(&out, &v, sizeof v);
	else if (width == 16)
		out = dtype_f16_from_float(f);
	else
		memcpy(&out, &f, sizeof f);
	return out;
}

double
builtin_real(const struct builtin_call *k, uint32_t a, uint32_t i)
{
	return builtin_value(builtin_bits(k, a, i), builtin_width(k, a));
}

int64_t
builtin_whole(const struct builtin_call *k, uint32_t a, uint32_t i)
{
	uint32_t width = builtin_width(k, a);
	uint64_t v = builtin_bits(k, a, i);

	if (!k->c->is_signed || width >= 64)
		return (int64_t)v;
	return (int64_t)(v << (64 - width)) >> (64 - width);
}

void
builtin_set_real(struct builtin_call *k, uint32_t i, double v)
{
	k->out[i] = builtin_to_bits(v, k->c->result->bits);
}

void
builtin_set_whole(struct builtin_call *k, uint32_t i, uint64_t v)
{
	uint32_t width = k->c->result->bits;

	k->out[i] = width >= 64 ? v : v & (((uint64_t)1 << width) - 1);
}

void
builtin_chose(struct builtin_call *k, uint32_t outcome)
{
	machine_count(k->m, k->point, outcome);
}

uint32_t
builtin_told(const struct builtin_call *k, uint32_t outcome)
{
	return machine_decide(k->m, k->point, outcome);
}

void
builtin_call(const struct prog_builtin *b, struct builtin_call *k)
{
	uint32_t width = k->c->nargs > 0 ? builtin_width(k, 0) : 32;

	if (b->fn) {
		b->fn(k);
		return;
	}
	for (uint32_t i = 0; i < k->lanes; i++) {
		double x = builtin_real(k, 0, i);
		double v =
		    b->of1 ? b->of1(x) : b->of2(x, builtin_real(k, 1, i));

		if (k->m->l->is_pessimist)
			v = builtin_err(k->m, b, x, v, width);
		builtin_set_real(k, i, v);
	}
}

/* A float's ulp at v. */
static double
ulp_at(double v, uint32_t width)
{
	int e, mantissa = width == 64 ? 53 : 24,
	       least = width == 64 ? -1074 : -149;

	if (v == 0.0)
		return 0.0;
	frexp(v, &e);
	return ldexp(1.0, e - mantissa < least ? least : e - mantissa);
}

/* The number of a width next to v that lies within most of exact. */
static double
within(double v, double exact, double most, uint32_t width)
{
	double r = width == 64 ? v : (double)(float)v;

	/* Rounding must not carry it past what is allowed. */
	if (width == 32 && isfinite(r) && fabs(r - exact) > most)
		r = (double)nextafterf((float)r,
		    r > exact ? -HUGE_VALF : HUGE_VALF);
	return r;
}

/*
 * In a random direction, and most of the times as far as it may go: errors
 * that all lean one way add up in a sum, and errors that cancel tell nothing.
 * What comes out is a number of the width, and no further off than allowed:
 * an error of 3 ulps is counted after the rounding, not before it.
 */
double
builtin_err(struct machine *m, const struct prog_builtin *b, double x, double v,
    uint32_t width)
{
	double ulp = ulp_at(v, width), most = b->ulps * ulp, by;
	uint64_t dice = machine_dice(m);

	if (!isfinite(v) || v == 0.0)
		return v;
	if (b->error == BUILTIN_FAST_EXP)
		most = (2.0 + floor(fabs(1.173 * x))) * ulp;
	else if (b->error == BUILTIN_FAST_SIN)
		most = fabs(x) <= 3.1415927 ? 0x1p-21 : 0x1p-21 * (1 + fabs(x));
	else if (b->error == BUILTIN_FAST_LOG)
		most = x >= 0.5 && x <= 2.0 ? 0x1p-21 : 3.0 * ulp;
	/* What is exact for all devices: exp(0), pow(x, 0), 0 / x, cos(0). */
	if (b->ulps <= 16.0 && v == rint(v) && fabs(v) <= 1.0)
		return v;
	by = (double)(dice >> 12) * 0x1p-52;
	by = (dice & 1 ? most : -most) * (dice & 6 ? 1.0 : by);
	return most < ulp ? v : within(v + by, v, most, width);
}
