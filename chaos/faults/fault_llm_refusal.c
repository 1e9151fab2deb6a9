/*
 * llm_refusal{form,text}: the model declines.
 *
 *	content         in its content, under finish reason "stop"
 *	refusal         in the member "refusal", content null
 *	content_filter  no content, finish reason "content_filter"
 */
#include "chaos/faults/replace_answer.h"
#include "chaos/rules/fault.h"

enum form { FORM_CONTENT, FORM_CONTENT_FILTER, FORM_REFUSAL, NFORMS };

static const char *const form_names[] = {
	[FORM_CONTENT] = "content",
	[FORM_CONTENT_FILTER] = "content_filter",
	[FORM_REFUSAL] = "refusal",
	[NFORMS] = NULL,
};

struct conf {
	int form;
	const char *text;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "form", JF_ENUM,   0, 0, 0,    offsetof(struct conf, form), form_names },
	{ "text", JF_STRING, 0, 1, 4096, offsetof(struct conf, text), NULL },
};
/* clang-format on */

static void
defaults(void *conf)
{
	((struct conf *)conf)->text = "I'm sorry, but I can't help with that.";
}

static struct telling
tell(struct edit *e)
{
	const struct conf *c = shot_conf(e->shot);
	bool is_filter = c->form == FORM_CONTENT_FILTER;

	if (!e->detail)
		e->detail = json_pack("{ss}", "form", form_names[c->form]);
	return (struct telling){
		.text = slice_of(is_filter ? "" : c->text),
		.is_refusal =
		    c->form == FORM_REFUSAL && e->dialect == &dialect_chat,
		.has_finish = true,
		.finish = is_filter ? DIALECT_FILTER : DIALECT_STOP,
	};
}

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return replace_answer_stage_new(s, x, tell);
}

const struct fault_type fault_llm_refusal = {
	.name = "llm_refusal",
	.about = "the model declines",
	FAULT_CONF,
	.defaults = defaults,
	.on_answer = on_answer,
};
