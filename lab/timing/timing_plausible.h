/* Whether a measured time can be believed.  Pure. */
#ifndef LAB_TIMING_PLAUSIBLE_H
#define LAB_TIMING_PLAUSIBLE_H

#include "lab/timing/timing.h"

/* By both series of a size and its floor (milliseconds). */
enum lab_timing_status timing_plausibility(const struct lab_timing_size *s);

#endif
