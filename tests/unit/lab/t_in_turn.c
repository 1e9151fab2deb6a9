/*
 * A lab that begins nothing before its stage judges as any other: the same
 * stage refuses the same kernel for the same case.
 */
#include "base/files.h"
#include "tests/unit.h"
#include "tests/unit/lab/corpus.h"
#include <stdlib.h>
#include <string.h>

static const char *const files[] = {
	"good/sum_last_early.cl",                /* all stages */
	"bad/swiglu_swallows_nan.cl",            /* holdouts */
	"bad/swiglu_near_read.cl",               /* oclgrind */
	"bad/relu_reads_on.cl",                  /* replay */
	"bad/sum_last_race_in_float16.cl",       /* schedule */
	"bad/sqrt_hash.cl",                      /* coverage */
	"bad/elementwise_add_32_bit_product.cl", /* a launch far out */
};

static bool
judge(struct lab *l, const char *file, struct lab_report *r)
{
	const char *name = strrchr(file, '/') + 1;
	char *path = files_join(CORPUS_FOLDER, file), *text = NULL;
	struct candidate c = { 0 };
	uint8_t seed[32] = "in turn";
	size_t n;
	bool ok =
	    CHECK_INT(files_read(path, CANDIDATE_SOURCE_MAX, &text, &n, NULL),
	        ERR_OK, file) &&
	    CHECK_INT(candidate_parse_file(name, text, n, &c, NULL), ERR_OK,
	        file);

	if (ok)
		lab_judge(l,
		    &(struct lab_request){ .op = op_of_kernel(name),
		        .candidate = &c,
		        .upto = LAB_NSTAGES - 1,
		        .seed = seed },
		    r);
	candidate_done(&c);
	free(text);
	free(path);
	return ok;
}

static void
check_same(const struct lab_report *a, const struct lab_report *b,
    const char *file)
{
	CHECK_STR(lab_verdict_name(b->verdict), lab_verdict_name(a->verdict),
	    file);
	CHECK_STR(b->class, a->class, file);
	CHECK_STR(b->message, a->message, file);
	for (size_t i = 0; i < a->nstages && i < b->nstages; i++)
		CHECK_INT(b->stages[i].status, a->stages[i].status,
		    lab_stage_name(a->stages[i].stage));
	CHECK_INT(b->coverage.taken, a->coverage.taken, file);
}

void
t_in_turn(void)
{
	static const struct lab_conf usual = { .deadline_ms = 5000 },
	                             in_turn = { .deadline_ms = 5000,
		                             .in_turn = true };
	static struct lab_report a, b;
	struct lab *l = NULL, *turn = NULL;
	struct why why;
	enum err e = lab_open(&usual, &l, &why);

	if (e == ERR_ENV)
		unit_skip(why.text);
	if (!CHECK_INT(e, ERR_OK, "a lab") ||
	    !CHECK_INT(lab_open(&in_turn, &turn, &why), ERR_OK, "in turn"))
		return;
	for (size_t i = 0; i < COUNT(files); i++)
		if (judge(l, files[i], &a) && judge(turn, files[i], &b))
			check_same(&a, &b, files[i]);
	lab_close(l);
	lab_close(turn);
}
