/* fast_p and the geometric mean, losses and what was not measured included. */
#include "agent/telling/speed.h"

#include "tests/unit.h"
#include <math.h>

void
t_speed(void)
{
	static const struct {
		const char *what, *ops;
		size_t measured;
		double fast[SPEED_NPS], mean;
	} rows[] = {
		{ "nothing", "[]", 0, { 0, 0, 0 }, 0 },
		{ "nothing measured", "[{}, {}]", 0, { 0, 0, 0 }, 0 },
		{ "a gain and the same loss",
		    "[{\"speedup\": 4}, {\"speedup\": 0.25}]", 2,
		    { 0.5, 0.5, 0.5 }, 1 },
		{ "one of four failed: it counts",
		    "[{\"speedup\": 1.2}, {\"speedup\": 1.8},"
		    " {\"speedup\": 2.5}, {}]",
		    3, { 0.75, 0.5, 0.25 }, 1.7544106429277197 },
		{ "as fast as is not faster", "[{\"speedup\": 1}]", 1,
		    { 0, 0, 0 }, 1 },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		json_t *ops = json_loads(rows[i].ops, 0, NULL);
		char text[SPEED_TEXT_BYTES];
		struct speed s;
		json_t *json;

		speed_make(ops, &s);
		json = speed_json(&s);
		CHECK_INT(s.measured, rows[i].measured, rows[i].what);
		for (size_t k = 0; k < SPEED_NPS; k++)
			CHECK(fabs(s.fast[k] - rows[i].fast[k]) < 1e-12,
			    rows[i].what);
		CHECK(fabs(s.mean - rows[i].mean) < 1e-12, rows[i].what);
		CHECK_INT(speed_text(&s, text, sizeof text),
		    rows[i].measured > 0, rows[i].what);
		CHECK_INT(json_is_null(json), rows[i].measured == 0,
		    rows[i].what);
		json_decref(json);
		json_decref(ops);
	}
}
