/* Windows, keys, reservations and audits, with the clock as an argument. */
#include "gateway/routing/limit.h"

#include "base/metadata_header.h"
#include "gateway/conf/conf.h"
#include "tests/unit.h"
#include <stdio.h>
#include <string.h>

#define DAY ((uint64_t)86400)

static const struct conf_limit requests = { .id = "r",
	.limit_to = 2,
	.counted = CONF_REQUESTS,
	.window_s = 60 };
static const struct conf_limit tokens = { .id = "t",
	.limit_to = 100,
	.counted = CONF_TOKENS,
	.window_s = 60 };
static const struct conf_limit dollars = { .id = "d",
	.limit_to = 1,
	.counted = CONF_COST,
	.is_budget = true };
static const struct conf_limit audit = { .id = "a",
	.limit_to = 0,
	.counted = CONF_COST,
	.window_s = DAY,
	.is_budget = true,
	.is_audit = true };

/* One request that reserves `guess` of everything; true: it may pass. */
static bool
enter(struct limit_table *t, const struct conf_limit *rule, uint64_t guess,
    uint64_t now_s, struct limit_hold *hold)
{
	struct route_ask ask = { "user:x", "m", NULL, NULL, NULL };
	struct limit_question q = { rule, 1, &ask, { guess, guess }, now_s };
	struct limit_refusal refusal;

	return limit_enter(t, &q, hold, &refusal) == ERR_OK;
}

/* For how long a full limit says it lasts. */
static uint64_t
waits(struct limit_table *t, const struct conf_limit *rule, uint64_t now_s)
{
	struct route_ask ask = { "user:w", "w", NULL, NULL, NULL };
	struct limit_question q = { rule, 1, &ask, { 0, UINT64_MAX / 4 },
		now_s };
	struct limit_refusal refusal = { NULL, 0, false };
	struct limit_hold hold;

	while (limit_enter(t, &q, &hold, &refusal) == ERR_OK)
		continue;
	return refusal.wait_s;
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
	CHECK_INT(waits(t, &dollars, nov21), dec1 - nov21,
	    "which is as far away as that");
	CHECK(enter(t, &audit, 1, 0, &hold), "an audit refuses nobody");
}

/* Who shares a counter, by what the rule applies per. */
static void
counts_apart(struct limit_table *t)
{
	static const struct {
		const char *per, *user, *model, *metadata;
		bool passes; /* after user x, model m, team a */
	} rows[] = {
		{ "user", "y", "m", "team=a", true },
		{ "user", "x", "n", "team=b", false },
		{ "model", "x", "n", "team=a", true },
		{ "model", "y", "m", "team=b", false },
		{ "metadata.team", "x", "m", "team=b", true },
		{ "metadata.team", "y", "n", "team=a", false },
	};
	struct limit_refusal refusal;
	struct limit_hold hold;

	for (size_t i = 0; i < COUNT(rows); i++) {
		char word[32], id[32];
		struct ynode first = { .text = word };
		struct ynode list = { .kind = YNODE_SEQ, .first = &first };
		struct conf_limit rule = requests;
		struct route_ask ask = { "x", "m", NULL, NULL, NULL };
		struct limit_question q = { &rule, 1, &ask, { 0, 0 }, 600 };

		snprintf(word, sizeof word, "%s", rows[i].per);
		snprintf(id, sizeof id, "apart-%zu", i);
		rule.id = id;
		rule.limit_to = 1;
		rule.applies_per = &list;
		metadata_header_parse("team=a", 6, &ask.metadata, NULL);
		CHECK_INT(limit_enter(t, &q, &hold, &refusal), ERR_OK, word);
		json_decref(ask.metadata);
		ask = (struct route_ask){ rows[i].user, rows[i].model, NULL,
			NULL, NULL };
		metadata_header_parse(rows[i].metadata, 6, &ask.metadata, NULL);
		CHECK_INT(limit_enter(t, &q, &hold, &refusal) == ERR_OK,
		    rows[i].passes, word);
		json_decref(ask.metadata);
	}
}

/* Every unit of both files. */
static void
reads_units(void)
{
	static const struct {
		const char *type, *unit;
		enum conf_counted counted;
		uint64_t window_s; /* 0: a month */
	} rows[] = {
		{ "rate-limiting", "requests_per_minute", CONF_REQUESTS, 60 },
		{ "rate-limiting", "requests_per_hour", CONF_REQUESTS, 3600 },
		{ "rate-limiting", "requests_per_day", CONF_REQUESTS, DAY },
		{ "rate-limiting", "tokens_per_minute", CONF_TOKENS, 60 },
		{ "rate-limiting", "tokens_per_hour", CONF_TOKENS, 3600 },
		{ "rate-limiting", "tokens_per_day", CONF_TOKENS, DAY },
		{ "budget", "cost_per_day", CONF_COST, DAY },
		{ "budget", "cost_per_week", CONF_COST, 7 * DAY },
		{ "budget", "cost_per_month", CONF_COST, 0 },
		{ "budget", "tokens_per_day", CONF_TOKENS, DAY },
		{ "budget", "tokens_per_week", CONF_TOKENS, 7 * DAY },
		{ "budget", "tokens_per_month", CONF_TOKENS, 0 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const char *what = rows[i].unit;
		struct findings f;
		struct conf *c;
		char text[200];

		snprintf(text, sizeof text,
		    "providers: [{name: p, base_url: 'http://127.0.0.1:9'}]\n"
		    "---\n"
		    "type: gateway-%s-config\nrules: [{id: r, limit_to: 1, "
		    "unit: %s}]\n",
		    rows[i].type, what);
		findings_init(&f, "f");
		c = conf_parse("f", text, strlen(text), &f);
		if (CHECK(c && c->nlimits == 1, what)) {
			CHECK_INT(c->limits[0].counted, rows[i].counted, what);
			CHECK_INT(c->limits[0].window_s, rows[i].window_s,
			    what);
			CHECK_INT(c->limits[0].is_budget,
			    rows[i].type[0] == 'b', what);
		}
		findings_done(&f);
		conf_unref(c);
	}
}

static void
says_who_should_not_ask_again(void)
{
	CHECK(!limit_is_hopeless(
	          &(struct limit_refusal){ &requests, 60, false }),
	    "a minute is bearable");
	CHECK(limit_is_hopeless(
	          &(struct limit_refusal){ &requests, 61, false }),
	    "more is not");
	CHECK(limit_is_hopeless(&(struct limit_refusal){ &dollars, 1, false }),
	    "nor is an empty purse");
}

/* One request of a user; *crowded: it was refused for want of a counter. */
static bool
comes(struct limit_table *t, const struct conf_limit *rule, unsigned user,
    struct limit_hold *hold, bool *crowded)
{
	char name[32];
	struct route_ask ask = { name, "m", NULL, NULL, NULL };
	struct limit_question q = { rule, 1, &ask, { 0, 0 }, 600 };
	struct limit_refusal refusal = { NULL, 0, false };
	bool passes;

	snprintf(name, sizeof name, "user:%u", user);
	passes = limit_enter(t, &q, hold, &refusal) == ERR_OK;
	*crowded = refusal.is_crowded;
	CHECK(!*crowded ||
	        (refusal.wait_s == 60 && !limit_is_hopeless(&refusal)),
	    "who is one too many comes again");
	return passes;
}

/* More values than there are counters: each has its own all the same, and one
 * whose limit is reached stays refused. */
static void
survives_floods(struct limit_table *t)
{
	static const struct limit_use nothing = { 0, 0 };
	char word[] = "user";
	struct ynode first = { .text = word };
	struct ynode list = { .kind = YNODE_SEQ };
	struct conf_limit rule = requests;
	struct limit_hold hold;
	unsigned passed = 0, full = 0;
	bool crowded;

	list.first = &first;
	rule.applies_per = &list;
	rule.limit_to = 3;
	for (unsigned i = 0; i < 3; i++)
		if (comes(t, &rule, 0, &hold, &crowded))
			limit_leave(t, &hold, &nothing);
	for (unsigned i = 1; i < 200000; i++)
		if (comes(t, &rule, i, &hold, &crowded)) {
			limit_leave(t, &hold, &nothing);
			passed++;
		}
	CHECK_INT(passed, 199999, "each of many has his own");
	CHECK(limit_displaced(t) > 100000, "which others had before");
	CHECK(!comes(t, &rule, 0, &hold, &crowded) && !crowded,
	    "who had enough is known all the same");
	rule.id = "one";
	rule.limit_to = 1;
	passed = 0;
	for (unsigned i = 0; i < 200000; i++) {
		passed += comes(t, &rule, i, &hold, &crowded);
		full += crowded;
	}
	CHECK(passed > 60000, "tens of thousands are counted at once");
	CHECK_INT(passed + full, 200000, "nobody else is told of a limit");
}

void t_limit(void);

void
t_limit(void)
{
	struct limit_table *t = limit_table_new();

	counts_requests(t);
	reserves_tokens(t);
	keeps_months(t);
	counts_apart(t);
	reads_units();
	says_who_should_not_ask_again();
	survives_floods(t);
	limit_table_free(t);
}
