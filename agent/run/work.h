/*
 * The work of the forge: what is done in each of its states for one
 * operator, with the ledger written as it happens.
 */
#ifndef AGENT_WORK_H
#define AGENT_WORK_H

#include "agent/run/run.h"

/*
 * Runs the forge of one operator from where the ledger stands to its end;
 * an operator that is finished there is left alone.
 * ERR_ENV: no model answers, or the lab cannot judge; ERR_CLOSED: the run was
 * asked to stop.  The iteration stays open in the ledger then, so that a
 * resumed run takes it up again.  ERR_IO, ERR_TOOBIG: something could not be
 * recorded.  ERR_STATE: what the ledger bound has been changed.
 */
enum err work_operator(struct run *run, const struct op *op, struct why *why);

#endif
