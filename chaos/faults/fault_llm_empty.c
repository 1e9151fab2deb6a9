/*
 * llm_empty{form}: an answer in order, with a finish reason and usage, that
 * says nothing.
 *
 *	empty       text ""; a stream has no pieces of text
 *	null        null for a text, where the dialect has it apart
 *	no_choices  an empty list of choices, blocks, items or candidates
 */
#include "chaos/faults/replace_answer.h"
#include "chaos/rules/fault.h"

enum form { FORM_EMPTY, FORM_NO_CHOICES, FORM_NULL, NFORMS };

static const char *const form_names[] = {
	[FORM_EMPTY] = "empty",
	[FORM_NO_CHOICES] = "no_choices",
	[FORM_NULL] = "null",
	[NFORMS] = NULL,
};

struct conf {
	int form;
};

static const struct jfield fields[] = {
	{ "form", JF_ENUM, 0, 0, 0, offsetof(struct conf, form), form_names },
};

static struct telling
tell(struct edit *e)
{
	const struct conf *c = shot_conf(e->shot);

	if (!e->detail)
		e->detail = json_pack("{ss}", "form", form_names[c->form]);
	return (struct telling){ .is_null = c->form == FORM_NULL,
		.is_nothing = c->form == FORM_NO_CHOICES };
}

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return replace_answer_stage_new(s, x, tell);
}

const struct fault_type fault_llm_empty = {
	.name = "llm_empty",
	.about = "an answer in order that says nothing",
	FAULT_CONF,
	.on_answer = on_answer,
};
