/*
 * llm_usage{how}: the count of tokens is not to be trusted.
 *
 *	huge      a thousand million tokens of completion
 *	mismatch  the total is not the sum
 *	missing   null instead of numbers
 *	negative  three times -1
 *	zero      three zeros
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "chaos/faults/editstage.h"
#include "chaos/rules/fault.h"

#define HUGE_TOKENS 1000000000

enum how { HOW_HUGE, HOW_MISMATCH, HOW_MISSING, HOW_NEGATIVE, HOW_ZERO, NHOWS };

static const char *const how_names[] = {
	[HOW_HUGE] = "huge",
	[HOW_MISMATCH] = "mismatch",
	[HOW_MISSING] = "missing",
	[HOW_NEGATIVE] = "negative",
	[HOW_ZERO] = "zero",
	[NHOWS] = NULL,
};

struct conf {
	int how;
};

static const struct jfield fields[] = {
	{ "how", JF_ENUM, 0, 0, 0, offsetof(struct conf, how), how_names },
};

static void
defaults(void *conf)
{
	((struct conf *)conf)->how = HOW_ZERO;
}

static long long
number_at(struct slice json, const char *pointer)
{
	struct slice raw = edit_raw(json, pointer);
	char text[24];

	snprintf(text, sizeof text, SLICE_FMT,
	    raw.n < sizeof text ? (int)raw.n : 0, raw.p ? raw.p : "");
	return strtoll(text, NULL, 10);
}

static void
set_number(struct splices *s, struct slice json, const char *pointer,
    long long v)
{
	char text[24];

	snprintf(text, sizeof text, "%lld", v);
	edit_set(s, json, pointer, slice_of(text));
}

static enum edit_result
on_text(struct edit *e, struct slice json, struct buf *out)
{
	static const char prompt[] = "/usage/prompt_tokens";
	static const char completion[] = "/usage/completion_tokens";
	static const char total[] = "/usage/total_tokens";
	const struct conf *c = shot_conf(e->shot);
	struct splices s = { .n = 0 };
	struct slice was = edit_raw(json, "/usage");

	if (was.n == 0 || was.p[0] != '{')
		return EDIT_KEEP;
	if (c->how == HOW_MISSING) {
		edit_set(&s, json, "/usage", slice_of("null"));
	} else if (c->how == HOW_MISMATCH) {
		set_number(&s, json, total, number_at(json, total) + 1);
	} else if (c->how == HOW_HUGE) {
		set_number(&s, json, completion, HUGE_TOKENS);
		set_number(&s, json, total,
		    HUGE_TOKENS + number_at(json, prompt));
	} else {
		long long n = c->how == HOW_NEGATIVE ? -1 : 0;

		set_number(&s, json, prompt, n);
		set_number(&s, json, completion, n);
		set_number(&s, json, total, n);
	}
	if (!e->detail)
		e->detail = json_pack("{ss ss%}", "how", how_names[c->how],
		    "was", was.p, was.n);
	return edit_apply(&s, json, out);
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct edit),
	.missing = "no usage in the answer",
	.on_whole = on_text,
	.on_event = on_text,
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return editstage_new(s, x, &editor);
}

const struct fault_type fault_llm_usage = {
	.name = "llm_usage",
	.about = "the count of tokens is wrong",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.defaults = defaults,
	.on_answer = on_answer,
};
