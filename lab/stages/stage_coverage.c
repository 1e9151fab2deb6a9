/*
 * Sections 2a to 2c: nothing is claimed about code that never ran.
 *
 * The cases that there are anyway run in the machine too (stage_schedule.c);
 * then shapes and values are sought for what they leave out.  Each of
 * these launches is judged: in the machine where it is small enough to be run
 * whole, and on the device where it was sought before the builds began.  The
 * same runs look for races, for bounds to the byte, and at values where the
 * built-in functions err as far as a device's may.
 *
 * An outcome that still never came up, and is not proved impossible, ends in
 * the verdict "unproven".
 */
#include "base/buf.h"
#include "base/mem.h"
#include "lab/stages/coverage_loops.h"
#include "lab/stages/coverage_plan.h"
#include "lab/stages/coverage_shortcuts.h"
#include "lab/stages/device_fallback.h"
#include "lab/stages/header_choices.h"
#include "lab/stages/huge_launch.h"
#include "lab/stages/trial_run.h"
#include <stdio.h>
#include <string.h>

#define ROUNDS_MAX 12
#define WORK_MAX   ((uint64_t)150000000) /* instructions, a program */

/* Before the builds: a device compiles for all shapes at once.  What the stage
 * schedule runs is counted too. */
void
stage_coverage_plan(struct trial *t)
{
	bool first = true;

	if (!trial_wants(t, LAB_STAGE_SCHEDULE))
		stage_schedule_plan(t);
	for (int d = 0; d < DTYPE_NDTYPES; d++) {
		struct cover *c = t->covers[d];

		if (!c)
			continue;
		coverage_plan(t, c, (enum dtype)d, first);
		first = false;
	}
}

/* The launches that only the machine can make. */
void
stage_coverage_start(struct trial *t)
{
	for (int d = 0; d < DTYPE_NDTYPES; d++)
		if (t->covers[d])
			t->huge[d] =
			    huge_launch_start(t, (enum dtype)d, t->covers[d]);
}

/* ---- what is left */

static bool
is_required(const struct prog_point *p, uint32_t outcome)
{
	return p->kind != PROG_POINT_LOOP && !(p->free_outcomes >> outcome & 1);
}

/* Of a built-in that takes one of several: each of its outcomes, never. */
static const struct {
	const char *name, *never[3];
} choices[] = {
	{ "clamp",
	    { "clamp() meets nothing below its limits",
	        "clamp() meets nothing between its limits",
	        "clamp() meets nothing above its limits" } },
	{ "fmax",
	    { "fmax()'s first argument is never the larger one",
	        "fmax()'s second argument is never the larger one" } },
	{ "fmin",
	    { "fmin()'s first argument is never the smaller one",
	        "fmin()'s second argument is never the smaller one" } },
	{ "max",
	    { "max()'s first argument is never the larger one",
	        "max()'s second argument is never the larger one" } },
	{ "min",
	    { "min()'s first argument is never the smaller one",
	        "min()'s second argument is never the smaller one" } },
	{ "select",
	    { "select() never takes its first argument",
	        "select() never takes its second argument" } },
	{ "smoothstep",
	    { "smoothstep() meets nothing below its edges",
	        "smoothstep() meets nothing between its edges",
	        "smoothstep() meets nothing above its edges" } },
};

/* Any other built-in that is counted is a test. */
static const char *
choice_phrase(const struct program *program, const struct prog_point *p,
    uint32_t outcome)
{
	const struct prog_function *f = &program->functions[p->function];
	const struct prog_instr *i = &f->code[p->instr];

	for (size_t k = 0; k < COUNT(choices); k++)
		if (i->op == PROG_BUILTIN && outcome < p->outcomes &&
		    slice_is(program->calls[i->aux].plain, choices[k].name))
			return choices[k].never[outcome];
	return outcome ? "never true" : "never false";
}

static const char *
phrase(const struct program *program, const struct prog_point *p,
    uint32_t outcome)
{
	if (p->kind == PROG_POINT_LOOP)
		return "never goes round more than once";
	if (p->kind == PROG_POINT_SWITCH)
		return outcome + 1 == p->outcomes ? "the default is never taken"
		                                  : "a case is never taken";
	if (p->kind == PROG_POINT_CHOICE)
		return choice_phrase(program, p, outcome);
	if (p->kind == PROG_POINT_BITS)
		return outcome ? "bits that are always zero"
		               : "bits that are never zero";
	if (p->kind == PROG_POINT_COMBINED &&
	    program->functions[p->function].code[p->instr].op == PROG_LOAD)
		return "a value of a constant table is never read";
	if (p->kind == PROG_POINT_COMBINED)
		return p->outcomes > 2 ? "of what conditions make together, a "
		                         "value never comes up"
		    : outcome          ? "conditions together are never true"
		                       : "conditions together are never false";
	return outcome ? "never true" : "never false";
}

/* Does an outcome of the program wait to be taken that could be? */
static bool
is_open(const struct cover *c, struct seek *s, size_t i, uint32_t o)
{
	if (cover_program(c)->points[i].kind == PROG_POINT_LOOP)
		return coverage_loop_is_open(c, s, i, o);
	return is_required(&cover_program(c)->points[i], o) &&
	    cover_count(c, i, o) == 0 && !seek_is_impossible(s, i, o);
}

static bool
is_complete(struct cover *c)
{
	const struct program *p = cover_program(c);

	for (size_t i = 0; i < p->npoints; i++)
		for (uint32_t o = 0; o < p->points[i].outcomes; o++)
			if (is_open(c, cover_seek(c), i, o))
				return false;
	return true;
}

/* Round by round: shapes near constants, values that lead to constants.  No
 * device launches these: it has compiled what it will. */
static bool
seek_more(struct trial *t, struct cover *c, enum dtype d)
{
	for (uint32_t round = 1; round <= ROUNDS_MAX && !is_complete(c) &&
	     cover_instructions(c) < WORK_MAX;
	     round++) {
		struct op_shape shape;

		coverage_plant(t, c, d, round, true);
		for (uint32_t i = 0; i < 4; i++) {
			struct cover_run run = { .budget = COVERAGE_SOUGHT,
				.stage = LAB_STAGE_COVERAGE,
				.is_machines = true };

			if (!seek_near_constant(cover_seek(c), &shape))
				break;
			run.tc = trial_seek(t, &shape, d,
			    i == 3 ? OP_DATA_SPECIAL : OP_DATA_NORMAL);
			if (run.tc)
				cover_add(c, &run);
		}
		if (!cover_send(t, c) || !cover_judge(t, c, LAB_STAGE_COVERAGE))
			return false;
	}
	return true;
}

#define SHORTCUT    "a shortcut for few rows"
#define DIGEST      "a digest of elements"
#define DIGESTS_MAX 8

/* Adds a program's outcomes to the report's. */
static void
report(struct trial *t, struct cover *c, enum dtype d)
{
	struct lab_coverage *r = &t->r->coverage;
	const struct program *p = cover_program(c);
	uint32_t digests[DIGESTS_MAX];
	size_t n = cond_digests(p, digests, DIGESTS_MAX);

	for (size_t i = 0; i < n; i++)
		lab_report_untaken(r, digests[i], DIGEST, 1U << d);
	for (size_t i = 0; i < p->npoints; i++)
		for (uint32_t o = 0; o < p->points[i].outcomes; o++) {
			if (shortcuts_is(c, i, o))
				lab_report_untaken(r, p->points[i].line,
				    SHORTCUT, 1U << d);
			if (!is_required(&p->points[i], o) &&
			    !is_open(c, cover_seek(c), i, o))
				continue;
			r->branches++;
			r->taken += cover_count(c, i, o) > 0;
			if (cover_count(c, i, o) > 0)
				continue;
			if (!is_open(c, cover_seek(c), i, o)) {
				lab_report_excused(r, p->points[i].line,
				    phrase(p, &p->points[i], o), 1U << d);
				r->excused++;
				continue;
			}
			lab_report_untaken(r, p->points[i].line,
			    phrase(p, &p->points[i], o), 1U << d);
		}
}

#define LINES_SAID 6

/* Was the line, or with what the way, told of before i? */
static bool
is_said(const struct lab_coverage *r, size_t i, bool what)
{
	const struct lab_untaken *u = r->untaken;

	for (size_t k = 0; k < i; k++)
		if (u[k].line == u[i].line &&
		    (!what || strcmp(u[k].what, u[i].what) == 0))
			return true;
	return false;
}

/* "line 14 (never false; min()'s first argument ... in float16)": all that
 * never came up in the line of way i. */
static void
say_line(const struct trial *t, size_t i, struct buf *b)
{
	const struct lab_coverage *r = &t->r->coverage;
	const char *between = "";
	char storage[48];

	buf_addf(b, "%sline %u (", b->len ? ", " : "", r->untaken[i].line);
	for (size_t k = i; k < r->nuntaken && k < LAB_LINES_MAX; k++) {
		const struct lab_untaken *u = &r->untaken[k];
		bool all = u->storage == (1U << DTYPE_NDTYPES) - 1 ||
		    (t->depends & TEXT_DEPENDS_STORAGE) == 0;

		if (u->line != r->untaken[i].line || is_said(r, k, true))
			continue;
		lab_report_storage(u->storage, storage, sizeof storage);
		buf_addf(b, "%s%s%s%s", between, u->what, all ? "" : " in ",
		    all ? "" : storage);
		between = "; ";
	}
	buf_addf(b, ")");
}

/* Why nothing is claimed; the last one where it is for more than one reason. */
static const struct reason {
	const char *what; /* as it is told of a line */
	const char *why, *else_do;
} reasons[] = {
	{ SHORTCUT,
	    "only values made for it choose this, and would be right without "
	    "it",
	    "delete it" },
	{ DIGEST, "what a digest of elements tells may be wrong of others",
	    "use the elements themselves" },
	{ "", "code that never ran",
	    "delete it, or make it run for sizes and values that the contract "
	    "allows" },
};

static const struct reason *
find_reason(const struct lab_coverage *r)
{
	const struct reason *why = reasons;
	size_t i = 0;

	while (i < r->nuntaken && i < LAB_LINES_MAX && why->what[0])
		if (strcmp(r->untaken[i].what, why->what) == 0) {
			i++;
		} else {
			why++;
			i = 0;
		}
	return why;
}

static void
fail_unproven(struct trial *t)
{
	const struct lab_coverage *r = &t->r->coverage;
	const struct reason *why = find_reason(r);
	size_t said = 0;
	struct buf b;

	buf_init(&b, 400);
	for (size_t i = 0; i < r->nuntaken && i < LAB_LINES_MAX; i++)
		if (!is_said(r, i, false) && said++ < LINES_SAID)
			say_line(t, i, &b);
	trial_fail(t, LAB_UNPROVEN, "unproven", "%s: %s%s; %s", why->why,
	    b.data ? b.data : "", said > LINES_SAID ? ", ..." : "",
	    why->else_do);
	buf_done(&b);
}

/* On the device too, what was sought before the builds: values of large
 * shapes are judged there.  The vast ones are dear, and a device may crash where
 * the machine says what is wrong, so that they come last. */
static bool
launch_sought(struct trial *t, bool vast)
{
	for (size_t i = 0; i < t->ncases; i++) {
		struct trial_case *tc = &t->cases[i];
		const struct trial_launch where = { .once = true,
			.poison = PACK_POISON_B,
			.worker = t->workers[tc->c->dtype] };
		size_t n = (size_t)tc->in->out.rows * tc->in->out.cols;
		struct trial_outcome o;

		if (tc->group != TRIAL_SOUGHT || tc->is_machines ||
		    tc->is_vast != vast)
			continue;
		tc->got = xcalloc(n + 1, sizeof *tc->got);
		if (trial_launch(t, &where, tc, tc->got, &o))
			trial_compare_first(t, tc, tc->got, &o);
		if (o.class && !fallback_acquits(t, tc, &o)) {
			trial_fail_case(t, tc, &o);
			return false;
		}
		trial_step(t);
	}
	return true;
}

bool
stage_coverage(struct trial *t)
{
	const struct lab_coverage *r = &t->r->coverage;

	if (!t->lab->clang) {
		trial_fail(t, LAB_UNPROVEN, "unproven",
		    "what ran could not be counted: clang is not installed");
		return false;
	}
	if (!launch_sought(t, false) || !trial_errors_are_float32(t))
		return false;
	for (int d = 0; d < DTYPE_NDTYPES; d++) {
		struct cover *c = t->covers[d];

		if (!c)
			continue;
		if (!cover_judge(t, c, LAB_STAGE_COVERAGE) ||
		    !huge_launch_judge(t, t->huge[d], c) ||
		    !seek_more(t, c, (enum dtype)d))
			return false;
		if (!shortcuts_look(t, c))
			return false;
		report(t, c, (enum dtype)d);
		coverage_loops_report(t, c);
	}
	if (!launch_sought(t, true))
		return false;
	header_choices_report(t);
	snprintf(t->note, sizeof t->note,
	    "%u of %u ways taken, %u impossible; %u launches far out", r->taken,
	    r->branches, r->excused, t->nfar);
	coverage_loops_note(t);
	if (r->nuntaken > 0)
		fail_unproven(t);
	return r->nuntaken == 0;
}
