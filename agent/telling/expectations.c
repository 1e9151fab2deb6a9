/*
 * Expectations, one row each, so that a report can show what was expected
 * beside what was found, also where all of it was met.
 */
#include "agent/telling/expectations.h"

#include "base/log.h"
#include "base/mem.h"
#include <stdlib.h>

static void
add(json_t *checks, const char *what, json_t *expected, json_t *found)
{
	bool held = json_equal(expected, found);

	json_array_append_new(checks,
	    json_pack("{s:s, s:o, s:o, s:b}", "what", what, "expected",
	        expected, "found", found, "held", held));
}

static void
add_verified(json_t *checks, const struct standings *standings, const char *op)
{
	const struct op_standing *st = standings_find(standings, op);
	char *what = xasprintf("verified %s", op);

	add(checks, what, json_true(),
	    json_boolean(st && ledger_is_verified(st->state)));
	free(what);
}

static void
add_number(json_t *checks, const char *what, int64_t expected, long found)
{
	if (expected >= 0)
		add(checks, what, json_integer(expected), json_integer(found));
}

json_t *
expectations_check(const struct run_scenario *s,
    const struct standings *standings, const struct scorecard *card)
{
	json_t *checks = json_array(), *name;
	size_t i;

	if (!s->expect.present)
		return checks;
	json_array_foreach(s->expect.verified, i, name)
		add_verified(checks, standings, json_string_value(name));
	add_number(checks, "false_claims", s->expect.false_claims,
	    card->forge.truths[TRUTH_WRONG] + card->forge.truths[TRUTH_LOUD]);
	add_number(checks, "naive_silent_wrong", s->expect.naive_silent_wrong,
	    card->naive.truths[TRUTH_WRONG]);
	return checks;
}

void
expectations_say(json_t *checks)
{
	size_t i;
	json_t *check;

	json_array_foreach(checks, i, check) {
		char *want, *found;

		if (json_is_true(json_object_get(check, "held")))
			continue;
		want = json_dumps(json_object_get(check, "expected"),
		    JSON_ENCODE_ANY);
		found = json_dumps(json_object_get(check, "found"),
		    JSON_ENCODE_ANY);
		log_error("expect", "%s: expected %s, found %s",
		    json_string_value(json_object_get(check, "what")), want,
		    found);
		free(want);
		free(found);
	}
}
