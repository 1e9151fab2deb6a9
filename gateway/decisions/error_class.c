/*
 * Signs are looked for in the whole body, without case: providers put them
 * into code, type, message, or an object inside another.  A sign counts only
 * beside a status that it comes with, so that a user's words that an error
 * quotes decide nothing about a 500.
 */
#include "gateway/decisions/error_class.h"

#include "base/units.h"
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define LOOKED_AT ((size_t)8192)

/* clang-format off */
static const struct sign {
	const char *text;
	int from, to;	/* statuses */
	enum error_class is;
} signs[] = { /* the first that fits counts */
	/* OpenAI, Azure */
	{ "context_length_exceeded",           400, 413, ERROR_CLASS_CONTEXT },
	{ "string_above_max_length",           400, 413, ERROR_CLASS_CONTEXT },
	{ "content_policy_violation",          400, 403, ERROR_CLASS_POLICY },
	{ "content_filter",                    400, 403, ERROR_CLASS_POLICY },
	{ "ResponsibleAIPolicyViolation",      400, 403, ERROR_CLASS_POLICY },
	{ "insufficient_quota",                402, 429, ERROR_CLASS_QUOTA },
	{ "billing_hard_limit",                400, 429, ERROR_CLASS_QUOTA },
	{ "billing_not_active",                400, 429, ERROR_CLASS_QUOTA },
	{ "quota_exceeded",                    402, 429, ERROR_CLASS_QUOTA },
	/* DeepSeek, vLLM, SGLang */
	{ "maximum context length",            400, 422, ERROR_CLASS_CONTEXT },
	{ "Content Exists Risk",               400, 400, ERROR_CLASS_POLICY },
	{ "insufficient_balance",              402, 429, ERROR_CLASS_QUOTA },
	{ "insufficient balance",              402, 429, ERROR_CLASS_QUOTA },
	/* llama.cpp */
	{ "exceed_context_size",               400, 500, ERROR_CLASS_CONTEXT },
	{ "exceeds the available context size", 400, 500, ERROR_CLASS_CONTEXT },
	/* Anthropic */
	{ "prompt is too long",                400, 413, ERROR_CLASS_CONTEXT },
	{ "exceed context limit",              400, 413, ERROR_CLASS_CONTEXT },
	{ "credit balance is too low",         400, 403, ERROR_CLASS_QUOTA },
	{ "overloaded_error",                  429, 529, ERROR_CLASS_OVERLOAD },
	/* Gemini */
	{ "input token count",                 400, 400, ERROR_CLASS_CONTEXT },
};
/* clang-format on */

static bool
has(struct slice body, const char *text)
{
	size_t n = strlen(text);

	for (size_t i = 0; i + n <= body.n; i++)
		if (strncasecmp(body.p + i, text, n) == 0)
			return true;
	return false;
}

enum error_class
error_class_of(int status, struct slice body)
{
	if (body.n > LOOKED_AT)
		body.n = LOOKED_AT;
	for (size_t i = 0; i < COUNT(signs); i++)
		if (status >= signs[i].from && status <= signs[i].to &&
		    has(body, signs[i].text))
			return signs[i].is;
	return status == 402 ? ERROR_CLASS_QUOTA : ERROR_CLASS_NONE;
}
