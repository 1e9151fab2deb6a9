/*
 * One attempt at one upstream: the client's request, rewritten for a target,
 * goes out; what comes back goes up as events of the call.
 */
#ifndef GATEWAY_ATTEMPT_H
#define GATEWAY_ATTEMPT_H

#include "gateway/exchange/call_state.h"

/* Forgets the answer so far and asks t.  Otherwise than ERR_OK: it cannot be
 * asked so, and nothing is under way. */
enum err attempt_begin(struct call *c, const struct conf_target *t);
/* Lets go of the upstream, if one is being asked; no event follows. */
void attempt_stop(struct call *c);
/* How a whole answer is to be taken; *ret: what it says, if CAUSE_OK. */
enum cause attempt_judge(const struct call *c, struct chunk *ret);

#endif
