/* Again, next or stop: the policy after a failed attempt. */
#include "gateway/decisions/retry.h"

#include "tests/unit.h"

/* clang-format off */
static const struct row {
	const char *what;
	enum cause cause; int status; int64_t after_ms;
	unsigned tries; bool has_next, is_spent; int64_t left_ms;
	uint32_t random;
	enum retry_verdict verdict; int64_t wait_ms;
} rows[] = {
	{ "503 is retried after the delay",     CAUSE_STATUS, 503, -1, 1, true, false, 60000, 0,           RETRY_SAME, 100 },
	{ "the jitter at most doubles it",      CAUSE_STATUS, 503, -1, 1, true, false, 60000, 0xffffffff,  RETRY_SAME, 199 },
	{ "the second delay is longer",         CAUSE_STATUS, 503, -1, 2, true, false, 60000, 0,           RETRY_SAME, 200 },
	{ "then the next target",               CAUSE_STATUS, 503, -1, 3, true, false, 60000, 0,           RETRY_NEXT, 0 },
	{ "without one it stops",               CAUSE_STATUS, 503, -1, 3, false, false, 60000, 0,          RETRY_STOP, 0 },
	{ "400 is the client's own",            CAUSE_STATUS, 400, -1, 1, true, false, 60000, 0,           RETRY_STOP, 0 },
	{ "422 too",                            CAUSE_STATUS, 422, -1, 1, true, false, 60000, 0,           RETRY_STOP, 0 },
	{ "402 is not cured by waiting",        CAUSE_STATUS, 402, -1, 1, true, false, 60000, 0,           RETRY_STOP, 0 },
	{ "401 falls at once",                  CAUSE_STATUS, 401, -1, 1, true, false, 60000, 0,           RETRY_NEXT, 0 },
	{ "404 falls at once",                  CAUSE_STATUS, 404, -1, 1, true, false, 60000, 0,           RETRY_NEXT, 0 },
	{ "418 is in no list",                  CAUSE_STATUS, 418, -1, 1, true, false, 60000, 0,           RETRY_STOP, 0 },
	{ "Retry-After is honoured",            CAUSE_STATUS, 429, 3000, 1, true, false, 60000, 0,         RETRY_SAME, 3000 },
	{ "a short one does not shorten",       CAUSE_STATUS, 429, 1, 1, true, false, 60000, 0,            RETRY_SAME, 100 },
	{ "beyond the deadline: next",          CAUSE_STATUS, 429, 3000, 1, true, false, 2000, 0,          RETRY_NEXT, 0 },
	{ "beyond a minute: next",              CAUSE_STATUS, 429, 61000, 1, true, false, 600000, 0,       RETRY_NEXT, 0 },
	{ "a minute exactly",                   CAUSE_STATUS, 429, 60000, 1, true, false, 600000, 0,       RETRY_SAME, 60000 },
	{ "beyond the deadline, nobody left",   CAUSE_STATUS, 429, 3000, 1, false, false, 2000, 0,         RETRY_STOP, 0 },
	{ "a quota falls, never waits",         CAUSE_QUOTA, 429, -1, 1, true, false, 60000, 0,            RETRY_NEXT, 0 },
	{ "a quota alone stops",                CAUSE_QUOTA, 429, -1, 1, false, false, 60000, 0,           RETRY_STOP, 0 },
	{ "refused is retried",                 CAUSE_REFUSED, 0, -1, 1, true, false, 60000, 0,            RETRY_SAME, 100 },
	{ "no address is not",                  CAUSE_RESOLVE, 0, -1, 1, true, false, 60000, 0,            RETRY_NEXT, 0 },
	{ "no first token falls",               CAUSE_FIRST_TOKEN, 0, -1, 1, true, false, 60000, 0,        RETRY_NEXT, 0 },
	{ "an empty completion is retried",     CAUSE_EMPTY, 200, -1, 1, true, false, 60000, 0,            RETRY_SAME, 100 },
	{ "no time is left",                    CAUSE_STATUS, 503, -1, 1, true, false, 0, 0,               RETRY_STOP, 0 },
	{ "the budget is spent",                CAUSE_STATUS, 503, -1, 1, true, true, 60000, 0,            RETRY_STOP, 0 },
	{ "the deadline stops everything",      CAUSE_DEADLINE, 0, -1, 1, true, false, 0, 0,               RETRY_STOP, 0 },
};
/* clang-format on */

/* What is retried and what falls, status by status, as shipped. */
static void
has_its_defaults(void)
{
	struct retry_conf conf;
	bool again, falls;

	retry_conf_init(&conf);
	CHECK_INT(conf.retries, 2, "two retries");
	CHECK_INT(conf.delay_ms, 100, "after a tenth of a second");
	for (int status = 100; status < 600; status++) {
		again = status == 408 || status == 409 || status == 425 ||
		    status == 429 || status == 500 ||
		    (status >= 502 && status <= 504) ||
		    (status >= 520 && status <= 524) || status == 529;
		falls = again || status == 401 || status == 403 ||
		    status == 404 || status == 501;
		CHECK_INT(status_set_has(&conf.on, status), again, "again");
		CHECK_INT(status_set_has(&conf.fallback, status), falls,
		    "falls");
	}
}

/* Whatever a configuration lists. */
static void
never_repeats_the_hopeless(void)
{
	static const int hopeless[] = { 400, 401, 402, 422 };
	struct retry_facts f = { CAUSE_STATUS, 0, -1, 1, false, false, false,
		60000 };
	struct retry_conf conf;

	retry_conf_init(&conf);
	for (int status = 400; status < 600; status++)
		status_set_add(&conf.on, status);
	for (size_t i = 0; i < COUNT(hopeless); i++) {
		f.status = hopeless[i];
		CHECK_INT(retry_decide(&conf, &f, 0).verdict, RETRY_STOP,
		    "listed, and still not retried");
	}
	f.status = 418;
	CHECK_INT(retry_decide(&conf, &f, 0).verdict, RETRY_SAME, "others are");
}

static void
decides(void)
{
	struct retry_conf conf;
	struct retry_plan plan;

	retry_conf_init(&conf);
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row *r = &rows[i];
		struct retry_facts f = { r->cause, r->status, r->after_ms,
			r->tries, r->has_next, r->is_spent, false, r->left_ms };

		plan = retry_decide(&conf, &f, r->random);
		CHECK_INT(plan.verdict, r->verdict, r->what);
		CHECK_INT(plan.wait_ms, r->wait_ms, r->what);
	}
}

static void
limits_storms(void)
{
	struct retry_budget b;
	struct retry_conf conf;
	struct retry_facts f = { CAUSE_STATUS, 503, -1, 1, true, false, true,
		60000 };
	unsigned retries = 0;

	retry_conf_init(&conf);
	CHECK_INT(retry_decide(&conf, &f, 0).verdict, RETRY_NEXT,
	    "without a budget the next target is asked");
	retry_budget_init(&b);
	for (int i = 0; i < 1000; i++) {
		retry_budget_earn(&b);
		retries += retry_budget_spend(&b);
		retries += retry_budget_spend(&b);
	}
	CHECK(retries >= 200 && retries <= 210, "a fifth of the traffic");
	CHECK(retry_budget_is_empty(&b), "and no more");
	CHECK_INT(retry_shared(2, 0), 2, "the client's first request");
	CHECK_INT(retry_shared(2, 1), 0, "what it repeats we do not");
}

void t_retry(void);

void
t_retry(void)
{
	has_its_defaults();
	never_repeats_the_hopeless();
	decides();
	limits_storms();
}
