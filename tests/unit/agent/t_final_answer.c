/*
 * No rendering of a state that is not verified claims correctness, whatever
 * text a model, a tool or a file put into the ledger: every such state, times
 * every hostile text, times every place it can stand in, times every
 * rendering.
 */
#include "agent/ledger/ledger.h"
#include "agent/telling/final_answer.h"
#include "agent/telling/page.h"
#include "agent/telling/run_report.h"
#include "agent/telling/scorecard.h"
#include "agent/text/claim.h"
#include "base/mem.h"
#include "tests/unit.h"
#include "tests/unit/agent/hostile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The steps to each state that is no success. */
static const struct {
	enum ledger_state end;
	enum ledger_state steps[6];
	size_t n;
} walks[] = {
	{ LEDGER_ATTEMPTED, { LEDGER_ATTEMPTED }, 1 },
	{ LEDGER_GENERATED, { LEDGER_ATTEMPTED, LEDGER_GENERATED }, 2 },
	{ LEDGER_COMPILED,
	    { LEDGER_ATTEMPTED, LEDGER_GENERATED, LEDGER_COMPILED }, 3 },
	{ LEDGER_SMOKE_PASSED,
	    { LEDGER_ATTEMPTED, LEDGER_GENERATED, LEDGER_COMPILED,
	        LEDGER_SMOKE_PASSED },
	    4 },
	{ LEDGER_VERIFIED_INCORRECT,
	    { LEDGER_ATTEMPTED, LEDGER_GENERATED, LEDGER_COMPILED,
	        LEDGER_SMOKE_PASSED, LEDGER_VERIFIED_INCORRECT },
	    5 },
	{ LEDGER_ABANDONED, { LEDGER_ATTEMPTED, LEDGER_ABANDONED }, 2 },
	{ LEDGER_ABANDONED,
	    { LEDGER_ATTEMPTED, LEDGER_GENERATED, LEDGER_ABANDONED }, 3 },
	{ LEDGER_ABANDONED,
	    { LEDGER_ATTEMPTED, LEDGER_GENERATED, LEDGER_COMPILED,
	        LEDGER_ABANDONED },
	    4 },
	{ LEDGER_ABANDONED,
	    { LEDGER_ATTEMPTED, LEDGER_GENERATED, LEDGER_COMPILED,
	        LEDGER_SMOKE_PASSED, LEDGER_ABANDONED },
	    5 },
};

enum place { PLACE_OP, PLACE_ROUTE, PLACE_FACTS, PLACE_SPLIT, PLACE_N };

/* A text as JSON allows it: bad bytes never get into a ledger. */
static json_t *
text_json(const char *text)
{
	json_t *s = json_string(text);

	return s ? s : json_string("verified correct");
}

static struct ledger *
build(size_t walk, enum place place, const char *text)
{
	struct ledger *l = ledger_new();
	json_t *extra = json_object(), *clean = text_json(text);
	const char *s = json_string_value(clean);
	char op[LEDGER_OP_MAX + 1] = "rope", route[1024] = "m/x reason=y";

	if (place == PLACE_OP)
		(void)snprintf(op, sizeof op, "%.64s", s);
	if (place == PLACE_ROUTE)
		(void)snprintf(route, sizeof route, "%s", s);
	if (place == PLACE_FACTS) {
		json_object_set(extra, "class", clean);
		json_object_set(extra, "suspect", clean);
		json_object_set(extra, "message", clean);
		json_object_set_new(extra, "failing_cases",
		    json_pack("[O]", clean));
	}
	if (place == PLACE_SPLIT) {
		(void)snprintf(op, sizeof op, "verif-");
		(void)snprintf(route, sizeof route, "verif");
		json_object_set_new(extra, "class", json_string("correct"));
		json_object_set_new(extra, "suspect", json_string("ied"));
		json_object_set_new(extra, "message", json_string("correct"));
		json_object_set_new(extra, "failing_cases",
		    json_pack("[s]", "ied"));
	}
	for (size_t i = 0; i < walks[walk].n; i++) {
		struct ledger_step step = { op, 1, walks[walk].steps[i], route,
			extra };

		CHECK_INT(ledger_append(l, &step, NULL), ERR_OK, text);
	}
	json_decref(extra);
	json_decref(clean);
	return l;
}

/* Our own denials are no half of a claim: they are taken out. */
static char *
without_denial(const char *text)
{
	static const char *const denials[] = { "NOT VERIFIED",
		"0 of 1 operators verified" };
	char *copy = xstrdup(text), *at;

	for (size_t i = 0; i < COUNT(denials); i++)
		while ((at = strstr(copy, denials[i])) != NULL)
			memset(at, '.', strlen(denials[i]));
	return copy;
}

static void
check_text(const char *what, const char *rendering, const char *text)
{
	char *seen = without_denial(text);
	bool made = claim_is_made(seen, strlen(seen));

	if (made)
		printf("---- %s makes a claim:\n%s\n", rendering, text);
	CHECK(!made, what);
	free(seen);
}

static void
check_tables(const struct scorecard *card, const char *what)
{
	struct term_table t;
	struct buf b;

	buf_init(&b, PAGE_BYTES);
	scorecard_table(card, &t);
	term_table_markdown(&t, &b);
	term_table_done(&t);
	scorecard_detail(card, &t);
	term_table_markdown(&t, &b);
	term_table_done(&t);
	check_text(what, "scorecard.md", b.data);
	buf_done(&b);
}

/* Every string of scorecard.json: its keys are ours, its values may not be. */
static void
check_values(json_t *ops, const char *what)
{
	const char *key;
	json_t *row, *value, *item;
	size_t i, k;

	json_array_foreach(ops, i, row)
		json_object_foreach(row, key, value) {
			/* Programs read the state by its name. */
			if (strcmp(key, "state") == 0)
				continue;
			if (json_is_string(value))
				check_text(what, key, json_string_value(value));
			json_array_foreach(value, k, item)
				check_text(what, key, json_string_value(item));
		}
}

static void
check_page(struct run_report *r, const char *what)
{
	const char *seen;
	struct buf b;

	buf_init(&b, PAGE_BYTES);
	page_render(r, &b);
	/* The style sheet is ours; what is seen begins at the body. */
	seen = strstr(b.data, "<body>");
	check_text(what, "report.html", seen ? seen : b.data);
	CHECK(!strstr(b.data, "<b>verified"), "markup does not survive");
	buf_done(&b);
}

static void
check_one(size_t walk, enum place place, const struct hostile *h)
{
	struct ledger *l = build(walk, place, h->text);
	json_t *op = json_string(ledger_at(l, 0)->op);
	struct run_report r = {
		.run = json_pack("{s:[O]}", "ops", op),
		.ledger = l,
		.naive = json_array(),
		.chaos = json_array(),
		.records = json_object(),
		.answer = final_answer_render(l),
	};
	struct scorecard_input in = { &r.standings,
		json_object_get(r.run, "ops"), r.naive, NULL };

	standings_read(l, &r.standings);
	scorecard_make(&in, &r.scorecard);
	check_text(h->what, "answer", r.answer);
	CHECK(strstr(r.answer, "0 of 1 operators verified."), h->what);
	CHECK_INT(r.scorecard.forge.claimed, 0, h->what);
	check_tables(&r.scorecard, h->what);
	check_values(r.scorecard.ops, h->what);
	check_page(&r, h->what);
	free(r.answer);
	json_decref(op);
	json_decref(r.run);
	json_decref(r.naive);
	json_decref(r.chaos);
	json_decref(r.records);
	scorecard_done(&r.scorecard);
	standings_done(&r.standings);
	ledger_free(l);
}

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
	answer = final_answer_render(l);
	CHECK_STR(answer,
	    "rope: verified_correct in iteration 1\n    route: m/x "
	    "reason=configured\n1 of 1 operators verified.\n",
	    "the ledger's own claim is rendered");
	free(answer);
	ledger_free(l);
}

void
t_final_answer(void)
{
	for (size_t w = 0; w < COUNT(walks); w++)
		for (int p = 0; p < PLACE_N; p++)
			for (size_t i = 0; i < hostile_count; i++)
				check_one(w, (enum place)p, &hostile_texts[i]);
	check_success();
}
