/* What is an identifier, of C and of the shell. */
#include "base/slice.h"

#include "tests/unit.h"

void
t_slice(void)
{
	static const struct {
		const char *text;
		bool is;
	} rows[] = {
		{ "a", true },
		{ "_", true },
		{ "rope_2", true },
		{ "API_KEY", true },
		{ "", false },
		{ "2rope", false },
		{ "a-b", false },
		{ "a b", false },
		{ "a\n", false },
		{ "\xc3\xa4", false },
		{ NULL, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_INT(slice_is_identifier(slice_of(rows[i].text)),
		    rows[i].is, rows[i].text ? rows[i].text : "nothing");
	CHECK_INT(slice_is_identifier((struct slice){ "a\0b", 3 }), false,
	    "a zero byte");
}
