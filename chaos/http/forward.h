/*
 * Mode forward: a proxy that clients name in HTTPS_PROXY and HTTP_PROXY.
 *
 * Requests to the hosts that the scenario names meet its rules: those inside
 * CONNECT too, whose TLS ends here in a leaf of the local CA and begins anew
 * towards the real host.  Other hosts are tunnelled untouched, or refused.
 */
#ifndef CHAOS_FORWARD_H
#define CHAOS_FORWARD_H

#include "base/addr.h"
#include "base/fetch.h"
#include "base/serve.h"
#include "chaos/rules/scenario.h"

struct forward;

/* All borrowed. */
enum err forward_new(const struct proxy_conf *conf, struct fetch_pool *pool,
    struct forward **ret, struct why *why);
void forward_free(struct forward *f); /* drops its tunnels; NULL-safe */

enum forward_step {
	FORWARD_INTERCEPTED, /* the request is for the rules */
	FORWARD_UNTOUCHED,   /* it is for the upstream alone */
	FORWARD_TAKEN,       /* it has its answer, or is a tunnel */
};

enum forward_step forward_take(struct forward *f, struct serve_call *c);
/* Where a request that was not taken goes. */
enum err forward_where(struct serve_call *c, struct url *ret, struct why *why);

/* May it go to no address of this machine? */
bool forward_is_outward(const struct proxy_conf *conf, const char *host);
/* Says that it would have gone there, and was not let. */
void forward_tell_inward(const char *proxy, const char *host);
#define FORWARD_INWARD_TEXT "a remote proxy does not lead to its own machine"

/* ---- tunnels: for calls of CONNECT that were taken */
void forward_bytes(struct serve_call *c, const char *p, size_t n);
void forward_drain(struct serve_call *c);
void forward_gone(struct serve_call *c);

#endif
