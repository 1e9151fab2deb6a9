/* The JSON of a report: the keys and types that other tools rely on. */
#include "lab/lab.h"

#include "tests/unit.h"
#include <math.h>
#include <string.h>

static const struct {
	const char *key;
	json_type type;
} keys[] = {
	{ "op", JSON_STRING },
	{ "verdict", JSON_STRING },
	{ "class", JSON_STRING },
	{ "smoke", JSON_TRUE },
	{ "cases", JSON_ARRAY },
	{ "stages", JSON_ARRAY },
	{ "message", JSON_STRING },
	{ "suspect", JSON_STRING },
	{ "source_sha256", JSON_STRING },
	{ "seed_commit", JSON_STRING },
	{ "seed_reveal", JSON_STRING },
	{ "array", JSON_OBJECT },
	{ "batch_invariant", JSON_TRUE },
	{ "coverage", JSON_OBJECT },
};

/* Too large for a stack. */
static struct lab_report r = { .verdict = LAB_VERIFIED_INCORRECT,
	.class = "wrong",
	.smoke = 1,
	.batch_invariant = 1,
	.stages[1] = { LAB_STAGE_HOLDOUTS, LAB_STAGE_FAILED, 0, "" },
	.nstages = 2,
	.cases = { { .name = "a", .dtype = DTYPE_F16, .bound_ratio = HUGE_VAL },
	    { .name = "b", .passed = true } },
	.ncases = 2 };

static void
check_items(json_t *root)
{
	json_t *c = json_array_get(json_object_get(root, "cases"), 0);
	json_t *s = json_array_get(json_object_get(root, "stages"), 1);

	CHECK_STR(json_string_value(json_object_get(c, "name")), "a", "name");
	CHECK_STR(json_string_value(json_object_get(c, "dtype")), "float16",
	    "dtype");
	CHECK(json_is_false(json_object_get(c, "passed")), "passed");
	CHECK(json_is_number(json_object_get(c, "max_abs_diff")) &&
	        json_is_number(json_object_get(c, "max_rel_diff")),
	    "differences");
	CHECK(json_is_null(json_object_get(c, "bound_ratio")),
	    "an infinite ratio is null");
	CHECK_STR(json_string_value(json_object_get(s, "name")), "holdouts",
	    "stage");
	CHECK_STR(json_string_value(json_object_get(s, "status")), "failed",
	    "status");
	CHECK(json_is_number(json_object_get(s, "ms")), "ms");
}

/* One way in several storage types is one, named with them. */
static void
check_untaken(void)
{
	static const char *const what[] = { "never true", "never false" };
	char text[48];
	json_t *ways, *of;

	lab_report_untaken(&r.coverage, 8, what[0], 1U << DTYPE_F16);
	lab_report_untaken(&r.coverage, 8, what[0], 1U << DTYPE_BF16);
	lab_report_untaken(&r.coverage, 8, what[1], 1U << DTYPE_F16);
	lab_report_excused(&r.coverage, 3, what[0], 1U << DTYPE_F32);
	lab_report_untaken(&r.coverage, 9, what[0], 1U << DTYPE_F16);
	CHECK_INT(r.coverage.nuntaken, 3, "each line and way once");
	ways = lab_coverage_json(&r);
	of =
	    json_object_get(json_array_get(json_object_get(ways, "untaken"), 0),
	        "storage");
	CHECK_INT(json_array_size(of), 2, "storage types");
	of = json_array_get(json_object_get(ways, "excused"), 0);
	CHECK_INT(json_integer_value(json_object_get(of, "line")), 3,
	    "an impossible way's line");
	of =
	    json_object_get(json_array_get(json_object_get(ways, "untaken"), 0),
	        "storage");
	CHECK_STR(json_string_value(json_array_get(of, 1)), "bfloat16",
	    "the second one");
	lab_report_storage(r.coverage.untaken[0].storage, text, sizeof text);
	CHECK_STR(text, "float16, bfloat16", "in words");
	json_decref(ways);
}

/* A loop is one in all storage types; two of a line are two. */
static void
check_loops(void)
{
	static struct lab_coverage c;
	static struct lab_report of;
	const struct lab_loop all[] = { { .line = 8, .once = true },
		{ .line = 8, .nth = 1, .none = true },
		{ .line = 8, .many = true } };
	json_t *ways, *first;

	for (size_t i = 0; i < COUNT(all); i++)
		lab_report_loop(&c, &all[i]);
	of.coverage = c;
	ways = lab_coverage_json(&of);
	CHECK_INT(json_array_size(json_object_get(ways, "loops")), 2,
	    "loops of a line");
	first = json_array_get(json_object_get(ways, "loops"), 0);
	CHECK_INT(json_integer_value(json_object_get(first, "line")), 8,
	    "its line");
	CHECK(json_is_false(json_object_get(first, "none")) &&
	        json_is_true(json_object_get(first, "once")) &&
	        json_is_true(json_object_get(first, "many")),
	    "what it did in any storage type");
	json_decref(ways);
}

void
t_lab_report(void)
{
	json_t *root = lab_report_json(op_find("rope"), &r);

	for (size_t i = 0; i < COUNT(keys); i++)
		CHECK_INT(json_typeof(json_object_get(root, keys[i].key)),
		    keys[i].type, keys[i].key);
	check_items(root);
	check_untaken();
	check_loops();
	json_decref(root);
	r.smoke = -1;
	root = lab_report_json(op_find("rope"), &r);
	CHECK(json_is_null(json_object_get(root, "smoke")),
	    "smoke never reached is null");
	json_decref(root);
	for (int v = 0; v < LAB_NVERDICTS; v++)
		CHECK(lab_verdict_name((enum lab_verdict)v),
		    "every verdict "
		    "has a name");
	for (int s = 0; s < LAB_NSTAGES; s++)
		CHECK(lab_stage_name((enum lab_stage)s),
		    "every stage has a "
		    "name");
}
