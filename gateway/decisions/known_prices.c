/*
 * Dollars per million tokens, without discounts for batches and without
 * surcharges for long requests, for speed or for a region.  A row is added or
 * mended here, in its place, and the date with it; tests/prices.py compares
 * them all with a table of somebody else's.
 */
#include "gateway/decisions/known_prices.h"

#include "base/units.h"
#include <string.h>

#define DATE      "2026-11-22"
#define ANTHROPIC "api.anthropic.com"
#define DEEPSEEK  "api.deepseek.com"
#define OPENAI    "api.openai.com"

/* Without a price for what is read from a cache: as any input. */
#define AS_INPUT -1

/* clang-format off */
#define ROW(host, model, input, cached, output) \
	{ host, { model, input, output, cached, 0, { { 0, 0, 0 } } } }
/* Half of it outside of 01:00 to 04:00 and 06:00 to 10:00 UTC.  On weekends it
 * is half all day, which is left out: nobody is told less than he pays. */
#define PEAKS(host, model, input, cached, output) \
	{ host, { model, input, output, cached, 2, { { 240, 360, 0.5 }, { 600, 60, 0.5 } } } }

static const struct known_price rows[] = {
	/*                                            input     cached   output */
	ROW(ANTHROPIC, "claude-fable-5",              10.00,      1.00,   50.00),
	ROW(ANTHROPIC, "claude-fable-5-1",            10.00,      0.25,   50.00),
	ROW(ANTHROPIC, "claude-haiku-4-5",             1.00,      0.10,    5.00),
	ROW(ANTHROPIC, "claude-haiku-5-5",             0.10,      0.01,    0.50),
	ROW(ANTHROPIC, "claude-mythos-5",             10.00,      1.00,   50.00),
	ROW(ANTHROPIC, "claude-mythos-5-1",           10.00,      0.25,   50.00),
	ROW(ANTHROPIC, "claude-opus-4-5",              5.00,      0.50,   25.00),
	ROW(ANTHROPIC, "claude-opus-4-6",              5.00,      0.50,   25.00),
	ROW(ANTHROPIC, "claude-opus-4-7",              5.00,      0.50,   25.00),
	ROW(ANTHROPIC, "claude-opus-4-8",              5.00,      0.50,   25.00),
	ROW(ANTHROPIC, "claude-opus-5",                5.00,      0.50,   25.00),
	ROW(ANTHROPIC, "claude-opus-5-5",              4.00,      0.20,   20.00),
	ROW(ANTHROPIC, "claude-sonnet-4-5",            3.00,      0.30,   15.00),
	ROW(ANTHROPIC, "claude-sonnet-4-6",            3.00,      0.30,   15.00),
	ROW(ANTHROPIC, "claude-sonnet-5",              2.00,      0.20,   10.00),
	ROW(ANTHROPIC, "claude-sonnet-5-5",            2.00,      0.10,   10.00),
	PEAKS(DEEPSEEK,  "deepseek-flash",             0.30,     0.006,    1.20),
	PEAKS(DEEPSEEK,  "deepseek-v4-flash",          0.30,     0.006,    1.20),
	PEAKS(DEEPSEEK,  "deepseek-v4-pro",            1.32,     0.044,    3.96),
	ROW(OPENAI,    "gpt-4.1",                      2.00,      0.50,    8.00),
	ROW(OPENAI,    "gpt-4.1-mini",                 0.40,      0.10,    1.60),
	ROW(OPENAI,    "gpt-4.1-nano",                 0.10,     0.025,    0.40),
	ROW(OPENAI,    "gpt-4o",                       2.50,      1.25,   10.00),
	ROW(OPENAI,    "gpt-4o-2024-05-13",            5.00,  AS_INPUT,   15.00),
	ROW(OPENAI,    "gpt-4o-mini",                  0.15,     0.075,    0.60),
	ROW(OPENAI,    "gpt-5",                        1.25,     0.125,   10.00),
	ROW(OPENAI,    "gpt-5-mini",                   0.25,     0.025,    2.00),
	ROW(OPENAI,    "gpt-5-nano",                   0.05,     0.005,    0.40),
	ROW(OPENAI,    "gpt-5.1",                      1.25,     0.125,   10.00),
	ROW(OPENAI,    "gpt-5.2",                      1.75,     0.175,   14.00),
	ROW(OPENAI,    "gpt-5.4",                      2.50,      0.25,   15.00),
	ROW(OPENAI,    "gpt-5.4-mini",                 0.75,     0.075,    4.50),
	ROW(OPENAI,    "gpt-5.4-nano",                 0.20,      0.02,    1.25),
	ROW(OPENAI,    "gpt-5.5",                      5.00,      0.50,   30.00),
	ROW(OPENAI,    "gpt-5.6-luna",                 0.20,      0.02,    1.20),
	ROW(OPENAI,    "gpt-5.6-sol",                  4.00,      0.40,   20.00),
	ROW(OPENAI,    "gpt-5.6-terra",                2.00,      0.20,   12.00),
	ROW(OPENAI,    "gpt-6-astra",                 10.00,      1.00,   50.00),
	ROW(OPENAI,    "gpt-6-luna",                   0.10,      0.01,    0.50),
	ROW(OPENAI,    "gpt-6-sol",                    2.00,      0.20,   10.00),
	ROW(OPENAI,    "gpt-6.1-sol",                  2.00,      0.10,   10.00),
	ROW(OPENAI,    "gpt-6.1-terra",                1.00,      0.05,    5.00),
	ROW(OPENAI,    "o3",                           2.00,      0.50,    8.00),
	ROW(OPENAI,    "o4-mini",                      1.10,     0.275,    4.40),
	ROW(OPENAI,    "text-embedding-3-large",       0.13,  AS_INPUT,    0.00),
	ROW(OPENAI,    "text-embedding-3-small",       0.02,  AS_INPUT,    0.00),
};
/* clang-format on */

const struct known_price *
known_prices(size_t *ret_n)
{
	*ret_n = COUNT(rows);
	return rows;
}

const char *
known_prices_date(void)
{
	return DATE;
}

const char *
known_prices_source(const char *host)
{
	static const char *const pages[][2] = {
		{ ANTHROPIC,
		    "https://platform.claude.com/docs/en/about-claude/"
		    "pricing" },
		{ DEEPSEEK,
		    "https://api-docs.deepseek.com/quick_start/pricing" },
		{ OPENAI, "https://developers.openai.com/api/docs/pricing" },
	};

	for (size_t i = 0; i < COUNT(pages); i++)
		if (strcmp(pages[i][0], host) == 0)
			return pages[i][1];
	return "";
}

/* How long it is without a date at its end. */
static size_t
without_date(const char *model)
{
	static const char *const forms[] = { "-dddddddd", "-dddd-dd-dd" };
	size_t n = strlen(model);

	for (size_t i = 0; i < COUNT(forms); i++) {
		size_t m = strlen(forms[i]), k = 0;
		const char *end = model + n - m;

		if (n <= m)
			continue;
		while (k < m &&
		    (forms[i][k] == 'd' ? end[k] >= '0' && end[k] <= '9'
		                        : end[k] == '-'))
			k++;
		if (k == m)
			return n - m;
	}
	return n;
}

static const struct cost_price *
find(const char *host, const char *model, size_t n)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(rows[i].host, host) == 0 &&
		    strlen(rows[i].price.target) == n &&
		    memcmp(rows[i].price.target, model, n) == 0)
			return &rows[i].price;
	return NULL;
}

const struct cost_price *
known_price(const char *host, const char *model)
{
	const struct cost_price *p = find(host, model, strlen(model));

	return p ? p : find(host, model, without_date(model));
}
