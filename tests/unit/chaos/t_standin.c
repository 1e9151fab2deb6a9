/*
 * The stand-in: what it says to which request.
 */
#include "chaos/http/standin.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/unit.h"

#define TOOLS                                                                  \
	"\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\","      \
	"\"parameters\":{\"properties\":{\"n\":{\"type\":\"integer\","         \
	"\"minimum\":3},\"s\":{\"type\":\"string\",\"enum\":[\"x\"]},"         \
	"\"o\":{\"type\":\"object\"},\"l\":{\"type\":\"array\"},"              \
	"\"b\":{\"type\":\"boolean\"},\"u\":{}}}}}]"

static const struct {
	const char *what, *request, *tool, *arguments, *content;
} chats[] = {
	{ "it talks", "{\"messages\":[]}", NULL, NULL, "Here is" },
	{ "it calls a tool", "{\"messages\":[]," TOOLS "}", "f",
	    "{\"b\": true, \"l\": [], \"n\": 3, \"o\": {}, "
	    "\"s\": \"x\", \"u\": \"text\"}",
	    NULL },
	{ "once",
	    "{\"messages\":[{\"role\":\"user\"},{\"role\":\"tool\"}]"
	    "," TOOLS "}",
	    NULL, NULL, "Here is" },
	{ "once, in Messages",
	    "{\"messages\":[{\"content\":[{\"type\":"
	    "\"tool_result\"}]}]," TOOLS "}",
	    NULL, NULL, "Here is" },
	{ "once, in Responses",
	    "{\"input\":[{\"type\":\"function_call_output\"}]," TOOLS "}", NULL,
	    NULL, "Here is" },
	{ "once, in Gemini",
	    "{\"contents\":[{\"parts\":[{\"functionResponse\":{}}]}]"
	    "," TOOLS "}",
	    NULL, NULL, "Here is" },
	{ "a tool as Messages offers it",
	    "{\"tools\":[{\"name\":\"f\",\"input_schema\":{"
	    "\"properties\":{\"n\":{\"type\":\"integer\"}}}}]}",
	    "f", "{\"n\": 1}", NULL },
	{ "a tool as Gemini offers it",
	    "{\"tools\":[{\"functionDeclarations\":[{\"name\":\"f\","
	    "\"parameters\":{\"properties\":{\"n\":{\"type\":"
	    "\"INTEGER\"}}}}]}]}",
	    "f", "{\"n\": 1}", NULL },
	{ "a failure is tried once more",
	    "{\"messages\":[{\"role\":\"tool\",\"content\":"
	    "\"Error: no\"}]," TOOLS "}",
	    "f",
	    "{\"b\": true, \"l\": [], \"n\": 3, \"o\": {}, "
	    "\"s\": \"x\", \"u\": \"text\"}",
	    NULL },
	{ "and no more",
	    "{\"messages\":[{\"role\":\"tool\",\"content\":"
	    "\"Error: no\"},{\"role\":\"assistant\"},{\"role\":"
	    "\"tool\",\"content\":\"Error: no\"}]," TOOLS "}",
	    NULL, NULL,
	    "The tool failed, so I cannot tell. The tool "
	    "said: Error: no" },
	{ "a refusal is taken",
	    "{\"messages\":[{\"role\":\"tool\",\"content\":"
	    "\"denied\"}]," TOOLS "}",
	    NULL, NULL, "It may not be done, so I have left it." },
	{ "JSON when asked", "{\"response_format\":{\"type\":\"json_object\"}}",
	    NULL, NULL, "{\"answer\"" },
	{ "by a schema when asked",
	    "{\"response_format\":{\"type\":\"json_schema\","
	    "\"json_schema\":{\"schema\":{\"properties\":{\"n\":"
	    "{\"type\":\"number\"}}}}}}",
	    NULL, NULL, "{\"n\": 1}" },
	{ "no less than the least, if that is no integer",
	    "{\"response_format\":{\"type\":\"json_schema\","
	    "\"json_schema\":{\"schema\":{\"properties\":{\"n\":"
	    "{\"type\":\"integer\",\"minimum\":2.5}}}}}}",
	    NULL, NULL, "{\"n\": 3.0}" },
	{ "whatever it is", "[]", NULL, NULL, "Here is" },
};

static void
check_chat(void)
{
	for (size_t i = 0; i < COUNT(chats); i++) {
		json_t *v = json_loads(chats[i].request, 0, NULL);
		struct standin_reply r;

		standin_chat(v, 1, &r);
		CHECK_STR(r.tool, chats[i].tool, chats[i].what);
		CHECK_STR(r.arguments, chats[i].arguments, chats[i].what);
		CHECK(!chats[i].content == !r.content, chats[i].what);
		if (r.content && chats[i].content)
			CHECK(strncmp(r.content, chats[i].content,
			          strlen(chats[i].content)) == 0,
			    chats[i].what);
		standin_reply_done(&r);
		json_decref(v);
	}
}

/* Three calls, two tools: each result leads to the next call, and the last to
 * words. */
static void
check_turns(void)
{
	static const char *const want[] = { "f {\"s\": \"text\"} 1", "g {} 2",
		"f {\"s\": \"text 3\"} 3", NULL };
	json_t *v = json_loads("{\"messages\":[{\"role\":\"user\"}],"
	                       "\"tools\":[{\"name\":\"f\","
	                       "\"input_schema\":{\"properties\":{\"s\":"
	                       "{\"type\":\"string\"}}}},{\"name\":\"g\"}]}",
	    0, NULL);
	json_t *said = json_object_get(v, "messages");

	for (size_t i = 0; i < COUNT(want); i++) {
		struct standin_reply r;
		char *call;

		standin_chat(v, 3, &r);
		call = r.tool
		    ? xasprintf("%s %s %zu", r.tool, r.arguments, r.call)
		    : NULL;
		CHECK_STR(call, want[i], "the next call");
		CHECK(!r.content == !!want[i], "or words");
		free(call);
		standin_reply_done(&r);
		json_array_append_new(said,
		    json_pack("{ss}", "role", "assistant"));
		json_array_append_new(said,
		    json_pack("{s[{ss ss}]}", "content", "type", "tool_result",
		        "content", "fine"));
	}
	json_decref(v);
}

static void
check_rpc(void)
{
	static const struct {
		const char *request, *answer;
	} rows[] = {
		{ "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
		  "initialized\"}",
		    NULL },
		{ "{\"id\":1,\"method\":\"ping\"}",
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}" },
		{ "{\"id\":\"a\",\"method\":\"what\"}",
		    "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"error\":{\"code\":"
		    "-32601,\"message\":\"Method not found\"}}" },
		{ "{\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":"
		  "\"note\"}}",
		    "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":"
		    "[{\"type\":\"text\",\"text\":\"The note was taken: 0 "
		    "characters.\"}],\"structuredContent\":{\"taken\":true,"
		    "\"characters\":0},"
		    "\"isError\":false}}" },
		{ "{\"id\":2,\"method\":\"tools/call\",\"params\":{}}",
		    "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,"
		    "\"message\":\"Unknown tool\"}}" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		json_t *v = json_loads(rows[i].request, 0, NULL);
		json_t *answer = standin_rpc(v);
		char *text = answer ? json_dumps(answer, JSON_COMPACT) : NULL;

		CHECK_STR(text, rows[i].answer, rows[i].request);
		free(text);
		json_decref(answer);
		json_decref(v);
	}
}

void t_standin(void);

void
t_standin(void)
{
	json_t *request = json_loads("{\"input\":[\"a\",\"b\"]}", 0, NULL);
	json_t *v = standin_embeddings(request);

	CHECK_INT(json_array_size(json_object_get(v, "data")), 2,
	    "an embedding for each input");
	json_decref(v);
	json_decref(request);
	check_chat();
	check_turns();
	check_rpc();
}
