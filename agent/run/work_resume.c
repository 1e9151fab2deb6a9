/*
 * Taking a run up again: the ledger says where, the records say what was
 * asked and answered, so that nothing is asked twice.
 */
#include "agent/run/work_state.h"

#include "agent/run/degrade.h"
#include "agent/run/lab_exam.h"
#include "agent/run/work.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLAIMED      "verified_correct"
#define KERNEL_BYTES ((size_t)1024 * 1024)

static void
hash_json(json_t *value, char out[DIGEST_HEX])
{
	char *text =
	    json_dumps(value, JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY);

	digest_sha256_hex(text ? text : "", text ? strlen(text) : 0, out);
	free(text);
}

json_t *
work_binding(json_t *record)
{
	json_t *answer = json_object_get(record, "answer");
	char of_answer[DIGEST_HEX], of_asked[DIGEST_HEX];

	digest_sha256_hex(json_string_value(answer), json_string_length(answer),
	    of_answer);
	hash_json(json_object_get(record, "asked"), of_asked);
	return json_pack("{s:s, s:s}", "answer_sha256", of_answer,
	    "prompt_sha256", of_asked);
}

/* Is it the answer and the question that the ledger bound? */
static bool
is_bound(json_t *record, const struct ledger_entry *generated)
{
	const char *route = json_string_value(json_object_get(record, "route"));
	json_t *binding, *want;
	const char *key;
	bool fits = route && strcmp(route, generated->route) == 0 &&
	    json_is_string(json_object_get(record, "answer"));

	if (!fits)
		return false;
	binding = work_binding(record);
	json_object_foreach(binding, key, want)
		fits = fits &&
		    json_equal(want, json_object_get(generated->line, key));
	json_decref(binding);
	return fits;
}

/* Asterisks stand where the file was masked, and not yet in the answer, whose
 * escapes had hidden it. */
static bool
is_same_kernel(const char *file, const char *answered)
{
	size_t i = 0;

	for (; file[i] && answered[i]; i++)
		if (file[i] != answered[i] && file[i] != '*')
			return false;
	return file[i] == answered[i];
}

static bool
is_kernel_forged(const char *path, json_t *record, bool may_lack)
{
	json_t *answer = json_object_get(record, "answer");
	struct candidate c = { 0 };
	char *want = NULL, *text = NULL;
	size_t len;
	bool is_forged;

	if (candidate_parse_answer(json_string_value(answer),
	        json_string_length(answer), &c, NULL) == ERR_OK)
		want = candidate_to_file(&c);
	candidate_done(&c);
	if (files_read_kept(path, KERNEL_BYTES, &text, &len, NULL) != ERR_OK)
		is_forged = want && (!may_lack || files_exists(path));
	else
		is_forged =
		    !want || strlen(text) != len || !is_same_kernel(text, want);
	free(text);
	free(want);
	return is_forged;
}

/* A record without a verdict has nothing to contradict. */
static bool
is_verdict_forged(const struct ledger *l, const struct ledger_entry *generated,
    json_t *record)
{
	const char *verdict = json_string_value(
	    json_object_get(json_object_get(record, "judged"), "verdict"));
	bool is_claimed = ledger_find(l, generated->op, generated->iteration,
	                      LEDGER_VERIFIED_CORRECT) != NULL;
	bool is_refused = ledger_find(l, generated->op, generated->iteration,
	                      LEDGER_VERIFIED_INCORRECT) ||
	    ledger_find(l, generated->op, generated->iteration,
	        LEDGER_ABANDONED);

	return verdict &&
	    ((is_claimed && strcmp(verdict, CLAIMED) != 0) ||
	        (is_refused && strcmp(verdict, CLAIMED) == 0));
}

char *
work_forged(const char *dir, const struct ledger *l,
    const struct ledger_entry *generated, json_t *record)
{
	const char *op = generated->op;
	bool is_open = ledger_iteration(l, op) == generated->iteration &&
	    ledger_state(l, op) == LEDGER_GENERATED;
	char *name = xasprintf("kernels/%s/%u.cl", op, generated->iteration);
	char *path = files_join(dir, name);
	bool is_forged;

	if (!is_bound(record, generated) ||
	    is_verdict_forged(l, generated, record)) {
		free(path);
		free(name);
		return xasprintf("kernels/%s/%u.json", op,
		    generated->iteration);
	}
	is_forged = is_kernel_forged(path, record, is_open);
	free(path);
	if (is_forged)
		return name;
	free(name);
	return NULL;
}

/* Before a run goes on: what it seals in the end must be what it was. */
static bool
are_kept(struct work *w, unsigned last)
{
	for (unsigned i = 1; i <= last && w->e == ERR_OK; i++) {
		const struct ledger_entry *generated =
		    ledger_find(w->run->ledger, w->op->name, i,
		        LEDGER_GENERATED);
		char number[16], *forged;
		json_t *record;

		if (!generated)
			continue;
		(void)snprintf(number, sizeof number, "%u", i);
		record = rundir_read_record(rundir_path(w->run->dir),
		    w->op->name, number);
		forged = work_forged(rundir_path(w->run->dir), w->run->ledger,
		    generated, record);
		if (forged)
			w->e = why_set(w->why, ERR_STATE,
			    "%s is not what the ledger recorded: it was "
			    "changed or removed",
			    forged);
		free(forged);
		json_decref(record);
	}
	return w->e == ERR_OK;
}

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
	if (generated && !is_bound(w->record, generated))
		w->e = why_set(w->why, ERR_STATE,
		    "kernels/%s/%s.json is not what the ledger recorded: it "
		    "was changed or removed",
		    w->op->name, name);
	if (w->e != ERR_OK || (!generated && !is_whole(w))) {
		json_decref(w->record);
		w->record = NULL;
		return false;
	}
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
work_audit(struct work *w)
{
	struct secret_seed seeds;
	struct lab_report r;
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
	e = lab_exam_run(w->run, &job, &r, w->why);
	w->run->role = "kernelforge";
	if (e == ERR_OK)
		json_object_set_new(w->record, "audit",
		    lab_report_json(w->op, &r));
	w->e = e;
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

	forge_init(&w->forge, profile, last ? last : 1);
	if (!are_kept(w, last))
		return false;
	if (ledger_is_verified(s)) {
		audit_again(w);
		return false;
	}
	if (ledger_has_failed(s))
		forge_init(&w->forge, profile, last + 1);
	w->messages = conversation_after(w, w->forge.iteration - 1);
	return w->forge.iteration <= profile->iterations_max;
}
