/*
 * llm_finish{reason}: the answer is whole and its finish reason is not so: a
 * text that says it was cut, a tool call that says it is done, an answer that
 * says it calls a tool.
 */
#include "chaos/faults/editstage.h"
#include "chaos/rules/fault.h"

struct conf {
	int reason;
};

static const char *const reason_names[] = {
	[DIALECT_STOP] = "stop",
	[DIALECT_LENGTH] = "length",
	[DIALECT_FILTER] = "content_filter",
	[DIALECT_TOOL] = "tool_calls",
	[DIALECT_NWORDS] = NULL,
};

static const struct jfield fields[] = {
	{ "reason", JF_ENUM, JF_REQUIRED, 0, 0, offsetof(struct conf, reason),
	    reason_names },
};

static enum edit_result
on_text(struct edit *e, struct slice json, struct buf *out)
{
	const struct conf *c = shot_conf(e->shot);
	const char *word = e->dialect->words[c->reason];
	struct splices s = { .n = 0 };
	struct jspan at;
	struct jtext was;

	if (!word || !dialect_hit(e->dialect, json, DIALECT_FINISH, &at) ||
	    !edit_span_text(json, at, &was))
		return EDIT_KEEP;
	edit_finish(e, &s, json, (enum dialect_word)c->reason);
	if (!e->detail)
		e->detail =
		    json_pack("{ss% ss}", "was", was.p, was.n, "reason", word);
	jtext_done(&was);
	return edit_apply(&s, json, out);
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct edit),
	.missing = "no finish reason that would be another",
	.on_whole = on_text,
	.on_event = on_text,
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return editstage_new(s, x, &editor);
}

const struct fault_type fault_llm_finish = {
	.name = "llm_finish",
	.about = "a finish reason that is not so",
	FAULT_CONF,
	.on_answer = on_answer,
};
