/*
 * One draw of the adversary: a kernel, a place and form of a mistake in it,
 * sizes; and for these a few pairs of values and a condition that holds with
 * them, of which the first is taken that the witness stand proves wrong and
 * that no eye sees.
 *
 * Building is what a witness costs, so all the pairs are looked at in one
 * build (stand_menu_open()); what is taken is built for itself and proved.
 */
#ifndef TESTS_PROVING_HUNT_H
#define TESTS_PROVING_HUNT_H

#include "tests/proving/plant.h"
#include "tests/proving/stand.h"

struct hunted {
	struct planted planted;
	struct candidate candidate;
	struct scene scene;
	struct stand_finding finding;
};

/* loud: counts those that were wrong for every eye.  only: a word that a
 * kernel's name or a mistake must have, or NULL.  false: nothing was found,
 * and nothing is left behind. */
bool hunt(struct stand *stand, const struct kernel *k, size_t mistake,
    const char *only, struct draw *d, struct hunted *ret, uint32_t *loud);
void hunted_done(struct hunted *h);

#endif
