/*
 * CPU time comes from the process's own clock, which the kernel lets others
 * read and which counts nanoseconds: the ticks of /proc/PID/stat are too
 * coarse for a run of a second.
 */
#include "bench/meter.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

uint64_t
meter_cpu_us(pid_t pid)
{
	struct timespec t;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 ||
	    clock_gettime(clock, &t) != 0)
		return 0;
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

uint64_t
meter_rss_kib(pid_t pid)
{
	char path[64], line[128];
	uint64_t kib = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return 0;
	while (fgets(line, sizeof line, f))
		if (sscanf(line, "VmRSS: %" SCNu64, &kib) == 1)
			break;
	fclose(f);
	return kib;
}

uint64_t
meter_fds(pid_t pid)
{
	char path[64];
	uint64_t n = 0;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%d/fd", (int)pid);
	d = opendir(path);
	if (!d)
		return 0;
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2; /* "." and ".." */
}

static int
by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

uint64_t
meter_percentile(uint64_t *v, size_t n, double percent)
{
	size_t at = (size_t)((double)n * percent / 100);

	if (n == 0)
		return 0;
	qsort(v, n, sizeof *v, by_value);
	return v[at < n ? at : n - 1];
}
