/*
 * A question of messages in the words of chat completions.
 *
 * What differs in more than names: a result of a tool is a message of its own,
 * in front of what the user says besides; what an assistant said comes before
 * what it called.  Marks of what may be cached (`cache_control`) ask for no
 * other answer and are left out.  What the assistant says at the end is the
 * beginning of the answer; chat has no one word for that.
 */
#include "gateway/translation/translation_priv.h"

#include "base/units.h"
#include <string.h>

static bool
is_kind(json_t *block, const char *type)
{
	return strcmp(translation_text(block, "type"), type) == 0;
}

static bool
add_text(struct translation_ask *a, json_t *block, json_t *list)
{
	static const char *const names[] = { "cache_control", "text", "type" };

	if (!translation_knows(a, block, "messages: text", names, COUNT(names)))
		return false;
	if (!json_is_string(json_object_get(block, "text")))
		return translation_refuse(a, "messages: text: expected text");
	translation_add_text(list, json_object_get(block, "text"));
	return true;
}

static bool
add_image(struct translation_ask *a, json_t *block, json_t *list)
{
	static const char *const names[] = { "cache_control", "source",
		"type" };
	json_t *source = json_object_get(block, "source"), *url;

	if (!translation_knows(a, block, "messages: image", names,
	        COUNT(names)))
		return false;
	if (is_kind(source, "base64"))
		url = json_sprintf("data:%s;base64,%s",
		    translation_text(source, "media_type"),
		    translation_text(source, "data"));
	else if (is_kind(source, "url"))
		url = json_string(translation_text(source, "url"));
	else
		return translation_refuse(a,
		    "messages: image: a source that is %.40s cannot be said "
		    "to this target",
		    translation_text(source, "type"));
	json_array_append_new(list,
	    json_pack("{s:s, s:{s:o}}", "type", "image_url", "image_url", "url",
	        url));
	return true;
}

/* Parts, as they are said: text alone as text. */
static json_t *
content_of(json_t *parts)
{
	json_t *first = json_array_get(parts, 0);

	if (json_array_size(parts) == 1 && is_kind(first, "text"))
		return json_incref(json_object_get(first, "text"));
	return json_incref(parts);
}

/* Text, or blocks of text alone. */
static bool
read_texts(struct translation_ask *a, json_t *v, const char *where,
    json_t *parts)
{
	json_t *block;
	size_t i;

	if (json_is_string(v)) {
		translation_add_text(parts, v);
		return true;
	}
	if (v && !json_is_array(v))
		return translation_refuse(a, "%s: expected text or a list",
		    where);
	json_array_foreach(v, i, block)
		if (!is_kind(block, "text"))
			return translation_refuse(a,
			    "%s: %.40s cannot be said to this target", where,
			    translation_text(block, "type"));
		else if (!add_text(a, block, parts))
			return false;
	return true;
}

/* ---- what a user says */

static bool
add_result(struct translation_ask *a, json_t *block)
{
	static const char *const names[] = { "cache_control", "content",
		"is_error", "tool_use_id", "type" };
	json_t *parts = json_array();
	bool ok = translation_knows(a, block, "messages: tool_result", names,
	    COUNT(names));

	if (ok && json_is_true(json_object_get(block, "is_error")))
		ok = translation_refuse(a,
		    "messages: tool_result: is_error cannot be said to this "
		    "target");
	ok = ok &&
	    read_texts(a, json_object_get(block, "content"),
	        "messages: tool_result", parts);
	if (ok && json_array_size(parts) == 0)
		json_array_append_new(parts,
		    json_pack("{s:s, s:s}", "type", "text", "text", ""));
	if (ok)
		json_array_append_new(a->list,
		    json_pack("{s:s, s:s, s:o}", "role", "tool", "tool_call_id",
		        translation_text(block, "tool_use_id"), "content",
		        content_of(parts)));
	json_decref(parts);
	return ok;
}

static bool
add_user_block(struct translation_ask *a, json_t *block, json_t *parts)
{
	if (is_kind(block, "text"))
		return add_text(a, block, parts);
	if (is_kind(block, "image"))
		return add_image(a, block, parts);
	if (!is_kind(block, "tool_result"))
		return translation_refuse(a,
		    "messages: content: %.40s cannot be said to this target",
		    translation_text(block, "type"));
	if (json_array_size(parts) > 0)
		return translation_refuse(a,
		    "messages: a tool_result behind other content cannot be "
		    "said to this target");
	return add_result(a, block);
}

/* A turn of no parts is none. */
static void
add_turn(struct translation_ask *a, const char *role, json_t *parts)
{
	if (json_array_size(parts) > 0)
		json_array_append_new(a->list,
		    json_pack("{s:s, s:o}", "role", role, "content",
		        content_of(parts)));
}

static bool
add_user(struct translation_ask *a, json_t *content)
{
	json_t *parts = json_array(), *block;
	bool ok = true;
	size_t i;

	if (json_is_string(content))
		translation_add_text(parts, content);
	json_array_foreach(content, i, block)
		ok = ok && add_user_block(a, block, parts);
	if (ok)
		add_turn(a, "user", parts);
	json_decref(parts);
	return ok;
}

/* ---- what an assistant said */

static bool
add_use(struct translation_ask *a, json_t *block, json_t *calls)
{
	static const char *const names[] = { "cache_control", "id", "input",
		"name", "type" };

	if (!translation_knows(a, block, "messages: tool_use", names,
	        COUNT(names)))
		return false;
	if (!translation_is_object(json_object_get(block, "input")))
		return translation_refuse(a,
		    "messages: tool_use: input: expected an object");
	json_array_append_new(calls,
	    json_pack("{s:s, s:s, s:{s:s, s:o}}", "id",
	        translation_text(block, "id"), "type", "function", "function",
	        "name", translation_text(block, "name"), "arguments",
	        translation_quoted(json_object_get(block, "input"))));
	return true;
}

static bool
add_said(struct translation_ask *a, json_t *block, json_t *parts, json_t *calls)
{
	if (is_kind(block, "tool_use"))
		return add_use(a, block, calls);
	if (!is_kind(block, "text"))
		return translation_refuse(a,
		    "messages: content: %.40s cannot be said to this target",
		    translation_text(block, "type"));
	if (json_array_size(calls) > 0)
		return translation_refuse(a,
		    "messages: text behind a tool_use cannot be said to this "
		    "target");
	return add_text(a, block, parts);
}

static bool
add_assistant(struct translation_ask *a, json_t *content)
{
	json_t *parts = json_array(), *calls = json_array(), *block, *m;
	bool ok = true;
	size_t i;

	if (json_is_string(content))
		translation_add_text(parts, content);
	json_array_foreach(content, i, block)
		ok = ok && add_said(a, block, parts, calls);
	m = json_pack("{s:s}", "role", "assistant");
	json_object_set_new(m, "content",
	    json_array_size(parts) > 0 ? content_of(parts) : json_null());
	if (json_array_size(calls) > 0)
		json_object_set(m, "tool_calls", calls);
	if (ok)
		json_array_append(a->list, m);
	json_decref(m);
	json_decref(parts);
	json_decref(calls);
	return ok;
}

/* The beginning of the answer, in the way that the target takes it. */
static bool
say_beginning(struct translation_ask *a, json_t *m)
{
	json_t *text = json_object_get(m, "content");

	/* An empty one is none. */
	if (!json_object_get(m, "tool_calls") && !json_is_array(text) &&
	    json_string_length(text) == 0) {
		json_array_remove(a->list, json_array_size(a->list) - 1);
		return true;
	}
	if (!translation_begin(a, m))
		return false;
	if (json_is_array(text))
		return translation_refuse(a,
		    "messages: the beginning of an answer in several blocks "
		    "cannot be said to this target");
	if (a->target->way == CONTINUATION_DEEPSEEK)
		json_object_set_new(m, "prefix", json_true());
	if (a->target->way == CONTINUATION_FINAL) {
		json_object_set_new(a->to, "continue_final_message",
		    json_true());
		json_object_set_new(a->to, "add_generation_prompt",
		    json_false());
	}
	return true;
}

static bool
say_messages(struct translation_ask *a, const char *name, json_t *v)
{
	static const char *const names[] = { "content", "role" };
	json_t *m, *content;
	bool ok = json_is_array(v);
	size_t i;

	json_array_foreach(v, i, m) {
		content = json_object_get(m, "content");
		/* Only the beginning of an answer may be empty. */
		if (ok && i + 1 < json_array_size(v) &&
		    translation_is_none(content))
			ok = translation_refuse(a,
			    "messages: content: expected a block");
		ok = ok && translation_knows(a, m, name, names, COUNT(names)) &&
		    (json_is_string(content) || json_is_array(content)) &&
		    (strcmp(translation_text(m, "role"), "user") == 0
		            ? add_user(a, content)
		            : strcmp(translation_text(m, "role"),
		                  "assistant") == 0 &&
		                add_assistant(a, content));
	}
	if (!ok)
		return translation_refuse(a,
		    "messages: expected a list of what user and assistant "
		    "said");
	m = json_array_get(a->list, json_array_size(a->list) - 1);
	return strcmp(translation_text(m, "role"), "assistant") != 0 ||
	    say_beginning(a, m);
}

/* ---- tools */

static bool
say_tools(struct translation_ask *a, const char *name, json_t *v)
{
	static const char *const names[] = { "cache_control", "description",
		"input_schema", "name", "type" };
	json_t *list = json_array(), *tool, *f;
	bool ok =
	    json_is_array(v) || translation_refuse(a, "tools: expected a list");
	size_t i;

	json_array_foreach(v, i, tool) {
		const char *type = translation_text(tool, "type");

		if (*type && strcmp(type, "custom") != 0)
			ok = translation_refuse(a,
			    "tools: %.40s cannot be said to this target", type);
		ok =
		    ok && translation_knows(a, tool, name, names, COUNT(names));
		f = json_pack("{s:s}", "name", translation_text(tool, "name"));
		json_object_set(f, "description",
		    json_object_get(tool, "description"));
		json_object_set(f, "parameters",
		    json_object_get(tool, "input_schema"));
		json_array_append_new(list,
		    json_pack("{s:s, s:o}", "type", "function", "function", f));
	}
	json_object_set_new(a->to, name, list);
	return ok;
}

static bool
say_choice(struct translation_ask *a, const char *name, json_t *v)
{
	static const char *const names[] = { "disable_parallel_tool_use",
		"name", "type" };
	static const char *const words[][2] = { { "any", "required" },
		{ "auto", "auto" }, { "none", "none" } };
	const char *type = translation_text(v, "type");

	if (!translation_knows(a, v, name, names, COUNT(names)))
		return false;
	if (json_is_true(json_object_get(v, "disable_parallel_tool_use")))
		json_object_set_new(a->to, "parallel_tool_calls", json_false());
	for (size_t i = 0; i < COUNT(words); i++)
		if (strcmp(words[i][0], type) == 0) {
			json_object_set_new(a->to, name,
			    json_string(words[i][1]));
			return true;
		}
	if (strcmp(type, "tool") != 0)
		return translation_refuse(a,
		    "tool_choice: %.40s cannot be said to this target", type);
	json_object_set_new(a->to, name,
	    json_pack("{s:s, s:{s:s}}", "type", "function", "function", "name",
	        translation_text(v, "name")));
	return true;
}

/* ---- the rest */

static bool
say_system(struct translation_ask *a, const char *name, json_t *v)
{
	json_t *parts = json_array();
	bool ok = read_texts(a, v, name, parts);

	if (ok)
		add_turn(a, "system", parts);
	json_decref(parts);
	return ok;
}

static bool
say_stop(struct translation_ask *a, const char *name, json_t *v)
{
	(void)name;
	return translation_copy(a, "stop", v);
}

/* Only a stream that was asked to counts its tokens. */
static bool
say_stream(struct translation_ask *a, const char *name, json_t *v)
{
	if (json_is_true(v))
		json_object_set_new(a->to, "stream_options",
		    json_pack("{s:b}", "include_usage", 1));
	return translation_copy(a, name, v);
}

static bool
say_metadata(struct translation_ask *a, const char *name, json_t *v)
{
	static const char *const names[] = { "user_id" };

	json_object_set(a->to, "user", json_object_get(v, "user_id"));
	return translation_knows(a, v, name, names, COUNT(names));
}

static bool
say_thinking(struct translation_ask *a, const char *name, json_t *v)
{
	return is_kind(v, "disabled") ||
	    translation_refuse(a, "%s cannot be said to this target", name);
}

static bool
say_tier(struct translation_ask *a, const char *name, json_t *v)
{
	const char *tier = json_string_value(v);

	return (tier && strcmp(tier, "auto") == 0) ||
	    translation_refuse(a, "%s cannot be said to this target", name);
}

/* In this order: instructions come before messages. */
static const struct translation_member members[] = {
	{ "model", translation_copy },
	{ "system", say_system },
	{ "messages", say_messages },
	{ "max_tokens", translation_copy },
	{ "temperature", translation_copy },
	{ "top_p", translation_copy },
	{ "stop_sequences", say_stop },
	{ "stream", say_stream },
	{ "tools", say_tools },
	{ "tool_choice", say_choice },
	{ "metadata", say_metadata },
	{ "thinking", say_thinking },
	{ "service_tier", say_tier },
};

bool
translation_to_chat(struct translation_ask *a)
{
	return translation_say(a, members, COUNT(members));
}
