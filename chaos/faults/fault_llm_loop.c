/*
 * llm_loop: the model asks for the same tool again: its answer is the last
 * call that the conversation holds, name and arguments as they were.  An agent
 * without a bound on its turns never comes to an end.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "chaos/http/completion_answer.h"
#include "chaos/http/exchange.h"
#include "chaos/rules/engine.h"
#include "chaos/rules/fault.h"
#include "chaos/text/conversation.h"

struct call {
	const char *name;  /* borrowed; NULL: none */
	json_t *arguments; /* borrowed: text, or JSON */
};

/* name and arguments, under whatever keys the API has for them. */
static void
take(json_t *v, struct call *ret)
{
	static const char *const keys[] = { "arguments", "input", "args" };
	const char *name = json_string_value(json_object_get(v, "name"));

	if (!name)
		return;
	*ret = (struct call){ .name = name };
	for (size_t i = 0; i < COUNT(keys) && !ret->arguments; i++)
		ret->arguments = json_object_get(v, keys[i]);
}

static void
take_parts(json_t *parts, struct call *ret)
{
	json_t *part;
	size_t i;

	json_array_foreach(parts, i, part) {
		const char *type =
		    json_string_value(json_object_get(part, "type"));

		if (type && strcmp(type, "tool_use") == 0)
			take(part, ret);
		take(json_object_get(part, "functionCall"), ret);
		take(json_object_get(part, "function"), ret);
	}
}

/* The last call in what was said so far. */
static struct call
last_call(json_t *request)
{
	static const char *const lists[] = { "messages", "input", "contents" };
	struct call c = { NULL, NULL };
	json_t *turn;
	size_t i;

	for (size_t k = 0; k < COUNT(lists); k++)
		json_array_foreach(json_object_get(request, lists[k]), i,
		    turn) {
			const char *type =
			    json_string_value(json_object_get(turn, "type"));

			if (type && strcmp(type, "function_call") == 0)
				take(turn, &c);
			take_parts(json_object_get(turn, "tool_calls"), &c);
			take_parts(json_object_get(turn, "content"), &c);
			take_parts(json_object_get(turn, "parts"), &c);
		}
	return c;
}

/* The arguments as JSON text, owned; what is no JSON cannot be said in every
 * API, and is left out. */
static char *
text_of(json_t *arguments)
{
	json_t *v = json_is_string(arguments)
	    ? json_loads(json_string_value(arguments), 0, NULL)
	    : json_incref(arguments);
	char *text = v ? json_dumps(v, JSON_COMPACT) : NULL;

	json_decref(v);
	return text ? text : xstrdup("{}");
}

static enum fault_step
on_request(struct shot *s, struct exchange *x)
{
	struct facts *f = exchange_facts(x);
	struct call c = last_call(facts_json(f));
	struct conversation said;
	struct slice asked = facts_asked_model(f);
	char id[COMPLETION_ANSWER_ID_BYTES], *model, *arguments;

	if (!facts_dialect(f) || !c.name) {
		shot_bypass(s, "no tool was called before");
		return FAULT_GO_ON;
	}
	if (!shot_fire(s, json_pack("{ss}", "tool", c.name)))
		return FAULT_GO_ON;
	completion_answer_id(x, id);
	conversation_read(facts_json(f), &said);
	model = asked.n ? slice_dup(asked) : xstrdup("model");
	arguments = text_of(c.arguments);
	if (completion_answer_send(x,
	        &(struct completion){ .id = id,
	            .model = model,
	            .tool = c.name,
	            .arguments = arguments,
	            .call = said.calls + 1,
	            .prompt_bytes = f->body.n }) != ERR_OK)
		exchange_end(x, ITEM_END_FIN);
	free(arguments);
	free(model);
	return FAULT_ANSWERED;
}

const struct fault_type fault_llm_loop = {
	.name = "llm_loop",
	.about = "the model asks for the same tool again",
	.conf_bytes = 1,
	.on_request = on_request,
};
