/*
 * A run: what its parts share, and what is asked of it.  The parts (naive.c,
 * work.c, lab_exam.c) borrow this struct; run_all.c owns it.
 */
#ifndef AGENT_RUN_H
#define AGENT_RUN_H

#include "agent/ledger/ledger.h"
#include "agent/ledger/rundir.h"
#include "agent/model/attempt_cost.h"
#include "agent/model/model.h"
#include "agent/run/run_scenario.h"
#include "agent/run/shared_breaker.h"
#include "base/err.h"
#include "lab/stages/request.h"
#include "lab/timing/timing.h"
#include <stdbool.h>
#include <stdint.h>

struct board;
struct other_lab;
struct other_lab_conf;

/* What may be left out, to see what it is good for.  The holdouts may not:
 * without them nothing is claimed. */
enum run_defence {
	RUN_RETRY,      /* the agent's own */
	RUN_ESCALATION, /* the stronger model after failures */
	RUN_BREAKER,    /* pause and end after failures in a row */
	RUN_NDEFENCES
};

extern const char *const run_defence_names[RUN_NDEFENCES];

/* Each worker has one of its own; what it points to is shared but for model
 * and lab. */
struct run {
	const struct run_scenario *scenario; /* borrowed, as all below */
	const char *seed;                    /* NULL: fresh seeds */
	struct rundir *dir;
	struct ledger *ledger;
	json_t *forgiven; /* of lost_tries.h */
	struct run_tally *tally;
	struct board *board;          /* NULL: progress in lines */
	struct model_conf model_conf; /* what model was made of */
	struct model *model;
	struct lab *lab; /* owned by the run: lab_exam.c may replace it */
	struct lab_conf lab_conf;    /* what it was opened with */
	struct other_lab *other_lab; /* asked beside it; NULL: none */
	const struct other_lab_conf *other_conf; /* what it was made of */
	const struct lab_machine *machine;       /* NULL: nothing is timed */
	struct attempt_cost
	    spent;            /* budget.h's, for the question that is asked */
	int64_t asked_tokens; /* of that question itself */
	struct tally_pending pending; /* what of the tally's is its attempt's */
	unsigned without;             /* bits 1 << enum run_defence */
	json_t *degraded; /* owned: note_degradation.h's, until a ledger line */
	uint64_t span;    /* the span that new ones belong to */
	uint64_t start_us;     /* when the run began, monotonic */
	size_t place;          /* which of its operators, from 1 */
	const char *role, *op; /* what is going on, for progress and trace */
	unsigned iteration;
};

struct run_options {               /* strings are borrowed */
	const char *scenario_file; /* NULL: the ops below */
	const char *const *ops;
	size_t nops;
	const char *out;
	const char *gateway;
	const char *key;
	const char *model; /* NULL: the scenario's, as all below */
	const char *escalation;
	struct run_scenario_limits limits; /* what is not 0 replaces */
	const char *seed;                  /* NULL: the scenario's */
	const char *profile;               /* NULL: the scenario's */
	const char *breaker;               /* NULL: the scenario's */
	const char *device;                /* NULL: any */
	const char *other_lab; /* URL of a lab that is asked too, or NULL */
	uint32_t other_lab_ms; /* how long it may say nothing */
	unsigned without;      /* bits 1 << enum run_defence */
	size_t shard, shards;  /* this one of so many; 0: all operators */
	size_t jobs;           /* operators at a time; 0: as the machine is */
	bool resume;
	bool no_naive;
	bool fewshot;
	bool verbose; /* logs are read: nothing is rewritten in place */
	bool bench;   /* time what was verified */
};

#endif
