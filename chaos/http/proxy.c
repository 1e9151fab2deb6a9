/*
 * Server callbacks to exchanges, and no decision: what a request meets is the
 * exchange's to say.
 */
#include "chaos/http/proxy.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/tls.h"
#include "chaos/http/certificate_authority.h"
#include "chaos/http/forward.h"

#define BODY_MAX (64u << 20) /* of a request: rules may read it whole */

struct member { /* an exchange in the proxy's list */
	struct exchange *x;
	struct member *next;
};

struct proxy {
	struct mode_env mode_env;
	struct exchange_env env;
	const struct mode *mode;
	void *mode_state;              /* owned, by mode->close */
	struct serve *serve;           /* owned */
	struct tls_context *tls;       /* owned; NULL: plain, or by the CA */
	struct authority *authority;   /* owned; NULL: none */
	struct forward *forward;       /* owned; NULL: another mode */
	struct exchange_env untouched; /* of its requests to other hosts */
	struct member *members;        /* owned */
	size_t nmembers;
};

static const struct mode *const modes[PROXY_NMODES] = {
	[PROXY_LIVE] = &mode_live, /* none: passthrough, see tcpproxy.h */
	[PROXY_RECORD] = &mode_live,
	[PROXY_REPLAY] = &mode_replay,
	[PROXY_SCRIPT] = &mode_script,
	[PROXY_STANDIN] = &mode_standin,
	[PROXY_FORWARD] = &mode_live,
};

static void
on_over(struct exchange *x, void *arg)
{
	struct proxy *p = arg;
	struct member **link = &p->members, *m;

	while ((*link)->x != x)
		link = &(*link)->next;
	m = *link;
	*link = m->next;
	p->env.active = --p->nmembers;
	free(m);
}

/* Such a call is a tunnel's or has its answer, and never an exchange's. */
static bool
is_connect(const struct serve_call *c)
{
	const struct http1_head *h = serve_head(c);

	return h && slice_is(h->method, "CONNECT");
}

static enum forward_step
refuse_connect(const struct proxy *p, struct serve_call *c)
{
	static const struct http1_field fields[] = {
		{ "Content-Type", "text/plain; charset=utf-8" },
		{ "Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS" }
	};
	static const char text[] =
	    "405 Method Not Allowed: this is no forward proxy\n";

	log_warn(p->env.proxy,
	    "CONNECT was refused: a client took this for its HTTPS_PROXY, "
	    "which is mode forward");
	(void)serve_answer(c, 405, fields, COUNT(fields), text,
	    sizeof text - 1);
	return FORWARD_TAKEN;
}

static void
on_request(struct serve_call *c, void *arg)
{
	struct proxy *p = arg;
	enum forward_step step = FORWARD_INTERCEPTED;
	struct member *m;

	if (p->forward)
		step = forward_take(p->forward, c);
	else if (is_connect(c))
		step = refuse_connect(p, c);
	if (step == FORWARD_TAKEN)
		return;
	m = xcalloc(1, sizeof *m);
	m->next = p->members;
	p->members = m;
	p->env.active = ++p->nmembers;
	/* An exchange ends from the loop and never inside its start, so
	 * on_over() finds x here even when all was answered at once. */
	m->x =
	    exchange_start(step == FORWARD_UNTOUCHED ? &p->untouched : &p->env,
	        c);
}

static void
on_gone(struct serve_call *c, enum serve_gone why, void *arg)
{
	struct exchange *x = serve_data(c);

	(void)why;
	(void)arg;
	if (is_connect(c))
		forward_gone(c);
	else if (x)
		exchange_gone(x);
}

static void
on_drain(struct serve_call *c, void *arg)
{
	struct exchange *x = serve_data(c);

	(void)arg;
	if (is_connect(c))
		forward_drain(c);
	else if (x)
		exchange_drain(x);
}

static void
on_bytes(struct serve_call *c, const char *p, size_t n, void *arg)
{
	struct exchange *x = serve_data(c);

	(void)arg;
	if (is_connect(c))
		forward_bytes(c, p, n);
	else if (x)
		exchange_client_bytes(x, p, n);
}

/* The client is told in words that any server might use; whoever runs the
 * proxy learns that it was us. */
static void
on_refuse(struct serve_call *c, int status, const char *reason, void *arg)
{
	static const struct http1_field plain = { "Content-Type",
		"text/plain; charset=utf-8" };
	const struct proxy *p = arg;
	char text[128];
	int n = snprintf(text, sizeof text, "%d %s: %s\n", status,
	    http1_reason(status), reason);

	if (status == 413)
		log_warn(p->env.proxy,
		    "a request's body of more than %u MiB was refused: more "
		    "is not held",
		    BODY_MAX >> 20);
	else
		log_warn(p->env.proxy, "a request was refused with %d: %s",
		    status, reason);
	(void)serve_answer(c, status, &plain, 1, text, (size_t)n);
}

static void
on_full(size_t connections, void *arg)
{
	const struct proxy *p = arg;

	log_warn(p->env.proxy,
	    "%zu connections are all that it has descriptors for (ulimit -n): "
	    "more wait until some have ended",
	    connections);
}

static const struct serve_ops serve_ops = {
	.on_full = on_full,
	.on_request = on_request,
	.on_refuse = on_refuse,
	.on_gone = on_gone,
	.on_drain = on_drain,
	.on_bytes = on_bytes,
};

/* What clients' TLS ends in; *ret NULL: they speak plainly. */
static enum err
open_tls(struct proxy *p, const struct proxy_tls *tls, struct tls_context **ret,
    struct why *why)
{
	char reason[TLS_REASON_MAX];
	enum err e;

	if (tls->ca) {
		e = authority_open(tls->ca, &p->authority, why);
		*ret = e == ERR_OK ? authority_server(p->authority) : NULL;
		return e;
	}
	if (!tls->cert)
		return ERR_OK;
	*ret = p->tls = tls_server_new(tls->cert, tls->key, reason);
	return p->tls ? ERR_OK : why_set(why, ERR_SYNTAX, "tls: %s", reason);
}

enum err
proxy_new(struct loop *l, struct engine *e, const struct mode_env *env,
    struct proxy **ret, struct why *why)
{
	struct serve_conf conf = { .listen = env->conf->listen,
		.limits = { .body_bytes = BODY_MAX } };
	struct proxy *p = xcalloc(1, sizeof *p);
	enum err err;

	p->mode = env->mode ? env->mode : modes[env->conf->mode];
	p->mode_env = *env;
	err = p->mode ? p->mode->open(&p->mode_env, &p->mode_state, why)
	              : why_set(why, ERR_SYNTAX, "mode %s is not HTTP",
	                    proxy_mode_name(env->conf->mode));
	if (err == ERR_OK)
		err = open_tls(p, &env->conf->tls, &conf.tls, why);
	if (err == ERR_OK && env->conf->mode == PROXY_FORWARD)
		err = forward_new(env->conf, env->pool, &p->forward, why);
	if (err != ERR_OK)
		goto fail;
	p->env = (struct exchange_env){ .loop = l,
		.engine = e,
		.scenario = env->scenario,
		.proxy = env->conf->name,
		.is_watched = env->conf->mode != PROXY_LIVE ||
		    env->conf->has_header_faults ||
		    engine_watches(e, env->conf->name),
		.has_header_faults = env->conf->has_header_faults,
		.source = &p->mode->source,
		.mode = p->mode_state,
		.traffic = env->traffic,
		.on_over = on_over,
		.arg = p };
	p->untouched = p->env;
	p->untouched.is_untouched = true;
	p->untouched.has_header_faults = false;
	p->untouched.traffic = NULL;
	err = serve_new(l, &conf, &serve_ops, p, &p->serve, why);
	if (err != ERR_OK)
		goto fail;
	*ret = p;
	return ERR_OK;
fail:
	proxy_free(p);
	return why_prefix(why, err, "proxy %s", env->conf->name);
}

void
proxy_free(struct proxy *p)
{
	struct member *m;

	if (!p)
		return;
	/* In this order: serve may still call back into exchanges, and their
	 * sources stand on the mode. */
	if (p->serve)
		serve_free(p->serve);
	while ((m = p->members)) {
		p->members = m->next;
		exchange_free(m->x);
		free(m);
	}
	forward_free(p->forward);
	if (p->mode && p->mode_state)
		p->mode->close(p->mode_state);
	tls_context_free(p->tls);
	authority_free(p->authority);
	free(p);
}

const char *
proxy_name(const struct proxy *p)
{
	return p->env.proxy;
}

enum proxy_mode
proxy_mode(const struct proxy *p)
{
	return p->mode_env.conf->mode;
}

void
proxy_address(const struct proxy *p, struct addr *ret)
{
	serve_address(p->serve, ret);
}

void
proxy_stop_accepting(struct proxy *p)
{
	serve_stop_accepting(p->serve);
}

size_t
proxy_active(const struct proxy *p)
{
	return p->nmembers;
}

bool
proxy_has_lost(const struct proxy *p)
{
	return p->mode->has_lost && p->mode->has_lost(p->mode_state);
}
