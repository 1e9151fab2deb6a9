/*
 * Speed over a whole run, as the field reports it: fast_p, the share of all
 * operators that are correct and more than p times as fast as the plain
 * kernel, and the geometric mean of the speed-ups.  Pure.
 */
#ifndef AGENT_SPEED_H
#define AGENT_SPEED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define SPEED_NPS        3
#define SPEED_TEXT_BYTES 256

struct speed {
	size_t total, measured;
	double fast[SPEED_NPS]; /* of total; for p = 1, 1.5, 2 */
	double mean;            /* of those measured */
};

/* ops: the scorecard's rows; "speedup" is there where it was measured. */
void speed_make(json_t *ops, struct speed *ret);

/* An object; null when nothing was measured. */
json_t *speed_json(const struct speed *s);

/* One line without its end; false: nothing was measured. */
bool speed_text(const struct speed *s, char *out, size_t size);

#endif
