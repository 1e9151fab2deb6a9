/*
 * What a run may use: tokens, dollars, minutes, iterations.  A budget is
 * looked at before a try begins and before a question, so none is cut off in
 * its middle and what it costs at most is one answer more a worker; minutes
 * also shorten the deadline of the question.  One that is used up ends the run
 * in order.
 *
 * A resumed run counts on from what the records say that its answers cost.
 */
#ifndef AGENT_BUDGET_H
#define AGENT_BUDGET_H

#include "agent/model/model.h"
#include "agent/run/run.h"

/* ERR_CLOSED: one is used up; *why and the run's ending say which.  Else
 * *ret_left_ms is what the clock leaves of it; 0: all the time there is. */
enum err budget_check(struct run *run, uint32_t *ret_left_ms, struct why *why);

/* What a question cost, by the gateway's word or by the run's prices; as an
 * object for its record.  Owned. */
json_t *budget_add(struct run *run, const struct model_cost *cost,
    long prompt_tokens, long completion_tokens);

/* Counts an iteration that is about to begin; ERR_CLOSED: it may not. */
enum err budget_begin_iteration(struct run *run, struct why *why);

/* Takes over what the records of the run's directory say. */
void budget_recall(struct run *run);

/* Dollars so far, with so many tokens of an answer still coming; -1: nobody
 * told a price. */
double budget_usd(const struct run *run, unsigned tokens_coming);

#endif
