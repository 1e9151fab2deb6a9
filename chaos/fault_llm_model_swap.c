/*
 * llm_model_swap{model}: the answer says that another model gave it.
 */
#include "chaos/fault.h"

#include "chaos/edit.h"

struct conf {
	const char *model;
};

static const struct jfield fields[] = {
	{ "model", JF_STRING, JF_REQUIRED, 0, 0, offsetof(struct conf, model),
	    NULL },
};

static bool
edit(struct edit *e)
{
	const struct conf *c = e->conf;

	if (!json_object_get(e->doc, "model"))
		return false;
	json_object_set_new(e->doc, "model", json_string(c->model));
	return true;
}

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return edit_new(s, x, edit);
}

const struct fault_type fault_llm_model_swap = {
	.name = "llm_model_swap",
	.about = "the answer names another model",
	.fields = fields,
	.nfields = sizeof fields / sizeof fields[0],
	.conf_bytes = sizeof(struct conf),
	.on_answer = on_answer,
};
