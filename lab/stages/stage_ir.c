/*
 * S0 behind the compiler's front end: what the program means, see ir.h.  One
 * look for each storage type that the candidate can tell apart: it may be
 * another program in each.
 *
 * No candidate code runs before this stage has passed.
 */
#include "base/mem.h"
#include "lab/read/ir_gate.h"
#include "lab/read/signature.h"
#include "lab/read/text_gate.h"
#include "lab/stages/clang_front_end.h"
#include "lab/stages/coverage_count.h"
#include "lab/stages/trial.h"
#include <stdio.h>
#include <stdlib.h>

void
stage_ir_start(struct trial *t)
{
	for (int d = 0; d < DTYPE_NDTYPES && t->lab->clang; d++) {
		struct why why;

		if (!trial_looks_at(t, (enum dtype)d))
			continue;
		if (clang_lower(t->lab, t->texts[d], &t->lowered[d], &why) !=
		    ERR_OK)
			trial_fail(t, LAB_ERROR, "lab_error", "%s", why.text);
	}
}

static void
fail_limit(struct trial *t, enum dtype d, const char *why)
{
	trial_fail(t, LAB_RESOURCE, "resource", "%s: %s", dtype_name(d), why);
}

/* The line is where the source says "entry(". */
static enum err
check_signature(const struct trial *t, const char *text, struct why *why)
{
	const struct candidate *c = t->rq->candidate;
	enum err e = signature_check(text, t->rq->op, c->entry, why);
	unsigned line = text_gate_line_of(c->source, c->entry);
	char where[32];

	if (e == ERR_OK || line == 0)
		return e;
	snprintf(where, sizeof where, "line %u", line);
	return why_prefix(why, e, "%s", where);
}

static bool
look_at(struct trial *t, enum dtype d)
{
	enum clang_end end;
	struct ir_needs needs = { 0 };
	enum err e = ERR_OK;
	char *text = NULL;
	bool is_ours = false;
	struct why why;

	end = clang_await(t->lowered[d], &text, &why);
	if (end == CLANG_DONE)
		e = ir_check(text, &needs, &why);
	if (needs.align > t->align)
		t->align = needs.align;
	if (needs.local_bytes > t->r->needs.local_bytes)
		t->r->needs.local_bytes = needs.local_bytes;
	if (end == CLANG_DONE && e == ERR_OK)
		e = check_signature(t, text, &why);
	if (end == CLANG_DONE && e == ERR_OK &&
	    (trial_wants(t, LAB_STAGE_SCHEDULE) ||
	        trial_wants(t, LAB_STAGE_COVERAGE))) {
		e = cover_new(t, d, text, &t->covers[d], &why);
		/* What is too large or no OpenCL C is the candidate's fault. */
		is_ours = e != ERR_OK && e != ERR_TOOBIG && e != ERR_DENIED;
	}
	free(text);
	tool_stop(t->lowered[d]);
	t->lowered[d] = NULL;
	if (end == CLANG_REFUSED && trial_lacks_room(t, why.text))
		trial_fail_room(t, d);
	else if (end == CLANG_REFUSED)
		trial_fail(t, LAB_COMPILE_ERROR, "compile_error",
		    "%s: does not compile: %s", dtype_name(d), why.text);
	else if (end == CLANG_BROKEN)
		trial_fail(t, LAB_ERROR, "lab_error", "clang could not be run");
	else if (is_ours)
		trial_fail(t, LAB_ERROR, "lab_error", "%s: %s", dtype_name(d),
		    why.text);
	else if (end == CLANG_LIMIT || e == ERR_TOOBIG)
		fail_limit(t, d, why.text);
	else if (e != ERR_OK)
		trial_fail(t, LAB_REFUSED, "refused", "%s", why.text);
	return t->r->class[0] == '\0';
}

bool
stage_ir(struct trial *t)
{
	if (!t->lab->clang)
		return trial_skip(t, "clang is not installed");
	for (int d = 0; d < DTYPE_NDTYPES; d++)
		if (t->lowered[d] && !look_at(t, (enum dtype)d))
			return false;
	return true;
}
