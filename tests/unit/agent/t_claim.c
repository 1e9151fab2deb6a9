/* The claim filter sees every way to claim, and leaves honest text alone. */
#include "agent/claim.h"
#include "tests/unit.h"
#include "tests/unit/agent/hostile.h"
#include <stdlib.h>
#include <string.h>

static void
check_hostile(void)
{
	for (size_t i = 0; i < hostile_count; i++) {
		const struct hostile *h = &hostile_texts[i];
		char *clean = claim_clean(h->text, 10000);

		CHECK(claim_is_made(h->text, strlen(h->text)), h->what);
		CHECK_STR(clean, CLAIM_WITHHELD, h->what);
		CHECK(!claim_is_made(clean, strlen(clean)), h->what);
		free(clean);
	}
}

static void
check_honest(void)
{
	static const char *const texts[] = {
		"",
		"verified_incorrect",
		"rope: NOT VERIFIED, it failed a holdout",
		"pair layout (split-half or interleaved)",
		"models/deepseek-coder reason=quality-escalation",
		"3 of 3 kernels claimed correct",
		"verify",
		"correct",
		"incorrect result",
		"valid in a row",
		"\xff\xfe\x80",
		"fp16_strided",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		CHECK(!claim_is_made(texts[i], strlen(texts[i])), texts[i]);
}

static void
check_cleaning(void)
{
	static const struct {
		const char *what, *in;
		size_t max;
		const char *want;
	} rows[] = {
		{ "nothing", "", 10, "" },
		{ "NULL", NULL, 10, "" },
		{ "plain stays", "fp16_strided", 40, "fp16_strided" },
		{ "controls become spaces", "a\x1b[1mb\r\nc", 40, "a [1mb  c" },
		{ "direction marks become spaces",
		    "a\xe2\x80\xae"
		    "b",
		    40, "a b" },
		{ "bad UTF-8 becomes ?",
		    "a\xff"
		    "b\xc3",
		    40, "a?b?" },
		{ "cut by characters", "\xc3\xa4\xc3\xb6\xc3\xbc", 2,
		    "\xc3\xa4\xc3\xb6..." },
		{ "the word alone", "verified", 40, CLAIM_WITHHELD },
		{ "the ledger's word for the opposite", "verified_incorrect",
		    40, "verified_incorrect" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *clean = claim_clean(rows[i].in, rows[i].max);

		CHECK_STR(clean, rows[i].want, rows[i].what);
		free(clean);
	}
}

/* Many half claims must not cost quadratic time. */
static void
check_cost(void)
{
	static char big[1 << 20];

	for (size_t i = 0; i + 1 < sizeof big; i++)
		big[i] = "verif "[i % 6];
	CHECK(!claim_is_made(big, sizeof big - 1), "a megabyte of half claims");
}

void
t_claim(void)
{
	check_hostile();
	check_honest();
	check_cleaning();
	check_cost();
}
