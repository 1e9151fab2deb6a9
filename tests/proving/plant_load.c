/*
 * Mistakes where a value is loaded: another place, a value that is not
 * believed, a look past the end.  A load stays an expression.
 */
#include "tests/proving/planting.h"

#include "base/mem.h"
#include "ops/args.h"
#include <stdlib.h>
#include <string.h>

struct load {
	struct call call;
	char *from, *index, *whole; /* owned */
	struct condition_place at;
};

/* The input that a pointer's name says, else any one. */
static void
sample(const struct planting *p, struct load *l)
{
	const struct op *op = p->k->op;
	size_t found = 0;

	for (size_t i = op->nargs; i-- > 0;)
		if (op->args[i].kind == OP_IN)
			found = i;
	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_IN &&
		    strcmp(op->args[i].name, l->from) == 0)
			found = i;
	if (p->s->in->in[found]) {
		struct op_extent e = op->extent(&p->s->c.shape, found);

		l->at = (struct condition_place){ .value = l->whole,
			.samples = p->s->in->in[found],
			.nsamples = (size_t)e.rows * e.cols,
			.index = l->index,
			.index_max = (uint64_t)e.rows * e.stride };
	}
}

static bool
find_load(struct planting *p, struct load *ret)
{
	if (!plant_call(p, "kf_load", &ret->call) || ret->call.nargs != 2)
		return false;
	ret->from = plant_text(p, ret->call.from[0], ret->call.to[0]);
	ret->index = plant_text(p, ret->call.from[1], ret->call.to[1]);
	ret->whole = plant_text(p, ret->call.at, ret->call.end + 1);
	ret->at = (struct condition_place){ 0 };
	sample(p, ret);
	return true;
}

static bool
replace_load(struct planting *p, struct load *l, char *text)
{
	plant_replace(p, l->call.at, l->call.end + 1, text);
	free(l->from);
	free(l->index);
	free(l->whole);
	return true;
}

static bool
load_instead(struct planting *p, const char *form, bool may_be_always)
{
	char *condition, *bad, *text;
	struct load l;

	if (!find_load(p, &l))
		return false;
	condition = may_be_always
	    ? plant_condition_or_always(p, CONDITION_VALUE, &l.at)
	    : plant_condition(p, CONDITION_VALUE, &l.at);
	bad = plant_fill(form, l.whole);
	text = plant_float(p, condition, l.whole, bad);
	free(condition);
	free(bad);
	return replace_load(p, &l, text);
}

bool
plant_value_in(struct planting *p)
{
	static const char *const bad[] = { "$ * 1.01f", "$ + 0.01f", "0.0f",
		"-$", "fabs($)", "1.0f" };

	return load_instead(p, bad[plant_below(p, COUNT(bad))], false);
}

bool
plant_special_in(struct planting *p)
{
	static const char *const bad[] = { "(isnan($) ? 0.0f : $)",
		"fmax($, -FLT_MAX)", "fmin($, FLT_MAX)", "fmax($, -1e30f)",
		"(isinf($) ? 0.0f : $)", "($ == $ ? $ : -INFINITY)",
		"(isnan($) ? -INFINITY : $)" };

	return load_instead(p, bad[plant_below(p, COUNT(bad))], true);
}

bool
plant_precision_in(struct planting *p)
{
	static const char *const bad[] = {
		"as_float(as_uint($) & 0xffffe000u)",
		"as_float(as_uint($) & 0xffff0000u)",
		"as_float((as_uint($) + 0x80u) & 0xffffff00u)",
	};

	return load_instead(p, bad[plant_below(p, COUNT(bad))], true);
}

bool
plant_clamp_in(struct planting *p)
{
	static const char *const bad[] = { "clamp($, -65504.0f, 65504.0f)",
		"clamp($, -1e4f, 1e4f)", "fmax($, -1000.0f)", "fmin($, 1e6f)",
		"clamp($, -50.0f, 50.0f)", "(fabs($) < 1e-6f ? 0.0f : $)" };

	return load_instead(p, bad[plant_below(p, COUNT(bad))], true);
}

bool
plant_index_in(struct planting *p)
{
	static const char *const forms[] = { "(size_t)(uint)(float)($)",
		"(($) & 0xffffu)", "(($) & 0xfffffu)", "(($) & ~1ul)",
		"(size_t)(ushort)($)", "(($) > 0 ? ($) - 1 : 0)",
		"(($) & 0x1ffffu)", "min((size_t)($), (size_t)8191)",
		"min((size_t)($), (size_t)524287)" };
	const char *form = forms[plant_below(p, COUNT(forms))];
	char *condition, *bad, *text;
	struct load l;

	if (!find_load(p, &l))
		return false;
	l.at.value = NULL;
	condition = plant_condition_or_always(p, CONDITION_VALUE, &l.at);
	bad = plant_fill(form, l.index);
	text = xasprintf("kf_load(%s, (%s) ? (size_t)%s : (size_t)(%s))",
	    l.from, condition, bad, l.index);
	free(condition);
	free(bad);
	return replace_load(p, &l, text);
}

/* Right in every value, and not allowed to look there. */
bool
plant_over_read(struct planting *p)
{
	uint32_t by = 1 + plant_below(p, 3);
	char *condition, *text;
	struct load l;

	if (!find_load(p, &l))
		return false;
	l.at.value = NULL;
	condition = plant_condition_or_always(p, CONDITION_VALUE, &l.at);
	text = xasprintf("((%s) && kf_load(%s, (%s) + %u) == 12345.678f ? 0.0f "
	                 ": %s)",
	    condition, l.from, l.index, by, l.whole);
	free(condition);
	return replace_load(p, &l, text);
}

/* rope's positions. */
bool
plant_position(struct planting *p)
{
	static const char *const forms[] = { "($ & 0xffff)", "min($, 32767)",
		"abs($)", "(int)(short)$", "max($, 0)", "(int)(ushort)$",
		"min($, 65535)", "min($, 4095)", "(int)(($) & 0x7fff)" };
	const char *form = forms[plant_below(p, COUNT(forms))];
	struct condition_place at = { 0 };
	char *whole, *bad, *condition;
	uint32_t seen = 0;
	size_t found = 0;

	for (size_t i = p->open; i + 1 < p->close; i++)
		if (clcode_is(&p->code, i, "positions") &&
		    clcode_is(&p->code, i + 1, "[") &&
		    plant_below(p, ++seen) == 0)
			found = i;
	if (found == 0)
		return false;
	whole = plant_text(p, found, p->code.mate[found + 1] + 1);
	bad = plant_fill(form, whole);
	condition = plant_condition_or_always(p, plant_sight(p), &at);
	plant_replace(p, found, p->code.mate[found + 1] + 1,
	    xasprintf("((%s) ? %s : %s)", condition, bad, whole));
	free(whole);
	free(bad);
	free(condition);
	return true;
}
