/* The control kernel, which asks whether the machine is at fault. */
#ifndef LAB_CONTROL_KERNEL_H
#define LAB_CONTROL_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

struct lab;

/*
 * Builds and runs a kernel that is known to be good.  false: so does the lab
 * fail, and nothing may be said about the candidate.  *ret_features (may be
 * NULL): the sandbox of the child.
 */
bool control_passes(struct lab *l, uint32_t *ret_features);
extern const char control_source[]; /* kernel "control", (out, uint) */

#endif
