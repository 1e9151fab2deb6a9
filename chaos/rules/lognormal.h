/*
 * A log-normal duration as a pure function of a draw, in integers: the same
 * on every machine, because no floating point takes part.
 */
#ifndef CHAOS_LOGNORMAL_H
#define CHAOS_LOGNORMAL_H

#include <stdint.h>

#define SIGMA_ONE 1000 /* sigma is in thousandths */

/*
 * median * exp(sigma * z), z the normal quantile of u / 2^64, within 3
 * standard deviations.  The median must be below 2^32.
 */
uint64_t lognormal(uint64_t median, int64_t sigma_milli, uint64_t u);

#endif
