/* Strict JSON objects: what is refused, and how it is said. */
#include "tests/unit.h"

#include "base/jfield.h"
#include <stdint.h>
#include <string.h>

struct thing {
	const char *name;
	int64_t status;
	double p;
	bool on;
	json_t *list;
	int colour;
};

static const char *const colours[] = { "red", "green", NULL };

static const struct jfield fields[] = {
	/* clang-format off */
	{ "name",   JF_STRING, JF_REQUIRED, 0, 0,  offsetof(struct thing, name), NULL },
	{ "status", JF_INT,    0, 100, 599,        offsetof(struct thing, status), NULL },
	{ "p",      JF_REAL,   0, 0, 1,            offsetof(struct thing, p), NULL },
	{ "on",     JF_BOOL,   0, 0, 0,            offsetof(struct thing, on), NULL },
	{ "list",   JF_ARRAY,  0, 1, 2,            offsetof(struct thing, list), NULL },
	{ "colour", JF_ENUM,   0, 0, 0,            offsetof(struct thing, colour), colours },
	/* clang-format on */
};

static const struct {
	const char *what, *text;
	enum err want;
	const char *reason;
} rows[] = {
	/* clang-format off */
	{ "all keys", "{\"name\":\"x\",\"status\":429,\"p\":1,\"on\":true,\"list\":[1],\"colour\":\"green\"}", ERR_OK, "" },
	{ "required only", "{\"name\":\"x\"}", ERR_OK, "" },
	{ "missing", "{}", ERR_SYNTAX, "/r/0/name: missing, expected a string" },
	{ "unknown key", "{\"name\":\"x\",\"nmae\":1}", ERR_SYNTAX, "/r/0/nmae: unknown key" },
	{ "wrong type", "{\"name\":7}", ERR_SYNTAX, "/r/0/name: found integer 7, expected a string" },
	{ "real for integer", "{\"name\":\"x\",\"status\":429.5}", ERR_SYNTAX, "found number 429.5, expected an integer" },
	{ "out of range", "{\"name\":\"x\",\"status\":600}", ERR_RANGE, "found integer 600, expected 100 to 599" },
	{ "too many items", "{\"name\":\"x\",\"list\":[1,2,3]}", ERR_RANGE, "found 3 items, expected 1 to 2 items" },
	{ "not one of", "{\"name\":\"x\",\"colour\":\"blue\"}", ERR_SYNTAX, "found string \"blue\", expected red or green" },
	{ "not an object", "[]", ERR_SYNTAX, "/r/0: found an array, expected an object" },
	/* clang-format on */
};

void
t_jfield(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct thing t = { .status = -1 };
		struct why why = { "" };
		json_t *v = NULL;

		CHECK_INT(jfield_parse("f", rows[i].text, strlen(rows[i].text),
		              &v, &why),
		    ERR_OK, rows[i].what);
		CHECK_INT(jfield_read(v, "/r/0", fields, 6, &t, &why),
		    rows[i].want, rows[i].what);
		CHECK(strstr(why.text, rows[i].reason) != NULL, why.text);
		CHECK((t.name != NULL) == (rows[i].want == ERR_OK),
		    "dst is untouched on failure");
		json_decref(v);
	}
	struct why why;
	json_t *v = NULL;

	CHECK_INT(jfield_parse("f", "{\"a\":1,\"a\":2}", 13, &v, &why),
	    ERR_SYNTAX, "duplicate keys are refused");
	CHECK_INT(jfield_parse("f", "{\"a\":", 5, &v, &why), ERR_SYNTAX,
	    "cut JSON is refused");
	CHECK(strstr(why.text, "f:1:") != NULL, why.text);
}
