/*
 * What the lab's tests share: the beginning of a small kernel, and a look at
 * the processes that the lab has started.
 */
#ifndef TESTS_UNIT_LAB_KIT_H
#define TESTS_UNIT_LAB_KIT_H

#include <sys/types.h>

/* Of an operator with one input, an item an element; x's is at r, c. */
#define KIT_ITEM_KERNEL                                                        \
	"// entry: k\n// global: rows * cols\n// local: 1\n"                   \
	"__kernel void k(const __global KF_T *x, __global KF_T *out,\n"        \
	"    uint rows, uint cols, uint x_stride, uint out_stride)\n"          \
	"{\n"                                                                  \
	"	size_t i = get_global_id(0), r = i / cols, c = i % cols;\n"

/* Our children's process ids as the kernel lists them, the oldest first; ""
 * where there is none, or no such list.  The caller frees it. */
char *kit_children(void);
char *kit_children_of(pid_t pid); /* of a process's first thread */

#endif
