/*
 * The word that somebody most likely meant: of a list, the one that few
 * mistakes of the hand lead to (a letter too many, too few, wrong, or two
 * swapped).
 */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

#define NEAREST_MAX 48 /* bytes; longer words are near to none */

struct nearest {
	const char *word; /* borrowed */
	const char
	    *found; /* borrowed from the candidates; NULL: none is near */
	size_t distance;
};

void nearest_init(struct nearest *n, const char *word);
void nearest_try(struct nearest *n, const char *candidate);

/* ", did you mean \"seed\"?", or "". */
const char *nearest_hint(const struct nearest *n, char out[NEAREST_MAX + 24]);

#endif
