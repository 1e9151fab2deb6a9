/*
 * What stands around a program under trial: the scenario's proxies in this
 * process, a toxic in front of each where one is asked for, the event log, and
 * those who watch.
 */
#ifndef CHAOS_CLIENT_WORLD_H
#define CHAOS_CLIENT_WORLD_H

#include "chaos/http/proxy.h"
#include "chaos/tcp/tcpproxy.h"
#include "chaos/trials/client_environment.h"
#include "chaos/trials/client_trial.h"

struct client_world { /* embedded; all owned */
	struct scenario *scenario;
	struct events *events;
	struct engine *engine;
	struct traffic *traffic;
	struct upstreams *upstreams;
	struct fetch_pool *pool;
	struct proxy *proxies[SCENARIO_PROXIES_MAX];
	size_t nproxies;
	struct tcpset *fronts; /* with a toxic each; NULL: none */
};

struct client_world_conf { /* borrowed for the call */
	const struct client_trial_conf *trial;
	traffic_watcher *on_view;
	void (*on_line)(json_t *line, void *arg);
	void *arg;
	size_t *missing; /* counts what the record lacks, until the end */
};

/* w: zeroed.  On failure too it must be closed. */
enum err client_world_open(struct client_world *w, struct loop *l,
    const struct client_world_conf *conf, struct why *why);
void client_world_close(struct client_world *w); /* more than once does not
                                                  * matter */

/* Where a program finds the proxies; main: whose address has no name, NULL:
 * the first. */
void client_world_list_doors(const struct client_world *w, const char *main,
    struct client_environment *ret);

#endif
