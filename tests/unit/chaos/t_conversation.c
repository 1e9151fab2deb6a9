/*
 * How far a conversation has come, in each API.
 */
#include "chaos/text/conversation.h"

#include "tests/unit.h"

#define USER "{\"role\":\"user\",\"content\":\"q\"}"
#define CALLS                                                                  \
	"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":"    \
	"\"a\"}]}"
#define GIVES(t) "{\"role\":\"tool\",\"content\":\"" t "\"}"
#define ITEM(t)  "{\"type\":\"" t "\"}"
#define USES     "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\"}]}"
#define RESULT(f)                                                              \
	"{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"is_"      \
	"error\":" f ",\"content\":[{\"type\":\"text\",\"text\":\"t\"}]}]}"
#define FUNCTION "{\"role\":\"model\",\"parts\":[{\"functionCall\":{}}]}"
#define RESPONSE(t)                                                            \
	"{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"response\":" t \
	"}}]}"

void t_conversation(void);

void
t_conversation(void)
{
	/* clang-format off */
	static const struct {
		const char *what, *request;
		size_t turn, calls, done, failures;
		bool has_result, is_refused;
		const char *last;
	} rows[] = {
		{ "no JSON object", "[]", 0, 0, 0, 0, false, false, NULL },
		{ "a prompt", "{\"prompt\":\"q\"}", 1, 0, 0, 0, false, false, NULL },
		{ "a question", "{\"messages\":[" USER "]}", 1, 0, 0, 0, false, false, NULL },
		{ "two questions in a row", "{\"messages\":[" USER "," USER "]}", 1, 0, 0, 0, false, false, NULL },
		{ "a result", "{\"messages\":[" USER "," CALLS "," GIVES("21 degrees") "]}", 2, 1, 1, 0, true, false, "21 degrees" },
		{ "two results of one turn", "{\"messages\":[" USER "," CALLS "," GIVES("a") "," GIVES("b") "]}", 2, 2, 2, 0, true, false, "b" },
		{ "the user speaks again", "{\"messages\":[" USER "," CALLS "," GIVES("a") "," CALLS "," USER "]}", 3, 1, 0, 0, false, false, NULL },
		{ "a failure", "{\"messages\":[" USER "," CALLS "," GIVES("Error: no such city") "]}", 2, 1, 0, 1, true, false, "Error: no such city" },
		{ "two failures, then a result", "{\"messages\":[" USER "," CALLS "," GIVES("MCP error -32603: Internal error") "," CALLS "," GIVES("Tool execution failed") "," CALLS "," GIVES("ok") "]}", 4, 3, 1, 0, true, false, "ok" },
		{ "no failure", "{\"messages\":[" USER "," CALLS "," GIVES("0 errors were found") "]}", 2, 1, 1, 0, true, false, "0 errors were found" },
		{ "a refusal", "{\"messages\":[" USER "," CALLS "," GIVES("denied by the user") "]}", 2, 1, 1, 0, true, true, "denied by the user" },
		{ "what the model has begun", "{\"messages\":[" USER "," CALLS "]}", 1, 0, 0, 0, false, false, NULL },
		{ "Messages", "{\"messages\":[" USER "," USES "," RESULT("false") "]}", 2, 1, 1, 0, true, false, "t" },
		{ "Messages, its own flag", "{\"messages\":[" USER "," USES "," RESULT("true") "]}", 2, 1, 0, 1, true, false, "t" },
		{ "Responses, items of one turn", "{\"input\":[" USER "," ITEM("reasoning") "," ITEM("function_call") "," ITEM("function_call_output") "]}", 2, 1, 1, 0, true, false, NULL },
		{ "Responses, a string", "{\"input\":\"q\"}", 1, 0, 0, 0, false, false, NULL },
		{ "Responses, kept by the server", "{\"previous_response_id\":\"r\",\"input\":[" ITEM("function_call_output") "]}", 2, 1, 1, 0, true, false, NULL },
		{ "Gemini", "{\"contents\":[{\"role\":\"user\"}," FUNCTION "," RESPONSE("{\"n\":1,\"text\":\"t\"}") "]}", 2, 1, 1, 0, true, false, "t" },
		{ "Gemini, a failure", "{\"contents\":[{\"role\":\"user\"}," FUNCTION "," RESPONSE("{\"error\":\"no\"}") "]}", 2, 1, 0, 1, true, false, "no" },
	};
	/* clang-format on */

	for (size_t i = 0; i < COUNT(rows); i++) {
		json_t *v = json_loads(rows[i].request, 0, NULL);
		struct conversation c;

		CHECK(v != NULL, rows[i].what);
		conversation_read(v, &c);
		CHECK_INT(c.turn, rows[i].turn, rows[i].what);
		CHECK_INT(c.calls, rows[i].calls, rows[i].what);
		CHECK_INT(c.done, rows[i].done, rows[i].what);
		CHECK_INT(c.failures, rows[i].failures, rows[i].what);
		CHECK_INT(c.has_result, rows[i].has_result, rows[i].what);
		CHECK_INT(c.is_refused, rows[i].is_refused, rows[i].what);
		CHECK_STR(c.last, rows[i].last, rows[i].what);
		json_decref(v);
	}
}
