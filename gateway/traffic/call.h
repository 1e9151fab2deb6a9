/*
 * One request of a routed schema: it comes from a client, attempts at
 * upstreams, one answer.  See exchange/call_state.h for its states.
 */
#ifndef GATEWAY_CALL_H
#define GATEWAY_CALL_H

#include "base/serve.h"

struct call;
struct conf_key;
struct gateway;
struct schema;

/* Takes a whole request of that caller; answers it now or later. */
void call_start(struct gateway *g, struct serve_call *sc,
    const struct conf_key *caller, const struct schema *schema);

/* Ends every call in flight, and tells its client: the drain's time is over. */
void call_drop_all(struct gateway *g);

#endif
