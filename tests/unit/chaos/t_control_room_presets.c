/*
 * Presets as switches: what is listed, what joins the engine and leaves it,
 * and that a switch that cannot be thrown changes nothing.
 */
#include "chaos/admin/control_room_presets.h"

#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/jfield.h"
#include "base/mem.h"
#include "tests/unit.h"

#define RULE(id)                                                               \
	"{\"id\":\"" id "\",\"when\":{\"always\":true},\"fault\":{\"type\":"   \
	"\"http_error\",\"status\":500}}"
#define SCENARIO                                                               \
	"{\"chaos\":1,\"name\":\"n\",\"seed\":\"1\",\"proxies\":{\"p\":"       \
	"{\"listen\":\"127.0.0.1:0\",\"mode\":\"standin\"}},\"rules\":[" RULE( \
	    "own.storm") "]}"

static const struct {
	const char *name, *text;
} files[] = {
	{ "bad", "{\"rules\":[" RULE("bad.a") ",{\"id\":\"bad.b\"}]}" },
	{ "own", "{\"rules\":[" RULE("own.storm") "]}" },
	{ "two", "{\"rules\":[" RULE("two.a") "," RULE("two.b") "]}" },
};

static const struct {
	const char *what, *name;
	bool is_on;
	enum err want;
	size_t rules; /* of the engine afterwards, the scenario's one too */
} steps[] = {
	{ "on", "two", true, ERR_OK, 3 },
	{ "on again", "two", true, ERR_OK, 3 },
	{ "its second rule is none", "bad", true, ERR_SYNTAX, 3 },
	{ "the scenario has it", "own", true, ERR_STATE, 3 },
	{ "there is none", "none", true, ERR_NOTFOUND, 3 },
	{ "no name of a file", "../two", true, ERR_SYNTAX, 3 },
	{ "off what is off", "own", false, ERR_OK, 3 },
	{ "off", "two", false, ERR_OK, 1 },
	{ "on once more", "two", true, ERR_OK, 3 },
};

static void
count_rule(const struct rule *r, const uint64_t counts[GOAL_NCOUNTS], void *arg)
{
	(void)r;
	(void)counts;
	++*(size_t *)arg;
}

static void
write_files(void)
{
	for (size_t i = 0; i < COUNT(files); i++) {
		char *path =
		    xasprintf("%s/%s.json", unit_tmpdir(), files[i].name);

		CHECK(files_write(path, files[i].text, strlen(files[i].text),
		          NULL) == ERR_OK,
		    path);
		free(path);
	}
}

static void
check_step(struct roompresets *p, struct engine *e, size_t i)
{
	struct why why = { "" };
	size_t rules = 0;

	CHECK_INT(roompresets_switch(p, slice_of(steps[i].name), steps[i].is_on,
	              &why),
	    steps[i].want, steps[i].what);
	CHECK((why.text[0] != '\0') == (steps[i].want != ERR_OK),
	    steps[i].what);
	engine_each_rule(e, count_rule, &rules);
	CHECK_INT(rules, steps[i].rules, steps[i].what);
}

/* name:enabled:in_scenario of each. */
static void
check_list(const struct roompresets *p, const char *want)
{
	json_t *all = roompresets_json(p), *v;
	struct buf got;
	size_t i;

	buf_init(&got, 1000);
	json_array_foreach(all, i, v)
		buf_addf(&got, "%s:%d:%d ",
		    json_string_value(json_object_get(v, "name")),
		    json_is_true(json_object_get(v, "enabled")),
		    json_is_true(json_object_get(v, "in_scenario")));
	CHECK_STR(got.data, want, "the list");
	buf_done(&got);
	json_decref(all);
}

static void
check_switches(const struct scenario *s, struct events *ev)
{
	struct engine *e = engine_new(s, NULL, ev, 0);
	struct roompresets *p = roompresets_new(s, e);
	size_t rules = 0;

	check_list(p, "bad:0:0 own:0:1 two:0:0 ");
	for (size_t i = 0; i < COUNT(steps); i++)
		check_step(p, e, i);
	check_list(p, "bad:0:0 own:0:1 two:1:0 ");
	roompresets_free(p);
	engine_each_rule(e, count_rule, &rules);
	CHECK_INT(rules, 1, "what was on goes with the switches");
	engine_free(e);
}

void
t_control_room_presets(void)
{
	struct scenario *s = NULL;
	struct events *ev = NULL;
	struct why why = { "" };
	json_t *doc = NULL;

	write_files();
	setenv("KF_PRESETS", unit_tmpdir(), 1);
	if (CHECK(jfield_parse("doc", SCENARIO, strlen(SCENARIO), &doc, &why) ==
	                ERR_OK &&
	            scenario_of(doc, ".", &s, &why) == ERR_OK &&
	            events_open(NULL, &ev, &why) == ERR_OK,
	        why.text))
		check_switches(s, ev);
	unsetenv("KF_PRESETS");
	events_close(ev);
	scenario_free(s);
}
