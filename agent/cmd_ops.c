/*
 * kernelforge ops: what the registry holds.
 *
 * All of it is public, the names of the holdouts too: their values are drawn
 * with the secret seed and stand nowhere.
 */
#include "agent/commands.h"
#include "agent/text/term.h"
#include "base/buf.h"
#include "base/columns.h"
#include "base/log.h"
#include "ops/covering_array.h"
#include "ops/op.h"
#include <jansson.h>
#include <stddef.h>

struct ops_line {
	bool json;
};

static const struct opt rows[] = {
	{ "json", OPT_FLAG, offsetof(struct ops_line, json), 0, 0, NULL,
	    "print one JSON array" },
};

static const struct opt_command opts = {
	.name = "kernelforge ops",
	.usage = "[OP]",
	.about =
	    "lists the operators: arguments, smoke case, holdouts; of one, "
	    "its cases, and the factors whose classes every verdict pairs",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_max = 1,
	.examples = "kernelforge ops\t"
	            "all of them\n"
	            "kernelforge ops rope\t"
	            "one, with its cases and factors\n",
};

static const char *const kind_names[] = {
	[OP_IN] = "in",
	[OP_OUT] = "out",
	[OP_POSITIONS] = "positions",
	[OP_UINT] = "uint",
	[OP_REAL] = "float",
};

static json_t *
op_json(const struct op *op)
{
	json_t *args = json_array();

	for (size_t i = 0; i < op->nargs; i++)
		json_array_append_new(args,
		    json_pack("{s:s, s:s}", "name", op->args[i].name, "kind",
		        kind_names[op->args[i].kind]));
	return json_pack("{s:s, s:s, s:s, s:o, s:s, s:I}", "name", op->name,
	    "category", op->category, "formula", op->formula, "arguments", args,
	    "smoke", op->smoke->name, "holdouts", (json_int_t)op->nholdouts);
}

static void
print_json(void)
{
	json_t *all = json_array();

	for (size_t i = 0; i < op_count(); i++)
		json_array_append_new(all, op_json(op_at(i)));
	json_dumpf(all, stdout, JSON_INDENT(2) | JSON_SORT_KEYS);
	putchar('\n');
	json_decref(all);
}

static void
print_table(void)
{
	struct term_table t;
	struct buf b;

	term_table_init(&t, 4);
	term_table_add(&t, TERM_BOLD, "Operator");
	term_table_add(&t, TERM_BOLD, "Category");
	term_table_add(&t, TERM_BOLD, "Arguments");
	term_table_add(&t, TERM_BOLD, "Holdouts");
	for (size_t i = 0; i < op_count(); i++) {
		const struct op *op = op_at(i);

		buf_init(&b, 1024);
		for (size_t k = 0; k < op->nargs; k++)
			buf_addf(&b, "%s%s", k ? ", " : "", op->args[k].name);
		term_table_add(&t, TERM_PLAIN, op->name);
		term_table_add(&t, TERM_PLAIN, op->category);
		term_table_add(&t, TERM_PLAIN, b.len ? b.data : "");
		term_table_addf(&t, TERM_PLAIN, "%zu", op->nholdouts);
		buf_done(&b);
	}
	term_table_print(&t, stdout);
	term_table_done(&t);
}

static void
add_cases(struct term_table *t, const char *what, const struct op_case *cases,
    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		term_table_add(t, TERM_PLAIN, cases[i].name);
		term_table_add(t, TERM_PLAIN, dtype_name(cases[i].dtype));
		term_table_add(t, TERM_PLAIN, what);
	}
}

/* Of which classes a verdict's drawn cases meet every pair; which sizes and
 * values they become, the secret seed says. */
static void
print_factors(const struct op *op)
{
	struct array_factor f[ARRAY_FACTORS_MAX];
	size_t n = array_factors(op, f);
	struct term_table t;

	term_table_init(&t, 2);
	term_table_add(&t, TERM_BOLD, "Factor");
	term_table_add(&t, TERM_BOLD, "Classes, paired by the drawn cases");
	for (size_t i = 0; i < n; i++) {
		struct buf b;

		buf_init(&b, 4096);
		for (size_t k = 0; k < f[i].nclasses; k++)
			buf_addf(&b, "%s%s", k ? "; " : "", f[i].classes[k]);
		term_table_add(&t, TERM_PLAIN, f[i].name);
		term_table_add(&t, TERM_PLAIN, b.len ? b.data : "");
		buf_done(&b);
	}
	term_table_print(&t, stdout);
	term_table_done(&t);
}

/* One operator, with what everybody is told of its cases. */
static void
print_op(const struct op *op)
{
	static const char *const head[] = { "Case", "Storage", "What for" };
	struct term_table t;

	columns_say(stdout, "%s (%s): %s", op->name, op->category, op->formula);
	for (size_t i = 0; i < op->nargs; i++)
		printf("  %-10s %s\n", op->args[i].name,
		    kind_names[op->args[i].kind]);
	term_table_init(&t, COUNT(head));
	for (size_t i = 0; i < COUNT(head); i++)
		term_table_add(&t, TERM_BOLD, head[i]);
	add_cases(&t, "smoke, public", op->smoke, 1);
	add_cases(&t, "exact", op->exact, op->nexact);
	add_cases(&t, "holdout", op->holdouts, op->nholdouts);
	term_table_print(&t, stdout);
	term_table_done(&t);
	print_factors(op);
}

static json_t *
factors_json(const struct op *op)
{
	struct array_factor f[ARRAY_FACTORS_MAX];
	size_t n = array_factors(op, f);
	json_t *all = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *classes = json_array();

		for (size_t k = 0; k < f[i].nclasses; k++)
			json_array_append_new(classes,
			    json_string(f[i].classes[k]));
		json_array_append_new(all,
		    json_pack("{s:s, s:o}", "name", f[i].name, "classes",
		        classes));
	}
	return all;
}

static void
print_op_json(const struct op *op)
{
	json_t *o = op_json(op), *cases = json_array();

	for (size_t i = 0; i < op->nholdouts; i++)
		json_array_append_new(cases,
		    json_pack("{s:s, s:s}", "name", op->holdouts[i].name,
		        "dtype", dtype_name(op->holdouts[i].dtype)));
	json_object_set_new(o, "cases", cases);
	json_object_set_new(o, "factors", factors_json(op));
	json_dumpf(o, stdout, JSON_INDENT(2) | JSON_SORT_KEYS);
	putchar('\n');
	json_decref(o);
}

static int
run_one(const char *name, bool json)
{
	const struct op *op = op_find(name);

	if (!op) {
		log_error("ops",
		    "found \"%.60s\", expected an operator (see kernelforge "
		    "ops)",
		    name);
		return EXIT_USAGE;
	}
	if (json)
		print_op_json(op);
	else
		print_op(op);
	return EXIT_DONE;
}

static int
run(int argc, char **argv)
{
	struct ops_line line = { 0 };
	const char *args[1];
	size_t nargs;
	int code;

	if (!command_parse(&cmd_ops, argc, argv, &line, args, &nargs, &code))
		return code;
	if (nargs > 0)
		return run_one(args[0], line.json);
	if (line.json)
		print_json();
	else
		print_table();
	return EXIT_DONE;
}

const struct command cmd_ops = { "ops", &opts, run };
