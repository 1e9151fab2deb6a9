/* What seeks shapes and what seeks values share. */
#ifndef LAB_INPUT_SEARCH_PRIV_H
#define LAB_INPUT_SEARCH_PRIV_H

#include "lab/stages/input_search.h"
#include "ops/draw.h"

#define SEEK_CONSTANTS_MAX 64
#define SEEK_REALS_MAX     48
#define SEEK_MADE_MAX      32
#define SEEK_PAIRS_MAX     64 /* goals that are paired */
#define SEEK_SETS_MAX      256

/* An outcome of a point that sizes tell. */
struct goal {
	uint32_t point, outcome;
	bool known, found;
	bool launched; /* a loop's, on the device */
	bool shows;    /* the shape is one that seek_shows() */
	uint64_t cost;
	struct op_shape shape;
	uint64_t group;
	uint64_t id[3]; /* of a work item that takes it */
};

struct seek {
	const struct op *op;
	const struct candidate *candidate;
	const struct program *p;
	struct cond *cond; /* owned */
	struct cond_facts facts;
	struct draw dice;
	uint64_t whole[SEEK_CONSTANTS_MAX];
	size_t nwhole;
	/* No constants of arithmetic as the text has it, and sizes all the
	 * same: what it makes of constants, and what it hands on. */
	uint64_t made[SEEK_MADE_MAX];
	size_t nmade;
	float real[SEEK_REALS_MAX];
	size_t nreal;
	struct goal *goals; /* owned */
	size_t ngoals;
	size_t nloops; /* goals behind these: how often loops go round */
	uint64_t looks;
	/* Of each of the first goals: those that some launch took with it. */
	uint64_t together[SEEK_PAIRS_MAX];
	/* What items of launches took, each set once. */
	uint64_t sets[SEEK_SETS_MAX];
	size_t nsets;
	/* How many items of launches were looked at, and took each. */
	uint32_t nlaunched, often[SEEK_PAIRS_MAX];
	uint64_t mixed; /* those that met every class of values */
};

/* Adds goals for how often loops go round; seeks what is left of them from
 * what has been found; is anything left of them? */
void seek_add_loops(struct seek *s);
void seek_halve_loops(struct seek *s);
bool seek_is_loop_left(const struct seek *s);

bool seek_is_prime(uint64_t v);
/* A number as one dimension, or half of it where that is even; all others are as
 * small as they can be. */
void seek_alone(const struct seek *s, uint32_t v, size_t arg,
    struct op_shape *ret);
/* Adds the primes of the whole constants. */
void seek_mine_factors(struct seek *s);
/* Fills in what is made of constants, with its primes. */
void seek_mine_made(struct seek *s);

bool seek_is_dimension(const struct op *op, size_t arg);
/* Does a row go on along it?  As few of the others are as many. */
bool seek_is_along(const struct op *op, size_t arg);
bool seek_is_stride(const struct op *op, size_t arg);
uint32_t *seek_scalar(const struct op *op, size_t arg, struct op_shape *s);
/* Does a shape's answer tell much of what was done?  A row of one or two columns
 * is the bias, a one or itself whatever a norm's parameters and sums were, and
 * nobody sees a base in one pair. */
bool seek_shows(const struct op *op, const struct op_shape *s);
/* What a launch of it takes, in elements. */
uint64_t seek_cost(const struct op *op, const struct op_shape *s);

bool seek_is_legal(const struct op *op, const struct op_shape *s);
/* No stride is less than its columns. */
void seek_widen_strides(const struct op *op, struct op_shape *shape);
/* An eps and a base that no kernel takes for granted. */
void seek_draw_parameters(struct seek *s, struct op_shape *ret);
/* Sizes and geometry of a shape; false: nothing would be launched. */
bool seek_place(const struct seek *s, const struct op_shape *shape,
    struct cond_place *at);
/* The number of the group that a work item is in. */
uint64_t seek_group_of(const struct cond_place *at);
/* A work item of it, the n-th: the first, the last, one at a constant, any. */
void seek_draw_place(struct seek *s, uint32_t n, struct cond_place *at);

#endif
