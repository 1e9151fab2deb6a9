/*
 * Noting degradations.  What is told of an answer is told by comparing: with
 * the conversation, with what the same route said before, with the list of
 * operators; nothing that an answer says of itself is believed or shown.
 */
#include "agent/run/note_degradation.h"

#include "agent/run/run_progress.h"
#include "agent/run/shared_breaker.h"
#include "base/clock.h"
#include "cltext/candidate.h"
#include <string.h>

void
degrade_trace(struct run *run, const char *status, json_t *attributes)
{
	uint64_t now = clock_mono_us();

	rundir_trace(run->dir, 0,
	    &(struct rundir_span){
	        .name = "degradation",
	        .parent = run->span,
	        .start_us = now,
	        .end_us = now,
	        .status = status,
	        .attributes = attributes,
	    });
}

void
degrade_note(struct run *run, enum degradation d, const char *detail)
{
	const char *name = degradation_name(d);

	if (d == DEGRADATION_NONE)
		return;
	degrade_trace(run, name,
	    json_pack("{s:s, s:s, s:i, s:s}", "role", run->role, "op", run->op,
	        "iteration", (int)run->iteration, "detail", detail));
	if (!run->degraded)
		run->degraded = json_object();
	json_object_set_new(run->degraded, name,
	    json_integer(
	        json_integer_value(json_object_get(run->degraded, name)) + 1));
}

json_t *
degrade_take(struct run *run)
{
	json_t *counts = run->degraded;

	run->degraded = NULL;
	return counts;
}

void
degrade_put_back(struct run *run, json_t *counts)
{
	json_decref(run->degraded);
	run->degraded = json_is_object(counts) ? json_deep_copy(counts) : NULL;
}

void
degrade_on_attempt(const struct model_attempt *a, void *arg)
{
	struct run *r = arg;

	rundir_trace(r->dir, 0,
	    &(struct rundir_span){
	        .name = "model.attempt",
	        .parent = r->span,
	        .start_us = a->start_us,
	        .end_us = a->end_us,
	        .status = a->outcome,
	        .attributes = json_pack("{s:s, s:s, s:i, s:i, s:i, s:s}",
	            "role", r->role, "op", r->op, "iteration",
	            (int)r->iteration, "attempt", (int)a->number, "http",
	            a->status, "decision", a->decision),
	    });
	degrade_note(r, degradation_of_failure(a->outcome), a->decision);
	if (!a->retries)
		return;
	rundir_trace(r->dir, 0,
	    &(struct rundir_span){
	        .name = "retry",
	        .parent = r->span,
	        .start_us = a->end_us,
	        .end_us = a->end_us + (uint64_t)a->delay_ms * 1000,
	        .status = a->decision,
	        .attributes = json_pack("{s:s, s:i}", "op", r->op, "delay_ms",
	            (int)a->delay_ms),
	    });
	say_step(r, "%s (%s): asking again in %u ms", a->outcome, a->decision,
	    a->delay_ms);
}

/* ---- answers */

static bool
was_said(json_t *messages, const char *content)
{
	size_t i;
	json_t *m;

	json_array_foreach(messages, i, m) {
		const char *role =
		    json_string_value(json_object_get(m, "role"));
		const char *text =
		    json_string_value(json_object_get(m, "content"));

		if (role && text && strcmp(role, "assistant") == 0 &&
		    strcmp(text, content) == 0)
			return true;
	}
	return false;
}

/* Does its kernel bear the name of another operator? */
static bool
is_for_another(const struct op *op, const char *content)
{
	struct candidate c = { 0 };
	const struct op *named;
	bool is = false;

	if (candidate_parse_answer(content, strlen(content), &c, NULL) ==
	    ERR_OK) {
		named = op_find(c.entry);
		is = named && named != op;
	}
	candidate_done(&c);
	return is;
}

void
degrade_look(struct run *run, const struct op *op, json_t *messages,
    const struct model_answer *a)
{
	degrade_note(run, degradation_of_route(a->route), "by its route");
	if (was_said(messages, a->content))
		degrade_note(run, DEGRADATION_STALE,
		    "an answer that was given before");
	if (dependency_says_another(run->tally, a->route, a->said_model))
		degrade_note(run, DEGRADATION_SWAPPED,
		    "the route named another model before");
	if (is_for_another(op, a->content))
		degrade_note(run, DEGRADATION_SWAPPED,
		    "a kernel for another operator");
}
