/*
 * The interleaved rewrite of rope kernels with one work item an element: see
 * corruption_rope_interleaved.c for the other form.
 */
#ifndef CLTEXT_ROPE_ELEMENT_H
#define CLTEXT_ROPE_ELEMENT_H

#include "cltext/corruption.h"
#include "cltext/rope_form.h"

/* Is this the form with an element a work item?  Then its one site is
 * appended, if every use of half is understood. */
bool rope_element_find(const struct rope_form *f, struct corrupt_sites *sites);

#endif
