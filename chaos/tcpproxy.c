/*
 * Listeners, their links and their toxics.
 *
 *	STOPPED --start--> LISTENING --stop--> STOPPED
 *
 * Stopping closes the listener and drops every link.
 */
#include "chaos/tcpproxy.h"

#include <errno.h>
#include <event2/listener.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/addr.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/resolve.h"
#include "chaos/link.h"
#include "chaos/upstream.h"

#define BACKLOG 1024

/* A connection: its upstream's name is asked for, then it is a link. */
struct member {
	TAILQ_ENTRY(member) entry;
	struct tcpproxy *proxy;
	char *key;               /* owned: "NAME/ORDINAL" */
	int fd;                  /* owned until there is a link */
	struct resolve *resolve; /* owned; NULL: not asking */
	struct link *link;       /* owned; NULL: not yet */
};

struct tcpproxy {
	TAILQ_ENTRY(tcpproxy) entry;
	struct tcpset *set;
	char *name, *listen, *upstream; /* owned */
	bool is_started;
	struct evconnlistener *listener; /* owned; NULL: stopped, or refusing */
	struct toxic_list toxics[TOXIC_NSTREAMS];
	TAILQ_HEAD(, member) members;
	uint64_t connections;
	uint64_t received[TOXIC_NSTREAMS], sent[TOXIC_NSTREAMS];
};

struct tcpset {
	struct tcpset_conf conf;
	char noise[DIGEST_HEX];    /* the seed when seeds must not work */
	struct resolver *resolver; /* owned */
	TAILQ_HEAD(, tcpproxy) proxies;
};

/* ---- connections */

static void
member_free(struct member *m)
{
	TAILQ_REMOVE(&m->proxy->members, m, entry);
	resolve_cancel(m->resolve);
	link_free(m->link);
	if (m->fd >= 0)
		evutil_closesocket(m->fd);
	free(m->key);
	free(m);
}

/* The link frees itself afterwards. */
static void
on_over(struct link *l, void *arg)
{
	struct member *m = arg;

	(void)l;
	m->link = NULL;
	member_free(m);
}

static void
begin(struct member *m, const struct resolve_answer *upstream)
{
	struct tcpproxy *p = m->proxy;
	const struct tcpset_conf *conf = &p->set->conf;

	m->link = link_new(&(struct link_conf){ .loop = conf->loop,
	    .client_fd = m->fd,
	    .upstream = upstream,
	    .decide = { conf->seed, "", "", m->key, 0 },
	    .is_strict = conf->is_strict,
	    .toxics = p->toxics,
	    .received = p->received,
	    .sent = p->sent,
	    .on_over = on_over,
	    .arg = m });
	m->fd = -1;
}

static void
on_resolved(const struct resolve_answer *answer, void *arg)
{
	struct member *m = arg;

	m->resolve = NULL;
	if (answer->n == 0)
		member_free(m);
	else
		begin(m, answer);
}

/* HOST:PORT, or a name that the command line gave an address. */
static enum err
upstream_of(const struct tcpproxy *p, struct addr *ret)
{
	struct upstreams *named = p->set->conf.upstreams;
	struct url url;
	enum err e;

	if (!named || strchr(p->upstream, ':'))
		return addr_parse(p->upstream, ret, NULL);
	e = upstreams_resolve(named, p->upstream, &url, NULL);
	if (e == ERR_OK)
		*ret = url.addr;
	return e;
}

static void
on_accept(struct evconnlistener *listener, evutil_socket_t fd,
    struct sockaddr *peer, int peer_len, void *arg)
{
	struct tcpproxy *p = arg;
	struct member *m = xcalloc(1, sizeof *m);
	struct resolve_answer answer;
	struct addr at;

	(void)listener;
	(void)peer;
	(void)peer_len;
	m->proxy = p;
	m->fd = fd;
	m->key =
	    xasprintf("%s/%llu", p->name, (unsigned long long)++p->connections);
	TAILQ_INSERT_TAIL(&p->members, m, entry);
	if (upstream_of(p, &at) != ERR_OK)
		member_free(m);
	else if (resolve_at_once(&at, &answer))
		begin(m, &answer);
	else
		m->resolve =
		    resolve_start(p->set->resolver, &at, on_resolved, m);
}

/* ---- starting and stopping */

static void
close_listener(struct tcpproxy *p)
{
	if (p->listener)
		evconnlistener_free(p->listener);
	p->listener = NULL;
}

static void
stop(struct tcpproxy *p)
{
	struct member *m, *next;

	p->is_started = false;
	close_listener(p);
	for (m = TAILQ_FIRST(&p->members); m; m = next) {
		next = TAILQ_NEXT(m, entry);
		member_free(m);
	}
}

/* Where to listen; the first address of a name. */
static enum err
look_up(const char *text, struct addrinfo **ret, struct why *why)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV | AI_PASSIVE };
	struct addr a;
	char port[8];
	enum err e = addr_parse(text, &a, why);
	int failed;

	if (e != ERR_OK)
		return e;
	snprintf(port, sizeof port, "%u", a.port);
	failed = getaddrinfo(a.host[0] ? a.host : NULL, port, &hints, ret);
	if (failed)
		return why_set(why, ERR_ENV, "lookup %s: %s", a.host,
		    gai_strerror(failed));
	return ERR_OK;
}

/* The address as bound, so that port 0 becomes a real one. */
static void
note_address(struct tcpproxy *p)
{
	struct sockaddr_storage at;
	socklen_t n = sizeof at;
	char host[ADDR_HOST_MAX], port[8];
	struct addr a = { .port = 0 };
	char text[ADDR_TEXT_MAX];

	if (getsockname(evconnlistener_get_fd(p->listener),
	        (struct sockaddr *)&at, &n) < 0 ||
	    getnameinfo((struct sockaddr *)&at, n, host, sizeof host, port,
	        sizeof port, NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return;
	snprintf(a.host, sizeof a.host, "%s", host);
	a.port = (uint16_t)strtoul(port, NULL, 10);
	addr_format(&a, text);
	free(p->listen);
	p->listen = xstrdup(text);
}

static enum err
open_listener(struct tcpproxy *p, struct why *why)
{
	struct addrinfo *found = NULL;
	enum err e = look_up(p->listen, &found, why);

	if (e != ERR_OK)
		return e;
	p->listener = evconnlistener_new_bind(loop_base(p->set->conf.loop),
	    on_accept, p,
	    LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE,
	    BACKLOG, found->ai_addr, (int)found->ai_addrlen);
	freeaddrinfo(found);
	if (!p->listener)
		return why_set(why, ERR_EXISTS, "listen tcp %s: bind: %s",
		    p->listen, strerror(errno));
	note_address(p);
	return ERR_OK;
}

static bool
wants_refusal(const struct tcpproxy *p)
{
	const struct toxic *t;

	for (int i = 0; i < TOXIC_NSTREAMS; i++)
		TAILQ_FOREACH(t, &p->toxics[i], entry)
			if (t->fault.type == &fault_refuse && t->toxicity >= 1)
				return true;
	return false;
}

/* A proxy that refuses everybody has no listener, but keeps its port. */
static enum err
update_listener(struct tcpproxy *p, struct why *why)
{
	enum err e = ERR_OK;

	if (p->is_started && !p->listener)
		e = open_listener(p, why);
	if (e == ERR_OK && wants_refusal(p))
		close_listener(p);
	return e;
}

static enum err
start(struct tcpproxy *p, struct why *why)
{
	enum err e;

	p->is_started = true;
	e = update_listener(p, why);
	if (e != ERR_OK)
		p->is_started = false;
	return e;
}

/* Toxics came, went or changed; a port that was lost stops the proxy. */
static void
toxics_changed(struct tcpproxy *p)
{
	struct why why = { "" };

	if (update_listener(p, &why) == ERR_OK)
		return;
	log_warn(p->name, "%s", why.text);
	stop(p);
}

/* ---- the set */

struct tcpset *
tcpset_new(const struct tcpset_conf *conf)
{
	struct tcpset *s = xcalloc(1, sizeof *s);
	uint8_t bytes[16];

	s->conf = *conf;
	s->resolver = resolver_new(loop_base(conf->loop));
	if (conf->is_strict) {
		digest_random(bytes, sizeof bytes);
		digest_sha256_hex(bytes, sizeof bytes, s->noise);
		s->conf.seed = s->noise;
	}
	TAILQ_INIT(&s->proxies);
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

enum err
tcpset_add(struct tcpset *s, const struct tcpproxy_conf *conf,
    struct tcpproxy **ret, struct why *why)
{
	struct tcpproxy *p;
	enum err e;

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
	e = conf->is_enabled ? start(p, why) : ERR_OK;
	if (e != ERR_OK)
		tcpset_remove(s, p);
	else
		*ret = p;
	return e;
}

void
tcpset_remove(struct tcpset *s, struct tcpproxy *p)
{
	stop(p);
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
	struct addrinfo *x = NULL, *y = NULL;
	bool is_same = strcmp(a, b) == 0;

	if (!is_same && look_up(a, &x, NULL) == ERR_OK &&
	    look_up(b, &y, NULL) == ERR_OK)
		is_same = x->ai_addrlen == y->ai_addrlen &&
		    memcmp(x->ai_addr, y->ai_addr, x->ai_addrlen) == 0;
	if (x)
		freeaddrinfo(x);
	if (y)
		freeaddrinfo(y);
	return is_same;
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
	char *listen = xstrdup(conf->listen);
	char *upstream = xstrdup(conf->upstream);

	if (p->is_started && (!is_same || !conf->is_enabled))
		stop(p);
	if (!is_same) {
		free(p->listen);
		free(p->upstream);
		p->listen = listen;
		p->upstream = upstream;
	} else {
		free(listen);
		free(upstream);
	}
	return conf->is_enabled && !p->is_started ? start(p, why) : ERR_OK;
}

/* ---- toxics */

struct toxic *
tcpproxy_find_toxic(struct tcpproxy *p, const char *name)
{
	struct toxic *t;

	for (int i = 0; i < TOXIC_NSTREAMS; i++)
		TAILQ_FOREACH(t, &p->toxics[i], entry)
			if (strcmp(t->name, name) == 0)
				return t;
	return NULL;
}

enum err
tcpproxy_add_toxic(struct tcpproxy *p, struct toxic *t)
{
	struct member *m;

	if (tcpproxy_find_toxic(p, t->name))
		return ERR_EXISTS;
	TAILQ_INSERT_TAIL(&p->toxics[t->stream], t, entry);
	TAILQ_FOREACH(m, &p->members, entry)
		if (m->link)
			link_add(m->link, t);
	toxics_changed(p);
	return ERR_OK;
}

void
tcpproxy_toxic_changed(struct tcpproxy *p, struct toxic *t)
{
	struct member *m;

	TAILQ_FOREACH(m, &p->members, entry)
		if (m->link)
			link_change(m->link, t);
	toxics_changed(p);
}

void
tcpproxy_remove_toxic(struct tcpproxy *p, struct toxic *t)
{
	struct member *m;

	TAILQ_FOREACH(m, &p->members, entry)
		if (m->link)
			link_remove(m->link, t);
	TAILQ_REMOVE(&p->toxics[t->stream], t, entry);
	toxic_free(t);
	toxics_changed(p);
}

void
tcpproxy_remove_toxics(struct tcpproxy *p)
{
	struct toxic *t, *next;

	for (int i = 0; i < TOXIC_NSTREAMS; i++)
		for (t = TAILQ_FIRST(&p->toxics[i]); t; t = next) {
			next = TAILQ_NEXT(t, entry);
			tcpproxy_remove_toxic(p, t);
		}
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
