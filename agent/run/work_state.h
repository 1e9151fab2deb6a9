/*
 * One operator's way through the forge, shared by the files of work: work.c
 * does what a state asks, work_record.c writes ledger and record,
 * work_resume.c finds out where a run stands.
 */
#ifndef AGENT_WORK_STATE_H
#define AGENT_WORK_STATE_H

#include "agent/ledger/ledger.h"
#include "agent/ledger/opinion.h"
#include "agent/model/prompt.h"
#include "agent/run/forge_states.h"
#include "agent/run/run.h"
#include "agent/run/secret_seed.h"
#include "lab/lab.h"
#include <stdbool.h>

struct work {
	struct run *run;
	const struct op *op;
	struct forge forge;
	struct secret_seed seeds;
	json_t *messages; /* owned: the conversation so far */
	json_t *record;   /* owned: kernels/OP/ITERATION.json */
	char route[MODEL_TEXT_MAX];
	struct candidate candidate;
	struct lab_report report;
	struct opinion other; /* another lab's, of this iteration */
	enum err e;           /* what ends the work early */
	struct why *why;
};

/* ---- work_record.c */

/* The name of this iteration's files, in out. */
const char *work_try_name(const struct work *w, char out[16]);
/* Where the ledger has this iteration; LEDGER_NONE before its first line. */
enum ledger_state work_state_now(const struct work *w);
/* A line for the ledger; takes extra over.  False ends the work. */
bool work_append(struct work *w, enum ledger_state s, json_t *extra);
/* kernels/OP/ITERATION.json as it is now. */
void work_save_record(struct work *w);
/* The same behind a claim: the ledger's next line tells what it holds. */
void work_save_audit(struct work *w);
/* The record's hash, once judged, into a line that ends the iteration, and what
 * another lab said. */
void work_bind_record(const struct work *w, json_t *extra);
/*
 * Ends the iteration in state s and returns FORGE_FAIL.  The conversation
 * goes on only where there was an answer to speak about; a gateway's failure
 * is not the model's.  message: what the ledger says to people, who may know
 * more than fb tells the model.
 */
enum forge_event work_give_up(struct work *w, enum ledger_state s,
    const struct prompt_feedback *fb, const char *message);

/* ---- work_time.c */

/*
 * Times the claimed kernel and records perf_measured; a kernel that cannot be
 * timed keeps its claim, and the log says why.
 */
void work_time(struct work *w);

/* ---- work_resume.c */

/* Sets the machine to where the ledger stands; false when nothing is left to
 * do. */
bool work_restore(struct work *w);
/*
 * The record that a run before a crash left behind; false: there is none.
 * From `generated` on it must be the one that the ledger bound: another one,
 * or none, ends the work.
 */
bool work_recall(struct work *w);
/* Is this what the ledger committed to?  False ends the work. */
bool work_keeps_commit(struct work *w, const char *commit);
/* The claimed kernel once more, with other seeds: the scorecard's truth. */
void work_audit(struct work *w, struct lab_report *ret);

#endif
