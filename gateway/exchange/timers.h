/* All deadlines of a call, on one event; what is due goes up as on_due. */
#ifndef GATEWAY_TIMERS_H
#define GATEWAY_TIMERS_H

#include "gateway/exchange/call_state.h"

/* Once for the memory of a call, whatever number of calls it is used for;
 * timers_done before it is freed. */
void timers_init(struct call *c);
void timers_done(struct call *c);
void timers_arm(struct call *c);               /* after due changed */
uint64_t timers_idle_us(const struct call *c); /* a pause may take that */
bool timers_is_over(uint64_t deadline_us, uint64_t now_us);
/* Whether the window of the minimum rate that has ended brought too little; if
 * not, the next one has begun. */
bool timers_is_slow(struct call *c);

#endif
