/*
 * Examples for a prompt: by category of operator one kernel that is right and
 * one mistake that is often made, with what is wrong about it.
 *
 * The examples are of operators that the registry has not, so that none of
 * them is an answer; the mistakes are those that the corruption operators make,
 * so that nothing of the holdouts is told that the corpus does not show.
 */
#ifndef AGENT_FEWSHOT_H
#define AGENT_FEWSHOT_H

#include "ops/op.h"

struct fewshot {
	const char *category; /* as op_category_name */
	const char *good;     /* a candidate's JSON object */
	const char *bad;      /* lines of a kernel */
	const char *why;      /* what is wrong with them */
};

/* NULL: the category has none. */
const struct fewshot *fewshot_find(const char *category);

#endif
