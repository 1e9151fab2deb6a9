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

struct tunnel_conf {
	const char *proxy; /* its name; borrowed, for good */
	struct addr to;
	bool is_outward;         /* it may not lead to this machine */
	const char *established; /* sent when the host is reached; the same */
};

/* Takes the call, whose data is the tunnel then. */
void tunnel_start(struct tunnels *all, struct serve_call *c,
    const struct tunnel_conf *conf);
void tunnel_bytes(struct tunnel *t, const char *p, size_t n); /* n 0: FIN */
void tunnel_drain(struct tunnel *t);                          /* it reads */
void tunnel_gone(struct tunnel *t); /* the client; t is no more */

#endif
