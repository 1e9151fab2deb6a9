/*
 * The server as a whole: where it listens, the limits, the stock of buffers.
 *
 * Accepting stops when connections_max is reached (and, by listener.c, when
 * the process runs out of descriptors); what waits then waits in the kernel's
 * backlog.  Where the process may have fewer descriptors than connections_max
 * wants, they are the limit, so that strangers who take all there are have to
 * go as they would from a full house.
 */
#include "base/serve.h"

#include "base/mem.h"
#include "base/serve_priv.h"
#include <errno.h>
#include <malloc.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define HEAD_OUT_MAX    (1u << 20)
#define CROWD_MIN       512
#define DESCRIPTORS_MAX 65536
#define KEPT_MAX        256 /* descriptors for what is not a client */
#define KEPT_SHARE      3   /* or this part of what there is */

static void set_defaults(struct serve_conf *c);
static enum err listen_on(struct serve *s, struct why *why);
static enum err find_address(const struct addr *a, struct addrinfo **ret,
    struct why *why);
static void on_client(int fd, void *arg);
static void on_reap(evutil_socket_t fd, short what, void *arg);
static void give_back(struct serve *s);
static bool make_room(void *arg);
static void tell_full(struct serve *s);
static void share_descriptors(struct serve_conf *c);
static rlim_t raise_descriptors(rlim_t wanted);

enum err
serve_new(struct loop *l, const struct serve_conf *conf,
    const struct serve_ops *ops, void *arg, struct serve **ret, struct why *why)
{
	struct serve *s = xcalloc(1, sizeof *s);
	enum err e;

	s->loop = l;
	s->conf = *conf;
	set_defaults(&s->conf);
	s->ops = *ops;
	s->arg = arg;
	e = listen_on(s, why);
	if (e != ERR_OK) {
		free(s);
		return e;
	}
	s->wanted = s->conf.connections_max;
	share_descriptors(&s->conf);
	listener_on_short(s->listener, make_room);
	TAILQ_INIT(&s->calls);
	TAILQ_INIT(&s->dead);
	TAILQ_INIT(&s->strangers);
	TAILQ_INIT(&s->unheard);
	buf_init(&s->scratch, HEAD_OUT_MAX);
	event_assign(&s->reaper, loop_base(l), -1, 0, on_reap, s);
	event_assign(&s->look, loop_base(l), -1, 0, serve_unheard_look, s);
	listener_accept(s->listener, true);
	*ret = s;
	return ERR_OK;
}

static void
set_defaults(struct serve_conf *c)
{
	if (!c->limits.body_bytes)
		c->limits.body_bytes = 8u << 20;
	if (!c->head_timeout_ms)
		c->head_timeout_ms = 10000;
	if (!c->body_timeout_ms)
		c->body_timeout_ms = 30000;
	if (!c->body_total_ms)
		c->body_total_ms = 300000;
	if (!c->idle_timeout_ms)
		c->idle_timeout_ms = 75000;
	if (!c->connections_max)
		c->connections_max = 16384;
	if (!c->write_high_bytes)
		c->write_high_bytes = 256u << 10;
}

/* Clients take what is left beside upstreams, files and other doors. */
static void
share_descriptors(struct serve_conf *c)
{
	rlim_t all = raise_descriptors(2 * (rlim_t)c->connections_max);
	int used = dup(STDERR_FILENO); /* the lowest that is free */
	rlim_t left, kept;

	if (used >= 0)
		close(used);
	left = used >= 0 && (rlim_t)used < all ? all - (rlim_t)used : 0;
	kept = left / KEPT_SHARE < KEPT_MAX ? left / KEPT_SHARE : KEPT_MAX;
	if (left - kept < c->connections_max)
		c->connections_max = left > kept ? (uint32_t)(left - kept) : 1;
}

/* Shells allow 1024 by default, a call takes two. */
static rlim_t
raise_descriptors(rlim_t wanted)
{
	struct rlimit r;

	if (wanted < DESCRIPTORS_MAX)
		wanted = DESCRIPTORS_MAX;
	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return wanted;
	if (r.rlim_cur < wanted) {
		r.rlim_cur = r.rlim_max < wanted ? r.rlim_max : wanted;
		(void)setrlimit(RLIMIT_NOFILE, &r);
	}
	return r.rlim_cur;
}

static enum err
listen_on(struct serve *s, struct why *why)
{
	char text[ADDR_TEXT_MAX];
	struct addrinfo *ai;
	enum err e;

	addr_format(&s->conf.listen, text);
	e = find_address(&s->conf.listen, &ai, why);
	if (e != ERR_OK)
		return e;
	s->listener =
	    listener_new(s->loop, ai->ai_addr, ai->ai_addrlen, on_client, s);
	if (!s->listener)
		e = why_set(why,
		    errno == EADDRINUSE   ? ERR_EXISTS
		        : errno == EACCES ? ERR_DENIED
		                          : ERR_ENV,
		    "%s: cannot listen: %s", text, strerror(errno));
	freeaddrinfo(ai);
	return e;
}

/* Only programs that start ask for names here, so it may block. */
static enum err
find_address(const struct addr *a, struct addrinfo **ret, struct why *why)
{
	struct addrinfo hints = { .ai_flags = AI_PASSIVE | AI_NUMERICSERV,
		.ai_socktype = SOCK_STREAM };
	const char *host = a->host;
	char port[8];
	int rc;

	if (strcmp(host, "localhost") == 0)
		host = "127.0.0.1";
	(void)snprintf(port, sizeof port, "%u", (unsigned)a->port);
	rc = getaddrinfo(host[0] ? host : NULL, port, &hints, ret);
	if (rc == 0)
		return ERR_OK;
	return why_set(why, ERR_ENV, "%s: %s", a->host, gai_strerror(rc));
}

void
serve_address(const struct serve *s, struct addr *ret)
{
	*ret = s->conf.listen;
	if (s->listener)
		(void)listener_address(s->listener, ret);
}

/* ---- accepting */

static void
on_client(int fd, void *arg)
{
	struct serve *s = arg;

	serve_evict_stranger(s);
	serve_conn_new(s, fd);
}

void
serve_conn_count(struct serve *s, int change)
{
	bool is_full;

	s->nconns = (size_t)((ssize_t)s->nconns + change);
	is_full =
	    s->nconns >= s->conf.connections_max && TAILQ_EMPTY(&s->strangers);
	if (s->nconns > s->crowd)
		s->crowd = s->nconns;
	/* A full house admits nobody, unless somebody in it can be asked to
	 * leave. */
	if (s->listener)
		listener_accept(s->listener, !is_full);
	if (is_full)
		tell_full(s);
}

static void
tell_full(struct serve *s)
{
	if (s->was_full || !s->ops.on_full)
		return;
	s->was_full = true;
	s->ops.on_full(s->nconns, s->arg);
}

/* The one that waits the longest is the least likely to be at it still. */
static bool
make_room(void *arg)
{
	struct serve *s = arg;
	struct serve_call *c = TAILQ_FIRST(&s->strangers);

	if (!c) {
		tell_full(s);
		return false;
	}
	c->reset = true;
	serve_conn_close(c);
	return true;
}

void
serve_evict_stranger(struct serve *s)
{
	if (s->nconns >= s->conf.connections_max)
		(void)make_room(s);
}

void
serve_conn_known(struct serve_call *c)
{
	if (c->known)
		return;
	c->known = true;
	TAILQ_REMOVE(&c->s->strangers, c, stranger);
	/* The last stranger was the last that could make room. */
	serve_conn_count(c->s, 0);
}

/* ---- the stock */

char *
serve_stock_in(struct serve *s)
{
	return s->nspare_in > 0 ? s->spare_in[--s->nspare_in]
	                        : xmalloc(SERVE_IN_BYTES);
}

void
serve_stock_take(struct serve *s, struct serve_call *c)
{
	if (c->in && c->in_size == SERVE_IN_BYTES &&
	    s->nspare_in < SERVE_STOCK_MAX)
		s->spare_in[s->nspare_in++] = c->in;
	else
		free(c->in);
	c->in = NULL;
	c->in_size = 0;
}

/* ---- the end */

void
serve_stop_accepting(struct serve *s)
{
	struct serve_call *c, *next;

	listener_free(s->listener);
	s->listener = NULL;
	s->stopping = true;
	for (c = TAILQ_FIRST(&s->calls); c; c = next) {
		next = TAILQ_NEXT(c, link);
		c->keep_alive = false;
		if (c->state == SERVE_IDLE)
			serve_conn_close(c);
	}
}

size_t
serve_active(const struct serve *s)
{
	return s->nactive;
}

size_t
serve_connections(const struct serve *s)
{
	return s->nconns;
}

void
serve_connections_max(const struct serve *s, uint32_t *wanted, uint32_t *holds)
{
	*wanted = s->wanted;
	*holds = s->conf.connections_max;
}

static void
on_reap(evutil_socket_t fd, short what, void *arg)
{
	struct serve *s = arg;
	struct serve_call *c, *next;

	(void)fd;
	(void)what;
	for (c = TAILQ_FIRST(&s->dead); c; c = next) {
		next = TAILQ_NEXT(c, link);
		free(c);
	}
	TAILQ_INIT(&s->dead);
	give_back(s);
}

/*
 * What a crowd of connections has used is free again but still the
 * process's; half a crowd later it goes back to the system.
 */
static void
give_back(struct serve *s)
{
	if (s->crowd < CROWD_MIN || s->nconns > s->crowd / 2)
		return;
	s->crowd = s->nconns;
	malloc_trim(0);
}

void
serve_free(struct serve *s)
{
	struct serve_call *c, *next;

	if (!s)
		return;
	serve_stop_accepting(s);
	for (c = TAILQ_FIRST(&s->calls); c; c = next) {
		next = TAILQ_NEXT(c, link);
		serve_conn_close(c);
	}
	event_del(&s->reaper);
	on_reap(-1, 0, s);
	while (s->nspare_in > 0)
		free(s->spare_in[--s->nspare_in]);
	free(s->tunnelled);
	buf_done(&s->scratch);
	free(s);
}
