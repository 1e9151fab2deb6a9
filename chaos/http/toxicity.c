/*
 * One draw a connection and a toxic's name, and not one a chunk: a toxicity
 * that is changed later moves the same connections in and out, and a
 * connection is never touched half.
 */
#include "chaos/http/toxicity.h"

bool
toxicity_touches(const struct toxic *t, const struct fire_draw *connection)
{
	struct fire_draw d = *connection;

	d.rule = t->name;
	return !t->is_asleep &&
	    fire_draw_hits(&d, "toxicity", chance_of(t->toxicity));
}
