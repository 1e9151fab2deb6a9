/*
 * A listener that runs out of descriptors: it must neither spin nor stop for
 * good, and asks whoever can end a connection.  The limit is this process's
 * own.
 */
#include "base/listener.h"

#include "base/buf.h"
#include "tests/unit.h"
#include "tests/unit/base/wire.h"
#include <netinet/in.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define SPARE_FDS  3
#define WAITING    8
#define PINCHED_MS 400
#define BUSY_MS    100 /* a quarter of that time is more than a pause takes */

static int clients[WAITING], nclients, nended;

static void
on_client(int fd, void *arg)
{
	int *all = arg;

	clients[nclients++] = fd;
	*all = nclients == WAITING;
}

static bool
end_oldest(void *arg)
{
	(void)arg;
	close(clients[nended++]);
	return true;
}

static long
cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* So few that only SPARE_FDS of those who wait can be accepted. */
static rlim_t
pinch(void)
{
	struct rlimit r;
	int next = dup(0);
	rlim_t was;

	close(next);
	getrlimit(RLIMIT_NOFILE, &r);
	was = r.rlim_cur;
	r.rlim_cur = (rlim_t)next + SPARE_FDS;
	setrlimit(RLIMIT_NOFILE, &r);
	return was;
}

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	*(int *)arg = 1;
}

/* With the descriptors of SPARE_FDS, all are accepted while the oldest go. */
static void
makes_room(struct loop *loop, struct listener *l, const struct addr *where,
    int *all)
{
	int fds[WAITING];
	struct rlimit r;

	nclients = *all = 0;
	listener_accept(l, false);
	for (int i = 0; i < WAITING; i++)
		fds[i] = wire_connect(where);
	getrlimit(RLIMIT_NOFILE, &r);
	listener_on_short(l, end_oldest);
	r.rlim_cur = pinch();
	listener_accept(l, true);
	CHECK(wire_pump(loop, all), "room is made for all");
	CHECK_INT(nended, WAITING - SPARE_FDS, "by ending no more than needed");
	setrlimit(RLIMIT_NOFILE, &r);
	for (int i = 0; i < WAITING; i++)
		close(fds[i]);
	for (int i = nended; i < WAITING; i++)
		close(clients[i]);
}

static struct sockaddr_in
loopback(uint16_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(port) };
}

/* Can a connection be had? */
static bool
is_open(uint16_t port)
{
	struct sockaddr_in at = loopback(port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	bool is_there = connect(fd, (struct sockaddr *)&at, sizeof at) == 0;

	close(fd);
	return is_there;
}

/* Who refuses keeps the port: nobody else is lent it, nobody waits in it, and
 * nothing spins on a socket that does not listen. */
static void
refuses(struct loop *loop, struct listener *l, const struct addr *where,
    int *all)
{
	struct sockaddr_in at = loopback(where->port);
	const struct timeval pause = { .tv_usec = PINCHED_MS * 1000L };
	int over = 0, other = socket(AF_INET, SOCK_STREAM, 0);
	struct event *timer =
	    event_new(loop_base(loop), -1, 0, on_timer, &over);
	long begun_ms = cpu_ms();
	struct addr now;

	CHECK(listener_refuse(l, true) && listener_refuse(l, true), "refuses");
	CHECK(!is_open(where->port), "nobody gets in");
	CHECK(bind(other, (struct sockaddr *)&at, sizeof at) < 0,
	    "nobody else has the port");
	CHECK(listener_address(l, &now) && now.port == where->port,
	    "its address is the same");
	listener_accept(l, false);
	listener_accept(l, true);
	evtimer_add(timer, &pause);
	CHECK(wire_pump(loop, &over), "time passes in refusal");
	CHECK(cpu_ms() - begun_ms < BUSY_MS, "nothing spins on it");
	CHECK(listener_refuse(l, false) && is_open(where->port), "open again");
	nclients = WAITING - 1;
	CHECK(wire_pump(loop, all), "and accepts");
	close(clients[WAITING - 1]);
	close(other);
	event_free(timer);
}

void
t_listener(void)
{
	struct sockaddr_in at = loopback(0);
	const struct timeval pinched = { .tv_usec = PINCHED_MS * 1000L };
	struct loop *loop = loop_new(NULL, NULL);
	int fds[WAITING], over = 0, all = 0;
	struct event *timer =
	    event_new(loop_base(loop), -1, 0, on_timer, &over);
	struct listener *l = listener_new(loop, (struct sockaddr *)&at,
	    sizeof at, on_client, &all);
	struct rlimit r;
	struct addr where;
	long begun_ms;

	if (!CHECK(l && listener_address(l, &where), "it listens"))
		return;
	for (int i = 0; i < WAITING; i++)
		fds[i] = wire_connect(&where);
	getrlimit(RLIMIT_NOFILE, &r);
	r.rlim_cur = pinch();
	listener_accept(l, true);
	evtimer_add(timer, &pinched);
	begun_ms = cpu_ms();
	CHECK(wire_pump(loop, &over), "time passes");
	CHECK(cpu_ms() - begun_ms < BUSY_MS, "nothing spins meanwhile");
	CHECK_INT(nclients, SPARE_FDS, "who could be accepted was");
	setrlimit(RLIMIT_NOFILE, &r);
	CHECK(wire_pump(loop, &all), "the others are once there is room");
	for (int i = 0; i < WAITING; i++) {
		close(clients[i]);
		close(fds[i]);
	}
	makes_room(loop, l, &where, &all);
	all = 0;
	refuses(loop, l, &where, &all);
	event_free(timer);
	listener_free(l);
	loop_free(loop);
}
