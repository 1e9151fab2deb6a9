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

/* A hash-chained file of the directory and how it stands. */
struct report_chain {
	bool present, sound;
	size_t lines;
	char status[REPORT_STATUS_MAX]; /* one line for people, cleaned */
};

struct report {
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
};

/* ERR_NOTFOUND: no run.json; ERR_SYNTAX: run.json cannot be read.  A broken
 * ledger is no error: it is what the report then says. */
enum err report_load(const char *dir, struct report **ret, struct why *why);
void report_free(struct report *r); /* NULL-safe */

/* run.json (completed), scorecard.json, scorecard.md, summary.txt,
 * report.html. */
enum err report_write(struct report *r, struct why *why);

/* Both scorecards and the final answer, to standard output. */
void report_print(const struct report *r);

#endif
