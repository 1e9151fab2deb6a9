/* Loopback sockets for tests; see wire.h. */
#include "tests/unit/base/wire.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNS_MAX 16
#define TEXT_MAX  (64u << 20)

struct wire_server {
	struct loop *loop;
	const struct wire_step *steps;
	size_t nsteps, step;
	int fd;
	struct event *accept_event;
	struct event *read_events[CONNS_MAX];
	int fds[CONNS_MAX];
	int nconns, last;
	size_t seen; /* bytes of received that were answered */
	struct buf received;
};

int
wire_connect(const struct addr *to)
{
	struct sockaddr_in sin = { .sin_family = AF_INET,
		.sin_port = htons(to->port) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	inet_pton(AF_INET, to->host, &sin.sin_addr);
	if (fd < 0 || connect(fd, (struct sockaddr *)&sin, sizeof sin) < 0)
		fatalx("cannot connect to port %d: %s", to->port,
		    strerror(errno));
	return fd;
}

void
wire_send(int fd, const char *p, size_t n)
{
	ssize_t sent;

	for (; n > 0; p += sent, n -= (size_t)sent) {
		sent = send(fd, p, n, MSG_NOSIGNAL);
		if (sent <= 0)
			return;
	}
}

void
wire_reset(int fd)
{
	struct linger now = { 1, 0 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
	close(fd);
}

bool
wire_pump(struct loop *l, const int *flag)
{
	uint64_t until = clock_mono_ms() + WIRE_PATIENCE_MS;
	struct timeval tick = { 0, 1000 };

	while (!*flag && clock_mono_ms() < until) {
		event_base_loopexit(loop_base(l), &tick);
		event_base_loop(loop_base(l), EVLOOP_ONCE);
	}
	return *flag != 0;
}

void
wire_settle(struct loop *l)
{
	for (int i = 0; i < 20; i++)
		event_base_loop(loop_base(l), EVLOOP_NONBLOCK);
}

enum wire_end
wire_read(struct loop *l, int fd, struct buf *out, const char *end)
{
	uint64_t until = clock_mono_ms() + WIRE_PATIENCE_MS;
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	char bytes[65536];
	ssize_t n;

	while (clock_mono_ms() < until) {
		if (end && out->data && strstr(out->data, end))
			return WIRE_FOUND;
		event_base_loop(loop_base(l), EVLOOP_NONBLOCK);
		if (poll(&pfd, 1, 1) != 1)
			continue;
		n = recv(fd, bytes, sizeof bytes, 0);
		if (n == 0)
			return WIRE_EOF;
		if (n < 0)
			return WIRE_RESET;
		(void)buf_add(out, bytes, (size_t)n);
	}
	return WIRE_IMPATIENT;
}

/* ---- the playing server */

static void
play(struct wire_server *s, int i)
{
	const struct wire_step *step;

	if (s->step == s->nsteps)
		return;
	step = &s->steps[s->step++];
	s->last = i;
	wire_send(s->fds[i], step->answer, strlen(step->answer));
	if (step->then == WIRE_KEEP)
		return;
	event_free(s->read_events[i]);
	s->read_events[i] = NULL;
	if (step->then == WIRE_RST)
		wire_reset(s->fds[i]);
	else
		close(s->fds[i]);
	s->fds[i] = -1; /* the number may be given out again */
}

static void
on_wire_read(evutil_socket_t fd, short what, void *arg)
{
	struct wire_server *s = arg;
	char bytes[65536];
	ssize_t n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT);
	int i = 0;

	(void)what;
	while (s->fds[i] != fd)
		i++;
	if (n <= 0) {
		event_del(s->read_events[i]);
		return;
	}
	(void)buf_add(&s->received, bytes, (size_t)n);
	if (strstr(s->received.data + s->seen, "\r\n\r\n")) {
		s->seen = s->received.len;
		play(s, i);
	}
}

static void
on_wire_accept(evutil_socket_t fd, short what, void *arg)
{
	struct wire_server *s = arg;
	int client = accept(fd, NULL, NULL), i = s->nconns;

	(void)what;
	if (client < 0)
		return;
	if (i >= CONNS_MAX) {
		close(client);
		return;
	}
	s->fds[i] = client;
	s->read_events[i] = event_new(loop_base(s->loop), client,
	    EV_READ | EV_PERSIST, on_wire_read, s);
	event_add(s->read_events[i], NULL);
	s->nconns++;
}

struct wire_server *
wire_server_new(struct loop *l, const struct wire_step *steps, size_t n)
{
	struct wire_server *s = xcalloc(1, sizeof *s);
	struct sockaddr_in sin = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };

	s->loop = l;
	s->steps = steps;
	s->nsteps = n;
	buf_init(&s->received, TEXT_MAX);
	s->fd = socket(AF_INET, SOCK_STREAM, 0);
	if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&sin, sizeof sin) < 0 ||
	    listen(s->fd, 16) < 0)
		fatalx("the test server cannot listen");
	s->accept_event = event_new(loop_base(l), s->fd, EV_READ | EV_PERSIST,
	    on_wire_accept, s);
	event_add(s->accept_event, NULL);
	return s;
}

void
wire_server_free(struct wire_server *s)
{
	for (int i = 0; i < s->nconns; i++) {
		if (!s->read_events[i])
			continue;
		event_free(s->read_events[i]);
		close(s->fds[i]);
	}
	event_free(s->accept_event);
	close(s->fd);
	buf_done(&s->received);
	free(s);
}

void
wire_server_address(const struct wire_server *s, struct addr *ret)
{
	struct sockaddr_in sin = { .sin_port = 0 };
	socklen_t len = sizeof sin;

	getsockname(s->fd, (struct sockaddr *)&sin, &len);
	*ret =
	    (struct addr){ .host = "127.0.0.1", .port = ntohs(sin.sin_port) };
}

int
wire_server_connections(const struct wire_server *s)
{
	return s->nconns;
}

const char *
wire_server_received(const struct wire_server *s)
{
	return s->received.data ? s->received.data : "";
}

void
wire_server_send(struct wire_server *s, const char *text)
{
	wire_send(s->fds[s->last], text, strlen(text));
}
