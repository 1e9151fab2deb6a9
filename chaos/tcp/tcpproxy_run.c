/*
 * A proxy's listener and its connections.
 *
 *	STOPPED --start--> LISTENING --stop--> STOPPED
 *	LISTENING <--toxics that refuse everybody--> REFUSING
 *
 * Stopping closes the listener and drops every link; refusing keeps the port.
 */
#include "chaos/tcp/tcpproxy_priv.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <event2/util.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/addr.h"
#include "base/hosts.h"
#include "base/listener.h"
#include "base/log.h"
#include "base/mem.h"
#include "chaos/http/upstream.h"

#define DESCRIPTORS_KEPT 24     /* for listeners, logs and admins */
#define DESCRIPTORS_EACH 2      /* a client, an upstream */
#define ALL_HOSTS        "[::]" /* IPv4 too, as the kernel has it */
#define ALL_HOSTS_V4     "0.0.0.0"
#define THIS_HOST        "127.0.0.1"

/* ---- connections */

/* Descriptors that connections may take; the rest is for listeners, logs and
 * admins. */
static size_t
taken_max(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur <= DESCRIPTORS_KEPT)
		return 1;
	return (size_t)(r.rlim_cur - DESCRIPTORS_KEPT);
}

/*
 * A client that is accepted with the last descriptor can only be dropped, so
 * who would be too many waits in the backlogs.  Before the face of a proxy
 * each connection is there twice.
 */
static void
count_member(struct member *m, int times)
{
	struct tcpset *s = m->proxy->set;
	bool was_full = s->is_full;
	struct tcpproxy *p;

	s->taken =
	    (size_t)((ssize_t)s->taken + (ssize_t)times * m->descriptors);
	if (s->taken_max == 0)
		s->taken_max = taken_max();
	s->is_full = s->taken && s->taken + DESCRIPTORS_EACH > s->taken_max;
	if (s->is_full == was_full)
		return;
	TAILQ_FOREACH(p, &s->proxies, entry)
		if (p->listener)
			listener_accept(p->listener, !s->is_full);
	if (!s->is_full || s->told_full)
		return;
	s->told_full = true;
	log_warn(m->proxy->name,
	    "connections have all of the %zu descriptors for them: more wait "
	    "until some have ended",
	    s->taken_max);
}

static void
member_free(struct member *m)
{
	TAILQ_REMOVE(&m->proxy->members, m, entry);
	count_member(m, -1);
	resolve_cancel(m->resolve);
	link_free(m->link);
	connrules_free(m->rules);
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

/* On a proxy that speaks HTTP they meet its exchanges instead. */
static struct connrules *
rules_for(const struct tcpproxy *p)
{
	const struct httpface_env *http = p->set->conf.http;

	if (!http || p->face)
		return NULL;
	return connrules_new(http->engine, p->name,
	    loop_now_us(http->loop) / US_PER_MS);
}

static void
begin(struct member *m, const struct resolve_answer *upstream)
{
	struct tcpproxy *p = m->proxy;
	const struct tcpset_conf *conf = &p->set->conf;

	m->rules = rules_for(p);
	m->link = link_new(&(struct link_conf){ .loop = conf->loop,
	    .client_fd = m->fd,
	    .upstream = upstream,
	    .decide = { conf->seed, "", "", m->key, 0 },
	    .is_strict = conf->is_strict,
	    .toxics = p->toxics,
	    .own = m->rules ? connrules_toxics(m->rules) : NULL,
	    .received = p->received,
	    .sent = p->sent,
	    .late = &p->late,
	    .on_over = on_over,
	    .arg = m });
	m->fd = -1;
}

static void
on_resolved(const struct resolve_answer *answer, void *arg)
{
	struct member *m = arg;

	m->resolve = NULL;
	/* A name that cannot be found: the client sees a connection that ends
	 * at once, as when an upstream refuses. */
	if (answer->n == 0)
		member_free(m);
	else
		begin(m, answer);
}

/* Where the face is, while something acts on HTTP. */
static bool
face_of(const struct tcpproxy *p, struct resolve_answer *ret)
{
	if (!p->face || !tcpproxy_wants_face(p))
		return false;
	httpface_where(p->face, ret);
	return true;
}

/* The number of a port that is a service's name ("http"); -1: none. */
static int
service_port(const char *name)
{
	const struct servent *s =
	    isalpha((unsigned char)name[0]) ? getservbyname(name, "tcp") : NULL;

	return s ? ntohs((uint16_t)s->s_port) : -1;
}

/* As addr_parse(); ":80" and "" mean that port, or any, of host, and a port
 * may be the name of a service. */
static enum err
parse_with_host(const char *text, const char *host, struct addr *ret,
    struct why *why)
{
	const char *colon = strrchr(text, ':');
	int port = colon ? service_port(colon + 1) : -1;
	int n = colon ? (int)(colon - text) : 0;
	char *whole;
	enum err e;

	if (port >= 0)
		whole = xasprintf("%.*s:%d", n ? n : (int)strlen(host),
		    n ? text : host, port);
	else
		whole = xasprintf("%s%s", text[0] && text[0] != ':' ? "" : host,
		    text[0] ? text : ":0");
	e = addr_parse(whole, ret, why);
	free(whole);
	return e;
}

enum err
tcpproxy_upstream(const struct tcpproxy *p, const char *upstream,
    struct addr *ret)
{
	struct upstreams *named = p->set->conf.upstreams;
	struct url url;
	enum err e;

	if (!named || strchr(upstream, ':'))
		return parse_with_host(upstream, THIS_HOST, ret, NULL);
	e = upstreams_resolve(named, upstream, &url, NULL);
	if (e == ERR_OK)
		*ret = url.addr;
	return e;
}

static void
on_client(int fd, void *arg)
{
	struct tcpproxy *p = arg;
	struct member *m = xcalloc(1, sizeof *m);
	struct resolve_answer answer;
	struct addr at;
	bool is_known;

	m->proxy = p;
	m->fd = fd;
	m->key =
	    xasprintf("%s/%llu", p->name, (unsigned long long)++p->connections);
	TAILQ_INSERT_TAIL(&p->members, m, entry);
	is_known = face_of(p, &answer);
	m->descriptors = is_known ? 2 * DESCRIPTORS_EACH : DESCRIPTORS_EACH;
	count_member(m, 1);
	if (!is_known && tcpproxy_upstream(p, p->upstream, &at) != ERR_OK)
		member_free(m);
	else if (is_known || resolve_at_once(&at, &answer))
		begin(m, &answer);
	else
		m->resolve =
		    resolve_start(p->set->resolver, &at, on_resolved, m);
}

/* ---- starting and stopping */

static void
close_listener(struct tcpproxy *p)
{
	listener_free(p->listener);
	p->listener = NULL;
}

static void
drop_links(struct tcpproxy *p)
{
	struct member *m, *next;

	for (m = TAILQ_FIRST(&p->members); m; m = next) {
		next = TAILQ_NEXT(m, entry);
		member_free(m);
	}
}

void
tcpproxy_stop(struct tcpproxy *p)
{
	p->is_started = false;
	close_listener(p);
	drop_links(p);
	httpface_free(p->face);
	p->face = NULL;
}

/* Never asks DNS: an admin's request must not hold every connection. */
enum err
tcpproxy_look_up(const char *text, struct resolve_answer *ret, struct why *why)
{
	const char *colon = strrchr(text, ':');
	struct addr a, known;
	enum err e = parse_with_host(text, ALL_HOSTS, &a, why);

	if (e != ERR_OK && colon && isalpha((unsigned char)colon[1]))
		return why_set(why, e,
		    "listen tcp: lookup tcp/%s: unknown port", colon + 1);
	if (e != ERR_OK)
		/* In the words of Go's net package, which Toxiproxy
		 * passes on. */
		return colon
		    ? why_set(why, e, "listen tcp: address %s: invalid port",
		          colon + 1)
		    : why_set(why, e,
		          "listen tcp: address %s: missing port in "
		          "address",
		          text);
	known = a;
	if (resolve_at_once(&a, ret) ||
	    (hosts_find(HOSTS_FILE, a.host, known.host) &&
	        resolve_at_once(&known, ret)))
		return ERR_OK;
	return why_set(why, ERR_ENV,
	    "lookup %s: no address in numbers, and no name in " HOSTS_FILE,
	    a.host);
}

/* The address as bound, so that port 0 becomes a real one. */
static void
note_address(struct tcpproxy *p)
{
	char text[ADDR_TEXT_MAX];
	struct addr a;

	if (!listener_address(p->listener, &a))
		return;
	addr_format(&a, text);
	free(p->listen);
	p->listen = xstrdup(text);
}

/* The last error as Toxiproxy words it: without the capital letter. */
static void
put_reason(char *reason, size_t size)
{
	snprintf(reason, size, "%s", strerror(errno));
	if (reason[0] >= 'A' && reason[0] <= 'Z')
		reason[0] = (char)(reason[0] + 'a' - 'A');
}

/* The address that was asked for, in numbers. */
static void
put_address(const struct resolve_answer *where, char text[ADDR_TEXT_MAX])
{
	struct addr a = { .port = 0 };
	char port[8];

	getnameinfo((const struct sockaddr *)&where->addrs[0], where->lens[0],
	    a.host, sizeof a.host, port, sizeof port,
	    NI_NUMERICHOST | NI_NUMERICSERV);
	a.port = (uint16_t)strtoul(port, NULL, 10);
	addr_format(&a, text);
}

static struct listener *
listen_at(struct tcpproxy *p, const struct resolve_answer *where)
{
	return listener_new(p->set->conf.loop,
	    (const struct sockaddr *)&where->addrs[0], where->lens[0],
	    on_client, p);
}

static enum err
open_listener(struct tcpproxy *p, struct why *why)
{
	struct resolve_answer where = { 0 };
	enum err e = tcpproxy_look_up(p->listen, &where, why);
	char reason[64], text[ADDR_TEXT_MAX];
	struct addr v4;

	if (e != ERR_OK)
		return e;
	p->listener = listen_at(p, &where);
	/* It says no host: a machine without IPv6 has IPv4 at least. */
	if (!p->listener && (p->listen[0] == '\0' || p->listen[0] == ':') &&
	    (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL) &&
	    parse_with_host(p->listen, ALL_HOSTS_V4, &v4, why) == ERR_OK &&
	    resolve_at_once(&v4, &where))
		p->listener = listen_at(p, &where);
	if (!p->listener) {
		put_reason(reason, sizeof reason);
		put_address(&where, text);
		return why_set(why, ERR_EXISTS, "listen tcp %s: bind: %s", text,
		    reason);
	}
	listener_accept(p->listener, !p->set->is_full);
	note_address(p);
	return ERR_OK;
}

static enum err
update_listener(struct tcpproxy *p, struct why *why)
{
	char reason[64];
	enum err e = ERR_OK;

	if (p->is_listed)
		return ERR_OK;
	/* Opened even when it refuses at once: a port that cannot be had must
	 * be told of now. */
	if (p->is_started && !p->listener)
		e = open_listener(p, why);
	if (e != ERR_OK || !p->listener ||
	    listener_refuse(p->listener, tcpproxy_wants_refusal(p)))
		return e;
	put_reason(reason, sizeof reason);
	return why_set(why, ERR_EXISTS, "listen tcp %s: bind: %s", p->listen,
	    reason);
}

/* The face that is wanted and not there. */
static enum err
make_face(struct tcpproxy *p, struct why *why)
{
	const struct httpface_env *env = p->set->conf.http;

	if (!p->is_started || p->face || !tcpproxy_wants_face(p))
		return ERR_OK;
	return env ? httpface_new(env, p->name, p->upstream, &p->face, why)
	           : why_set(why, ERR_SYNTAX, "invalid toxic type");
}

/* Links go to a face that was made. */
enum err
tcpproxy_update_face(struct tcpproxy *p, struct why *why)
{
	bool had_face = p->face != NULL;
	enum err e = make_face(p, why);
	struct resolve_answer where;
	struct member *m;

	if (e != ERR_OK || had_face || !p->face)
		return e;
	httpface_where(p->face, &where);
	TAILQ_FOREACH(m, &p->members, entry)
		if (m->link)
			link_redial(m->link, &where);
	return ERR_OK;
}

enum err
tcpproxy_start(struct tcpproxy *p, struct why *why)
{
	enum err e;

	p->is_started = true;
	e = tcpproxy_update_face(p, why);
	if (e == ERR_OK)
		e = update_listener(p, why);
	if (e == ERR_OK)
		e = tcpproxy_check_circle(p, p->listen, p->upstream, why);
	if (e != ERR_OK)
		tcpproxy_stop(p);
	return e;
}

/* Listens at another address.  The old listener goes when the new one is there;
 * where both want one port it has to go before, and comes back if need be. */
static enum err
move_listener(struct tcpproxy *p, const char *listen, struct why *why)
{
	struct listener *old = p->listener;
	char *was = p->listen;
	enum err e;

	p->listener = NULL;
	p->listen = xstrdup(listen);
	e = open_listener(p, why);
	if (e == ERR_EXISTS && old) {
		listener_free(old);
		old = NULL;
		e = open_listener(p, why);
	}
	if (e == ERR_OK) {
		if (old)
			listener_free(old);
		free(was);
		return ERR_OK;
	}
	free(p->listen);
	p->listen = was;
	p->listener = old;
	if (!old)
		(void)open_listener(p, NULL);
	return e;
}

/* A taken address is told of as one, before what else is wrong with it. */
static enum err
check_move(struct tcpproxy *p, const char *listen, const char *upstream,
    struct why *why)
{
	enum err e = tcpproxy_check_circle(p, listen, upstream, why);
	struct listener *was = p->listener;
	char *address = p->listen;
	struct why taken = { "" };

	if (e == ERR_OK || strcmp(listen, address) == 0)
		return e;
	p->listener = NULL;
	p->listen = xstrdup(listen);
	if (open_listener(p, &taken) != ERR_OK)
		e = why_set(why, ERR_EXISTS, "%s", taken.text);
	close_listener(p);
	free(p->listen);
	p->listener = was;
	p->listen = address;
	return e;
}

enum err
tcpproxy_move(struct tcpproxy *p, const char *listen, const char *upstream,
    struct why *why)
{
	char *was = p->upstream; /* upstream may be it */
	enum err e = check_move(p, listen, upstream, why);

	if (e == ERR_OK && strcmp(listen, p->listen) != 0)
		e = move_listener(p, listen, why);
	if (e != ERR_OK)
		return e;
	p->upstream = xstrdup(upstream);
	free(was);
	/* Toxiproxy does so too: who is connected must come again and meet the
	 * new upstream. */
	drop_links(p);
	httpface_free(p->face);
	p->face = NULL;
	e = make_face(p, why);
	return e == ERR_OK ? update_listener(p, why) : e;
}

/* Toxics came, went or changed; a port that was lost stops the proxy. */
void
tcpproxy_update_listener(struct tcpproxy *p)
{
	struct why why = { "" };

	if (update_listener(p, &why) == ERR_OK)
		return;
	log_warn(p->name, "%s", why.text);
	tcpproxy_stop(p);
}
