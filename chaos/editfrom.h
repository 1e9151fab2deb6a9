/*
 * How much of a model's answer is sure not to be edited, while the rest of it
 * is still on its way: all before the first statement of the kernel that a
 * corruption operator could touch.  Pure; reads each byte once.
 *
 * It is a guess from words, on the safe side for real kernels (a test walks
 * every site of them); whoever edits must still look whether a site lies
 * before it.
 */
#ifndef CHAOS_EDITFROM_H
#define CHAOS_EDITFROM_H

#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>

struct editfrom {
	/* private */
	const char *const *words; /* NULL: every statement of a function */
	size_t read;              /* bytes of the content seen so far */
	size_t statement;         /* where the one that is read begins */
	bool is_code, is_fence, is_reached;
	char last; /* the last that is no space */
};

void editfrom_init(struct editfrom *f, const char *operator_name);

/* content: the answer so far, longer each time.  What is before the result
 * can go. */
size_t editfrom_read(struct editfrom *f, struct slice content);

#endif
