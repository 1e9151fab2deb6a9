/*
 * What well-known models cost at their makers' own hosts, as it was published
 * on a day.  Prices age; what a configuration says comes first.
 */
#ifndef GATEWAY_KNOWN_PRICES_H
#define GATEWAY_KNOWN_PRICES_H

#include "gateway/decisions/cost.h"
#include <stddef.h>

struct known_price {
	const char *host;
	struct cost_price price; /* target: the model alone */
};

/* Sorted by host and model. */
const struct known_price *known_prices(size_t *ret_n);
/* The day on which they were looked up, "2026-11-22", and the page on which the
 * maker says them; "": nobody's. */
const char *known_prices_date(void);
const char *known_prices_source(const char *host);

/* The model by its name, or by its name and a date ("-20250929",
 * "-2025-08-07"); NULL: nobody knows, as of any other host. */
const struct cost_price *known_price(const char *host, const char *model);

#endif
