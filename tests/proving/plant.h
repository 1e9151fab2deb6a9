/*
 * A mistake, planted in a correct kernel behind a condition that holds in a
 * scene: the second half of the adversary's grammar.
 */
#ifndef TESTS_PROVING_PLANT_H
#define TESTS_PROVING_PLANT_H

#include "tests/proving/scene.h"

struct planted {
	const char *mistake;   /* "pitch", "tail", "clamp", ... */
	const char *condition; /* class of its first part, or "always" */
	char *text;            /* owned: the kernel file */
	/* Shows when work items run in another order, not in a value. */
	bool by_order;
};

size_t plant_nmistakes(void);
const char *plant_mistake(size_t i);

/* Plants mistake number i.  false: what was drawn does not fit this kernel;
 * draw again. */
bool plant_draw(size_t i, const struct kernel *k, const struct scene *s,
    struct draw *d, struct planted *ret);

#endif
