/*
 * The kernel inside a model's answer: find it, pick a site of a corruption
 * operator, name the edits.  Text in, edits out; no I/O.
 *
 * A kernel stands in an answer as the candidate's JSON object (alone, in a
 * fence or in prose), or bare in a fence that holds "__kernel".
 */
#ifndef CHAOS_REWRITE_H
#define CHAOS_REWRITE_H

#include "base/err.h"
#include "chaos/splice.h"
#include "cltext/corrupt.h"
#include <jansson.h>

#define REWRITE_LINES_MAX 600 /* bytes of before and after kept for the log */

struct rewrite {
	struct splices edits; /* of the content */
	size_t site, nsites;  /* which of how many, from 0 */
	uint32_t line;        /* in the kernel's source, from 1 */
	char *before, *after; /* owned: the lines that changed */
};

/* Which of n sites; n is at least 1, the result below n. */
typedef size_t rewrite_pick(size_t n, void *arg);

/*
 * ERR_NOTFOUND  no kernel, or the operator has no site in it
 * ERR_TOOBIG    the kernel is longer than the contract allows
 * *why then says which; *ret is untouched.
 */
enum err rewrite_plan(struct slice content, const struct corrupt_operator *op,
    rewrite_pick *pick, void *arg, struct rewrite *ret, struct why *why);
void rewrite_done(struct rewrite *r); /* NULL-safe */

#endif
