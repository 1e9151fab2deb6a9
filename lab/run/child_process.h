/*
 * The work of a lab child: takes orders, builds, launches, answers.
 *
 * One child serves one candidate in one storage type.  From the first launch
 * on its address space belongs to the candidate; nothing it says is trusted
 * and nothing secret is in it.
 */
#ifndef LAB_CHILD_PROCESS_H
#define LAB_CHILD_PROCESS_H

#include "lab/run/device.h"
#include <stdint.h>

struct child_fds {
	int orders; /* SOCK_SEQPACKET */
	int input;  /* arena of the inputs, sealed against writing */
	int output; /* arena of the outputs */
};

/* Runs until the orders end; leaves only by _exit(). */
_Noreturn void child_run(struct device *d, const struct child_fds *fds);

#endif
