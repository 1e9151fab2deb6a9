/* A scenario's agent part is read strictly. */
#include "agent/run/run_scenario.h"
#include "base/files.h"
#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPEN "{\"chaos\":1,\"name\":\"n\","

static void
check_bad(void)
{
	static const struct {
		const char *what, *text, *says;
	} rows[] = {
		{ "not JSON", "{", "1" },
		{ "no agent", OPEN "\"seed\":\"1\"}", "agent" },
		{ "unknown key",
		    OPEN "\"agnet\":{},\"agent\":{\"ops\":["
		         "\"rope\"]}}",
		    "agnet" },
		{ "unknown agent key",
		    OPEN "\"agent\":{\"ops\":[\"rope\"],"
		         "\"modle\":\"x\"}}",
		    "/agent/modle" },
		{ "unknown operator", OPEN "\"agent\":{\"ops\":[\"rop\"]}}",
		    "/agent/ops/0" },
		{ "twice", OPEN "\"agent\":{\"ops\":[\"rope\",\"rope\"]}}",
		    "/agent/ops/1" },
		{ "no operators", OPEN "\"agent\":{\"ops\":[]}}",
		    "/agent/ops" },
		{ "unknown profile",
		    OPEN "\"agent\":{\"ops\":[\"rope\"],"
		         "\"profile\":\"x\"}}",
		    "/agent/profile" },
		{ "wrong type",
		    OPEN "\"agent\":{\"ops\":[\"rope\"],"
		         "\"stream\":1}}",
		    "/agent/stream" },
		{ "a number where a name belongs",
		    OPEN "\"agent\":{\"ops\":[1]}}", "/agent/ops/0" },
		{ "unknown expectation",
		    OPEN "\"agent\":{\"ops\":[\"rope\"]},"
		         "\"expect\":{\"speed\":1}}",
		    "/expect/speed" },
		{ "expectation out of range",
		    OPEN "\"agent\":{\"ops\":["
		         "\"rope\"]},\"expect\":{\"false_claims\":-1}}",
		    "/expect/false_claims" },
	};
	char *path = files_join(unit_tmpdir(), "scenario.json");

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct run_scenario s;
		struct why why = { "" };

		files_write(path, rows[i].text, strlen(rows[i].text), NULL);
		CHECK(run_scenario_read(path, &s, &why) != ERR_OK,
		    rows[i].what);
		CHECK(strstr(why.text, rows[i].says), why.text);
	}
	free(path);
}

static void
check_good(void)
{
	struct run_scenario s;
	struct why why = { "" };

	if (!CHECK(run_scenario_read("scenarios/rope_demo/scenario.json", &s,
	               &why) == ERR_OK,
	        why.text))
		return;
	CHECK_STR(s.name, "rope_demo", "name");
	CHECK_STR(s.seed, "42", "seed");
	CHECK_INT(s.nops, 3, "operators");
	CHECK_INT(s.stream, true, "streams by default");
	CHECK_INT(s.naive, true, "baseline by default");
	CHECK_STR(s.model, "deepseek-v4-flash", "the primary by default");
	CHECK_INT(s.expect.naive_silent_wrong, 1, "expectation");
	run_scenario_done(&s);
}

/* A mode that passes questions on plays nobody; one that is no text neither. */
static void
check_players(void)
{
	static const struct {
		const char *proxies, *answers;
	} rows[] = {
		{ "{\"a\":{},\"b\":{\"mode\":\"script\"}}", "script" },
		{ "{\"a\":{\"mode\":\"replay\"}}", "replay" },
		{ "{\"a\":{\"mode\":\"live\"},\"b\":{\"mode\":1}}", "" },
	};
	char *path = files_join(unit_tmpdir(), "players.json");

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct run_scenario s;
		struct why why = { "" };
		char text[256];

		snprintf(text, sizeof text,
		    OPEN "\"agent\":{\"ops\":[\"rope\"]},\"proxies\":%s}",
		    rows[i].proxies);
		files_write(path, text, strlen(text), NULL);
		if (!CHECK(run_scenario_read(path, &s, &why) == ERR_OK,
		        why.text))
			continue;
		CHECK_STR(s.answers ? s.answers : "", rows[i].answers,
		    rows[i].proxies);
		run_scenario_done(&s);
	}
	free(path);
}

void
t_run_scenario(void)
{
	check_bad();
	check_good();
	check_players();
}
