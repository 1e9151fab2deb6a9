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

/* ---- JSON */

json_t *
translation_parse(struct slice text)
{
	return json_loadb(text.p ? text.p : "", text.n,
	    JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
}

enum err
translation_put(struct buf *out, json_t *tree)
{
	size_t n = json_dumpb(tree, NULL, 0, TRANSLATION_DUMP);
	char *to = n > 0 ? buf_extend(out, n) : NULL;

	if (!to)
		return ERR_TOOBIG;
	(void)json_dumpb(tree, to, n, TRANSLATION_DUMP);
	return ERR_OK;
}

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

json_t *
translation_quoted(json_t *tree)
{
	char *text = json_dumps(tree, TRANSLATION_DUMP);
	json_t *s = json_string(text);

	free(text);
	return s;
}

json_t *
translation_unquoted(json_t *string)
{
	struct slice text = { json_string_value(string),
		json_string_length(string) };
	json_t *tree = text.n > 0 ? translation_parse(text) : json_object();

	if (json_is_object(tree))
		return tree;
	json_decref(tree);
	return NULL;
}

/* ---- words */

/* The first row of a word counts, in each direction. */
static const struct finish {
	const char *chat, *messages;
} finishes[] = {
	{ "stop", "end_turn" },
	{ "stop", "stop_sequence" },
	{ "length", "max_tokens" },
	{ "length", "model_context_window_exceeded" },
	{ "tool_calls", "tool_use" },
	{ "content_filter", "refusal" },
};

const char *
translation_finish(enum schema_kind to, const char *word)
{
	for (size_t i = 0; i < COUNT(finishes); i++) {
		const struct finish *f = &finishes[i];

		if (to == SCHEMA_CHAT && strcmp(word, f->messages) == 0)
			return f->chat;
		if (to == SCHEMA_MESSAGES && strcmp(word, f->chat) == 0)
			return f->messages;
	}
	return word;
}

static json_int_t
count_of(json_t *o, const char *name)
{
	json_int_t v = json_integer_value(json_object_get(o, name));

	return v > 0 && v < INT64_C(1000000000000) ? v : 0;
}

/* Chat counts what was known within the question, messages beside it. */
json_t *
translation_usage(enum schema_kind to, json_t *u)
{
	json_int_t in, known, out;

	if (to == SCHEMA_CHAT) {
		known = count_of(u, "cache_read_input_tokens");
		in = count_of(u, "input_tokens") + known +
		    count_of(u, "cache_creation_input_tokens");
		out = count_of(u, "output_tokens");
		return json_pack("{s:I, s:I, s:I, s:{s:I}}", "prompt_tokens",
		    in, "completion_tokens", out, "total_tokens", in + out,
		    "prompt_tokens_details", "cached_tokens", known);
	}
	in = count_of(u, "prompt_tokens");
	known = count_of(json_object_get(u, "prompt_tokens_details"),
	    "cached_tokens");
	if (!known)
		known = count_of(u, "prompt_cache_hit_tokens");
	if (known > in)
		known = in;
	return json_pack("{s:I, s:I, s:I, s:I}", "input_tokens", in - known,
	    "cache_creation_input_tokens", (json_int_t)0,
	    "cache_read_input_tokens", known, "output_tokens",
	    count_of(u, "completion_tokens"));
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
translation_knows(struct translation_ask *a, json_t *o, const char *where,
    const char *const *names, size_t n)
{
	const char *name;
	json_t *v;
	size_t i;

	if (!json_is_object(o))
		return translation_refuse(a, "%s: expected an object", where);
	json_object_foreach(o, name, v) {
		for (i = 0; i < n && strcmp(name, names[i]) != 0; i++)
			continue;
		if (i == n && !json_is_null(v))
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
		if (!json_is_null(v) && !find_member(rows, n, name))
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

enum err
translation_question(enum schema_kind to, struct slice body, struct buf *out,
    struct why *why)
{
	json_t *from = translation_parse(body);
	struct translation_ask a = { from, json_object(), json_array(), why,
		false };
	enum err e = ERR_SYNTAX;
	bool ok;

	json_object_set(a.to, "messages", a.list);
	if (!json_is_object(from))
		ok = translation_refuse(&a, "expected a JSON object");
	else if (to == SCHEMA_MESSAGES)
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
