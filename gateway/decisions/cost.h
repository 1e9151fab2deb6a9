/*
 * What tokens cost.  Money is counted in whole nanodollars, so that sums
 * over a day are exact; prices are dollars per million tokens and may change
 * with the time of day (UTC), as providers' do.
 */
#ifndef GATEWAY_COST_H
#define GATEWAY_COST_H

#include "gateway/text/conf_field.h"
#include <stdint.h>

#define COST_WINDOWS_MAX 4
#define COST_USD         1000000000 /* nanodollars */

struct cost_price {
	const char *target;           /* "provider/model" */
	double input, output, cached; /* dollars per million; cached -1: as
	                                 input */
	size_t nwindows;
	struct cost_window {
		unsigned from_min, to_min; /* of the day; may wrap midnight */
		double factor;
	} windows[COST_WINDOWS_MAX];
};

struct cost_usage {
	uint64_t in, out, cached; /* cached is a part of in */
};

/* price NULL: nothing. */
uint64_t cost_nano(const struct cost_price *price, const struct cost_usage *u,
    uint64_t wall_s);

/* {target, input, output, cached_input, schedule: [{from, to, factor}]} */
void cost_read_price(const struct ynode *node, struct cost_price *ret,
    struct findings *f);

#endif
