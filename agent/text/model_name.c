/*
 * A name is cut into tokens at its punctuation.  A token is a word of the list
 * with or without a version behind it, or a version with a letter before it.
 */
#include "agent/text/model_name.h"

#include "agent/text/claim_filter.h"
#include "base/mem.h"
#include "base/units.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define BETWEEN     "-._:/"
#define SHOWN_MAX   64
#define VERSION_MAX 8
#define ROUTE_MAX   160

/* A model's own name begins with one of these, or with a version (o3). */
static const char *const families[] = { "chatgpt", "claude", "codegemma",
	"codellama", "codestral", "cogito", "command", "deepseek", "devstral",
	"ernie", "falcon", "gemini", "gemma", "glm", "gpt", "granite", "grok",
	"hunyuan", "internlm", "jamba", "kimi", "llama", "magistral", "minimax",
	"ministral", "mistral", "mixtral", "nemotron", "nova", "olmo", "phi",
	"pixtral", "qwen", "qwq", "smollm", "starcoder", "tinyllama", "yi" };

static const char *const variants[] = { "air", "awq", "base", "beta", "bf",
	"chat", "code", "coder", "codex", "distill", "exp", "experimental",
	"flash", "fp", "gguf", "gptq", "haiku", "high", "instruct", "int", "it",
	"large", "latest", "lite", "low", "maverick", "max", "medium", "micro",
	"mini", "moe", "nano", "next", "omni", "opus", "oss", "plus", "preview",
	"pro", "r", "reasoner", "reasoning", "scout", "small", "sonnet",
	"thinking", "tiny", "turbo", "ultra", "vision", "vl" };

static const char *const providers[] = { "ai", "aws", "alibaba", "amazon",
	"anthropic", "azure", "bedrock", "cerebras", "cohere", "fireworks",
	"google", "groq", "huggingface", "local", "main", "meta", "microsoft",
	"mistralai", "models", "moonshotai", "nvidia", "ollama", "openai",
	"openrouter", "sambanova", "together", "vertex", "vllm", "xai" };

#define IS_ONE_OF(words, text, len) is_one_of(words, COUNT(words), text, len)

static bool
is_one_of(const char *const *words, size_t nwords, const char *text, size_t len)
{
	for (size_t i = 0; i < nwords; i++)
		if (strlen(words[i]) == len &&
		    strncasecmp(words[i], text, len) == 0)
			return true;
	return false;
}

/* "4", "4o", "8x7b", "135M": too little to say anything with. */
static bool
is_version(const char *text, size_t len)
{
	if (len == 0 || len > VERSION_MAX || !isdigit((unsigned char)*text))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isdigit((unsigned char)text[i]) &&
		    !strchr("bBkKmMoxX", text[i]))
			return false;
	return true;
}

static size_t
letters(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && isalpha((unsigned char)text[n]))
		n++;
	return n;
}

static bool
is_token(const char *text, size_t len, bool may_be_provider)
{
	size_t word = letters(text, len);
	bool known = IS_ONE_OF(families, text, word) ||
	    IS_ONE_OF(variants, text, word) ||
	    (may_be_provider && IS_ONE_OF(providers, text, word));

	/* A letter alone says nothing. */
	if (word == len)
		return known || (may_be_provider && len == 1);
	return (known || word <= 1) && is_version(text + word, len - word);
}

static bool
has_known_tokens(const char *text, size_t len, bool may_be_provider)
{
	for (size_t at = 0; at <= len;) {
		size_t n = 0;

		while (at + n < len && !strchr(BETWEEN, text[at + n]))
			n++;
		if (!is_token(text + at, n, may_be_provider))
			return false;
		at += n + 1;
	}
	return true;
}

static bool
begins_as_model(const char *text, size_t len)
{
	size_t word = letters(text, len);

	return IS_ONE_OF(families, text, word) ||
	    (word == 1 && len > 1 && isdigit((unsigned char)text[1]));
}

static bool
is_asked(const char *asked, const char *text, size_t len)
{
	return asked && strlen(asked) == len && strncmp(asked, text, len) == 0;
}

static bool
is_shown(const char *text, size_t len, const struct model_asked *asked)
{
	return is_asked(asked->model, text, len) ||
	    is_asked(asked->escalation, text, len) ||
	    (len <= SHOWN_MAX && begins_as_model(text, len) &&
	        has_known_tokens(text, len, false));
}

static const char *const reasons[] = { "configured", "quality-escalation",
	"fallback", "sla", "breaker", "budget", "direct" };

const char *
model_name_reason(const char *word, size_t n)
{
	for (size_t i = 0; i < COUNT(reasons); i++)
		if (strlen(reasons[i]) == n &&
		    strncmp(word, reasons[i], n) == 0)
			return reasons[i];
	return "other";
}

/* The name without what must not be shown of it. */
static char *
name_of(const char *route, size_t len, const struct model_asked *asked)
{
	const char *model = route;

	for (;;) {
		const char *slash;
		size_t left = len - (size_t)(model - route);
		bool whole = model == route ||
		    has_known_tokens(route, (size_t)(model - route) - 1, true);

		if (is_shown(model, left, asked))
			return whole ? xstrndup(route, len)
			             : xstrndup(model, left);
		slash = memchr(model, '/', left);
		if (!slash)
			return xstrdup(MODEL_NAME_OTHER);
		model = slash + 1;
	}
}

/* Nobody answered, and it is ours to say what was asked for. */
static bool
names_nobody(const char *route)
{
	return *route == '\0' || strcmp(route, "requested=primary") == 0 ||
	    strcmp(route, "requested=escalation") == 0;
}

char *
model_name_of_route(const char *route, const struct model_asked *asked)
{
	static const char said[] = " reason=";
	size_t len = strcspn(route, " ");
	const char *rest = route + len;
	char *name, *whole, *shown;

	if (names_nobody(route))
		return xstrdup(route);
	name = name_of(route, len, asked);
	if (strncmp(rest, said, strlen(said)) == 0) {
		rest += strlen(said);
		whole = xasprintf("%s%s%s", name, said,
		    model_name_reason(rest, strlen(rest)));
		free(name);
	} else
		whole = name;
	/* A name that was asked for is shown as it is, so it is judged, too,
	 * and where all cuts are made. */
	shown = claim_field(whole, ROUTE_MAX);
	free(whole);
	return shown;
}
