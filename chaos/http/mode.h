/*
 * The modes of a proxy: where its answers come from.  A mode is a file
 * mode_NAME.c and a row in proxy.c.
 */
#ifndef CHAOS_MODE_H
#define CHAOS_MODE_H

#include "base/fetch.h"
#include "chaos/http/exchange.h"
#include "chaos/http/upstream.h"

struct mode;

struct mode_env { /* borrowed, lives as long as the mode */
	const struct scenario *scenario;
	const struct proxy_conf *conf;
	struct fetch_pool *pool;
	struct upstreams *upstreams;
	struct traffic *traffic; /* who watches; NULL: nobody */
	const struct mode *mode; /* NULL: the one that conf names */
	void *arg;               /* for such a mode */
};

struct mode {
	struct source_ops source;
	/* What source.start gets; ERR_* with a reason when it cannot work. */
	enum err (
	    *open)(const struct mode_env *env, void **ret, struct why *why);
	/* Could it not keep what it was to record?  NULL: it records nothing. */
	bool (*has_lost)(const void *mode);
	void (*close)(void *mode);
};

extern const struct mode mode_live, mode_replay, mode_script, mode_standin;

#endif
