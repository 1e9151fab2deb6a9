/*
 * How a rope kernel names its things: what is half the row, and which
 * variable counts the pairs.  For the operators in this folder.
 */
#ifndef CLTEXT_ROPE_FORM_H
#define CLTEXT_ROPE_FORM_H

#include "cltext/clcode.h"

#define ROPE_NAMES_MAX 16

struct rope_form {
	const struct clcode *c; /* borrowed; names point into it */
	struct slice dims[ROPE_NAMES_MAX], halves[ROPE_NAMES_MAX];
	struct slice pairs[ROPE_NAMES_MAX];
	size_t ndims, nhalves, npairs;
};

void rope_form_init(struct rope_form *f, const struct clcode *c);

/* Half the row at code token i (`half`, `dim / 2`, `(uint)(dim >> 1)`): the
 * token after it, else i. */
size_t rope_form_half(const struct rope_form *f, size_t i);
bool rope_form_is_pair(const struct rope_form *f, struct slice name);
/* May code token i name the first pair variable? */
bool rope_form_in_scope(const struct rope_form *f, size_t i);

#endif
