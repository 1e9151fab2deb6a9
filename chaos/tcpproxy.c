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
#include "base/mem.h"
#include "chaos/link.h"

#define BACKLOG 1024

struct member {
	TAILQ_ENTRY(member) entry;
	struct link *link;
	struct tcpproxy *proxy;
	char *key; /* owned: "NAME/ORDINAL" */
};

struct tcpproxy {
	TAILQ_ENTRY(tcpproxy) entry;
	struct tcpset *set;
	char *name, *listen, *upstream;  /* owned */
	struct evconnlistener *listener; /* owned; NULL: stopped */
	struct toxic_list toxics[TOXIC_NSTREAMS];
	TAILQ_HEAD(, member) members;
	uint64_t connections;
	uint64_t received[TOXIC_NSTREAMS], sent[TOXIC_NSTREAMS];
};

struct tcpset {
	struct loop *loop; /* borrowed */
	const char *seed;  /* borrowed */
	TAILQ_HEAD(, tcpproxy) proxies;
};

/* ---- connections */

static void
member_free(struct member *m)
{
	TAILQ_REMOVE(&m->proxy->members, m, entry);
	free(m->key);
	free(m);
}

static void
on_over(struct link *l, void *arg)
{
	(void)l;
	member_free(arg);
}

/* Numbers and names of the hosts file; the first address. */
static enum err
look_up(const char *text, bool is_passive, struct addrinfo **ret,
    struct why *why)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
		.ai_flags = AI_NUMERICSERV | (is_passive ? AI_PASSIVE : 0) };
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

static void
on_accept(struct evconnlistener *listener, evutil_socket_t fd,
    struct sockaddr *peer, int peer_len, void *arg)
{
	struct tcpproxy *p = arg;
	struct addrinfo *found = NULL;
	struct member *m;

	(void)listener;
	(void)peer;
	(void)peer_len;
	if (look_up(p->upstream, false, &found, NULL) != ERR_OK) {
		evutil_closesocket(fd);
		return;
	}
	m = xcalloc(1, sizeof *m);
	m->proxy = p;
	m->key =
	    xasprintf("%s/%llu", p->name, (unsigned long long)++p->connections);
	TAILQ_INSERT_TAIL(&p->members, m, entry);
	m->link = link_new(&(struct link_conf){ .loop = p->set->loop,
	    .client_fd = fd,
	    .upstream = found->ai_addr,
	    .upstream_len = found->ai_addrlen,
	    .decide = { p->set->seed, "", "", m->key, 0 },
	    .toxics = p->toxics,
	    .received = p->received,
	    .sent = p->sent,
	    .on_over = on_over,
	    .arg = m });
	freeaddrinfo(found);
}

/* ---- starting and stopping */

static void
stop(struct tcpproxy *p)
{
	struct member *m, *next;

	if (p->listener)
		evconnlistener_free(p->listener);
	p->listener = NULL;
	for (m = TAILQ_FIRST(&p->members); m; m = next) {
		next = TAILQ_NEXT(m, entry);
		link_free(m->link);
		member_free(m);
	}
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
start(struct tcpproxy *p, struct why *why)
{
	struct addrinfo *found = NULL;
	enum err e = look_up(p->listen, true, &found, why);

	if (e != ERR_OK)
		return e;
	p->listener = evconnlistener_new_bind(loop_base(p->set->loop),
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

/* ---- the set */

struct tcpset *
tcpset_new(struct loop *l, const char *seed)
{
	struct tcpset *s = xcalloc(1, sizeof *s);

	s->loop = l;
	s->seed = seed;
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
		p->listener != NULL };
}

/* Equal texts, or equal numbers behind a host written in another way. */
static bool
is_same_address(const char *a, const char *b)
{
	struct addrinfo *x = NULL, *y = NULL;
	bool is_same = strcmp(a, b) == 0;

	if (!is_same && look_up(a, true, &x, NULL) == ERR_OK &&
	    look_up(b, true, &y, NULL) == ERR_OK)
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

	if (p->listener && (!is_same || !conf->is_enabled))
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
	return conf->is_enabled && !p->listener ? start(p, why) : ERR_OK;
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
		link_add(m->link, t);
	return ERR_OK;
}

void
tcpproxy_toxic_changed(struct tcpproxy *p, struct toxic *t)
{
	struct member *m;

	TAILQ_FOREACH(m, &p->members, entry)
		link_change(m->link, t);
}

void
tcpproxy_remove_toxic(struct tcpproxy *p, struct toxic *t)
{
	struct member *m;

	TAILQ_FOREACH(m, &p->members, entry)
		link_remove(m->link, t);
	TAILQ_REMOVE(&p->toxics[t->stream], t, entry);
	toxic_free(t);
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
