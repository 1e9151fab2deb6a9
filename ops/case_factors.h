/*
 * The factors of ops/covering_array.h, their classes, and what a choice of
 * classes means for a shape.  Private to the covering array.
 */
#ifndef OPS_CASE_FACTORS_H
#define OPS_CASE_FACTORS_H

#include "ops/covering_array.h"
#include "ops/draw.h"

enum factor_kind {
	FACTOR_COLUMNS, /* cols, n, k, dim */
	FACTOR_ROWS,    /* rows, m, seq */
	FACTOR_BATCH,
	FACTOR_PITCH,
	FACTOR_PLACE,
	FACTOR_EPS,
	FACTOR_BASE,
	FACTOR_POSITIONS,
	FACTOR_VALUES,
	FACTOR_NKINDS
};

#define FACTOR_UNSET 0xff

struct factor {
	enum factor_kind kind;
	size_t arg;    /* FACTOR_PITCH, FACTOR_VALUES: which tensor */
	size_t scalar; /* FACTOR_COLUMNS, _ROWS, _BATCH, _PITCH: its argument */
	size_t first;  /* number of its first class among all classes */
	size_t nclasses;
	uint32_t sizes[ARRAY_CLASSES_MAX]; /* what this seed makes of a class */
};

struct factors {
	const struct op *op;
	struct factor items[ARRAY_FACTORS_MAX];
	size_t n, nclasses; /* nclasses: of all together */
};

/* One class a factor, or FACTOR_UNSET. */
struct choice {
	uint8_t class[ARRAY_FACTORS_MAX];
};

void factors_init(struct factors *f, const struct op *op);
void factors_draw(struct factors *f, struct draw *d);
const char *factor_class_name(const struct factor *f, size_t class);
void factor_name(const struct op *op, const struct factor *f, char *out,
    size_t size);

bool factor_has_shape(const struct factor *f); /* a size or a pitch */
/* Met once, and not with everything. */
bool factor_is_heavy(const struct factor *f, size_t class);
/* One case a verdict, beside the array. */
bool factor_is_giant(const struct factor *f, size_t class);

/* The shape of a choice, what is unset as small as can be. */
struct op_shape factors_shape(const struct factors *f, const struct choice *c);
/* The rest of its case, from the stream. */
void factors_case(const struct factors *f, const struct choice *c,
    struct draw *d, struct op_case *ret, struct op_mix *mix);
/* What stands beside a giant, and the values that its first slots must have;
 * false: it is none, or another one's case holds it. */
bool factors_giant(const struct factors *f, size_t i, size_t class,
    struct choice *ret, struct choice *forced);
/* Two of everything, beside giant pitches. */
void factors_lessen(const struct factors *f, struct op_shape *s);
/* How many classes of values can arg have at once? */
size_t factors_slots(const struct op *op, const struct op_shape *s, size_t arg);
/* Elements, and an eighth of the products of a matmul. */
uint64_t factors_cost(const struct op *op, const struct op_shape *s);
/* Is it cheap enough, and does every class of it mean something? */
bool factors_allow(const struct factors *f, const struct choice *c);
/* Of which factors the classes of a choice show, a bit each: beside a size of 0
 * that size alone, and a pitch not in a single row. */
struct telling {
	uint32_t shown, empty; /* empty: sizes of 0 */
};
struct telling factors_telling(const struct factors *f, const struct choice *c);
/* Does a case of it show the classes of both? */
bool factors_show(const struct telling *t, size_t i, size_t j);
/* A size of 0. */
bool factor_is_empty(const struct factor *f, size_t class);

#endif
