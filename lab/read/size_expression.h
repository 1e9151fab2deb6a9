/*
 * Launch expressions: integers over an operator's scalar names, as
 * kernel-contract.md section 1 lists them.
 *
 *	batch * seq * (dim / 2)		round_up(ceil_div(cols, 4), 64)
 *
 * Arithmetic is 64-bit and checked; no value on the way may be negative.
 * Pure: no recursion, no allocation, caps on everything.
 */
#ifndef LAB_SIZE_EXPRESSION_H
#define LAB_SIZE_EXPRESSION_H

#include "base/err.h"
#include <stddef.h>
#include <stdint.h>

#define EXPR_BYTES_MAX 1024
#define EXPR_DEPTH_MAX 64 /* operands and operators that wait at once */

struct expr_var {
	const char *name;
	int64_t value;
};

/* Which of its two a min or a max was: bit i of the i-th that was applied; of
 * two equal ones each.  Of a quotient that is not 0, and of a remainder that
 * is, the first; the other way of these need not exist. */
struct expr_choices {
	uint64_t first, other;
	uint64_t divides; /* which are quotients or remainders */
	unsigned n;
};

/*
 * ERR_SYNTAX  not an expression, or a name that is not among vars.
 * ERR_RANGE   overflow, division by zero or a negative result.
 * ERR_TOOBIG  too long or too deep.
 * *why names the expression; *ret is untouched on failure.
 */
enum err expr_eval(const char *text, const struct expr_var *vars, size_t nvars,
    int64_t *ret, struct why *why);
/* The same; adds to what stands in *choices. */
enum err expr_choose(const char *text, const struct expr_var *vars,
    size_t nvars, int64_t *ret, struct expr_choices *choices, struct why *why);

#endif
