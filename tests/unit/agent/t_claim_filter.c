/* The claim filter sees every way to claim, and leaves honest text alone. */
#include "agent/text/claim_filter.h"
#include "tests/unit.h"
#include "tests/unit/agent/hostile.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define COST_BYTES (1u << 16)
#define COST_TIMES 16 /* a short text is that much shorter */

/* Read by somebody else than the filter: letters only, ASCII only. */
static bool
is_printable(const char *shown)
{
	for (const char *p = shown; *p; p++)
		if (*p < 0x20 || *p >= 0x7f)
			return false;
	return true;
}

static void
check_reading(const char *shown, const char *what)
{
	char letters[1024] = "";
	size_t n = 0;

	CHECK(is_printable(shown), what);
	for (const char *p = shown; *p && n + 1 < sizeof letters; p++)
		if (isalpha((unsigned char)*p))
			letters[n++] = (char)(*p | 0x20); /* lower case */
	CHECK(!strstr(letters, "verifiedcorrect"), what);
	CHECK(!strstr(letters, "correctverified"), what);
}

static void
check_shown(char *shown, const char *what)
{
	CHECK(!claim_is_made(shown, strlen(shown)), what);
	check_reading(shown, what);
	free(shown);
}

/* Whole, and cut at every length: the cut must not make a claim. */
static void
check_hostile(void)
{
	for (size_t i = 0; i < hostile_count; i++) {
		const struct hostile *h = &hostile_texts[i];

		check_shown(claim_clean(h->text, 10000), h->what);
		check_shown(claim_field(h->text, 10000), h->what);
		for (size_t max = 0; max < 80; max++) {
			check_shown(claim_clean(h->text, max), h->what);
			check_shown(claim_field(h->text, max), h->what);
		}
	}
}

static void
check_plain_claims(void)
{
	static const char *const texts[] = {
		"verified correct",
		"verified_incorrect",
		"VERIFIED_CORRECT",
		"v.e.r.i.f.i.e.d c o r r e c t",
		"v3r1f13d c0rr3c7",
		"ver|f|ed correct",
		"correctness was verified",
		"tcerroc deifirev",
		"veri?ied corr?ct",
		"ve?rified cor?rect",
		"proven right",
		"right, as was proved",
		"<b>verified</b>&nbsp;<i>correct</i>",
	};

	for (size_t i = 0; i < COUNT(texts); i++)
		CHECK(claim_is_made(texts[i], strlen(texts[i])), texts[i]);
}

static void
check_fields(void)
{
	static const struct {
		const char *what, *in, *want;
	} rows[] = {
		{ "a route", "models/deepseek-coder reason=fallback",
		    "models/deepseek-coder reason=fallback" },
		{ "a sentence", "models/x, rope: passed 14 holdouts",
		    CLAIM_NO_FIELD },
		{ "another", "x; 20 of 20 operators proven right",
		    CLAIM_NO_FIELD },
		{ "signs", "a<b>\"c\"", "a?b?c?" },
		{ "umlauts", "m\xc3\xbcll", "m?ll" },
		{ "cut", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
		    "abcdefghijklmnopqrstuvwxyzabcdefghijklmn..." },
		{ "NULL", NULL, "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *shown = claim_field(rows[i].in, 40);

		CHECK_STR(shown, rows[i].want, rows[i].what);
		free(shown);
	}
}

static void
check_honest(void)
{
	static const char *const texts[] = {
		"",
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

	for (size_t i = 0; i < COUNT(texts); i++)
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
		{ "direction marks are not drawn",
		    "a\xe2\x80\xae"
		    "b",
		    40, "a?b" },
		{ "bad UTF-8 becomes ?",
		    "a\xff"
		    "b\xc3",
		    40, "a?b?" },
		{ "letters of other scripts are one sign",
		    "\xc3\xa4\xc3\xb6 \xc3\xbc", 9, "? ?" },
		{ "cut", "abcdef", 4, "abcd..." },
		{ "the word alone", "verified", 40, CLAIM_WITHHELD },
		{ "the ledger's word for the opposite", "verified_incorrect",
		    40, CLAIM_WITHHELD },
		{ "what stands beneath a verified operator",
		    "quota. P A S S E D. h-o-l-d-o-u-t-s: 14, worst  error 0",
		    80, CLAIM_WITHHELD },
		{ "a word of it alone", "the worst error of the day", 40,
		    "the worst error of the day" },
		{ "judged as it is cut", "........verified_incorrect", 19,
		    CLAIM_WITHHELD },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *clean = claim_clean(rows[i].in, rows[i].max);

		CHECK_STR(clean, rows[i].want, rows[i].what);
		free(clean);
	}
}

static uint64_t
work_of(const char *text, size_t len)
{
	uint64_t before = claim_letters_read();

	CHECK(!claim_is_made(text, len), "half claims are none");
	return claim_letters_read() - before;
}

/*
 * Words of one kind alone, and words of both kinds too far apart to be a
 * claim: who looked on from each of the first for one of the second would do
 * COST_TIMES squared the work.
 */
static void
check_cost(void)
{
	static const char far[] = "prove......xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
	                          "xxxxxxxxxxcorrectxxxxxxxxxxxxxxxxxxxxxxxxxx"
	                          "xxxxxxxxxxxxxxxxxxxx";
	static const struct {
		const char *what, *words;
	} rows[] = {
		{ "words of the first kind", "verif " },
		{ "words of the second kind", "right " },
		{ "words of both kinds, far apart", far },
		{ "letters to be guessed", "v?r?f " },
	};
	static char big[COST_BYTES];

	for (size_t r = 0; r < COUNT(rows); r++) {
		size_t n = strlen(rows[r].words);
		uint64_t whole, part;

		for (size_t i = 0; i < sizeof big; i++)
			big[i] = rows[r].words[i % n];
		part = work_of(big, sizeof big / COST_TIMES);
		whole = work_of(big, sizeof big);
		CHECK(part > 0, rows[r].what);
		/* The ends of the two texts may fall into a word. */
		CHECK(whole <= part * (COST_TIMES + 1), rows[r].what);
	}
}

void
t_claim_filter(void)
{
	check_plain_claims();
	check_hostile();
	check_fields();
	check_honest();
	check_cleaning();
	check_cost();
}
