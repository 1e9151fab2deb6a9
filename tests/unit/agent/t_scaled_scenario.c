/* A scenario's faults, scaled; and the chance that k runs are all good. */
#include "agent/study/run_numbers.h"
#include "agent/study/scaled_scenario.h"
#include "tests/unit.h"
#include <math.h>
#include <stdlib.h>

static json_t *
scenario_with(const char *when)
{
	return json_pack("{s:s, s:{s:{s:s, s:s}, s:{s:s}}, "
	                 "s:[{s:s, s:s, s:o}], s:{s:i}}",
	    "seed", "1", "proxies", "near", "answers", "answers/", "cassette",
	    "tape.jsonl", "far", "answers", "/abs/", "rules", "id", "r", "goal",
	    "fired>=1", "when", json_loads(when, 0, NULL), "expect",
	    "false_claims", 0);
}

static void
test_rules(void)
{
	static const struct {
		const char *what, *when;
		double factor;
		const char *want; /* NULL: the rule is gone */
	} rows[] = {
		{ "p as it is", "{\"p\":0.5}", 1, "{\"p\":0.5}" },
		{ "p halved", "{\"p\":0.5}", 0.5, "{\"p\":0.25}" },
		{ "p is 1 at most", "{\"p\":0.75}", 2, "{\"p\":1.0}" },
		{ "p gone", "{\"p\":0.5}", 0, NULL },
		{ "always, less often", "{\"always\":true}", 0.25,
		    "{\"p\":0.25}" },
		{ "always, as it is", "{\"always\":true}", 1,
		    "{\"always\":true}" },
		{ "always cannot be more", "{\"always\":true}", 2,
		    "{\"always\":true}" },
		{ "always gone", "{\"always\":true}", 0, NULL },
		{ "a burst", "{\"burst\":{\"len\":[1,2],\"start_p\":0.25}}", 2,
		    "{\"burst\":{\"len\":[1,2],\"start_p\":0.5}}" },
		{ "a chain",
		    "{\"markov\":{\"bad_to_good\":0.5,\"good_to_bad\":0.5}}",
		    0.5,
		    "{\"markov\":{\"bad_to_good\":0.5,\"good_to_bad\":0.25}}" },
		{ "what is counted stays", "{\"nth\":2}", 0.5, "{\"nth\":2}" },
		{ "what is counted goes at 0", "{\"nth\":2}", 0, NULL },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		json_t *scenario = scenario_with(rows[i].when);
		json_t *before = json_deep_copy(scenario), *scaled = NULL;
		json_t *rules;
		char *got;

		CHECK_INT(scaled_scenario(scenario, "/here", rows[i].factor,
		              "1/7", &scaled, NULL),
		    ERR_OK, rows[i].what);
		rules = json_object_get(scaled, "rules");
		CHECK_INT(json_array_size(rules), rows[i].want ? 1 : 0,
		    rows[i].what);
		got = json_dumps(json_object_get(json_array_get(rules, 0),
		                     "when"),
		    JSON_COMPACT | JSON_SORT_KEYS);
		if (rows[i].want)
			CHECK_STR(got ? got : "", rows[i].want, rows[i].what);
		CHECK(!json_object_get(json_array_get(rules, 0), "goal"),
		    rows[i].what);
		CHECK(!json_object_get(scaled, "expect"), rows[i].what);
		CHECK(json_equal(before, scenario), rows[i].what);
		free(got);
		json_decref(before);
		json_decref(scenario);
		json_decref(scaled);
	}
}

static const char *
path_of(json_t *scenario, const char *proxy, const char *key)
{
	return json_string_value(
	    json_object_get(json_object_get(json_object_get(scenario,
	                                        "proxies"),
	                        proxy),
	        key));
}

static void
test_rest(void)
{
	json_t *scenario = scenario_with("{\"p\":0.5}"), *scaled = NULL;
	struct why why;

	CHECK_INT(scaled_scenario(scenario, "/here", 1, "1/7", &scaled, NULL),
	    ERR_OK, "it is scaled");
	CHECK_STR(path_of(scaled, "near", "answers"), "/here/answers/",
	    "a path is the scenario's");
	CHECK_STR(path_of(scaled, "near", "cassette"), "/here/tape.jsonl",
	    "a cassette's too");
	CHECK_STR(path_of(scaled, "far", "answers"), "/abs/",
	    "a whole path stays");
	CHECK_STR(json_string_value(json_object_get(scaled, "seed")), "1/7",
	    "the seed");
	json_decref(scaled);
	json_object_set_new(scenario, "preset", json_string("realistic"));
	CHECK_INT(scaled_scenario(scenario, "/here", 1, "1/7", &scaled, &why),
	    ERR_SYNTAX, "a preset cannot be scaled");
	json_decref(scenario);
}

static void
test_pass(void)
{
	static const struct {
		unsigned c, n, k;
		double want;
	} rows[] = {
		{ 0, 4, 1, 0 },
		{ 1, 4, 1, 0.25 },
		{ 4, 4, 4, 1 },
		{ 3, 4, 4, 0 },
		{ 3, 4, 2, 0.5 },
		{ 2, 4, 2, 1.0 / 6 },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK(fabs(tally_pass(rows[i].c, rows[i].n, rows[i].k) -
		          rows[i].want) < 1e-12,
		    "pass^k");
}

void
t_scaled_scenario(void)
{
	test_rules();
	test_rest();
	test_pass();
}
