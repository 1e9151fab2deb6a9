/*
 * What a device's compiler gets wrong is not the kernel's fault, and a kernel's
 * fault is not the compiler's: on a device that compiles as everybody has it.
 */
#include "base/files.h"
#include "tests/unit.h"
#include "tests/unit/lab/corpus.h"
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *file;
	const char *right, *wrong; /* of the same length, or NULL */
	enum lab_verdict want;
} cases[] = {
	{ "sum_last_early.cl", NULL, NULL, LAB_VERIFIED_CORRECT },
	{ "sum_last_early.cl", "part[0]", "part[1]", LAB_VERIFIED_INCORRECT },
	{ "sum_last_early_volatile.cl", NULL, NULL, LAB_VERIFIED_CORRECT },
	{ "softmax_early_out.cl", NULL, NULL, LAB_VERIFIED_CORRECT },
	{ "softmax_early_out.cl", "s < 128", "s < 127",
	    LAB_VERIFIED_INCORRECT },
};

static void
check_case(struct lab *l, size_t i)
{
	static struct lab_report r;
	char *path = files_join(CORPUS_FOLDER "good", cases[i].file);
	struct candidate c = { 0 };
	char *text = NULL, *at;
	size_t n;

	if (!CHECK_INT(files_read(path, CANDIDATE_SOURCE_MAX, &text, &n, NULL),
	        ERR_OK, path))
		return;
	at = cases[i].right ? strstr(text, cases[i].right) : NULL;
	CHECK(at || !cases[i].right, "what is to be made wrong stands there");
	if (at)
		memcpy(at, cases[i].wrong, strlen(cases[i].wrong));
	if (CHECK_INT(candidate_parse_file(path, text, n, &c, NULL), ERR_OK,
	        path)) {
		lab_judge(l,
		    &(struct lab_request){ .op = op_of_kernel(cases[i].file),
		        .candidate = &c,
		        .upto = LAB_NSTAGES - 1 },
		    &r);
		CHECK_STR(lab_verdict_name(r.verdict),
		    lab_verdict_name(cases[i].want), r.message);
	}
	candidate_done(&c);
	free(text);
	free(path);
}

void
t_device_fallback(void)
{
	const struct lab_conf conf = { .deadline_ms = CORPUS_DEADLINE_MS,
		.as_usual = true };
	struct lab *l = NULL;
	struct why why;
	enum err e = lab_open(&conf, &l, &why);

	if (e == ERR_ENV)
		unit_skip(why.text);
	if (!CHECK_INT(e, ERR_OK, "a lab"))
		return;
	for (size_t i = 0; i < COUNT(cases); i++)
		check_case(l, i);
	lab_close(l);
}
