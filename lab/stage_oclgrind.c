/*
 * S2, the simulator: one tiny launch in Oclgrind, which sees every single
 * access.  It runs beside the stages that come before its judgement.
 *
 * A simulator that ends early is the candidate's doing only if it does well
 * on the control kernel.
 */
#include "base/mem.h"
#include "lab/geometry.h"
#include "lab/simulate.h"
#include <stdlib.h>

static struct trial_case *
tiny_case(struct trial *t)
{
	size_t i = 0;

	while (t->cases[i].group != TRIAL_SIMULATED)
		i++;
	return &t->cases[i];
}

static bool
can_launch(const struct trial_case *tc)
{
	return tc->geometry_err == ERR_OK && !geometry_is_empty(&tc->geometry);
}

void
stage_oclgrind_start(struct trial *t)
{
	struct trial_case *tc = tiny_case(t);
	struct simulation s = { .entry = t->rq->candidate->entry,
		.geometry = &tc->geometry,
		.in = tc->in };
	struct why why;
	char *text;

	if (!t->lab->oclgrind || !can_launch(tc))
		return;
	text = xasprintf("%s%s", prelude_order(PRELUDE_IN_ORDER),
	    t->texts[DTYPE_F32]);
	s.text = text;
	if (simulate_start(t->lab, &s, &t->simulated, &why) != ERR_OK)
		trial_fail(t, LAB_ERROR, "lab_error", "%s", why.text);
	free(text);
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

static void
fail_early_end(struct trial *t, enum tool_end end)
{
	if (!control_does_well(t->lab))
		trial_fail(t, LAB_ERROR, "lab_error",
		    "Oclgrind fails on a good kernel too");
	else if (end == TOOL_TIMEOUT)
		trial_fail(t, LAB_TIMEOUT, "timeout",
		    "Oclgrind is still running after %u ms on a tiny case",
		    t->lab->conf.build_deadline_ms);
	else
		trial_fail(t, LAB_CRASH, "crash",
		    "Oclgrind cannot run the kernel to its end on a tiny case");
}

static void
fail_finding(struct trial *t, const struct simulate_finding *f)
{
	if (f->line > 0)
		trial_fail(t, LAB_VERIFIED_INCORRECT, f->class,
		    "Oclgrind on a tiny case: %s: %s (line %u)", f->class,
		    f->what, f->line);
	else
		trial_fail(t, LAB_VERIFIED_INCORRECT, f->class,
		    "Oclgrind on a tiny case: %s: %s", f->class, f->what);
}

bool
stage_oclgrind(struct trial *t)
{
	const struct trial_case *tc = tiny_case(t);
	struct simulate_finding f;
	const char *says;
	enum tool_end end;
	int status;

	if (!t->lab->oclgrind)
		return trial_skip(t, "oclgrind-kernel is not installed");
	if (tc->geometry_err != ERR_OK) {
		trial_fail(t, LAB_VERIFIED_INCORRECT, "launch",
		    "a tiny case: %s", tc->geometry_why.text);
		return false;
	}
	if (!t->simulated)
		return true; /* nothing is launched */
	end = tool_await(t->simulated, &status, &says);
	simulate_read_log(says, &f);
	if (f.class)
		fail_finding(t, &f);
	else if (end != TOOL_ENDED || status != 0)
		fail_early_end(t, end);
	return t->r->class[0] == '\0';
}
