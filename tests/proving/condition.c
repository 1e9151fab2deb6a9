/*
 * Each kind of part is a function that looks at the scene and writes C that
 * is 1 there.  Comparisons are written as people write them, and as
 * arithmetic that no branch or comparison shows.
 */
#include "tests/proving/condition.h"

#include "base/mem.h"
#include "ops/args.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct view {
	const struct scene *s;
	struct draw *d;
	const struct condition_place *at;
};

/* NULL: this scene gives nothing of the kind. */
typedef char *part_fn(const struct view *v);

static part_fn size_part, small_part, exact_part, aligned_part, power_part,
    pitch_part, product_part, storage_part, real_part, launch_part, id_part,
    group_part, lane_part, value_part, bits_part, index_part;

/* clang-format off */
static const struct {
	const char *class;
	enum condition_sight sight;
	part_fn *draw;
} parts[] = {
	{ "size",      CONDITION_LAUNCH, size_part },
	{ "size",      CONDITION_LAUNCH, size_part },
	{ "small",     CONDITION_LAUNCH, small_part },
	{ "exact",     CONDITION_LAUNCH, exact_part },
	{ "alignment", CONDITION_LAUNCH, aligned_part },
	{ "alignment", CONDITION_LAUNCH, aligned_part },
	{ "power",     CONDITION_LAUNCH, power_part },
	{ "pitch",     CONDITION_LAUNCH, pitch_part },
	{ "product",   CONDITION_LAUNCH, product_part },
	{ "storage",   CONDITION_LAUNCH, storage_part },
	{ "real",      CONDITION_LAUNCH, real_part },
	{ "launch",    CONDITION_LAUNCH, launch_part },
	{ "id",        CONDITION_ITEM,   id_part },
	{ "group",     CONDITION_ITEM,   group_part },
	{ "lane",      CONDITION_ITEM,   lane_part },
	{ "value",     CONDITION_VALUE,  value_part },
	{ "value",     CONDITION_VALUE,  value_part },
	{ "value",     CONDITION_VALUE,  value_part },
	{ "bits",      CONDITION_VALUE,  bits_part },
	{ "index",     CONDITION_VALUE,  index_part },
};
/* clang-format on */

static uint32_t
below(struct draw *d, uint32_t n)
{
	return draw_range(d, 0, n - 1);
}

/* A constant that somebody would write, at most v. */
static uint64_t
nice_at_most(struct draw *d, uint64_t v)
{
	static const uint64_t steps[] = { 1000, 100, 64, 10, 1 };
	uint64_t power = 1, step = steps[below(d, COUNT(steps))];

	while (power * 2 <= v)
		power *= 2;
	switch (below(d, 4)) {
	case 0:
		return power > 0 && power <= v ? power : v;
	case 1:
		return v >= step ? v / step * step : v;
	case 2:
		return power + 1 <= v ? power + 1 : v;
	default:
		return v - below(d, (uint32_t)(v / 8 + 1));
	}
}

static char *
at_least(struct draw *d, const char *what, uint64_t k)
{
	if (k == 0)
		return xstrdup("1");
	switch (below(d, 5)) {
	case 0:
		return xasprintf("(%s > %" PRIu64 "u)", what, k - 1);
	case 1:
		return xasprintf("(!(%s < %" PRIu64 "u))", what, k);
	case 2:
		return xasprintf("((%s) / %" PRIu64 "u > 0u)", what, k);
	case 3: /* no comparison */
		return xasprintf("(uint)min((ulong)(%s) / %" PRIu64 "ul, 1ul)",
		    what, k);
	default:
		return xasprintf("(%s >= %" PRIu64 "u)", what, k);
	}
}

static char *
equals(struct draw *d, const char *what, uint64_t k)
{
	switch (below(d, 3)) {
	case 0:
		return xasprintf("(((%s) ^ %" PRIu64 "u) == 0u)", what, k);
	case 1:
		return xasprintf("(1u - (uint)min((ulong)(%s) ^ %" PRIu64
		                 "ul, 1ul))",
		    what, k);
	default:
		return xasprintf("(%s == %" PRIu64 "u)", what, k);
	}
}

static char *
is_multiple(struct draw *d, const char *what, uint64_t v)
{
	static const uint32_t steps[] = { 2, 4, 8, 16, 32, 64, 128, 256, 512,
		1024, 3, 5, 7, 12, 48, 96, 100, 1000 };
	uint32_t m = steps[below(d, COUNT(steps))];
	uint64_t rest = v % m;

	for (int i = 0; i < 6 && rest != 0; i++) {
		m = steps[below(d, COUNT(steps))];
		rest = v % m;
	}
	if (rest != 0)
		return xasprintf("((%s) %% %uu == %" PRIu64 "u)", what, m,
		    rest);
	switch (below(d, 4)) {
	case 0:
		if ((m & (m - 1)) == 0)
			return xasprintf("(((%s) & %uu) == 0u)", what, m - 1);
		return xasprintf("(!((%s) %% %uu))", what, m);
	case 1:
		return xasprintf("(1u - (uint)min((ulong)(%s) %% %uul, 1ul))",
		    what, m);
	case 2:
		return xasprintf("((%s) / %uu * %uu == (%s))", what, m, m,
		    what);
	default:
		return xasprintf("((%s) %% %uu == 0u)", what, m);
	}
}

/* ---- sizes and parameters */

/* A uint argument, any or one that is no stride. */
static const struct op_arg *
draw_uint(const struct view *v, bool strides)
{
	const struct op *op = v->s->in->op;
	const struct op_arg *found = NULL;
	uint32_t seen = 0;

	for (size_t i = 0; i < op->nargs; i++) {
		const struct op_arg *a = &op->args[i];

		if (a->kind != OP_UINT ||
		    (!strides && strstr(a->name, "_stride")))
			continue;
		if (below(v->d, ++seen) == 0)
			found = a;
	}
	return found;
}

static uint32_t
value_of(const struct view *v, const struct op_arg *a)
{
	return op_scalar_uint(a, &v->s->c.shape);
}

static char *
size_part(const struct view *v)
{
	const struct op_arg *a = draw_uint(v, below(v->d, 4) == 0);

	return at_least(v->d, a->name, nice_at_most(v->d, value_of(v, a)));
}

static char *
small_part(const struct view *v)
{
	const struct op_arg *a = draw_uint(v, false);
	uint32_t n = value_of(v, a);

	if (n > 64)
		return NULL;
	return xasprintf("(%s <= %uu)", a->name, n + below(v->d, 3));
}

static char *
exact_part(const struct view *v)
{
	const struct op_arg *a = draw_uint(v, true);

	return equals(v->d, a->name, value_of(v, a));
}

static char *
aligned_part(const struct view *v)
{
	const struct op_arg *a = draw_uint(v, true);

	return is_multiple(v->d, a->name, value_of(v, a));
}

static char *
power_part(const struct view *v)
{
	const struct op_arg *a = draw_uint(v, false);
	uint32_t n = value_of(v, a);

	if ((n & (n - 1)) != 0)
		return NULL;
	return below(v->d, 2)
	    ? xasprintf("((%s & (%s - 1u)) == 0u)", a->name, a->name)
	    : xasprintf("(popcount(%s) == 1u)", a->name);
}

/* The length of a row with the pitch a; NULL: it is none. */
static const char *
length_of(const struct op *op, const struct op_arg *a)
{
	if (!strstr(a->name, "_stride"))
		return NULL;
	if (strcmp(op->name, "matmul") != 0)
		return "cols";
	return strcmp(a->name, "a_stride") == 0 ? "k" : "n";
}

static char *
pitch_part(const struct view *v)
{
	const struct op_arg *a = draw_uint(v, true);
	const char *length = length_of(v->s->in->op, a);
	uint32_t n;

	if (!length || !scene_uint(v->s, length, &n))
		return NULL;
	if (value_of(v, a) == n)
		return xasprintf("(%s == %s)", a->name, length);
	return below(v->d, 2) ? xasprintf("(%s != %s)", a->name, length)
	                      : xasprintf("min(%s - %s, 1u)", a->name, length);
}

static char *
product_part(const struct view *v)
{
	const struct op_arg *a = draw_uint(v, true), *b = draw_uint(v, true);
	char *both = xasprintf("(ulong)%s * %s", a->name, b->name);
	char *text = at_least(v->d, both,
	    nice_at_most(v->d, (uint64_t)value_of(v, a) * value_of(v, b)));

	free(both);
	return text;
}

static char *
storage_part(const struct view *v)
{
	enum dtype t = v->s->c.dtype;

	if (t != DTYPE_F32 && below(v->d, 3) == 0)
		return xstrdup("(sizeof(KF_T) == 2)");
	return xasprintf("(KF_DTYPE == %d)", (int)t);
}

char *
condition_real(struct draw *d, float v)
{
	char *text;

	if (isnan(v))
		return xstrdup("NAN");
	if (isinf(v))
		return xstrdup(v < 0 ? "(-INFINITY)" : "INFINITY");
	text = xasprintf(below(d, 3) == 0 ? "%a" : "%.9g", (double)v);
	if (!strpbrk(text, ".epx")) {
		char *whole = xasprintf("%s.0f", text);

		free(text);
		return whole;
	}
	if (text[0] == '-') {
		char *negative = xasprintf("(%sf)", text);

		free(text);
		return negative;
	}
	char *positive = xasprintf("%sf", text);

	free(text);
	return positive;
}

static char *
real_part(const struct view *v)
{
	const struct op *op = v->s->in->op;
	const struct op_arg *a = &op->args[op->nargs - 1];
	char *k, *text;
	float x;

	if (a->kind != OP_REAL)
		return NULL;
	x = op_scalar_real(a, &v->s->c.shape);
	k = condition_real(v->d, x);
	text =
	    xasprintf(below(v->d, 2) ? "(%s >= %s)" : "(%s <= %s)", a->name, k);
	free(k);
	return text;
}

/* ---- the launch */

static uint32_t
draw_dim(const struct view *v)
{
	return below(v->d, (uint32_t)v->s->geometry.ndims);
}

static char *
launch_part(const struct view *v)
{
	const struct order_geometry *g = &v->s->geometry;
	uint32_t dim = draw_dim(v);
	bool groups = below(v->d, 2);
	char *name = xasprintf("(uint)get_%s(%u)",
	    groups ? "num_groups" : "global_size", dim);
	uint64_t n = groups ? g->global[dim] / g->local[dim] : g->global[dim];
	char *text = below(v->d, 3)
	    ? at_least(v->d, name, nice_at_most(v->d, n))
	    : is_multiple(v->d, name, n);

	free(name);
	return text;
}

static char *
part_of_id(const struct view *v, const char *name, uint64_t n)
{
	uint64_t at = n > 1 && below(v->d, 2) ? n - 1 - below(v->d, 2)
	                                      : draw_bits(v->d) % n;
	char *what = xasprintf("(uint)get_%s(%u)", name, 0);
	char *text;

	switch (below(v->d, 3)) {
	case 0:
		text = equals(v->d, what, at);
		break;
	case 1:
		text = at_least(v->d, what, nice_at_most(v->d, at));
		break;
	default:
		text = is_multiple(v->d, what, at);
		break;
	}
	free(what);
	return text;
}

static char *
id_part(const struct view *v)
{
	return part_of_id(v, "global_id", v->s->geometry.global[0]);
}

static char *
group_part(const struct view *v)
{
	const struct order_geometry *g = &v->s->geometry;

	return part_of_id(v, "group_id", g->global[0] / g->local[0]);
}

static char *
lane_part(const struct view *v)
{
	return part_of_id(v, "local_id", v->s->geometry.local[0]);
}

/* ---- a place in the kernel */

static bool
draw_sample(const struct view *v, float *ret)
{
	const struct condition_place *at = v->at;
	size_t i;

	if (!at || !at->value || at->nsamples == 0)
		return false;
	i = draw_bits(v->d) % at->nsamples;
	*ret = at->samples ? at->samples[i] : (float)at->sampled[i];
	*ret = dtype_round(v->s->c.dtype, *ret);
	return true;
}

static char *
value_part(const struct view *v)
{
	const char *name = v->at ? v->at->value : NULL;
	char *k, *text;
	float x;

	if (!draw_sample(v, &x))
		return NULL;
	if (isnan(x))
		return xasprintf(below(v->d, 2) ? "(isnan(%s))"
		                                : "(!(%s > -1.0f) && !(%s < "
		                                  "1.0f))",
		    name, name);
	if (x == 0.0f)
		return xasprintf("(%s == 0.0f)", name);
	if (isfinite(x) && v->at->samples == NULL)
		x *= 0.9990234375f; /* the kernel's own may be a bit less */
	k = condition_real(v->d, isinf(x) || below(v->d, 3) ? x : truncf(x));
	switch (isinf(x) || v->at->samples == NULL ? 3 : below(v->d, 4)) {
	case 0:
		text = xasprintf("(%s == %s)", name, k);
		break;
	case 1:
		text = xasprintf("(fabs(%s) >= fabs(%s))", name, k);
		break;
	case 2:
		text = xasprintf("(uint)step(%s, %s)", k, name);
		break;
	default:
		text = xasprintf(x < 0 ? "(%s <= %s)" : "(%s >= %s)", name, k);
		break;
	}
	free(k);
	return text;
}

static char *
bits_part(const struct view *v)
{
	uint32_t bits, mask = (0xffu + 256 * below(v->d, 2)) << below(v->d, 24);
	float x;

	if (!draw_sample(v, &x))
		return NULL;
	memcpy(&bits, &x, sizeof bits);
	return xasprintf("((as_uint(%s) & 0x%xu) == 0x%xu)", v->at->value, mask,
	    bits & mask);
}

static char *
index_part(const struct view *v)
{
	char *what, *text;
	uint64_t at;

	if (!v->at || !v->at->index || v->at->index_max == 0)
		return NULL;
	what = xasprintf("(uint)(%s)", v->at->index);
	at = draw_bits(v->d) % v->at->index_max;
	text = below(v->d, 2) ? at_least(v->d, what, nice_at_most(v->d, at))
	                      : is_multiple(v->d, what, at);
	free(what);
	return text;
}

static char *
draw_part(const struct view *v, enum condition_sight sight,
    const char **ret_class)
{
	char *text = NULL;

	while (!text) {
		uint32_t i = below(v->d, COUNT(parts));

		/* What only this place can see is drawn often. */
		if (sight == CONDITION_VALUE && below(v->d, 2))
			i = COUNT(parts) - 1 - below(v->d, 5);
		if (parts[i].sight > sight)
			continue;
		text = parts[i].draw(v);
		if (text)
			*ret_class = parts[i].class;
	}
	return text;
}

char *
condition_draw(const struct scene *s, struct draw *d,
    enum condition_sight sight, const struct condition_place *at,
    const char **ret_class)
{
	struct view v = { s, d, at };
	char *text = draw_part(&v, sight, ret_class);
	bool multiplied = below(d, 3) == 0;
	const char *ignored;

	for (uint32_t more = below(d, 3); more > 0; more--) {
		char *next = draw_part(&v, sight, &ignored);
		char *both = multiplied
		    ? xasprintf("((uint)(%s) * (uint)(%s))", text, next)
		    : xasprintf("(%s && %s)", text, next);

		free(text);
		free(next);
		text = both;
	}
	return text;
}
