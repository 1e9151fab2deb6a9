/*
 * What answers are worth, whole and streamed, cut in every way.
 */
#include "chaos/http/answer_worth.h"

#include <string.h>

#include "chaos/text/dialect.h"
#include "tests/unit.h"

#define JSON   "application/json"
#define STREAM "text/event-stream"
#define SAY    "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n"
#define CALL(args)                                                             \
	"data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"c\","       \
	"\"function\":{\"name\":\"f\",\"arguments\":\"" args "\"}}]}}]}\n\n"
#define FINISH(why)                                                            \
	"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"" why "\"}]}"   \
	"\n\n"
#define DONE "data: [DONE]\n\n"

#define LINES       "application/x-ndjson"
#define EV(t, rest) "event: " t "\ndata: {\"type\":\"" t "\"" rest "}\n\n"
#define BEGIN                                                                  \
	EV("message_start",                                                    \
	    ",\"message\":{\"model\":\"m\",\"content\":[],\"stop_reason\":"    \
	    "null}")
#define SAID                                                                   \
	EV("content_block_delta",                                              \
	    ",\"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}")
#define ARGS(a)                                                                \
	EV("content_block_delta",                                              \
	    ",\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"" a  \
	    "\"}")
#define TOOL                                                                   \
	EV("content_block_start",                                              \
	    ",\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":" \
	    "\"f\",\"input\":{}}")
#define ENDS(why)                                                              \
	EV("message_delta", ",\"delta\":{\"stop_reason\":\"" why "\"}")        \
	EV("message_stop", "")

struct row {
	const char *what, *type, *body;
	int status;
	enum item_end end;
	size_t promised; /* 0: as long as it is */
	enum worth worth;
	const struct dialect *dialect; /* NULL: chat */
};

static const struct dialect unknown; /* for NULL */
static const struct dialect rpc;     /* for NULL, and a JSON-RPC call */

/* clang-format off */
static const struct row rows[] = {
	{ "a whole answer", JSON, "{\"choices\":[{\"message\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}", 200, ITEM_END_CLEAN, 0, WORTH_GOOD, NULL },
	{ "empty content", JSON, "{\"choices\":[{\"message\":{\"content\":\"\"},\"finish_reason\":\"stop\"}]}", 200, ITEM_END_CLEAN, 0, WORTH_EMPTY, NULL },
	{ "no choices", JSON, "{\"choices\":[]}", 200, ITEM_END_CLEAN, 0, WORTH_EMPTY, NULL },
	{ "an empty body", JSON, "", 200, ITEM_END_CLEAN, 0, WORTH_EMPTY, NULL },
	{ "finished for length", JSON, "{\"choices\":[{\"message\":{\"content\":\"hi\"},\"finish_reason\":\"length\"}]}", 200, ITEM_END_CLEAN, 0, WORTH_TRUNCATED, NULL },
	{ "half of a body", JSON, "{\"choices\":[{\"mess", 200, ITEM_END_FIN, 90, WORTH_TRUNCATED, NULL },
	{ "not JSON after all", JSON, "<html>", 200, ITEM_END_CLEAN, 0, WORTH_GARBLED, NULL },
	{ "an error by status", JSON, "{\"error\":{\"message\":\"no\"}}", 503, ITEM_END_CLEAN, 0, WORTH_ERROR, NULL },
	{ "an error inside 200", JSON, "{\"error\":{\"message\":\"no\"}}", 200, ITEM_END_CLEAN, 0, WORTH_ERROR, NULL },
	{ "error null is none", JSON, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":null,\"result\":{}}", 200, ITEM_END_CLEAN, 0, WORTH_GOOD, &unknown },
	{ "a page", "text/html", "<html>", 200, ITEM_END_CLEAN, 0, WORTH_GOOD, &unknown },
	{ "a page for an answer", "text/html", "<html>", 200, ITEM_END_CLEAN, 0, WORTH_GARBLED, NULL },
	{ "events of nobody's", STREAM, "data: x\n\n", 200, ITEM_END_CLEAN, 0, WORTH_GARBLED, &unknown },
	{ "events of a tool server", STREAM, "data: {}\n\n", 200, ITEM_END_CLEAN, 0, WORTH_GOOD, &unknown },
	{ "whole tool arguments", JSON, "{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"function\":{\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}", 200, ITEM_END_CLEAN, 0, WORTH_GOOD, NULL },
	{ "cut tool arguments", JSON, "{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"function\":{\"arguments\":\"{\\\"a\"}}]},\"finish_reason\":\"tool_calls\"}]}", 200, ITEM_END_CLEAN, 0, WORTH_TRUNCATED, NULL },
	{ "a whole stream", STREAM, SAY FINISH("stop") DONE, 200, ITEM_END_CLEAN, 0, WORTH_GOOD, NULL },
	{ "all said, then a reset", STREAM, SAY FINISH("stop") DONE, 200, ITEM_END_RST, 0, WORTH_GOOD, NULL },
	{ "no [DONE], but finished", STREAM, SAY FINISH("stop"), 200, ITEM_END_CLEAN, 0, WORTH_GOOD, NULL },
	{ "a clean end too soon", STREAM, SAY, 200, ITEM_END_CLEAN, 0, WORTH_TRUNCATED, NULL },
	{ "a reset inside", STREAM, SAY, 200, ITEM_END_RST, 0, WORTH_TRUNCATED, NULL },
	{ "a stream without a word", STREAM, FINISH("stop") DONE, 200, ITEM_END_CLEAN, 0, WORTH_EMPTY, NULL },
	{ "a bad event", STREAM, SAY "data: {\"choi\n\n" FINISH("stop") DONE, 200, ITEM_END_CLEAN, 0, WORTH_GARBLED, NULL },
	{ "an error event", STREAM, SAY "data: {\"error\":{\"message\":\"x\"}}\n\n", 200, ITEM_END_CLEAN, 0, WORTH_ERROR, NULL },
	{ "streamed arguments in two parts", STREAM, CALL("{\\\"a\\\":") "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"1}\"}}]}}]}\n\n" FINISH("tool_calls") DONE, 200, ITEM_END_CLEAN, 0, WORTH_GOOD, NULL },
	{ "streamed arguments cut", STREAM, CALL("{\\\"a\\\":") FINISH("tool_calls") DONE, 200, ITEM_END_CLEAN, 0, WORTH_TRUNCATED, NULL },
	{ "a filter's word is no silence", JSON, "{\"choices\":[{\"message\":{\"content\":\"\"},\"finish_reason\":\"content_filter\"}]}", 200, ITEM_END_CLEAN, 0, WORTH_GOOD, NULL },
	{ "the first of two calls is torn", STREAM, CALL("{\\\"a\\\":") CALL("{}") FINISH("tool_calls") DONE, 200, ITEM_END_CLEAN, 0, WORTH_TRUNCATED, NULL },
	{ "messages: whole", JSON, "{\"type\":\"message\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}],\"stop_reason\":\"end_turn\"}", 200, ITEM_END_CLEAN, 0, WORTH_GOOD, &dialect_messages },
	{ "messages: no content", JSON, "{\"type\":\"message\",\"content\":[],\"stop_reason\":\"end_turn\"}", 200, ITEM_END_CLEAN, 0, WORTH_EMPTY, &dialect_messages },
	{ "messages: an error in 200", JSON, "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}", 200, ITEM_END_CLEAN, 0, WORTH_ERROR, &dialect_messages },
	{ "messages: a stream", STREAM, BEGIN SAID ENDS("end_turn"), 200, ITEM_END_CLEAN, 0, WORTH_GOOD, &dialect_messages },
	{ "messages: finished, then a reset", STREAM, BEGIN SAID ENDS("end_turn"), 200, ITEM_END_RST, 0, WORTH_GOOD, &dialect_messages },
	{ "messages: a clean end too soon", STREAM, BEGIN SAID, 200, ITEM_END_CLEAN, 0, WORTH_TRUNCATED, &dialect_messages },
	{ "messages: max_tokens", STREAM, BEGIN SAID ENDS("max_tokens"), 200, ITEM_END_CLEAN, 0, WORTH_TRUNCATED, &dialect_messages },
	{ "messages: nothing said", STREAM, BEGIN ENDS("end_turn"), 200, ITEM_END_CLEAN, 0, WORTH_EMPTY, &dialect_messages },
	{ "messages: an error event", STREAM, BEGIN SAID EV("error", ",\"error\":{\"type\":\"overloaded_error\"}"), 200, ITEM_END_CLEAN, 0, WORTH_ERROR, &dialect_messages },
	{ "messages: a tool call", STREAM, BEGIN TOOL ARGS("{\\\"a\\\":") ARGS("1}") ENDS("tool_use"), 200, ITEM_END_CLEAN, 0, WORTH_GOOD, &dialect_messages },
	{ "messages: a tool without arguments", STREAM, BEGIN TOOL ARGS("") ENDS("tool_use"), 200, ITEM_END_CLEAN, 0, WORTH_GOOD, &dialect_messages },
	{ "messages: torn arguments", STREAM, BEGIN TOOL ARGS("{\\\"a\\\":") ENDS("tool_use"), 200, ITEM_END_CLEAN, 0, WORTH_TRUNCATED, &dialect_messages },
	{ "responses: a stream", STREAM, EV("response.output_text.delta", ",\"delta\":\"hi\"") EV("response.completed", ",\"response\":{\"status\":\"completed\",\"error\":null}"), 200, ITEM_END_CLEAN, 0, WORTH_GOOD, &dialect_responses },
	{ "responses: incomplete", STREAM, EV("response.output_text.delta", ",\"delta\":\"hi\"") EV("response.incomplete", ",\"response\":{\"status\":\"incomplete\"}"), 200, ITEM_END_CLEAN, 0, WORTH_TRUNCATED, &dialect_responses },
	{ "responses: an error event", STREAM, EV("error", ",\"code\":\"server_error\",\"message\":\"x\""), 200, ITEM_END_CLEAN, 0, WORTH_ERROR, &dialect_responses },
	{ "gemini: a stream", STREAM, "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"hi\"}]},\"finishReason\":\"STOP\"}]}\n\n", 200, ITEM_END_CLEAN, 0, WORTH_GOOD, &dialect_gemini },
	{ "gemini: blocked", JSON, "{\"candidates\":[{\"content\":{\"parts\":[]},\"finishReason\":\"SAFETY\"}]}", 200, ITEM_END_CLEAN, 0, WORTH_GOOD, &dialect_gemini },
	{ "gemini: no candidates", JSON, "{\"candidates\":[]}", 200, ITEM_END_CLEAN, 0, WORTH_EMPTY, &dialect_gemini },
	{ "ollama: lines", LINES, "{\"message\":{\"content\":\"hi\"},\"done\":false}\n{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n", 200, ITEM_END_CLEAN, 0, WORTH_GOOD, &dialect_ollama },
	{ "ollama: lines cut", LINES, "{\"message\":{\"content\":\"hi\"},\"done\":false}\n", 200, ITEM_END_CLEAN, 0, WORTH_TRUNCATED, &dialect_ollama },
	{ "ollama: an error line", LINES, "{\"error\":\"no\"}\n", 200, ITEM_END_CLEAN, 0, WORTH_ERROR, &dialect_ollama },
	{ "rpc: a result", JSON, "{\"id\":1,\"result\":{}}", 200, ITEM_END_CLEAN, 0, WORTH_GOOD, &rpc },
	{ "rpc: an error", JSON, "{\"id\":1,\"error\":{\"code\":1}}", 200, ITEM_END_CLEAN, 0, WORTH_ERROR, &rpc },
	{ "rpc: a tool that failed", JSON, "{\"id\":1,\"result\":{\"isError\":true}}", 200, ITEM_END_CLEAN, 0, WORTH_ERROR, &rpc },
	{ "rpc: neither", JSON, "{\"id\":1}", 200, ITEM_END_CLEAN, 0, WORTH_GARBLED, &rpc },
	{ "rpc: a page", "text/html", "<html>", 200, ITEM_END_CLEAN, 0, WORTH_GARBLED, &rpc },
	{ "rpc: an event behind a notification", STREAM, "data: {\"method\":\"n\"}\n\ndata: {\"id\":1,\"result\":{}}\n\n", 200, ITEM_END_CLEAN, 0, WORTH_GOOD, &rpc },
	{ "rpc: a stream that ends without it", STREAM, "data: {\"method\":\"n\"}\n\n", 200, ITEM_END_CLEAN, 0, WORTH_TRUNCATED, &rpc },
	{ "rpc: said, then a reset", STREAM, "data: {\"id\":1,\"result\":{}}\n\n", 200, ITEM_END_RST, 0, WORTH_GOOD, &rpc },
	{ "another kind of event is passed over", STREAM, "event: ping\ndata: x\n\n" SAY FINISH("stop") DONE, 200, ITEM_END_CLEAN, 0, WORTH_GOOD, NULL },
};
/* clang-format on */

static struct answer_worth *
read_row(const struct row *r, size_t piece)
{
	const struct dialect *d = r->dialect ? r->dialect : &dialect_chat;
	struct answer_worth *x =
	    answer_worth_new(d == &unknown || d == &rpc ? NULL : d);
	struct answer_head a = { .status = r->status,
		.has_length = true,
		.is_stream =
		    strcmp(r->type, STREAM) == 0 || strcmp(r->type, LINES) == 0,
		.is_lines = strcmp(r->type, LINES) == 0 };
	size_t n = strlen(r->body);

	if (d == &rpc)
		answer_worth_expect_rpc(x);
	a.content_bytes = r->promised ? r->promised : n;
	answer_head_add(&a, "content-type", r->type);
	answer_worth_add_head(x, &a, 0);
	for (size_t at = 0; at < n; at += piece)
		answer_worth_add(x,
		    (struct slice){ r->body + at,
		        n - at < piece ? n - at : piece });
	answer_worth_end(x, r->end);
	answer_head_done(&a);
	return x;
}

static void
check_rows(void)
{
	static const size_t pieces[] = { 1, 7, 4096 };

	for (size_t i = 0; i < COUNT(rows); i++)
		for (size_t k = 0; k < 3; k++) {
			struct answer_worth *x = read_row(&rows[i], pieces[k]);

			CHECK_STR(worth_name(answer_worth_of(x)),
			    worth_name(rows[i].worth), rows[i].what);
			answer_worth_free(x);
		}
}

static void
check_hints(void)
{
	struct answer_worth *x = answer_worth_new(&dialect_chat);
	struct answer_head a = { .status = 429 };
	static const char body[] =
	    "{\"error\":{\"code\":\"insufficient_quota\"}}";

	CHECK_STR(worth_name(answer_worth_of(x)), "nothing", "no head");
	answer_head_add(&a, "retry-after", "1.5");
	answer_head_add(&a, "x-should-retry", "false");
	answer_head_add(&a, "content-type", JSON);
	answer_worth_add_head(x, &a, 0);
	answer_worth_add(x, slice_of(body));
	answer_worth_end(x, ITEM_END_CLEAN);
	CHECK_INT(answer_worth_head(x)->retry_after_ms, 1500, "seconds");
	CHECK_INT(answer_worth_head(x)->should_retry, 0, "the hint");
	CHECK(answer_worth_head(x)->is_final, "a used-up quota stays");
	answer_worth_free(x);
	answer_head_add(&a, "retry-after-ms", "40");
	x = answer_worth_new(&dialect_chat);
	answer_worth_add_head(x, &a, 0);
	CHECK_INT(answer_worth_head(x)->retry_after_ms, 40, "milliseconds win");
	CHECK_STR(worth_name(answer_worth_of(x)), "error", "before its end");
	answer_worth_free(x);
	answer_head_done(&a);
}

void t_answer_worth(void);

void
t_answer_worth(void)
{
	check_rows();
	check_hints();
}
