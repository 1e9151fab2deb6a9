/*
 * A row a size; a noisy series is marked as such beside its median.  A size
 * from the command line meets the caps here, before anything is allocated for
 * it.
 */
#include "agent/telling/bench_print.h"

#include "agent/text/term.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIM_MAX      (1U << 20)
#define ELEMENTS_MAX ((double)(8U << 20)) /* of one tensor */

/* ---- sizes */

static const struct op_arg *
find_size(const struct op *op, const char *name, size_t len)
{
	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_UINT &&
		    strlen(op->args[i].name) == len &&
		    strncmp(op->args[i].name, name, len) == 0 &&
		    !strstr(op->args[i].name, "_stride"))
			return &op->args[i];
	return NULL;
}

/* One NAME=NUMBER at *at, which moves behind it. */
static enum err
parse_one(const struct op *op, const char **at, struct op_shape *s,
    struct why *why)
{
	size_t len = strcspn(*at, "=,");
	const struct op_arg *a = find_size(op, *at, len);
	unsigned long v;
	uint32_t value;
	char *end;

	if (!a || (*at)[len] != '=')
		return why_set(why, ERR_SYNTAX,
		    "--size: found \"%.40s\", expected a size of %s and "
		    "=NUMBER",
		    *at, op->name);
	v = strtoul(*at + len + 1, &end, 10);
	if (end == *at + len + 1 || (*end != ',' && *end != '\0'))
		return why_set(why, ERR_SYNTAX,
		    "--size: found \"%.40s\", expected a number",
		    *at + len + 1);
	if (v < 1 || v > DIM_MAX)
		return why_set(why, ERR_RANGE, "--size: %s: expected 1 to %u",
		    a->name, DIM_MAX);
	if (op_scalar_uint(a, s) != 0)
		return why_set(why, ERR_SYNTAX, "--size: %s is given twice",
		    a->name);
	value = (uint32_t)v;
	memcpy((char *)s + a->offset, &value, sizeof value);
	*at = *end ? end + 1 : end;
	return ERR_OK;
}

/* Nothing is missing, and no tensor is too large. */
static enum err
check_shape(const struct op *op, const struct op_shape *s, struct why *why)
{
	for (size_t i = 0; i < op->nargs; i++) {
		const struct op_arg *a = &op->args[i];
		struct op_extent e;

		if (a->kind == OP_UINT && op_scalar_uint(a, s) == 0)
			return why_set(why, ERR_SYNTAX, "--size: %s is missing",
			    a->name);
		if (a->kind == OP_UINT || a->kind == OP_REAL)
			continue;
		e = op->extent(s, i);
		if ((double)e.rows * e.cols > ELEMENTS_MAX)
			return why_set(why, ERR_TOOBIG,
			    "--size: %s has over %.0f elements", a->name,
			    ELEMENTS_MAX);
	}
	if (s->dim % 2 != 0)
		return why_set(why, ERR_RANGE, "--size: dim must be even");
	return ERR_OK;
}

enum err
bench_parse_size(const struct op *op, const char *text, struct op_shape *ret,
    struct why *why)
{
	struct op_shape s = { .eps = op->bench->cases[0].shape.eps,
		.base = op->bench->cases[0].shape.base };
	enum err e = ERR_OK;

	for (const char *at = text; *at && e == ERR_OK;)
		e = parse_one(op, &at, &s, why);
	if (e != ERR_OK)
		return e;
	/* Only sizes can be given: wider strides would time the gaps between
	 * rows as well. */
	op_close_strides(op, &s);
	e = check_shape(op, &s, why);
	if (e == ERR_OK)
		*ret = s;
	return e;
}

/* ---- printing */

static enum term_colour
colour_of(const struct lab_timing_size *s)
{
	if (isnan(s->speedup))
		return TERM_BAD;
	if (s->status == LAB_TIMING_NOISY)
		return TERM_WARN;
	return s->speedup < 1 ? TERM_BAD : TERM_GOOD;
}

static void
add_ratio(struct term_table *t, enum term_colour c, const char *fmt, double v)
{
	char text[32];

	if (isnan(v)) {
		term_table_add(t, c, "-");
		return;
	}
	(void)snprintf(text, sizeof text, "%.2f%s", v, fmt);
	term_table_add(t, c, text);
}

static void
add_time(struct term_table *t, const struct lab_series *s)
{
	term_table_addf(t, s->is_noisy ? TERM_WARN : TERM_PLAIN,
	    "%.3f ms (+-%.0f %%)", s->median_ms,
	    50 * (s->q3_ms - s->q1_ms) / s->median_ms);
}

static void
add_size(struct term_table *t, const struct lab_timing_size *s)
{
	enum term_colour c = colour_of(s);

	term_table_addf(t, TERM_PLAIN, "%s %s", s->name, s->shape);
	term_table_addf(t, TERM_PLAIN, "%.3f ms %s", s->floor_ms,
	    s->flops_ms > s->memory_ms ? "compute" : "memory");
	add_time(t, &s->plain);
	add_time(t, &s->candidate);
	add_ratio(t, c, s->speedup < 1 ? "x loss" : "x", s->speedup);
	if (isnan(s->roofline))
		term_table_add(t, TERM_PLAIN, "-");
	else
		term_table_addf(t, TERM_PLAIN, "%.1f %%", 100 * s->roofline);
	add_ratio(t, TERM_PLAIN, "", s->sol);
	term_table_add(t, c, lab_timing_status_name(s->status));
}

void
bench_print(const struct op *op, const struct lab_machine *m,
    const struct lab_timing *t, FILE *f)
{
	static const char *const head[] = { "Size", "Floor", "Plain kernel",
		"This kernel", "Speed-up", "Roofline", "SOL", "Timing" };
	struct term_table table;

	fprintf(f, "one core: reads %.1f GB/s, triad %.1f GB/s, ", m->read_gbs,
	    m->triad_gbs);
	if (isnan(m->peak_gflops))
		fprintf(f, "peak not measured (the machine is too busy), ");
	else
		fprintf(f, "peak %.0f GFLOP/s, ", m->peak_gflops);
	fprintf(f, "an empty launch %.0f us; caches of %zu MB swept\n",
	    m->launch_us, m->cache_bytes >> 20);
	term_table_init(&table, COUNT(head));
	for (size_t i = 0; i < COUNT(head); i++)
		term_table_add(&table, TERM_BOLD, head[i]);
	for (size_t i = 0; i < t->nsizes; i++)
		add_size(&table, &t->sizes[i]);
	term_table_print(&table, f);
	term_table_done(&table);
	if (t->speedup > 0)
		fprintf(f, "%s: %.2fx the plain kernel (geometric mean)%s\n",
		    op->name, t->speedup, t->speedup < 1 ? ": a loss" : "");
	else
		fprintf(f, "%s: no speed-up is claimed\n", op->name);
}
