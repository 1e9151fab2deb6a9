/*
 * A lab is opened and closed: it ends what hangs, its doctor looks at the
 * machine, and nothing is left behind.  The corpus itself is judged by a group
 * for each family of operators (t_corpus_*.c); here stands what is asked of it
 * as a whole.
 */
#include "lab/lab.h"

#include "base/clock.h"
#include "base/files.h"
#include "tests/unit.h"
#include "tests/unit/lab/corpus.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MAX (1 << 17)

/* The stage that a bad kernel's text says is its only killer, as a bit. */
static uint32_t
killer_of(const char *path)
{
	enum lab_stage stage = LAB_NSTAGES;
	char word[32] = "";
	const char *sole;
	char *text;
	size_t len;

	if (!CHECK(files_read(path, FILE_MAX, &text, &len, NULL) == ERR_OK,
	        path))
		return 0;
	sole = strstr(text, "// sole: ");
	if (sole && sscanf(sole, "// sole: %31s", word) == 1)
		stage = lab_stage_find(word);
	free(text);
	return stage < LAB_NSTAGES ? 1U << stage : 0;
}

/* Who never is a kernel's only killer is not needed: that each of these kernels
 * gets through without its stage, the groups of the corpus see to. */
static void
check_killers(void)
{
	char **paths = files_list(CORPUS_FOLDER "bad", ".cl");
	uint32_t killers = 0;
	size_t n = 0;

	for (; paths[n]; n++)
		killers |= killer_of(paths[n]);
	CHECK(n >= 6, "there are bad kernels");
	files_list_free(paths);
	for (int s = 0; s < LAB_NSTAGES; s++)
		if (lab_stage_may_be_left_out((enum lab_stage)s))
			CHECK(killers >> s & 1,
			    lab_stage_name((enum lab_stage)s));
}

static void
check_hang(struct lab *l)
{
	static const char name[] = "bad/swiglu_hang.cl";
	uint64_t start_ms = clock_mono_ms();
	static struct lab_report r;
	struct candidate c = { 0 };
	char *text = NULL;
	size_t len;

	if (files_read(CORPUS_FOLDER "bad/swiglu_hang.cl", FILE_MAX, &text,
	        &len, NULL) == ERR_OK &&
	    candidate_parse_file(name, text, len, &c, NULL) == ERR_OK) {
		corpus_judge(l, op_find("swiglu"), &c, 1, &r);
		CHECK_STR(r.class, "timeout", name);
		/* Its deadline is processor time: how soon the clock has come
		 * by so much, others decide.  bench-lab says it. */
		CHECK(clock_mono_ms() - start_ms >= CORPUS_DEADLINE_MS,
		    "a hung launch has its deadline");
	}
	candidate_done(&c);
	free(text);
}

static void
check_doctor(struct lab *l)
{
	json_t *d = lab_doctor_json(l);

	CHECK_STR(json_string_value(json_object_get(d, "device")),
	    lab_device(l), "the doctor names the device");
	CHECK(json_is_real(json_object_get(d, "control_ms")),
	    "the control kernel passes");
	CHECK(json_array_size(json_object_get(d, "sandbox")) > 0,
	    "some sandbox is in force");
	json_decref(d);
}

void
t_lab(void)
{
	struct lab *l = NULL;
	size_t fds;

	check_killers();
	if (!corpus_open(&l, &fds))
		return;
	check_hang(l);
	check_doctor(l);
	corpus_close(l, fds);
}
