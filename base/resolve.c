/*
 * Names to addresses.
 *
 *	name --asked--> both families are out --both answered, or one and
 *	RESOLVE_DELAY_MS--> told to all who wait --time to live--> forgotten
 *
 * The two families are two questions, because c-ares answers one only when it
 * is settled, and a server that drops what it does not understand (AAAA) would
 * cost everybody its time-out.  c-ares may answer before it returns (from the
 * hosts file), so those who wait are told from an event of their own, and none
 * of them is ever inside c-ares.
 */
#include "base/resolve.h"

#include "base/clock.h"
#include "base/loop.h"
#include "base/mem.h"
#include <ares.h>
#include <arpa/inet.h>
#include <event2/event_struct.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>

#define RESOLV_CONF "/etc/resolv.conf"
#define NAMES_MAX   256
#define TTL_MAX_S   300  /* longer than that nobody should be wrong */
#define TRY_MS      1500 /* a server has so long, then twice that */
#define TRIES       3
#define FAMILIES    2
#define US_A_SECOND UINT64_C(1000000)

struct records { /* of one family */
	struct sockaddr_storage addrs[RESOLVE_MAX];
	socklen_t lens[RESOLVE_MAX];
	size_t n;
	int ttl_s;
	bool is_out; /* c-ares owes an answer */
};

TAILQ_HEAD(resolve_questions, resolve);
TAILQ_HEAD(resolve_names, resolve_name);

struct resolve_name {
	TAILQ_ENTRY(resolve_name) link; /* the one asked last comes first */
	struct resolver *resolver;
	char host[ADDR_HOST_MAX];
	struct records records[FAMILIES]; /* IPv6, IPv4 */
	uint64_t until_us; /* known until then; 0: it has to be asked for */
	struct event due;  /* the other family has had its time */
	struct resolve_questions waiting;
};

struct resolve {
	TAILQ_ENTRY(resolve) link; /* in name->waiting, while it is asked */
	struct resolve_name *name; /* NULL: the answer is under way */
	struct event deliver;
	uint16_t port;
	struct resolve_answer answer;
	void (*on_answer)(const struct resolve_answer *answer, void *arg);
	void *arg;
};

struct resolve_socket {
	LIST_ENTRY(resolve_socket) link;
	struct resolver *resolver;
	struct event event;
};

struct resolver {
	struct event_base *base; /* borrowed */
	struct resolve_servers servers;
	struct stat read;     /* what it was when the channel was made */
	ares_channel channel; /* NULL until the first name */
	struct event timer;   /* the channel's */
	LIST_HEAD(, resolve_socket) sockets;
	struct resolve_names names;
	size_t nnames;
	bool is_closing;
};

static const int families[FAMILIES] = { AF_INET6, AF_INET };

static void ask(struct resolve_name *n);
static void on_due(evutil_socket_t fd, short what, void *arg);
static void on_timer(evutil_socket_t fd, short what, void *arg);
static void on_deliver(evutil_socket_t fd, short what, void *arg);

struct resolver *
resolver_new(struct event_base *base, const struct resolve_servers *servers)
{
	struct resolver *r = xcalloc(1, sizeof *r);

	r->base = base;
	if (servers)
		r->servers = *servers;
	if (!r->servers.file)
		r->servers.file = RESOLV_CONF;
	LIST_INIT(&r->sockets);
	TAILQ_INIT(&r->names);
	event_assign(&r->timer, base, -1, 0, on_timer, r);
	(void)ares_library_init(ARES_LIB_INIT_ALL);
	return r;
}

static void
name_free(struct resolve_name *n)
{
	TAILQ_REMOVE(&n->resolver->names, n, link);
	n->resolver->nnames--;
	event_del(&n->due);
	free(n);
}

void
resolver_free(struct resolver *r)
{
	struct resolve_name *n, *next_name;
	struct resolve *q, *next;

	if (!r)
		return;
	r->is_closing = true;
	if (r->channel)
		ares_destroy(r->channel);
	event_del(&r->timer);
	for (n = TAILQ_FIRST(&r->names); n; n = next_name) {
		next_name = TAILQ_NEXT(n, link);
		for (q = TAILQ_FIRST(&n->waiting); q; q = next) {
			next = TAILQ_NEXT(q, link);
			event_del(&q->deliver);
			free(q);
		}
		event_del(&n->due);
		free(n);
	}
	ares_library_cleanup();
	free(r);
}

/* ---- what is known */

static void
add(struct resolve_answer *a, const struct sockaddr_storage *sa, socklen_t len,
    uint16_t port)
{
	struct sockaddr_storage *to = &a->addrs[a->n];

	*to = *sa;
	if (sa->ss_family == AF_INET6)
		((struct sockaddr_in6 *)to)->sin6_port = htons(port);
	else
		((struct sockaddr_in *)to)->sin_port = htons(port);
	a->lens[a->n++] = len;
}

/* 127.0.0.1 first: most of what listens on this machine listens there. */
bool
resolve_at_once(const struct addr *a, struct resolve_answer *ret)
{
	bool is_local = strcmp(a->host, "localhost") == 0;
	struct sockaddr_storage ss;
	struct sockaddr_in *v4 = (struct sockaddr_in *)&ss;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&ss;

	ret->n = 0;
	memset(&ss, 0, sizeof ss);
	if (inet_pton(AF_INET, is_local ? "127.0.0.1" : a->host,
	        &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		add(ret, &ss, sizeof *v4, a->port);
	}
	memset(&ss, 0, sizeof ss);
	if (inet_pton(AF_INET6, is_local ? "::1" : a->host, &v6->sin6_addr) ==
	    1) {
		v6->sin6_family = AF_INET6;
		add(ret, &ss, sizeof *v6, a->port);
	}
	return ret->n > 0;
}

/* The families in turn, so that one that leads nowhere costs one try. */
static void
compose(const struct resolve_name *n, uint16_t port, struct resolve_answer *ret)
{
	ret->n = 0;
	for (size_t i = 0; i < RESOLVE_MAX; i++)
		for (size_t f = 0; f < FAMILIES; f++)
			if (i < n->records[f].n && ret->n < RESOLVE_MAX)
				add(ret, &n->records[f].addrs[i],
				    n->records[f].lens[i], port);
}

static bool
is_out(const struct resolve_name *n)
{
	return n->records[0].is_out || n->records[1].is_out;
}

static bool
is_known(const struct resolve_name *n)
{
	return n->records[0].n + n->records[1].n > 0;
}

/* All who wait hear what is known now. */
static void
tell(struct resolve_name *n)
{
	struct resolve *q;

	event_del(&n->due);
	while ((q = TAILQ_FIRST(&n->waiting))) {
		TAILQ_REMOVE(&n->waiting, q, link);
		q->name = NULL;
		compose(n, q->port, &q->answer);
		event_active(&q->deliver, EV_TIMEOUT, 0);
	}
}

static struct resolve_name *
find_name(struct resolver *r, const char *host)
{
	struct resolve_name *n, *old;

	TAILQ_FOREACH(n, &r->names, link)
		if (strcmp(n->host, host) == 0)
			break;
	if (n) {
		TAILQ_REMOVE(&r->names, n, link);
		TAILQ_INSERT_HEAD(&r->names, n, link);
		return n;
	}
	old = r->nnames >= NAMES_MAX ? TAILQ_LAST(&r->names, resolve_names)
	                             : NULL;
	if (old && !is_out(old) && TAILQ_EMPTY(&old->waiting))
		name_free(old);
	n = xcalloc(1, sizeof *n);
	n->resolver = r;
	(void)snprintf(n->host, sizeof n->host, "%s", host);
	event_assign(&n->due, r->base, -1, 0, on_due, n);
	TAILQ_INIT(&n->waiting);
	TAILQ_INSERT_HEAD(&r->names, n, link);
	r->nnames++;
	return n;
}

/* ---- asking c-ares */

static void
arm(struct resolver *r)
{
	struct timeval tv;

	if (r->channel && ares_timeout(r->channel, NULL, &tv))
		event_add(&r->timer, &tv);
	else
		event_del(&r->timer);
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct resolver *r = arg;

	(void)fd;
	(void)what;
	ares_process_fd(r->channel, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
	arm(r);
}

static void
on_socket(evutil_socket_t fd, short what, void *arg)
{
	struct resolver *r = ((struct resolve_socket *)arg)->resolver;

	/* It may be closed, and its event freed, in here. */
	ares_process_fd(r->channel, what & EV_READ ? fd : ARES_SOCKET_BAD,
	    what & EV_WRITE ? fd : ARES_SOCKET_BAD);
	arm(r);
}

/* c-ares wants to hear of that socket, or no more. */
static void
on_wish(void *arg, ares_socket_t fd, int readable, int writable)
{
	struct resolver *r = arg;
	struct resolve_socket *s;

	LIST_FOREACH(s, &r->sockets, link)
	if (event_get_fd(&s->event) == fd)
		break;
	if (!s && !readable && !writable)
		return;
	if (s) {
		event_del(&s->event);
	} else {
		s = xcalloc(1, sizeof *s);
		s->resolver = r;
		LIST_INSERT_HEAD(&r->sockets, s, link);
	}
	if (!readable && !writable) {
		LIST_REMOVE(s, link);
		free(s);
		return;
	}
	event_assign(&s->event, r->base, fd,
	    (short)(EV_PERSIST | (readable ? EV_READ : 0) |
	        (writable ? EV_WRITE : 0)),
	    on_socket, s);
	event_add(&s->event, NULL);
}

static bool
is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_size == b->st_size &&
	    a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	    a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/*
 * A channel for the servers that the file names now.  What is asked on an
 * older one is asked again on this one, and what is known is forgotten: others
 * may say otherwise.
 */
static void
open_channel(struct resolver *r)
{
	struct ares_options o = { .timeout = TRY_MS,
		.tries = TRIES,
		.sock_state_cb = on_wish,
		.sock_state_cb_data = r };
	static char lookups[] = "fb"; /* the hosts file, then DNS */
	ares_channel before = r->channel;
	struct resolve_name *n;
	struct stat now;
	char *path;

	if (stat(r->servers.file, &now) < 0)
		memset(&now, 0, sizeof now);
	if (before && is_same_file(&now, &r->read))
		return;
	path = xstrdup(r->servers.file);
	o.lookups = lookups;
	o.udp_port = o.tcp_port = r->servers.port;
	o.resolvconf_path = path;
	if (ares_init_options(&r->channel, &o,
	        ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB |
	            ARES_OPT_LOOKUPS | ARES_OPT_RESOLVCONF |
	            (r->servers.port ? ARES_OPT_UDP_PORT | ARES_OPT_TCP_PORT
	                             : 0)) != ARES_SUCCESS)
		r->channel = before;
	else
		r->read = now;
	free(path);
	if (!before || r->channel == before)
		return;
	TAILQ_FOREACH(n, &r->names, link)
		n->until_us = 0;
	ares_destroy(before);
}

static void
take_records(struct records *to, const struct ares_addrinfo *found)
{
	const struct ares_addrinfo_node *ai = found ? found->nodes : NULL;

	to->n = 0;
	to->ttl_s = TTL_MAX_S;
	for (; ai && to->n < RESOLVE_MAX; ai = ai->ai_next) {
		if ((size_t)ai->ai_addrlen > sizeof to->addrs[0])
			continue;
		memcpy(&to->addrs[to->n], ai->ai_addr, ai->ai_addrlen);
		to->lens[to->n++] = ai->ai_addrlen;
		if (ai->ai_ttl < to->ttl_s)
			to->ttl_s = ai->ai_ttl;
	}
}

/* Both families have answered, or one has and the other had its time. */
static void
settle(struct resolve_name *n)
{
	int ttl_s = TTL_MAX_S;

	for (size_t f = 0; f < FAMILIES; f++)
		if (n->records[f].n > 0 && n->records[f].ttl_s < ttl_s)
			ttl_s = n->records[f].ttl_s;
	n->until_us =
	    is_known(n) ? clock_mono_us() + (uint64_t)ttl_s * US_A_SECOND : 0;
	if (!is_out(n))
		tell(n);
	else if (is_known(n) && !TAILQ_EMPTY(&n->waiting))
		loop_arm(&n->due, RESOLVE_DELAY_MS * US_PER_MS);
}

static void
take_answer(struct resolve_name *n, size_t family, int status,
    struct ares_addrinfo *found)
{
	n->records[family].is_out = false;
	if (status != ARES_EDESTRUCTION) {
		take_records(&n->records[family],
		    status == ARES_SUCCESS ? found : NULL);
		settle(n);
	} else if (!n->resolver->is_closing && !is_out(n) &&
	    !TAILQ_EMPTY(&n->waiting)) {
		/* The servers are others now. */
		ask(n);
	}
	if (found)
		ares_freeaddrinfo(found);
}

static void
on_v6(void *arg, int status, int timeouts, struct ares_addrinfo *found)
{
	(void)timeouts;
	take_answer(arg, 0, status, found);
}

static void
on_v4(void *arg, int status, int timeouts, struct ares_addrinfo *found)
{
	(void)timeouts;
	take_answer(arg, 1, status, found);
}

/* Asks for what is not being asked: one family may be due again while a server
 * still owes an answer about the other. */
static void
ask(struct resolve_name *n)
{
	static const ares_addrinfo_callback heard[FAMILIES] = { on_v6, on_v4 };
	struct resolver *r = n->resolver;
	bool is_due[FAMILIES];

	for (size_t f = 0; f < FAMILIES; f++)
		if ((is_due[f] = !n->records[f].is_out)) {
			n->records[f].n = 0;
			n->records[f].is_out = true;
		}
	n->until_us = 0;
	for (size_t f = 0; f < FAMILIES; f++) {
		struct ares_addrinfo_hints hints = { .ai_family = families[f],
			.ai_socktype = SOCK_STREAM };

		if (is_due[f])
			ares_getaddrinfo(r->channel, n->host, NULL, &hints,
			    heard[f], n);
	}
	arm(r);
}

static void
on_due(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	tell(arg);
}

/* ---- questions */

struct resolve *
resolve_start(struct resolver *r, const struct addr *a,
    void (*on_answer)(const struct resolve_answer *answer, void *arg),
    void *arg)
{
	struct resolve *q = xcalloc(1, sizeof *q);
	struct resolve_name *n;

	q->on_answer = on_answer;
	q->arg = arg;
	q->port = a->port;
	event_assign(&q->deliver, r->base, -1, 0, on_deliver, q);
	open_channel(r);
	if (!r->channel) {
		event_active(&q->deliver, EV_TIMEOUT, 0);
		return q;
	}
	n = find_name(r, a->host);
	q->name = n;
	TAILQ_INSERT_TAIL(&n->waiting, q, link);
	if (n->until_us > clock_mono_us())
		tell(n);
	else
		ask(n);
	return q;
}

void
resolve_cancel(struct resolve *q)
{
	if (!q)
		return;
	if (q->name)
		TAILQ_REMOVE(&q->name->waiting, q, link);
	event_del(&q->deliver);
	free(q);
}

static void
on_deliver(evutil_socket_t fd, short what, void *arg)
{
	struct resolve *q = arg;

	(void)fd;
	(void)what;
	q->on_answer(&q->answer, q->arg);
	free(q);
}
