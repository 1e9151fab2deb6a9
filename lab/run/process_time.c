/*
 * Linux counts for each task how long it could have run and did not
 * (/proc/PID/schedstat: nanoseconds on a processor, nanoseconds in line, turns).
 * Who is nice, or of the class that runs when nobody else wants to, stands in
 * line for minutes on a busy machine; a clock alone would take it for asleep.
 */
#include "lab/run/process_time.h"

#include "base/clock.h"
#include <stdio.h>
#include <time.h>

#define NS_US 1000
#define NS_MS 1000000

uint64_t
process_used_us(pid_t pid)
{
	struct timespec used = { 0 };
	clockid_t clock;

	/* A child that is a zombie still has its clock; it has not been waited
	 * for, so the number is its own. */
	if (pid > 0 && clock_getcpuclockid(pid, &clock) == 0)
		clock_gettime(clock, &used);
	return (uint64_t)used.tv_sec * 1000000 + (uint64_t)used.tv_nsec / NS_US;
}

uint64_t
process_used_ms(pid_t pid)
{
	return process_used_us(pid) / 1000;
}

uint64_t
process_waited_ms(pid_t pid)
{
	unsigned long long waited_ns = 0;
	char path[48];
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
	f = pid > 0 ? fopen(path, "re") : NULL;
	if (!f)
		return 0;
	if (fscanf(f, "%*u %20llu", &waited_ns) != 1)
		waited_ns = 0;
	fclose(f);
	return waited_ns / NS_MS;
}

uint64_t
process_clock_ms(pid_t pid)
{
	return clock_mono_ms() - process_waited_ms(pid);
}
