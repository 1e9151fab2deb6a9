/*
 * The corruption operators, sorted by name (a test checks the order).  A new
 * one is a file op_NAME.c and a row here.
 */
#include "cltext/corrupt.h"

#include <string.h>

extern const struct corrupt_operator op_rope_interleaved;

static const struct corrupt_operator *const operators[] = {
	&op_rope_interleaved,
};

size_t
corrupt_count(void)
{
	return sizeof operators / sizeof operators[0];
}

const struct corrupt_operator *
corrupt_at(size_t i)
{
	return i < corrupt_count() ? operators[i] : NULL;
}

const struct corrupt_operator *
corrupt_find(const char *name)
{
	for (size_t i = 0; i < corrupt_count(); i++)
		if (strcmp(operators[i]->name, name) == 0)
			return operators[i];
	return NULL;
}
