/*
 * Bytes between a client that said CONNECT and the host it named, untouched.
 */
#ifndef CHAOS_TUNNEL_H
#define CHAOS_TUNNEL_H

#include "base/fetch.h"
#include "base/serve.h"

struct tunnel;
struct tunnels; /* those under way */

struct tunnels *tunnels_new(struct fetch_pool *pool); /* borrowed */
void tunnels_free(struct tunnels *t);                 /* drops all; NULL-safe */

/* Takes the call, whose data is the tunnel then; established is sent when the
 * host is reached (borrowed, for good). */
void tunnel_start(struct tunnels *all, struct serve_call *c,
    const struct addr *to, const char *established);
void tunnel_bytes(struct tunnel *t, const char *p, size_t n); /* n 0: FIN */
void tunnel_drain(struct tunnel *t);                          /* it reads */
void tunnel_gone(struct tunnel *t); /* the client; t is no more */

#endif
