/* One part of reading a scenario (scenario.c): its proxies. */
#ifndef CHAOS_SCENARIO_PROXIES_H
#define CHAOS_SCENARIO_PROXIES_H

#include "base/jfield.h"
#include "chaos/rules/scenario.h"

/* Appends them to s; what they point to belongs to the scenario's document.
 * ERR_SYNTAX, ERR_RANGE with the JSON pointer of what does not fit. */
enum err scenario_read_proxies(struct scenario *s, json_t *proxies,
    struct why *why);

/* Fields of SCENARIO_PROXY or SCENARIO_TLS, sorted by key. */
const struct jfield *scenario_proxy_fields(enum scenario_part part, size_t *n);

#endif
