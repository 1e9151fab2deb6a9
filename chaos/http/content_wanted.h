/*
 * Whether a fault may look at what an answer says.  Then it must come as it is
 * read: what the request offered of codings and extensions does not go
 * upstream.  No other request is changed for the sake of a rule.
 */
#ifndef CHAOS_CONTENT_WANTED_H
#define CHAOS_CONTENT_WANTED_H

#include "chaos/http/exchange.h"

/* Said before the answer is there: the model that answers, the time and the
 * draws may still say no.  is_websocket: of a conversation's messages, else of
 * a body. */
bool content_is_wanted(struct exchange *x, bool is_websocket);

#endif
