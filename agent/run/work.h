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

/*
 * What of an iteration is not what the ledger recorded: "kernels/OP/N.json" or
 * "kernels/OP/N.cl", owned; NULL: nothing.  The record must be the bound one
 * and its verdict the ledger's; the kernel's file must be the answer's kernel,
 * and may be missing only while the iteration has come no further.
 */
char *work_forged(const char *dir, const struct ledger *l,
    const struct ledger_entry *generated, json_t *record);

#endif
