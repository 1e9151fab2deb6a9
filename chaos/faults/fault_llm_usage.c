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
#include <string.h>

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

/* 0: there is none. */
static long long
number_in(const struct edit *e, struct slice json, enum dialect_role role)
{
	struct jspan at;
	char text[24] = "";

	if (dialect_hit(e->dialect, json, role, &at) && at.n < sizeof text)
		memcpy(text, json.p + at.at, at.n);
	return strtoll(text, NULL, 10);
}

static void
set_number(const struct edit *e, struct splices *s, struct slice json,
    enum dialect_role role, long long v)
{
	char text[24];

	snprintf(text, sizeof text, "%lld", v);
	edit_role(e, s, json, role, slice_of(text));
}

/* Where no total is said, the sum is wrong by its parts. */
static void
mismatch(const struct edit *e, struct splices *s, struct slice json)
{
	struct jspan at;
	enum dialect_role role =
	    dialect_hit(e->dialect, json, DIALECT_TOKENS_TOTAL, &at)
	    ? DIALECT_TOKENS_TOTAL
	    : DIALECT_TOKENS_OUT;

	set_number(e, s, json, role, number_in(e, json, role) + 1);
}

static void
set_all(const struct edit *e, struct splices *s, struct slice json, long long v)
{
	set_number(e, s, json, DIALECT_TOKENS_IN, v);
	set_number(e, s, json, DIALECT_TOKENS_OUT, v);
	set_number(e, s, json, DIALECT_TOKENS_TOTAL, v);
}

static enum edit_result
on_text(struct edit *e, struct slice json, struct buf *out)
{
	const struct conf *c = shot_conf(e->shot);
	struct splices s = { .n = 0 };
	struct jspan was;

	/* A stream that was asked for usage says null in all chunks but the
	 * last. */
	if (!dialect_hit(e->dialect, json, DIALECT_USAGE, &was) ||
	    json.p[was.at] == 'n')
		return EDIT_KEEP;
	if (c->how == HOW_MISSING) {
		edit_role(e, &s, json, DIALECT_USAGE, slice_of("null"));
	} else if (c->how == HOW_MISMATCH) {
		mismatch(e, &s, json);
	} else if (c->how == HOW_HUGE) {
		set_number(e, &s, json, DIALECT_TOKENS_OUT, HUGE_TOKENS);
		set_number(e, &s, json, DIALECT_TOKENS_TOTAL,
		    HUGE_TOKENS + number_in(e, json, DIALECT_TOKENS_IN));
	} else {
		set_all(e, &s, json, c->how == HOW_NEGATIVE ? -1 : 0);
	}
	if (!e->detail)
		e->detail = json_pack("{ss ss%}", "how", how_names[c->how],
		    "was", json.p + was.at, was.n);
	return edit_apply(&s, json, out);
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct edit),
	.missing = "no usage in the answer that would be another",
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
	FAULT_CONF,
	.defaults = defaults,
	.on_answer = on_answer,
};
