/* Words that are near to one of a list, and words that are not. */
#include "base/nearest.h"

#include "base/units.h"
#include "tests/unit.h"

void t_nearest(void);

void
t_nearest(void)
{
	static const char *const words[] = { "always", "burst", "p", "seed",
		"http_error" };
	static const struct {
		const char *word, *hint;
	} rows[] = {
		{ "sed", ", did you mean \"seed\"?" },
		{ "alwys", ", did you mean \"always\"?" },
		{ "alwasy", ", did you mean \"always\"?" },
		{ "http_eror", ", did you mean \"http_error\"?" },
		{ "httperrors", ", did you mean \"http_error\"?" },
		{ "x", "" },
		{ "quite_another", "" },
		{ "", "" },
		{ "http_errorhttp_errorhttp_errorhttp_errorhttp_errorx", "" },
	};
	char hint[NEAREST_MAX + 24];

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct nearest n;

		nearest_init(&n, rows[i].word);
		for (size_t k = 0; k < COUNT(words); k++)
			nearest_try(&n, words[k]);
		CHECK_STR(nearest_hint(&n, hint), rows[i].hint, rows[i].word);
	}
}
