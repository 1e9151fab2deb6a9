/*
 * Only answers under a rule with validators come here, so a
 * JSON tree of each is affordable.
 */
#include "gateway/text/answer_content.h"

#include "base/sse.h"
#include "base/sse_end.h"
#include <jansson.h>
#include <stdio.h>
#include <string.h>

void
content_init(struct content *c)
{
	memset(c, 0, sizeof *c);
	buf_init(&c->text, CONTENT_MAX);
	for (size_t i = 0; i < CONTENT_TOOLS_MAX; i++)
		buf_init(&c->tools[i], CONTENT_MAX);
}

void
content_done(struct content *c)
{
	buf_done(&c->text);
	for (size_t i = 0; i < CONTENT_TOOLS_MAX; i++)
		buf_done(&c->tools[i]);
}

static void
add_tool(struct content *c, json_t *call, size_t position)
{
	json_t *said = json_object_get(call, "index");
	size_t i =
	    json_is_integer(said) ? (size_t)json_integer_value(said) : position;
	const char *text = json_string_value(
	    json_object_get(json_object_get(call, "function"), "arguments"));

	if (i >= CONTENT_TOOLS_MAX)
		return;
	if (i >= c->ntools)
		c->ntools = i + 1;
	if (text)
		buf_adds(&c->tools[i], text);
}

/* The first choice only: nobody else is shown to a user. */
static void
add_choice(struct content *c, json_t *choice)
{
	json_t *message = json_object_get(choice, "message"), *call;
	const char *text;
	size_t i;

	if (!message)
		message = json_object_get(choice, "delta");
	text = json_string_value(json_object_get(message, "content"));
	if (text)
		buf_adds(&c->text, text);
	json_array_foreach(json_object_get(message, "tool_calls"), i, call)
		add_tool(c, call, i);
	text = json_string_value(json_object_get(choice, "finish_reason"));
	if (text)
		snprintf(c->finish, sizeof c->finish, "%s", text);
}

void
content_add_answer(struct content *c, struct slice json)
{
	json_t *root = json_loadb(json.p, json.n, 0, NULL);

	add_choice(c, json_array_get(json_object_get(root, "choices"), 0));
	json_decref(root);
}

static bool
on_item(const struct sse_item *item, void *arg)
{
	if (item->kind == SSE_EVENT && !sse_end_is_done(item->data))
		content_add_answer(arg, item->data);
	return true;
}

void
content_add_events(struct content *c, struct slice stream)
{
	struct sse_parser *p = sse_parser_new(CONTENT_MAX);

	if (stream.n > 0)
		(void)sse_feed(p, stream.p, stream.n, on_item, c);
	sse_parser_free(p);
}
