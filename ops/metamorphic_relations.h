/*
 * Metamorphic relations: what must hold between an operator's answers to two
 * related inputs, whatever the right answers are.
 *
 * A relation changes a drawn instance (reversed rows, doubled values, one row
 * less, ...) and then compares the two outputs.  Scaling by a power of two
 * moves exponents only, and holds bit for bit.  A row among others, or in
 * another place, keeps its value within twice its bound: a kernel may share
 * rows among its items as it likes.  The rest carry their tolerance with its
 * reason in the code.
 *
 * Relations are rows of a table in the operator's file, made with the macros
 * at the end.
 */
#ifndef OPS_METAMORPHIC_RELATIONS_H
#define OPS_METAMORPHIC_RELATIONS_H

#include "ops/op.h"

struct relation_pair {
	const struct op_instance *base, *changed;
	const float *got_base, *got_changed; /* out.rows * out.cols, packed */
	const double *bound;                 /* of the base's elements */
	bool *ret_differs; /* set where equal elements differ in bits */
};

struct op_relation {
	const char *name; /* what must hold, as a sentence */
	/* Changes a copy of the base instance; NULL: scale alone. */
	void (*change)(struct op_instance *in);
	/* How far from holding: at most 1 holds.  Of whole outputs, or of every
	 * element (input 0's, the base's output's, the changed one's), or with
	 * neither out scaled, bit for bit. */
	double (*check)(const struct relation_pair *p);
	double (*each)(double x, double y, double changed);
	/* Powers of two, by argument: 0 leaves an input as it is. */
	float scale[OP_ARGS_MAX];
	float scale_eps; /* 0: as it is */
	float scale_out; /* with no check; 0 stands for 1 */
};

/* A changed copy of an instance; op_instance_free() frees it. */
struct op_instance *relation_apply(const struct op_relation *r,
    const struct op_instance *base);

/* Infinity when something is not a number. */
double relation_check(const struct op_relation *r,
    const struct relation_pair *p);

/* ---- changes and checks that several families share */

/* The order of the rows of every input that has the output's rows; blocks of
 * seq rows where the operator has such. */
void relation_reverse_rows(struct op_instance *in);
double relation_rows_reversed(const struct relation_pair *p);
/* Only the first row, or the first block. */
void relation_one_row(struct op_instance *in);
double relation_first_row(const struct relation_pair *p);
/* The order of the columns of input 0. */
void relation_reverse_columns(struct op_instance *in);
/* Every value of input 0 with its sign turned. */
void relation_negate(struct op_instance *in);

/* |got - want| in units of tolerance; infinity when not a number. */
double relation_distance(double got, double want, double tolerance);

#define RELATIONS_OF_ROWS                                                      \
	{ .name = "rows in reverse order are the same rows",                   \
		.change = relation_reverse_rows,                               \
		.check = relation_rows_reversed },                             \
	{                                                                      \
		.name = "a row alone is the row among others",                 \
		.change = relation_one_row, .check = relation_first_row        \
	}

#endif
