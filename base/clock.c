/* The clocks. */
#include "base/clock.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
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
	static _Thread_local char last[CLOCK_ISO_BYTES];
	static _Thread_local time_t last_s = -1;
	time_t s = (time_t)(wall_ms / 1000);
	unsigned ms = (unsigned)(wall_ms % 1000);
	struct tm tm;
	size_t n;

	/* Making a date is dear, and asked for again within a second. */
	if (s != last_s) {
		gmtime_r(&s, &tm);
		strftime(last, sizeof last, "%Y-%m-%dT%H:%M:%S.000Z", &tm);
		last_s = s;
	}
	n = strlen(last) - strlen("000Z");
	memcpy(out, last, CLOCK_ISO_BYTES);
	out[n] = (char)('0' + ms / 100);
	out[n + 1] = (char)('0' + ms / 10 % 10);
	out[n + 2] = (char)('0' + ms % 10);
}
