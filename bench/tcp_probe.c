/*
 * Three figures of a way through TCP: the round trip of 64 bytes, the rate
 * one way, and how many short connections a second.
 */
#include "bench/meter.h"
#include "bench/tcp.h"

#include "base/clock.h"
#include "base/mem.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define TRIPS      20000
#define TRIP_BYTES 64
#define ONE_WAY    ((size_t)1 << 30)
#define PIECE      65536
#define SHORT      2000

/* Sends n bytes and waits until they have come back. */
static bool
trip(int fd, char *bytes, size_t n)
{
	ssize_t got;

	if (send(fd, bytes, n, MSG_NOSIGNAL) != (ssize_t)n)
		return false;
	for (size_t at = 0; at < n; at += (size_t)got)
		if ((got = recv(fd, bytes, n - at, 0)) <= 0)
			return false;
	return true;
}

static bool
round_trips(const struct addr *to)
{
	uint64_t *ns = xcalloc(TRIPS, sizeof *ns), began;
	char bytes[TRIP_BYTES] = { TCP_ECHO };
	int fd = tcp_dial(to);
	bool good = fd >= 0;

	for (int i = 0; i < TRIPS && good; i++) {
		began = clock_mono_ns();
		good = trip(fd, bytes, sizeof bytes);
		ns[i] = clock_mono_ns() - began;
	}
	if (good)
		printf("rtt_p50_us %.1f\nrtt_p99_us %.1f\n",
		    (double)meter_percentile(ns, TRIPS, 50) / 1e3,
		    (double)meter_percentile(ns, TRIPS, 99) / 1e3);
	free(ns);
	if (fd >= 0)
		close(fd);
	return good;
}

static bool
one_way(const struct addr *to)
{
	static char piece[PIECE] = { TCP_SINK };
	uint64_t began = clock_mono_ns();
	int fd = tcp_dial(to);
	size_t sent = 0;
	ssize_t n = fd < 0 ? -1 : 0;

	for (; sent < ONE_WAY && n >= 0; sent += (size_t)n)
		n = send(fd, piece, sizeof piece, MSG_NOSIGNAL);
	if (n >= 0)
		printf("one_way_mb_s %.0f\n",
		    (double)sent / (double)(clock_mono_ns() - began) * 1e3);
	if (fd >= 0)
		close(fd);
	return n >= 0;
}

static bool
short_ones(const struct addr *to)
{
	uint64_t *ns = xcalloc(SHORT, sizeof *ns), began, all = 0;
	char bytes[8] = { TCP_ECHO };
	bool good = true;
	int fd;

	for (int i = 0; i < SHORT && good; i++) {
		began = clock_mono_ns();
		fd = tcp_dial(to);
		good = fd >= 0 && trip(fd, bytes, sizeof bytes);
		if (fd >= 0)
			close(fd);
		ns[i] = clock_mono_ns() - began;
		all += ns[i];
	}
	if (good)
		printf("connections_s %.0f\nconnection_p50_us %.1f\n",
		    SHORT / ((double)all / 1e9),
		    (double)meter_percentile(ns, SHORT, 50) / 1e3);
	free(ns);
	return good;
}

/* One of the three, and the CPU time it took the process in between. */
static bool
measure(const struct tcp_options *o, const struct addr *to,
    bool (*run)(const struct addr *to), const char *name, unsigned times)
{
	uint64_t before = o->pid ? meter_cpu_us((pid_t)o->pid) : 0, cpu;

	if (!run(to))
		return false;
	cpu = o->pid ? meter_cpu_us((pid_t)o->pid) - before : 0;
	if (o->pid)
		printf("%s %.2f\n", name, (double)cpu / times);
	return true;
}

enum exit_code
tcp_probe(const struct tcp_options *o, const struct addr *to)
{
	return measure(o, to, round_trips, "rtt_cpu_us", TRIPS) &&
	        measure(o, to, one_way, "mib_cpu_us", ONE_WAY >> 20) &&
	        measure(o, to, short_ones, "connection_cpu_us", SHORT)
	    ? EXIT_DONE
	    : EXIT_ENV;
}
