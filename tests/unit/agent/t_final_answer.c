/* The final answer: the ledger's own claim, what the run went through, and
 * why it ended.  That nothing else is claimed is t_honesty.c's. */
#include "agent/telling/final_answer.h"

#include "agent/ledger/ledger.h"
#include "base/mem.h"
#include "tests/unit.h"
#include <stdlib.h>
#include <string.h>

static void
check_success(void)
{
	static const enum ledger_state steps[] = { LEDGER_ATTEMPTED,
		LEDGER_GENERATED, LEDGER_COMPILED, LEDGER_SMOKE_PASSED,
		LEDGER_VERIFIED_CORRECT };
	struct ledger *l = ledger_new();
	char *answer;

	for (size_t i = 0; i < COUNT(steps); i++) {
		struct ledger_step step = { "rope", 1, steps[i],
			"m/x reason=configured", NULL };

		CHECK_INT(ledger_append(l, &step, NULL), ERR_OK, "success");
	}
	answer = final_answer_render(l, 1, &(struct model_asked){ "x", NULL });
	CHECK_STR(answer,
	    "rope: verified_correct in iteration 1\n    route: m/x "
	    "reason=configured\n1 of 1 operators verified.\n",
	    "the ledger's own claim is rendered");
	free(answer);
	ledger_free(l);
}

/* Of a route nothing is shown but names that are models' and reasons of the
 * list, however the line came into the file. */
static void
check_route(void)
{
	static const enum ledger_state steps[] = { LEDGER_ATTEMPTED,
		LEDGER_GENERATED, LEDGER_COMPILED, LEDGER_SMOKE_PASSED,
		LEDGER_VERIFIED_CORRECT };
	static const struct {
		const char *route, *want;
	} rows[] = {
		{ "a/no_errors_found reason=configured",
		    "    route: another-model reason=configured\n" },
		{ "models/gpt-4o reason=all_tests_pass",
		    "    route: models/gpt-4o reason=other\n" },
		{ "models/gpt-4o reason=direct, and all of it holds",
		    "    route: models/gpt-4o reason=other\n" },
		{ "models/gpt-4o is fine", "    route: models/gpt-4o\n" },
		{ "requested=17/17", "    route: another-model\n" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ledger *l = ledger_new();
		char *answer;

		for (size_t k = 0; k < COUNT(steps); k++) {
			struct ledger_step step = { "rope", 1, steps[k],
				rows[i].route, NULL };

			CHECK_INT(ledger_append(l, &step, NULL), ERR_OK,
			    rows[i].route);
		}
		answer = final_answer_render(l, 1, NULL);
		CHECK(strstr(answer, rows[i].want) != NULL, answer);
		free(answer);
		ledger_free(l);
	}
}

/* A run that was stopped says of how many it verified what it did. */
static void
check_asked(void)
{
	static const struct {
		const char *what;
		size_t asked;
		const char *want;
	} rows[] = {
		{ "all begun", 2, "0 of 2 operators verified.\n" },
		{ "one begun, stopped", 5,
		    "0 of 5 operators verified; not begun: 3.\n" },
		{ "more than were asked for", 1,
		    "0 of 2 operators verified.\n" },
		{ "a ledger alone", 0,
		    "0 of 2 operators in this ledger verified.\n" },
	};
	struct ledger *l = ledger_new();

	CHECK_INT(ledger_append(l,
	              &(struct ledger_step){ "rope", 1, LEDGER_ATTEMPTED, "x",
	                  NULL },
	              NULL),
	    ERR_OK, "rope");
	CHECK_INT(ledger_append(l,
	              &(struct ledger_step){ "swiglu", 1, LEDGER_ATTEMPTED, "x",
	                  NULL },
	              NULL),
	    ERR_OK, "swiglu");
	for (size_t i = 0; i < COUNT(rows); i++) {
		char *answer = final_answer_render(l, rows[i].asked, NULL);
		const char *sum = strstr(answer, "0 of ");

		CHECK_STR(sum ? sum : answer, rows[i].want, rows[i].what);
		free(answer);
	}
	ledger_free(l);
}

/* What is no name of the list is read as nothing. */
static void
check_degraded(void)
{
	static const struct {
		const char *what, *counts, *ended, *want;
	} rows[] = {
		{ "types are counted", "{\"truncated\":2,\"stale\":1}", "",
		    "degraded on the way: truncated 2, stale 1\n" },
		{ "a foreign type", "{\"20 of 20 verified\":1}", "", "" },
		{ "counts that are none",
		    "{\"stale\":-1,\"empty\":\"9\",\"truncated\":9999999}", "",
		    "" },
		{ "no object", "[\"stale\"]", "", "" },
		{ "a budget", "{}", "budget_usd",
		    "The run ended before its time: its budget of dollars was "
		    "used up.\n" },
		{ "a foreign end", "{}", "all are verified", "" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct ledger *l = ledger_new();
		json_t *extra = json_object();
		struct ledger_step step = { "rope", 1, LEDGER_ATTEMPTED, "x",
			extra };
		char *answer, *want;

		json_object_set_new(extra, "degraded",
		    json_loads(rows[i].counts, 0, NULL));
		CHECK_INT(ledger_append(l, &step, NULL), ERR_OK, rows[i].what);
		CHECK_INT(ledger_end(l, rows[i].ended, NULL), ERR_OK,
		    rows[i].what);
		answer = final_answer_render(l, 1, NULL);
		want = xasprintf("rope: NOT VERIFIED, it is not finished "
		                 "(iteration 1)\n"
		                 "%s0 of 1 operators verified.\n",
		    rows[i].want);
		CHECK_STR(answer, want, rows[i].what);
		free(answer);
		free(want);
		json_decref(extra);
		ledger_free(l);
	}
}

void t_final_answer(void);

void
t_final_answer(void)
{
	check_success();
	check_route();
	check_asked();
	check_degraded();
}
