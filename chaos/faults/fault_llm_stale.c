/*
 * llm_stale{}: the answer of the turn before, as a cache that forgot to look
 * at the question gives it: the last assistant message of the conversation
 * comes again.  Bypassed in the first turn.
 */
#include "chaos/faults/retell.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/fault.h"

/* The text of the last assistant message; empty when there is none. */
static struct slice
last_said(struct exchange *x)
{
	json_t *messages =
	    json_object_get(facts_json(exchange_facts(x)), "messages");

	for (size_t i = json_array_size(messages); i-- > 0;) {
		json_t *m = json_array_get(messages, i);
		const char *role =
		    json_string_value(json_object_get(m, "role"));
		json_t *content = json_object_get(m, "content");

		if (role && slice_is(slice_of(role), "assistant") &&
		    json_string_length(content))
			return (struct slice){ json_string_value(content),
				json_string_length(content) };
	}
	return slice_of(NULL);
}

static struct telling
telling(struct edit *e)
{
	struct telling t = { .text = last_said(e->exchange) };

	if (!e->detail)
		e->detail = json_pack("{sI}", "bytes", (json_int_t)t.text.n);
	return t;
}

static enum edit_result
on_whole(struct edit *e, struct slice json, struct buf *out)
{
	struct telling t = telling(e);

	return retell_whole((struct retell *)e, &t, json, out);
}

static enum edit_result
on_event(struct edit *e, struct slice json, struct buf *out)
{
	struct telling t = telling(e);

	return retell_event((struct retell *)e, &t, json, out);
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct retell),
	.missing = "not a chat completion",
	.on_whole = on_whole,
	.on_event = on_event,
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	if (last_said(x).n == 0) {
		shot_bypass(s, "nothing was said before");
		return NULL;
	}
	return editstage_new(s, x, &editor);
}

const struct fault_type fault_llm_stale = {
	.name = "llm_stale",
	.about = "the answer of the turn before comes again",
	.conf_bytes = 1,
	.on_answer = on_answer,
};
