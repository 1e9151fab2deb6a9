/* A model's name is shown if it is one; no sentence, in any alphabet, is. */
#include "agent/text/claim_filter.h"
#include "agent/text/model_name.h"
#include "base/mem.h"
#include "tests/unit.h"
#include "tests/unit/agent/hostile.h"
#include <stdlib.h>
#include <string.h>

static const struct model_asked asked = { "own", "big/one:free" };

/* As an answer's header comes to a table: through the claim filter. */
static char *
shown(const char *name)
{
	char *route = xasprintf("%s reason=direct", name);
	char *clean = claim_field(route, 160);
	char *ret = model_name_of_route(clean, &asked);

	free(route);
	free(clean);
	return ret;
}

static void
check_names(void)
{
	static const struct {
		const char *in, *want;
	} rows[] = {
		{ "models/deepseek-v4-flash", "models/deepseek-v4-flash" },
		{ "models/deepseek-coder", "models/deepseek-coder" },
		{ "openai-main/gpt-4o-mini", "openai-main/gpt-4o-mini" },
		{ "o3-mini", "o3-mini" },
		{ "meta-llama/Llama-3.3-70B-Instruct",
		    "meta-llama/Llama-3.3-70B-Instruct" },
		{ "SmolLM2-135M-Instruct", "SmolLM2-135M-Instruct" },
		{ "mixtral-8x7b", "mixtral-8x7b" },
		{ "qwen2.5-coder:7b", "qwen2.5-coder:7b" },
		{ "big/one:free", "big/one:free" },
		{ "models/big/one:free", "models/big/one:free" },
		{ "m/own", "m/own" },
		/* Of a provider of other words only the model is shown. */
		{ "all-tests-pass/gpt-4o", "gpt-4o" },
		{ "flawless/big/one:free", "big/one:free" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *got = shown(rows[i].in);
		char *want = xasprintf("%s reason=direct", rows[i].want);

		CHECK_STR(got, want, rows[i].in);
		free(got);
		free(want);
	}
}

/* The text stands nowhere in what is shown. */
static void
check_another(const char *name, const char *what)
{
	char *got = shown(name);
	size_t n = strlen(MODEL_NAME_OTHER);

	CHECK(strncmp(got, MODEL_NAME_OTHER, n) == 0 &&
	        (got[n] == '\0' || got[n] == ' '),
	    what);
	free(got);
}

static void
check_claims(void)
{
	static const char *const names[] = { "a/all_tests_pass", "a/pass_17/17",
		"a/has_been_validated", "a/formally_checked", "a/error-free",
		"a/no_failure_on_any_case", "a/confirmed", "a/QED",
		"a/guaranteed?_sound", "a/flawless", "a/success", "a/succeeded",
		"a/green", "a/holds", "a/?_?_PASS", "a/ok:_certified?_flawless",
		"a/no_errors_found?_it_works", "a/bewiesen_korrekt",
		"a/ver?b?/b?ified", "models/20-of-20", "gpt-20of20",
		"deepseek-error-free", "gpt-ok1", "gpt_is_fine", "17/17", "/",
		"", "gpt-", "-gpt", "gpt--4",
		/* "PASS" in Lisu and in Cherokee letters. */
		"a/\xea\x93\x91\xea\x93\xae\xea\x93\xa2\xea\x93\xa2",
		"a/\xe1\x8f\xa2\xe1\x8e\xaa\xe1\x8f\x9a\xe1\x8f\x9a",
		"gpt-\xea\x93\x91\xea\x93\xae\xea\x93\xa2\xea\x93\xa2" };

	for (size_t i = 0; i < COUNT(names); i++)
		check_another(names[i], names[i]);
	for (size_t i = 0; i < hostile_count; i++)
		check_another(hostile_texts[i].text, hostile_texts[i].what);
}

/* Nobody is named there. */
static void
check_unnamed(void)
{
	static const char *const routes[] = { "", "requested=primary",
		"requested=escalation" };

	for (size_t i = 0; i < COUNT(routes); i++) {
		char *got = model_name_of_route(routes[i], &asked);

		CHECK_STR(got, routes[i], "a route that names nobody");
		free(got);
	}
}

void
t_model_name(void)
{
	check_names();
	check_claims();
	check_unnamed();
}
