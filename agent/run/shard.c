/*
 * Operators are dealt like cards: those of one family stand side by side in
 * most lists, and would all come to one machine.
 */
#include "agent/run/shard.h"

#include <stdio.h>
#include <string.h>

enum err
shard_read(const char *text, size_t *ret_number, size_t *ret_of,
    struct why *why)
{
	unsigned number, of;
	int end = 0;

	/* sscanf(3) skips blanks and takes signs. */
	if (strspn(text, "0123456789/") != strlen(text) || strlen(text) > 9 ||
	    sscanf(text, "%u/%u%n", &number, &of, &end) != 2 || text[end] ||
	    number < 1 || number > of)
		return why_set(why, ERR_SYNTAX,
		    "--shard: found \"%s\", expected I/N with I from 1 to N",
		    text);
	*ret_number = number;
	*ret_of = of;
	return ERR_OK;
}

static bool
has_op(const struct run_scenario *s, const char *op)
{
	for (size_t i = 0; op && i < s->nops; i++)
		if (strcmp(s->ops[i], op) == 0)
			return true;
	return false;
}

/* The silent mistakes of the baseline are counted over all operators. */
static void
drop_expectations(struct run_scenario *s)
{
	json_t *verified = s->expect.verified;

	for (size_t i = json_array_size(verified); i > 0; i--)
		if (!has_op(s,
		        json_string_value(json_array_get(verified, i - 1))))
			json_array_remove(verified, i - 1);
	json_object_del(s->expected, "naive_silent_wrong");
	s->expect.naive_silent_wrong = -1;
}

enum err
shard_take(struct run_scenario *s, size_t number, size_t of, struct why *why)
{
	size_t n = 0;

	for (size_t i = number - 1; i < s->nops; i += of)
		s->ops[n++] = s->ops[i];
	if (n == 0)
		return why_set(why, ERR_RANGE,
		    "--shard: found %zu/%zu, expected at most %zu shards of "
		    "%zu operators",
		    number, of, s->nops, s->nops);
	s->nops = n;
	drop_expectations(s);
	return ERR_OK;
}
