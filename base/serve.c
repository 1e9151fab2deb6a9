/*
 * The server as a whole: the listener, the limits, the stock of buffers.
 *
 * Accepting stops when connections_max is reached or the process runs out of
 * descriptors; what waits then waits in the kernel's backlog.  Accepted
 * sockets inherit TCP_NODELAY from the listening one.
 */
#include "base/serve.h"

#include "base/mem.h"
#include "base/serve_priv.h"
#include <errno.h>
#include <malloc.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define ACCEPT_BATCH    64
#define ACCEPT_PAUSE_US 100000 /* after running out of descriptors */
#define BACKLOG         4096
#define HEAD_OUT_MAX    (1u << 20)
#define CROWD_MIN       512
#define DESCRIPTORS_MAX 65536

static void set_defaults(struct serve_conf *c);
static enum err listen_on(const struct addr *a, int *ret, struct why *why);
static enum err find_address(const struct addr *a, struct addrinfo **ret,
    struct why *why);
static void on_accept(evutil_socket_t fd, short what, void *arg);
static void on_pause_over(evutil_socket_t fd, short what, void *arg);
static void arm_accept(struct serve *s);
static void on_reap(evutil_socket_t fd, short what, void *arg);
static void give_back(struct serve *s);
static void raise_descriptors(void);

enum err
serve_new(struct loop *l, const struct serve_conf *conf,
    const struct serve_ops *ops, void *arg, struct serve **ret, struct why *why)
{
	struct serve *s;
	enum err e;
	int fd = -1;

	e = listen_on(&conf->listen, &fd, why);
	if (e != ERR_OK)
		return e;
	raise_descriptors();
	s = xcalloc(1, sizeof *s);
	s->loop = l;
	s->conf = *conf;
	set_defaults(&s->conf);
	s->ops = *ops;
	s->arg = arg;
	s->fd = fd;
	TAILQ_INIT(&s->calls);
	TAILQ_INIT(&s->dead);
	TAILQ_INIT(&s->strangers);
	buf_init(&s->scratch, HEAD_OUT_MAX);
	event_assign(&s->accept_event, loop_base(l), fd, EV_READ | EV_PERSIST,
	    on_accept, s);
	event_assign(&s->reaper, loop_base(l), -1, 0, on_reap, s);
	event_assign(&s->pause_timer, loop_base(l), -1, 0, on_pause_over, s);
	arm_accept(s);
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

/* Shells allow 1024 by default, a call takes two. */
static void
raise_descriptors(void)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_NOFILE, &r) < 0 || r.rlim_cur >= DESCRIPTORS_MAX)
		return;
	r.rlim_cur =
	    r.rlim_max < DESCRIPTORS_MAX ? r.rlim_max : DESCRIPTORS_MAX;
	(void)setrlimit(RLIMIT_NOFILE, &r);
}

static enum err
listen_on(const struct addr *a, int *ret, struct why *why)
{
	char text[ADDR_TEXT_MAX];
	struct addrinfo *ai;
	enum err e;
	int fd, on = 1;

	addr_format(a, text);
	e = find_address(a, &ai, why);
	if (e != ERR_OK)
		return e;
	fd = socket(ai->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
	    0);
	if (fd < 0) {
		e = why_set(why, ERR_ENV, "%s: no socket: %s", text,
		    strerror(errno));
		goto out;
	}
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (bind(fd, ai->ai_addr, ai->ai_addrlen) < 0 ||
	    listen(fd, BACKLOG) < 0) {
		e = errno == EADDRINUSE ? ERR_EXISTS
		    : errno == EACCES   ? ERR_DENIED
		                        : ERR_ENV;
		e = why_set(why, e, "%s: cannot listen: %s", text,
		    strerror(errno));
		close(fd);
		goto out;
	}
	*ret = fd;
out:
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
	struct sockaddr_storage ss;
	socklen_t len = sizeof ss;
	char port[8];

	*ret = s->conf.listen;
	if (s->fd < 0 || getsockname(s->fd, (struct sockaddr *)&ss, &len) < 0 ||
	    getnameinfo((struct sockaddr *)&ss, len, ret->host,
	        sizeof ret->host, port, sizeof port,
	        NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return;
	ret->port = (uint16_t)strtoul(port, NULL, 10);
}

/* ---- accepting */

static void
on_accept(evutil_socket_t fd, short what, void *arg)
{
	static const struct timeval pause = { .tv_usec = ACCEPT_PAUSE_US };
	struct serve *s = arg;
	int client;

	(void)what;
	for (int i = 0; i < ACCEPT_BATCH && s->accepting; i++) {
		client = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (client >= 0) {
			serve_evict_stranger(s);
			serve_conn_new(s, client);
			continue;
		}
		if (errno == ECONNABORTED || errno == EINTR)
			continue;
		if (errno == EAGAIN)
			return;
		/* No descriptors or memory: let calls end first. */
		event_del(&s->accept_event);
		s->accepting = false;
		event_add(&s->pause_timer, &pause);
	}
}

static void
on_pause_over(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	arm_accept(arg);
}

/* A full house admits nobody, unless somebody in it can be asked to leave. */
static bool
has_room(const struct serve *s)
{
	return s->nconns < s->conf.connections_max ||
	    !TAILQ_EMPTY(&s->strangers);
}

static void
arm_accept(struct serve *s)
{
	if (s->accepting || s->fd < 0 || !has_room(s))
		return;
	event_add(&s->accept_event, NULL);
	s->accepting = true;
}

void
serve_conn_count(struct serve *s, int change)
{
	s->nconns = (size_t)((ssize_t)s->nconns + change);
	if (s->nconns > s->crowd)
		s->crowd = s->nconns;
	if (!has_room(s) && s->accepting) {
		event_del(&s->accept_event);
		s->accepting = false;
	} else if (change < 0 && !evtimer_pending(&s->pause_timer, NULL)) {
		arm_accept(s);
	}
}

/* The one that waits the longest is the least likely to be at it still. */
void
serve_evict_stranger(struct serve *s)
{
	struct serve_call *c = TAILQ_FIRST(&s->strangers);

	if (s->nconns < s->conf.connections_max || !c)
		return;
	c->reset = true;
	serve_conn_close(c);
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

	if (s->fd >= 0) {
		event_del(&s->accept_event);
		event_del(&s->pause_timer);
		close(s->fd);
	}
	s->fd = -1;
	s->accepting = false;
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
	buf_done(&s->scratch);
	free(s);
}
