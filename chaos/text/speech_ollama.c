/* Ollama: lines, and a last one with "done", counts and times. */
#include "chaos/text/speech.h"

#define CREATED "2026-01-01T00:00:00Z"

static json_t *
line_of(const struct completion *c, struct slice text, json_t *calls,
    bool is_last)
{
	json_t *message = json_pack("{ss ss%}", "role", "assistant", "content",
	    text.n ? text.p : "", text.n);
	json_t *v;

	if (calls)
		json_object_set_new(message, "tool_calls", calls);
	v = json_pack("{ss ss so sb}", "model", c->model, "created_at", CREATED,
	    "message", message, "done", is_last);
	if (v && is_last)
		json_object_update_new(v,
		    json_pack("{ss sI sI sI sI}", "done_reason", "stop",
		        "prompt_eval_count", speech_tokens(c->prompt_bytes),
		        "eval_count", speech_tokens_out(c), "total_duration",
		        (json_int_t)1000000, "eval_duration",
		        (json_int_t)1000000));
	return v;
}

static json_t *
calls_of(const struct completion *c)
{
	return c->tool ? json_pack("[{s{ss so}}]", "function", "name", c->tool,
	                     "arguments", json_loads(c->arguments, 0, NULL))
	               : NULL;
}

static json_t *
whole(const struct completion *c)
{
	return line_of(c, c->content, calls_of(c), true);
}

static void
stream(const struct completion *c, const struct speech_out *out)
{
	struct slice left = c->content, piece;

	while (speech_piece(&left, &piece))
		speech_line(out, line_of(c, piece, NULL, false));
	if (c->tool)
		speech_line(out, line_of(c, slice_of(""), calls_of(c), false));
	speech_line(out, line_of(c, slice_of(""), NULL, true));
}

const struct speech speech_ollama = { whole, stream };
