/*
 * Numbers are read as the most lenient of libraries would, which take "100"
 * and 1e2 for 100: what is not understood here could be all the same there.
 */
#include "gateway/text/output_limit.h"

#include "base/units.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NUMBER_BYTES 32

/* clang-format off */
static const struct slice words[OUTPUT_LIMIT_NWORDS] = {
	[OUTPUT_LIMIT_MAX_TOKENS]            = { "max_tokens", 10 },
	[OUTPUT_LIMIT_MAX_COMPLETION_TOKENS] = { "max_completion_tokens", 21 },
	[OUTPUT_LIMIT_MAX_OUTPUT_TOKENS]     = { "max_output_tokens", 17 },
	[OUTPUT_LIMIT_N_PREDICT]             = { "n_predict", 9 },
	[OUTPUT_LIMIT_N]                     = { "n", 1 },
	[OUTPUT_LIMIT_BEST_OF]               = { "best_of", 7 },
};
/* clang-format on */

/* 0: no number, or none above 0. */
static uint32_t
read_number(struct slice text)
{
	char number[NUMBER_BYTES], *end;
	double v;

	if (text.n > 2 && text.p[0] == '"')
		text = (struct slice){ text.p + 1, text.n - 2 };
	text = slice_trim(text);
	/* No "nan", no "0x10"; a longer one is no limit that anybody means. */
	if (text.n == 0 || text.n >= sizeof number)
		return 0;
	memcpy(number, text.p, text.n);
	number[text.n] = '\0';
	if (strspn(number, "0123456789.eE+-") != text.n)
		return 0;
	v = strtod(number, &end);
	if (*end || v <= 0)
		return 0;
	return (uint32_t)ceil(fmin(v, (double)OUTPUT_LIMIT_MAX));
}

static void
say(struct output_limit *l, struct slice name, struct slice value)
{
	for (size_t i = 0; i < OUTPUT_LIMIT_NWORDS; i++)
		/* By its length first: most names are none of these. */
		if (words[i].n == name.n && slice_same(words[i], name))
			l->said[i] = read_number(value);
}

void
output_limit_read(const struct peek *k, struct output_limit *ret)
{
	*ret = (struct output_limit){ { 0 } };
	for (size_t i = 0; i < k->n; i++)
		say(ret, k->members[i].name, k->members[i].value);
}

void
output_limit_edit(struct output_limit *l, const struct peek_edit *edits,
    size_t n)
{
	for (size_t i = 0; i < n; i++)
		say(l, slice_of(edits[i].name), slice_of(edits[i].json));
}

static uint32_t
largest(const struct output_limit *l, size_t from, size_t to)
{
	uint32_t most = 0;

	for (size_t i = from; i < to; i++)
		if (l->said[i] > most)
			most = l->said[i];
	return most;
}

void
output_limit_translate(struct output_limit *l, uint32_t unsaid)
{
	uint32_t said = largest(l, 0, OUTPUT_LIMIT_N);

	*l = (struct output_limit){ { 0 } };
	l->said[OUTPUT_LIMIT_MAX_TOKENS] = said ? said : unsaid;
}

uint64_t
output_limit_each(const struct output_limit *l, uint64_t unsaid)
{
	uint32_t said = largest(l, 0, OUTPUT_LIMIT_N);

	return said ? said : unsaid;
}

uint64_t
output_limit_choices(const struct output_limit *l)
{
	uint32_t n = largest(l, OUTPUT_LIMIT_N, OUTPUT_LIMIT_NWORDS);

	return n ? n : 1;
}
