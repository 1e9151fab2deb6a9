/*
 * Google's Gemini: each event of a stream has the shape of a whole answer, and
 * says text, finish reason and usage at once.  Arguments are JSON.
 */
#include "chaos/text/dialect.h"
#include "chaos/text/speech.h"

#define PART "/candidates/0/content/parts/#"

/* clang-format off */
static const struct dialect_place places[] = {
	{ DIALECT_TEXT,         PART "/text",                         PART "/thought", "false", false },
	{ DIALECT_ARGS,         PART "/functionCall/args",            NULL, NULL, false },
	{ DIALECT_TOOL_NAME,    PART "/functionCall/name",            NULL, NULL, false },
	{ DIALECT_TOOL_ID,      PART "/functionCall/id",              NULL, NULL, false },
	{ DIALECT_FINISH,       "/candidates/0/finishReason",         NULL, NULL, false },
	{ DIALECT_MODEL,        "/modelVersion",                      NULL, NULL, false },
	{ DIALECT_USAGE,        "/usageMetadata",                     NULL, NULL, false },
	{ DIALECT_TOKENS_IN,    "/usageMetadata/promptTokenCount",    NULL, NULL, false },
	{ DIALECT_TOKENS_OUT,   "/usageMetadata/candidatesTokenCount", NULL, NULL, false },
	{ DIALECT_TOKENS_TOTAL, "/usageMetadata/totalTokenCount",     NULL, NULL, false },
};
/* clang-format on */

const struct dialect dialect_gemini = {
	.name = "gemini",
	.speech = &speech_gemini,
	.paths = (const char *const[]){ ":generateContent",
	    ":streamGenerateContent", NULL },
	.places = places,
	.nplaces = COUNT(places),
	.words = { "STOP", "MAX_TOKENS", "SAFETY", "STOP" },
	.content_at = "/candidates/0/content/parts",
	.content_open = "[{\"text\":",
	.content_close = "}]",
	.nothing_at = "/candidates",
	.error_event = "data: {\"error\":{\"code\":503,\"message\":\"The model "
	               "is overloaded. Please try again later.\",\"status\":"
	               "\"UNAVAILABLE\"}}\n\n",
	.provider = "google",
	.is_dense = true,
};
