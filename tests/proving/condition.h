/*
 * Conditions that hold in a scene, as OpenCL C: the first half of the
 * adversary's grammar.
 */
#ifndef TESTS_PROVING_CONDITION_H
#define TESTS_PROVING_CONDITION_H

#include "tests/proving/scene.h"

/* What a condition may look at, each including those before it. */
enum condition_sight {
	CONDITION_LAUNCH, /* sizes, pitches, parameters, storage, geometry */
	CONDITION_ITEM,   /* and ids */
	CONDITION_VALUE,  /* and a value or an index at the place */
};

/* What a condition at some place can name besides. */
struct condition_place {
	const char *value;     /* C text of a float there, or NULL */
	const float *samples;  /* of what it may be; borrowed */
	const double *sampled; /* the same in double, where samples is NULL */
	size_t nsamples;
	const char *index; /* C text of an unsigned there, or NULL */
	uint64_t index_max;
};

/*
 * A conjunction of one to three parts, as a C expression that is 1 where it
 * holds and 0 elsewhere; owned.  Its class, "size", "alignment", "pitch", ...
 * of the first part goes to *ret_class.
 */
char *condition_draw(const struct scene *s, struct draw *d,
    enum condition_sight sight, const struct condition_place *at,
    const char **ret_class);

/* A float as a literal of OpenCL C; owned. */
char *condition_real(struct draw *d, float v);

#endif
