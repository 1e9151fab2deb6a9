/*
 * OpenAI's Responses: one output item, which a stream adds, says in deltas,
 * and says again whole three times over.  Events are numbered.
 */
#include "chaos/text/speech.h"

#define CREATED 1767225600

struct telling {
	const struct completion *c;
	const struct speech_out *out;
	json_int_t number;
};

/* status: "in_progress" comes without what was said. */
static json_t *
item_of(const struct completion *c, const char *status, bool has_all)
{
	json_t *parts = json_array();
	char id[COMPLETION_CALL_ID_BYTES], call_id[COMPLETION_CALL_ID_BYTES];

	if (c->tool) {
		json_decref(parts);
		completion_call_id(c, "fc", id);
		completion_call_id(c, "call", call_id);
		return json_pack("{ss ss ss ss ss ss}", "type", "function_call",
		    "id", id, "call_id", call_id, "name", c->tool, "arguments",
		    has_all ? c->arguments : "", "status", status);
	}
	if (has_all)
		json_array_append_new(parts,
		    json_pack("{ss ss% s[]}", "type", "output_text", "text",
		        c->content.n ? c->content.p : "", c->content.n,
		        "annotations"));
	return json_pack("{ss ss ss ss so}", "type", "message", "id", "msg_1",
	    "status", status, "role", "assistant", "content", parts);
}

static json_t *
response_of(const struct completion *c, bool has_all)
{
	json_int_t in = speech_tokens(c->prompt_bytes);
	json_int_t out = speech_tokens_out(c);
	json_t *output = json_array();
	json_t *usage = has_all
	    ? json_pack("{sI sI sI}", "input_tokens", in, "output_tokens", out,
	          "total_tokens", in + out)
	    : json_null();

	if (has_all)
		json_array_append_new(output, item_of(c, "completed", true));
	return json_pack("{ss ss si ss sn sn ss so so}", "id", c->id, "object",
	    "response", "created_at", CREATED, "status",
	    has_all ? "completed" : "in_progress", "error",
	    "incomplete_details", "model", c->model, "output", output, "usage",
	    usage);
}

/* v is taken. */
static void
send_event(struct telling *t, const char *type, json_t *v)
{
	json_object_set_new(v, "type", json_string(type));
	json_object_set_new(v, "sequence_number", json_integer(t->number++));
	speech_event(t->out, v);
}

static json_t *
at_part(void)
{
	return json_pack("{ss si si}", "item_id", "msg_1", "output_index", 0,
	    "content_index", 0);
}

static json_t *
part_of(struct slice text)
{
	json_t *v = at_part();

	json_object_set_new(v, "part",
	    json_pack("{ss ss% s[]}", "type", "output_text", "text",
	        text.n ? text.p : "", text.n, "annotations"));
	return v;
}

static void
send_text(struct telling *t)
{
	struct slice left = t->c->content, piece;
	json_t *v;

	send_event(t, "response.content_part.added", part_of(slice_of("")));
	while (speech_piece(&left, &piece)) {
		v = at_part();
		json_object_set_new(v, "delta", json_stringn(piece.p, piece.n));
		send_event(t, "response.output_text.delta", v);
	}
	v = at_part();
	json_object_set_new(v, "text",
	    json_stringn(t->c->content.p, t->c->content.n));
	send_event(t, "response.output_text.done", v);
	send_event(t, "response.content_part.done", part_of(t->c->content));
}

static void
send_call(struct telling *t)
{
	struct slice left = slice_of(t->c->arguments), piece;
	char id[COMPLETION_CALL_ID_BYTES];

	completion_call_id(t->c, "fc", id);
	while (speech_piece(&left, &piece))
		send_event(t, "response.function_call_arguments.delta",
		    json_pack("{ss si ss%}", "item_id", id, "output_index", 0,
		        "delta", piece.p, piece.n));
	send_event(t, "response.function_call_arguments.done",
	    json_pack("{ss si ss ss}", "item_id", id, "output_index", 0, "name",
	        t->c->tool, "arguments", t->c->arguments));
}

static json_t *
whole(const struct completion *c)
{
	return response_of(c, true);
}

static void
stream(const struct completion *c, const struct speech_out *out)
{
	struct telling t = { c, out, 0 };

	send_event(&t, "response.created",
	    json_pack("{so}", "response", response_of(c, false)));
	send_event(&t, "response.output_item.added",
	    json_pack("{si so}", "output_index", 0, "item",
	        item_of(c, "in_progress", false)));
	if (c->tool)
		send_call(&t);
	else
		send_text(&t);
	send_event(&t, "response.output_item.done",
	    json_pack("{si so}", "output_index", 0, "item",
	        item_of(c, "completed", true)));
	send_event(&t, "response.completed",
	    json_pack("{so}", "response", response_of(c, true)));
}

const struct speech speech_responses = { whole, stream };
