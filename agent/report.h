/*
 * Everything that is derived from a run directory: fingerprint, scorecard,
 * final answer, report page.  `run` ends with it and `report DIR` does it
 * again; both read the directory and nothing else.
 */
#ifndef AGENT_REPORT_H
#define AGENT_REPORT_H

#include "agent/ledger.h"
#include "agent/scorecard.h"
#include "agent/standing.h"
#include "base/digest.h"
#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>

#define REPORT_STATUS_MAX 256

enum report_mode {
	REPORT_ENDING, /* by the run itself: it makes the anchors */
	REPORT_CHECK,  /* by anybody later: everything is compared with them */
};

/* A hash-chained file of the directory and how it stands. */
struct report_chain {
	bool present, sound, closed;
	size_t lines;
	char status[REPORT_STATUS_MAX]; /* one line for people, cleaned */
};

struct report {
	enum report_mode mode;
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
	struct report_chain ledger_chain, naive_chain, chaos_chain;
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
enum err report_load(const char *dir, enum report_mode mode,
    struct report **ret, struct why *why);
void report_free(struct report *r); /* NULL-safe */

/*
 * scorecard.json, scorecard.md, summary.txt, report.html, and run.json
 * completed; but run.json stays as it is when there are problems, so that no
 * report makes a changed file good.
 */
enum err report_write(struct report *r, struct why *why);

/* Adds what of the derived files is not what would be written now. */
void report_check_files(struct report *r);

/* How a run ends: by its stated expectations (checks), by the ledger where
 * none was stated, 3 where the lab could not tell the truth of a claim. */
int report_exit(const struct report *r, json_t *checks);

/* Both scorecards and the final answer, to standard output. */
void report_print(const struct report *r);
/* The problems, a line each, to standard error. */
void report_say_problems(const struct report *r);

#endif
