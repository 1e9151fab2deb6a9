/*
 * S0, the text gate: what is refused before anything is compiled, in the
 * text as it was written and in the text as the preprocessor leaves it, once
 * for every storage type.  The latter is what all compilers get from here on:
 * no macro is left that could tell them apart.
 *
 * A text that cannot see its storage type has no KF_DTYPE, and no KF_T but in
 * "KF_T *NAME": it is expanded once, with KF_T as a plain name that the
 * prelude of each type then says.
 *
 * Without clang the text is looked at as if nothing were left to expand.
 *
 * Expressions are tried on the smoke shape, which is public: one that fails
 * there can never be launched.
 */
#include "base/mem.h"
#include "lab/read/text_gate.h"
#include "lab/read/text_macros.h"
#include "lab/stages/clang_front_end.h"
#include "lab/stages/trial.h"
#include <stdlib.h>
#include <string.h>

/* Work items of a group that devices are sure to have room for. */
#define GROUP_MAX 1024

/* The candidate behind its prelude, not expanded. */
static char *
written_text(const struct trial *t, enum dtype d)
{
	return xasprintf("%s%s%s", prelude_head(), prelude_text(d),
	    t->rq->candidate->source);
}

static bool
fail_expansion(struct trial *t, enum dtype d, enum clang_end end,
    const struct why *why)
{
	if (end == CLANG_REFUSED && trial_lacks_room(t, why->text))
		trial_fail_room(t, d);
	else if (end == CLANG_REFUSED)
		trial_fail(t, LAB_COMPILE_ERROR, "compile_error",
		    "%s: does not compile: %s", dtype_name(d), why->text);
	else if (end == CLANG_LIMIT)
		trial_fail(t, LAB_RESOURCE, "resource",
		    "%s: the preprocessor: %s", dtype_name(d), why->text);
	else
		trial_fail(t, LAB_ERROR, "lab_error", "clang could not be run");
	return false;
}

/* Takes the expanded text over, if it may be compiled. */
static bool
take_expanded(struct trial *t, enum dtype d, char *text)
{
	struct why why;

	t->texts[d] = text;
	if (strlen(text) > ORDER_EXPANDED_MAX) {
		trial_fail(t, LAB_RESOURCE, "resource",
		    "%s: %zu bytes once expanded: expected at most %zu",
		    dtype_name(d), strlen(text), ORDER_EXPANDED_MAX);
		return false;
	}
	if (text_gate_check_expanded(text, &why) != ERR_OK) {
		trial_fail(t, LAB_REFUSED, "refused", "%s", why.text);
		return false;
	}
	text_gate_extensions(text, t->r->needs.extensions,
	    sizeof t->r->needs.extensions);
	text_macros_extensions(t->rq->candidate->source, clang_extensions(),
	    t->r->needs.extensions, sizeof t->r->needs.extensions);
	return true;
}

/* d: the storage type that a message names. */
static bool
await_text(struct trial *t, enum dtype d, struct tool *tool, char **ret)
{
	struct why why;
	enum clang_end end = clang_await(tool, ret, &why);

	return end == CLANG_DONE || fail_expansion(t, d, end, &why);
}

static bool
await_expansion(struct trial *t, enum dtype d, struct tool *tool)
{
	char *text = NULL;

	return await_text(t, d, tool, &text) && take_expanded(t, d, text);
}

static bool
start_expansion(struct trial *t, const char *text, struct tool **ret)
{
	struct why why;

	if (clang_expand(t->lab, text, ret, &why) == ERR_OK)
		return true;
	trial_fail(t, LAB_ERROR, "lab_error", "%s", why.text);
	return false;
}

/* All storage types side by side. */
static bool
expand_each(struct trial *t)
{
	struct tool *tools[DTYPE_NDTYPES] = { NULL };
	bool ok = true;

	for (int d = 0; d < DTYPE_NDTYPES && ok; d++)
		if (trial_needs(t, (enum dtype)d)) {
			char *text = written_text(t, (enum dtype)d);

			ok = start_expansion(t, text, &tools[d]);
			free(text);
		}
	for (int d = 0; d < DTYPE_NDTYPES && ok; d++)
		if (tools[d])
			ok = await_expansion(t, (enum dtype)d, tools[d]);
	/* After a failure the others are still at work. */
	for (int d = 0; d < DTYPE_NDTYPES; d++)
		tool_stop(tools[d]);
	return ok;
}

/* The candidate alone; then every storage type's prelude before it. */
static bool
expand_once(struct trial *t)
{
	char *written = xasprintf("%s" PRELUDE_END "%s", prelude_head(),
	    t->rq->candidate->source);
	struct tool *tool = NULL;
	char *text = NULL;
	bool ok;

	ok = start_expansion(t, written, &tool) &&
	    await_text(t, t->rq->op->smoke->dtype, tool, &text);
	for (int d = 0; d < DTYPE_NDTYPES && ok; d++)
		if (trial_needs(t, (enum dtype)d))
			ok = take_expanded(t, (enum dtype)d,
			    xasprintf("#line 1 \"" PRELUDE_START "\"\n%s%s",
			        prelude_text((enum dtype)d), text));
	tool_stop(tool);
	free(text);
	free(written);
	return ok;
}

/* At most GROUP_MAX + 1: beyond that nobody asks how many. */
static uint64_t
group_items(const struct order_geometry *g)
{
	uint64_t items = 1;

	for (uint64_t d = 0; d < g->ndims && items <= GROUP_MAX; d++) {
		/* Before the product, which could pass 64 bits. */
		if (g->local[d] > GROUP_MAX)
			return GROUP_MAX + 1;
		items *= g->local[d];
	}
	return items <= GROUP_MAX ? items : GROUP_MAX + 1;
}

/* The largest work group that the cases ask for. */
static uint64_t
largest_group(const struct trial *t)
{
	uint64_t most = 0;

	for (size_t i = 0; i < t->ncases; i++) {
		uint64_t items = t->cases[i].geometry_err == ERR_OK
		    ? group_items(&t->cases[i].geometry)
		    : 0;

		most = items > most ? items : most;
	}
	return most;
}

static bool
check_written(struct trial *t)
{
	const struct trial_case *smoke = &t->cases[0];
	struct why why;

	t->r->needs.local_size = (uint32_t)largest_group(t);

	if (text_gate_check(t->rq->candidate, &why) != ERR_OK)
		trial_fail(t, LAB_REFUSED, "refused", "%s", why.text);
	else if (smoke->geometry_err != ERR_OK)
		trial_fail(t, LAB_REFUSED, "refused", "%s",
		    smoke->geometry_why.text);
	else if (t->r->needs.local_size > GROUP_MAX)
		trial_fail(t, LAB_REFUSED, "refused",
		    "not portable: more than %d work items in a group: "
		    "expected fewer",
		    GROUP_MAX);
	else
		return true;
	return false;
}

bool
stage_text(struct trial *t)
{
	if (!check_written(t))
		return false;
	if (t->lab->clang)
		return t->depends & TEXT_DEPENDS_STORAGE ? expand_each(t)
		                                         : expand_once(t);
	/* Without clang nothing is expanded, and the text is judged as it
	 * was written. */
	for (int d = 0; d < DTYPE_NDTYPES; d++)
		if (!take_expanded(t, (enum dtype)d,
		        written_text(t, (enum dtype)d)))
			return false;
	return true;
}
