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

/* The same work items in other groups. */
static const struct {
	const char *what;
	struct order_geometry from;
	uint64_t want[CANDIDATE_DIMS_MAX];
} locals[] = {
	{ "half as many", { 1, { 128 }, { 64 } }, { 32 } },
	{ "an odd one is left", { 1, { 30 }, { 15 } }, { 1 } },
	{ "one by one become two", { 1, { 30 }, { 1 } }, { 2 } },
	{ "an odd count stays", { 1, { 31 }, { 1 } }, { 1 } },
	{ "the first dimension that can", { 2, { 31, 8 }, { 1, 4 } },
	    { 1, 2 } },
};

static void
check_locals(void)
{
	for (size_t i = 0; i < sizeof locals / sizeof locals[0]; i++) {
		struct order_geometry g = locals[i].from;

		geometry_other_local(&g);
		for (uint32_t d = 0; d < g.ndims; d++) {
			CHECK_INT(g.local[d], locals[i].want[d],
			    locals[i].what);
			CHECK_INT(g.global[d] % g.local[d], 0, locals[i].what);
		}
	}
}

void
t_geometry(void)
{
	const struct op *op = op_find("rmsnorm");
	struct op_shape s = { .rows = 3, .cols = 97 };

	check_locals();
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
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
