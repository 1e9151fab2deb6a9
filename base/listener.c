/*
 * Plain accept4 in a batch instead of libevent's listener: that one tells of
 * an error but asks again at once, and takes one system call more a client.
 * Accepted sockets inherit TCP_NODELAY from the listening one.
 */
#include "base/listener.h"

#include "base/mem.h"
#include <errno.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#define ACCEPT_BATCH    64
#define ACCEPT_PAUSE_US 100000
#define BACKLOG         4096

struct listener {
	int fd;
	bool accepting;   /* the owner's wish */
	bool is_refusing; /* fd is bound and does not listen */
	struct event readable, pause;
	void (*on_client)(int fd, void *arg);
	bool (*make_room)(void *arg); /* NULL: nobody can */
	void *arg;
};

static void on_readable(evutil_socket_t fd, short what, void *arg);
static void on_pause_over(evutil_socket_t fd, short what, void *arg);

static int
open_socket(const struct sockaddr *at, socklen_t at_bytes, bool listens)
{
	int fd = socket(at->sa_family,
	    SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int on = 1, why;

	if (fd < 0)
		return -1;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (bind(fd, at, at_bytes) == 0 &&
	    (!listens || listen(fd, BACKLOG) == 0))
		return fd;
	why = errno;
	close(fd);
	errno = why;
	return -1;
}

struct listener *
listener_new(struct loop *loop, const struct sockaddr *at, socklen_t at_bytes,
    void (*on_client)(int fd, void *arg), void *arg)
{
	struct event_base *base = loop_base(loop);
	int fd = open_socket(at, at_bytes, true);
	struct listener *l;

	if (fd < 0)
		return NULL;
	l = xcalloc(1, sizeof *l);
	l->fd = fd;
	l->on_client = on_client;
	l->arg = arg;
	event_assign(&l->readable, base, fd, EV_READ | EV_PERSIST, on_readable,
	    l);
	event_assign(&l->pause, base, -1, 0, on_pause_over, l);
	return l;
}

void
listener_on_short(struct listener *l, bool (*make_room)(void *arg))
{
	l->make_room = make_room;
}

/* Asks who waits, if that is wanted.  A socket that does not listen would be
 * told of for ever; out of descriptors, the pause's end goes on. */
static void
watch(struct listener *l)
{
	if (!l->accepting || l->is_refusing)
		event_del(&l->readable);
	else if (!evtimer_pending(&l->pause, NULL))
		event_add(&l->readable, NULL);
}

void
listener_accept(struct listener *l, bool on)
{
	if (l->accepting == on)
		return;
	l->accepting = on;
	watch(l);
}

/* The listening socket's address goes to one that is only bound: closing the
 * first resets whoever waits in its backlog, which is a refusal too. */
static bool
bind_without_listening(struct listener *l)
{
	struct sockaddr_storage at = { 0 };
	socklen_t at_bytes = sizeof at;

	if (getsockname(l->fd, (struct sockaddr *)&at, &at_bytes) < 0)
		return false;
	event_del(&l->readable);
	close(l->fd);
	l->fd = open_socket((struct sockaddr *)&at, at_bytes, false);
	event_assign(&l->readable, event_get_base(&l->pause), l->fd,
	    EV_READ | EV_PERSIST, on_readable, l);
	return l->fd >= 0;
}

bool
listener_refuse(struct listener *l, bool on)
{
	if (l->is_refusing == on)
		return true;
	if (!(on ? bind_without_listening(l) : listen(l->fd, BACKLOG) == 0))
		return false;
	l->is_refusing = on;
	watch(l);
	return true;
}

/* Without a free descriptor accept4 does not look whether anybody waits. */
static bool
can_make_room(const struct listener *l, int why)
{
	struct pollfd door = { .fd = l->fd, .events = POLLIN };

	return (why == EMFILE || why == ENFILE) && l->make_room &&
	    poll(&door, 1, 0) == 1 && l->make_room(l->arg);
}

static void
on_readable(evutil_socket_t fd, short what, void *arg)
{
	struct listener *l = arg;
	int client;

	(void)what;
	for (int i = 0; i < ACCEPT_BATCH && l->accepting; i++) {
		client = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (client >= 0) {
			l->on_client(client, l->arg);
			continue;
		}
		if (errno == ECONNABORTED || errno == EINTR)
			continue;
		if (errno == EAGAIN)
			return;
		if (can_make_room(l, errno))
			continue;
		/* No descriptors or memory: let others end first. */
		event_del(&l->readable);
		loop_arm(&l->pause, ACCEPT_PAUSE_US);
		return;
	}
}

static void
on_pause_over(evutil_socket_t fd, short what, void *arg)
{
	struct listener *l = arg;

	(void)fd;
	(void)what;
	watch(l);
}

bool
listener_address(const struct listener *l, struct addr *ret)
{
	struct sockaddr_storage ss;
	socklen_t len = sizeof ss;
	char port[8];

	if (getsockname(l->fd, (struct sockaddr *)&ss, &len) < 0 ||
	    getnameinfo((struct sockaddr *)&ss, len, ret->host,
	        sizeof ret->host, port, sizeof port,
	        NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		return false;
	ret->port = (uint16_t)strtoul(port, NULL, 10);
	return true;
}

void
listener_free(struct listener *l)
{
	if (!l)
		return;
	event_del(&l->readable);
	event_del(&l->pause);
	if (l->fd >= 0)
		close(l->fd);
	free(l);
}
