/*
 * The set of proxies, and what is known of each.
 */
#include "chaos/tcp/tcpproxy_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/addr.h"
#include "base/mem.h"

/* ---- the set */

static void
on_ttl(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	tcpset_heed_limits(arg);
}

struct tcpset *
tcpset_new(const struct tcpset_conf *conf)
{
	struct tcpset *s = xcalloc(1, sizeof *s);
	uint8_t bytes[16];

	s->conf = *conf;
	s->resolver = resolver_new(loop_base(conf->loop), NULL);
	if (conf->is_strict) {
		digest_random(bytes, sizeof bytes);
		digest_sha256_hex(bytes, sizeof bytes, s->noise);
		s->conf.seed = s->noise;
	}
	TAILQ_INIT(&s->proxies);
	s->ttl_timer = evtimer_new(loop_base(conf->loop), on_ttl, s);
	tcpset_heed_limits(s);
	return s;
}

void
tcpset_free(struct tcpset *s)
{
	struct tcpproxy *p, *next;

	if (!s)
		return;
	for (p = TAILQ_FIRST(&s->proxies); p; p = next) {
		next = TAILQ_NEXT(p, entry);
		tcpset_remove(s, p);
	}
	event_free(s->ttl_timer);
	resolver_free(s->resolver);
	free(s);
}

struct tcpproxy *
tcpset_find(struct tcpset *s, const char *name)
{
	struct tcpproxy *p;

	TAILQ_FOREACH(p, &s->proxies, entry)
		if (strcmp(p->name, name) == 0)
			return p;
	return NULL;
}

struct tcpproxy *
tcpset_next(struct tcpset *s, struct tcpproxy *p)
{
	return p ? TAILQ_NEXT(p, entry) : TAILQ_FIRST(&s->proxies);
}

static void
insert_sorted(struct tcpset *s, struct tcpproxy *p)
{
	struct tcpproxy *q;

	TAILQ_FOREACH(q, &s->proxies, entry)
		if (strcmp(q->name, p->name) > 0) {
			TAILQ_INSERT_BEFORE(q, p, entry);
			return;
		}
	TAILQ_INSERT_TAIL(&s->proxies, p, entry);
}

static enum err
make(struct tcpset *s, const struct tcpproxy_conf *conf, struct tcpproxy **ret,
    struct why *why)
{
	struct tcpproxy *p;

	if (tcpset_find(s, conf->name))
		return why_set(why, ERR_EXISTS, "proxy already exists");
	p = xcalloc(1, sizeof *p);
	p->set = s;
	p->name = xstrdup(conf->name);
	p->listen = xstrdup(conf->listen);
	p->upstream = xstrdup(conf->upstream);
	for (int i = 0; i < TOXIC_NSTREAMS; i++)
		TAILQ_INIT(&p->toxics[i]);
	TAILQ_INIT(&p->members);
	insert_sorted(s, p);
	*ret = p;
	return ERR_OK;
}

enum err
tcpset_list(struct tcpset *s, const struct tcpproxy_conf *conf, struct why *why)
{
	struct tcpproxy *p = NULL;
	enum err e = make(s, conf, &p, why);

	if (!p)
		return e;
	p->is_listed = p->is_started = true;
	return tcpproxy_check_circle(p, p->listen, p->upstream, why);
}

bool
tcpproxy_is_listed(const struct tcpproxy *p)
{
	return p->is_listed;
}

enum err
tcpset_add(struct tcpset *s, const struct tcpproxy_conf *conf,
    struct tcpproxy **ret, struct why *why)
{
	struct tcpproxy *p = NULL;
	enum err e = make(s, conf, &p, why);

	if (!p)
		return e;
	e = conf->is_enabled ? tcpproxy_start(p, why) : ERR_OK;
	if (e != ERR_OK)
		tcpset_remove(s, p);
	else
		*ret = p;
	return e;
}

void
tcpset_remove(struct tcpset *s, struct tcpproxy *p)
{
	/* Links first: their taps borrow the toxics. */
	tcpproxy_stop(p);
	tcpproxy_remove_toxics(p);
	TAILQ_REMOVE(&s->proxies, p, entry);
	free(p->name);
	free(p->listen);
	free(p->upstream);
	free(p);
}

/* ---- one proxy */

void
tcpproxy_conf(const struct tcpproxy *p, struct tcpproxy_conf *ret)
{
	*ret = (struct tcpproxy_conf){ p->name, p->listen, p->upstream,
		p->is_started };
}

/* Equal texts, or equal numbers behind a host written in another way. */
static bool
is_same_address(const char *a, const char *b)
{
	struct resolve_answer x, y;

	return strcmp(a, b) == 0 ||
	    (tcpproxy_look_up(a, &x, NULL) == ERR_OK &&
	        tcpproxy_look_up(b, &y, NULL) == ERR_OK &&
	        x.lens[0] == y.lens[0] &&
	        memcmp(&x.addrs[0], &y.addrs[0], x.lens[0]) == 0);
}

bool
tcpproxy_is_same(const struct tcpproxy *p, const char *listen,
    const char *upstream)
{
	return is_same_address(p->listen, listen) &&
	    strcmp(p->upstream, upstream) == 0;
}

enum err
tcpproxy_set(struct tcpproxy *p, const struct tcpproxy_conf *conf,
    struct why *why)
{
	bool is_same = tcpproxy_is_same(p, conf->listen, conf->upstream);
	char *listen, *upstream;
	struct {
		char *listen, *upstream;
	} was;
	enum err e;

	if (p->is_listed)
		return is_same && conf->is_enabled
		    ? ERR_OK
		    : why_set(why, ERR_STATE,
		          "the proxy is the scenario's: only its toxics "
		          "change");
	if (p->is_started && conf->is_enabled)
		return is_same
		    ? ERR_OK
		    : tcpproxy_move(p, conf->listen, conf->upstream, why);
	if (p->is_started)
		tcpproxy_stop(p);
	listen = is_same ? p->listen : xstrdup(conf->listen);
	upstream = is_same ? p->upstream : xstrdup(conf->upstream);
	was.listen = p->listen;
	was.upstream = p->upstream;
	p->listen = listen;
	p->upstream = upstream;
	e = conf->is_enabled ? tcpproxy_start(p, why) : ERR_OK;
	if (is_same)
		return e;
	if (e != ERR_OK) { /* what cannot be is not kept */
		free(p->listen);
		free(p->upstream);
		p->listen = was.listen;
		p->upstream = was.upstream;
	} else {
		free(was.listen);
		free(was.upstream);
	}
	return e;
}

const struct toxic_list *
tcpproxy_toxics(const struct tcpproxy *p, enum toxic_stream stream)
{
	return &p->toxics[stream];
}

uint64_t
tcpproxy_received(const struct tcpproxy *p, enum toxic_stream s)
{
	return p->received[s];
}

uint64_t
tcpproxy_sent(const struct tcpproxy *p, enum toxic_stream s)
{
	return p->sent[s];
}

uint64_t
tcpproxy_open(const struct tcpproxy *p)
{
	const struct member *m;
	uint64_t n = 0;

	TAILQ_FOREACH(m, &p->members, entry)
		n++;
	return n;
}

uint64_t
tcpproxy_accepted(const struct tcpproxy *p)
{
	return p->connections;
}

const struct delay_error *
tcpproxy_lateness(const struct tcpproxy *p)
{
	return &p->late;
}
