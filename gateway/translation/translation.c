/*
 * A question's members are rows: name and how it is said.  What is in no row
 * is refused, so a member that is younger than this file is never lost.
 */
#include "gateway/translation/translation_priv.h"

#include "base/units.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *
translation_text(json_t *o, const char *name)
{
	const char *text = json_string_value(json_object_get(o, name));

	return text ? text : "";
}

void
translation_add_text(json_t *list, json_t *text)
{
	json_array_append_new(list,
	    json_pack("{s:s, s:O}", "type", "text", "text", text));
}

bool
translation_add_call(json_t *blocks, json_t *call)
{
	json_t *f = json_object_get(call, "function");
	json_t *input = translation_unquoted(json_object_get(f, "arguments"));

	if (!input)
		return false;
	json_array_append_new(blocks,
	    json_pack("{s:s, s:s, s:s, s:o}", "type", "tool_use", "id",
	        translation_text(call, "id"), "name",
	        translation_text(f, "name"), "input", input));
	return true;
}

void
translation_keep(json_t **to, json_t *v)
{
	if (json_string_length(v) == 0)
		return;
	json_decref(*to);
	*to = json_incref(v);
}

/* ---- words */

/* The first row of a word counts, in each direction.  Some servers of chat
 * completions have words of their own. */
static const struct finish {
	const char *chat, *messages;
} finishes[] = {
	{ "stop", "end_turn" },
	{ "stop", "stop_sequence" },
	{ "length", "max_tokens" },
	{ "length", "model_context_window_exceeded" },
	{ "tool_calls", "tool_use" },
	{ "content_filter", "refusal" },
	{ "end_turn", "end_turn" },
	{ "eos", "end_turn" },
	{ "eos_token", "end_turn" },
	{ "max_tokens", "max_tokens" },
	{ "model_length", "max_tokens" },
	{ "sensitive", "refusal" },
	{ "stop_sequence", "stop_sequence" },
	/* Of neither: the answer is a failure, and told to be one. */
	{ "insufficient_system_resource", "insufficient_system_resource" },
};

const char *
translation_finish(enum schema_kind to, const char *word, bool has_calls)
{
	if (to == SCHEMA_MESSAGES && has_calls && strcmp(word, "stop") == 0)
		return "tool_use";
	for (size_t i = 0; i < COUNT(finishes); i++) {
		const struct finish *f = &finishes[i];

		if (to == SCHEMA_CHAT && strcmp(word, f->messages) == 0)
			return f->chat;
		if (to == SCHEMA_MESSAGES && strcmp(word, f->chat) == 0)
			return f->messages;
	}
	return NULL;
}

/* ---- counts */

#define COUNT_MAX INT64_C(1000000000000) /* a longer one is a lie */

static bool
is_count(json_t *v)
{
	json_int_t n = json_integer_value(v);

	return json_is_integer(v) && n >= 0 && n < COUNT_MAX;
}

static json_int_t
count_of(json_t *o, const char *name)
{
	json_t *v = json_object_get(o, name);

	return is_count(v) ? json_integer_value(v) : 0;
}

void
translation_add_usage(json_t *sum, json_t *usage)
{
	const char *name;
	json_t *v;

	json_object_foreach(usage, name, v)
		if (!json_is_null(v))
			json_object_set(sum, name, v);
}

/* Chat counts what was known within the question, messages beside it. */
void
translation_read_counts(enum schema_kind to, json_t *u, struct chunk *ret)
{
	static const char *const chat[] = { "completion_tokens",
		"prompt_tokens" };
	static const char *const messages[] = { "output_tokens",
		"input_tokens" };
	const char *const *names = to == SCHEMA_CHAT ? messages : chat;
	json_int_t known, in = count_of(u, names[1]);

	*ret = (struct chunk){ .has_in = is_count(json_object_get(u, names[1])),
		.has_out = is_count(json_object_get(u, names[0])) };
	for (size_t i = 0; i < COUNT(chat); i++) {
		json_t *v = json_object_get(u, names[i]);

		if (v && !json_is_null(v) && !is_count(v))
			ret->has_in = ret->has_out = false;
	}
	ret->has_counts = ret->has_in || ret->has_out;
	if (to == SCHEMA_CHAT) {
		known = count_of(u, "cache_read_input_tokens");
		in += known + count_of(u, "cache_creation_input_tokens");
	} else {
		known = count_of(json_object_get(u, "prompt_tokens_details"),
		    "cached_tokens");
		if (!known)
			known = count_of(u, "prompt_cache_hit_tokens");
		if (known > in)
			known = in;
	}
	ret->tokens_in = (uint64_t)in;
	ret->tokens_cached = (uint64_t)known;
	ret->tokens_out = (uint64_t)count_of(u, names[0]);
}

json_t *
translation_usage(enum schema_kind to, json_t *u,
    struct translation_guess *guess)
{
	json_int_t in = (json_int_t)guess->in, out = (json_int_t)guess->out;
	json_int_t known = 0;
	struct chunk n;

	translation_read_counts(to, u, &n);
	guess->is_told = !n.has_in || !n.has_out;
	if (n.has_in) {
		in = (json_int_t)n.tokens_in;
		known = (json_int_t)n.tokens_cached;
	}
	if (n.has_out)
		out = (json_int_t)n.tokens_out;
	if (to == SCHEMA_CHAT)
		return json_pack("{s:I, s:I, s:I, s:{s:I}}", "prompt_tokens",
		    in, "completion_tokens", out, "total_tokens", in + out,
		    "prompt_tokens_details", "cached_tokens", known);
	return json_pack("{s:I, s:I, s:I, s:I}", "input_tokens", in - known,
	    "cache_creation_input_tokens", (json_int_t)0,
	    "cache_read_input_tokens", known, "output_tokens", out);
}

/* ---- questions */

bool
translation_refuse(struct translation_ask *a, const char *fmt, ...)
{
	char what[128];
	va_list ap;

	if (a->is_refused)
		return false;
	a->is_refused = true;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	why_set(a->why, ERR_SYNTAX, "body: %s", what);
	return false;
}

bool
translation_is_none(json_t *v)
{
	return json_is_null(v) || (json_is_array(v) && json_array_size(v) == 0);
}

bool
translation_is_nothing(json_t *o, const char *name)
{
	json_t *v = json_object_get(o, name);

	return !v || translation_is_none(v);
}

bool
translation_knows(struct translation_ask *a, json_t *o, const char *where,
    const char *const *names, size_t n)
{
	const char *name;
	json_t *v;
	size_t i;

	if (!translation_is_object(o))
		return translation_refuse(a, "%s: expected an object", where);
	json_object_foreach(o, name, v) {
		for (i = 0; i < n && strcmp(name, names[i]) != 0; i++)
			continue;
		if (i == n && !translation_is_none(v))
			return translation_refuse(a,
			    "%s: %.40s cannot be said to this target", where,
			    name);
	}
	return true;
}

static const struct translation_member *
find_member(const struct translation_member *rows, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(rows[i].name, name) == 0)
			return &rows[i];
	return NULL;
}

bool
translation_say(struct translation_ask *a,
    const struct translation_member *rows, size_t n)
{
	const char *name;
	json_t *v;

	json_object_foreach(a->from, name, v)
		if (!translation_is_none(v) && !find_member(rows, n, name))
			return translation_refuse(a,
			    "%.40s cannot be said to this target", name);
	for (size_t i = 0; i < n; i++) {
		v = json_object_get(a->from, rows[i].name);
		if (v && !json_is_null(v) && !rows[i].say(a, rows[i].name, v))
			return false;
	}
	return true;
}

bool
translation_copy(struct translation_ask *a, const char *name, json_t *v)
{
	json_object_set(a->to, name, v);
	return true;
}

bool
translation_begin(struct translation_ask *a, json_t *message)
{
	if (json_object_get(message, "tool_calls"))
		return translation_refuse(a,
		    "messages: no target goes on from a call at the end");
	a->target->is_begun = true;
	return a->target->way != CONTINUATION_NOT ||
	    translation_refuse(a,
	        "messages: this target does not go on from words of the "
	        "assistant's at the end; see continues");
}

enum err
translation_question(struct translation_target *to, struct slice body,
    struct buf *out, struct why *why)
{
	json_t *from = translation_parse(body, TRANSLATION_OF_QUESTION);
	struct translation_ask a = { from, json_object(), json_array(), to, why,
		false };
	enum err e = ERR_SYNTAX;
	bool ok;

	to->is_begun = false;
	json_object_set(a.to, "messages", a.list);
	if (!translation_is_object(from))
		ok = translation_refuse(&a, "expected a JSON object");
	else if (to->kind == SCHEMA_MESSAGES)
		ok = translation_to_messages(&a);
	else
		ok = translation_to_chat(&a);
	if (ok)
		e = translation_put(out, a.to);
	if (e == ERR_TOOBIG)
		why_set(why, e, "body: too long once it is translated");
	json_decref(a.list);
	json_decref(a.to);
	json_decref(from);
	return e;
}
