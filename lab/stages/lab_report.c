/*
 * A report's names and its JSON, as design.md fixes them. What has no number is
 * null, because 0 would be one.
 */
#include "lab/stages/lab_report.h"

#include <math.h>
#include <string.h>

static const char *const verdict_names[LAB_NVERDICTS] = {
	[LAB_VERIFIED_CORRECT] = "verified_correct",
	[LAB_VERIFIED_INCORRECT] = "verified_incorrect",
	[LAB_REFUSED] = "refused",
	[LAB_COMPILE_ERROR] = "compile_error",
	[LAB_TIMEOUT] = "timeout",
	[LAB_CRASH] = "crash",
	[LAB_SANDBOX] = "sandbox",
	[LAB_RESOURCE] = "resource",
	[LAB_UNPROVEN] = "unproven",
	[LAB_ERROR] = "lab_error",
	[LAB_SMOKE_PASSED] = "smoke_passed",
};

static const char *const stage_names[LAB_NSTAGES] = {
	[LAB_STAGE_TEXT] = "text",
	[LAB_STAGE_IR] = "ir",
	[LAB_STAGE_BUILD] = "build",
	[LAB_STAGE_SMOKE] = "smoke",
	[LAB_STAGE_EXACT] = "exact",
	[LAB_STAGE_HOLDOUTS] = "holdouts",
	[LAB_STAGE_OCLGRIND] = "oclgrind",
	[LAB_STAGE_REPLAY] = "replay",
	[LAB_STAGE_SCHEDULE] = "schedule",
	[LAB_STAGE_RELATIONS] = "relations",
	[LAB_STAGE_COVERAGE] = "coverage",
};

static const char *const status_names[] = {
	[LAB_STAGE_PASSED] = "passed",
	[LAB_STAGE_FAILED] = "failed",
	[LAB_STAGE_SKIPPED] = "skipped",
};

const char *
lab_verdict_name(enum lab_verdict v)
{
	return verdict_names[v];
}

const char *
lab_stage_name(enum lab_stage s)
{
	return stage_names[s];
}

enum lab_stage
lab_stage_find(const char *name)
{
	size_t i = 0;

	while (i < LAB_NSTAGES && strcmp(stage_names[i], name) != 0)
		i++;
	return (enum lab_stage)i;
}

bool
lab_stage_may_be_left_out(enum lab_stage s)
{
	/* Without these three nothing was refused, built or run. */
	return s != LAB_STAGE_TEXT && s != LAB_STAGE_BUILD &&
	    s != LAB_STAGE_SMOKE;
}

json_t *
lab_skipped_json(const struct lab_report *r)
{
	json_t *a = json_array();

	for (size_t i = 0; i < r->nstages; i++) {
		const struct lab_stage_result *s = &r->stages[i];

		if (s->status == LAB_STAGE_SKIPPED &&
		    strcmp(s->note, LAB_NOT_REACHED) != 0)
			json_array_append_new(a,
			    json_pack("{s:s, s:s}", "stage",
			        lab_stage_name(s->stage), "reason", s->note));
	}
	return a;
}

/* JSON has no infinity: what has no number is null. */
static json_t *
number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

/* The arguments that are no tensors, by name. */
static json_t *
shape_json(const struct op *op, const struct op_shape *shape)
{
	json_t *o = json_object();

	for (size_t i = 0; i < op->nargs; i++) {
		const struct op_arg *a = &op->args[i];

		if (a->kind == OP_UINT)
			json_object_set_new(o, a->name,
			    json_integer(op_scalar_uint(a, shape)));
		else if (a->kind == OP_REAL)
			json_object_set_new(o, a->name,
			    number((double)op_scalar_real(a, shape)));
	}
	return o;
}

static json_t *
errors_json(const struct lab_case_result *c)
{
	json_t *o = json_object();

	for (unsigned b = 0; b < JUDGE_NBANDS; b++)
		json_object_set_new(o, judge_band_name((enum judge_band)b),
		    json_integer(c->errors[b]));
	return o;
}

/* What a person needs to see the failure again: where, and what was there. */
static void
add_evidence(json_t *o, const struct op *op, const struct lab_case_result *c)
{
	json_object_set_new(o, "shape", shape_json(op, &c->shape));
	if (!c->is_compared)
		return;
	json_object_set_new(o, "index",
	    json_pack("[I, I]", (json_int_t)(c->worst / c->out_cols),
	        (json_int_t)(c->worst % c->out_cols)));
	json_object_set_new(o, "got", number(c->got));
	json_object_set_new(o, "expected", number(c->want));
	json_object_set_new(o, "errors", errors_json(c));
}

static json_t *
cases_json(const struct op *op, const struct lab_report *r)
{
	json_t *a = json_array();

	for (size_t i = 0; i < r->ncases; i++) {
		const struct lab_case_result *c = &r->cases[i];
		json_t *o = json_pack("{s:s, s:s, s:b, s:o, s:o, s:o, s:I}",
		    "name", c->name, "dtype", dtype_name(c->dtype), "passed",
		    c->passed, "max_abs_diff", number(c->max_abs_diff),
		    "max_rel_diff", number(c->max_rel_diff), "bound_ratio",
		    number(c->bound_ratio), "worst", (json_int_t)c->worst);

		if (!c->passed)
			add_evidence(o, op, c);
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *
stages_json(const struct lab_report *r)
{
	json_t *a = json_array();

	for (size_t i = 0; i < r->nstages; i++) {
		const struct lab_stage_result *s = &r->stages[i];

		json_array_append_new(a,
		    json_pack("{s:s, s:s, s:f, s:s}", "name",
		        lab_stage_name(s->stage), "status",
		        status_names[s->status], "ms", s->ms, "note", s->note));
	}
	return a;
}

/* What a device must have for it. */
static json_t *
needs_json(const struct lab_needs *n)
{
	json_t *names = json_array();

	for (const char *p = n->extensions; *p;) {
		size_t len = strcspn(p, " ");

		json_array_append_new(names, json_stringn(p, len));
		p += len + (p[len] == ' ');
	}
	return json_pack("{s:I, s:I, s:o}", "local_size",
	    (json_int_t)n->local_size, "local_bytes",
	    (json_int_t)n->local_bytes, "extensions", names);
}

/* Half of what was revealed; null: it was never drawn. */
static json_t *
half_json(const struct lab_report *r, size_t which)
{
	size_t half = strlen(r->seed_reveal) / 2;

	return half ? json_stringn(r->seed_reveal + which * half, half)
	            : json_null();
}

void
lab_report_unread(struct lab_report *r, enum lab_verdict v, const char *message)
{
	*r = (struct lab_report){ .verdict = v,
		.class = lab_verdict_name(v),
		.smoke = -1 };
	snprintf(r->message, sizeof r->message, "%s", message);
}

/* What was covered, see ops/covering_array.h. */
static json_t *
array_json(const struct array_account *a)
{
	return json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "cases",
	    (int)a->cases, "pairs", (int)a->pairs, "pairs_met",
	    (int)a->pairs_met, "triples", (int)a->triples, "triples_met",
	    (int)a->triples_met, "left_out", (int)a->too_long);
}

static json_t *
flag_json(int v)
{
	return v < 0 ? json_null() : json_boolean(v);
}

static void
add_way(struct lab_untaken *ways, size_t *n, const struct lab_untaken *way)
{
	for (size_t i = 0; i < *n && i < LAB_LINES_MAX; i++)
		if (ways[i].line == way->line && ways[i].what == way->what &&
		    !(ways[i].storage & way->storage)) {
			ways[i].storage |= way->storage;
			return;
		}
	if (*n < LAB_LINES_MAX)
		ways[*n] = *way;
	*n += 1;
}

void
lab_report_untaken(struct lab_coverage *r, uint32_t line, const char *what,
    unsigned storage)
{
	const struct lab_untaken way = { line, what, storage };

	add_way(r->untaken, &r->nuntaken, &way);
}

void
lab_report_excused(struct lab_coverage *r, uint32_t line, const char *what,
    unsigned storage)
{
	const struct lab_untaken way = { line, what, storage };

	add_way(r->impossible, &r->nimpossible, &way);
}

void
lab_report_loop(struct lab_coverage *r, const struct lab_loop *loop)
{
	for (size_t i = 0; i < r->nloops; i++) {
		struct lab_loop *is = &r->loops[i];

		if (is->line != loop->line || is->nth != loop->nth)
			continue;
		is->none |= loop->none;
		is->once |= loop->once;
		is->many |= loop->many;
		return;
	}
	if (r->nloops < LAB_LOOPS_MAX)
		r->loops[r->nloops++] = *loop;
}

void
lab_report_storage(unsigned storage, char *out, size_t size)
{
	size_t at = 0;

	out[0] = '\0';
	for (int d = 0; d < DTYPE_NDTYPES; d++)
		if (storage >> d & 1 && at < size)
			at += (size_t)snprintf(out + at, size - at, "%s%s",
			    at ? ", " : "", dtype_name((enum dtype)d));
}

static json_t *
untaken_json(const struct lab_untaken *u)
{
	json_t *storage = json_array();

	for (int d = 0; d < DTYPE_NDTYPES; d++)
		if (u->storage >> d & 1)
			json_array_append_new(storage,
			    json_string(dtype_name((enum dtype)d)));
	return json_pack("{s:i, s:s, s:o}", "line", (int)u->line, "what",
	    u->what, "storage", storage);
}

static json_t *
ways_json(const struct lab_untaken *ways, size_t n)
{
	json_t *lines = json_array();

	for (size_t i = 0; i < n && i < LAB_LINES_MAX; i++)
		json_array_append_new(lines, untaken_json(&ways[i]));
	return lines;
}

static json_t *
loops_json(const struct lab_coverage *c)
{
	json_t *loops = json_array();

	for (size_t i = 0; i < c->nloops; i++) {
		const struct lab_loop *l = &c->loops[i];

		json_array_append_new(loops,
		    json_pack("{s:i, s:b, s:b, s:b}", "line", (int)l->line,
		        "none", l->none, "once", l->once, "many", l->many));
	}
	return loops;
}

json_t *
lab_coverage_json(const struct lab_report *r)
{
	const struct lab_coverage *c = &r->coverage;

	return json_pack("{s:i, s:i, s:i, s:o, s:o, s:o}", "branches",
	    (int)c->branches, "taken", (int)c->taken, "impossible",
	    (int)c->excused, "untaken", ways_json(c->untaken, c->nuntaken),
	    "excused", ways_json(c->impossible, c->nimpossible), "loops",
	    loops_json(c));
}

json_t *
lab_report_json(const struct op *op, const struct lab_report *r)
{
	json_t *smoke = r->smoke < 0 ? json_null() : json_boolean(r->smoke);

	return json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:s, s:s, s:s, s:s, "
	                 "s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
	    "op", op->name, "verdict", lab_verdict_name(r->verdict), "class",
	    r->class, "smoke", smoke, "cases", cases_json(op, r), "stages",
	    stages_json(r), "message", r->message, "suspect", r->suspect,
	    "source_sha256", r->source_sha256, "seed_commit", r->seed_commit,
	    "seed_reveal", r->seed_reveal, "skipped", lab_skipped_json(r),
	    "needs", needs_json(&r->needs), "seed", half_json(r, 0), "nonce",
	    half_json(r, 1), "array", array_json(&r->array), "batch_invariant",
	    flag_json(r->batch_invariant), "coverage", lab_coverage_json(r));
}
