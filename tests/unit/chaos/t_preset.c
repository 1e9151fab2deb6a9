/*
 * Presets: their rules join a document behind its own; names that are none.
 */
#include "chaos/rules/preset.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit.h"

static const struct {
	const char *doc;
	enum err want;
	const char *first, *says; /* the first rule's id; the error */
} rows[] = {
	{ "{}", ERR_OK, NULL, "" },
	{ "{\"preset\":\"liar\"}", ERR_OK, "liar.repaired", "" },
	{ "{\"preset\":[\"liar\",\"brownout\"],\"rules\":[{\"id\":\"mine\"}]}",
	    ERR_OK, "mine", "" },
	{ "{\"preset\":[]}", ERR_OK, NULL, "" },
	{ "{\"preset\":\"nonsense\"}", ERR_NOTFOUND, NULL,
	    "/preset: found \"nonsense\", expected one of brownout, " },
	{ "{\"preset\":\"../presets/liar\"}", ERR_SYNTAX, NULL,
	    "/preset: found string" },
	{ "{\"preset\":[\"liar\",7]}", ERR_SYNTAX, NULL,
	    "/preset: found integer 7" },
};

static void
check_row(size_t i)
{
	json_t *doc = json_loads(rows[i].doc, 0, NULL);
	struct why why = { "" };
	json_t *rules;

	CHECK_INT(preset_expand(doc, &why), rows[i].want, rows[i].doc);
	CHECK(strncmp(why.text, rows[i].says, strlen(rows[i].says)) == 0,
	    why.text);
	rules = json_object_get(doc, "rules");
	if (rows[i].first)
		CHECK_STR(json_string_value(
		              json_object_get(json_array_get(rules, 0), "id")),
		    rows[i].first, rows[i].doc);
	if (rows[i].want == ERR_OK)
		CHECK(json_object_get(doc, "preset") == NULL, "taken out");
	json_decref(doc);
}

void
t_preset(void)
{
	static const char *const all[] = { "brownout", "liar",
		"rate_limit_storm", "realistic", "stream_cuts" };
	json_t *names = json_array(), *rules = NULL;
	struct why why = { "" };

	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(i);
	preset_names(names);
	CHECK_INT(json_array_size(names), COUNT(all), "five");
	for (size_t i = 0; i < json_array_size(names); i++) {
		const char *name = json_string_value(json_array_get(names, i));

		CHECK_STR(name, all[i], "sorted");
		CHECK(preset_rules(name, &rules, &why) == ERR_OK, why.text);
		CHECK(json_array_size(rules) > 0, name);
		json_decref(rules);
	}
	json_decref(names);
}
