/*
 * llm_refusal{text}: the model declines instead of answering; what it would
 * have said does not come.
 */
#include "chaos/fault.h"

#include "chaos/edit.h"

struct conf {
	const char *text;
};

static const struct jfield fields[] = {
	{ "text", JF_STRING, 0, 0, 0, offsetof(struct conf, text), NULL },
};

static void
defaults(void *conf)
{
	((struct conf *)conf)->text =
	    "I'm sorry, but I can't help with that request.";
}

static bool
edit(struct edit *e)
{
	const struct conf *c = e->conf;

	if (json_string_length(json_object_get(e->part, "content")) == 0)
		return false;
	json_object_set_new(e->part, "content",
	    json_string(e->text_bytes == 0 ? c->text : ""));
	return true;
}

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return edit_new(s, x, edit);
}

const struct fault_type fault_llm_refusal = {
	.name = "llm_refusal",
	.about = "the model declines",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.defaults = defaults,
	.on_answer = on_answer,
};
