/*
 * llm_empty{form}: an answer in order, with a finish reason and usage, that
 * says nothing.
 *
 *	empty       content ""; a stream has no pieces of content
 *	null        content null
 *	no_choices  an empty list of choices
 */
#include "chaos/faults/retell.h"
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

static enum edit_result
no_choices(struct slice json, struct buf *out)
{
	struct splices s = { .n = 0 };

	edit_set(&s, json, "/choices", slice_of("[]"));
	return edit_apply(&s, json, out);
}

static enum edit_result
empty(struct edit *e, struct slice json, struct buf *out,
    enum edit_result (*how)(struct retell *, const struct telling *,
        struct slice, struct buf *))
{
	const struct conf *c = shot_conf(e->shot);
	struct telling t = { .is_null = c->form == FORM_NULL };

	if (!e->detail)
		e->detail = json_pack("{ss}", "form", form_names[c->form]);
	if (c->form == FORM_NO_CHOICES)
		return no_choices(json, out);
	return how((struct retell *)e, &t, json, out);
}

static enum edit_result
on_whole(struct edit *e, struct slice json, struct buf *out)
{
	return empty(e, json, out, retell_whole);
}

static enum edit_result
on_event(struct edit *e, struct slice json, struct buf *out)
{
	return empty(e, json, out, retell_event);
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
	return editstage_new(s, x, &editor);
}

const struct fault_type fault_llm_empty = {
	.name = "llm_empty",
	.about = "an answer in order that says nothing",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.on_answer = on_answer,
};
