/*
 * The kinds of `when`: which of the first attempts fire, and what is refused.
 */
#include "chaos/rules/when.h"

#include <string.h>

#include "base/jfield.h"
#include "tests/unit.h"

#define ATTEMPTS 12

static enum err
read_text(const char *text, struct when *ret, struct why *why)
{
	json_t *v = NULL;
	enum err e = jfield_parse("row", text, strlen(text), &v, why);

	if (e == ERR_OK)
		e = when_read(v, "/when", ret, why);
	json_decref(v);
	return e;
}

static bool
was_other(const char *rule, void *arg)
{
	(void)rule;
	return *(bool *)arg;
}

static void
check_patterns(void)
{
	static const struct {
		const char *what, *json, *fires; /* x fires, . does not */
	} rows[] = {
		{ "always", "{\"always\":true}", "xxxxxxxxxxxx" },
		{ "the third", "{\"nth\":3}", "..x........." },
		{ "p 0 never", "{\"p\":0}", "............" },
		{ "p 1 always", "{\"p\":1}", "xxxxxxxxxxxx" },
		{ "each third", "{\"every\":{\"n\":3}}", "..x..x..x..x" },
		{ "two of four", "{\"every\":{\"n\":4,\"len\":2}}",
		    "..xx..xx..xx" },
		{ "a window", "{\"window\":{\"from\":2,\"to\":4}}",
		    ".xxx........" },
		{ "a burst that always starts",
		    "{\"burst\":{\"start_p\":1,\"len\":[1,1]}}",
		    "xxxxxxxxxxxx" },
		{ "a chain that turns bad and stays",
		    "{\"markov\":{\"good_to_bad\":1,\"bad_to_good\":0}}",
		    "xxxxxxxxxxxx" },
		{ "a chain that alternates",
		    "{\"markov\":{\"good_to_bad\":1,\"bad_to_good\":1}}",
		    "x.x.x.x.x.x." },
		{ "a chain that stays good",
		    "{\"markov\":{\"good_to_bad\":0,\"bad_to_good\":0}}",
		    "............" },
	};
	struct fire_draw d = { "42", "hash", "rule", "key", 1 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct when w;
		struct why why = { "" };
		char got[ATTEMPTS + 1] = "";

		if (!CHECK(read_text(rows[i].json, &w, &why) == ERR_OK,
		        why.text))
			continue;
		for (d.attempt = 1; d.attempt <= ATTEMPTS; d.attempt++)
			got[d.attempt - 1] =
			    when_fires(&w, &d, NULL) ? 'x' : '.';
		CHECK_STR(got, rows[i].fires, rows[i].what);
	}
}

static void
check_refusals(void)
{
	static const struct {
		const char *json, *why;
	} rows[] = {
		{ "{}",
		    "/when: found an object, expected an object with "
		    "exactly one of after, always, burst, every, markov, "
		    "nth, p, window" },
		{ "{\"often\":1}",
		    "/when/often: unknown kind, expected one "
		    "of after, always, burst, every, markov, "
		    "nth, p, window" },
		{ "{\"p\":1.5}",
		    "/when/p: found number 1.5, expected a number from 0 to "
		    "1" },
		{ "{\"always\":false}",
		    "/when/always: found false, expected true" },
		{ "{\"nth\":0}",
		    "/when/nth: found integer 0, expected an "
		    "integer from 1 to 1000000000" },
		{ "{\"every\":{\"n\":2,\"len\":3}}",
		    "/when/every/len: found integer 3, expected at most n, "
		    "2" },
		{ "{\"burst\":{\"start_p\":0.1,\"len\":[3,2]}}",
		    "/when/burst/len: expected two integers, 1 to 1000, in "
		    "order" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct when w;
		struct why why = { "" };

		CHECK(read_text(rows[i].json, &w, &why) != ERR_OK,
		    rows[i].json);
		CHECK_STR(why.text, rows[i].why, rows[i].json);
	}
}

/* Bursts last as long as they say, and the chain has a memory. */
static void
check_runs(void)
{
	struct fire_draw d = { "42", "hash", "rule", "key", 1 };
	struct when burst, chain;
	struct why why;
	int run = 0, shortest = 1000, bad = 0, kept = 0;
	bool was = false;

	read_text("{\"burst\":{\"start_p\":0.02,\"len\":[3,6]}}", &burst, &why);
	read_text("{\"markov\":{\"good_to_bad\":0.1,\"bad_to_good\":0.2}}",
	    &chain, &why);
	for (d.attempt = 1; d.attempt <= 3000; d.attempt++) {
		bool now = when_fires(&chain, &d, NULL);

		bad += now;
		kept += was && now;
		was = now;
		if (when_fires(&burst, &d, NULL)) {
			run++;
			continue;
		}
		if (run && run < shortest)
			shortest = run;
		run = 0;
	}
	CHECK(shortest >= 3 && shortest <= 6, "no burst is too short");
	CHECK(bad > 850 && bad < 1150, "a third of the time bad");
	CHECK(kept > bad * 7 / 10, "bad stays bad four times of five");
}

static void
check_after(void)
{
	struct fire_draw d = { "42", "hash", "rule", "key", 1 };
	bool fired = false;
	struct when_past past = { was_other, &fired };
	json_t *v = json_pack("{s{ss}}", "after", "rule", "first");
	struct when w;
	struct why why;

	CHECK(when_read(v, "/when", &w, &why) == ERR_OK, "after is read");
	CHECK(!when_fires(&w, &d, &past), "not before the other rule");
	fired = true;
	CHECK(when_fires(&w, &d, &past), "after it");
	json_decref(v);
}

void
t_when(void)
{
	check_patterns();
	check_refusals();
	check_runs();
	check_after();
}
