/* Gemini: each event has the shape of a whole answer. */
#include "chaos/text/speech.h"

/* part is taken. */
static json_t *
answer_of(const struct completion *c, json_t *part, bool is_last)
{
	json_int_t in = speech_tokens(c->prompt_bytes);
	json_int_t out = speech_tokens_out(c);
	json_t *candidate = json_pack("{s{s[o] ss} si}", "content", "parts",
	    part, "role", "model", "index", 0);

	if (candidate && is_last)
		json_object_set_new(candidate, "finishReason",
		    json_string("STOP"));
	return json_pack("{s[o] s{sI sI sI} ss ss}", "candidates", candidate,
	    "usageMetadata", "promptTokenCount", in, "candidatesTokenCount",
	    out, "totalTokenCount", in + out, "modelVersion", c->model,
	    "responseId", c->id);
}

static json_t *
text_of(struct slice text)
{
	return json_pack("{ss%}", "text", text.n ? text.p : "", text.n);
}

static json_t *
call_of(const struct completion *c)
{
	return json_pack("{s{ss so}}", "functionCall", "name", c->tool, "args",
	    json_loads(c->arguments, 0, NULL));
}

static json_t *
whole(const struct completion *c)
{
	return answer_of(c, c->tool ? call_of(c) : text_of(c->content), true);
}

static void
stream(const struct completion *c, const struct speech_out *out)
{
	struct slice left = c->content, piece;

	while (speech_piece(&left, &piece))
		speech_event(out,
		    answer_of(c, text_of(piece), !c->tool && left.n == 0));
	if (c->tool)
		speech_event(out, answer_of(c, call_of(c), true));
}

const struct speech speech_gemini = { whole, stream };
