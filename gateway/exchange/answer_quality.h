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
/* Judges the whole answer.  True: the escalation target shall be asked. */
bool quality_rejects(struct call *c);

#endif
