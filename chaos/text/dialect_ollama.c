/*
 * Ollama: a stream is lines of JSON, each with a piece of text, the last one
 * with "done".  It streams unless it is told not to.
 */
#include "chaos/text/dialect.h"
#include "chaos/text/speech.h"

/* clang-format off */
static const struct dialect_place places[] = {
	{ DIALECT_TEXT,       "/message/content",    NULL, NULL, false },
	{ DIALECT_TEXT,       "/response",           NULL, NULL, false },
	{ DIALECT_CALLS,      "/message/tool_calls", NULL, NULL, false },
	{ DIALECT_ARGS,       "/message/tool_calls/#/function/arguments", NULL, NULL, false },
	{ DIALECT_TOOL_NAME,  "/message/tool_calls/#/function/name", NULL, NULL, false },
	{ DIALECT_TOOL_ID,    "/message/tool_calls/#/id", NULL, NULL, false },
	{ DIALECT_FINISH,     "/done_reason",        NULL, NULL, false },
	{ DIALECT_MODEL,      "/model",              NULL, NULL, false },
	{ DIALECT_USAGE,      "/eval_count",         NULL, NULL, false },
	{ DIALECT_TOKENS_IN,  "/prompt_eval_count",  NULL, NULL, false },
	{ DIALECT_TOKENS_OUT, "/eval_count",         NULL, NULL, false },
};
/* clang-format on */

const struct dialect dialect_ollama = {
	.name = "ollama",
	.speech = &speech_ollama,
	.paths = (const char *const[]){ "/api/chat", "/api/generate", NULL },
	.places = places,
	.nplaces = COUNT(places),
	.words = { "stop", "length", NULL, "stop" },
	.error_event =
	    "{\"error\":\"model runner has unexpectedly stopped\"}\n",
	.provider = "ollama",
	.is_lines = true,
	.is_dense = true,
	.streams_unasked = true,
};
