/*
 * A proxy in mode live with a configuration of its own, on a port that the
 * system chose: nothing but the links of the TCP proxy in front should find it.
 */
#include "chaos/tcp/httpface.h"

#include <stdlib.h>

#include "base/mem.h"
#include "chaos/http/proxy.h"

#define LOOPBACK "127.0.0.1:0"

struct httpface {
	struct proxy_conf conf;
	char *name, *upstream; /* owned */
	struct proxy *proxy;   /* owned */
};

enum err
httpface_new(const struct httpface_env *env, const char *name,
    const char *upstream, struct httpface **ret, struct why *why)
{
	struct httpface *f = xcalloc(1, sizeof *f);
	struct mode_env mode = { .scenario = env->scenario,
		.conf = &f->conf,
		.pool = env->pool,
		.upstreams = env->upstreams,
		.traffic = env->traffic };
	enum err e;

	f->name = xstrdup(name);
	f->upstream = xstrdup(upstream);
	f->conf = (struct proxy_conf){ .name = f->name,
		.mode = PROXY_LIVE,
		.upstream = f->upstream };
	/* Only the proxy's own links come here; on the proxy's address it would
	 * be a second door past the toxics. */
	e = addr_parse(LOOPBACK, &f->conf.listen, why);
	if (e == ERR_OK)
		e = proxy_new(env->loop, env->engine, &mode, &f->proxy, why);
	if (e == ERR_OK)
		*ret = f;
	else
		httpface_free(f);
	return e;
}

void
httpface_free(struct httpface *f)
{
	if (!f)
		return;
	proxy_free(f->proxy);
	free(f->name);
	free(f->upstream);
	free(f);
}

void
httpface_where(const struct httpface *f, struct resolve_answer *ret)
{
	struct addr at;

	proxy_address(f->proxy, &at);
	resolve_at_once(&at, ret);
}
