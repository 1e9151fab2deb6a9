/* Launch expressions: values, refusals, and what the reason names. */
#include "lab/read/size_expression.h"

#include "tests/unit.h"
#include <string.h>

static const struct expr_var vars[] = {
	{ "rows", 7 },
	{ "cols", 100 },
	{ "zero", 0 },
	{ "big", 4611686018427387904 },
};

static const struct {
	const char *what, *text;
	enum err err;
	int64_t value;
} rows[] = {
	{ "a number", "64", ERR_OK, 64 },
	{ "a name", "cols", ERR_OK, 100 },
	{ "blanks", " \t7\n", ERR_OK, 7 },
	{ "times before plus", "1 + 2 * 3", ERR_OK, 7 },
	{ "left to right", "100 - 10 - 1", ERR_OK, 89 },
	{ "division is left to right", "100 / 10 / 5", ERR_OK, 2 },
	{ "division then product", "7 / 2 * 2", ERR_OK, 6 },
	{ "remainder", "cols % 64", ERR_OK, 36 },
	{ "parentheses", "(1 + 2) * (3 + 4)", ERR_OK, 21 },
	{ "nested parentheses", "((((rows))))", ERR_OK, 7 },
	{ "ceil_div", "ceil_div(cols, 64)", ERR_OK, 2 },
	{ "ceil_div exact", "ceil_div(128, 64)", ERR_OK, 2 },
	{ "ceil_div of zero", "ceil_div(zero, 64)", ERR_OK, 0 },
	{ "round_up", "round_up(cols, 64)", ERR_OK, 128 },
	{ "round_up of zero", "round_up(0, 64)", ERR_OK, 0 },
	{ "min and max", "min(rows, 3) + max(rows, 3)", ERR_OK, 10 },
	{ "pow2_ceil", "pow2_ceil(cols)", ERR_OK, 128 },
	{ "pow2_ceil of a power", "pow2_ceil(64)", ERR_OK, 64 },
	{ "pow2_ceil of zero", "pow2_ceil(zero)", ERR_OK, 1 },
	{ "functions in functions",
	    "round_up(ceil_div(cols, 3) * rows, 2 * 16)", ERR_OK, 256 },
	{ "an operator inside an argument", "min(1 + 2 * 3, 100)", ERR_OK, 7 },
	{ "the largest", "9223372036854775807", ERR_OK, INT64_MAX },

	{ "nothing", "", ERR_SYNTAX, 0 },
	{ "only blanks", "  ", ERR_SYNTAX, 0 },
	{ "ends early", "rows *", ERR_SYNTAX, 0 },
	{ "two operands", "rows cols", ERR_SYNTAX, 0 },
	{ "two operators", "rows * / cols", ERR_SYNTAX, 0 },
	{ "unary minus", "-1", ERR_SYNTAX, 0 },
	{ "open parenthesis", "(rows", ERR_SYNTAX, 0 },
	{ "closed twice", "(rows))", ERR_SYNTAX, 0 },
	{ "empty parentheses", "()", ERR_SYNTAX, 0 },
	{ "unknown name", "batch", ERR_SYNTAX, 0 },
	{ "a prefix of a name", "row", ERR_SYNTAX, 0 },
	{ "unknown function", "log2(rows)", ERR_SYNTAX, 0 },
	{ "function without arguments", "min", ERR_SYNTAX, 0 },
	{ "too few arguments", "min(rows)", ERR_SYNTAX, 0 },
	{ "too many arguments", "min(1, 2, 3)", ERR_SYNTAX, 0 },
	{ "too many for one", "pow2_ceil(1, 2)", ERR_SYNTAX, 0 },
	{ "comma alone", "1, 2", ERR_SYNTAX, 0 },
	{ "comma in parentheses", "(1, 2)", ERR_SYNTAX, 0 },
	{ "empty argument", "min(, 2)", ERR_SYNTAX, 0 },
	{ "trailing comma", "min(1, )", ERR_SYNTAX, 0 },
	{ "a real", "1.5", ERR_SYNTAX, 0 },
	{ "hexadecimal", "0x40", ERR_SYNTAX, 0 },
	{ "a shift", "1 << 3", ERR_SYNTAX, 0 },
	{ "a statement", "rows; cols", ERR_SYNTAX, 0 },

	{ "division by zero", "rows / zero", ERR_RANGE, 0 },
	{ "remainder by zero", "rows % (rows - rows)", ERR_RANGE, 0 },
	{ "ceil_div by zero", "ceil_div(1, 0)", ERR_RANGE, 0 },
	{ "round_up to zero", "round_up(1, 0)", ERR_RANGE, 0 },
	{ "negative", "rows - cols", ERR_RANGE, 0 },
	{ "negative on the way", "rows - cols + cols", ERR_RANGE, 0 },
	{ "product overflows", "big * 2", ERR_RANGE, 0 },
	{ "sum overflows", "9223372036854775807 + 1", ERR_RANGE, 0 },
	{ "round_up overflows", "round_up(9223372036854775807, 2)", ERR_RANGE,
	    0 },
	{ "pow2_ceil overflows", "pow2_ceil(big + 1)", ERR_RANGE, 0 },
	{ "number overflows", "9223372036854775808", ERR_RANGE, 0 },
};

static void
check_depth(void)
{
	char text[EXPR_BYTES_MAX + 2];
	struct why why;
	int64_t v = -7;

	memset(text, '(', EXPR_DEPTH_MAX + 1);
	text[EXPR_DEPTH_MAX + 1] = '\0';
	CHECK_INT(expr_eval(text, vars, 4, &v, &why), ERR_TOOBIG,
	    "parentheses deeper than the cap");
	memset(text, '1', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	CHECK_INT(expr_eval(text, vars, 4, &v, &why), ERR_TOOBIG,
	    "longer than the cap");
	CHECK_INT(v, -7, "a failure leaves the result alone");
}

static const struct {
	const char *text;
	unsigned n;
	uint64_t first, other;
} choices[] = {
	{ "cols + 1", 0, 0, 0 },
	{ "min(3, 4)", 1, 1, 0 },
	{ "min(4, 3)", 1, 0, 1 },
	{ "max(4, 3)", 1, 1, 0 },
	{ "max(4, 4)", 1, 1, 1 },
	{ "min(max(1, 2), 5)", 2, 2, 1 },
	{ "max(1, 2) * min(7, 2)", 2, 0, 3 },
	{ "7 / 8 + 8 / 8", 2, 2, 3 },
	{ "9 % 4 + 8 % 4", 2, 2, 3 },
};

static void
check_choices(void)
{
	for (size_t i = 0; i < COUNT(choices); i++) {
		struct expr_choices c = { 0 };
		int64_t v;

		CHECK_INT(expr_choose(choices[i].text, vars, 4, &v, &c, NULL),
		    ERR_OK, choices[i].text);
		CHECK_INT(c.n, choices[i].n, choices[i].text);
		CHECK_INT(c.first, choices[i].first, choices[i].text);
		CHECK_INT(c.other, choices[i].other, choices[i].text);
	}
}

void
t_expr(void)
{
	check_choices();
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct why why = { "" };
		int64_t v = -7;

		CHECK_INT(expr_eval(rows[i].text, vars, 4, &v, &why),
		    rows[i].err, rows[i].what);
		CHECK_INT(v, rows[i].err == ERR_OK ? rows[i].value : -7,
		    rows[i].what);
		if (rows[i].err != ERR_OK)
			CHECK(strstr(why.text, rows[i].text), rows[i].what);
	}
	check_depth();
}
