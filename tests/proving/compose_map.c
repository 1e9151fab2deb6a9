/*
 * One element in, one out: the ways to hand the elements to the work items.
 */
#include "base/mem.h"
#include "tests/proving/composing.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "$" is the first value, "@" the second. */
static const struct {
	const char *op;
	const char *forms[5];
} formulas[] = {
	{ "relu",
	    { "($ < 0.0f ? 0.0f : $)", "(isnan($) || $ > 0.0f ? $ : 0.0f)",
	        "(isnan($) ? $ : fmax($, 0.0f))",
	        "select($, 0.0f, (int)($ < 0.0f))" } },
	{ "silu", { "($ / (1.0f + exp(-$)))" } },
	{ "tanh", { "tanh($)" } },
	{ "sigmoid",
	    { "(1.0f / (1.0f + exp(-$)))", "(1.0f / (exp(-$) + 1.0f))" } },
	{ "gelu",
	    { "($ * 0.5f * (1.0f + erf($ * 0.70710678f)))",
	        "(0.5f * $ * (1.0f + erf($ / 1.41421356f)))",
	        "($ * (0.5f * (1.0f + erf($ * M_SQRT1_2_F))))" } },
	{ "exp", { "exp($)" } },
	{ "log", { "log($)" } },
	{ "sqrt", { "sqrt($)" } },
	{ "abs", { "fabs($)", "as_float(as_uint($) & 0x7fffffffu)" } },
	{ "elementwise_add", { "($ + @)", "(@ + $)", "fma($, 1.0f, @)" } },
	{ "elementwise_mul", { "($ * @)", "(@ * $)" } },
	{ "swiglu",
	    { "($ / (1.0f + exp(-$)) * @)", "(@ * ($ / (1.0f + exp(-$))))" } },
};

static const char *
draw_formula(struct composing *c)
{
	for (size_t i = 0; i < COUNT(formulas); i++) {
		uint32_t n = 0;

		if (strcmp(formulas[i].op, c->op->name) != 0)
			continue;
		while (n < 5 && formulas[i].forms[n])
			n++;
		return formulas[i].forms[compose_below(c, n)];
	}
	return "$";
}

/* The formula over two texts; owned. */
static char *
apply(const char *formula, const char *v, const char *w)
{
	struct buf b;

	buf_init(&b, 4096);
	for (const char *p = formula; *p; p++) {
		if (*p == '$')
			buf_adds(&b, v);
		else if (*p == '@')
			buf_adds(&b, w);
		else
			buf_addc(&b, *p);
	}
	return buf_take(&b);
}

struct map {
	const char *first, *second; /* tensors; second NULL: one input */
	char *call;                 /* owned: C over v (and w) */
};

/* The formula in place, in a helper, or in a macro. */
static void
draw_map(struct composing *c, struct map *ret)
{
	const char *formula = draw_formula(c);

	*ret = (struct map){ c->op->args[0].name,
		c->op->args[1].kind == OP_IN ? c->op->args[1].name : NULL,
		NULL };
	switch (compose_below(c, 3)) {
	case 0: {
		char *f = apply(formula, "v", "w");

		buf_addf(&c->head,
		    "%s\nformula(float v%s)\n{\n\treturn %s;\n}\n", c->helper,
		    ret->second ? ", const float w" : "", f);
		ret->call =
		    xstrdup(ret->second ? "formula(v, w)" : "formula(v)");
		free(f);
		break;
	}
	case 1: {
		char *f = apply(formula, "(a)", "(b)");

		buf_addf(&c->head, "#define FORMULA(a%s) %s\n",
		    ret->second ? ", b" : "", f);
		ret->call =
		    xstrdup(ret->second ? "FORMULA(v, w)" : "FORMULA(v)");
		free(f);
		break;
	}
	default:
		ret->call = apply(formula, "v", "w");
		break;
	}
}

/* { load, compute, store } of row r, column col. */
static void
add_element(struct composing *c, const struct map *m, const char *r,
    const char *col)
{
	char *v = compose_load(c, m->first, r, col);

	buf_addf(&c->body, "\t{\n\t\tconst float v = %s;\n", v);
	if (m->second) {
		char *w = compose_load(c, m->second, r, col);

		buf_addf(&c->body, "\t\tconst float w = %s;\n", w);
		free(w);
	}
	compose_store(c, r, col, m->call);
	buf_adds(&c->body, "\t}\n");
	free(v);
}

static void
map_flat(struct composing *c, const struct map *m)
{
	static const uint32_t sizes[] = { 1, 8, 32, 64, 100, 128, 256 };
	uint32_t local = sizes[compose_below(c, 7)];

	snprintf(c->global[0], sizeof c->global[0], "round_up(rows * cols, %u)",
	    local);
	c->local[0] = local;
	buf_addf(&c->body, "\tconst size_t i = get_global_id(0);\n");
	if (compose_below(c, 2))
		buf_adds(&c->body,
		    "\tif (i >= (size_t)rows * cols)\n\t\treturn;\n");
	else
		buf_adds(&c->body, "\tif (i < (size_t)rows * cols) {\n");
	const bool nested = strstr(c->body.data, ") {\n") != NULL;

	buf_addf(&c->body,
	    "\tconst size_t r = i / cols;\n"
	    "\tconst uint col = %s;\n",
	    compose_below(c, 2) ? "(uint)(i % cols)" : "(uint)(i - r * cols)");
	compose_rows(c, "r");
	add_element(c, m, "r", "col");
	if (nested)
		buf_adds(&c->body, "\t}\n");
}

static void
map_plane(struct composing *c, const struct map *m)
{
	uint32_t lx = 1U << compose_below(c, 7), ly = 1U << compose_below(c, 4);

	snprintf(c->global[0], sizeof c->global[0], "round_up(cols, %u)", lx);
	snprintf(c->global[1], sizeof c->global[1], "round_up(rows, %u)", ly);
	c->local[0] = lx;
	c->local[1] = ly;
	buf_addf(&c->body,
	    "\tconst uint col = get_global_id(0);\n"
	    "\tconst uint r = get_global_id(1);\n%s",
	    compose_below(c, 2) ? "\tif (col >= cols || r >= rows)\n"
	                          "\t\treturn;\n"
	                        : "\tif (!(col < cols) | !(r < rows)) "
	                          "return;\n");
	compose_rows(c, "r");
	add_element(c, m, "r", "col");
}

static void
map_lanes(struct composing *c, const struct map *m)
{
	static const uint32_t sizes[] = { 1, 7, 16, 32, 48, 64, 100, 256 };
	uint32_t local = sizes[compose_below(c, 8)];
	char step[16];

	snprintf(step, sizeof step, "%uu", local);
	snprintf(c->global[0], sizeof c->global[0], "rows * %u", local);
	c->local[0] = local;
	buf_adds(&c->body, "\tconst size_t r = get_group_id(0);\n");
	compose_rows(c, "r");
	compose_loop(c, "col", "get_local_id(0)", "cols",
	    compose_below(c, 2) ? step : "get_local_size(0)");
	buf_addc(&c->body, '\n');
	add_element(c, m, "r", "col");
}

static void
map_grid(struct composing *c, const struct map *m)
{
	uint32_t local = 1U << compose_below(c, 8);

	snprintf(c->global[0], sizeof c->global[0], "%u",
	    local * (1 + compose_below(c, 20)));
	c->local[0] = local;
	buf_adds(&c->body,
	    "\tfor (size_t i = get_global_id(0); i < (size_t)rows * cols; "
	    "i += get_global_size(0)) {\n"
	    "\tconst size_t r = i / cols;\n"
	    "\tconst size_t col = i - r * cols;\n");
	compose_rows(c, "r");
	add_element(c, m, "r", "col");
	buf_adds(&c->body, "\t}\n");
}

static void
map_quads(struct composing *c, const struct map *m)
{
	uint32_t q = 2 + compose_below(c, 7);
	char end[64];

	snprintf(c->global[0], sizeof c->global[0], "ceil_div(cols, %u)", q);
	snprintf(c->global[1], sizeof c->global[1], "rows");
	c->local[0] = c->local[1] = 1;
	buf_addf(&c->body,
	    "\tconst uint first = %u * (uint)get_global_id(0);\n"
	    "\tconst size_t r = get_global_id(1);\n",
	    q);
	snprintf(end, sizeof end, "min(cols, first + %uu)", q);
	compose_rows(c, "r");
	compose_loop(c, "col", "first", end, "1");
	buf_addc(&c->body, '\n');
	add_element(c, m, "r", "col");
}

/* Vectors are filled by hand: a row begins where it begins. */
static void
map_vectors(struct composing *c, const struct map *m)
{
	char *v = compose_load(c, m->first, "r", "first + q");

	snprintf(c->global[0], sizeof c->global[0], "ceil_div(cols, 4)");
	snprintf(c->global[1], sizeof c->global[1], "rows");
	c->local[0] = c->local[1] = 1;
	buf_adds(&c->body,
	    "\tconst uint first = 4 * (uint)get_global_id(0);\n"
	    "\tconst size_t r = get_global_id(1);\n"
	    "\tconst uint n = min(cols - first, 4u);\n"
	    "\tfloat some[4] = { 0.0f, 0.0f, 0.0f, 0.0f };\n");
	compose_rows(c, "r");
	buf_addf(&c->body,
	    "\tfor (uint q = 0; q < n; q++)\n\t\tsome[q] = %s;\n"
	    "\tconst float4 all = vload4(0, some);\n",
	    v);
	buf_addf(&c->body,
	    "\tfor (uint q = 0; q < n; q++) {\n"
	    "\t\tconst float v = q == 0 ? all.x : q == 1 ? "
	    "all.y : q == 2 ? all.s2 : all.w;\n");
	if (m->second) {
		char *w = compose_load(c, m->second, "r", "first + q");

		buf_addf(&c->body, "\t\tconst float w = %s;\n", w);
		free(w);
	}
	compose_store(c, "r", "first + q", m->call);
	buf_adds(&c->body, "\t}\n");
	free(v);
}

/* Through local memory, each item taking what another one brought. */
static void
map_tiles(struct composing *c, const struct map *m)
{
	uint32_t n = 8U << compose_below(c, 4);
	char *v = compose_load(c, m->first, "r", "t + lid");

	snprintf(c->global[0], sizeof c->global[0], "rows * %u", n);
	c->local[0] = n;
	buf_addf(&c->body,
	    "\t%s float tile[%u];\n\tconst uint lid = get_local_id(0);\n"
	    "\tconst size_t r = get_group_id(0);\n",
	    c->local_q, n);
	compose_rows(c, "r");
	buf_addf(&c->body,
	    "\tfor (uint t = 0; t < cols; t += %u) {\n"
	    "\tif (t + lid < cols)\n\t\ttile[lid] = %s;\n"
	    "\tbarrier(CLK_LOCAL_MEM_FENCE);\n"
	    "\tconst uint other = %u - 1 - lid;\n"
	    "\tif (t + other < cols) {\n\t\tconst float v = tile[other];\n",
	    n, v, n);
	if (m->second) {
		char *w = compose_load(c, m->second, "r", "t + other");

		buf_addf(&c->body, "\t\tconst float w = %s;\n", w);
		free(w);
	}
	compose_store(c, "r", "t + other", m->call);
	buf_adds(&c->body, "\t}\n\tbarrier(CLK_LOCAL_MEM_FENCE);\n\t}\n");
	free(v);
}

void
compose_map(struct composing *c)
{
	static void (*const forms[])(struct composing *,
	    const struct map *) = { map_flat, map_plane, map_lanes, map_grid,
		map_quads, map_vectors, map_tiles };
	struct map m;

	draw_map(c, &m);
	forms[compose_below(c, COUNT(forms))](c, &m);
	free(m.call);
}
