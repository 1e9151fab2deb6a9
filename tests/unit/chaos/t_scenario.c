/*
 * Scenario files: tests/data/scenario/CASE/in, and in want what is said of
 * it, "ok" or how the line begins, with IN for the path.
 */
#include "chaos/rules/scenario.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/mem.h"
#include "chaos/rules/rule.h"
#include "tests/unit.h"

#define FOLDER "tests/data/scenario"

static int
is_case(const struct dirent *d)
{
	return d->d_name[0] != '.';
}

static void
check_case(const char *name)
{
	char *in = xasprintf("%s/%s/in", FOLDER, name);
	char *want_path = xasprintf("%s/%s/want", FOLDER, name);
	char *want = NULL, *begins = NULL;
	struct scenario *s = NULL;
	struct why why = { "ok" };
	enum err e = scenario_read(in, &s, &why);

	if (!CHECK(files_read(want_path, 4096, &want, NULL, NULL) == ERR_OK,
	        name))
		goto out;
	want[strcspn(want, "\n")] = '\0';
	CHECK(e == ERR_OK || s == NULL, name);
	CHECK((e == ERR_OK) == (strcmp(want, "ok") == 0), name);
	begins = strncmp(want, "IN", 2) == 0 ? xasprintf("%s%s", in, want + 2)
	                                     : xstrdup(want);
	if (strlen(why.text) > strlen(begins))
		why.text[strlen(begins)] = '\0';
	CHECK_STR(why.text, begins, name);
out:
	scenario_free(s);
	free(in);
	free(want_path);
	free(want);
	free(begins);
}

static struct scenario *
read_text(const char *text)
{
	char *path = files_join(unit_tmpdir(), "scenario.json");
	struct scenario *s = NULL;
	struct why why = { "" };

	files_write(path, text, strlen(text), &why);
	CHECK(scenario_read(path, &s, &why) == ERR_OK, why.text);
	free(path);
	return s;
}

/* The hash is of what the file says, not of how, and not of the seed. */
static void
check_hash(void)
{
	struct scenario *a = read_text(
	    "{\"chaos\":1,\"name\":\"n\",\"seed\":\"1\",\"limits\":{}}");
	struct scenario *b = read_text("{ \"seed\": \"2\", \"limits\": { },\n"
	                               " \"name\": \"n\", \"chaos\": 1 }");
	struct scenario *c =
	    read_text("{\"chaos\":1,\"name\":\"m\",\"seed\":\"1\"}");

	CHECK_STR(a->hash, b->hash, "order, space and seed do not matter");
	CHECK(strcmp(a->hash, c->hash) != 0, "a name does");
	scenario_free(a);
	scenario_free(b);
	scenario_free(c);
}

static void
count(const char *text, void *arg)
{
	CHECK(strstr(text, "can never fire") != NULL, text);
	++*(int *)arg;
}

static void
check_warnings(void)
{
	struct scenario *s = read_text(
	    "{\"chaos\":1,\"name\":\"n\",\"seed\":\"1\",\"proxies\":{\"p\":"
	    "{\"listen\":\"127.0.0.1:0\",\"upstream\":\"127.0.0.1:1\"}},"
	    "\"rules\":[{\"id\":\"a\",\"when\":{\"p\":0},\"fault\":{\"type\":"
	    "\"latency\"}},{\"id\":\"b\",\"when\":{\"window\":{\"from\":3,"
	    "\"to\":2}},\"fault\":{\"type\":\"latency\"}},{\"id\":\"c\","
	    "\"when\":{\"nth\":1},\"fault\":{\"type\":\"latency\"}}]}");
	int warned = 0;

	CHECK_INT(scenario_warnings(s, count, &warned), 2, "two dead rules");
	CHECK_INT(warned, 2, "each is named");
	scenario_free(s);
}

static void
check_goals(void)
{
	static const struct {
		const char *what;
		struct goal goal;
		bool want;
	} rows[] = {
		{ "no goal", { NULL, GOAL_FIRED, GOAL_GE, 9 }, true },
		{ "fired 2 of 2", { "g", GOAL_FIRED, GOAL_GE, 2 }, true },
		{ "fired 2 of 3", { "g", GOAL_FIRED, GOAL_GE, 3 }, false },
		{ "at most 1", { "g", GOAL_FIRED, GOAL_LE, 1 }, false },
		{ "exactly 2", { "g", GOAL_FIRED, GOAL_EQ, 2 }, true },
		{ "bypassed none", { "g", GOAL_BYPASSED, GOAL_EQ, 0 }, false },
		{ "matched over 4", { "g", GOAL_MATCHED, GOAL_GT, 4 }, true },
		{ "matched under 5", { "g", GOAL_MATCHED, GOAL_LT, 5 }, false },
	};
	static const uint64_t counts[GOAL_NCOUNTS] = { [GOAL_FIRED] = 2,
		[GOAL_BYPASSED] = 1,
		[GOAL_MATCHED] = 5 };

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_INT(goal_is_met(&rows[i].goal, counts), rows[i].want,
		    rows[i].what);
}

void
t_scenario(void)
{
	struct dirent **cases = NULL;
	int n = scandir(FOLDER, &cases, is_case, alphasort);

	CHECK(n > 20, "the folder of cases is there");
	for (int i = 0; i < n; i++) {
		check_case(cases[i]->d_name);
		free(cases[i]);
	}
	free(cases);
	check_hash();
	check_warnings();
	check_goals();
}
