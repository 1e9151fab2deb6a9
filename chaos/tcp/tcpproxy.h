/*
 * Named TCP proxies with toxics: what the Toxiproxy API speaks of.  No JSON
 * of requests and no HTTP here; toxiproxy.c is that.
 */
#ifndef CHAOS_TCPPROXY_H
#define CHAOS_TCPPROXY_H

#include "base/err.h"
#include "base/loop.h"
#include "chaos/http/toxic.h"
#include "chaos/tcp/httpface.h"

struct delay_error;
struct tcpset; /* all of them, sorted by name */
struct tcpproxy;

struct tcpset_conf { /* borrowed */
	struct loop *loop;
	const char *seed; /* what toxicity and jitter are drawn from */
	struct upstreams *upstreams; /* bare names; NULL: there are none */
	const struct httpface_env
	    *http; /* NULL: faults of HTTP are no toxics */
	/* Old defects of the original Toxiproxy (docs/toxiproxy.md). */
	bool is_strict;
};

struct tcpset *tcpset_new(const struct tcpset_conf *conf);
/* The engine's limits changed: toxics sleep while its ttl is over. */
void tcpset_heed_limits(struct tcpset *s);
void tcpset_free(struct tcpset *s); /* NULL-safe */
struct tcpproxy *tcpset_find(struct tcpset *s, const char *name);
struct tcpproxy *tcpset_next(struct tcpset *s, struct tcpproxy *p); /* NULL:
    the first */

/*
 * Makes a proxy, started when is_enabled.  ERR_EXISTS: the name is taken;
 * ERR_STATE: its upstream leads back to it; another error: it could not
 * listen.  *why says why, and nothing is left.
 */
struct tcpproxy_conf { /* copied */
	const char *name, *listen, *upstream;
	bool is_enabled;
};
enum err tcpset_add(struct tcpset *s, const struct tcpproxy_conf *conf,
    struct tcpproxy **ret, struct why *why);
void tcpset_remove(struct tcpset *s, struct tcpproxy *p);

/*
 * Lists an HTTP proxy of the scenario, which listens by itself: its toxics
 * are rules on its exchanges, those on bytes too, and nothing else of it can
 * be changed here.  ERR_EXISTS: the name is taken; ERR_STATE: its upstream
 * leads back to it.
 */
enum err tcpset_list(struct tcpset *s, const struct tcpproxy_conf *conf,
    struct why *why);
bool tcpproxy_is_listed(const struct tcpproxy *p);

/* As it is now; listen is the real address once it was started. */
void tcpproxy_conf(const struct tcpproxy *p, struct tcpproxy_conf *ret);

/* Changed addresses restart it; it drops its connections then, and when it is
 * disabled.  On failure it stays as it was.  ERR_STATE: it is a listed one, or
 * its upstream would lead back to it. */
enum err tcpproxy_set(struct tcpproxy *p, const struct tcpproxy_conf *conf,
    struct why *why);
/* Do both addresses say the same as the proxy's? */
bool tcpproxy_is_same(const struct tcpproxy *p, const char *listen,
    const char *upstream);

/*
 * Takes t.  ERR_EXISTS: the name is taken; ERR_SYNTAX: this proxy can do
 * nothing with its type; another error: its HTTP face cannot be had.  t stays
 * the caller's then.
 *
 * A toxic that acts on HTTP acts from the next request on, on connections
 * that are open too.
 */
enum err tcpproxy_add_toxic(struct tcpproxy *p, struct toxic *t,
    struct why *why);
struct toxic *tcpproxy_find_toxic(struct tcpproxy *p, const char *name);
void tcpproxy_toxic_changed(struct tcpproxy *p, struct toxic *t);
void tcpproxy_remove_toxic(struct tcpproxy *p, struct toxic *t);
void tcpproxy_remove_toxics(struct tcpproxy *p);
const struct toxic_list *tcpproxy_toxics(const struct tcpproxy *p,
    enum toxic_stream stream);

uint64_t tcpproxy_received(const struct tcpproxy *p, enum toxic_stream s);
uint64_t tcpproxy_sent(const struct tcpproxy *p, enum toxic_stream s);
uint64_t tcpproxy_open(const struct tcpproxy *p); /* connections now */
uint64_t tcpproxy_accepted(const struct tcpproxy *p);
const struct delay_error *tcpproxy_lateness(const struct tcpproxy *p);

#endif
