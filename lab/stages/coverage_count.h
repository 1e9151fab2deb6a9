/*
 * Coverage of one program: a candidate in one storage type, the child that
 * counts (lab/run/machine_child.h), and what has been counted.
 *
 * Cases are queued, then sent together; the child works through them while
 * the judge does other things.
 */
#ifndef LAB_COVERAGE_COUNT_H
#define LAB_COVERAGE_COUNT_H

#include "lab/stages/input_search.h"
#include "lab/stages/trial_launch.h"

struct cover;

/* How a case is run in the machine. */
struct cover_run {
	const struct trial_case *tc;
	const struct seek_shape *near; /* whose groups come first, or NULL */
	uint64_t budget;               /* instructions */
	enum lab_stage stage;          /* whose judgement it is */
	bool is_pessimist;
	bool is_machines; /* no device launches this case */
	bool whole;       /* every group, whatever the budget says of it */
	const struct prog_given *given; /* ngiven, PROG_GIVEN_MAX at most */
	uint32_t ngiven;
};

/* text: the IR.  An error, as prog_parse() has them: the machine can't run it. */
enum err cover_new(const struct trial *t, enum dtype d, const char *text,
    struct cover **ret, struct why *why);
void cover_free(struct cover *c); /* NULL-safe */

struct seek *cover_seek(struct cover *c);
const struct program *cover_program(const struct cover *c);

/* Queues a run, unless there is no room for it.  What was sent before and has
 * been judged makes room. */
void cover_add(struct cover *c, const struct cover_run *run);
/* Sends what is queued and was not sent.  false: trial_fail() was called. */
bool cover_send(struct trial *t, struct cover *c);
/* Waits for all that was sent, and judges what is this stage's, or was left
 * by one before it.  false: trial_fail() was called. */
bool cover_judge(struct trial *t, struct cover *c, enum lab_stage stage);

/*
 * In the device's place: runs a case in order, and waits, of a cover that has
 * nothing else to run.  got: out.rows * out.cols.  Of a launch that is too long
 * some groups run, elements of the others are taken for right, and t->nparts
 * counts it.  false: *o says what was found, or that it cannot be told.
 */
bool cover_launch(struct trial *t, struct cover *c, const struct trial_case *tc,
    float *got, struct trial_outcome *o);

/* Of a launch whose every group is too long for the machine, such as a row of a
 * million columns, all elements are: got is what they should be, and t->nparts
 * counts it.  false: it is none. */
bool cover_takes_for_right(struct trial *t, const struct trial_case *tc,
    float *got);

/* What the machine has found in a launch. */
void cover_finding(const struct trial *t, const struct order_answer *a,
    struct trial_outcome *o);

/* What its buffers tell after a launch. */
void cover_memory_finding(const struct pack_finding *found,
    struct trial_outcome *o);

/* Once; where there are too many already, not. */
void cover_add_group(struct order_count *o, uint64_t group);

/* Outcomes that came up in a launch which somebody else has judged. */
void cover_credit(struct cover *c, const uint32_t *counters);
/* Of a launch far out, of which nobody knows what its groups should have written:
 * what values decide may leave an element out there, and nobody would notice.
 * So that counts only of code that no ordinary launch comes to. */
void cover_credit_far(struct cover *c, const uint32_t *counters);

/* How often an outcome came up. */
uint32_t cover_count(const struct cover *c, size_t point, uint32_t outcome);
bool cover_has_atomics(const struct cover *c);
const char *cover_text(const struct cover *c);      /* the IR */
uint64_t cover_instructions(const struct cover *c); /* so far */
/* Adds how many runs were judged, and how many of them came to their end. */
void cover_account(const struct cover *c, unsigned *ret_judged,
    unsigned *ret_ended);

#endif
