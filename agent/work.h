/*
 * The work of the forge: what is done in each of its states for one
 * operator, with the ledger written as it happens.
 */
#ifndef AGENT_WORK_H
#define AGENT_WORK_H

#include "agent/run.h"

/*
 * Runs the forge of one operator from where the ledger stands to its end;
 * an operator that is finished there is left alone.
 * ERR_ENV: the gateway cannot be reached; the iteration stays open in the
 * ledger, so that a resumed run takes it up again.  ERR_IO: the ledger could
 * not be written.
 */
enum err work_operator(struct run *run, const struct op *op, struct why *why);

#endif
