/* Coarse on purpose: each digit more is a digit of a hidden case. */
#include "lab/stages/model_hint.h"

#include "base/mem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXPONENT_MAX 9.0

const struct lab_case_result *
model_hint_case(const struct lab_report *r)
{
	for (size_t i = 0; i < r->ncases; i++)
		if (!r->cases[i].passed)
			return &r->cases[i];
	return NULL;
}

static bool
has_run_it(const struct lab_report *r)
{
	for (size_t i = 0; i < r->nstages; i++)
		if (r->stages[i].status == LAB_STAGE_FAILED)
			return r->stages[i].stage > LAB_STAGE_BUILD;
	return false;
}

char *
model_hint_words(const struct lab_report *r)
{
	char *class, *ret;
	const char *at, *line;

	if (!has_run_it(r) || r->verdict == LAB_UNPROVEN)
		return xstrdup(r->message);
	class = xasprintf(": %s", r->class);
	at = strstr(r->message, class);
	line = at ? strstr(at, " (line ") : NULL;
	ret = at ? xasprintf("%.*s%s%s", (int)(at - r->message), r->message,
	               class, line ? line : "")
	         : xasprintf("%s, by all cases together", r->class);
	free(class);
	return ret;
}

double
model_hint_power_of_ten(double v)
{
	double exponent;

	if (v == 0 || !isfinite(v))
		return v;
	exponent =
	    fmax(-EXPONENT_MAX, fmin(EXPONENT_MAX, round(log10(fabs(v)))));
	return pow(10, exponent);
}

uint64_t
model_hint_group(uint32_t items)
{
	uint64_t up = items > 0 ? 1 : 0;

	while (up < items)
		up *= 2;
	return up;
}
