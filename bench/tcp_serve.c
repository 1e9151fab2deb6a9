/*
 * The far end: echoes or swallows, thousands of connections on one loop.
 */
#include "bench/tcp.h"

#include "base/loop.h"
#include "base/mem.h"
#include <arpa/inet.h>
#include <event2/listener.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct peer {
	struct event *readable;
	char kind; /* TCP_ECHO, TCP_SINK, or 0 before the first byte */
};

static struct loop *loop;
static char bytes[262144];

static void
on_stop(void *arg)
{
	(void)arg;
	loop_quit(loop);
}

/* Echoes are small, so the socket takes them whole. */
static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct peer *p = arg;
	ssize_t n = recv(fd, bytes, sizeof bytes, 0);

	(void)what;
	if (n > 0 && !p->kind)
		p->kind = bytes[0];
	if (n > 0 && p->kind == TCP_ECHO)
		(void)send(fd, bytes, (size_t)n, MSG_NOSIGNAL);
	if (n > 0)
		return;
	event_free(p->readable);
	close(fd);
	free(p);
}

static void
on_accept(struct evconnlistener *l, evutil_socket_t fd, struct sockaddr *sa,
    int len, void *arg)
{
	struct peer *p = xcalloc(1, sizeof *p);
	int on = 1;

	(void)l;
	(void)sa;
	(void)len;
	(void)arg;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	p->readable = event_new(loop_base(loop), fd, EV_READ | EV_PERSIST,
	    on_readable, p);
	event_add(p->readable, NULL);
}

enum exit_code
tcp_serve(const struct tcp_options *o)
{
	static const struct loop_ops ops = { .on_stop = on_stop };
	struct sockaddr_in sin = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof sin;
	struct evconnlistener *l;
	struct why why = { .text = "cannot listen" };
	enum err e = ERR_ENV;
	char pairs[64];

	loop = loop_new(&ops, NULL);
	l = evconnlistener_new_bind(loop_base(loop), on_accept, NULL,
	    LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, 4096,
	    (struct sockaddr *)&sin, sizeof sin);
	if (l &&
	    getsockname(evconnlistener_get_fd(l), (struct sockaddr *)&sin,
	        &len) == 0) {
		snprintf(pairs, sizeof pairs, "server=127.0.0.1:%u",
		    (unsigned)ntohs(sin.sin_port));
		e = loop_ready(pairs, o->ready, &why);
	}
	if (e == ERR_OK)
		loop_run(loop);
	else
		fprintf(stderr, "bench-tcp: %s\n", why.text);
	if (l)
		evconnlistener_free(l);
	loop_free(loop);
	return err_exit_code(e);
}
