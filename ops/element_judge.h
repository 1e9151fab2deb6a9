/*
 * Pass or fail of one output against reference and bound: verification.md
 * section 4.  Pure.
 *
 *	ratio = max |got - y| / (bound + half_ulp(|y| + bound) + tiny)
 *	ratio <= 1 verified, <= 64 inaccurate, beyond or a non-finite
 *	mismatch: wrong.  An element equal to both poisons: unwritten.
 *
 * A finite y past the storage type's range must come out as infinity; within
 * the bound of that limit either is right.  tiny is 2^-126: a device may
 * flush float32 subnormals to zero.  Where float32 arithmetic over- or
 * underflows on the way, the operator names what else is right.
 */
#ifndef OPS_ELEMENT_JUDGE_H
#define OPS_ELEMENT_JUDGE_H

#include "ops/op.h"

enum judge_grade {
	JUDGE_VERIFIED,
	JUDGE_INACCURATE,
	JUDGE_WRONG,
	JUDGE_NGRADES
};

/* How far off an element is, in units of what it may be off: a histogram of
 * these tells rounding (all within) from a wrong element here and there from
 * a wrong formula. */
enum judge_band {
	JUDGE_EXACT,
	JUDGE_TO_HALF,
	JUDGE_TO_ONE, /* up to here it is right */
	JUDGE_TO_TEN,
	JUDGE_TO_THOUSAND,
	JUDGE_TO_MILLION,
	JUDGE_MORE,
	JUDGE_NOT_FINITE, /* where it must be, or the other way round */
	JUDGE_NBANDS
};

struct judge_result {
	enum judge_grade grade;
	double max_abs_diff, max_rel_diff; /* over finite elements */
	double bound_ratio;            /* infinity on a non-finite mismatch */
	size_t worst;                  /* packed index of the worst element */
	uint32_t errors[JUDGE_NBANDS]; /* elements by how far off they are */
};

/* What n elements of storage type t should be. */
struct judge_want {
	enum dtype t;
	bool keeps_zero_sign, flush_frees_zero_sign;
	size_t n;
	double *y, *bound;
	uint8_t *may;  /* enum op_outcome bits, or NULL */
	double *other; /* where may says so */
};

/* What an instance should come out as; judge_want_done() frees its arrays. */
void judge_want_init(struct judge_want *w, const struct op_instance *in);
void judge_want_done(struct judge_want *w);

/* got: as many elements, packed, as loaded from the storage type. */
void judge_compare(const struct judge_want *w, const float *got,
    struct judge_result *ret);

/*
 * The smoke test's look, as a careful person compares by hand: every element
 * within 1 % of y plus 0.01, and not finite where y is not.  It is loose on
 * purpose: what it lets through is the holdouts' to find.
 */
bool judge_smoke(size_t n, const float *got, const double *y);

const char *judge_grade_name(enum judge_grade g);
const char *judge_band_name(enum judge_band b);

#endif
