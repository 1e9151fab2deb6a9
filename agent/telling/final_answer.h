/*
 * The final answer: a pure function of the ledger, and of what the run was
 * asked for: how many operators, of which models.
 *
 * One sentence an operator, its foreign facts below it in fields of their own,
 * and one sentence for all.  Only an operator whose last state in the ledger
 * is verified_correct (or perf_measured after it) is called that; every field
 * has passed the claim filter, and all of them are judged once more together:
 * if they make a claim between them, none is shown.
 */
#ifndef AGENT_FINAL_ANSWER_H
#define AGENT_FINAL_ANSWER_H

#include "agent/ledger/ledger.h"
#include "agent/text/model_name.h"

/* asked: 0: not known, as of a ledger without its run; the answer says so.
 * models: those that the run asked for, or NULL.  Owned, ends with a newline.
 */
char *final_answer_render(const struct ledger *l, size_t asked,
    const struct model_asked *models);
/* Why its run ended before its time, in our words; NULL: it did not. */
const char *final_answer_ending(const struct ledger *l);

#endif
