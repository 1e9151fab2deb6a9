/*
 * Launches that no device here could make: sizes and strides near 2^31, where
 * products pass 2^32 and a number passes what a float counts in ones.
 *
 * The machine runs some groups of them on buffers of which it makes what is
 * touched (lab/probe/sparse.h).  What these groups wrote is judged against the
 * reference; an element that is written is one that the launch should write;
 * and groups from all over the launch write all over the output.
 */
#ifndef LAB_FAR_H
#define LAB_FAR_H

#include "lab/stages/cover.h"

struct far;

/* Starts a child and sends it all launches; where it cannot, far_judge() says
 * so. */
struct far *far_start(struct trial *t, enum dtype d, struct cover *c);
void far_free(struct far *f); /* NULL-safe */

/* Waits, judges, and tells the cover what ran.  false: trial_fail() was called.
 */
bool far_judge(struct trial *t, struct far *f, struct cover *c);

#endif
