/*
 * What a run that is gone on with must be: judged where it was judged, and with
 * every line of its ledger that its records speak of.
 */
#ifndef AGENT_RESUME_CHECKS_H
#define AGENT_RESUME_CHECKS_H

#include "agent/run/run.h"

/*
 * ERR_STATE: a record or a kernel is not what the ledger recorded, or is there
 * without the line that comes before it: the ledger lost lines, and what it
 * would be made again from might be anybody's.
 */
enum err resume_check_records(const struct run *run, const char *out,
    struct why *why);

/* The device that the run of run.json was judged on so far; NULL: none yet. */
const char *resume_device(json_t *run);

/* Notes the device in run.json.  ERR_SYNTAX: it was judged on another. */
enum err resume_keep_device(json_t *run, const char *device, struct why *why);

/* Is the run one with --bench? */
bool resume_is_timed(json_t *run);

#endif
