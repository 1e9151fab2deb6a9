/* An answer counts only when the other side said that it is whole. */
#include "agent/model/answer_assembly.h"
#include "tests/unit.h"
#include <string.h>

#define DELTA(text) "{\"choices\":[{\"delta\":{\"content\":\"" text "\"}}]}"
#define STOP        "{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}"
#define ENDS(reason)                                                           \
	"{\"choices\":[{\"delta\":{},\"finish_reason\":\"" reason "\"}]}"
#define ERROR_EVENT(type)                                                      \
	"{\"error\":{\"message\":\"busy\",\"type\":\"" type "\"}}"

static void
check_streams(void)
{
	static const struct {
		const char *what;
		const char *events[6];
		enum completion_fault fault;
		const char *content;
	} rows[] = {
		{ "whole", { DELTA("a"), DELTA("b"), STOP, "[DONE]" },
		    COMPLETION_GOOD, "ab" },
		{ "finish reason without [DONE]", { DELTA("a"), STOP },
		    COMPLETION_GOOD, "a" },
		{ "[DONE] without a finish reason", { DELTA("a"), "[DONE]" },
		    COMPLETION_GOOD, "a" },
		{ "cut", { DELTA("a"), DELTA("b") }, COMPLETION_CUT, "ab" },
		{ "nothing at all", { NULL }, COMPLETION_CUT, "" },
		{ "an error event", { DELTA("a"), ERROR_EVENT("overloaded") },
		    COMPLETION_ERROR, "a" },
		{ "an error event first, then [DONE]",
		    { ERROR_EVENT("server_error"), "[DONE]" }, COMPLETION_ERROR,
		    "" },
		{ "a quota error", { ERROR_EVENT("insufficient_quota") },
		    COMPLETION_QUOTA, "" },
		{ "an error that is a string", { "{\"error\":\"no\"}" },
		    COMPLETION_ERROR, "" },
		{ "length", { DELTA("a"), ENDS("length"), "[DONE]" },
		    COMPLETION_LENGTH, "a" },
		{ "length, then stop",
		    { DELTA("a"), ENDS("length"), STOP, "[DONE]" },
		    COMPLETION_LENGTH, "a" },
		{ "stop, then length", { DELTA("a"), STOP, ENDS("length") },
		    COMPLETION_LENGTH, "a" },
		{ "usage that no integer holds",
		    { DELTA("a"), STOP,
		        "{\"choices\":[],\"usage\":{\"prompt_tokens\":"
		        "99999999999999999999999}}" },
		    COMPLETION_GOOD, "a" },
		{ "a key said twice",
		    { "{\"id\":1,\"id\":2,\"choices\":[{\"delta\":"
		      "{\"content\":\"a\"}}]}",
		        STOP },
		    COMPLETION_GOOD, "a" },
		{ "out of resources",
		    { DELTA("a"), ENDS("insufficient_system_resource") },
		    COMPLETION_REASON, "a" },
		{ "tool calls nobody asked for", { ENDS("tool_calls") },
		    COMPLETION_REASON, "" },
		{ "empty", { STOP, "[DONE]" }, COMPLETION_EMPTY, "" },
		{ "broken JSON", { DELTA("a"), "{\"choices\":[" },
		    COMPLETION_GARBAGE, "a" },
		{ "not an object", { "[1]" }, COMPLETION_GARBAGE, "" },
		{ "another object", { "{\"hello\":1}" }, COMPLETION_GARBAGE,
		    "" },
		{ "text after [DONE] is not taken",
		    { DELTA("a"), "[DONE]", DELTA("b") }, COMPLETION_GOOD,
		    "a" },
		{ "an empty event is passed over", { "", DELTA("a"), "[DONE]" },
		    COMPLETION_GOOD, "a" },
		{ "usage at the end",
		    { DELTA("a"), STOP,
		        "{\"choices\":[],\"usage\":"
		        "{\"prompt_tokens\":3}}" },
		    COMPLETION_GOOD, "a" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct completion c;

		completion_init(&c);
		for (size_t k = 0; k < 6 && rows[i].events[k]; k++)
			completion_event(&c, rows[i].events[k],
			    strlen(rows[i].events[k]));
		CHECK_STR(completion_fault_name(completion_end(&c)),
		    completion_fault_name(rows[i].fault), rows[i].what);
		CHECK_STR(c.content.data ? c.content.data : "", rows[i].content,
		    rows[i].what);
		completion_done(&c);
	}
}

static void
check_bodies(void)
{
	static const struct {
		const char *what, *body;
		enum completion_fault fault;
	} rows[] = {
		{ "whole",
		    "{\"choices\":[{\"message\":{\"content\":\"k\"},"
		    "\"finish_reason\":\"stop\"}]}",
		    COMPLETION_GOOD },
		{ "cut in the middle", "{\"choices\":[{\"message\":{\"con",
		    COMPLETION_GARBAGE },
		{ "a page", "<html>busy</html>", COMPLETION_GARBAGE },
		{ "an error under 200", "{\"error\":{\"message\":\"x\"}}",
		    COMPLETION_ERROR },
		{ "length",
		    "{\"choices\":[{\"message\":{\"content\":\"k\"},"
		    "\"finish_reason\":\"length\"}]}",
		    COMPLETION_LENGTH },
		{ "null content",
		    "{\"choices\":[{\"message\":{\"content\":"
		    "null},\"finish_reason\":\"stop\"}]}",
		    COMPLETION_EMPTY },
		{ "no choices", "{\"choices\":[]}", COMPLETION_EMPTY },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct completion c;

		completion_init(&c);
		completion_body(&c, rows[i].body, strlen(rows[i].body));
		CHECK_STR(completion_fault_name(completion_end(&c)),
		    completion_fault_name(rows[i].fault), rows[i].what);
		completion_done(&c);
	}
}

void
t_speech_chat(void)
{
	check_streams();
	check_bodies();
}
