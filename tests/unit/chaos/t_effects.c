/*
 * Effects against those of a clean run.
 */
#include "chaos/trials/effects.h"

#include "tests/unit.h"

void t_effects(void);

void
t_effects(void)
{
	static const struct {
		const char *what, *want, *have, *twice, *lost, *other;
	} rows[] = {
		{ "nothing was to be done", "[]", "[]", NULL, NULL, NULL },
		{ "all, in another order", "[\"a\",\"b\"]", "[\"b\",\"a\"]",
		    NULL, NULL, NULL },
		{ "twice, and it should be", "[\"a\",\"a\"]", "[\"a\",\"a\"]",
		    NULL, NULL, NULL },
		{ "twice", "[\"a\",\"b\"]", "[\"a\",\"b\",\"a\"]", "a", NULL,
		    NULL },
		{ "not", "[\"a\",\"b\"]", "[\"b\"]", NULL, "a", NULL },
		{ "once, and it should be twice", "[\"a\",\"a\"]", "[\"a\"]",
		    NULL, "a", NULL },
		{ "another", "[\"a\"]", "[\"c\",\"c\"]", NULL, "a", "c" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		json_t *want = json_loads(rows[i].want, 0, NULL);
		json_t *have = json_loads(rows[i].have, 0, NULL);
		struct effects_change c;

		effects_compare(want, have, &c);
		CHECK_STR(c.twice, rows[i].twice, rows[i].what);
		CHECK_STR(c.lost, rows[i].lost, rows[i].what);
		CHECK_STR(c.other, rows[i].other, rows[i].what);
		json_decref(want);
		json_decref(have);
	}
}
