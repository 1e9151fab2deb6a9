/* The breaker's life, with the clock as an argument. */
#include "base/circuit_breaker.h"

#include "tests/unit.h"

/* OLD_*: the end of an attempt that began before anything happened. */
enum act { OK, FAIL, ENTER, LEAVE, OLD_OK, OLD_FAIL, NACTS };

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
	{ "an old success closes nothing", "demo", { { FAIL, 0 }, { FAIL, 1 }, { ENTER, 8001 }, { OLD_OK, 8100 }, { ENTER, 8101 } }, 5, BREAKER_HALF, false },
	{ "an old failure opens nothing", "demo", { { FAIL, 0 }, { FAIL, 1 }, { ENTER, 8001 }, { OLD_FAIL, 8100 }, { ENTER, 8101 } }, 5, BREAKER_HALF, false },
	{ "nor after it has closed", "demo", { { FAIL, 0 }, { FAIL, 1 }, { ENTER, 8001 }, { OK, 8100 }, { OLD_FAIL, 8101 }, { OLD_FAIL, 8102 }, { ENTER, 8103 } }, 7, BREAKER_CLOSED, true },
	{ "while the probe still decides", "demo", { { FAIL, 0 }, { FAIL, 1 }, { ENTER, 8001 }, { OLD_OK, 8100 }, { FAIL, 8101 }, { ENTER, 8102 } }, 6, BREAKER_OPEN, false },
	{ "production takes three",     "production", { { FAIL, 0 }, { FAIL, 1 }, { ENTER, 2 } }, 3, BREAKER_CLOSED, true },
	{ "three open it",              "production", { { FAIL, 0 }, { FAIL, 1 }, { FAIL, 2 }, { ENTER, 3 } }, 4, BREAKER_OPEN, false },
	{ "not before thirty seconds",  "production", { { FAIL, 0 }, { FAIL, 1 }, { FAIL, 2 }, { ENTER, 30001 } }, 4, BREAKER_OPEN, false },
	{ "after thirty seconds",         "production", { { FAIL, 0 }, { FAIL, 1 }, { FAIL, 2 }, { ENTER, 30002 } }, 4, BREAKER_HALF, true },
	{ "truefoundry counts in two minutes", "truefoundry", { { FAIL, 0 }, { OK, 1 }, { FAIL, 119999 }, { ENTER, 120000 } }, 4, BREAKER_OPEN, false },
	{ "off never opens",            "off", { { FAIL, 0 }, { FAIL, 0 }, { FAIL, 0 }, { FAIL, 0 }, { ENTER, 1 } }, 5, BREAKER_CLOSED, true },
	/* clang-format on */
};

static bool
perform(struct breaker *b, struct breaker_pass *pass, enum act act,
    uint64_t at_ms)
{
	static const struct breaker_pass old = { 0, false };

	if (act == ENTER)
		return breaker_enter(b, at_ms, pass);
	if (pass->epoch != b->epoch)
		*pass = (struct breaker_pass){ b->epoch, false };
	if (act == OK || act == OLD_OK)
		breaker_ok(b, act == OK ? pass : &old, at_ms);
	else if (act == FAIL || act == OLD_FAIL)
		breaker_fail(b, act == FAIL ? pass : &old, at_ms, -1);
	else
		breaker_leave(b, pass);
	return false;
}

void t_circuit_breaker(void);

void
t_circuit_breaker(void)
{
	struct breaker_pass pass;
	struct breaker_conf conf;
	struct breaker b;

	for (size_t i = 0; i < COUNT(rows); i++) {
		bool passes = false;

		CHECK(breaker_preset(rows[i].preset, &conf), rows[i].preset);
		breaker_init(&b, &conf);
		pass = (struct breaker_pass){ 0, false };
		for (size_t k = 0; k < rows[i].n; k++)
			passes = perform(&b, &pass, rows[i].acts[k].act,
			    rows[i].acts[k].at_ms);
		CHECK_INT(b.state, rows[i].state, rows[i].what);
		CHECK_INT(passes, rows[i].passes, rows[i].what);
	}
	breaker_preset("demo", &conf);
	breaker_init(&b, &conf);
	breaker_enter(&b, 0, &pass);
	breaker_fail(&b, &pass, 0, -1);
	breaker_fail(&b, &pass, 0, 20000);
	CHECK(!breaker_enter(&b, 19999, &pass),
	    "Retry-After lengthens the hold");
	CHECK(breaker_enter(&b, 20000, &pass), "to its end");
	CHECK(!breaker_preset("nonsense", &conf), "no such preset");
}
