/*
 * What the agent reads of a scenario file: name, seed, agent, expect
 * (docs/wire.md).  The rest belongs to the chaos proxy, which checks it; an
 * unknown key is an error here as it is there.
 */
#ifndef AGENT_RUN_SCENARIO_H
#define AGENT_RUN_SCENARIO_H

#include "agent/run/forge_states.h"
#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_SCENARIO_OPS_MAX 64

/* How long and how much a run may ask; 0 everywhere: no limit of that kind,
 * or the model client's default. */
struct run_scenario_limits {
	int64_t answer_tokens; /* max_tokens of a question */
	int64_t first_token_ms, idle_ms, answer_ms;
	/* Of the whole run. */
	int64_t max_tokens, max_minutes, max_iterations, max_micro_usd;
	int64_t input_micro_usd, output_micro_usd; /* of a million tokens */
};

struct run_scenario_expect {
	bool present;
	json_t *verified;           /* array of names, or NULL */
	int64_t false_claims;       /* -1: not expected */
	int64_t naive_silent_wrong; /* -1: not expected */
};

struct run_scenario {
	json_t *root; /* owned; strings below are borrowed from it */
	const char *name;
	const char *seed; /* NULL: none */
	const char *ops[RUN_SCENARIO_OPS_MAX];
	size_t nops;
	const char *profile;
	const char *breaker; /* shared_breaker.h: a profile's name */
	const char *model;
	const char *answers; /* the mode of a proxy that plays the models:
	                      * "script", "replay", "standin"; NULL: none */
	const char
	    *escalation; /* asked for by name; NULL: the gateway chooses */
	struct run_scenario_limits limits;
	bool stream;
	bool naive;
	bool fewshot;        /* prompts have examples */
	int64_t deadline_ms; /* 0: the lab's default */
	struct run_scenario_expect expect;
	json_t *expected; /* borrowed: the section itself, or NULL */
};

/* Defaults, for a run without a file. */
void run_scenario_init(struct run_scenario *s);
/* ERR_NOTFOUND, ERR_SYNTAX, ERR_RANGE: where, what, and what was expected. */
enum err run_scenario_read(const char *path, struct run_scenario *ret,
    struct why *why);
/*
 * The scenario as it is run, as an object that run_scenario_of_plan reads back:
 * a resumed run does what the first one was asked to do.
 */
json_t *run_scenario_plan(const struct run_scenario *s, const char *seed);
/* Takes plan over.  ERR_SYNTAX, ERR_RANGE. */
enum err run_scenario_of_plan(json_t *plan, struct run_scenario *ret,
    struct why *why);
/* Adds an operator; ERR_RANGE when it is unknown, twice or one too many. */
enum err run_scenario_add_op(struct run_scenario *s, const char *op,
    struct why *why);
void run_scenario_done(struct run_scenario *s);

#endif
