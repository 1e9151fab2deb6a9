/*
 * What lets a mistake be seen: rows that are more than a column or two, and
 * parameters at an end of what is ordinary.
 */
#include "lab/stages/input_search_priv.h"

#include "base/mem.h"
#include <string.h>

#define SHOWS_MIN 6 /* columns */

bool
seek_is_along(const struct op *op, size_t arg)
{
	static const char *const along[] = { "cols", "n", "k", "dim" };

	for (size_t i = 0; i < COUNT(along); i++)
		if (strcmp(op->args[arg].name, along[i]) == 0)
			return true;
	return false;
}

bool
seek_shows(const struct op *op, const struct op_shape *s)
{
	struct op_shape at = *s;

	for (size_t i = 0; i < op->nargs && !op->is_elementwise; i++)
		if (seek_is_dimension(op, i) && seek_is_along(op, i) &&
		    *seek_scalar(op, i, &at) < SHOWS_MIN)
			return false;
	return true;
}

bool
seek_has_parameters(const struct seek *s)
{
	for (size_t i = 0; i < s->op->nargs; i++)
		if (s->op->args[i].kind == OP_REAL)
			return true;
	return false;
}

/* Thousandths, so that no base is a whole number. */
void
seek_end_parameters(struct seek *s, bool is_large, struct op_shape *ret)
{
	uint64_t bits = draw_bits(&s->dice);
	float part = (float)(bits % 997 + 1) / 1000.0f;

	if (!seek_has_parameters(s))
		return;
	ret->base = is_large ? 5.5e5f + 4.4e5f * part : 2.0f + 40.0f * part;
	ret->eps = is_large ? 0.4f + 0.6f * part : 1e-10f * part;
}
