/*
 * Taking a run up again: the ledger says where, the records say what was
 * asked and answered, so that nothing is asked twice.
 */
#include "agent/work_state.h"

#include "agent/exam.h"
#include <stdio.h>

bool
work_recall(struct work *w)
{
	char name[16];
	const char *route;

	w->record = rundir_read_record(rundir_path(w->run->dir), w->op->name,
	    work_try_name(w, name));
	route = json_string_value(json_object_get(w->record, "route"));
	if (!route || !json_is_string(json_object_get(w->record, "answer"))) {
		json_decref(w->record);
		w->record = NULL;
		return false;
	}
	(void)snprintf(w->route, sizeof w->route, "%s", route);
	return true;
}

void
work_audit(struct work *w)
{
	struct secret seeds;
	struct lab_report r;
	struct exam_job job = {
		.op = w->op,
		.candidate = &w->candidate,
		.upto = LAB_NSTAGES - 1,
		.seeds = &seeds,
	};

	secret_draw(w->run->seed, "audit", w->op->name, w->forge.iteration,
	    &seeds);
	w->run->role = "audit";
	exam_run(w->run, &job, &r);
	w->run->role = "kernelforge";
	json_object_set_new(w->record, "audit", lab_report_json(w->op, &r));
}

/* A run that stopped between the claim and its audit owes the audit. */
static void
audit_again(struct work *w)
{
	json_t *answer;

	if (!work_recall(w) || json_object_get(w->record, "audit"))
		return;
	answer = json_object_get(w->record, "answer");
	if (candidate_parse_answer(json_string_value(answer),
	        json_string_length(answer), &w->candidate, NULL) != ERR_OK)
		return;
	work_audit(w);
	work_save_record(w);
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
	if (!json_is_array(messages)) {
		json_decref(record);
		return prompt_open(w->op);
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

	forge_init(&w->forge, profile, last ? last : 1);
	if (ledger_is_verified(s)) {
		audit_again(w);
		return false;
	}
	if (s != LEDGER_NONE && !ledger_has_failed(s) && !w->run->seed) {
		if (!work_append(w, LEDGER_ABANDONED,
		        json_pack("{s:s}", "class", "interrupted")))
			return false;
		s = LEDGER_ABANDONED;
	}
	if (ledger_has_failed(s))
		forge_init(&w->forge, profile, last + 1);
	w->messages = conversation_after(w, w->forge.iteration - 1);
	return w->forge.iteration <= profile->iterations_max;
}
