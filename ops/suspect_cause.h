/*
 * What usually is wrong, told from the pattern of all judged cases: which of
 * them passed, which failed, and how.  Pure: shapes, storage types, data
 * classes and signs go in, a short phrase comes out, never a value.
 *
 * A cause foresees of every case whether it would fail.  The one whose
 * foresight fits the cases best is named; when none fits well enough, or two
 * fit a handful of cases alike, nothing is said rather than something
 * misleading.
 *
 * To add one: a row in the operator's table, or in ops/suspect_cause_table.c
 * when it may befall any operator.  Among causes that fit alike the earlier row
 * wins, and an operator's own before the shared ones.
 */
#ifndef OPS_SUSPECT_CAUSE_H
#define OPS_SUSPECT_CAUSE_H

#include "ops/element_judge.h"
#include "ops/op.h"

/* How a case came out. */
enum cause_sign {
	CAUSE_PASSED,
	CAUSE_SLIGHT,     /* within what rounding through a half does */
	CAUSE_OFF,        /* finite, and further off */
	CAUSE_FAR,        /* so far that elements of other scales are mixed */
	CAUSE_NOT_FINITE, /* NaN or infinity, or none where there must be */
	CAUSE_UNWRITTEN,
	CAUSE_OUTSIDE, /* outside its buffers or its rows */
	CAUSE_OTHER,   /* no cause knows that */
	CAUSE_NSIGNS
};

struct cause_case {
	const struct op_instance *in; /* op, c, shape and out are looked at */
	enum cause_sign sign;
};

enum cause_foresight { CAUSE_SPARES, CAUSE_MAY_FAIL, CAUSE_FAILS };

struct op_cause {
	const char *text; /* a short question */
	/* Would this case fail?  It spares a failure whose sign this cause
	 * does not leave. */
	enum cause_foresight (*foresees)(const struct cause_case *c);
	/* Or NULL: of those cases the ones fail whose measure is as large as
	 * the smallest failing one's. */
	uint64_t (*measure)(const struct op_instance *in);
};

/* The sign of a failure by its class, or of values by their ratio. */
enum cause_sign cause_sign_of(const char *class, const struct judge_result *v);

/* The cause that the cases of one operator speak for, or NULL. */
const char *cause_find(const struct cause_case *cases, size_t n);

/* What rows are made of. */
bool cause_is_float32(const struct cause_case *c);
bool cause_is_value(const struct cause_case *c);     /* a sign of values */
bool cause_is_far_off(const struct cause_case *c);   /* more than slight */
uint32_t cause_length(const struct op_instance *in); /* of an input's row */
/* Divides by the smoke case's number of columns whatever the row's. */
enum cause_foresight cause_fixed_count(const struct cause_case *c);
/* Where eps outweighs the data, or is not the smoke case's. */
enum cause_foresight cause_eps(const struct cause_case *c);

#define CAUSE_FIXED_COUNT                                                      \
	{                                                                      \
		.text = "divides by a fixed count instead of the row's?",      \
		.foresees = cause_fixed_count                                  \
	}
#define CAUSE_EPS                                                              \
	{                                                                      \
		.text = "eps misplaced, dropped or hard-coded?",               \
		.foresees = cause_eps                                          \
	}

/* ops/suspect_cause_table.c: what may befall any operator. */
extern const struct op_cause causes_shared[];
extern const size_t ncauses_shared;

#endif
