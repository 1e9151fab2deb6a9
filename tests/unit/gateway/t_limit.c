/* Windows, keys, reservations and audits, with the clock as an argument. */
#include "gateway/limit.h"

#include "tests/unit.h"
#include <stdio.h>

#define DAY 86400

static const struct limit_rule requests = { .id = "r",
	.limit_to = 2,
	.counted = LIMIT_REQUESTS,
	.window_s = 60 };
static const struct limit_rule tokens = { .id = "t",
	.limit_to = 100,
	.counted = LIMIT_TOKENS,
	.window_s = 60 };
static const struct limit_rule dollars = { .id = "d",
	.limit_to = 1,
	.counted = LIMIT_COST,
	.is_budget = true };
static const struct limit_rule audit = { .id = "a",
	.limit_to = 0,
	.counted = LIMIT_COST,
	.window_s = DAY,
	.is_budget = true,
	.is_audit = true };

/* One request that reserves `guess` of everything; true: it may pass. */
static bool
enter(struct limit_table *t, const struct limit_rule *rule, uint64_t guess,
    uint64_t now_s, struct limit_hold *hold)
{
	struct route_ask ask = { "user:x", "m", NULL, NULL, NULL };
	struct limit_question q = { rule, 1, &ask, { guess, guess }, now_s };
	struct limit_refusal refusal;

	return limit_enter(t, &q, hold, &refusal) == ERR_OK;
}

static void
counts_requests(struct limit_table *t)
{
	static const struct limit_use nothing = { 0, 0 };
	struct limit_hold hold;

	CHECK(enter(t, &requests, 0, 60, &hold), "the first");
	limit_leave(t, &hold, &nothing);
	CHECK(enter(t, &requests, 0, 61, &hold), "the second");
	CHECK(!enter(t, &requests, 0, 119, &hold), "not a third");
	CHECK(enter(t, &requests, 0, 120, &hold), "but in the next minute");
}

static void
reserves_tokens(struct limit_table *t)
{
	static const struct limit_use little = { 5, 0 }, much = { 150, 0 };
	struct limit_hold one, two, three;

	CHECK(enter(t, &tokens, 60, 0, &one), "sixty of a hundred");
	CHECK(enter(t, &tokens, 60, 1, &two), "the last may pass the limit");
	CHECK(!enter(t, &tokens, 1, 2, &three), "none after it");
	limit_leave(t, &one, &little);
	limit_leave(t, &two, &little);
	CHECK(enter(t, &tokens, 60, 3, &three), "less was used: room again");
	limit_leave(t, &three, &much);
	CHECK(!enter(t, &tokens, 1, 4, &one), "more was used: none");
}

static void
keeps_months(struct limit_table *t)
{
	const uint64_t nov21 = 1795219200, dec1 = 1796083200;
	struct limit_hold hold;

	CHECK(enter(t, &dollars, 1000000000, nov21, &hold), "a dollar");
	CHECK(!enter(t, &dollars, 1, dec1 - 1, &hold), "that was it");
	CHECK(enter(t, &dollars, 1, dec1, &hold), "until the first");
	CHECK(enter(t, &audit, 1, 0, &hold), "an audit refuses nobody");
}

static void
survives_floods(struct limit_table *t)
{
	char word[] = "user";
	struct ynode first = { .text = word };
	struct ynode list = { .kind = YNODE_SEQ };
	struct limit_rule rule = requests;
	struct limit_hold hold;
	unsigned passed = 0;

	list.first = &first;
	rule.applies_per = &list;
	for (unsigned i = 0; i < 50000; i++) {
		char name[32];
		struct route_ask ask = { name, "m", NULL, NULL, NULL };
		struct limit_question q = { &rule, 1, &ask, { 0, 0 }, 600 };
		struct limit_refusal refusal;

		snprintf(name, sizeof name, "user:%u", i);
		passed += limit_enter(t, &q, &hold, &refusal) == ERR_OK;
	}
	CHECK(passed > 1000, "many users each have their own");
	CHECK(passed < 50000, "a flood does not pass whole");
}

void t_limit(void);

void
t_limit(void)
{
	struct limit_table *t = limit_table_new();

	counts_requests(t);
	reserves_tokens(t);
	keeps_months(t);
	survives_floods(t);
	limit_table_free(t);
}
