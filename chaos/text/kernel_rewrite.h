/*
 * The kernel inside a model's answer: find it, pick a site of a corruption
 * operator, name the edits.  Text in, edits out; no I/O.
 *
 * A kernel stands in an answer as the candidate's JSON object (alone, in a
 * fence or in prose), or bare in a fence that holds "__kernel"; the first one
 * counts.  An answer that is still on its way is read the same, so that what
 * is decided early is what would be decided at the end.
 */
#ifndef CHAOS_KERNEL_REWRITE_H
#define CHAOS_KERNEL_REWRITE_H

#include "base/err.h"
#include "chaos/text/json_splice.h"
#include "cltext/corruption.h"
#include <jansson.h>

#define REWRITE_LINES_MAX 600 /* bytes of before and after kept for the log */

struct rewrite {
	struct splices edits; /* of the content */
	size_t site;          /* from 0 */
	uint32_t line;        /* in the kernel's source, from 1 */
	char *before, *after; /* owned: the lines that changed */
};

/*
 * Which site: that with the number; or -1, the first that takes() says yes
 * to, in their order, or else the last.
 */
struct rewrite_choice {
	int64_t site;
	bool (*takes)(size_t site, void *arg);
	void *arg;
};

/*
 * ERR_NOTFOUND  no kernel, or the operator has no site in it
 * ERR_TOOBIG    the kernel is longer than the contract allows
 * *why then says which; *ret is untouched.
 */
enum err rewrite_plan(struct slice content, const struct corrupt_operator *op,
    const struct rewrite_choice *choice, struct rewrite *ret, struct why *why);

/*
 * The same for the beginning of an answer, which ends where a statement of
 * the kernel does, or (is_over) its last one.
 *
 * ERR_AGAIN     the site is not known yet; what comes before byte *ret_free
 *               of the content will not be edited
 * ERR_NOTFOUND  no kernel yet; when is_over, none, or no site
 */
enum err rewrite_plan_early(struct slice content, bool is_over,
    const struct corrupt_operator *op, const struct rewrite_choice *choice,
    struct rewrite *ret, size_t *ret_free);
void rewrite_done(struct rewrite *r); /* NULL-safe */

#endif
