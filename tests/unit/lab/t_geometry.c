/* Launch geometry over shapes, and what is refused. */
#include "lab/run/geometry.h"

#include "tests/unit.h"
#include <string.h>

static char *
text(const char *s)
{
	return (char *)(uintptr_t)s;
}

static const struct {
	const char *what, *global, *local;
	enum err err;
	uint64_t want_global;
} rows[] = {
	{ "a multiple", "round_up(rows * cols, 64)", "64", ERR_OK, 320 },
	{ "empty", "rows * 0", "64", ERR_OK, 0 },
	{ "not a multiple", "rows * cols", "64", ERR_RANGE, 0 },
	{ "local of zero", "rows", "rows - rows", ERR_RANGE, 0 },
	{ "larger than any launch", "rows * 1099511627776", "1", ERR_RANGE, 0 },
	{ "a name of another operator", "batch", "1", ERR_SYNTAX, 0 },
	{ "a real is no scalar here", "eps", "1", ERR_SYNTAX, 0 },
	{ "a tensor is no scalar", "x", "1", ERR_SYNTAX, 0 },
};

void
t_geometry(void)
{
	const struct op *op = op_find("rmsnorm");
	struct op_shape s = { .rows = 3, .cols = 97 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct candidate c = { .ndims = 1,
			.global = { text(rows[i].global) },
			.local = { text(rows[i].local) } };
		struct order_geometry g = { 0 };
		struct why why;

		CHECK_INT(geometry_eval(op, &s, &c, &g, &why), rows[i].err,
		    rows[i].what);
		CHECK_INT(g.global[0], rows[i].want_global, rows[i].what);
		if (rows[i].err == ERR_OK)
			CHECK_INT(geometry_is_empty(&g),
			    rows[i].want_global == 0, rows[i].what);
		else
			CHECK(!strstr(why.text, "291"),
			    "the reason keeps the shape to itself");
	}
}
