/*
 * llm_usage{how}: the usage that the answer reports is wrong: all zero, huge,
 * negative, or gone.
 */
#include "chaos/fault.h"

#include "chaos/edit.h"

#define COUNT_HUGE 9007199254740993 /* one more than a double can tell */

enum how { HOW_HUGE, HOW_MISSING, HOW_NEGATIVE, HOW_ZERO, HOW_NHOWS };

static const char *const how_names[] = { [HOW_HUGE] = "huge",
	[HOW_MISSING] = "missing",
	[HOW_NEGATIVE] = "negative",
	[HOW_ZERO] = "zero",
	[HOW_NHOWS] = NULL };

static const json_int_t
    how_counts[HOW_NHOWS] = { [HOW_HUGE] = COUNT_HUGE, [HOW_NEGATIVE] = -1 };

struct conf {
	int how;
};

static const struct jfield fields[] = {
	{ "how", JF_ENUM, JF_REQUIRED, 0, 0, offsetof(struct conf, how),
	    how_names },
};

static bool
edit(struct edit *e)
{
	static const char *const counts[] = { "prompt_tokens",
		"completion_tokens", "total_tokens" };
	const struct conf *c = e->conf;
	json_t *usage = json_object_get(e->doc, "usage");

	if (!json_is_object(usage))
		return false;
	if (c->how == HOW_MISSING) {
		json_object_del(e->doc, "usage");
		return true;
	}
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
		json_object_set_new(usage, counts[i],
		    json_integer(how_counts[c->how]));
	return true;
}

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return edit_new(s, x, edit);
}

const struct fault_type fault_llm_usage = {
	.name = "llm_usage",
	.about = "the reported usage is wrong",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.on_answer = on_answer,
};
