/*
 * Mistakes where a value is stored: another value, another place, a place
 * that is somebody else's, or none, depending on what lies there.
 */
#include "tests/proving/planting.h"

#include "base/mem.h"
#include "ops/args.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A store that is a statement of its own, in parts. */
struct store {
	struct call call;
	char *to, *index, *value; /* owned */
};

static void
store_done(struct store *s)
{
	free(s->to);
	free(s->index);
	free(s->value);
}

static bool
find_store(struct planting *p, struct store *ret)
{
	if (!plant_call(p, "kf_store", &ret->call) || ret->call.nargs != 3 ||
	    !clcode_is(&p->code, ret->call.end + 1, ";"))
		return false;
	ret->to = plant_text(p, ret->call.from[0], ret->call.to[0]);
	ret->index = plant_text(p, ret->call.from[1], ret->call.to[1]);
	ret->value = plant_text(p, ret->call.from[2], ret->call.to[2]);
	return true;
}

/* The whole statement becomes text, which is taken. */
static bool
replace_store(struct planting *p, struct store *s, char *text)
{
	plant_replace(p, s->call.at, s->call.end + 2, text);
	store_done(s);
	return true;
}

static struct condition_place
place_of(const struct planting *p, const char *value, const char *index)
{
	size_t n = (size_t)p->s->in->out.rows * p->s->in->out.cols;

	return (struct condition_place){ .value = value,
		.sampled = p->s->want.y,
		.nsamples = n,
		.index = index,
		.index_max =
		    (uint64_t)p->s->in->out.rows * p->s->in->out.stride };
}

/* bad: C over v, the value as it should be. */
static bool
store_instead(struct planting *p, const char *bad, bool may_be_always)
{
	struct condition_place at;
	struct store s;
	char *condition, *value, *text;

	if (!find_store(p, &s))
		return false;
	at = place_of(p, "v", s.index);
	condition = may_be_always
	    ? plant_condition_or_always(p, CONDITION_VALUE, &at)
	    : plant_condition(p, CONDITION_VALUE, &at);
	value = plant_float(p, condition, "v", bad);
	text = xasprintf("{ const float v = %s; kf_store(%s, %s, %s); }",
	    s.value, s.to, s.index, value);
	free(condition);
	free(value);
	return replace_store(p, &s, text);
}

bool
plant_value_out(struct planting *p)
{
	static const char *const bad[] = { "v * 1.01f", "v + 0.001f", "0.0f",
		"-v", "v * 1.0001f", "v + v", "fabs(v)" };

	return store_instead(p, bad[plant_below(p, COUNT(bad))], false);
}

bool
plant_precision_out(struct planting *p)
{
	static const char *const bad[] = {
		"as_float(as_uint(v) & 0xffffe000u)",
		"as_float((as_uint(v) + 0x800u) & 0xfffff000u)",
		"as_float(as_uint(v) & 0xffff0000u)",
		"as_float(as_uint(v) & 0xfffffff0u)",
	};

	return store_instead(p, bad[plant_below(p, COUNT(bad))], true);
}

bool
plant_special_out(struct planting *p)
{
	static const char *const bad[] = { "(isnan(v) ? 0.0f : v)",
		"fmax(v, -FLT_MAX)", "fmin(v, FLT_MAX)", "(v == v ? v : 0.0f)",
		"(isinf(v) ? copysign(FLT_MAX, v) : v)", "(v + 0.0f)",
		"(isinf(v) ? NAN : v)", "(v == 0.0f ? 0.0f : v)" };

	return store_instead(p, bad[plant_below(p, COUNT(bad))], true);
}

bool
plant_clamp_out(struct planting *p)
{
	static const char *const bad[] = { "clamp(v, -65504.0f, 65504.0f)",
		"fmin(v, 1e6f)", "fmax(v, -1e4f)", "clamp(v, -1e3f, 1e3f)",
		"(fabs(v) < 1e-6f ? 0.0f : v)", "(fabs(v) < 1e-30f ? 0.0f : v)",
		"(fabs(v) > 3e4f ? copysign(INFINITY, v) : v)",
		"fmin(fmax(v, -88.0f), 88.0f)" };

	return store_instead(p, bad[plant_below(p, COUNT(bad))], true);
}

bool
plant_skip(struct planting *p)
{
	struct condition_place at;
	struct store s;
	char *condition, *text;

	if (!find_store(p, &s))
		return false;
	at = place_of(p, "v", s.index);
	condition = plant_condition(p, CONDITION_VALUE, &at);
	text = xasprintf("{ const float v = %s; if (!(%s)) kf_store(%s, %s, "
	                 "v); }",
	    s.value, condition, s.to, s.index);
	free(condition);
	return replace_store(p, &s, text);
}

bool
plant_shift(struct planting *p)
{
	static const char *const forms[] = { "(size_t)(uint)(float)($)",
		"(($) & 0xffffu)", "(($) & 0xfffffu)", "(($) & ~1ul)",
		"(size_t)(ushort)($)", "(($) & 0x1ffffu)" };
	const char *form = forms[plant_below(p, COUNT(forms))];
	char *condition, *bad, *text;
	struct condition_place at;
	struct store s;

	if (!find_store(p, &s))
		return false;
	at = place_of(p, NULL, s.index);
	condition = plant_condition_or_always(p, CONDITION_VALUE, &at);
	bad = plant_fill(form, s.index);
	text = xasprintf("kf_store(%s, (%s) ? %s : (size_t)(%s), %s);", s.to,
	    condition, bad, s.index, s.value);
	free(condition);
	free(bad);
	return replace_store(p, &s, text);
}

/* Next to what it wrote: another value there, or the same one put back. */
bool
plant_gap_write(struct planting *p)
{
	struct condition_place at;
	struct store s;
	char *condition, *text;
	const char *what;

	if (!find_store(p, &s))
		return false;
	at = place_of(p, "v", s.index);
	condition = plant_condition(p, CONDITION_VALUE, &at);
	what = plant_below(p, 2) ? "0.0f" : "v";
	text = xasprintf("{ const float v = %s; if (%s) kf_store(%s, (%s) + 1, "
	                 "%s); kf_store(%s, %s, v); }",
	    s.value, condition, s.to, s.index, what, s.to, s.index);
	free(condition);
	p->by_order = true;
	return replace_store(p, &s, text);
}

/* What lies in the output decides. */
bool
plant_sniff(struct planting *p)
{
	static const char *const forms[] = {
		"if (isnan(old)) kf_store($, v);",
		"if (!(fabs(old) < 1e30f)) kf_store($, v);",
		"kf_store($, fmax(old, v));",
		"kf_store($, old == 0.0f ? 0.0f : v);",
		"kf_store($, isfinite(old) ? v * 1.01f : v);",
		"if (old != 1.25f) kf_store($, v);",
		"kf_store($, old == old && fabs(old) < 100.0f ? old : v);",
	};
	char *place, *store;
	struct store s;

	if (!find_store(p, &s))
		return false;
	place = xasprintf("%s, %s", s.to, s.index);
	store = plant_fill(forms[plant_below(p, COUNT(forms))], place);
	char *text = xasprintf("{ const float v = %s, old = kf_load(%s); %s }",
	    s.value, place, store);

	free(place);
	free(store);
	return replace_store(p, &s, text);
}

/* An element is taken from its neighbour in the output, which holds it only
 * if that one was there first; the scene is as the contract wants it, the
 * values differ. */
bool
plant_copy_above(struct planting *p)
{
	struct condition_place at;
	struct store s;
	char *condition, *text;

	if (!find_store(p, &s))
		return false;
	at = place_of(p, "v", s.index);
	condition = plant_condition(p, CONDITION_VALUE, &at);
	text = xasprintf("{ const float v = %s; kf_store(%s, %s, (%s) && (%s) "
	                 "> 0 ? kf_load(%s, (%s) - 1) : v); }",
	    s.value, s.to, s.index, condition, s.index, s.to, s.index);
	free(condition);
	return replace_store(p, &s, text);
}
