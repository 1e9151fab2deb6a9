/*
 * OpenAI's Responses: output is a list of items.  A stream says in pieces, and
 * then thrice more as a whole, what the model said; who edits one must edit
 * all, and the places that say it again are marked.
 */
#include "chaos/text/dialect.h"
#include "chaos/text/speech.h"

#define EVENT(t) "/type", "\"response." t "\""
#define MESSAGE  "/output/#/content/0"
#define LAST     "/response/output/#/content/0"
#define TEXT     "\"output_text\""

/* clang-format off */
static const struct dialect_place places[] = {
	{ DIALECT_TEXT,         MESSAGE "/text",             MESSAGE "/type", TEXT, false },
	{ DIALECT_TEXT,         "/delta",                    EVENT("output_text.delta"), false },
	{ DIALECT_TEXT,         "/text",                     EVENT("output_text.done"), true },
	{ DIALECT_TEXT,         "/part/text",                EVENT("content_part.done"), true },
	{ DIALECT_TEXT,         "/item/content/#/text",      EVENT("output_item.done"), true },
	{ DIALECT_TEXT,         LAST "/text",                LAST "/type", TEXT, true },
	{ DIALECT_ARGS,         "/output/#/arguments",       NULL, NULL, false },
	{ DIALECT_ARGS,         "/delta",                    EVENT("function_call_arguments.delta"), false },
	{ DIALECT_ARGS,         "/arguments",                EVENT("function_call_arguments.done"), true },
	{ DIALECT_ARGS,         "/item/arguments",           EVENT("output_item.done"), true },
	{ DIALECT_ARGS,         "/response/output/#/arguments", NULL, NULL, true },
	{ DIALECT_TOOL_NAME,    "/output/#/name",            NULL, NULL, false },
	{ DIALECT_TOOL_NAME,    "/item/name",                EVENT("output_item.added"), false },
	{ DIALECT_TOOL_NAME,    "/item/name",                EVENT("output_item.done"), true },
	{ DIALECT_TOOL_NAME,    "/response/output/#/name",   NULL, NULL, true },
	{ DIALECT_TOOL_ID,      "/output/#/call_id",         NULL, NULL, false },
	{ DIALECT_TOOL_ID,      "/item/call_id",             EVENT("output_item.added"), false },
	{ DIALECT_TOOL_ID,      "/item/call_id",             EVENT("output_item.done"), true },
	{ DIALECT_TOOL_ID,      "/response/output/#/call_id", NULL, NULL, true },
	{ DIALECT_FINISH,       "/status",                   "/object", "\"response\"", false },
	{ DIALECT_FINISH,       "/response/status",          EVENT("completed"), false },
	{ DIALECT_FINISH,       "/response/status",          EVENT("incomplete"), false },
	{ DIALECT_DETAILS,      "/incomplete_details",       NULL, NULL, false },
	{ DIALECT_DETAILS,      "/response/incomplete_details", EVENT("completed"), false },
	{ DIALECT_DETAILS,      "/response/incomplete_details", EVENT("incomplete"), false },
	{ DIALECT_MODEL,        "/model",                    NULL, NULL, false },
	{ DIALECT_MODEL,        "/response/model",           NULL, NULL, false },
	{ DIALECT_USAGE,        "/usage",                    NULL, NULL, false },
	{ DIALECT_USAGE,        "/response/usage",           NULL, NULL, false },
	{ DIALECT_TOKENS_IN,    "/usage/input_tokens",       NULL, NULL, false },
	{ DIALECT_TOKENS_IN,    "/response/usage/input_tokens",  NULL, NULL, false },
	{ DIALECT_TOKENS_OUT,   "/usage/output_tokens",      NULL, NULL, false },
	{ DIALECT_TOKENS_OUT,   "/response/usage/output_tokens", NULL, NULL, false },
	{ DIALECT_TOKENS_TOTAL, "/usage/total_tokens",       NULL, NULL, false },
	{ DIALECT_TOKENS_TOTAL, "/response/usage/total_tokens",  NULL, NULL, false },
};
/* clang-format on */

const struct dialect dialect_responses = {
	.name = "responses",
	.speech = &speech_responses,
	.paths = (const char *const[]){ "/responses", NULL },
	.places = places,
	.nplaces = COUNT(places),
	.words = { "completed", "incomplete", "incomplete", "completed" },
	.details = { "null", "{\"reason\":\"max_output_tokens\"}",
	    "{\"reason\":\"content_filter\"}", "null" },
	.content_at = "/output",
	.content_open =
	    "[{\"type\":\"message\",\"id\":\"msg_1\",\"status\":\"completed\","
	    "\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\","
	    "\"annotations\":[],\"text\":",
	.content_close = "}]}]",
	.nothing_at = "/output",
	.error_event = "event: error\ndata: {\"type\":\"error\",\"code\":"
	               "\"server_error\",\"message\":\"The server had an error "
	               "while processing your request. Sorry about that!\","
	               "\"param\":null,\"sequence_number\":0}\n\n",
	.provider = "openai",
};
