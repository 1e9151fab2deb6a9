/* Messages of the Model Context Protocol: what is read as what, and which era
 * it is of. */
#include "agent/mcp/protocol_version.h"
#include "agent/service/tool.h"
#include "tests/unit.h"
#include <stdlib.h>
#include <string.h>

#define MODERN                                                                 \
	"\"_meta\":{\"" MCP_META_VERSION "\":\"" MCP_MODERN_VERSION            \
	"\",\"" MCP_META_CAPABILITIES "\":{}}"

static void
check_reading(void)
{
	static const struct {
		const char *what, *in;
		int code; /* 0: read */
		enum mcp_kind kind;
	} rows[] = {
		{ "a request",
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}", 0,
		    MCP_REQUEST },
		{ "an id of text",
		    "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"m\"}", 0,
		    MCP_REQUEST },
		{ "a notification", "{\"jsonrpc\":\"2.0\",\"method\":\"m\"}", 0,
		    MCP_NOTIFICATION },
		{ "a response", "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
		    0, MCP_RESPONSE },
		{ "no JSON", "{", MCP_PARSE_ERROR, MCP_REQUEST },
		{ "two values", "{} {}", MCP_PARSE_ERROR, MCP_REQUEST },
		{ "a key twice",
		    "{\"jsonrpc\":\"2.0\",\"method\":\"a\",\"method\":\"b\"}",
		    MCP_INVALID_REQUEST, MCP_REQUEST },
		{ "broken UTF-8", "{\"jsonrpc\":\"\xff\"}", MCP_PARSE_ERROR,
		    MCP_REQUEST },
		{ "a batch", "[{}]", MCP_INVALID_REQUEST, MCP_REQUEST },
		{ "no version", "{\"id\":1,\"method\":\"m\"}",
		    MCP_INVALID_REQUEST, MCP_REQUEST },
		{ "id null",
		    "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"m\"}",
		    MCP_INVALID_REQUEST, MCP_REQUEST },
		{ "id a fraction",
		    "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"m\"}",
		    MCP_INVALID_REQUEST, MCP_REQUEST },
		{ "params an array",
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\","
		    "\"params\":[]}",
		    MCP_INVALID_REQUEST, MCP_REQUEST },
		{ "neither", "{\"jsonrpc\":\"2.0\",\"id\":1}",
		    MCP_INVALID_REQUEST, MCP_REQUEST },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct mcp_refusal no = { 0 };
		struct mcp_message m;
		enum err e =
		    mcp_message_read(rows[i].in, strlen(rows[i].in), &m, &no);

		CHECK_INT(no.code, rows[i].code, rows[i].what);
		CHECK_INT(e == ERR_OK, rows[i].code == 0, rows[i].what);
		if (e == ERR_OK)
			CHECK_INT(m.kind, rows[i].kind, rows[i].what);
		mcp_message_done(&m);
	}
}

/* Who waits for an answer gets one with the id. */
static void
check_ids_of_unread(void)
{
	static const struct {
		const char *what, *in, *id; /* as JSON; NULL: none */
		int code;
	} rows[] = {
		{ "a large integer", "{\"id\":7,\"x\":12345678901234567890}",
		    "7", MCP_INVALID_REQUEST },
		{ "a large real", "{\"x\":[1e400],\"id\":\"a\"}", "\"a\"",
		    MCP_INVALID_REQUEST },
		{ "half a surrogate", "{\"id\":1,\"x\":\"\\ud800\"}", "1",
		    MCP_INVALID_REQUEST },
		{ "a key twice", "{\"id\":1,\"x\":1,\"x\":1}", "1",
		    MCP_INVALID_REQUEST },
		{ "two ids", "{\"id\":1,\"id\":2}", NULL, MCP_INVALID_REQUEST },
		{ "an id further in", "{\"x\":{\"id\":1},\"y\":1e400}", NULL,
		    MCP_INVALID_REQUEST },
		{ "an id that is too large", "{\"id\":12345678901234567890}",
		    NULL, MCP_INVALID_REQUEST },
		{ "an id that is a fraction", "{\"id\":1.5,\"y\":1e400}", NULL,
		    MCP_INVALID_REQUEST },
		{ "a NUL in a method",
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\\u0000\"}",
		    "1", MCP_INVALID_REQUEST },
		{ "a NUL in an argument",
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":"
		    "{\"arguments\":{\"source\":\"\\u0000\"}}}",
		    "1", 0 },
		{ "cut", "{\"id\":1,\"x\":1e400", NULL, MCP_PARSE_ERROR },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct mcp_refusal no = { 0 };
		struct mcp_message m;
		char *id;

		(void)mcp_message_read(rows[i].in, strlen(rows[i].in), &m, &no);
		CHECK_INT(no.code, rows[i].code, rows[i].what);
		id = m.id ? json_dumps(m.id, JSON_ENCODE_ANY) : NULL;
		CHECK_STR(id ? id : "", rows[i].id ? rows[i].id : "",
		    rows[i].what);
		free(id);
		mcp_message_done(&m);
	}
}

static void
check_eras(void)
{
	static const struct {
		const char *what, *method, *params, *header;
		enum mcp_era era;
		int code; /* 0: nothing is missing */
	} rows[] = {
		{ "bare", "tools/list", "{}", NULL, MCP_LEGACY, 0 },
		{ "modern", "tools/list", "{" MODERN "}", NULL, MCP_MODERN, 0 },
		{ "by its method", "server/discover", "{}", NULL, MCP_MODERN,
		    MCP_INVALID_PARAMS },
		{ "by its header", "tools/list", "{}", MCP_MODERN_VERSION,
		    MCP_MODERN, MCP_INVALID_PARAMS },
		{ "a legacy header", "tools/list", "{}", MCP_LEGACY_VERSION,
		    MCP_LEGACY, 0 },
		{ "_meta that is no object", "tools/call", "{\"_meta\":5}",
		    NULL, MCP_LEGACY, MCP_INVALID_PARAMS },
		{ "a progress token alone", "tools/call",
		    "{\"_meta\":{\"progressToken\":1}}", NULL, MCP_LEGACY, 0 },
		{ "without capabilities", "tools/list",
		    "{\"_meta\":{\"" MCP_META_VERSION "\":\"" MCP_MODERN_VERSION
		    "\"}}",
		    NULL, MCP_MODERN, MCP_INVALID_PARAMS },
		{ "another version", "tools/list",
		    "{\"_meta\":{\"" MCP_META_VERSION "\":\"2030-01-01\"}}",
		    NULL, MCP_MODERN, MCP_UNSUPPORTED_VERSION },
		{ "a version that is no text", "tools/list",
		    "{\"_meta\":{\"" MCP_META_VERSION "\":1}}", NULL,
		    MCP_MODERN, MCP_INVALID_PARAMS },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[512];
		struct mcp_refusal no = { 0 };
		struct mcp_message m;

		snprintf(text, sizeof text,
		    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\","
		    "\"params\":%s}",
		    rows[i].method, rows[i].params);
		(void)mcp_message_read(text, strlen(text), &m, &no);
		CHECK_INT(mcp_era_of(&m, rows[i].header), rows[i].era,
		    rows[i].what);
		(void)mcp_era_check(rows[i].era, &m, &no);
		CHECK_INT(no.code, rows[i].code, rows[i].what);
		json_decref(no.data);
		mcp_message_done(&m);
	}
}

static void
check_arguments(void)
{
	static const struct {
		const char *what, *tool, *in;
		bool ok;
	} rows[] = {
		{ "none where none is taken", "list_ops", "{}", true },
		{ "one where none is taken", "list_ops", "{\"op\":\"relu\"}",
		    false },
		{ "an operator", "get_contract", "{\"op\":\"relu\"}", true },
		{ "no operator", "get_contract", "{}", false },
		{ "an unknown one", "get_contract", "{\"op\":\"Relu\"}",
		    false },
		{ "another type", "get_contract", "{\"op\":1}", false },
		{ "a kernel", "verify_kernel",
		    "{\"op\":\"relu\",\"source\":\"x\"}", true },
		{ "no dimension", "verify_kernel",
		    "{\"op\":\"relu\",\"source\":\"x\",\"local_size\":[]}",
		    false },
		{ "four of them", "verify_kernel",
		    "{\"op\":\"relu\",\"source\":\"x\",\"local_size\":[1,1,1,"
		    "1]}",
		    false },
		{ "a seed for a compiler", "compile_kernel",
		    "{\"op\":\"relu\",\"source\":\"x\",\"seed\":\"00\"}",
		    false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		json_t *in = json_loads(rows[i].in, 0, NULL);
		struct mcp_tool_args args;
		struct why why;

		CHECK_INT(mcp_tool_read_args(mcp_tool_find(rows[i].tool), in,
		              &args, &why) == ERR_OK,
		    rows[i].ok, rows[i].what);
		json_decref(in);
	}
}

void
t_mcp(void)
{
	check_reading();
	check_ids_of_unread();
	check_eras();
	check_arguments();
}
