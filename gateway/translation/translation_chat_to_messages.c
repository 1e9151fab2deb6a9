/*
 * A question of chat completions in the words of messages.
 *
 * What differs in more than names: instructions stand outside of the list, and
 * only before it; results of tools are the user's, those of one turn in one
 * message; max_tokens has to be said.  What the assistant says at the end is
 * gone on from there, which chat does only where it is told to.
 */
#include "gateway/translation/translation_priv.h"

#include "base/units.h"
#include <stdlib.h>
#include <string.h>

/* ---- members that say what is so anyway */

static bool
say_if_default(struct translation_ask *a, const char *name, json_t *v)
{
	static const struct {
		const char *name, *json;
		double number;
	} same[] = {
		{ "frequency_penalty", NULL, 0 },
		{ "logprobs", "false", 0 },
		{ "n", NULL, 1 },
		{ "presence_penalty", NULL, 0 },
		{ "response_format", "{\"type\":\"text\"}", 0 },
		{ "service_tier", "\"auto\"", 0 },
		{ "store", "false", 0 },
	};
	char *text = json_dumps(v, TRANSLATION_DUMP);
	bool is_same = false;

	for (size_t i = 0; text && i < COUNT(same); i++)
		is_same |= strcmp(same[i].name, name) == 0 &&
		    (same[i].json ? strcmp(same[i].json, text) == 0
		                  : translation_is_number(v) &&
		                translation_number(v) == same[i].number);
	free(text);
	return is_same ||
	    translation_refuse(a, "%s cannot be said to this target", name);
}

static bool
say_nothing(struct translation_ask *a, const char *name, json_t *v)
{
	(void)a;
	(void)name;
	(void)v;
	return true;
}

/* ---- content */

/* data:TYPE;base64,BYTES */
static json_t *
source_of(const char *url)
{
	static const char middle[] = ";base64,";
	const char *type = url + strlen("data:"), *end;

	if (strncmp(url, "data:", strlen("data:")) != 0)
		return json_pack("{s:s, s:s}", "type", "url", "url", url);
	if (!(end = strstr(type, middle)))
		return NULL;
	return json_pack("{s:s, s:s%, s:s}", "type", "base64", "media_type",
	    type, (size_t)(end - type), "data", end + strlen(middle));
}

static bool
add_image(struct translation_ask *a, json_t *part, json_t *list)
{
	static const char *const names[] = { "detail", "url" };
	json_t *image = json_object_get(part, "image_url");
	const char *detail = translation_text(image, "detail");
	json_t *source;

	if (!translation_knows(a, image, "messages: image_url", names,
	        COUNT(names)))
		return false;
	if (*detail && strcmp(detail, "auto") != 0)
		return translation_refuse(a,
		    "messages: image_url: detail cannot be said to this "
		    "target");
	source = source_of(translation_text(image, "url"));
	if (!source)
		return translation_refuse(a,
		    "messages: image_url: expected a URL or data in base64");
	json_array_append_new(list,
	    json_pack("{s:s, s:o}", "type", "image", "source", source));
	return true;
}

/* The blocks of a message's content, which is text or a list of parts. */
static bool
add_content(struct translation_ask *a, json_t *content, bool takes_images,
    json_t *list)
{
	static const char *const names[] = { "image_url", "text", "type" };
	const char *type;
	json_t *part;
	size_t i;

	if (json_is_string(content)) {
		if (json_string_length(content) > 0)
			translation_add_text(list, content);
		return true;
	}
	if (content && !json_is_null(content) && !json_is_array(content))
		return translation_refuse(a,
		    "messages: content: expected text or a list");
	json_array_foreach(content, i, part) {
		type = translation_text(part, "type");
		if (!translation_knows(a, part, "messages: content", names,
		        COUNT(names)))
			return false;
		if (strcmp(type, "text") == 0 &&
		    json_is_string(json_object_get(part, "text")))
			translation_add_text(list,
			    json_object_get(part, "text"));
		else if (!takes_images || strcmp(type, "image_url") != 0)
			return translation_refuse(a,
			    "messages: content: %.40s cannot be said to this "
			    "target",
			    *type ? type : "a part without a type");
		else if (!add_image(a, part, list))
			return false;
	}
	return true;
}

/* ---- messages */

static void
add_message(struct translation_ask *a, const char *role, json_t *blocks)
{
	json_array_append_new(a->list,
	    json_pack("{s:s, s:o}", "role", role, "content", blocks));
}

/* Instructions stand before everything else, or their place is lost. */
static bool
add_system(struct translation_ask *a, json_t *m)
{
	json_t *system = json_object_get(a->to, "system");

	if (json_array_size(a->list) > 0)
		return translation_refuse(a,
		    "messages: instructions behind the first message cannot "
		    "be said to this target");
	if (!system) {
		json_object_set_new(a->to, "system", json_array());
		system = json_object_get(a->to, "system");
	}
	return add_content(a, json_object_get(m, "content"), false, system);
}

static bool
add_user(struct translation_ask *a, json_t *m)
{
	json_t *blocks = json_array();

	if (add_content(a, json_object_get(m, "content"), true, blocks)) {
		add_message(a, "user", blocks);
		return true;
	}
	json_decref(blocks);
	return false;
}

static bool
add_call(struct translation_ask *a, json_t *call, json_t *blocks)
{
	static const char *const names[] = { "function", "id", "index",
		"type" };
	static const char *const inner[] = { "arguments", "name" };
	json_t *f = json_object_get(call, "function");

	if (!translation_knows(a, call, "messages: tool_calls", names,
	        COUNT(names)) ||
	    !translation_knows(a, f, "messages: tool_calls: function", inner,
	        COUNT(inner)))
		return false;
	return translation_add_call(blocks, call) ||
	    translation_refuse(a,
	        "messages: tool_calls: arguments: expected a JSON object");
}

static bool
add_assistant(struct translation_ask *a, json_t *m)
{
	json_t *blocks = json_array(), *call;
	bool ok = add_content(a, json_object_get(m, "content"), false, blocks);
	size_t i;

	json_array_foreach(json_object_get(m, "tool_calls"), i, call)
		ok = ok && add_call(a, call, blocks);
	if (ok && json_array_size(blocks) > 0)
		add_message(a, "assistant", json_incref(blocks));
	json_decref(blocks);
	return ok;
}

/* The results of one turn are one message. */
static json_t *
results_of(struct translation_ask *a)
{
	json_t *last = json_array_get(a->list, json_array_size(a->list) - 1);
	json_t *blocks = json_object_get(last, "content");

	if (strcmp(translation_text(json_array_get(blocks, 0), "type"),
	        "tool_result") == 0)
		return blocks;
	blocks = json_array();
	add_message(a, "user", blocks);
	return blocks;
}

static bool
add_tool(struct translation_ask *a, json_t *m)
{
	json_t *blocks = json_array();

	if (!add_content(a, json_object_get(m, "content"), false, blocks)) {
		json_decref(blocks);
		return false;
	}
	json_array_append_new(results_of(a),
	    json_pack("{s:s, s:s, s:o}", "type", "tool_result", "tool_use_id",
	        translation_text(m, "tool_call_id"), "content", blocks));
	return true;
}

static const struct role {
	const char *name;
	bool (*add)(struct translation_ask *a, json_t *m);
	const char *const members[4]; /* all that it may have */
} roles[] = {
	{ "assistant", add_assistant,
	    { "content", "prefix", "role", "tool_calls" } },
	{ "developer", add_system, { "content", "role" } },
	{ "system", add_system, { "content", "role" } },
	{ "tool", add_tool, { "content", "role", "tool_call_id" } },
	{ "user", add_user, { "content", "role" } },
};

static bool
say_message(struct translation_ask *a, json_t *m)
{
	const char *said = translation_text(m, "role");
	size_t n = 0;

	for (size_t i = 0; i < COUNT(roles); i++) {
		if (strcmp(roles[i].name, said) != 0)
			continue;
		while (n < COUNT(roles[i].members) && roles[i].members[n])
			n++;
		return translation_knows(a, m, "messages", roles[i].members,
		           n) &&
		    roles[i].add(a, m);
	}
	return translation_refuse(a,
	    "messages: role: %.40s cannot be said to this target", said);
}

/* Chat's own ways to say that a target shall go on. */
static bool
is_beginning(struct translation_ask *a, json_t *last)
{
	return json_is_true(json_object_get(last, "prefix")) ||
	    json_is_true(json_object_get(a->from, "continue_final_message"));
}

/* The last message, if it is the assistant's. */
static bool
say_beginning(struct translation_ask *a, json_t *last)
{
	if (strcmp(translation_text(last, "role"), "assistant") != 0)
		return !is_beginning(a, last) ||
		    translation_refuse(a,
		        "continue_final_message: expected words of the "
		        "assistant's at the end");
	if (!is_beginning(a, last))
		return translation_refuse(a,
		    "messages: this target goes on from the assistant's words "
		    "at the end; \"prefix\": true says that it shall");
	if (!translation_begin(a, last))
		return false;
	return a->target->way == CONTINUATION_PREFILL ||
	    translation_refuse(a,
	        "messages: an answer's beginning cannot be said to this "
	        "target; see continues");
}

static bool
say_messages(struct translation_ask *a, const char *name, json_t *v)
{
	size_t i, n = json_array_size(v);
	json_t *m;

	(void)name;
	if (!json_is_array(v))
		return translation_refuse(a, "messages: expected a list");
	json_array_foreach(v, i, m) {
		if (!say_message(a, m))
			return false;
		if (i + 1 < n && json_is_true(json_object_get(m, "prefix")))
			return translation_refuse(a,
			    "messages: prefix: expected at the last message");
	}
	return say_beginning(a, json_array_get(v, n - 1));
}

/* What goes with continue_final_message, which the last message has said. */
static bool
say_prompt(struct translation_ask *a, const char *name, json_t *v)
{
	bool goes_on =
	    json_is_true(json_object_get(a->from, "continue_final_message"));

	return json_is_true(v) != goes_on ||
	    translation_refuse(a, "%s cannot be said to this target", name);
}

/* ---- tools */

static bool
say_tool(struct translation_ask *a, json_t *tool, json_t *list)
{
	static const char *const names[] = { "function", "type" };
	static const char *const inner[] = { "description", "name",
		"parameters", "strict" };
	json_t *f = json_object_get(tool, "function"), *to, *schema;

	if (!translation_knows(a, tool, "tools", names, COUNT(names)) ||
	    !translation_knows(a, f, "tools: function", inner, COUNT(inner)))
		return false;
	if (json_is_true(json_object_get(f, "strict")))
		return translation_refuse(a,
		    "tools: strict cannot be said to this target");
	schema = json_object_get(f, "parameters");
	to = json_pack("{s:s, s:o}", "name", translation_text(f, "name"),
	    "input_schema",
	    translation_is_object(schema)
	        ? json_incref(schema)
	        : json_pack("{s:s, s:{}}", "type", "object", "properties"));
	if (json_is_string(json_object_get(f, "description")))
		json_object_set(to, "description",
		    json_object_get(f, "description"));
	json_array_append_new(list, to);
	return true;
}

static bool
say_tools(struct translation_ask *a, const char *name, json_t *v)
{
	json_t *list = json_array(), *tool;
	bool ok =
	    json_is_array(v) || translation_refuse(a, "tools: expected a list");
	size_t i;

	json_array_foreach(v, i, tool)
		ok = ok && say_tool(a, tool, list);
	json_object_set_new(a->to, name, list);
	return ok;
}

/* What tool_choice holds so far; both of its members may make it. */
static json_t *
choice_of(struct translation_ask *a)
{
	json_t *choice = json_object_get(a->to, "tool_choice");

	if (choice)
		return choice;
	choice = json_pack("{s:s}", "type", "auto");
	json_object_set_new(a->to, "tool_choice", choice);
	return choice;
}

static bool
say_choice(struct translation_ask *a, const char *name, json_t *v)
{
	static const char *const words[][2] = { { "auto", "auto" },
		{ "none", "none" }, { "required", "any" } };
	static const char *const names[] = { "function", "type" };
	const char *said = json_string_value(v);
	json_t *choice = choice_of(a);

	for (size_t i = 0; said && i < COUNT(words); i++)
		if (strcmp(words[i][0], said) == 0) {
			json_object_set_new(choice, "type",
			    json_string(words[i][1]));
			return true;
		}
	if (said || strcmp(translation_text(v, "type"), "function") != 0)
		return translation_refuse(a,
		    "%s: what it says cannot be said to this target", name);
	json_object_set_new(choice, "type", json_string("tool"));
	json_object_set_new(choice, "name",
	    json_string(
	        translation_text(json_object_get(v, "function"), "name")));
	return translation_knows(a, v, name, names, COUNT(names));
}

static bool
say_parallel(struct translation_ask *a, const char *name, json_t *v)
{
	(void)name;
	if (json_is_false(v))
		json_object_set_new(choice_of(a), "disable_parallel_tool_use",
		    json_true());
	return true;
}

/* ---- the rest */

static bool
say_limit(struct translation_ask *a, const char *name, json_t *v)
{
	(void)name;
	return translation_copy(a, "max_tokens", v);
}

static bool
say_stop(struct translation_ask *a, const char *name, json_t *v)
{
	(void)name;
	if (json_is_string(v))
		json_object_set_new(a->to, "stop_sequences",
		    json_pack("[O]", v));
	else
		json_object_set(a->to, "stop_sequences", v);
	return true;
}

static bool
say_temperature(struct translation_ask *a, const char *name, json_t *v)
{
	if (translation_number(v) > 1)
		return translation_refuse(a,
		    "temperature above 1 cannot be said to this target");
	return translation_copy(a, name, v);
}

static bool
say_user(struct translation_ask *a, const char *name, json_t *v)
{
	(void)name;
	json_object_set_new(a->to, "metadata",
	    json_pack("{s:O}", "user_id", v));
	return true;
}

/* In this order: the later of two that say the same counts. */
static const struct translation_member members[] = {
	{ "model", translation_copy },
	{ "messages", say_messages },
	{ "max_tokens", say_limit },
	{ "max_completion_tokens", say_limit },
	{ "temperature", say_temperature },
	{ "top_p", translation_copy },
	{ "stop", say_stop },
	{ "stream", translation_copy },
	{ "stream_options", say_nothing }, /* a stream always tells its usage */
	{ "tools", say_tools },
	{ "tool_choice", say_choice },
	{ "parallel_tool_calls", say_parallel },
	{ "user", say_user },
	{ "add_generation_prompt", say_prompt },
	{ "continue_final_message", say_nothing },
	{ "frequency_penalty", say_if_default },
	{ "logprobs", say_if_default },
	{ "n", say_if_default },
	{ "presence_penalty", say_if_default },
	{ "response_format", say_if_default },
	{ "service_tier", say_if_default },
	{ "store", say_if_default },
};

bool
translation_to_messages(struct translation_ask *a)
{
	json_object_set_new(a->to, "max_tokens",
	    json_integer(TRANSLATION_MAX_TOKENS));
	if (!translation_say(a, members, COUNT(members)))
		return false;
	/* Where there are no tools there is nothing to choose from. */
	if (json_array_size(json_object_get(a->to, "tools")) == 0)
		json_object_del(a->to, "tool_choice");
	return true;
}
