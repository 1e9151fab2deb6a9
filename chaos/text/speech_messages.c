/*
 * Anthropic's Messages: one content block; a stream starts it, says it in
 * deltas, stops it, and then says why the message ended.
 */
#include "chaos/text/speech.h"

static json_t *
usage_of(const struct completion *c, json_int_t out)
{
	return json_pack("{sI sI}", "input_tokens",
	    speech_tokens(c->prompt_bytes), "output_tokens", out);
}

static json_t *
message_of(const struct completion *c, json_t *content, const char *why,
    json_int_t out)
{
	return json_pack("{ss ss ss ss so ss? sn so}", "id", c->id, "type",
	    "message", "role", "assistant", "model", c->model, "content",
	    content, "stop_reason", why, "stop_sequence", "usage",
	    usage_of(c, out));
}

static const char *
stop_of(const struct completion *c)
{
	return c->tool ? "tool_use" : "end_turn";
}

static json_t *
whole(const struct completion *c)
{
	char id[COMPLETION_CALL_ID_BYTES];
	json_t *block;

	completion_call_id(c, "toolu", id);
	block = c->tool
	    ? json_pack("{ss ss ss so}", "type", "tool_use", "id", id, "name",
	          c->tool, "input", json_loads(c->arguments, 0, NULL))
	    : json_pack("{ss ss%}", "type", "text", "text",
	          c->content.n ? c->content.p : "", c->content.n);

	return message_of(c, json_pack("[o]", block), stop_of(c),
	    speech_tokens_out(c));
}

static json_t *
delta_of(const struct completion *c, struct slice piece)
{
	return c->tool ? json_pack("{ss ss%}", "type", "input_json_delta",
	                     "partial_json", piece.p, piece.n)
	               : json_pack("{ss ss%}", "type", "text_delta", "text",
	                     piece.p, piece.n);
}

static void
stream(const struct completion *c, const struct speech_out *out)
{
	struct slice left = c->tool ? slice_of(c->arguments) : c->content;
	struct slice piece;
	char id[COMPLETION_CALL_ID_BYTES];

	completion_call_id(c, "toolu", id);
	speech_event(out,
	    json_pack("{ss so}", "type", "message_start", "message",
	        message_of(c, json_array(), NULL, 1)));
	speech_event(out,
	    json_pack("{ss si so}", "type", "content_block_start", "index", 0,
	        "content_block",
	        c->tool ? json_pack("{ss ss ss s{}}", "type", "tool_use", "id",
	                      id, "name", c->tool, "input")
	                : json_pack("{ss ss}", "type", "text", "text", "")));
	while (speech_piece(&left, &piece))
		speech_event(out,
		    json_pack("{ss si so}", "type", "content_block_delta",
		        "index", 0, "delta", delta_of(c, piece)));
	speech_event(out,
	    json_pack("{ss si}", "type", "content_block_stop", "index", 0));
	speech_event(out,
	    json_pack("{ss s{ss sn} s{sI}}", "type", "message_delta", "delta",
	        "stop_reason", stop_of(c), "stop_sequence", "usage",
	        "output_tokens", speech_tokens_out(c)));
	speech_event(out, json_pack("{ss}", "type", "message_stop"));
}

const struct speech speech_messages = { whole, stream };
