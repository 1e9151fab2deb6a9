/* Prices by the million, exact sums, and the time of day. */
#include "gateway/decisions/cost.h"

#include "gateway/decisions/known_prices.h"
#include "gateway/text/token_estimate.h"
#include "tests/unit.h"
#include <string.h>

static void
prices_tokens(void)
{
	static const struct cost_price price = { "p/m", 0.28, 0.42, 0.028, 2,
		{ { 16 * 60 + 30, 30, 0.5 }, { 6 * 60, 7 * 60, 2 } } };
	static const struct cost_price plain = { "p/n", 1, 2, -1, 0,
		{ { 0 } } };
	static const struct {
		const char *what;
		const struct cost_price *price;
		struct cost_usage usage;
		unsigned hour, minute;
		uint64_t nano;
	} rows[] = {
		{ "nothing", &price, { 0, 0, 0 }, 12, 0, 0 },
		{ "no price", NULL, { 1000, 1000, 0 }, 12, 0, 0 },
		{ "a million in", &price, { 1000000, 0, 0 }, 12, 0, 280000000 },
		{ "a million out", &price, { 0, 1000000, 0 }, 12, 0,
		    420000000 },
		{ "one token", &price, { 1, 0, 0 }, 12, 0, 280 },
		{ "cached ones are cheaper", &price, { 100, 0, 60 }, 12, 0,
		    40 * 280 + 60 * 28 },
		{ "more cached than there are", &price, { 10, 0, 60 }, 12, 0,
		    280 },
		{ "at night", &price, { 100, 0, 0 }, 23, 0, 14000 },
		{ "past midnight", &price, { 100, 0, 0 }, 0, 29, 14000 },
		{ "and over", &price, { 100, 0, 0 }, 0, 30, 28000 },
		{ "from its first minute", &price, { 100, 0, 0 }, 16, 30,
		    14000 },
		{ "at rush hour", &price, { 100, 0, 0 }, 6, 59, 56000 },
		{ "more than anybody has made", &plain,
		    { UINT64_MAX / 4, UINT64_MAX / 4, 0 }, 12, 0,
		    1000000000000000 },
		{ "cached as input", &plain, { 100, 0, 60 }, 12, 0, 100000 },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_INT(cost_nano(rows[i].price, &rows[i].usage,
		              86400 * 1000 + rows[i].hour * 3600 +
		                  rows[i].minute * 60),
		    rows[i].nano, rows[i].what);
	CHECK_INT(token_estimate_text(0), 0, "no text");
	CHECK_INT(token_estimate_text(9), 3, "some text");
}

static void
knows_prices(void)
{
	static const struct {
		const char *host, *model;
		double output; /* 0: unknown */
	} rows[] = {
		{ "api.openai.com", "gpt-4o", 10 },
		{ "api.openai.com", "gpt-4o-2024-08-06", 10 },
		{ "api.openai.com", "gpt-4o-2024-05-13", 15 },
		{ "api.anthropic.com", "claude-sonnet-4-5-20250929", 15 },
		{ "api.deepseek.com", "deepseek-v4-pro", 3.96 },
		{ "127.0.0.1", "gpt-4o", 0 },
		{ "api.openai.com", "gpt-4o-preview", 0 },
		{ "api.openai.com", "gpt-4", 0 },
		{ "api.openai.com", "-2024-08-06", 0 },
		{ "api.openai.com", "", 0 },
	};
	size_t n;
	const struct known_price *all = known_prices(&n);

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct cost_price *p =
		    known_price(rows[i].host, rows[i].model);

		CHECK((p ? p->output : 0) == rows[i].output, rows[i].model);
	}
	for (size_t i = 0; i < n; i++)
		CHECK(*known_prices_source(all[i].host), all[i].host);
	for (size_t i = 1; i < n; i++) {
		int c = strcmp(all[i - 1].host, all[i].host);

		CHECK(c < 0 ||
		        (c == 0 &&
		            strcmp(all[i - 1].price.target,
		                all[i].price.target) < 0),
		    all[i].price.target);
		CHECK(all[i].price.cached <= all[i].price.input &&
		        all[i].price.input > 0,
		    "a cache makes nothing dearer");
	}
	CHECK_INT(strlen(known_prices_date()), 10, "a day");
}

void t_cost(void);

void
t_cost(void)
{
	prices_tokens();
	knows_prices();
}
