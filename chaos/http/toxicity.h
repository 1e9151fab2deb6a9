/*
 * A toxic's toxicity: whether it touches a connection at all.
 */
#ifndef CHAOS_TOXICITY_H
#define CHAOS_TOXICITY_H

#include "chaos/http/toxic.h"
#include "chaos/rules/fire_draw.h"

/* connection: what its draws depend on; the rule in it is not looked at. */
bool toxicity_touches(const struct toxic *t,
    const struct fire_draw *connection);

#endif
