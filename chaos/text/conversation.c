/*
 * One walk over what was said, whoever's words for it: each item is the
 * model's, a tool's, or somebody else's.  A turn of the model may be several
 * items (Responses lists each call by itself), so runs of them are counted.
 */
#include "chaos/text/conversation.h"

#include <string.h>
#include <strings.h>

#include "base/slice.h"
#include "base/units.h"

enum speaker { SOMEBODY, MODEL, TOOL };

/* A tool's result as it stands in a request. */
struct result {
	const char *text; /* borrowed; NULL: none */
	bool is_failed;   /* by a flag of the API */
};

static bool
says(json_t *v, const char *key, const char *word)
{
	const char *text = json_string_value(json_object_get(v, key));

	return text && strcmp(text, word) == 0;
}

static bool
ends_with(const char *text, const char *end)
{
	size_t n = text ? strlen(text) : 0, k = strlen(end);

	return n >= k && strcmp(text + n - k, end) == 0;
}

/* ---- results */

/* The text of a string, or of the first part of a list that has one. */
static const char *
text_of(json_t *content)
{
	json_t *part;
	size_t i;

	if (json_is_string(content))
		return json_string_value(content);
	json_array_foreach(content, i, part) {
		const char *text =
		    json_string_value(json_object_get(part, "text"));

		if (text)
			return text;
	}
	return NULL;
}

/* Gemini's result is an object: "error" says that it failed, and whichever
 * string comes first is its text. */
static struct result
gemini_result(json_t *response)
{
	json_t *error = json_object_get(response, "error"), *v;
	struct result r = { json_string_value(error), error != NULL };
	const char *key;

	json_object_foreach(response, key, v) {
		if (!r.text)
			r.text = json_string_value(v);
	}
	return r;
}

static bool
begins_with(const char *text, const char *const *words, size_t n)
{
	for (size_t i = 0; text && i < n; i++)
		if (strncasecmp(text, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

/* How tools and the frameworks around them say it where the API has no flag
 * for it: "Error: no such city", "MCP error -32603: ...", {"error": ...}. */
static bool
speaks_of_error(const char *text)
{
	static const char *const first[] = { "error", "{\"error\"",
		"{\"isError\":true", "{\"isError\": true", "failed",
		"exception", "traceback", "an error", "mcp error" };
	static const char *const within[] = { "error:", " failed",
		"exception:", "timed out" };

	if (begins_with(text, first, COUNT(first)))
		return true;
	for (size_t i = 0; text && i < COUNT(within); i++)
		if (strcasestr(text, within[i]))
			return true;
	return false;
}

/* Or that nobody knows whether it was done: then it may not be done again. */
static bool
speaks_of_refusal(const char *text)
{
	static const char *const words[] = { "denied", "refused", "rejected",
		"not allowed", "permission denied", "the user declined",
		"the user denied", "the user rejected", "user declined",
		"error: denied", "error: permission denied" };

	static const char *const unknown[] = { "may have been carried out",
		"outcome is unknown", "outcome unknown" };

	for (size_t i = 0; text && i < COUNT(unknown); i++)
		if (strcasestr(text, unknown[i]))
			return true;
	return begins_with(text, words, COUNT(words));
}

static void
take_result(struct conversation *c, struct result r)
{
	c->calls++;
	c->last = r.text;
	c->is_refused = speaks_of_refusal(r.text);
	if (!c->is_refused && (r.is_failed || speaks_of_error(r.text))) {
		c->failures++;
		return;
	}
	c->failures = 0;
	c->done++;
}

/* Takes every result that stands in an item; false: there is none. */
static bool
take_results(struct conversation *c, json_t *item)
{
	size_t before = c->calls, i;
	json_t *part;

	if (says(item, "role", "tool"))
		take_result(c,
		    (struct result){ text_of(json_object_get(item, "content")),
		        false });
	if (ends_with(json_string_value(json_object_get(item, "type")),
	        "_call_output"))
		take_result(c,
		    (struct result){ text_of(json_object_get(item, "output")),
		        false });
	json_array_foreach(json_object_get(item, "content"), i, part) {
		if (says(part, "type", "tool_result"))
			take_result(c,
			    (struct result){
			        text_of(json_object_get(part, "content")),
			        json_is_true(
			            json_object_get(part, "is_error")) });
	}
	json_array_foreach(json_object_get(item, "parts"), i, part) {
		json_t *answer = json_object_get(part, "functionResponse");

		if (answer)
			take_result(c,
			    gemini_result(json_object_get(answer, "response")));
	}
	return c->calls > before;
}

/* ---- the walk */

static bool
is_models(json_t *item)
{
	const char *type = json_string_value(json_object_get(item, "type"));

	return says(item, "role", "assistant") || says(item, "role", "model") ||
	    ends_with(type, "_call") || says(item, "type", "reasoning");
}

static enum speaker
take_item(struct conversation *c, json_t *item)
{
	if (take_results(c, item))
		return TOOL;
	if (is_models(item))
		return MODEL;
	if (says(item, "role", "user")) {
		c->done = c->failures = 0;
		c->is_refused = false;
		c->last = NULL;
	}
	return SOMEBODY;
}

static json_t *
items_of(json_t *request)
{
	static const char *const names[] = { "messages", "input", "contents" };
	json_t *items = NULL;

	for (size_t i = 0; i < COUNT(names) && !json_is_array(items); i++)
		items = json_object_get(request, names[i]);
	return items;
}

void
conversation_read(json_t *request, struct conversation *ret)
{
	struct conversation c = { .turn = json_is_object(request) ? 1 : 0 };
	enum speaker before = SOMEBODY, now;
	json_t *item;
	size_t i;

	c.is_hidden =
	    json_is_string(json_object_get(request, "previous_response_id"));
	json_array_foreach(items_of(request), i, item) {
		now = take_item(&c, item);
		/* A result answers a call, whether that is there or not. */
		if (now == TOOL && before == SOMEBODY)
			c.is_hidden = true;
		/* What the model has begun and is asked to go on with is no
		 * turn yet. */
		c.turn += before == MODEL && now != MODEL;
		before = now;
	}
	c.turn += c.is_hidden;
	c.has_result = before == TOOL;
	*ret = c;
}
