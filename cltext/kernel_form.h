/*
 * What a kernel's text says about itself: its parameters, its loops, its
 * calls.  For the operators in this folder.
 */
#ifndef CLTEXT_KERNEL_FORM_H
#define CLTEXT_KERNEL_FORM_H

#include "cltext/clcode.h"

/* Is name a parameter of some function here? */
bool kernel_has_param(const struct clcode *c, const char *name);

/* What a row's work runs over, and what counts the rows, as this kernel's
 * parameters are called; NULL: neither family's. */
const char *kernel_length_name(const struct clcode *c);
const char *kernel_rows_name(const struct clcode *c);

/* NAME_stride at i: the columns of that tensor, "cols", "k" or "n"; NULL: it is
 * something else. */
const char *kernel_columns_of_stride(const struct clcode *c, size_t i);

/*
 * `NAME += E` or `NAME = fma(...)` at i, where NAME started at zero: the sum,
 * owned, as an expression; *end is where the statement's semicolon stands.
 * NULL: nothing of the kind.
 */
char *kernel_sum_at(const struct clcode *c, size_t i, size_t *end);

/* The first code token inside a function body; c->n without one. */
size_t kernel_body(const struct clcode *c);

/* `for (INIT; COND; STEP) BODY` at code token i. */
struct kernel_loop {
	size_t cond, cond_end, step, step_end, body, body_end;
};
bool kernel_loop_at(const struct clcode *c, size_t i, struct kernel_loop *ret);

/* Argument k of the call NAME(...) at i: false without one. */
bool kernel_call_arg(const struct clcode *c, size_t i, size_t k, size_t *from,
    size_t *end);

/*
 * A slash at i that divides by cols as a number, not in the decoding of a
 * work item (`i / cols` beside `i % cols`): the token after the divisor, casts
 * included; else i.
 */
size_t kernel_mean_divisor(const struct clcode *c, size_t i);

#endif
