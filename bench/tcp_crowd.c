/*
 * Many connections at once: how exactly a proxy delays a thousand of them,
 * and what each costs it when it holds ten thousand.
 *
 * The delayed ones send one after the other, PACE_NS apart and all before the
 * first echo: so they wait at once, but not for each other.  Each echo's time
 * is taken when epoll tells of it, so the way there and back and the probe's
 * own loop count against the proxy.
 */
#include "bench/meter.h"
#include "bench/tcp.h"

#include "base/clock.h"
#include "base/mem.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define BYTES   64
#define WAIT_MS 10000
#define BATCH   256
#define PACE_NS 200000

struct crowd {
	int *fds;
	size_t n;
	int epoll;
	uint64_t *sent_ns, *came_ns;
};

static bool
crowd_open(struct crowd *c, const struct addr *to, size_t n)
{
	struct epoll_event ev = { .events = EPOLLIN };

	c->fds = xcalloc(n, sizeof *c->fds);
	c->sent_ns = xcalloc(n, sizeof *c->sent_ns);
	c->came_ns = xcalloc(n, sizeof *c->came_ns);
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	for (c->n = 0; c->n < n; c->n++) {
		ev.data.u64 = c->n;
		c->fds[c->n] = tcp_dial(to);
		if (c->fds[c->n] < 0 ||
		    epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->fds[c->n], &ev) < 0)
			return false;
	}
	return true;
}

static void
crowd_close(struct crowd *c)
{
	for (size_t i = 0; i < c->n; i++)
		close(c->fds[i]);
	close(c->epoll);
	free(c->fds);
	free(c->sent_ns);
	free(c->came_ns);
}

static void
sleep_until(uint64_t at_ns)
{
	struct timespec at = { (time_t)(at_ns / 1000000000),
		(long)(at_ns % 1000000000) };

	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void
crowd_send(struct crowd *c, uint64_t pace_ns)
{
	uint64_t began = clock_mono_ns();
	char bytes[BYTES] = { TCP_ECHO };

	for (size_t i = 0; i < c->n; i++) {
		sleep_until(began + i * pace_ns);
		c->sent_ns[i] = clock_mono_ns();
		c->came_ns[i] = 0;
		(void)send(c->fds[i], bytes, sizeof bytes, MSG_NOSIGNAL);
	}
}

/* Waits for all echoes; false when some did not come in time. */
static bool
crowd_hear(struct crowd *c)
{
	struct epoll_event evs[BATCH];
	char bytes[BYTES];
	uint64_t now;
	int n;

	for (size_t left = c->n; left > 0;) {
		n = epoll_wait(c->epoll, evs, BATCH, WAIT_MS);
		if (n <= 0)
			return false;
		now = clock_mono_ns();
		for (int i = 0; i < n; i++) {
			if (recv(c->fds[evs[i].data.u64], bytes, sizeof bytes,
			        0) <= 0)
				return false;
			left -= c->came_ns[evs[i].data.u64] == 0;
			c->came_ns[evs[i].data.u64] = now;
		}
	}
	return true;
}

/* How much more than the delay each echo took, in microseconds. */
static void
report_errors(struct crowd *c, int64_t delay_ms)
{
	uint64_t *us = c->came_ns, early = 0;
	int64_t error;

	for (size_t i = 0; i < c->n; i++) {
		error = (int64_t)(c->came_ns[i] - c->sent_ns[i]) / 1000 -
		    delay_ms * 1000;
		early += error < 0;
		us[i] = (uint64_t)(error < 0 ? -error : error);
	}
	printf("early %" PRIu64 "\nerror_p50_us %" PRIu64
	       "\nerror_p99_us %" PRIu64 "\nerror_max_us %" PRIu64 "\n",
	    early, meter_percentile(us, c->n, 50),
	    meter_percentile(us, c->n, 99), meter_percentile(us, c->n, 100));
}

enum exit_code
tcp_delayed(const struct tcp_options *o, const struct addr *to)
{
	struct crowd c = { 0 };
	bool good = crowd_open(&c, to, (size_t)o->count);

	/* The first round opens the far legs. */
	for (int i = 0; i < 2 && good; i++) {
		crowd_send(&c, PACE_NS);
		good = crowd_hear(&c);
	}
	if (good)
		report_errors(&c, o->delay_ms);
	crowd_close(&c);
	return good ? EXIT_DONE : EXIT_ENV;
}

static void
report_memory(const struct tcp_options *o, const char *when, uint64_t before)
{
	uint64_t rss = meter_rss_kib((pid_t)o->pid);

	printf("%s rss_kib %" PRIu64 " fds %" PRIu64 " each_bytes %.0f\n", when,
	    rss, meter_fds((pid_t)o->pid),
	    ((double)rss - (double)before) * 1024 / (double)o->count);
}

enum exit_code
tcp_held(const struct tcp_options *o, const struct addr *to)
{
	uint64_t before = meter_rss_kib((pid_t)o->pid);
	struct crowd c = { 0 };
	bool good = crowd_open(&c, to, (size_t)o->count);

	if (good) {
		crowd_send(&c, 0);
		/* Where the proxy stalls them, no echo comes. */
		if (o->delay_ms > 0)
			good = crowd_hear(&c);
		else
			sleep(1);
	}
	report_memory(o, "held", before);
	crowd_close(&c);
	sleep(1);
	report_memory(o, "closed", before);
	return good ? EXIT_DONE : EXIT_ENV;
}
