/*
 * Each operator that was asked for is counted anew, as the run has counted it,
 * from files that are chained or anchored.
 */
#include "demo/evidence_score.h"

#include "base/jlenient.h"
#include <stdio.h>
#include <string.h>

/* What one side claimed, and what the judge found of it. */
struct tally {
	long long total, claimed, right, wrong;
};

static bool
is_word(const json_t *o, const char *key, const char *word)
{
	return strcmp(jlenient_text(o, key), word) == 0;
}

static bool
is_flag(const json_t *row, const char *key, bool wanted)
{
	return json_is_true(json_object_get(row, key)) == wanted;
}

static bool
does_naive_follow(const json_t *claim, const json_t *row, struct tally *t)
{
	bool is_claimed = json_is_true(json_object_get(claim, "claimed"));
	bool is_right = json_is_true(json_object_get(claim, "correct")) ||
	    is_word(claim, "truth", "right");
	bool is_wrong = !is_right &&
	    (json_is_true(json_object_get(claim, "silent_wrong")) ||
	        is_word(claim, "truth", "wrong"));

	t->total += claim ? 1 : 0;
	t->claimed += is_claimed;
	t->right += is_claimed && is_right;
	t->wrong += is_claimed && is_wrong;
	return is_flag(row, "naive_claimed", is_claimed) &&
	    is_flag(row, "naive_correct", is_claimed && is_right);
}

/* The last try at an operator that the ledger knows; 0: none. */
static int
last_try(const struct evidence *ev, const char *op)
{
	int n = 0;

	while (evidence_is_in_ledger(ev, op, n + 1, "attempted"))
		n++;
	return n;
}

static const json_t *
last_record(struct evidence *ev, const char *op, int last)
{
	char name[16];

	snprintf(name, sizeof name, "%d", last);
	return evidence_kernel(ev, op, name);
}

static bool
does_forge_follow(struct evidence *ev, const char *op, const json_t *row,
    struct tally *t)
{
	int last = last_try(ev, op);
	bool is_claimed =
	    evidence_is_in_ledger(ev, op, last, "verified_correct");
	const json_t *audit = is_claimed
	    ? json_object_get(last_record(ev, op, last), "audit")
	    : NULL;
	bool is_right = is_word(audit, "verdict", "verified_correct");

	t->total++;
	t->claimed += is_claimed;
	t->right += is_right;
	t->wrong += is_word(audit, "verdict", "verified_incorrect");
	return json_integer_value(json_object_get(row, "iterations")) == last &&
	    is_flag(row, "correct", is_right) &&
	    is_claimed ==
	    (is_word(row, "state", "verified_correct") ||
	        is_word(row, "state", "perf_measured"));
}

static bool
is_side(const json_t *score, const char *side, const struct tally *t)
{
	const json_t *o = json_object_get(score, side);

	return json_integer_value(json_object_get(o, "total")) == t->total &&
	    json_integer_value(json_object_get(o, "claimed")) == t->claimed &&
	    json_integer_value(json_object_get(o, "correct")) == t->right &&
	    json_integer_value(json_object_get(o, "silent_wrong")) == t->wrong;
}

/* Is all there that the score is made of?  What is missing is named where
 * gaps are, and from a part nothing follows. */
static bool
can_tell(struct evidence *ev)
{
	const json_t *journals =
	    json_object_get(json_object_get(ev->run, "anchors"), "journals");
	size_t i;
	json_t *name;

	if (json_array_size(ev->ledger) == 0 ||
	    (json_array_size(ev->naive) == 0 &&
	        json_object_get(journals, "naive.jsonl")))
		return false;
	json_array_foreach(json_object_get(ev->run, "ops"), i, name) {
		const char *op = json_string_value(name);
		int last = op ? last_try(ev, op) : 0;

		if (last > 0 && !last_record(ev, op, last))
			return false;
	}
	return true;
}

bool
evidence_score_follows(struct evidence *ev)
{
	const json_t *ops = json_object_get(ev->run, "ops");
	const json_t *rows = json_object_get(ev->scorecard, "ops");
	struct tally naive = { 0 }, forge = { 0 };

	if (!can_tell(ev))
		return true;
	if (json_array_size(ops) != json_array_size(rows))
		return false;
	for (size_t i = 0; i < json_array_size(ops); i++) {
		const json_t *row = json_array_get(rows, i);
		const char *op = json_string_value(json_array_get(ops, i));

		if (!op || !is_word(row, "op", op) ||
		    !does_naive_follow(evidence_claim(ev, op), row, &naive) ||
		    !does_forge_follow(ev, op, row, &forge))
			return false;
	}
	return is_side(ev->scorecard, "naive", &naive) &&
	    is_side(ev->scorecard, "kernelforge", &forge);
}
