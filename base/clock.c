/* The clocks. */
#include "base/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

/* 0: it is not held, or was not asked for yet. */
static _Thread_local struct {
	bool is_on;
	uint64_t mono_ns, wall_ns;
} held;

static uint64_t
read_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t
clock_mono_ns(void)
{
	if (!held.is_on)
		return read_ns(CLOCK_MONOTONIC);
	if (!held.mono_ns)
		held.mono_ns = read_ns(CLOCK_MONOTONIC);
	return held.mono_ns;
}

uint64_t
clock_mono_us(void)
{
	return clock_mono_ns() / 1000;
}

uint64_t
clock_mono_ms(void)
{
	return clock_mono_ns() / 1000000;
}

uint64_t
clock_wall_ms(void)
{
	if (!held.is_on)
		return read_ns(CLOCK_REALTIME) / 1000000;
	if (!held.wall_ns)
		held.wall_ns = read_ns(CLOCK_REALTIME);
	return held.wall_ns / 1000000;
}

void
clock_hold(void)
{
	held.is_on = true;
	held.mono_ns = held.wall_ns = 0;
}

void
clock_release(void)
{
	held.is_on = false;
}

uint64_t
clock_exact_us(void)
{
	return read_ns(CLOCK_MONOTONIC) / 1000;
}

void
clock_iso(uint64_t wall_ms, char *out)
{
	time_t s = (time_t)(wall_ms / 1000);
	char day[24];
	struct tm tm;

	gmtime_r(&s, &tm);
	strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm);
	(void)snprintf(out, CLOCK_ISO_BYTES, "%s.%03uZ", day,
	    (unsigned)(wall_ms % 1000));
}
