/*
 * Tries that got no answer, by no fault of the model's: the provider was down,
 * refused, or broke off until nothing was left to try.  They cost an operator
 * what every try costs, and a run goes on behind them.  But where an operator
 * ends with one it was never judged: the run ends as one whose models cannot be
 * asked (exit 3), and when it is gone on with the operator is asked again, as
 * often as it was not answered.
 *
 * Both follow from the ledger alone, so a run that was killed decides as one
 * that was not.
 */
#ifndef AGENT_LOST_TRIES_H
#define AGENT_LOST_TRIES_H

#include "agent/run/run.h"

/* What the ledger's last line calls it. */
#define LOST_TRIES_ENDED "unanswered"

/* Does an operator end with a try that got no answer?  ERR_ENV then, the tally
 * says why the run ended, and *why names the first. */
enum err lost_tries_look(const struct run *run, struct why *why);

/* Of each operator how many of its tries do not count, as a run that ended for
 * want of answers was gone on with behind them.  Owned by the caller. */
json_t *lost_tries_forgiven(const struct ledger *l);

#endif
