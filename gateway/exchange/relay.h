/*
 * A stream on its way through.  After the commit point a failure is told
 * inside the stream, and the connection is dropped without the last chunk,
 * because a clean end would be taken for success.
 */
#ifndef GATEWAY_RELAY_H
#define GATEWAY_RELAY_H

#include "gateway/exchange/call_state.h"

/* Bytes of the upstream's stream; what they came to is in c->commit. */
void relay_feed(struct call *c, const char *p, size_t n);
/* Whether the client may have what is committed now. */
bool relay_may_send(const struct call *c);
/* Sends it; a client that reads too slowly pauses the upstream. */
void relay_send(struct call *c);
/* The last event, with the story of the attempts as a comment before it. */
void relay_send_done(struct call *c);
void relay_finish(struct call *c); /* a clean end, if somebody listens */
/* The failure as an event, with the same comment before it, and an end that is
 * not clean. */
void relay_break(struct call *c, enum cause cause, const char *message);

#endif
