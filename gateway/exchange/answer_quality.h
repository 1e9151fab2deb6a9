/*
 * Quality: an answer under a rule with validators is looked at whole, and
 * asked for again from the escalation target when it is not good enough and
 * the purse allows it.  Answers of chat only: the validators know its shape.
 */
#ifndef GATEWAY_ANSWER_QUALITY_H
#define GATEWAY_ANSWER_QUALITY_H

#include "gateway/exchange/call_state.h"

/* Whether the answer must be seen whole before the client sees any of it. */
bool quality_holds(const struct call *c);
/* Judges the whole answer.  True: the escalation target shall be asked, and
 * what that may cost at most, no less than `most` nanodollars, is set aside. */
bool quality_rejects(struct call *c, uint64_t most);
/* Whether as much may be spent as is set aside: once more by a request that has
 * spent so much, and by all that are under way. */
bool quality_affords(const struct call *c, uint64_t spent);
/* Nothing is set aside any more. */
void quality_leave(struct call *c);

#endif
