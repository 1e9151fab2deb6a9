/*
 * What a run may use: tokens, dollars, minutes, iterations.  A budget is
 * looked at before a try begins, before a question and before an attempt of it
 * is repeated, so none is cut off in its middle and what it costs at most is
 * one attempt more a worker; minutes also shorten the deadline of the
 * question.  One that is used up ends the run in order.
 *
 * A resumed run counts on.  What was used is in a file of its own (used.json)
 * before a question is sent, about once a second while its answer comes, and
 * when an attempt ends: of a run that was killed nothing is told but that file,
 * for a question without an answer has no record.
 */
#ifndef AGENT_BUDGET_H
#define AGENT_BUDGET_H

#include "agent/model/attempt_cost.h"
#include "agent/run/run.h"

/* ERR_CLOSED: one is used up; *why and the run's ending say which.  Else
 * *ret_left_ms is what the clock leaves of it; 0: all the time there is. */
enum err budget_check(struct run *run, uint32_t *ret_left_ms, struct why *why);

/* A question begins: what its attempts cost is counted from here.  ERR_IO: that
 * cannot be kept, so it may not be asked. */
enum err budget_open(struct run *run, json_t *messages, struct why *why);
/* An attempt goes on: what it cost if nothing more is heard of it. */
void budget_wait(struct run *run, const struct model_wait *w);
/* An attempt's cost, in dollars by the gateway's word or by the run's prices.
 * arg: the struct run, as for model_conf.on_cost. */
void budget_add(const struct attempt_cost *cost, void *arg);
/* May an attempt be followed by another?  arg as above. */
bool budget_allows(void *arg);
/* ERR_IO: used.json could not be written when it last was. */
enum err budget_check_kept(struct run *run, struct why *why);
/* What all attempts of the question cost, as an object for its record.  Owned.
 */
json_t *budget_spent(const struct run *run);

/* Counts an iteration that is about to begin; ERR_CLOSED: it may not. */
enum err budget_begin_iteration(struct run *run, struct why *why);

/* Takes over what the run's directory says: its records or used.json, whichever
 * is more.  Where that file is none or gone, the records alone, and the time of
 * the trace: one line says so, unless nothing was asked yet. */
void budget_recall(struct run *run);
/* Writes used.json, as when the run ends. */
void budget_keep(struct run *run);

/* Dollars so far, with so many tokens of an answer still coming; -1: nobody
 * told a price. */
double budget_usd(const struct run *run, unsigned tokens_coming);

#endif
