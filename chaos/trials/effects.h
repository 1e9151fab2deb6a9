/*
 * What a program has done to the world, as a list of lines that it (or whoever
 * looks after it) has left, and how two such lists differ.  A run without a
 * fault says what the effects are; under a fault each of them must be there
 * once.
 */
#ifndef CHAOS_EFFECTS_H
#define CHAOS_EFFECTS_H

#include <jansson.h>

/* In the program's folder: a file with a line for each effect, or a folder in
 * which each file's lines are effects of that file's name. */
#define EFFECTS_NAME "effects"

/* Appends what stands at path: "LINE", or "NAME: LINE" (an empty file is its
 * NAME).  What is not there has no effects. */
void effects_add(json_t *list, const char *path);

struct effects_change {
	const char *twice; /* is there more often; borrowed, NULL: none */
	const char *lost;  /* is there less often */
	const char *other; /* is not wanted at all */
};

/* The first of each kind.  Order does not matter. */
void effects_compare(json_t *want, json_t *have, struct effects_change *ret);

#endif
