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
	char *shown;           /* owned: the condition in C, or NULL: none */
	/* Shows when work items run in another order, not in a value. */
	bool by_order;
};

size_t plant_nmistakes(void);
const char *plant_mistake(size_t i);

void planted_done(struct planted *p);

/*
 * Plants mistake number i: where and in which form is drawn from place, behind
 * what from conditions, so that the same mistake can stand behind many; or
 * behind instead, if that is not NULL.  false: what was drawn does not fit
 * this kernel; draw again.
 */
bool plant_draw(size_t i, const struct kernel *k, const struct scene *s,
    struct draw place, struct draw *conditions, const char *instead,
    struct planted *ret);

#endif
