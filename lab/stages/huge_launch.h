/*
 * Launches that no device here could make: sizes and strides near 2^31, where
 * products pass 2^32 and a number passes what a float counts in ones.
 *
 * The machine runs some groups of them on buffers of which it makes what is
 * touched (lab/probe/sparse_memory.h).  What these groups wrote is judged
 * against the reference; an element that is written is one that the launch
 * should write; and groups from all over the launch write all over the output.
 */
#ifndef LAB_HUGE_LAUNCH_H
#define LAB_HUGE_LAUNCH_H

#include "lab/stages/coverage_count.h"

struct huge_launch;

/* Starts a child and sends it all launches; where it cannot,
 * huge_launch_judge() says so. */
struct huge_launch *huge_launch_start(struct trial *t, enum dtype d,
    struct cover *c);
void huge_launch_free(struct huge_launch *f); /* NULL-safe */

/* Waits, judges, and tells the cover what ran.  false: trial_fail() was called.
 */
bool huge_launch_judge(struct trial *t, struct huge_launch *f, struct cover *c);

#endif
