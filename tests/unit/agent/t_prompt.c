/* The prompt states the contract and keeps the holdouts to itself. */
#include "agent/model/fewshot.h"
#include "agent/model/prompt.h"
#include "cltext/candidate.h"
#include "tests/unit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *
content(json_t *messages, size_t i)
{
	return json_string_value(
	    json_object_get(json_array_get(messages, i), "content"));
}

static void
check_contract(void)
{
	static const char *const words[] = { "\"source\"", "\"entry\"",
		"\"global_size\"", "\"local_size\"", "\"assumptions\"",
		"ceil_div(a,b)", "round_up(a,b)", "pow2_ceil(a)", "kf_load",
		"kf_store", "KF_T", "-cl-std=CL1.2", "65536", "x_stride" };
	json_t *m = prompt_open(op_find("rope"), false);

	CHECK_INT(json_array_size(m), 2, "system and user");
	for (size_t i = 0; i < COUNT(words); i++)
		CHECK(strstr(content(m, 0), words[i]), words[i]);
	json_decref(m);
}

/* Every category has examples; none of them is an operator's name. */
static void
check_examples(void)
{
	for (size_t i = 0; i < op_count(); i++) {
		const struct op *op = op_at(i);
		json_t *with = prompt_open(op, true);
		json_t *without = prompt_open(op, false);
		const struct fewshot *f = fewshot_find(op->category);

		CHECK(f && strstr(content(with, 1), f->why), op->name);
		CHECK(f && !strstr(content(without, 1), f->why), op->name);
		CHECK(json_equal(json_array_get(with, 0),
		          json_array_get(without, 0)),
		    op->name);
		json_decref(with);
		json_decref(without);
	}
}

/* What is shown as an answer is one, and of no operator that is asked for. */
static void
check_answers(void)
{
	for (size_t i = 0; i < op_count(); i++) {
		const struct fewshot *f = fewshot_find(op_at(i)->category);
		struct candidate c;

		if (!f)
			continue;
		CHECK_INT(candidate_parse_answer(f->good, strlen(f->good), &c,
		              NULL),
		    ERR_OK, f->category);
		CHECK(!op_find(c.entry), c.entry);
		candidate_done(&c);
	}
}

/* Some cases are called after their storage type, which is no secret. */
static bool
is_dtype(const char *name)
{
	for (int t = 0; t < DTYPE_NDTYPES; t++)
		if (strcmp(name, dtype_name((enum dtype)t)) == 0)
			return true;
	return false;
}

/* Every operator's arguments are named; no holdout is. */
static void
check_operators(void)
{
	for (size_t i = 0; i < op_count(); i++) {
		const struct op *op = op_at(i);
		json_t *m = prompt_open(op, true);
		char *all = json_dumps(m, JSON_COMPACT);

		for (size_t k = 0; k < op->nargs; k++)
			CHECK(strstr(content(m, 1), op->args[k].name),
			    op->args[k].name);
		for (size_t k = 0; k < op->nholdouts; k++)
			CHECK(is_dtype(op->holdouts[k].name) ||
			        !strstr(all, op->holdouts[k].name),
			    op->holdouts[k].name);
		free(all);
		json_decref(m);
	}
}

static void
check_feedback(void)
{
	json_t *m = prompt_open(op_find("rope"), false);
	struct prompt_feedback fb = {
		.class = "wrong",
		.message = "case far_positions failed",
		.case_name = "far_positions",
		.dtype = DTYPE_F16,
		.max_abs_diff = 1.2345,
		.bound_ratio = 3200,
		.suspect = "pair layout",
	};

	prompt_add_feedback(m, "{}", &fb);
	CHECK_INT(json_array_size(m), 4, "answer and feedback");
	CHECK_STR(content(m, 2), "{}", "what the model said");
	CHECK_STR(content(m, 3),
	    "That failed: wrong.\ncase far_positions failed\n"
	    "Failing case: far_positions, storage type float16. Largest "
	    "difference about 10^0: about 10^4 times the allowed error.\n"
	    "Suspected cause: pair layout.\nAnswer again with one whole JSON "
	    "object as agreed.",
	    "exactly what is allowed");
	fb = (struct prompt_feedback){ .class = "inaccurate",
		.case_name = "wide",
		.dtype = DTYPE_F32,
		.max_abs_diff = 1e-6,
		.bound_ratio = 1,
		.suspect = "a sum in float16?" };
	prompt_add_feedback(m, NULL, &fb);
	CHECK_STR(content(m, 4),
	    "That failed: inaccurate.\n"
	    "Failing case: wide, storage type float32. Largest difference "
	    "about 10^-6: about the allowed error.\n"
	    "Suspected cause: a sum in float16?\n"
	    "Answer again with one whole JSON object as agreed.",
	    "a failure by a little, and a question");
	json_decref(m);
}

static void
check_ratio(void)
{
	static const struct {
		double ratio;
		const char *want;
	} rows[] = {
		{ 0, "within the bound" },
		{ 0.1, "within the bound" },
		{ 0.4, "about the allowed error" },
		{ 1, "about the allowed error" },
		{ 2.9, "about the allowed error" },
		{ 12, "about 10^1 times the allowed error" },
		{ 1e6, "about 10^6 times the allowed error" },
	};
	char out[96];

	for (size_t i = 0; i < COUNT(rows); i++) {
		prompt_ratio_text(rows[i].ratio, out, sizeof out);
		CHECK_STR(out, rows[i].want, rows[i].want);
	}
	prompt_ratio_text((double)INFINITY, out, sizeof out);
	CHECK(strstr(out, "not finite"), "a NaN where none belongs");
}

void
t_prompt(void)
{
	check_contract();
	check_examples();
	check_answers();
	check_operators();
	check_feedback();
	check_ratio();
}
