/*
 * The child in which the machine (lab/probe) runs a candidate's IR.
 *
 * It is forked from the zygote that has no device, knows nothing but what the
 * arenas hold, and is shut in like a lab child.  No code of the candidate's is
 * ever executed in it; that a fault of our own can be met with a hostile text
 * is what the sandbox is for.
 */
#ifndef LAB_MACHINE_CHILD_H
#define LAB_MACHINE_CHILD_H

#include "lab/run/child_process.h"

/* Takes ORDER_COUNT until the orders end; leaves only by _exit(). */
_Noreturn void machine_child_run(const struct child_fds *fds);

#endif
