/*
 * run.json: what was run, with what, and how it ended.
 *
 * It is written when a run begins (`exit` is null), and completed when it
 * ends.  `plan` holds all that a resumed run needs to go on as the first one
 * would have; `seal` is the hash of all the rest.
 */
#ifndef AGENT_RUN_FILE_H
#define AGENT_RUN_FILE_H

#include "agent/run/run.h"
#include "agent/text/model_name.h"
#include <jansson.h>

/* A new run's.  seed: the one in force. */
json_t *run_file_new(const struct run_options *o, const struct run_scenario *s,
    const char *seed);

/*
 * Reads the run that DIR holds for going on with it: *ret_json, and its plan
 * in *ret.  ERR_SYNTAX: an option contradicts the plan, or run.json is none.
 */
enum err run_file_resume(const struct run_options *o, json_t **ret_json,
    struct run_scenario *ret, struct why *why);

/* The defences that a run was begun without: bits 1 << enum run_defence. */
unsigned run_file_without(json_t *run);

/* The models that it asked for; borrowed from run. */
struct model_asked run_file_asked(json_t *run);

/* Seals and writes it. */
enum err run_file_write(const char *dir, json_t *run, struct why *why);

#endif
