/*
 * Reading a run directory for its numbers; leniently, since a study judges
 * nothing.
 */
#include "agent/study/run_numbers.h"

#include "agent/ledger/ledger.h"
#include "agent/ledger/op_standing.h"
#include "agent/ledger/rundir.h"
#include "base/files.h"
#include "base/jlenient.h"
#include <stdlib.h>
#include <string.h>

#define TALLY_BYTES ((size_t)256 * 1024 * 1024)

typedef void line_fn(json_t *line, json_t *tally);

static void
add_number(json_t *tally, const char *key, double n)
{
	double was = json_number_value(json_object_get(tally, key));

	json_object_set_new(tally, key, json_real(was + n));
}

static void
each_line(const char *dir, const char *name, line_fn *fn, json_t *tally)
{
	char *path = files_join(dir, name);
	json_t *lines = jlenient_lines(path, TALLY_BYTES, NULL), *line;
	size_t i;

	json_array_foreach(lines, i, line)
		fn(line, tally);
	json_decref(lines);
	free(path);
}

/* A question is its first attempt, and the ones behind it are retries. */
static void
on_span(json_t *line, json_t *tally)
{
	json_t *a = json_object_get(line, "attributes");

	if (strcmp(jlenient_text(line, "name"), "model.attempt") != 0 ||
	    strcmp(jlenient_text(a, "role"), "kernelforge") != 0)
		return;
	add_number(tally, "sent", 1);
	if (json_integer_value(json_object_get(a, "attempt")) == 1)
		add_number(tally, "calls", 1);
}

static void
on_decision(json_t *line, json_t *tally)
{
	if (strcmp(jlenient_text(line, "role"), "kernelforge") != 0)
		return;
	add_number(tally, "upstream",
	    (double)json_array_size(json_object_get(line, "attempts")));
	add_number(tally, "cost_usd",
	    json_number_value(json_object_get(line, "cost_usd")));
}

/* A delay is no fault here: it changes nothing but the time. */
static void
on_fault(json_t *line, json_t *tally)
{
	static const char *const delays[] = { "ttft", "latency" };

	if (strcmp(jlenient_text(line, "result"), "fired") != 0)
		return;
	for (size_t i = 0; i < COUNT(delays); i++)
		if (strcmp(jlenient_text(line, "fault"), delays[i]) == 0)
			return;
	add_number(tally, "fired", 1);
}

/* ---- claims */

static json_t *
side_new(void)
{
	return json_pack("{s:i, s:i, s:i, s:{}}", "claimed", 0, "right", 0,
	    "false_claims", 0, "by_op");
}

/* A claim of which nothing is known (its measuring was cut off) is neither
 * right nor false. */
static void
count(json_t *side, const char *op, bool right, bool wrong)
{
	add_number(side, "claimed", 1);
	if (right || wrong)
		add_number(side, right ? "right" : "false_claims", 1);
	json_object_set_new(json_object_get(side, "by_op"), op,
	    json_boolean(right));
}

static void
count_truth(json_t *side, const char *op, const char *truth)
{
	count(side, op, strcmp(truth, "right") == 0,
	    strcmp(truth, "wrong") == 0 || strcmp(truth, "loud") == 0);
}

static void
count_card(json_t *card, json_t *tally)
{
	json_t *rows = json_object_get(card, "ops"), *row;
	size_t i;

	json_array_foreach(rows, i, row) {
		const char *op = jlenient_text(row, "op");

		if (json_is_true(json_object_get(row, "naive_claimed")))
			count_truth(json_object_get(tally, "naive"), op,
			    jlenient_text(row, "naive_truth"));
		if (ledger_is_verified(
		        ledger_state_find(jlenient_text(row, "state"))))
			count_truth(json_object_get(tally, "forge"), op,
			    jlenient_text(row, "truth"));
	}
	json_object_set_new(tally, "operators",
	    json_integer((json_int_t)json_array_size(rows)));
}

/* Who does not wait for holdouts claims the first try that passes smoke. */
static void
count_unheld(const struct ledger *l, json_t *tally)
{
	struct standings all;

	standings_read(l, &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct op_standing *st = &all.items[i];

		for (unsigned k = 0; k < st->iterations; k++) {
			enum ledger_state s = st->tries[k].reached;

			if (s != LEDGER_SMOKE_PASSED &&
			    s != LEDGER_VERIFIED_INCORRECT &&
			    !ledger_is_verified(s))
				continue;
			count(json_object_get(tally, "unheld"), st->op,
			    ledger_is_verified(s),
			    s == LEDGER_VERIFIED_INCORRECT);
			break;
		}
	}
	standings_done(&all);
}

enum err
tally_run(const char *dir, json_t **ret, struct why *why)
{
	char *path = files_join(dir, "ledger.jsonl");
	json_t *card = NULL, *run = NULL, *tally;
	struct ledger *l = NULL;
	enum err e = rundir_read_json(dir, "scorecard.json", &card, why);

	if (e == ERR_OK)
		e = rundir_read_json(dir, "run.json", &run, why);
	if (e == ERR_OK)
		e = ledger_read(path, &l, why);
	free(path);
	if (e == ERR_OK) {
		tally = json_pack("{s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:i}",
		    "naive", side_new(), "forge", side_new(), "unheld",
		    side_new(), "calls", 0, "sent", 0, "upstream", 0,
		    "cost_usd", 0, "fired", 0);
		json_object_set_new(tally, "wall_ms",
		    json_real(
		        json_number_value(json_object_get(run, "wall_ms"))));
		count_card(card, tally);
		count_unheld(l, tally);
		each_line(dir, "trace.jsonl", on_span, tally);
		each_line(dir, "gateway.jsonl", on_decision, tally);
		each_line(dir, "chaos.jsonl", on_fault, tally);
		*ret = tally;
	}
	ledger_free(l);
	json_decref(card);
	json_decref(run);
	return e;
}

double
tally_pass(unsigned c, unsigned n, unsigned k)
{
	double p = 1;

	for (unsigned i = 0; i < k; i++)
		p *= c > i ? (double)(c - i) / (double)(n - i) : 0;
	return p;
}
