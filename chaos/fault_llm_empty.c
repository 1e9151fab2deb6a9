/*
 * llm_empty{}: a completion without content that calls itself finished.
 */
#include "chaos/fault.h"

#include "chaos/edit.h"

static bool
edit(struct edit *e)
{
	if (json_string_length(json_object_get(e->part, "content")) == 0)
		return false;
	json_object_set_new(e->part, "content", json_string(""));
	return true;
}

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return edit_new(s, x, edit);
}

const struct fault_type fault_llm_empty = {
	.name = "llm_empty",
	.about = "a completion without content",
	.conf_bytes = 1,
	.on_answer = on_answer,
};
