/*
 * The HTTP face of a TCP proxy: an inner proxy on a port of the loopback that
 * the links are dialled to instead of the upstream, so that faults of HTTP,
 * event streams and models can act between the taps and the upstream.
 *
 *	client -- taps -- face -- upstream
 *
 * A TCP proxy gets one when the first such fault is added to it, or at its
 * start when its upstream is a URL.
 */
#ifndef CHAOS_HTTPFACE_H
#define CHAOS_HTTPFACE_H

#include "base/resolve.h"
#include "chaos/http/mode.h"

struct httpface;

struct httpface_env { /* all borrowed */
	struct loop *loop;
	struct engine *engine;
	const struct scenario *scenario;
	struct fetch_pool *pool;
	struct upstreams *upstreams;
	struct traffic *traffic;
};

/* Copies the texts; upstream as in upstream.h. */
enum err httpface_new(const struct httpface_env *env, const char *name,
    const char *upstream, struct httpface **ret, struct why *why);
void httpface_free(struct httpface *f); /* NULL-safe */
void httpface_where(const struct httpface *f, struct resolve_answer *ret);

#endif
