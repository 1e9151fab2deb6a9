/* The breaker's life, with the clock as an argument. */
#include "gateway/decisions/breaker.h"

#include "tests/unit.h"

enum act { OK, FAIL, ENTER, LEAVE, NACTS };

#define ACTS_MAX 8

static const struct row {
	const char *what, *preset;
	struct {
		enum act act;
		uint64_t at_ms;
	} acts[ACTS_MAX];
	size_t n;
	enum breaker_state state;
	bool passes; /* what the last ENTER said */
} rows[] = {
	/* clang-format off */
	{ "fresh",                      "demo", { { ENTER, 0 } }, 1, BREAKER_CLOSED, true },
	{ "one failure is tolerated",   "demo", { { FAIL, 0 }, { ENTER, 1 } }, 2, BREAKER_CLOSED, true },
	{ "two failures open it",       "demo", { { FAIL, 0 }, { FAIL, 1 }, { ENTER, 2 } }, 3, BREAKER_OPEN, false },
	{ "a success between forgives", "demo", { { FAIL, 0 }, { OK, 1 }, { FAIL, 2 }, { ENTER, 3 } }, 4, BREAKER_CLOSED, true },
	{ "old failures are forgotten", "demo", { { FAIL, 0 }, { FAIL, 30000 }, { ENTER, 30001 } }, 3, BREAKER_CLOSED, true },
	{ "then one probe may pass",    "demo", { { FAIL, 0 }, { FAIL, 1 }, { ENTER, 8001 } }, 3, BREAKER_HALF, true },
	{ "only one",                   "demo", { { FAIL, 0 }, { FAIL, 1 }, { ENTER, 8001 }, { ENTER, 8002 } }, 4, BREAKER_HALF, false },
	{ "the probe closes it",        "demo", { { FAIL, 0 }, { FAIL, 1 }, { ENTER, 8001 }, { OK, 8100 }, { ENTER, 8101 } }, 5, BREAKER_CLOSED, true },
	{ "or opens it again",          "demo", { { FAIL, 0 }, { FAIL, 1 }, { ENTER, 8001 }, { FAIL, 8100 }, { ENTER, 16099 } }, 5, BREAKER_OPEN, false },
	{ "for the whole hold",         "demo", { { FAIL, 0 }, { FAIL, 1 }, { ENTER, 8001 }, { FAIL, 8100 }, { ENTER, 16100 } }, 5, BREAKER_HALF, true },
	{ "a probe given back",         "demo", { { FAIL, 0 }, { FAIL, 1 }, { ENTER, 8001 }, { LEAVE, 8100 }, { ENTER, 8101 } }, 5, BREAKER_HALF, true },
	{ "production takes three",     "production", { { FAIL, 0 }, { FAIL, 1 }, { ENTER, 2 } }, 3, BREAKER_CLOSED, true },
	{ "three open it",              "production", { { FAIL, 0 }, { FAIL, 1 }, { FAIL, 2 }, { ENTER, 3 } }, 4, BREAKER_OPEN, false },
	{ "not before thirty seconds",  "production", { { FAIL, 0 }, { FAIL, 1 }, { FAIL, 2 }, { ENTER, 30001 } }, 4, BREAKER_OPEN, false },
	{ "after thirty seconds",         "production", { { FAIL, 0 }, { FAIL, 1 }, { FAIL, 2 }, { ENTER, 30002 } }, 4, BREAKER_HALF, true },
	{ "truefoundry counts in two minutes", "truefoundry", { { FAIL, 0 }, { OK, 1 }, { FAIL, 119999 }, { ENTER, 120000 } }, 4, BREAKER_OPEN, false },
	{ "off never opens",            "off", { { FAIL, 0 }, { FAIL, 0 }, { FAIL, 0 }, { FAIL, 0 }, { ENTER, 1 } }, 5, BREAKER_CLOSED, true },
	/* clang-format on */
};

static bool
perform(struct breaker *b, enum act act, uint64_t at_ms)
{
	if (act == OK)
		breaker_ok(b, at_ms);
	else if (act == FAIL)
		breaker_fail(b, at_ms, -1);
	else if (act == LEAVE)
		breaker_leave(b);
	return act == ENTER && breaker_enter(b, at_ms);
}

void t_breaker(void);

void
t_breaker(void)
{
	struct breaker_conf conf;
	struct breaker b;

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		bool passes = false;

		CHECK(breaker_preset(rows[i].preset, &conf), rows[i].preset);
		breaker_init(&b, &conf);
		for (size_t k = 0; k < rows[i].n; k++)
			passes = perform(&b, rows[i].acts[k].act,
			    rows[i].acts[k].at_ms);
		CHECK_INT(b.state, rows[i].state, rows[i].what);
		CHECK_INT(passes, rows[i].passes, rows[i].what);
	}
	breaker_preset("demo", &conf);
	breaker_init(&b, &conf);
	breaker_fail(&b, 0, -1);
	breaker_fail(&b, 0, 20000);
	CHECK(!breaker_enter(&b, 19999), "Retry-After lengthens the hold");
	CHECK(breaker_enter(&b, 20000), "to its end");
	CHECK(!breaker_preset("nonsense", &conf), "no such preset");
}
