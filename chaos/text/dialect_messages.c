/*
 * Anthropic's Messages: content is a list of blocks, and a stream's events are
 * named by their type.  A tool's input is JSON in a whole answer and pieces of
 * text in a stream.
 */
#include "chaos/text/dialect.h"
#include "chaos/text/speech.h"

#define TYPE(t) "/content/#/type", "\"" t "\""

/* clang-format off */
static const struct dialect_place places[] = {
	{ DIALECT_TEXT,       "/content/#/text",         TYPE("text"), false },
	{ DIALECT_TEXT,       "/delta/text",             "/delta/type", "\"text_delta\"", false },
	{ DIALECT_ARGS,       "/content/#/input",        TYPE("tool_use"), false },
	{ DIALECT_ARGS,       "/delta/partial_json",     NULL, NULL, false },
	{ DIALECT_TOOL_NAME,  "/content/#/name",         TYPE("tool_use"), false },
	{ DIALECT_TOOL_NAME,  "/content_block/name",     NULL, NULL, false },
	{ DIALECT_TOOL_ID,    "/content/#/id",           TYPE("tool_use"), false },
	{ DIALECT_TOOL_ID,    "/content_block/id",       NULL, NULL, false },
	{ DIALECT_FINISH,     "/stop_reason",            NULL, NULL, false },
	{ DIALECT_FINISH,     "/delta/stop_reason",      NULL, NULL, false },
	{ DIALECT_MODEL,      "/model",                  NULL, NULL, false },
	{ DIALECT_MODEL,      "/message/model",          NULL, NULL, false },
	{ DIALECT_USAGE,      "/usage",                  NULL, NULL, false },
	{ DIALECT_USAGE,      "/message/usage",          NULL, NULL, false },
	{ DIALECT_TOKENS_IN,  "/usage/input_tokens",     NULL, NULL, false },
	{ DIALECT_TOKENS_IN,  "/message/usage/input_tokens",  NULL, NULL, false },
	{ DIALECT_TOKENS_OUT, "/usage/output_tokens",    NULL, NULL, false },
	{ DIALECT_TOKENS_OUT, "/message/usage/output_tokens", NULL, NULL, false },
};
/* clang-format on */

const struct dialect dialect_messages = {
	.name = "messages",
	.speech = &speech_messages,
	.paths = (const char *const[]){ "/messages", NULL },
	.places = places,
	.nplaces = COUNT(places),
	.words = { "end_turn", "max_tokens", "refusal", "tool_use" },
	.content_at = "/content",
	.content_open = "[{\"type\":\"text\",\"text\":",
	.content_close = "}]",
	.nothing_at = "/content",
	.error_event = "event: error\ndata: {\"type\":\"error\",\"error\":{"
	               "\"type\":\"overloaded_error\",\"message\":"
	               "\"Overloaded\"}}\n\n",
	.provider = "anthropic",
};
