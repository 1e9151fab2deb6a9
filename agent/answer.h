/*
 * The final answer: a pure function of the ledger.
 *
 * One line an operator and one line for all.  Only an operator whose last
 * state in the ledger is verified_correct (or perf_measured after it) is
 * called that; every foreign text has passed the claim filter, and the
 * finished answer is read once more as a reader would: if what stands in the
 * lines of unverified operators makes a claim together, all foreign text is
 * left out.
 */
#ifndef AGENT_ANSWER_H
#define AGENT_ANSWER_H

#include "agent/ledger.h"

/* Owned, ends with a newline. */
char *answer_render(const struct ledger *l);

#endif
