/*
 * Chat completions, as OpenAI and most others speak.  Of several choices the
 * first is meant: an event that speaks of another is left alone.
 */
#include "chaos/text/dialect.h"

#define FIRST "/choices/0/index", "0"
#define CALL  "/choices/0/delta/tool_calls/0"

/* clang-format off */
static const struct dialect_place places[] = {
	{ DIALECT_TEXT,         "/choices/0/message/content",    FIRST, false },
	{ DIALECT_TEXT,         "/choices/0/delta/content",      FIRST, false },
	{ DIALECT_REFUSAL,      "/choices/0/message/refusal",    FIRST, false },
	{ DIALECT_REFUSAL,      "/choices/0/delta/refusal",      FIRST, false },
	{ DIALECT_CALLS,        "/choices/0/message/tool_calls", FIRST, false },
	{ DIALECT_CALLS,        "/choices/0/delta/tool_calls",   FIRST, false },
	{ DIALECT_CALLS,        "/choices/0/message/audio",      FIRST, false },
	{ DIALECT_CALLS,        "/choices/0/delta/audio",        FIRST, false },
	{ DIALECT_ARGS,         "/choices/0/message/tool_calls/0/function/arguments", FIRST, false },
	{ DIALECT_ARGS,         CALL "/function/arguments",      CALL "/index", "0", false },
	{ DIALECT_TOOL_NAME,    "/choices/0/message/tool_calls/0/function/name", FIRST, false },
	{ DIALECT_TOOL_NAME,    CALL "/function/name",           CALL "/index", "0", false },
	{ DIALECT_TOOL_ID,      "/choices/0/message/tool_calls/#/id", FIRST, false },
	{ DIALECT_TOOL_ID,      "/choices/0/delta/tool_calls/#/id", FIRST, false },
	{ DIALECT_FINISH,       "/choices/0/finish_reason",      FIRST, false },
	{ DIALECT_MODEL,        "/model",                        NULL, NULL, false },
	{ DIALECT_USAGE,        "/usage",                        NULL, NULL, false },
	{ DIALECT_TOKENS_IN,    "/usage/prompt_tokens",          NULL, NULL, false },
	{ DIALECT_TOKENS_OUT,   "/usage/completion_tokens",      NULL, NULL, false },
	{ DIALECT_TOKENS_TOTAL, "/usage/total_tokens",           NULL, NULL, false },
};
/* clang-format on */

const struct dialect dialect_chat = {
	.name = "chat",
	.paths = (const char *const[]){ "/chat/completions", NULL },
	.places = places,
	.nplaces = COUNT(places),
	.words = { "stop", "length", "content_filter", "tool_calls" },
	.nothing_at = "/choices",
	.beside = (const char *const[]){ "/choices/1", "/choices/0/delta/role",
	    "/choices/0/delta/reasoning_content", "/choices/0/delta/reasoning",
	    NULL },
	.done = "[DONE]",
	.error_event =
	    "data: {\"error\":{\"message\":\"The server had an error "
	    "while processing your request. Sorry about that!\","
	    "\"type\":\"server_error\",\"param\":null,\"code\":null}"
	    "}\n\n",
	.provider = "openai",
};
