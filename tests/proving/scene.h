/*
 * A scene: one legal input of an operator, drawn over far more of the
 * contract than a list of holdouts can hold: sizes to 2^21 elements, every
 * storage type, pitch and data class, special values anywhere, parameters of
 * all sizes.
 *
 * The adversary draws the scene first and then plants a condition that holds
 * in it: so nobody has to search for an input that a mistake shows on.
 */
#ifndef TESTS_PROVING_SCENE_H
#define TESTS_PROVING_SCENE_H

#include "lab/run/geometry.h"
#include "ops/draw.h"
#include "ops/element_judge.h"
#include "tests/proving/corpus.h"

struct scene {
	struct op_case c;
	struct op_instance *in; /* owned */
	struct order_geometry geometry;
	struct judge_want want; /* what should come out, packed */
};

/* false: the kernel cannot be launched there, or it would take too long;
 * nothing is left behind. */
bool scene_draw(const struct kernel *k, struct draw *d, struct scene *ret);
/* Another one of the same sizes, parameters and storage, with other values. */
void scene_redraw(const struct kernel *k, const struct scene *like,
    struct draw *d, struct scene *ret);
void scene_done(struct scene *s);

/* An argument's value by its name; false: there is none of that kind. */
bool scene_uint(const struct scene *s, const char *name, uint32_t *ret);

/* Shape, storage type and kind of data, for people. */
void scene_text(const struct scene *s, char *out, size_t size);

#endif
