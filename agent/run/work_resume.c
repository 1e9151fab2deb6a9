/*
 * Taking a run up again: the ledger says where, the records say what was
 * asked and answered, so that nothing is asked twice.
 */
#include "agent/run/work_state.h"

#include "agent/run/lab_exam.h"
#include "agent/run/note_degradation.h"
#include "agent/run/record_hash.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Is there something in it to go on from: an answer, or why none came? */
static bool
is_whole(const struct work *w)
{
	json_t *r = w->record;

	return json_is_string(json_object_get(r, "route")) &&
	    json_equal(json_object_get(r, "asked"), w->messages) &&
	    (json_is_string(json_object_get(r, "answer")) ||
	        (json_is_string(json_object_get(r, "class")) &&
	            json_is_string(json_object_get(r, "failure"))));
}

bool
work_recall(struct work *w)
{
	char name[16];
	const struct ledger_entry *generated = ledger_find(w->run->ledger,
	    w->op->name, w->forge.iteration, LEDGER_GENERATED);

	w->record = rundir_read_record(rundir_path(w->run->dir), w->op->name,
	    work_try_name(w, name));
	if (generated && !record_is_bound(w->record, generated))
		w->e = why_set(w->why, ERR_STATE,
		    "kernels/%s/%s.json is not what the ledger recorded: it "
		    "was changed or removed",
		    w->op->name, name);
	/* An answer is there, and paid for: to ask again would write over it. */
	else if (!generated && json_object_get(w->record, "answer") &&
	    !is_whole(w))
		w->e = why_set(w->why, ERR_STATE,
		    "kernels/%s/%s.json answers another question than would be "
		    "asked: it was changed, or another version asked it "
		    "(without the file the question is asked, and paid, again)",
		    w->op->name, name);
	if (w->e != ERR_OK || (!generated && !is_whole(w))) {
		json_decref(w->record);
		w->record = NULL;
		return false;
	}
	/* What a judgement left that its ledger line never came to tell is made
	 * again, with the line. */
	if (!ledger_is_verified(work_state_now(w)))
		record_strip(w->record, RECORD_ANSWERED);
	(void)snprintf(w->route, sizeof w->route, "%s",
	    json_string_value(json_object_get(w->record, "route")));
	/* Its ledger line told it, unless there is none yet. */
	if (!generated)
		degrade_put_back(w->run,
		    json_object_get(w->record, "degraded"));
	return true;
}

bool
work_keeps_commit(struct work *w, const char *commit)
{
	const char *was =
	    ledger_commit(w->run->ledger, w->op->name, w->forge.iteration);

	if (was && strcmp(was, commit) == 0)
		return true;
	w->e = why_set(w->why, ERR_STATE,
	    "%s: iteration %u: the ledger committed to another seed than the "
	    "run has",
	    w->op->name, w->forge.iteration);
	return false;
}

void
work_audit(struct work *w, struct lab_report *ret)
{
	struct secret_seed seeds;
	enum err e;
	struct lab_exam_job job = {
		.op = w->op,
		.candidate = &w->candidate,
		.upto = LAB_NSTAGES - 1,
		.seeds = &seeds,
	};

	secret_seed_draw(w->run->seed, "audit", w->op->name, w->forge.iteration,
	    &seeds);
	w->run->role = "audit";
	e = lab_exam_run(w->run, &job, ret, w->why);
	w->run->role = "kernelforge";
	if (e == ERR_OK)
		json_object_set_new(w->record, "audit",
		    lab_report_json(w->op, ret));
	w->e = e;
}

/* A run that stopped between the claim and the line that tells of its audit
 * owes the audit, and the times behind it: one that no line tells of may be
 * anybody's. */
static void
audit_again(struct work *w)
{
	json_t *answer;

	if (!work_recall(w) ||
	    (json_object_get(w->record, "audit") &&
	        record_has_bound_audit(w->run->ledger, w->op->name,
	            w->forge.iteration)))
		return;
	record_strip(w->record, RECORD_JUDGED);
	answer = json_object_get(w->record, "answer");
	if (candidate_parse_answer(json_string_value(answer),
	        json_string_length(answer), &w->candidate, NULL) != ERR_OK)
		return;
	work_audit(w, &w->report);
	work_save_audit(w);
	if (w->e == ERR_OK && w->run->machine)
		work_time(w);
}

/* The conversation after iteration i failed, from its record. */
static json_t *
conversation_after(struct work *w, unsigned i)
{
	char name[16];
	json_t *record, *messages, *turns, *turn;
	size_t k;

	(void)snprintf(name, sizeof name, "%u", i);
	record = i
	    ? rundir_read_record(rundir_path(w->run->dir), w->op->name, name)
	    : NULL;
	messages = json_object_get(record, "asked");
	/* A record that is gone costs the conversation, not the run: it begins
	 * as the first attempt did. */
	if (!json_is_array(messages)) {
		json_decref(record);
		return prompt_open(w->op, w->run->scenario->fewshot);
	}
	messages = json_deep_copy(messages);
	turns = json_object_get(record, "feedback");
	json_array_foreach(turns, k, turn)
		json_array_append(messages, turn);
	json_decref(record);
	return messages;
}

bool
work_restore(struct work *w)
{
	const struct forge_profile *profile =
	    forge_profile_find(w->run->scenario->profile);
	unsigned last = ledger_iteration(w->run->ledger, w->op->name);
	enum ledger_state s = ledger_state(w->run->ledger, w->op->name);
	unsigned lost = (unsigned)json_integer_value(
	    json_object_get(w->run->forgiven, w->op->name));

	forge_init(&w->forge, profile, last ? last : 1, lost);
	if (ledger_is_verified(s)) {
		audit_again(w);
		return false;
	}
	if (ledger_has_failed(s))
		forge_init(&w->forge, profile, last + 1, lost);
	w->messages = conversation_after(w, w->forge.iteration - 1);
	return forge_has_room(&w->forge);
}
