/*
 * Mistakes about arguments: a pitch that is not looked at, a row's end that
 * is not reached, a parameter that is taken for what it mostly is.  The
 * argument gets a second name, and the body uses that one.
 */
#include "tests/proving/planting.h"

#include "base/mem.h"
#include "ops/args.h"
#include <stdlib.h>
#include <string.h>

/* The body's uses of an argument become a new name's, which is bad where the
 * condition holds.  Takes bad. */
static bool
rename_argument(struct planting *p, const struct op_arg *a, char *bad)
{
	static const char *const ends[] = { "_here", "_used", "_now", "0" };
	const char *end = ends[plant_below(p, COUNT(ends))];
	char *condition = plant_condition_or_always(p, plant_sight(p), NULL);
	char *good = xstrdup(a->name), *value;
	size_t uses = 0;

	value = a->kind == OP_REAL ? plant_float(p, condition, good, bad)
	                           : plant_uint(p, condition, good, bad);
	plant_insert(p, p->open + 1,
	    xasprintf("const %s %s%s = %s;\n\t",
	        a->kind == OP_REAL ? "float" : "uint", a->name, end, value));
	for (size_t i = p->open + 1; i < p->close; i++)
		if (clcode_is_ident(&p->code, i) &&
		    clcode_is(&p->code, i, a->name)) {
			plant_replace(p, i, i + 1,
			    xasprintf("%s%s", a->name, end));
			uses++;
		}
	free(condition);
	free(good);
	free(bad);
	free(value);
	return uses > 0;
}

static const struct op_arg *
draw_argument(struct planting *p, bool (*is_fit)(const struct op_arg *a))
{
	const struct op *op = p->k->op;
	const struct op_arg *found = NULL;
	uint32_t seen = 0;

	for (size_t i = 0; i < op->nargs; i++)
		if (is_fit(&op->args[i]) && plant_below(p, ++seen) == 0)
			found = &op->args[i];
	return found;
}

static bool
is_pitch(const struct op_arg *a)
{
	return strstr(a->name, "_stride") != NULL;
}

static bool
is_uint(const struct op_arg *a)
{
	return a->kind == OP_UINT;
}

static bool
is_size(const struct op_arg *a)
{
	return is_uint(a) && !is_pitch(a);
}

static bool
is_real(const struct op_arg *a)
{
	return a->kind == OP_REAL;
}

/* In the scene. */
static uint32_t
value_of(const struct planting *p, const struct op_arg *a)
{
	return op_scalar_uint(a, &p->s->c.shape);
}

/* What makes no difference to an argument in the scene cannot show there, and
 * a build to see that is saved: here and below. */
bool
plant_pitch(struct planting *p)
{
	const struct op_arg *a = draw_argument(p, is_pitch);
	const char *length = "cols";
	bool quads = plant_below(p, 3) == 0;
	uint32_t n;

	if (!a)
		return false;
	if (strcmp(p->k->op->name, "matmul") == 0)
		length = strcmp(a->name, "a_stride") == 0 ? "k" : "n";
	if (scene_uint(p->s, length, &n) &&
	    value_of(p, a) == (quads ? (n + 3) & ~3U : n))
		return false;
	return rename_argument(p, a,
	    quads ? xasprintf("((%s + 3u) & ~3u)", length) : xstrdup(length));
}

bool
plant_swap(struct planting *p)
{
	const struct op_arg *a = draw_argument(p, is_pitch);
	const struct op_arg *b = draw_argument(p, is_pitch);

	return a && a != b && value_of(p, a) != value_of(p, b) &&
	    rename_argument(p, a, xstrdup(b->name));
}

bool
plant_tail(struct planting *p)
{
	static const uint32_t steps[] = { 2, 4, 8, 16, 32, 64 };
	const struct op_arg *a = draw_argument(p, is_size);
	uint32_t step = steps[plant_below(p, COUNT(steps))];

	if (plant_below(p, 2))
		return value_of(p, a) % step != 0 &&
		    rename_argument(p, a,
		        xasprintf("(%s - %s %% %uu)", a->name, a->name, step));
	return rename_argument(p, a, xasprintf("(%s - 1u)", a->name));
}

bool
plant_cap(struct planting *p)
{
	const struct op_arg *a = draw_argument(p, is_size);
	uint32_t v = op_scalar_uint(a, &p->s->c.shape), power = 1;

	while (power * 2 < v)
		power *= 2;
	if (v < 2)
		return false;
	if (plant_below(p, 2))
		power = v - 1 - plant_below(p, v / 4 + 1);
	return rename_argument(p, a, xasprintf("min(%s, %uu)", a->name, power));
}

bool
plant_parameter(struct planting *p)
{
	static const char *const eps[] = { "1e-5f", "1e-6f", "0.0f",
		"fmax(eps, 1e-6f)", "fmin(eps, 1e-3f)",
		"(eps < 1e-7f ? 1e-7f : eps)" };
	static const char *const bases[] = { "10000.0f", "round(base)",
		"fmin(base, 500000.0f)",
		"as_float(as_uint(base) & 0xffffe000u)",
		"(base > 50000.0f ? 1000000.0f : base)",
		"fmax(base, 1000.0f)" };
	const struct op_arg *a = draw_argument(p, is_real);

	if (!a)
		return false;
	if (strcmp(a->name, "eps") == 0)
		return rename_argument(p, a,
		    xstrdup(eps[plant_below(p, COUNT(eps))]));
	return rename_argument(p, a,
	    xstrdup(bases[plant_below(p, COUNT(bases))]));
}

bool
plant_narrow(struct planting *p)
{
	static const char *const forms[] = { "(uint)(ushort)$", "($ & 0xffffu)",
		"(uint)(short)$", "($ & 0x1fffu)", "($ & 0xfffffu)" };
	static const uint32_t kept[COUNT(forms)] = { 0xffff, 0xffff, 0x7fff,
		0x1fff, 0xfffff };
	const struct op_arg *a = draw_argument(p, is_uint);
	uint32_t form = plant_below(p, COUNT(forms));

	return a && value_of(p, a) > kept[form] &&
	    rename_argument(p, a, plant_fill(forms[form], a->name));
}
