/*
 * S2, the simulator: one tiny launch in Oclgrind, which sees every single
 * access; one for each storage type where the candidate can tell them apart.
 * They run beside the stages that come before their judgement, or, in a lab
 * that does everything in turn, one by one at their own.
 *
 * A simulator that ends early is the candidate's doing only if it does well
 * on the control kernel.
 */
#include "lab/run/geometry.h"
#include "lab/stages/control_kernel.h"
#include "lab/stages/heavy_turn.h"
#include "lab/stages/oclgrind_run.h"
#include <signal.h>
#include <stdio.h>

/* NULL: that storage type is not looked at. */
static struct trial_case *
tiny_case(struct trial *t, enum dtype d)
{
	for (size_t i = 0; i < t->ncases; i++)
		if (t->cases[i].group == TRIAL_SIMULATED &&
		    t->cases[i].c->dtype == d)
			return &t->cases[i];
	return NULL;
}

static void
start(struct trial *t, enum dtype d)
{
	struct trial_case *tc = tiny_case(t, d);
	struct simulation s = { .text = t->texts[d],
		.entry = t->rq->candidate->entry };
	struct why why;

	if (!tc || tc->geometry_err != ERR_OK ||
	    geometry_is_empty(&tc->geometry))
		return;
	s.geometry = &tc->geometry;
	s.in = tc->in;
	if (simulate_start(t->lab, &s, &t->simulated[d], &why) != ERR_OK)
		trial_fail(t, LAB_ERROR, "lab_error", "%s", why.text);
}

/* Where nothing is begun early, each is begun when it is looked at. */
void
stage_oclgrind_start(struct trial *t)
{
	bool early = t->lab->oclgrind && !t->lab->conf.in_turn;

	for (int d = 0; d < DTYPE_NDTYPES && early; d++)
		start(t, (enum dtype)d);
}

static bool
control_does_well(struct lab *l)
{
	const struct order_geometry g = { .ndims = 1,
		.global = { 64 },
		.local = { 64 } };
	const struct simulation s = {
		.text = control_source,
		.entry = "control",
		.geometry = &g,
	};
	struct tool *tool = NULL;
	const char *says;
	int status = -1;
	bool ok;

	ok = simulate_start(l, &s, &tool, NULL) == ERR_OK &&
	    tool_await(tool, &status, &says) == TOOL_ENDED && status == 0;
	tool_stop(tool);
	return ok;
}

/* By the limits of what it may take. */
static bool
is_ended(enum tool_end end, int status)
{
	return end == TOOL_DIED && (status == SIGXCPU || status == SIGKILL);
}

static void
fail_early_end(struct trial *t, enum tool_end end, int status)
{
	if (!control_does_well(t->lab))
		trial_fail(t, LAB_ERROR, "lab_error",
		    "Oclgrind fails on a good kernel too");
	else if (end == TOOL_TIMEOUT)
		trial_fail(t, LAB_TIMEOUT, "timeout",
		    "Oclgrind does nothing any more on a tiny case");
	else if (is_ended(end, status))
		trial_fail(t, LAB_RESOURCE, "resource",
		    "a tiny case is too much for Oclgrind (%d s of processor "
		    "time): make fewer work items of it, or less work of each",
		    SIMULATE_CPU_S);
	else
		trial_fail(t, LAB_CRASH, "crash",
		    "Oclgrind cannot run the kernel to its end on a tiny case");
}

static void
fail_finding(struct trial *t, enum dtype d, const struct simulate_finding *f)
{
	char line[32] = "";

	if (f->line > 0)
		snprintf(line, sizeof line, " (line %u)", f->line);
	trial_fail(t, LAB_VERIFIED_INCORRECT, f->class,
	    "Oclgrind on a tiny case (%s): %s: %s%s", dtype_name(d), f->class,
	    f->what, line);
}

static bool
look_at(struct trial *t, const struct trial_case *tc)
{
	struct tool *tool = t->simulated[tc->c->dtype];
	struct simulate_finding f;
	const char *says;
	enum tool_end end;
	int status;

	if (tc->geometry_err != ERR_OK)
		trial_fail(t, LAB_VERIFIED_INCORRECT, "launch",
		    "a tiny case: %s", tc->geometry_why.text);
	if (!tool) /* nothing is launched */
		return t->r->class[0] == '\0';
	end = tool_await(tool, &status, &says);
	simulate_read_log(says, &f);
	if (f.class)
		fail_finding(t, tc->c->dtype, &f);
	else if (f.odd[0])
		trial_fail(t, LAB_ERROR, "lab_error",
		    "Oclgrind says what is not understood: %s", f.odd);
	else if (end != TOOL_ENDED || status != 0)
		fail_early_end(t, end, status);
	return t->r->class[0] == '\0';
}

static bool
look_at_all(struct trial *t)
{
	for (int d = 0; d < DTYPE_NDTYPES; d++) {
		const struct trial_case *tc = tiny_case(t, (enum dtype)d);

		if (t->lab->conf.in_turn)
			start(t, (enum dtype)d);
		if (tc && !look_at(t, tc))
			return false;
		tool_stop(t->simulated[d]);
		t->simulated[d] = NULL;
	}
	return true;
}

bool
stage_oclgrind(struct trial *t)
{
	bool in_turn = t->lab->conf.in_turn, passed;

	if (!t->lab->oclgrind)
		return trial_skip(t, "oclgrind-kernel is not installed");
	if (in_turn)
		heavy_turn_take();
	passed = look_at_all(t);
	if (in_turn)
		heavy_turn_end();
	return passed;
}
