/*
 * What the work leaves behind: ledger lines and the iteration's record.  The
 * record is on disk before the ledger speaks of what is in it.
 */
#include "agent/run/work_state.h"

#include "agent/run/lab_exam.h"
#include "agent/run/note_degradation.h"
#include "agent/run/record_hash.h"
#include "agent/text/utf8.h"
#include <stdio.h>
#include <stdlib.h>

const char *
work_try_name(const struct work *w, char out[16])
{
	(void)snprintf(out, 16, "%u", w->forge.iteration);
	return out;
}

enum ledger_state
work_state_now(const struct work *w)
{
	return ledger_iteration(w->run->ledger, w->op->name) ==
	        w->forge.iteration
	    ? ledger_state(w->run->ledger, w->op->name)
	    : LEDGER_NONE;
}

static json_t *
with_degraded(struct work *w, json_t *extra)
{
	if (!extra)
		extra = json_object();
	json_object_set_new(extra, "degraded", degrade_take(w->run));
	return extra;
}

bool
work_append(struct work *w, enum ledger_state s, json_t *extra)
{
	struct ledger_step step = {
		.op = w->op->name,
		.iteration = w->forge.iteration,
		.state = s,
		.route = w->route,
		.extra = extra,
	};

	if (w->run->degraded)
		extra = with_degraded(w, extra);
	/* What could not be recorded before is not spoken of. */
	if (w->e == ERR_OK)
		w->e = ledger_append(w->run->ledger, &step, w->why);
	json_decref(extra);
	return w->e == ERR_OK;
}

void
work_save_record(struct work *w)
{
	char name[16];

	if (w->e == ERR_OK)
		w->e = rundir_write_record(w->run->dir, w->op->name,
		    work_try_name(w, name), w->record, w->why);
}

void
work_save_audit(struct work *w)
{
	char hash[DIGEST_HEX];

	work_save_record(w);
	if (w->e != ERR_OK)
		return;
	record_hash(w->record, RECORD_AUDITED, hash);
	ledger_bind(w->run->ledger, w->op->name, w->forge.iteration, hash);
}

void
work_bind_record(const struct work *w, json_t *extra)
{
	char hash[DIGEST_HEX];

	record_hash(w->record, RECORD_JUDGED, hash);
	json_object_set_new(extra, "record_sha256", json_string(hash));
	if (w->other.word != OPINION_NONE)
		json_object_set_new(extra, OPINION_KEY,
		    opinion_json(&w->other));
}

static void
add_feedback(struct work *w, const struct prompt_feedback *fb)
{
	const char *answer =
	    json_string_value(json_object_get(w->record, "answer"));
	size_t before = json_array_size(w->messages);
	json_t *turns = json_array();

	/* What was asked must not grow with the turns that follow. */
	json_object_set_new(w->record, "asked", json_deep_copy(w->messages));
	if (answer)
		prompt_add_feedback(w->messages, answer, fb);
	for (size_t i = before; i < json_array_size(w->messages); i++)
		json_array_append(turns, json_array_get(w->messages, i));
	json_object_set_new(w->record, "feedback", turns);
}

enum forge_event
work_give_up(struct work *w, enum ledger_state s,
    const struct prompt_feedback *fb, const char *message)
{
	char *reveal = lab_exam_reveal(&w->seeds);
	json_t *extra = json_pack("{s:o, s:o, s:o, s:s}", "class",
	    utf8_json(fb->class), "message", utf8_json(message), "suspect",
	    utf8_json(fb->suspect), "seed_reveal", reveal);

	free(reveal);
	if (fb->case_name)
		json_object_set_new(extra, "failing_cases",
		    lab_exam_failing(&w->report));
	add_feedback(w, fb);
	work_save_record(w);
	work_bind_record(w, extra);
	work_append(w, s, extra);
	return FORGE_FAIL;
}
