/*
 * Opened from the scenario up, closed from the proxies down: an exchange that
 * ends with its proxy is still watched and logged.
 */
#include "chaos/trials/client_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "chaos/trials/recording.h"

static enum err
open_proxies(struct client_world *w, struct loop *l, struct why *why)
{
	struct mode_env env = { .scenario = w->scenario,
		.pool = w->pool,
		.upstreams = w->upstreams,
		.traffic = w->traffic };
	enum err e = ERR_OK;

	for (size_t i = 0; i < w->scenario->nproxies && e == ERR_OK; i++) {
		env.conf = &w->scenario->proxies[i];
		e = proxy_new(l, w->engine, &env, &w->proxies[w->nproxies],
		    why);
		if (e == ERR_OK)
			w->nproxies++;
	}
	if (e == ERR_OK && w->nproxies == 0)
		e = why_set(why, ERR_SYNTAX, "the scenario has no proxy");
	return e;
}

/* A TCP proxy of the same name, with the toxic, in front of each proxy. */
static enum err
open_fronts(struct client_world *w, struct loop *l, json_t *toxic,
    struct why *why)
{
	enum err e = ERR_OK;

	w->fronts = tcpset_new(
	    &(struct tcpset_conf){ .loop = l, .seed = w->scenario->seed });
	for (size_t i = 0; i < w->nproxies && e == ERR_OK; i++) {
		struct tcpproxy *p = NULL;
		struct toxic *x = NULL;
		struct addr at;
		char upstream[ADDR_TEXT_MAX];

		proxy_address(w->proxies[i], &at);
		addr_format(&at, upstream);
		e = tcpset_add(w->fronts,
		    &(struct tcpproxy_conf){ proxy_name(w->proxies[i]),
		        "127.0.0.1:0", upstream, true },
		    &p, why);
		if (e == ERR_OK)
			e = toxic_read(toxic, &x, why);
		if (e == ERR_OK)
			e = tcpproxy_add_toxic(p, x, why);
	}
	return e;
}

/* A journal goes on where its file ends, and this one is to begin. */
static enum err
open_log(struct client_world *w, const char *folder, struct why *why)
{
	char *log = files_join(folder, "log");
	enum err e;

	unlink(log);
	e = events_open(log, &w->events, why);
	free(log);
	return e;
}

enum err
client_world_open(struct client_world *w, struct loop *l,
    const struct client_world_conf *conf, struct why *why)
{
	static const struct opt_list no_upstreams;
	const struct client_trial_conf *t = conf->trial;
	/* Copied, because reading expands presets into the document, which the
	 * next trial needs as it was. */
	enum err e =
	    scenario_of(json_deep_copy(t->scenario), t->dir, &w->scenario, why);

	if (e == ERR_OK && t->record)
		recording_play(w->scenario, t->record, t->asks, conf->missing);
	if (e == ERR_OK)
		e = open_log(w, t->folder, why);
	if (e == ERR_OK)
		e = upstreams_new(t->upstreams ? t->upstreams : &no_upstreams,
		    &w->upstreams, why);
	if (e != ERR_OK)
		return e;
	events_watch(w->events, conf->on_line, conf->arg);
	w->traffic = traffic_new();
	traffic_watch(w->traffic, conf->on_view, conf->arg);
	traffic_want_text(w->traffic);
	w->pool = fetch_pool_new(l, NULL);
	w->engine =
	    engine_new(w->scenario, t->seed, w->events, loop_now_us(l) / 1000);
	if (t->allows)
		engine_only(w->engine, t->allows, t->allows_arg);
	e = open_proxies(w, l, why);
	return e == ERR_OK && t->toxic ? open_fronts(w, l, t->toxic, why) : e;
}

void
client_world_close(struct client_world *w)
{
	for (size_t i = 0; i < w->nproxies; i++)
		proxy_free(w->proxies[i]);
	w->nproxies = 0;
	tcpset_free(w->fronts);
	w->fronts = NULL;
	if (w->pool)
		fetch_pool_free(w->pool);
	w->pool = NULL;
	engine_free(w->engine);
	w->engine = NULL;
	events_close(w->events);
	w->events = NULL;
	upstreams_free(w->upstreams);
	w->upstreams = NULL;
	traffic_free(w->traffic);
	w->traffic = NULL;
	scenario_free(w->scenario);
	w->scenario = NULL;
}

/* Where the program finds proxy i: its front when there is one. */
static void
address_of(const struct client_world *w, size_t i, char out[ADDR_TEXT_MAX])
{
	struct tcpproxy_conf front;
	struct addr at;

	if (w->fronts) {
		tcpproxy_conf(tcpset_find(w->fronts, proxy_name(w->proxies[i])),
		    &front);
		snprintf(out, ADDR_TEXT_MAX, "%s", front.listen);
		return;
	}
	proxy_address(w->proxies[i], &at);
	addr_format(&at, out);
}

void
client_world_list_doors(const struct client_world *w, const char *main,
    struct client_environment *ret)
{
	for (size_t i = 0; i < w->nproxies; i++) {
		ret->doors[i].name = proxy_name(w->proxies[i]);
		address_of(w, i, ret->doors[i].at);
		if (main && strcmp(main, ret->doors[i].name) == 0)
			ret->main = i;
	}
	ret->ndoors = w->nproxies;
}
