/*
 * llm_invented_tool{name}: the model calls a tool that nobody offered.  By
 * itself the name is made from that of the tool it meant, as models make them
 * ("get_weather" becomes "get_weather_v2").
 */
#include <stdlib.h>

#include "base/mem.h"
#include "chaos/faults/editstage.h"
#include "chaos/rules/fault.h"

struct conf {
	const char *name; /* NULL: made */
};

static const struct jfield fields[] = {
	{ "name", JF_STRING, 0, 1, 128, offsetof(struct conf, name), NULL },
};

static void
rename_tool(struct edit *e, struct slice json, struct jspan at,
    struct splices *s)
{
	const struct conf *c = shot_conf(e->shot);
	struct jtext was;
	char *name;

	if (!edit_span_text(json, at, &was))
		return;
	name = c->name ? xstrdup(c->name) : xasprintf("%s_v2", was.p);
	edit_span_string(s, at, slice_of(name));
	if (!e->detail)
		e->detail =
		    json_pack("{ss% ss}", "was", was.p, was.n, "name", name);
	free(name);
	jtext_done(&was);
}

static enum edit_result
on_text(struct edit *e, struct slice json, struct buf *out)
{
	struct dialect_hit hits[DIALECT_HITS];
	struct splices s = { .n = 0 };
	size_t n = dialect_hits(e->dialect, json, DIALECT_TOOL_NAME, hits);

	for (size_t i = 0; i < n; i++)
		rename_tool(e, json, hits[i].span, &s);
	return edit_apply(&s, json, out);
}

static const struct editor editor = {
	.edit_bytes = sizeof(struct edit),
	.missing = "no tool call whose name would be another",
	.on_whole = on_text,
	.on_event = on_text,
};

static struct stage *
on_answer(struct shot *s, struct exchange *x)
{
	return editstage_new(s, x, &editor);
}

const struct fault_type fault_llm_invented_tool = {
	.name = "llm_invented_tool",
	.about = "a tool is called that nobody offered",
	FAULT_CONF,
	.on_answer = on_answer,
};
