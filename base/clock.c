/* The clocks. */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

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
	return read_ns(CLOCK_MONOTONIC);
}

uint64_t
clock_mono_us(void)
{
	return read_ns(CLOCK_MONOTONIC) / 1000;
}

uint64_t
clock_mono_ms(void)
{
	return read_ns(CLOCK_MONOTONIC) / 1000000;
}

uint64_t
clock_wall_ms(void)
{
	return read_ns(CLOCK_REALTIME) / 1000000;
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
