/*
 * What the files of a call share: they decide, gateway/exchange does.
 *
 *	call.c          it begins, its client leaves, it ends
 *	call_request.c  what the client asks and wishes
 *	call_route.c    which targets, in which order; limits
 *	call_events.c   what comes back from an upstream, and what is due
 *	call_spend.c    what it may cost is written down, then what it did
 *	call_again.c    who is asked next: retry, fallback, going on
 *	call_escalate.c a better answer, and the first one where none comes
 */
#ifndef GATEWAY_CALL_PRIV_H
#define GATEWAY_CALL_PRIV_H

#include "gateway/exchange/call_state.h"
#include "gateway/traffic/call.h"

/* call.c */
/* The one end: logs, releases everything, c is gone. */
void call_close(struct call *c, int status, enum cause cause);
/* The request cannot be served: the answer, and the end.  Returns false. */
bool call_refuse(struct call *c, int status, const char *code,
    const char *message);
uint32_t call_random(void);

/* call_request.c, call_route.c; false: it was refused, and c is gone */
bool call_read(struct call *c);
void call_read_wishes(struct call *c);
bool call_choose_targets(struct call *c);
bool call_enter_limits(struct call *c);
void call_leave_limits(struct call *c);
/* What an attempt at that target may use, before anybody knows. */
struct limit_use call_guess(const struct call *c, const struct conf_target *t);
struct limit_use call_used(const struct call *c);
/* The answer to a request that some limit keeps out: for so long, and whether
 * it helps to wait.  Returns false. */
bool call_refuse_limit(struct call *c, bool is_budget, uint64_t wait_s,
    bool is_hopeless, const char *what);

/* call_spend.c */
/* Its key may ask for that model; false: it was refused. */
bool call_may_ask(struct call *c);
/* Writes down what the next attempt may cost, then call_go; at once where
 * there is no store.  May end the call. */
void call_reserve(struct call *c);
/* Puts what it did cost into the place of that, behind record_call. */
void call_settle(struct call *c, int status, enum cause cause);

/* call_events.c */
extern const struct call_events call_events;
/* The client has all of it. */
void call_finish(struct call *c);
/* Gives an answer that is all there and noted, and ends the call. */
void call_give(struct call *c);
/* The stream that has begun ends with a failure. */
void call_break(struct call *c, enum cause cause);

/* call_again.c; each may end the call */
void call_ask(struct call *c); /* the target at order.targets[at] */
void call_go(struct call *c);  /* the same, once it is written down */
/* Who call_go would ask now, so that what it may cost there is reserved; where
 * all are held off, the first of them. */
const struct conf_target *call_next(const struct call *c);
/* The attempt under way failed: retries, moves on or ends the call. */
void call_fail(struct call *c, enum cause cause);
/* Notes how the attempt ended, for the log and the target's health. */
void call_note(struct call *c, enum cause cause);
/* Ends the call when nobody is left to ask: an answer, or an end of the stream
 * that has begun. */
void call_give_up(struct call *c, enum cause cause);

/* call_escalate.c */
/* Judges the whole answer, whose cause is OK or EMPTY.  True: it is asked for
 * again elsewhere; it may have ended the call. */
bool call_escalates(struct call *c, enum cause cause);
/* Nobody gives a better answer.  True: the client has the first one, and c is
 * gone. */
bool call_gives_kept(struct call *c);
void call_drop_kept(struct call *c);

#endif
