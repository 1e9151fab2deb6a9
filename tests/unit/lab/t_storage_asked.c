/*
 * Who knows where a kernel is wrong asks for that storage type alone: the same
 * cases fail there as in the whole verdict, and where they pass nothing is
 * claimed.
 */
#include "base/files.h"
#include "tests/unit.h"
#include "tests/unit/lab/corpus.h"
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *what, *file;
	uint32_t storage;
	enum lab_verdict want;
} rows[] = {
	{ "where it is wrong", "bad/tanh_cut_in_float16.cl", 1U << DTYPE_F16,
	    LAB_VERIFIED_INCORRECT },
	{ "where it is right", "bad/tanh_cut_in_float16.cl", 1U << DTYPE_F32,
	    LAB_SMOKE_PASSED },
	{ "a right one", "good/silu_four.cl", 1U << DTYPE_BF16,
	    LAB_SMOKE_PASSED },
};

static void
check_row(struct lab *l, size_t i)
{
	static struct lab_report r;
	const char *name = strrchr(rows[i].file, '/') + 1;
	char *path = files_join(CORPUS_FOLDER, rows[i].file), *text = NULL;
	struct candidate c = { 0 };
	uint8_t seed[32] = "storage";
	size_t n;

	if (CHECK_INT(files_read(path, CANDIDATE_SOURCE_MAX, &text, &n, NULL),
	        ERR_OK, rows[i].file) &&
	    CHECK_INT(candidate_parse_file(name, text, n, &c, NULL), ERR_OK,
	        rows[i].file)) {
		lab_judge(l,
		    &(struct lab_request){ .op = op_of_kernel(name),
		        .candidate = &c,
		        .upto = LAB_STAGE_HOLDOUTS,
		        .storage = rows[i].storage,
		        .seed = seed },
		    &r);
		CHECK_STR(lab_verdict_name(r.verdict),
		    lab_verdict_name(rows[i].want), rows[i].what);
		for (size_t k = 1; k < r.ncases; k++)
			CHECK_INT(rows[i].storage >> r.cases[k].dtype & 1, 1,
			    r.cases[k].name);
		CHECK(r.ncases > 1, "more than the smoke case");
	}
	candidate_done(&c);
	free(text);
	free(path);
}

void
t_storage_asked(void)
{
	static const struct lab_conf conf = { .deadline_ms = 5000,
		.in_turn = true };
	struct lab *l = NULL;
	struct why why;
	enum err e = lab_open(&conf, &l, &why);

	if (e == ERR_ENV)
		unit_skip(why.text);
	if (!CHECK_INT(e, ERR_OK, "a lab"))
		return;
	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(l, i);
	lab_close(l);
}
