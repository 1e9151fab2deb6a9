/*
 * What answers are worth, whole and streamed, cut in every way.
 */
#include "chaos/http/answer_worth.h"

#include <string.h>

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

struct row {
	const char *what, *type, *body;
	int status;
	enum item_end end;
	size_t promised; /* 0: as long as it is */
	enum worth worth;
};

/* clang-format off */
static const struct row rows[] = {
	{ "a whole answer", JSON, "{\"choices\":[{\"message\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}", 200, ITEM_END_CLEAN, 0, WORTH_GOOD },
	{ "empty content", JSON, "{\"choices\":[{\"message\":{\"content\":\"\"},\"finish_reason\":\"stop\"}]}", 200, ITEM_END_CLEAN, 0, WORTH_EMPTY },
	{ "no choices", JSON, "{\"choices\":[]}", 200, ITEM_END_CLEAN, 0, WORTH_EMPTY },
	{ "an empty body", JSON, "", 200, ITEM_END_CLEAN, 0, WORTH_EMPTY },
	{ "finished for length", JSON, "{\"choices\":[{\"message\":{\"content\":\"hi\"},\"finish_reason\":\"length\"}]}", 200, ITEM_END_CLEAN, 0, WORTH_TRUNCATED },
	{ "half of a body", JSON, "{\"choices\":[{\"mess", 200, ITEM_END_FIN, 90, WORTH_TRUNCATED },
	{ "not JSON after all", JSON, "<html>", 200, ITEM_END_CLEAN, 0, WORTH_GARBLED },
	{ "an error by status", JSON, "{\"error\":{\"message\":\"no\"}}", 503, ITEM_END_CLEAN, 0, WORTH_ERROR },
	{ "an error inside 200", JSON, "{\"error\":{\"message\":\"no\"}}", 200, ITEM_END_CLEAN, 0, WORTH_ERROR },
	{ "error null is none", JSON, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":null,\"result\":{}}", 200, ITEM_END_CLEAN, 0, WORTH_GOOD },
	{ "a page", "text/html", "<html>", 200, ITEM_END_CLEAN, 0, WORTH_GOOD },
	{ "whole tool arguments", JSON, "{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"function\":{\"arguments\":\"{}\"}}]},\"finish_reason\":\"tool_calls\"}]}", 200, ITEM_END_CLEAN, 0, WORTH_GOOD },
	{ "cut tool arguments", JSON, "{\"choices\":[{\"message\":{\"content\":null,\"tool_calls\":[{\"id\":\"c\",\"function\":{\"arguments\":\"{\\\"a\"}}]},\"finish_reason\":\"tool_calls\"}]}", 200, ITEM_END_CLEAN, 0, WORTH_TRUNCATED },
	{ "a whole stream", STREAM, SAY FINISH("stop") DONE, 200, ITEM_END_CLEAN, 0, WORTH_GOOD },
	{ "all said, then a reset", STREAM, SAY FINISH("stop") DONE, 200, ITEM_END_RST, 0, WORTH_GOOD },
	{ "no [DONE], but finished", STREAM, SAY FINISH("stop"), 200, ITEM_END_CLEAN, 0, WORTH_GOOD },
	{ "a clean end too soon", STREAM, SAY, 200, ITEM_END_CLEAN, 0, WORTH_TRUNCATED },
	{ "a reset inside", STREAM, SAY, 200, ITEM_END_RST, 0, WORTH_TRUNCATED },
	{ "a stream without a word", STREAM, FINISH("stop") DONE, 200, ITEM_END_CLEAN, 0, WORTH_EMPTY },
	{ "a bad event", STREAM, SAY "data: {\"choi\n\n" FINISH("stop") DONE, 200, ITEM_END_CLEAN, 0, WORTH_GARBLED },
	{ "an error event", STREAM, SAY "data: {\"error\":{\"message\":\"x\"}}\n\n", 200, ITEM_END_CLEAN, 0, WORTH_ERROR },
	{ "streamed arguments in two parts", STREAM, CALL("{\\\"a\\\":") "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"1}\"}}]}}]}\n\n" FINISH("tool_calls") DONE, 200, ITEM_END_CLEAN, 0, WORTH_GOOD },
	{ "streamed arguments cut", STREAM, CALL("{\\\"a\\\":") FINISH("tool_calls") DONE, 200, ITEM_END_CLEAN, 0, WORTH_TRUNCATED },
	{ "another kind of event is passed over", STREAM, "event: ping\ndata: x\n\n" SAY FINISH("stop") DONE, 200, ITEM_END_CLEAN, 0, WORTH_GOOD },
};
/* clang-format on */

static struct answer_worth *
read_row(const struct row *r, size_t piece)
{
	struct answer_worth *x = answer_worth_new();
	struct answer_head a = { .status = r->status, .has_length = true };
	size_t n = strlen(r->body);

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
	struct answer_worth *x = answer_worth_new();
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
	x = answer_worth_new();
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
