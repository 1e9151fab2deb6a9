/*
 * Inputs for what has not run yet: shapes for conditions over sizes, values
 * for conditions over data, from the constants that stand in the program.
 */
#ifndef LAB_INPUT_SEARCH_H
#define LAB_INPUT_SEARCH_H

#include "cltext/candidate.h"
#include "lab/probe/condition.h"
#include "lab/run/order.h"
#include "ops/op.h"

struct seek;

/* All are borrowed. */
struct seek *seek_new(const struct op *op, const struct candidate *c,
    const struct program *p, const struct prog_function *kernel,
    const uint8_t seed[32]);
void seek_free(struct seek *s); /* NULL-safe */

/* A shape, and the work groups in it that are worth a look. */
struct seek_shape {
	struct op_shape shape;
	uint64_t groups[8];
	uint32_t ngroups;
};

/* Notes what a shape takes, so that no other one is sought for it. */
void seek_know(struct seek *s, const struct op_shape *shape);

/* The cheapest shapes that were found for the outcomes that no known shape
 * takes: at most max. */
size_t seek_shapes(struct seek *s, struct seek_shape *out, size_t max);

/* Notes which outcomes a launched shape takes together; then shapes for two
 * that none has taken so, where one is found: at most max. */
void seek_know_pairs(struct seek *s, const struct op_shape *shape);
size_t seek_pairs(struct seek *s, struct op_shape *out, size_t max);

/* Notes what a shape takes that is launched with all classes of values, where
 * its rows lie apart or can't, which is_loose says; then shapes for what none
 * of those takes: at most max. */
void seek_know_mixed(struct seek *s, const struct op_shape *shape,
    bool is_loose);
size_t seek_mixed(struct seek *s, struct op_shape *out, size_t max);

/* Shapes where a number that sizes alone make is least, most, or none: at most
 * max. */
size_t seek_numbers(struct seek *s, struct op_shape *out, size_t max);

/* Shapes beyond what the program cuts numbers to, in which what sizes decide
 * comes out as it does in others: at most max. */
size_t seek_beyond_cuts(struct seek *s, struct op_shape *out, size_t max);

/* Shapes for which a quotient that is made without a division is not one: at
 * most max. */
size_t seek_quotients(struct seek *s, struct op_shape *out, size_t max);

/* How many columns go round with what a loop counts in fewer than 32 bits, for
 * each such counter: a whole number of times for each lane of a group, where
 * that is no more than most columns.  At most max. */
size_t seek_counted_columns(const struct seek *s, uint64_t most, uint64_t *out,
    size_t max);

/* Work items of a launch, without those of groups that have nothing to do, as
 * far as the numbers of rows tell. */
uint64_t seek_walkers(const struct seek *s, const struct op_shape *shape);

/* See cond_counts_to(), cond_keeps_little() and cond_takes_log(). */
uint32_t seek_counts_to(const struct seek *s, uint32_t max);
bool seek_keeps_little(const struct seek *s);
bool seek_takes_log(const struct seek *s);

/* Shapes with the last and the first size of a way that sizes decide: at most
 * max. */
size_t seek_edges(struct seek *s, struct op_shape *out, size_t max);

/* Values for which a sum of the program is zero in a shape, see
 * condition_roots.h: at most max. */
size_t seek_roots(const struct seek *s, const struct op_shape *shape,
    const double *fixed, double *out, size_t max);

/* Strides of their own and more rows, as far as what the shape takes stays: a
 * way of its own mostly errs in rows that are not close, or in some. */
void seek_loosen(struct seek *s, struct op_shape *ret);

/* Has the operator an eps or a base?  Then those of an end of what is ordinary,
 * where whoever takes another one for it is seen: an eps that outweighs a row or
 * is next to nothing, a base of hundreds of thousands or of a few. */
bool seek_has_parameters(const struct seek *s);
void seek_end_parameters(struct seek *s, bool is_large, struct op_shape *ret);

/* A shape drawn from constants, the launch's expressions' too, and what it
 * costs; false: none this time. */
bool seek_any_shape(struct seek *s, struct op_shape *ret, uint64_t *ret_cost);

/* A small shape whose sizes are near constants; false: there are none. */
bool seek_near_constant(struct seek *s, struct op_shape *ret);

/* The next shape with a constant as one of its sizes or parameters, the others
 * small; *at: 0 at first.  *ret_arg: which argument it is.  false: no more. */
bool seek_of_constant(const struct seek *s, size_t *at, struct op_shape *ret,
    size_t *ret_arg);

/* Shapes far out, for outcomes that those that there are (have) do not take: at
 * most max, and some more for those behind a guard, for single numbers and for
 * steps of a large prime. */
#define SEEK_GUARDED_MAX   ((size_t)16)
#define SEEK_STRETCHED_MAX ((size_t)6)
#define SEEK_STEPS_MAX     ((size_t)8)
size_t seek_far(struct seek *s, const struct op_shape *have, size_t nhave,
    struct op_shape *out, size_t max);

/* Do values have a say in a point's outcome, or in whether it is come to? */
bool seek_hangs_on_values(const struct seek *s, size_t point);

/* Of a loop: do constants alone decide how often it goes round? */
bool seek_is_constant_loop(const struct seek *s, size_t point);

/* Notes that a shape of seek_shapes() is launched on the device; and is a loop,
 * whose end sizes alone decide, known to go round so in a shape that no device
 * launches? */
void seek_know_launched(struct seek *s, const struct op_shape *shape);
bool seek_is_left_out(const struct seek *s, size_t point, uint32_t outcome);

/* Is an outcome proved impossible by the contract or by the geometry? */
bool seek_is_impossible(const struct seek *s, size_t point, uint32_t outcome);

/* Puts constants, their neighbours and what leads to them at random places of
 * the inputs; round: which of them.  Values are of the storage type. */
void seek_plant(struct seek *s, struct op_instance *in, uint32_t round);
/* One of these values; false: there are none. */
bool seek_value(struct seek *s, enum dtype d, float *ret);
/* Are there any constants? */
bool seek_can_plant(const struct seek *s);

#endif
