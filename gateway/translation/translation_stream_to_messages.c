/* Chat's events, as messages': pieces of one message become blocks that begin and
 * end, one after the other. */
#include "gateway/translation/translation_stream_priv.h"

#include "base/units.h"
#include <stdio.h>
#include <string.h>

static void
begin_answer(struct translation_stream *s, json_t *chunk)
{
	if (s->is_begun)
		return;
	s->is_begun = true;
	translation_keep(&s->id, json_object_get(chunk, "id"));
	translation_keep(&s->model, json_object_get(chunk, "model"));
	translation_stream_put_event(s,
	    json_pack("{s:s, s:{s:O, s:s, s:s, s:O, s:[], s:n, s:n, s:{s:i, "
	              "s:i}}}",
	        "type", "message_start", "message", "id", s->id, "type",
	        "message", "role", "assistant", "model", s->model, "content",
	        "stop_reason", "stop_sequence", "usage", "input_tokens", 0,
	        "output_tokens", 0));
}

static void
close_block(struct translation_stream *s)
{
	if (s->open != OPEN_NONE)
		translation_stream_put_event(s,
		    json_pack("{s:s, s:I}", "type", "content_block_stop",
		        "index", s->block));
	s->open = OPEN_NONE;
}

/* Takes the block. */
static void
open_block(struct translation_stream *s, enum open_block kind, json_t *block)
{
	close_block(s);
	s->open = kind;
	s->block++;
	translation_stream_put_event(s,
	    json_pack("{s:s, s:I, s:o}", "type", "content_block_start", "index",
	        s->block, "content_block", block));
}

static void
put_piece(struct translation_stream *s, const char *type, const char *name,
    json_t *text)
{
	translation_stream_count_piece(s, &s->said, json_string_value(text));
	translation_stream_put_event(s,
	    json_pack("{s:s, s:I, s:{s:s, s:O}}", "type", "content_block_delta",
	        "index", s->block, "delta", "type", type, name, text));
}

static void
say_text(struct translation_stream *s, json_t *text)
{
	if (json_string_length(text) == 0)
		return;
	if (s->open != OPEN_TEXT)
		open_block(s, OPEN_TEXT,
		    json_pack("{s:s, s:s}", "type", "text", "text", ""));
	put_piece(s, "text_delta", "text", text);
}

/* Where calls have no numbers, another id with a name is another call. */
static json_int_t
call_of(const struct translation_stream *s, json_t *call, bool is_other)
{
	json_t *i = json_object_get(call, "index");

	if (json_is_integer(i))
		return json_integer_value(i);
	return is_other || s->call < 0 ? s->call + 1 : s->call;
}

static void
say_call(struct translation_stream *s, json_t *call)
{
	json_t *f = json_object_get(call, "function");
	json_t *arguments = json_object_get(f, "arguments");
	json_t *id = json_object_get(call, "id");
	bool is_other = json_string_length(id) > 0 &&
	    *translation_text(f, "name") && !json_equal(id, s->call_id);
	json_int_t i = call_of(s, call, is_other);

	if (i < s->call ||
	    (i == s->call && (is_other || s->open != OPEN_TOOL))) {
		translation_stream_put_untold(s,
		    "a call that goes on behind another one");
		return;
	}
	if (i > s->call && !*translation_text(f, "name")) {
		translation_stream_put_untold(s, "a call of nothing");
		return;
	}
	if (i > s->call) {
		s->said++;
		translation_keep(&s->call_id, id);
		open_block(s, OPEN_TOOL,
		    json_pack("{s:s, s:s, s:s, s:{}}", "type", "tool_use", "id",
		        translation_text(call, "id"), "name",
		        translation_text(f, "name"), "input"));
	}
	s->call = i;
	/* Some servers say the object itself. */
	arguments = translation_is_object(arguments)
	    ? translation_quoted(arguments)
	    : json_incref(arguments);
	if (json_string_length(arguments) > 0)
		put_piece(s, "input_json_delta", "partial_json", arguments);
	json_decref(arguments);
}

static void
say_delta(struct translation_stream *s, json_t *delta)
{
	static const char *const thoughts[] = { "reasoning",
		"reasoning_content" };
	static const char *const untold[] = { "annotations", "audio",
		"function_call" };
	json_t *call, *content = json_object_get(delta, "content");
	size_t i;

	for (i = 0; i < COUNT(untold); i++)
		if (!translation_is_nothing(delta, untold[i])) {
			translation_stream_put_untold(s, untold[i]);
			return;
		}
	if (json_array_size(content) > 0 || translation_is_object(content)) {
		translation_stream_put_untold(s, "content in parts");
		return;
	}
	for (i = 0; i < COUNT(thoughts); i++)
		translation_stream_count_piece(s, &s->unsaid,
		    translation_text(delta, thoughts[i]));
	s->is_refused |= *translation_text(delta, "refusal") != '\0';
	say_text(s, content);
	say_text(s, json_object_get(delta, "refusal"));
	json_array_foreach(json_object_get(delta, "tool_calls"), i, call)
		if (!s->is_over)
			say_call(s, call);
}

/* Its end is known, and what it used; is_done: though not why it ends. */
void
translation_stream_finish_answer(struct translation_stream *s, bool is_done)
{
	const char *word = s->is_refused ? "content_filter" : s->finish;
	const char *why =
	    translation_finish(SCHEMA_MESSAGES, word, s->call >= 0);

	if (s->is_over || !(s->finish[0] || (is_done && s->is_begun)))
		return;
	if (*word && !why) {
		translation_stream_put_untold(s, word);
		return;
	}
	close_block(s);
	s->is_over = true;
	translation_stream_put_event(s,
	    json_pack("{s:s, s:{s:s?, s:n}, s:o}", "type", "message_delta",
	        "delta", "stop_reason", why, "stop_sequence", "usage",
	        translation_stream_usage_told(s)));
	translation_stream_put_event(s,
	    json_pack("{s:s}", "type", "message_stop"));
}

void
translation_stream_take_chunk(struct translation_stream *s, json_t *chunk,
    const struct sse_item *item)
{
	json_t *choices = json_object_get(chunk, "choices");
	json_t *choice = json_array_get(choices, 0);
	json_t *error = json_object_get(chunk, "error");
	const char *finish = translation_text(choice, "finish_reason");

	if (error && !json_is_null(error)) {
		translation_stream_pass_error(s, item->data);
		return;
	}
	translation_add_usage(s->usage, json_object_get(chunk, "usage"));
	if (!choice)
		return;
	if (json_array_size(choices) > 1 ||
	    json_integer_value(json_object_get(choice, "index")) != 0) {
		translation_stream_put_untold(s, "a second choice");
		return;
	}
	begin_answer(s, chunk);
	say_delta(s, json_object_get(choice, "delta"));
	if (s->is_over || !*finish)
		return;
	close_block(s);
	snprintf(s->finish, sizeof s->finish, "%s", finish);
}
