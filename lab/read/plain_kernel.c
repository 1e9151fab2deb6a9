/*
 * The table of plain kernels is made by the Makefile from kernels/plain: C11
 * has no way to say "the text of that file".
 */
#include "lab/read/plain_kernel.h"

#include <string.h>

/* Compiled by itself, as fuzzers and checkers do it, this file has no kernels.
 */
#ifndef PLAIN_KERNELS
#define PLAIN_KERNELS "/dev/null"
#endif

static const struct {
	const char *op, *text;
} kernels[] = {
#include PLAIN_KERNELS
	{ NULL, NULL },
};

static const char *
text_of(const struct op *op)
{
	for (size_t i = 0; kernels[i].op; i++)
		if (strcmp(kernels[i].op, op->name) == 0)
			return kernels[i].text;
	return NULL;
}

enum err
plain_candidate(const struct op *op, struct candidate *ret, struct why *why)
{
	const char *text = text_of(op);

	if (!text)
		return why_set(why, ERR_NOTFOUND, "no plain kernel for %s",
		    op->name);
	return candidate_parse_file(op->name, text, strlen(text), ret, why);
}
