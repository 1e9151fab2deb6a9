/*
 * What is faster than the machine can be is not believed, however often it was
 * measured: then the kernel did not do its work, or a clock is wrong.
 */
#include "lab/timing/timing_plausible.h"

#define IMPOSSIBLE_PART 0.90 /* of the floor, which was measured too */
/* A device clock may tick coarsely, but it sees less than we do. */
#define CLOCK_SLACK    1.05
#define CLOCK_SLACK_MS 0.05

static bool
clocks_disagree(const struct lab_series *s)
{
	return s->device_ms > CLOCK_SLACK * s->median_ms + CLOCK_SLACK_MS;
}

enum lab_timing_status
timing_plausibility(const struct lab_timing_size *s)
{
	double least = IMPOSSIBLE_PART * s->floor_ms;

	if (s->candidate.median_ms < least || s->plain.median_ms < least)
		return LAB_TIMING_IMPOSSIBLE;
	if (clocks_disagree(&s->candidate) || clocks_disagree(&s->plain))
		return LAB_TIMING_CLOCKS;
	return s->candidate.is_noisy || s->plain.is_noisy ? LAB_TIMING_NOISY
	                                                  : LAB_TIMING_GOOD;
}
