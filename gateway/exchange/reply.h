/*
 * Answers of a call: the headers that say what was decided stand on all of
 * them, good or bad.  Each takes the client; the call goes on to its end.
 */
#ifndef GATEWAY_REPLY_H
#define GATEWAY_REPLY_H

#include "gateway/exchange/call_state.h"

void reply_whole(struct call *c);
/* Returns the status that the client has got. */
int reply_failure(struct call *c, enum cause cause);
void reply_error(struct call *c, const struct answer_stamp_error *e);
/* Starts the client's stream, which keeps the client. */
void reply_stream_head(struct call *c);

/* The text of x-kf-attempts into out; one under way stands as open. */
void reply_attempts(const struct call *c, char *out, size_t size);
/* One line that says how the last attempt failed. */
void reply_describe(const struct call *c, enum cause cause, char *out,
    size_t size);

#endif
