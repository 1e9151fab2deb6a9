/*
 * A lab child's state, shared by its files: child_process.c builds and
 * launches, child_timing.c launches on buffers that stay mapped.
 */
#ifndef LAB_CHILD_PROCESS_PRIV_H
#define LAB_CHILD_PROCESS_PRIV_H

#include "lab/run/child_process.h"
#include "lab/run/order.h"
#include <stdbool.h>

/* A mapped buffer: guard zone, pages, guard zone. */
struct child_span {
	char *base; /* of the front guard zone; NULL: not mapped */
	size_t bytes;
	bool writable;
};

struct child {
	struct device *device; /* borrowed */
	struct child_fds fds;
	uint32_t features;
	uint64_t device_ns; /* of the last timed launch */
	cl_program program;
	cl_kernel kernel;
	uint32_t nargs;
	uint32_t args[OP_ARGS_MAX];
	struct child_span spans[OP_ARGS_MAX];
};

/* Sends one answer; a parent that is gone ends the child. */
void child_answer(const struct child *c, enum answer_kind kind,
    const char *text);

/* Enqueues the kernel with the arguments it has.  after, ret: may be NULL. */
cl_int child_enqueue(struct child *c, cl_command_queue q,
    const struct order_geometry *g, const cl_event *after, cl_event *ret);

/* Carries out ORDER_ARM and ORDER_FIRE; false: the packet is neither. */
bool child_time(struct child *c, const void *order, size_t bytes);

#endif
