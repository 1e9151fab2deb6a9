/*
 * What the model is told: the kernel contract, one operator, and after a
 * failure what verification.md section 1 allows and nothing else.
 *
 * The text is made from the operator's registry row, so that a new operator
 * needs no prompt.  Nothing of the holdouts is in it: no shape, no value, no
 * seed; after a failure one case's public name.
 */
#ifndef AGENT_PROMPT_H
#define AGENT_PROMPT_H

#include "ops/op.h"
#include <jansson.h>
#include <stdbool.h>

struct prompt_feedback {
	const char *class;     /* "wrong", "compile_error", "parse", ... */
	const char *message;   /* one line of the stage, or "" */
	const char *case_name; /* public, or NULL when no case was reached */
	enum dtype dtype;
	double max_abs_diff; /* told as a power of ten; 0: not compared */
	double bound_ratio;  /* the same */
	const char *suspect; /* or "" */
};

/* The conversation that opens every attempt: system and user.  Owned.
 * with_examples: also those of the operator's category (fewshot.h). */
json_t *prompt_open(const struct op *op, bool with_examples);

/* The same contract without who is asked to answer how, and one operator:
 * what anybody who writes a kernel must know.  The second is owned. */
const char *prompt_contract_text(void);
char *prompt_operator_text(const struct op *op);

/* Adds the model's answer (NULL: none came) and what was wrong with it. */
void prompt_add_feedback(json_t *messages, const char *answer,
    const struct prompt_feedback *fb);

/* "about 10^3 times its bound", "beyond any bound"; out holds 64 bytes. */
void prompt_ratio_text(double bound_ratio, char *out, size_t size);

#endif
