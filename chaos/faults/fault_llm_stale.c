/*
 * llm_stale{}: the answer of the turn before, as a cache that forgot to look
 * at the question gives it: the last assistant message of the conversation
 * comes again.  Bypassed in the first turn.
 */
#include <string.h>

#include "chaos/faults/replace_answer.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/fault.h"

/* A message's text: "content", a string or a list of parts with "text". */
static struct slice
text_of(json_t *message)
{
	json_t *said = json_object_get(message, "content"), *part, *text;
	size_t i;

	if (!said)
		said = json_object_get(message, "parts");
	if (json_is_string(said))
		return (struct slice){ json_string_value(said),
			json_string_length(said) };
	json_array_foreach(said, i, part) {
		text = json_object_get(part, "text");
		if (json_string_length(text))
			return (struct slice){ json_string_value(text),
				json_string_length(text) };
	}
	return slice_of(NULL);
}

static bool
is_models(json_t *message)
{
	const char *role = json_string_value(json_object_get(message, "role"));

	return role &&
	    (strcmp(role, "assistant") == 0 || strcmp(role, "model") == 0);
}

/* What the model said last; empty when it has not. */
static struct slice
last_said(struct exchange *x)
{
	static const char *const lists[] = { "messages", "input", "contents" };
	json_t *asked = facts_json(exchange_facts(x));

	for (size_t k = 0; k < COUNT(lists); k++) {
		json_t *all = json_object_get(asked, lists[k]);

		for (size_t i = json_array_size(all); i-- > 0;) {
			json_t *m = json_array_get(all, i);

			if (is_models(m) && text_of(m).n)
				return text_of(m);
		}
	}
	return slice_of(NULL);
}

static struct telling
tell(struct edit *e)
{
	struct telling t = { .text = last_said(e->exchange) };

	if (!e->detail)
		e->detail = json_pack("{sI}", "bytes", (json_int_t)t.text.n);
	return t;
}

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	if (last_said(x).n == 0) {
		shot_bypass(s, "nothing was said before");
		return NULL;
	}
	return replace_answer_stage_new(s, x, tell);
}

const struct fault_type fault_llm_stale = {
	.name = "llm_stale",
	.about = "the answer of the turn before comes again",
	.conf_bytes = 1,
	.on_answer = on_answer,
};
