/*
 * llm_model_swap{model}: another model answered than was asked for, and the
 * answer says so in its member "model"; who does not look does not know.
 */
#include "chaos/faults/editstage.h"
#include "chaos/rules/fault.h"

struct conf {
	const char *model;
};

static const struct jfield fields[] = {
	{ "model", JF_STRING, 0, 1, 200, offsetof(struct conf, model), NULL },
};

static void
defaults(void *conf)
{
	((struct conf *)conf)->model = "gpt-3.5-turbo-0125";
}

static enum edit_result
on_text(struct edit *e, struct slice json, struct buf *out)
{
	const struct conf *c = shot_conf(e->shot);
	struct splices s = { .n = 0 };
	struct jspan at;
	struct jtext was;

	if (!dialect_hit(e->dialect, json, DIALECT_MODEL, &at) ||
	    !edit_span_text(json, at, &was))
		return EDIT_KEEP;
	edit_span_string(&s, at, slice_of(c->model));
	if (!e->detail)
		e->detail = json_pack("{ss% ss}", "was", was.p, was.n, "model",
		    c->model);
	jtext_done(&was);
	return edit_apply(&s, json, out);
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct edit),
	.missing = "no model in the answer that would be another",
	.on_whole = on_text,
	.on_event = on_text,
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return editstage_new(s, x, &editor);
}

const struct fault_type fault_llm_model_swap = {
	.name = "llm_model_swap",
	.about = "another model answered than was asked",
	FAULT_CONF,
	.defaults = defaults,
	.on_answer = on_answer,
};
