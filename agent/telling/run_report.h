/*
 * Everything that is derived from a run directory: fingerprint, scorecard,
 * final answer, report page.  `run` ends with it and `report DIR` does it
 * again; both read the directory and nothing else.
 */
#ifndef AGENT_RUN_REPORT_H
#define AGENT_RUN_REPORT_H

#include "agent/ledger/ledger.h"
#include "agent/ledger/op_standing.h"
#include "agent/telling/scorecard.h"
#include "base/digest.h"
#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>

#define RUN_REPORT_STATUS_MAX 256

enum run_report_mode {
	RUN_REPORT_ENDING, /* by the run itself: it makes the anchors */
	RUN_REPORT_CHECK,  /* by anybody later: everything is compared with them
	                    */
};

/* A hash-chained file of the directory and how it stands. */
struct run_report_chain {
	bool present, sound, closed;
	size_t lines;
	char status[RUN_REPORT_STATUS_MAX]; /* one line for people, cleaned */
};

struct run_report {
	enum run_report_mode mode;
	char *dir;   /* owned, as all below */
	json_t *run; /* run.json */
	struct ledger *ledger;
	struct standings standings;
	struct scorecard scorecard;
	json_t *naive;   /* array of lines */
	json_t *chaos;   /* array of lines */
	json_t *records; /* object of "OP/TRY" to kernels/OP/TRY.json */
	json_t *trace;   /* array of spans, as far as they can be read */
	json_t *gateway; /* array of decisions, likewise: neither is chained */
	struct run_report_chain ledger_chain, naive_chain, chaos_chain;
	char fingerprint[DIGEST_HEX];
	char chaos_run_hash[DIGEST_HEX]; /* "" without a sound chaos.jsonl */
	char *answer;
	json_t
	    *problems; /* array of strings: what does not hold; not cleaned */
};

/*
 * ERR_NOTFOUND: no run.json; ERR_SYNTAX: run.json cannot be read.  A file that
 * was changed, a ledger that does not hold or was not closed are no errors:
 * they are problems, which every rendering then says first.
 */
enum err run_report_load(const char *dir, enum run_report_mode mode,
    struct run_report **ret, struct why *why);
void run_report_free(struct run_report *r); /* NULL-safe */

/*
 * scorecard.json, scorecard.md, summary.txt, report.html, and run.json
 * completed; but run.json stays as it is when there are problems, so that no
 * report makes a changed file good.
 */
enum err run_report_write(struct run_report *r, struct why *why);

/* Which of the derived files are there and not what would be written now;
 * none of a run by another version, or of one that does not hold. */
void run_report_check_files(const struct run_report *r, json_t *problems);
/* Adds those, and the ones that are gone, to the run's problems. */
void run_report_check_all_files(struct run_report *r);

/* The version that made the run when it is not this one, borrowed; NULL: it
 * is this one, or run.json does not say. */
const char *run_report_other_version(const struct run_report *r);

/* How a run ends: by its stated expectations (checks), by the ledger where
 * none was stated, 3 where the lab could not tell the truth of a claim. */
int run_report_exit(const struct run_report *r, json_t *checks);

/* Both scorecards and the final answer, to standard output. */
void run_report_print(const struct run_report *r);
/* The problems, a line each, to standard error. */
void run_report_say_problems(const struct run_report *r);

/* A run that is used only if all of it holds.  ERR_STATE: it does not; its
 * problems were said, and so nothing is `use` ("compared"). */
enum err run_report_load_sound(const char *dir, const char *use,
    struct run_report **ret, struct why *why);

#endif
