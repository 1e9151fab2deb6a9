/* Going on from a text: what is kept, what is asked, what is retold. */
#include "gateway/decisions/continuation.h"

#include "gateway/decisions/error_class.h"
#include "gateway/decisions/silence_limit.h"
#include "tests/unit.h"
#include <string.h>

#define EVENT(delta)                                                           \
	"{\"id\":\"one\",\"choices\":[{\"index\":0,\"delta\":" delta "}]}"
#define WORDS(w)    EVENT("{\"content\":\"" w "\"}")
#define ASKED(more) "{\"model\":\"m\"" more "}"
#define USER        "{\"role\":\"user\",\"content\":\"q\"}"

/* clang-format off */
static const struct kept {
	const char *what, *events[4], *text;
	bool can;
} kept[] = {
	{ "words",           { WORDS("a "), WORDS("b") },      "a b", true },
	{ "half a surrogate", { WORDS("\\ud83d"), WORDS("\\ude00") }, "\\ud83d\\ude00", true },
	{ "thoughts are not text", { EVENT("{\"reasoning_content\":\"hm\"}"), WORDS("a") }, "a", true },
	{ "thoughts alone",  { EVENT("{\"reasoning_content\":\"hm\"}") }, "", false },
	{ "a tool call",     { WORDS("a"), EVENT("{\"tool_calls\":[{\"index\":0}]}") }, "a", false },
	{ "a refusal",       { WORDS("a"), EVENT("{\"refusal\":\"no\"}") }, "a", false },
	{ "parts",           { EVENT("{\"content\":[{\"type\":\"text\"}]}") }, "", false },
	{ "a second choice", { WORDS("a"), "{\"choices\":[{\"index\":1,\"delta\":{\"content\":\"b\"}}]}" }, "ab", false },
	{ "two in one",      { "{\"choices\":[{\"delta\":{\"content\":\"a\"}},{\"delta\":{\"content\":\"b\"}}]}" }, "b", false },
	{ "old completions", { "{\"choices\":[{\"index\":0,\"text\":\"a\"}]}" }, "", false },
	{ "what has said why it ends", { EVENT("{\"content\":\"a\"}"), "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"content_filter\"}]}" }, "a", false },
	{ "in one event",    { "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":\"length\"}]}" }, "a", false },
	{ "a role alone",    { EVENT("{\"role\":\"assistant\"}") }, "", false },
};

static const struct asked {
	const char *what, *body;
	enum continuation_way way;
	const char *text, *want;
} asked[] = {
	{ "prefix", ASKED(",\"messages\":[" USER "]"), CONTINUATION_DEEPSEEK, "a\\n",
	  ASKED(",\"messages\":[" USER ",{\"role\":\"assistant\",\"prefix\":true,\"content\":\"a\"}]") },
	{ "nothing but blanks", ASKED(",\"messages\":[" USER "]"), CONTINUATION_FINAL, " \\n", ASKED(",\"messages\":[" USER "]") },
	{ "prefill", ASKED(",\"messages\":[" USER " ]"), CONTINUATION_PREFILL, "a",
	  ASKED(",\"messages\":[" USER " ,{\"role\":\"assistant\",\"content\":\"a\"}]") },
	{ "prefill holds blanks back", ASKED(",\"messages\":[" USER "]"), CONTINUATION_PREFILL, "a b \\n\\t ",
	  ASKED(",\"messages\":[" USER ",{\"role\":\"assistant\",\"content\":\"a b\"}]") },
	{ "a backslash is no blank", ASKED(",\"messages\":[" USER "]"), CONTINUATION_PREFILL, "a\\\\n",
	  ASKED(",\"messages\":[" USER ",{\"role\":\"assistant\",\"content\":\"a\\\\n\"}]") },
	{ "final", ASKED(",\"messages\":[" USER "]"), CONTINUATION_FINAL, "a",
	  "{\"continue_final_message\":true,\"add_generation_prompt\":false,\"model\":\"m\",\"messages\":[" USER ",{\"role\":\"assistant\",\"content\":\"a\"}]}" },
	{ "what is left of the tokens", ASKED(",\"max_tokens\":10,\"messages\":[" USER "]"), CONTINUATION_PREFILL, "a",
	  ASKED(",\"max_tokens\":9,\"messages\":[" USER ",{\"role\":\"assistant\",\"content\":\"a\"}]") },
	{ "one at least", ASKED(",\"max_completion_tokens\":1,\"messages\":[" USER "]"), CONTINUATION_PREFILL, "a",
	  ASKED(",\"max_completion_tokens\":1,\"messages\":[" USER ",{\"role\":\"assistant\",\"content\":\"a\"}]") },
	{ "no question at all", ASKED(",\"messages\":[]"), CONTINUATION_PREFILL, "a",
	  ASKED(",\"messages\":[{\"role\":\"assistant\",\"content\":\"a\"}]") },
	{ "no messages", ASKED(""), CONTINUATION_PREFILL, "a", NULL },
	{ "messages that are none", ASKED(",\"messages\":\"x\""), CONTINUATION_PREFILL, "a", NULL },
};

#define TWO(delta) "{\"id\":\"two\",\"choices\":[{\"index\":0,\"delta\":" delta "}]}"
static const struct retold {
	const char *what, *text;
	enum continuation_way way;
	const char *event, *want;
} retold[] = {
	{ "one id", "a", CONTINUATION_FINAL, TWO("{\"content\":\"b\"}"), "data: " EVENT("{\"content\":\"b\"}") "\n\n" },
	{ "no second role", "a", CONTINUATION_FINAL, TWO("{\"role\":\"assistant\",\"content\":\"\"}"), "" },
	{ "no second thought", "a", CONTINUATION_FINAL, TWO("{\"reasoning_content\":\"hm\"}"), "" },
	{ "blanks that come again", "a \\n", CONTINUATION_PREFILL, TWO("{\"content\":\" \\nb\"}"), "data: " EVENT("{\"content\":\"b\"}") "\n\n" },
	{ "blanks that do not", "a \\n", CONTINUATION_PREFILL, TWO("{\"content\":\"b\"}"), "data: " EVENT("{\"content\":\"b\"}") "\n\n" },
	{ "no half escape", "a\\n", CONTINUATION_PREFILL, TWO("{\"content\":\"\\\\tb\"}"), "data: " EVENT("{\"content\":\"\\\\tb\"}") "\n\n" },
	{ "whoever is asked how", "a ", CONTINUATION_FINAL, TWO("{\"content\":\" b\"}"), "data: " EVENT("{\"content\":\"b\"}") "\n\n" },
	{ "blanks alone are not told", "a ", CONTINUATION_FINAL, TWO("{\"content\":\" \"}"), "" },
	{ "usage of both", "a", CONTINUATION_FINAL, "{\"id\":\"two\",\"choices\":[],\"usage\":{\"prompt_tokens\":8,\"completion_tokens\":4,\"total_tokens\":12}}",
	  "data: {\"id\":\"one\",\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":5,\"total_tokens\":12}}\n\n" },
	{ "a question that was no longer than the text", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", CONTINUATION_FINAL, "{\"id\":\"two\",\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":4,\"total_tokens\":14}}",
	  "data: {\"id\":\"one\",\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":14,\"total_tokens\":19}}\n\n" },
	{ "a question that nobody counted", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", CONTINUATION_FINAL, "{\"id\":\"two\",\"choices\":[],\"usage\":{\"prompt_tokens\":0,\"completion_tokens\":4,\"total_tokens\":4}}",
	  "data: {\"id\":\"one\",\"choices\":[],\"usage\":{\"prompt_tokens\":0,\"completion_tokens\":14,\"total_tokens\":14}}\n\n" },
};

static const struct {
	int status;
	const char *body;
	enum error_class is;
} errors[] = {
	{ 400, "{\"error\":{\"code\":\"context_length_exceeded\"}}", ERROR_CLASS_CONTEXT },
	{ 400, "{\"error\":{\"message\":\"This model's maximum context length is 4096 tokens. However, you requested 5000\"}}", ERROR_CLASS_CONTEXT },
	{ 400, "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"prompt is too long: 210000 tokens > 200000 maximum\"}}", ERROR_CLASS_CONTEXT },
	{ 400, "{\"error\":{\"type\":\"exceed_context_size_error\"}}", ERROR_CLASS_CONTEXT },
	{ 500, "{\"error\":{\"message\":\"the request exceeds the available context size\"}}", ERROR_CLASS_CONTEXT },
	{ 400, "{\"error\":{\"code\":\"content_policy_violation\"}}", ERROR_CLASS_POLICY },
	{ 400, "{\"error\":{\"code\":\"content_filter\",\"innererror\":{\"code\":\"ResponsibleAIPolicyViolation\"}}}", ERROR_CLASS_POLICY },
	{ 400, "{\"error\":{\"message\":\"Content Exists Risk\"}}", ERROR_CLASS_POLICY },
	{ 402, "{\"error\":{\"message\":\"Insufficient Balance\"}}", ERROR_CLASS_QUOTA },
	{ 402, "", ERROR_CLASS_QUOTA },
	{ 429, "{\"error\":{\"code\":\"insufficient_quota\"}}", ERROR_CLASS_QUOTA },
	{ 400, "{\"error\":{\"message\":\"Your credit balance is too low\"}}", ERROR_CLASS_QUOTA },
	{ 529, "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}", ERROR_CLASS_OVERLOAD },
	{ 429, "{\"error\":{\"message\":\"slow down\"}}", ERROR_CLASS_NONE },
	{ 500, "{\"error\":{\"message\":\"cannot parse context_length_exceeded\"}}", ERROR_CLASS_NONE },
	{ 404, "", ERROR_CLASS_NONE },
};

static const struct { int64_t said, left; bool next; int64_t want; } patiences[] = {
	{ 0, 600000, true, 60000 }, { 0, 30000, true, 15000 }, { 0, 30000, false, 30000 },
	{ 0, 600000, false, 60000 }, { 5, 600000, true, 5 }, { 90000, 30000, true, 90000 },
};
/* clang-format on */

static void
tell(struct continuation *s, const char *event)
{
	struct chunk chunk;

	CHECK_INT(chunk_read(schema_of(SCHEMA_CHAT), slice_of(event), &chunk),
	    ERR_OK, event);
	continuation_note(s, &chunk);
}

static const char *
text_of(const struct buf *b)
{
	return b->data ? b->data : "";
}

static void
keeps(void)
{
	for (size_t i = 0; i < COUNT(kept); i++) {
		struct continuation s;

		continuation_init(&s);
		for (size_t k = 0; k < 4 && kept[i].events[k]; k++)
			tell(&s, kept[i].events[k]);
		CHECK_STR(text_of(&s.text), kept[i].text, kept[i].what);
		CHECK_INT(continuation_can_go_on(&s), kept[i].can,
		    kept[i].what);
		continuation_done(&s);
	}
}

/* A text of one event, as if the client had it. */
static void
begin(struct continuation *s, const char *text)
{
	struct chunk chunk = { .payload = true,
		.text = slice_of(text),
		.id = slice_of("\"one\"") };

	continuation_init(s);
	continuation_note(s, &chunk);
}

static void
asks(void)
{
	for (size_t i = 0; i < COUNT(asked); i++) {
		struct peek_edit edits[CONTINUATION_EDITS_MAX];
		struct buf room, out;
		struct continuation s;
		struct peek k;
		size_t n = 0;

		begin(&s, asked[i].text);
		buf_init(&room, 4096);
		buf_init(&out, 4096);
		peek_read(slice_of(asked[i].body), &k, NULL);
		CHECK_INT(continuation_edits(&s, asked[i].way, &k, &room, edits,
		              &n),
		    asked[i].want ? ERR_OK : ERR_SYNTAX, asked[i].what);
		if (asked[i].want)
			peek_splice(&k, edits, n, &out);
		CHECK_STR(text_of(&out), asked[i].want ? asked[i].want : "",
		    asked[i].what);
		buf_done(&room);
		buf_done(&out);
		continuation_done(&s);
	}
}

static void
retells(void)
{
	for (size_t i = 0; i < COUNT(retold); i++) {
		struct peek_edit edits[CONTINUATION_EDITS_MAX];
		struct buf room, out;
		struct chunk chunk;
		struct continuation s;
		struct peek k;
		size_t n;

		begin(&s, retold[i].text);
		buf_init(&room, 4096);
		buf_init(&out, 4096);
		peek_read(slice_of(ASKED(",\"messages\":[]")), &k, NULL);
		continuation_edits(&s, retold[i].way, &k, &room, edits, &n);
		chunk_read(schema_of(SCHEMA_CHAT), slice_of(retold[i].event),
		    &chunk);
		CHECK_INT(continuation_retell(&s, schema_of(SCHEMA_CHAT),
		              &chunk, slice_of(retold[i].event), &out),
		    ERR_OK, retold[i].what);
		CHECK_STR(text_of(&out), retold[i].want, retold[i].what);
		buf_done(&room);
		buf_done(&out);
		continuation_done(&s);
	}
}

/* Events of whom goes on, retold; what has been told is the text "a ". */
static void
retell_all(const struct schema *schema, enum continuation_way way,
    const char *text, const char *const *events, const char *want,
    const char *what)
{
	struct peek_edit edits[CONTINUATION_EDITS_MAX];
	struct buf room, out;
	struct chunk chunk;
	struct continuation s;
	struct peek k;
	size_t n;

	begin(&s, text);
	s.blocks = 1;
	s.is_open = way == CONTINUATION_PREFILL;
	buf_init(&room, 4096);
	buf_init(&out, 65536);
	peek_read(slice_of(ASKED(",\"messages\":[]")), &k, NULL);
	continuation_edits(&s, way, &k, &room, edits, &n);
	for (; *events; events++) {
		chunk_read(schema, slice_of(*events), &chunk);
		CHECK_INT(continuation_retell(&s, schema, &chunk,
		              slice_of(*events), &out),
		    ERR_OK, what);
	}
	CHECK_STR(text_of(&out), want, what);
	buf_done(&room);
	buf_done(&out);
	continuation_done(&s);
}

#define SAID_ONE(w) "data: " WORDS(w) "\n\n"
#define BEGINS(i, block)                                                       \
	"{\"type\":\"content_block_start\",\"index\":" i                       \
	",\"content_block\":" block "}"
#define SAYS(i, w)                                                             \
	"{\"type\":\"content_block_delta\",\"index\":" i                       \
	",\"delta\":{\"type\":\"text_delta\",\"text\":\"" w "\"}}"
#define ENDS(i)   "{\"type\":\"content_block_stop\",\"index\":" i "}"
#define A_TEXT    "{\"type\":\"text\",\"text\":\"\"}"
#define A_THOUGHT "{\"type\":\"thinking\",\"thinking\":\"\"}"
#define A_CALL                                                                 \
	"{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}"
#define SAID(t, e) "event: " t "\ndata: " e "\n\n"
#define STARTED(e) SAID("content_block_start", e)
#define WORD(e)    SAID("content_block_delta", e)
#define STOPPED(e) SAID("content_block_stop", e)
#define HELLO                                                                  \
	"{\"type\":\"message_start\",\"message\":{\"id\":\"two\",\"usage\":{"  \
	"\"input_tokens\":8}}}"
#define BYE(usage)                                                             \
	"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}" \
	","                                                                    \
	"\"usage\":{" usage "}}"
#define BYE_SAID SAID("message_delta", BYE("\"output_tokens\":5"))
#define BYE_TWO  BYE("\"input_tokens\":9,\"output_tokens\":4")

/* clang-format off */
static const struct {
	const char *what;
	enum continuation_way way; /* FINAL: the client's block has ended */
	const char *text, *events[9], *want;
} blocks[] = {
	{ "in the open block", CONTINUATION_PREFILL, "a",
	  { HELLO, BEGINS("0", A_TEXT), SAYS("0", "b"), ENDS("0"), BYE_TWO },
	  WORD(SAYS("0", "b")) STOPPED(ENDS("0")) BYE_SAID },
	{ "thoughts are left out", CONTINUATION_PREFILL, "a",
	  { HELLO, BEGINS("0", A_THOUGHT), ENDS("0"), BEGINS("1", A_TEXT), SAYS("1", "b"), ENDS("1"), BYE_TWO },
	  WORD(SAYS("0", "b")) STOPPED(ENDS("0")) BYE_SAID },
	{ "a call gets the next number", CONTINUATION_PREFILL, "a",
	  { BEGINS("0", A_CALL), ENDS("0"), BYE_TWO },
	  STOPPED(ENDS("0")) STARTED(BEGINS("1", A_CALL)) STOPPED(ENDS("1")) BYE_SAID },
	{ "nothing left to say", CONTINUATION_PREFILL, "a", { BYE_TWO }, STOPPED(ENDS("0")) BYE_SAID },
	{ "behind an ended block", CONTINUATION_FINAL, "a",
	  { BEGINS("0", A_TEXT), SAYS("0", "b"), ENDS("0"), BYE_TWO },
	  STARTED(BEGINS("1", A_TEXT)) WORD(SAYS("1", "b")) STOPPED(ENDS("1")) BYE_SAID },
	{ "no empty block behind it", CONTINUATION_FINAL, "a", { BEGINS("0", A_TEXT), ENDS("0"), BYE_TWO }, BYE_SAID },
	{ "words that a block begins with", CONTINUATION_PREFILL, "a",
	  { BEGINS("0", "{\"type\":\"text\",\"text\":\"b\"}"), SAYS("0", "c"), ENDS("0"), BYE_TWO },
	  WORD(SAYS("0", "b")) WORD(SAYS("0", "c")) STOPPED(ENDS("0")) BYE_SAID },
	{ "half a character", CONTINUATION_PREFILL, "a", { SAYS("0", "\\ud83d"), SAYS("0", "\\ude00"), ENDS("0"), BYE_TWO },
	  WORD(SAYS("0", "\\ud83d")) WORD(SAYS("0", "\\ude00")) STOPPED(ENDS("0")) BYE_SAID },
	{ "what was held back is not said twice", CONTINUATION_PREFILL, "a ",
	  { BEGINS("0", A_TEXT), SAYS("0", " b"), ENDS("0"), BYE_TWO },
	  WORD(SAYS("0", "b")) STOPPED(ENDS("0")) BYE_SAID },
};
/* clang-format on */

static void
goes_on_in_blocks(void)
{
	static const char *const counted[] = { WORDS("b "), WORDS("c "),
		WORDS("d"),
		"{\"choices\":[],\"usage\":{\"prompt_tokens\":8,"
		"\"completion_tokens\":3}}",
		NULL };

	for (size_t i = 0; i < COUNT(blocks); i++)
		retell_all(schema_of(SCHEMA_MESSAGES), blocks[i].way,
		    blocks[i].text, blocks[i].events, blocks[i].want,
		    blocks[i].what);
	/* Its own tokens are in its own count already. */
	retell_all(schema_of(SCHEMA_CHAT), CONTINUATION_FINAL, "a ", counted,
	    SAID_ONE("b ") SAID_ONE("c ") SAID_ONE(
	        "d") "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,"
	             "\"completion_tokens\":4,\"total_tokens\":11}}\n\n",
	    "tokens are counted once");
}

/* What the first part's upstream counted is its own, also its thoughts. */
static void
counts_both_parts(void)
{
	static const char first[] =
	    "{\"id\":\"one\",\"choices\":[{\"delta\":{\"content\":\"a\"}}],"
	    "\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":40}}";
	static const char last[] =
	    "{\"choices\":[],\"usage\":{\"prompt_tokens\":10,"
	    "\"completion_tokens\":3}}";
	struct peek_edit edits[CONTINUATION_EDITS_MAX];
	struct continuation s;
	struct buf room, out;
	struct chunk chunk;
	struct peek k;
	size_t n;

	continuation_init(&s);
	tell(&s, first);
	buf_init(&room, 4096);
	buf_init(&out, 4096);
	peek_read(slice_of(ASKED(",\"messages\":[" USER "]")), &k, NULL);
	continuation_edits(&s, CONTINUATION_FINAL, &k, &room, edits, &n);
	chunk_read(schema_of(SCHEMA_CHAT), slice_of(last), &chunk);
	continuation_retell(&s, schema_of(SCHEMA_CHAT), &chunk, slice_of(last),
	    &out);
	CHECK(strstr(text_of(&out),
	          "{\"prompt_tokens\":100,\"completion_tokens\":43,"
	          "\"total_tokens\":143}"),
	    text_of(&out));
	buf_done(&room);
	buf_done(&out);
	continuation_done(&s);
}

static void
knows_who_may_call(void)
{
	static const struct {
		const char *body;
		bool may;
	} bodies[] = {
		{ ASKED(""), false },
		{ ASKED(",\"tools\":[ ]"), false },
		{ ASKED(",\"tools\":null"), false },
		{ ASKED(",\"tools\":[{\"name\":\"f\"}]"), true },
		{ ASKED(",\"functions\":[{\"name\":\"f\"}]"), true },
	};
	struct peek k;

	for (size_t i = 0; i < COUNT(bodies); i++) {
		peek_read(slice_of(bodies[i].body), &k, NULL);
		CHECK_INT(continuation_may_call(&k), bodies[i].may,
		    bodies[i].body);
	}
}

/* A client may have given a beginning of its own. */
static void
knows_questions(void)
{
	static const struct {
		const char *body;
		bool is;
	} bodies[] = {
		{ ASKED(",\"messages\":[" USER "]"), true },
		{ ASKED(",\"messages\":[" USER
		        ",{\"role\":\"assistant\",\"content\":\"Once\"}]"),
		    false },
		{ ASKED(",\"continue_final_message\":true,\"messages\":[" USER
		        "]"),
		    false },
		{ ASKED(",\"messages\":[{\"role\":\"tool\"}]"), true },
		{ ASKED(",\"messages\":[]"), false },
		{ ASKED(",\"messages\":[7]"), false },
		{ ASKED(""), false },
	};
	struct peek k;

	for (size_t i = 0; i < COUNT(bodies); i++) {
		peek_read(slice_of(bodies[i].body), &k, NULL);
		CHECK_INT(continuation_is_question(&k), bodies[i].is,
		    bodies[i].body);
	}
}

void t_continuation(void);

void
t_continuation(void)
{
	keeps();
	knows_questions();
	counts_both_parts();
	knows_who_may_call();
	asks();
	retells();
	goes_on_in_blocks();
	for (size_t i = 0; i < COUNT(errors); i++)
		CHECK_INT(error_class_of(errors[i].status,
		              slice_of(errors[i].body)),
		    errors[i].is, errors[i].body);
	for (size_t i = 0; i < COUNT(patiences); i++)
		CHECK_INT(silence_limit_ms(patiences[i].said, patiences[i].left,
		              patiences[i].next),
		    patiences[i].want, "a fair share");
}
