/*
 * A row at a time: sums, maxima and means, softmax and the norms.  One work
 * item a row, or a group of lanes with one of the ways to agree.
 */
#include "base/mem.h"
#include "tests/proving/composing.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct row_plan {
	uint32_t lanes; /* of a row */
	bool blocked;   /* a lane's columns are neighbours */
};

/* Opens the row: its number r, the lane lid. */
static void
open_row(struct composing *c, struct row_plan *p)
{
	static const uint32_t lanes[] = { 1, 1, 4, 8, 16, 32, 48, 64, 100, 128,
		256 };
	static const uint32_t rounds[] = { 1, 4, 8, 16 };
	uint32_t round = rounds[compose_below(c, 4)];

	p->lanes = lanes[compose_below(c, 11)];
	p->blocked = compose_below(c, 3) == 0;
	if (p->lanes == 1) {
		snprintf(c->global[0], sizeof c->global[0],
		    compose_below(c, 2) ? "round_up(rows, %u)"
		                        : "ceil_div(rows, %u) * 1",
		    round);
		if (strstr(c->global[0], "ceil"))
			snprintf(c->global[0], sizeof c->global[0],
			    "ceil_div(rows, %u) * %u", round, round);
		c->local[0] = round;
		buf_adds(&c->body,
		    "\tconst size_t r = get_global_id(0);\n"
		    "\tif (r >= rows)\n\t\treturn;\n");
		compose_rows(c, "r");
		return;
	}
	c->local[0] = p->lanes;
	compose_scratch(c, p->lanes);
	buf_adds(&c->body,
	    "\tconst uint lid = get_local_id(0);\n"
	    "\tconst size_t r = get_group_id(0);\n");
	if (compose_below(c, 2)) {
		snprintf(c->global[0], sizeof c->global[0], "rows * %u",
		    p->lanes);
	} else { /* whole groups too many, which leave at once */
		snprintf(c->global[0], sizeof c->global[0],
		    "round_up(rows, 4) * %u", p->lanes);
		buf_adds(&c->body, "\tif (r >= rows)\n\t\treturn;\n");
	}
	compose_rows(c, "r");
	if (p->blocked)
		buf_addf(&c->body,
		    "\tconst uint width = (cols + %u) / %u;\n"
		    "\tconst uint from = min(lid * width, cols);\n"
		    "\tconst uint upto = min(from + width, cols);\n",
		    p->lanes - 1, p->lanes);
}

/* The head of a loop over this lane's columns. */
static void
over_columns(struct composing *c, const struct row_plan *p)
{
	char step[16];

	snprintf(step, sizeof step, "%uu", p->lanes);
	if (p->lanes == 1)
		compose_loop(c, "col", "0", "cols", "1");
	else if (p->blocked)
		compose_loop(c, "col", "from", "upto", "1");
	else
		compose_loop(c, "col", "lid", "cols", step);
}

/* name holds the row's join of form ("$" is the element) in every lane. */
static void
join_row(struct composing *c, const struct row_plan *p, const char *name,
    bool is_max, const char *form)
{
	char *v = compose_load(c, c->op->args[0].name, "r", "col");
	char *join;

	if (is_max && p->lanes == 1)
		buf_addf(&c->head,
		    "%s\nlarger(float a, float b)\n{\n\treturn isnan(a) || a > "
		    "b ? a : b;\n}\n",
		    c->helper);
	join = compose_join(is_max, name, form);
	buf_addf(&c->body, "\tfloat %s = %s;\n", name,
	    is_max ? "-INFINITY" : "0.0f");
	over_columns(c, p);
	buf_addf(&c->body, " {\n\t\tconst float v = %s;\n\t\t%s = %s;\n\t}\n",
	    v, name, join);
	if (p->lanes > 1)
		compose_group(c, name, is_max, p->lanes);
	free(join);
	free(v);
}

void
compose_reduce(struct composing *c)
{
	bool is_max = strcmp(c->op->name, "max_last") == 0;
	bool is_mean = strcmp(c->op->name, "mean_last") == 0;
	struct row_plan p;

	open_row(c, &p);
	join_row(c, &p, "all", is_max, "v");
	buf_addf(&c->body, "\t%skf_store(out, r, all%s);\n",
	    p.lanes == 1 ? "" : "if (lid == 0)\n\t\t",
	    !is_mean                  ? ""
	        : compose_below(c, 2) ? " / cols"
	                              : " / (float)cols");
}

static void
map_row(struct composing *c, const struct row_plan *p, const char *form)
{
	char *v = compose_load(c, "x", "r", "col");

	over_columns(c, p);
	buf_addf(&c->body, " {\n\t\tconst float v = %s;\n", v);
	compose_store(c, "r", "col", form);
	buf_adds(&c->body, "\t}\n");
	free(v);
}

static void
softmax(struct composing *c, const struct row_plan *p)
{
	join_row(c, p, "top", true, "v");
	join_row(c, p, "sum", false, "exp(v - top)");
	if (compose_below(c, 2)) {
		buf_adds(&c->body, "\tconst float part_of = 1.0f / sum;\n");
		map_row(c, p, "exp(v - top) * part_of");
	} else {
		map_row(c, p, "exp(v - top) / sum");
	}
}

static void
rmsnorm(struct composing *c, const struct row_plan *p)
{
	join_row(c, p, "squares", false, "v * v");
	buf_addf(&c->body, "\tconst float scale = %s;\n",
	    COMPOSE_OF(c, "rsqrt(squares / cols + eps)",
	        "1.0f / sqrt(squares / (float)cols + eps)"));
	map_row(c, p,
	    COMPOSE_OF(c, "v * scale * kf_load(weight, col)",
	        "(v * scale) * kf_load(weight, col)"));
}

static void
layernorm(struct composing *c, const struct row_plan *p)
{
	join_row(c, p, "sum", false, "v");
	buf_adds(&c->body, "\tconst float mean = sum / (float)cols;\n");
	join_row(c, p, "squares", false, "(v - mean) * (v - mean)");
	buf_addf(&c->body, "\tconst float scale = %s;\n",
	    COMPOSE_OF(c, "rsqrt(squares / cols + eps)",
	        "1.0f / sqrt(squares / (float)cols + eps)"));
	map_row(c, p,
	    COMPOSE_OF(c,
	        "(v - mean) * scale * kf_load(weight, col) + "
	        "kf_load(bias, col)",
	        "fma((v - mean) * scale, kf_load(weight, col), kf_load(bias, "
	        "col))"));
}

void
compose_norm(struct composing *c)
{
	struct row_plan p;

	open_row(c, &p);
	if (strcmp(c->op->name, "softmax") == 0)
		softmax(c, &p);
	else if (strcmp(c->op->name, "rmsnorm") == 0)
		rmsnorm(c, &p);
	else
		layernorm(c, &p);
}
