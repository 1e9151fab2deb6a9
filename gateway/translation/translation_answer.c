/*
 * Whole answers.  What the other API has no word for makes the answer none: an
 * answer with a hole in it would be taken for a whole one.
 *
 * A chat's thoughts are not told in messages: there they carry a signature
 * that nobody but their maker can give.
 */
#include "gateway/translation/translation_priv.h"

#include "base/units.h"
#include <stdio.h>
#include <string.h>

/* ---- messages' answer, as chat's */

struct said {
	struct buf text, thought;
	json_t *calls;
	const char *untold; /* what has no word; NULL: nothing */
};

static void
add_block(struct said *s, json_t *block)
{
	const char *type = translation_text(block, "type");

	if (strcmp(type, "text") == 0) {
		if (!translation_is_nothing(block, "citations"))
			s->untold = "citations";
		(void)buf_adds(&s->text, translation_text(block, "text"));
	} else if (strcmp(type, "thinking") == 0) {
		(void)buf_adds(&s->thought,
		    translation_text(block, "thinking"));
	} else if (strcmp(type, "tool_use") == 0) {
		if (!*translation_text(block, "name") ||
		    !translation_is_object(json_object_get(block, "input")))
			s->untold = "a call of nothing";
		else
			json_array_append_new(s->calls,
			    json_pack("{s:s, s:s, s:{s:s, s:o}}", "id",
			        translation_text(block, "id"), "type",
			        "function", "function", "name",
			        translation_text(block, "name"), "arguments",
			        translation_quoted(
			            json_object_get(block, "input"))));
	} else if (strcmp(type, "redacted_thinking") != 0) {
		s->untold = *type ? type : "a block of no type";
	}
}

static json_t *
chat_message(const struct said *s)
{
	json_t *m = json_pack("{s:s, s:o}", "role", "assistant", "content",
	    s->text.len ? json_stringn(s->text.data, s->text.len)
	                : json_null());

	if (s->thought.len)
		json_object_set_new(m, "reasoning_content",
		    json_stringn(s->thought.data, s->thought.len));
	if (json_array_size(s->calls) > 0)
		json_object_set(m, "tool_calls", s->calls);
	return m;
}

static json_t *
to_chat(json_t *from, uint64_t now_s, struct translation_guess *guess,
    char untold[TRANSLATION_WORD_MAX])
{
	json_t *blocks = json_object_get(from, "content"), *block, *to = NULL;
	const char *word = translation_text(from, "stop_reason");
	const char *finish = translation_finish(SCHEMA_CHAT, word, false);
	struct said s = { .calls = json_array() };
	size_t i;

	buf_init(&s.text, SIZE_MAX / 2);
	buf_init(&s.thought, SIZE_MAX / 2);
	json_array_foreach(blocks, i, block)
		add_block(&s, block);
	if (!s.untold && *word && !finish)
		s.untold = word;
	if (s.untold)
		snprintf(untold, TRANSLATION_WORD_MAX, "%s", s.untold);
	else if (json_is_array(blocks))
		to =
		    json_pack("{s:s, s:s, s:I, s:s, s:[{s:i, s:o, s:s?}], s:o}",
		        "id", translation_text(from, "id"), "object",
		        "chat.completion", "created", (json_int_t)now_s,
		        "model", translation_text(from, "model"), "choices",
		        "index", 0, "message", chat_message(&s),
		        "finish_reason", finish, "usage",
		        translation_usage(SCHEMA_CHAT,
		            json_object_get(from, "usage"), guess));
	buf_done(&s.text);
	buf_done(&s.thought);
	json_decref(s.calls);
	return to;
}

/* ---- chat's answer, as messages' */

/* What of it has no word there; NULL: nothing has not. */
static const char *
untold_of(json_t *choices, json_t *m)
{
	static const char *const untold[] = { "annotations", "audio",
		"function_call" };
	static const char *const words[] = { "content", "refusal" };
	json_t *v, *call;
	size_t i;

	if (json_array_size(choices) > 1)
		return "a second choice";
	for (i = 0; i < COUNT(untold); i++)
		if (!translation_is_nothing(m, untold[i]))
			return untold[i];
	for (i = 0; i < COUNT(words); i++) {
		v = json_object_get(m, words[i]);
		if (v && !json_is_null(v) && !json_is_string(v))
			return "content in parts";
	}
	json_array_foreach(json_object_get(m, "tool_calls"), i, call)
		if (!*translation_text(json_object_get(call, "function"),
		        "name"))
			return "a call of nothing";
	return NULL;
}

static void
add_words(json_t *message, const char *name, json_t *blocks)
{
	json_t *text = json_object_get(message, name);

	if (json_string_length(text) > 0)
		translation_add_text(blocks, text);
}

static json_t *
to_messages(json_t *from, struct translation_guess *guess,
    char untold[TRANSLATION_WORD_MAX])
{
	json_t *choices = json_object_get(from, "choices");
	json_t *choice = json_array_get(choices, 0), *call, *to = NULL;
	json_t *m = json_object_get(choice, "message"), *blocks = json_array();
	json_t *calls = json_object_get(m, "tool_calls");
	bool is_refused = *translation_text(m, "refusal") != '\0';
	const char *word = is_refused
	    ? "content_filter"
	    : translation_text(choice, "finish_reason");
	const char *finish = translation_finish(SCHEMA_MESSAGES, word,
	    json_array_size(calls) > 0);
	const char *what = untold_of(choices, m);
	size_t i;

	add_words(m, "content", blocks);
	add_words(m, "refusal", blocks);
	json_array_foreach(calls, i, call)
		if (!what && !translation_add_call(blocks, call))
			what = "arguments that are no object";
	if (!what && *word && !finish)
		what = word;
	if (what && translation_is_object(m))
		snprintf(untold, TRANSLATION_WORD_MAX, "%s", what);
	else if (translation_is_object(m))
		to = json_pack("{s:s, s:s, s:s, s:s, s:O, s:s?, s:n, s:o}",
		    "id", translation_text(from, "id"), "type", "message",
		    "role", "assistant", "model",
		    translation_text(from, "model"), "content", blocks,
		    "stop_reason", finish, "stop_sequence", "usage",
		    translation_usage(SCHEMA_MESSAGES,
		        json_object_get(from, "usage"), guess));
	json_decref(blocks);
	return to;
}

enum err
translation_answer(enum schema_kind to, struct slice body, uint64_t now_s,
    struct translation_guess *guess, struct buf *out, struct why *why)
{
	json_t *from = translation_parse(body, TRANSLATION_OF_ANSWER);
	json_t *said = NULL;
	json_t *error = json_object_get(from, "error");
	char untold[TRANSLATION_WORD_MAX] = "";
	enum err e = ERR_SYNTAX;

	if (!error || json_is_null(error))
		said = to == SCHEMA_CHAT ? to_chat(from, now_s, guess, untold)
		                         : to_messages(from, guess, untold);
	if (said)
		e = translation_put(out, said);
	else if (untold[0])
		e = why_set(why, ERR_RANGE, "%s", untold);
	json_decref(said);
	json_decref(from);
	return e;
}

/* ---- errors */

void
translation_error(struct slice body, char *message, size_t message_bytes,
    char *code, size_t code_bytes)
{
	json_t *root = translation_parse(body, TRANSLATION_OF_SHOWN);
	json_t *error = json_object_get(root, "error");
	const char *text = json_string_value(error);
	const char *word = translation_text(error, "code");

	if (!text)
		text = translation_text(error, "message");
	if (!*word)
		word = translation_text(error, "type");
	snprintf(message, message_bytes, "%s", text);
	snprintf(code, code_bytes, "%s", word);
	json_decref(root);
}
