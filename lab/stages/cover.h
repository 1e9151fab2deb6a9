/*
 * Coverage of one program: a candidate in one storage type, the child that
 * counts (lab/run/counter.h), and what has been counted.
 *
 * Cases are queued, then sent together; the child works through them while
 * the judge does other things.
 */
#ifndef LAB_COVER_H
#define LAB_COVER_H

#include "lab/stages/seek.h"
#include "lab/stages/trial.h"

struct cover;

/* How a case is run in the machine. */
struct cover_run {
	const struct trial_case *tc;
	const struct seek_shape *near; /* whose groups come first, or NULL */
	uint64_t budget;               /* instructions */
	bool is_pessimist;
	bool whole; /* every group, whatever the budget says of it */
};

/* text: the IR.  NULL: trial_fail() was called. */
struct cover *cover_new(struct trial *t, enum dtype d, const char *text);
void cover_free(struct cover *c); /* NULL-safe */

struct seek *cover_seek(struct cover *c);
const struct program *cover_program(const struct cover *c);

/* Queues a run, unless there is no room for it. */
void cover_add(struct cover *c, const struct cover_run *run);
/* Sends what is queued.  false: trial_fail() was called. */
bool cover_send(struct trial *t, struct cover *c);
/* Waits for all that was sent, and judges what came out of whole launches.
 * false: trial_fail() was called. */
bool cover_await(struct trial *t, struct cover *c);

/* How often an outcome came up. */
uint32_t cover_count(const struct cover *c, size_t point, uint32_t outcome);
uint64_t cover_instructions(const struct cover *c); /* so far */

#endif
