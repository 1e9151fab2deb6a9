/* Where a stream commits, what passes, and which ends are failures. */
#include "gateway/decisions/commit_point.h"

#include "gateway/text/answer_facts.h"
#include "tests/unit.h"
#include <string.h>

#define BYTES_MAX ((size_t)4 << 20)
#define ROLE                                                                   \
	"data: "                                                               \
	"{\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]" \
	"}\n\n"
#define WORD "data: {\"choices\":[{\"delta\":{\"content\":\"w\"}}]}\n\n"
#define THINK                                                                  \
	"data: "                                                               \
	"{\"choices\":[{\"delta\":{\"content\":null,\"reasoning_content\":"    \
	"\"t\"}}]}\n\n"
#define TOOL                                                                   \
	"data: "                                                               \
	"{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0}]}}]}\n\n"
#define STOP                                                                   \
	"data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define LENGTH                                                                 \
	"data: "                                                               \
	"{\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\n"
#define BUSY                                                                   \
	"data: "                                                               \
	"{\"choices\":[{\"delta\":{},\"finish_reason\":\"insufficient_system_" \
	"resource\"}]}\n\n"
#define USAGE                                                                  \
	"data: "                                                               \
	"{\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_"         \
	"tokens\":5}}\n\n"
#define ERROR "data: {\"error\":{\"message\":\"boom\"}}\n\n"
#define DONE  "data: [DONE]\n\n"

static bool
on_item(const struct sse_item *item, void *arg)
{
	return commit_point_item(arg, item);
}

static void
feed(struct commit_point *c, const char *text, bool byte_by_byte)
{
	struct sse_parser *p = sse_parser_new(65536);
	size_t n = strlen(text);

	if (!byte_by_byte)
		sse_feed(p, text, n, on_item, c);
	for (size_t i = 0; byte_by_byte && i < n && !c->cause; i++)
		sse_feed(p, text + i, 1, on_item, c);
	sse_parser_free(p);
}

static const struct row {
	const char *what, *in;
	bool committed;
	enum cause cause; /* after the end */
	const char *out;  /* NULL: do not look */
} rows[] = {
	{ "a role alone is held", ROLE, false, CAUSE_UNFINISHED, ROLE },
	{ "comments and blanks are no progress", ": keep-alive\n\n\n\n" ROLE,
	    false, CAUSE_UNFINISHED, ROLE },
	{ "content commits", ROLE WORD, true, CAUSE_UNFINISHED, ROLE WORD },
	{ "reasoning commits", THINK, true, CAUSE_UNFINISHED, THINK },
	{ "a tool call commits", TOOL, true, CAUSE_UNFINISHED, TOOL },
	{ "usage does not", USAGE, false, CAUSE_UNFINISHED, USAGE },
	{ "an event of another protocol is left out",
	    WORD "event: telemetry\ndata: {\"took_ms\":5}\n\n" STOP DONE, true,
	    CAUSE_OK, WORD STOP },
	{ "one with a name that is a chunk is not",
	    "event: message\n" WORD STOP DONE, true, CAUSE_OK,
	    "event: message\n" WORD STOP },
	{ "nor is a named error", WORD "event: error\n" ERROR, true,
	    CAUSE_STREAM_ERROR, WORD },
	{ "a whole stream", ROLE WORD STOP DONE, true, CAUSE_OK,
	    ROLE WORD STOP },
	{ "finished without [DONE] is whole", WORD STOP, true, CAUSE_OK,
	    WORD STOP },
	{ "[DONE] without a finish_reason is whole", WORD DONE, true, CAUSE_OK,
	    WORD },
	{ "nothing at all", "", false, CAUSE_UNFINISHED, NULL },
	{ "stopped without a word", ROLE STOP DONE, false, CAUSE_EMPTY,
	    ROLE STOP },
	{ "[DONE] alone", DONE, false, CAUSE_EMPTY, NULL },
	{ "length without a word is an answer", ROLE LENGTH DONE, true,
	    CAUSE_OK, ROLE LENGTH },
	{ "an error first", ERROR, false, CAUSE_STREAM_ERROR, NULL },
	{ "an error later keeps what came before", WORD ERROR WORD, true,
	    CAUSE_STREAM_ERROR, WORD },
	{ "out of resources", ROLE BUSY DONE, false, CAUSE_OVERLOADED, ROLE },
	{ "cut JSON", WORD "data: {\"choices\":[{\"del\n\n", true,
	    CAUSE_MALFORMED, WORD },
	{ "noise in the midst", WORD "data: <html>\n\n" WORD STOP DONE, true,
	    CAUSE_OK, WORD WORD STOP },
	{ "HTML", "data: <html>\n\n", false, CAUSE_NOT_JSON, NULL },
	{ "comments pass once committed", WORD ": x\n\n" WORD, true,
	    CAUSE_UNFINISHED, WORD ": x\n\n" WORD },
	{ "pings and empty data do not",
	    WORD "event: ping\ndata: {}\n\ndata:\n\n" WORD, true,
	    CAUSE_UNFINISHED, WORD WORD },
	{ "retry alone does not", WORD "retry: 100\n\n" WORD, true,
	    CAUSE_UNFINISHED, WORD WORD },
	{ "nothing follows [DONE]", WORD STOP DONE ERROR, true, CAUSE_OK,
	    WORD STOP },
};

static void
runs_streams(bool byte_by_byte)
{
	struct commit_point c;

	for (size_t i = 0; i < COUNT(rows); i++) {
		commit_point_init(&c, schema_of(SCHEMA_CHAT), false, BYTES_MAX);
		feed(&c, rows[i].in, byte_by_byte);
		if (c.cause == CAUSE_OK)
			commit_point_end(&c);
		CHECK_INT(c.is_committed, rows[i].committed, rows[i].what);
		CHECK_INT(c.cause, rows[i].cause, rows[i].what);
		if (rows[i].out)
			CHECK_STR(c.out.data ? c.out.data : "", rows[i].out,
			    rows[i].what);
		commit_point_done(&c);
	}
}

/* ---- the other schemas */

#define M_START                                                                \
	"event: message_start\ndata: {\"type\":\"message_start\","             \
	"\"message\":{\"id\":\"m\",\"content\":[],\"stop_reason\":null,"       \
	"\"usage\":{\"input_tokens\":7,\"cache_read_input_tokens\":4,"         \
	"\"output_tokens\":1}}}\n\n"
#define M_BLOCK                                                                \
	"data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":" \
	"\"text\",\"text\":\"\"}}\n\n"
#define M_TOOL                                                                 \
	"data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":" \
	"\"tool_use\",\"name\":\"f\"}}\n\n"
#define M_PING "event: ping\ndata: {\"type\":\"ping\"}\n\n"
#define M_WORD                                                                 \
	"data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":"         \
	"\"text_delta\",\"text\":\"w\"}}\n\n"
#define M_FINISH                                                               \
	"data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"        \
	"\"end_turn\"},\"usage\":{\"output_tokens\":5}}\n\n"
#define M_STOP "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
#define M_ERROR                                                                \
	"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":"         \
	"\"overloaded_error\",\"message\":\"boom\"}}\n\n"

#define R_START                                                                \
	"data: {\"type\":\"response.created\",\"response\":{\"status\":"       \
	"\"in_progress\",\"error\":null,\"output\":[]}}\n\n"
#define R_ITEM(kind)                                                           \
	"data: {\"type\":\"response.output_item.added\",\"item\":{\"type\":"   \
	"\"" kind "\",\"content\":[]}}\n\n"
#define R_WORD                                                                 \
	"data: {\"type\":\"response.output_text.delta\",\"delta\":\"w\"}\n\n"
#define R_END(how, output)                                                     \
	"event: response." how "\ndata: {\"type\":\"response." how             \
	"\",\"response\":{\"status\":\"" how                                   \
	"\",\"error\":null,\"output\":[" output                                \
	"],\"usage\":{\"input_tokens\":11,\"input_tokens_details\":{"          \
	"\"cached_tokens\":4},\"output_tokens\":5}}}\n\n"
#define R_SAID                                                                 \
	"{\"type\":\"message\",\"content\":[{\"type\":\"output_text\","        \
	"\"text\":\"w\"}]}"
#define R_FAILED                                                               \
	"data: {\"type\":\"response.failed\",\"response\":{\"status\":"        \
	"\"failed\",\"error\":{\"code\":\"server_error\"}}}\n\n"

static const struct schema_row {
	const char *what;
	enum schema_kind kind;
	struct row is;
	const char *last; /* the event that ends the client's stream */
} schema_rows[] = {
	{ "a message", SCHEMA_MESSAGES,
	    { "", M_START M_BLOCK M_PING M_WORD M_PING M_FINISH M_STOP, true,
	        CAUSE_OK, M_START M_BLOCK M_WORD M_PING M_FINISH },
	    M_STOP },
	{ "its start is held", SCHEMA_MESSAGES,
	    { "", M_START M_BLOCK M_PING, false, CAUSE_UNFINISHED, NULL },
	    NULL },
	{ "a tool's name commits", SCHEMA_MESSAGES,
	    { "", M_START M_TOOL, true, CAUSE_UNFINISHED, NULL }, NULL },
	{ "without its stop it is whole", SCHEMA_MESSAGES,
	    { "", M_START M_WORD M_FINISH, true, CAUSE_OK, NULL }, M_STOP },
	{ "without its reason it is not", SCHEMA_MESSAGES,
	    { "", M_START M_WORD, true, CAUSE_UNFINISHED, NULL }, NULL },
	{ "an empty message", SCHEMA_MESSAGES,
	    { "", M_START M_BLOCK M_FINISH M_STOP, false, CAUSE_EMPTY, NULL },
	    NULL },
	{ "an error event", SCHEMA_MESSAGES,
	    { "", M_START M_ERROR, false, CAUSE_STREAM_ERROR, NULL }, NULL },
	{ "a response", SCHEMA_RESPONSES,
	    { "", R_START R_ITEM("message") R_WORD R_END("completed", R_SAID),
	        true, CAUSE_OK, R_START R_ITEM("message") R_WORD },
	    R_END("completed", R_SAID) },
	{ "its start is held", SCHEMA_RESPONSES,
	    { "", R_START R_ITEM("message"), false, CAUSE_UNFINISHED, NULL },
	    NULL },
	{ "a call commits", SCHEMA_RESPONSES,
	    { "", R_START R_ITEM("function_call"), true, CAUSE_UNFINISHED,
	        NULL },
	    NULL },
	{ "nobody else can say that it is complete", SCHEMA_RESPONSES,
	    { "", R_START R_WORD, true, CAUSE_UNFINISHED, NULL }, NULL },
	{ "not even [DONE]", SCHEMA_RESPONSES,
	    { "", R_START R_WORD DONE, true, CAUSE_UNFINISHED, R_START R_WORD },
	    NULL },
	{ "nor for a message", SCHEMA_MESSAGES,
	    { "", M_START M_WORD DONE, true, CAUSE_UNFINISHED, NULL }, NULL },
	{ "an incomplete one is an answer", SCHEMA_RESPONSES,
	    { "", R_START R_END("incomplete", ""), true, CAUSE_OK, NULL },
	    R_END("incomplete", "") },
	{ "an empty one is none", SCHEMA_RESPONSES,
	    { "", R_START R_END("completed", ""), false, CAUSE_EMPTY, NULL },
	    NULL },
	{ "one that failed", SCHEMA_RESPONSES,
	    { "", R_START R_WORD R_FAILED, true, CAUSE_STREAM_ERROR, NULL },
	    NULL },
};

static void
runs_schemas(void)
{
	struct commit_point c;

	for (size_t i = 0; i < COUNT(schema_rows); i++) {
		const struct schema_row *row = &schema_rows[i];

		commit_point_init(&c, schema_of(row->kind), false, BYTES_MAX);
		feed(&c, row->is.in, false);
		if (c.cause == CAUSE_OK)
			commit_point_end(&c);
		CHECK_INT(c.is_committed, row->is.committed, row->what);
		CHECK_INT(c.cause, row->is.cause, row->what);
		if (row->is.out)
			CHECK_STR(c.out.data, row->is.out, row->what);
		if (row->last) {
			CHECK(slice_is(commit_point_last_event(&c), row->last),
			    row->what);
			CHECK_INT(c.last_usage.tokens_in,
			    c.last_usage.has_usage ? 11 : 0, row->what);
			CHECK_INT(c.last_usage.tokens_cached, 4, row->what);
			CHECK_INT(c.last_usage.tokens_out, 5, row->what);
		}
		commit_point_done(&c);
	}
}

#define SAYS(i)                                                                \
	"data: {\"choices\":[{\"index\":" #i                                   \
	",\"delta\":{\"content\":\"w\"}}]}\n\n"
#define ENDS(i)                                                                \
	"data: "                                                               \
	"{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\",\"index\":" #i \
	"}]}\n\n"
#define OPEN(i)                                                                \
	"data: "                                                               \
	"{\"choices\":[{\"delta\":{},\"finish_reason\":null,\"index\":" #i     \
	"}]}\n\n"

/* One that was cut is not whole because its neighbour is. */
static void
waits_for_every_choice(void)
{
	static const struct {
		const char *what, *in;
		uint64_t asked;
		enum cause cause;
	} ends[] = {
		{ "one, nobody said how many", SAYS(0) ENDS(0), 0, CAUSE_OK },
		{ "one of one", SAYS(0) ENDS(0), 1, CAUSE_OK },
		{ "two of two", SAYS(0) SAYS(1) ENDS(1) ENDS(0), 2, CAUSE_OK },
		{ "one of two", SAYS(0) SAYS(1) ENDS(0), 2, CAUSE_UNFINISHED },
		{ "the other one", SAYS(0) SAYS(1) ENDS(1), 2,
		    CAUSE_UNFINISHED },
		{ "one of two, which were never said", SAYS(0) SAYS(1) ENDS(0),
		    0, CAUSE_UNFINISHED },
		{ "one that never began", SAYS(0) ENDS(0), 2,
		    CAUSE_UNFINISHED },
		{ "one twice is one", SAYS(0) ENDS(0) ENDS(0), 2,
		    CAUSE_UNFINISHED },
		{ "one of two, and [DONE]", SAYS(0) SAYS(1) ENDS(0) DONE, 2,
		    CAUSE_OK },
		{ "null is no reason", SAYS(0) SAYS(1) ENDS(0) OPEN(1), 2,
		    CAUSE_UNFINISHED },
		{ "something behind a reason takes it not back",
		    SAYS(0) SAYS(1) ENDS(0) ENDS(1) OPEN(1), 2, CAUSE_OK },
		{ "two in an event",
		    SAYS(
		        0) "data: {\"choices\":[{\"index\":0,\"finish_reason\":"
		           "\"stop\"},{\"index\":1,\"finish_reason\":"
		           "\"length\"}]}\n\n",
		    2, CAUSE_OK },
		{ "two in an event, one of them ends",
		    "data: {\"choices\":[{\"index\":0,\"finish_reason\":"
		    "\"stop\"},{\"index\":1,\"delta\":{\"content\":\"w\"}}]}"
		    "\n\n",
		    2, CAUSE_UNFINISHED },
		{ "a high number", SAYS(0) SAYS(127) ENDS(0), 0,
		    CAUSE_UNFINISHED },
		{ "a number beyond all",
		    SAYS(0) SAYS(99999999999999999999) ENDS(0), 0,
		    CAUSE_UNFINISHED },
		{ "it ends as well",
		    SAYS(0) SAYS(99999999999999999999) ENDS(0)
		        ENDS(99999999999999999999),
		    0, CAUSE_OK },
	};
	struct commit_point c;

	for (size_t i = 0; i < COUNT(ends); i++) {
		commit_point_init(&c, schema_of(SCHEMA_CHAT), false, BYTES_MAX);
		c.choices = ends[i].asked;
		feed(&c, ends[i].in, false);
		(void)commit_point_end(&c);
		CHECK_INT(c.cause, ends[i].cause, ends[i].what);
		commit_point_done(&c);
	}
}

/* An event that fails the stream may count it. */
static void
counts_what_fails(void)
{
	static const struct {
		const char *what, *in;
		enum schema_kind kind;
		enum cause cause;
	} fails[] = {
		{ "response.failed",
		    "data: {\"type\":\"response.failed\",\"response\":{"
		    "\"status\":\"failed\",\"error\":{\"message\":\"boo\"},"
		    "\"usage\":{\"input_tokens\":3,\"output_tokens\":5}}}"
		    "\n\n",
		    SCHEMA_RESPONSES, CAUSE_STREAM_ERROR },
		{ "response.incomplete",
		    "data: {\"type\":\"response.incomplete\",\"response\":{"
		    "\"status\":\"incomplete\",\"usage\":{\"input_tokens\":3,"
		    "\"output_tokens\":5}}}\n\n",
		    SCHEMA_RESPONSES, CAUSE_OK },
		{ "chat's error",
		    "data: {\"error\":{\"message\":\"boo\"},\"usage\":{"
		    "\"prompt_tokens\":3,\"completion_tokens\":5}}\n\n",
		    SCHEMA_CHAT, CAUSE_STREAM_ERROR },
		{ "messages' error",
		    "event: error\ndata: {\"type\":\"error\",\"error\":{"
		    "\"message\":\"boo\"},\"usage\":{\"input_tokens\":3,"
		    "\"output_tokens\":5}}\n\n",
		    SCHEMA_MESSAGES, CAUSE_STREAM_ERROR },
		{ "out of resources",
		    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":"
		    "\"insufficient_system_resource\"}],\"usage\":{"
		    "\"prompt_tokens\":3,\"completion_tokens\":5}}\n\n",
		    SCHEMA_CHAT, CAUSE_OVERLOADED },
	};
	struct commit_point c;

	for (size_t i = 0; i < COUNT(fails); i++) {
		commit_point_init(&c, schema_of(fails[i].kind), false,
		    BYTES_MAX);
		feed(&c, fails[i].in, false);
		CHECK_INT(c.cause, fails[i].cause, fails[i].what);
		CHECK_INT(c.last_usage.tokens_in, 3, fails[i].what);
		CHECK_INT(c.last_usage.tokens_out, 5, fails[i].what);
		commit_point_done(&c);
	}
}

static void
counts_usage(void)
{
	struct commit_point c;

	commit_point_init(&c, schema_of(SCHEMA_CHAT), false, BYTES_MAX);
	feed(&c, WORD WORD STOP USAGE DONE, false);
	CHECK_INT(c.last_usage.tokens_in, 3, "prompt tokens");
	CHECK_INT(c.last_usage.tokens_out, 5, "completion tokens");
	CHECK_INT(c.events, 2, "payload events");
	commit_point_done(&c);
}

static void
caps_what_is_held(void)
{
	static const char start[] = "{\"response\":{\"instructions\":\"",
	                  end[] = "\"}}";
	static char echo[200000];
	struct commit_point c;

	commit_point_init(&c, schema_of(SCHEMA_CHAT), false, BYTES_MAX);
	for (int i = 0; i < 2000 && c.cause == CAUSE_OK; i++)
		feed(&c, ROLE, false);
	CHECK_INT(c.cause, CAUSE_TOO_BIG, "endless roles");
	CHECK(c.out.len <= schema_of(SCHEMA_CHAT)->held_bytes,
	    "stay under the cap");
	commit_point_done(&c);

	/* An assistant's instructions and tools, which a response repeats. */
	memset(echo, 'x', sizeof echo);
	memcpy(echo, start, sizeof start - 1);
	memcpy(echo + sizeof echo - sizeof end, end, sizeof end);
	commit_point_init(&c, schema_of(SCHEMA_RESPONSES), false, BYTES_MAX);
	for (int i = 0; i < 2; i++) {
		struct sse_item item = { .kind = SSE_EVENT,
			.data = slice_of(echo),
			.raw = slice_of(echo) };

		CHECK(commit_point_item(&c, &item),
		    "a long echo of the request");
	}
	commit_point_done(&c);
}

static void
reads_chunks(void)
{
	static const struct {
		const char *what, *json;
		bool ok, choices, payload, error;
		const char *finish;
	} chunks[] = {
		{ "an answer",
		    "{\"choices\":[{\"message\":{\"content\":\"x\"},\"finish_"
		    "reason\":\"stop\"}]}",
		    true, true, true, false, "stop" },
		{ "an empty answer",
		    "{\"choices\":[{\"message\":{\"content\":\"\"},\"finish_"
		    "reason\":\"stop\"}]}",
		    true, true, false, false, "stop" },
		{ "parts",
		    "{\"choices\":[{\"message\":{\"content\":[{\"type\":"
		    "\"text\"}]}}]}",
		    true, true, true, false, "" },
		{ "no parts",
		    "{\"choices\":[{\"message\":{\"content\":[],\"tool_calls\":"
		    "[]}}]}",
		    true, true, false, false, "" },
		{ "a refusal",
		    "{\"choices\":[{\"message\":{\"refusal\":\"no\"}}]}", true,
		    true, true, false, "" },
		{ "content elsewhere is none",
		    "{\"content\":\"x\",\"choices\":[{\"content\":\"x\",\"x\":{"
		    "\"delta\":{\"content\":\"x\"}}}]}",
		    true, true, false, false, "" },
		{ "an error object", "{\"error\":{\"message\":\"x\"}}", true,
		    false, false, true, "" },
		{ "an error text", "{\"error\":\"x\"}", true, false, false,
		    true, "" },
		{ "no error", "{\"error\":null,\"choices\":[]}", true, true,
		    false, false, "" },
		{ "choices of the wrong kind", "{\"choices\":{}}", true, false,
		    false, false, "" },
		{ "no object", "[]", false, false, false, false, "" },
		{ "cut", "{\"choices\":[", false, false, false, false, "" },
	};
	struct chunk c;

	for (size_t i = 0; i < COUNT(chunks); i++) {
		const char *what = chunks[i].what;
		enum err e = chunk_read(schema_of(SCHEMA_CHAT),
		    slice_of(chunks[i].json), &c);

		CHECK_INT(e == ERR_OK, chunks[i].ok, what);
		if (e != ERR_OK)
			continue;
		CHECK_INT(c.choices, chunks[i].choices, what);
		CHECK_INT(c.payload, chunks[i].payload, what);
		CHECK_INT(c.error, chunks[i].error, what);
		CHECK_STR(c.finish, chunks[i].finish, what);
	}
}

void t_commit_point(void);

void
t_commit_point(void)
{
	runs_streams(false);
	runs_streams(true);
	runs_schemas();
	waits_for_every_choice();
	counts_usage();
	counts_what_fails();
	caps_what_is_held();
	reads_chunks();
}
