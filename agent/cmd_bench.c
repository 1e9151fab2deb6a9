/*
 * kernelforge bench: how fast a kernel is, once it is right.
 *
 * Without a file the plain kernel runs against itself: its speed-up says how
 * far the machine's noise reaches.
 */
#include "agent/commands.h"
#include "agent/kernel_file.h"
#include "agent/telling/bench_print.h"
#include "agent/text/term.h"
#include "base/log.h"
#include "lab/lab.h"
#include "lab/read/plain_kernel.h"
#include "lab/timing/timing.h"
#include <stdlib.h>
#include <string.h>

struct bench_line {
	bool json;
	const char *size, *device;
};

#define AT(m) offsetof(struct bench_line, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "json",   OPT_FLAG,   AT(json),   0, 0, NULL,   "print one JSON object" },
	{ "size",   OPT_STRING, AT(size),   0, 0, "SIZE", "one size only, such as rows=512,cols=1024 (default: four, one of them drawn)" },
	{ "device", OPT_STRING, AT(device), 0, 0, "TEXT", "an OpenCL device by a part of its name (default: the first)" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "kernelforge bench",
	.usage = "OP [FILE]",
	.about = "verifies a kernel file, then times it against the plain "
	         "kernel and the machine's limits",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_min = 1,
	.args_max = 2,
	.examples =
	    "kernelforge bench relu\t"
	    "how fast the plain kernel is here\n"
	    "kernelforge bench matmul mine.cl --size m=512,n=512,k=512\t"
	    "one kernel at one size\n",
};

struct job {
	const struct op *op;
	struct candidate candidate; /* owned */
	struct op_shape shape;
	const struct bench_line *line;
};

static void
on_size(const struct lab_timing_size *s, void *arg)
{
	(void)arg;
	term_progress("%-9s %-14s %.3f ms", s->name, s->shape,
	    s->candidate.median_ms);
}

static void
print(const struct job *j, const struct lab_report *r,
    const struct lab_machine *m, const struct lab_timing *t)
{
	json_t *json;

	if (!j->line->json) {
		bench_print(j->op, m, t, stdout);
		return;
	}
	json = lab_timing_json(t);
	json_object_set_new(json, "op", json_string(j->op->name));
	json_object_set_new(json, "verdict",
	    json_string(lab_verdict_name(r->verdict)));
	json_object_set_new(json, "source_sha256",
	    json_string(r->source_sha256));
	json_object_set_new(json, "machine", lab_machine_json(m));
	json_dumpf(json, stdout, JSON_INDENT(2) | JSON_SORT_KEYS);
	putchar('\n');
	json_decref(json);
}

/* The verdict first: exit code of a kernel that is not right. */
static int
refuse(const struct job *j, const struct lab_report *r)
{
	log_error("bench", "%s: %s: not timed (kernelforge verify %s says why)",
	    j->op->name, lab_verdict_name(r->verdict), j->op->name);
	return r->verdict == LAB_ERROR ? EXIT_ENV : EXIT_JUDGED;
}

static int
measure(const struct job *j, struct lab *lab)
{
	struct lab_request rq = { .op = j->op,
		.candidate = &j->candidate,
		.upto = LAB_NSTAGES - 1 };
	struct lab_timing_request time = { .op = j->op,
		.candidate = &j->candidate,
		.shape = j->line->size ? &j->shape : NULL,
		.on_size = on_size };
	static struct lab_report r; /* too large for a stack */
	struct lab_machine m;
	struct lab_timing t;
	struct why why;
	enum err e;

	lab_judge(lab, &rq, &r);
	if (r.verdict != LAB_VERIFIED_CORRECT)
		return refuse(j, &r);
	e = lab_machine_measure(lab, &m, &why);
	time.verdict = &r;
	time.machine = &m;
	if (e == ERR_OK)
		e = lab_time(lab, &time, &t, &why);
	term_progress_end();
	if (e != ERR_OK)
		return command_end(&cmd_bench, e, &why);
	print(j, &r, &m, &t);
	return EXIT_DONE;
}

static int
open_and_measure(const struct job *j)
{
	struct lab_conf conf = { .device = j->line->device };
	struct lab *lab;
	struct why why;
	enum err e = lab_open(&conf, &lab, &why);
	int code;

	if (e != ERR_OK)
		return command_end(&cmd_bench, e, &why);
	code = measure(j, lab);
	lab_close(lab);
	return code;
}

static enum err
prepare(struct job *j, const char *const *args, size_t nargs, struct why *why)
{
	enum err e = ERR_OK;

	j->op = op_find(args[0]);
	if (!j->op)
		return why_set(why, ERR_SYNTAX,
		    "found \"%.60s\", expected an operator (see kernelforge "
		    "ops)",
		    args[0]);
	if (j->line->size)
		e = bench_parse_size(j->op, j->line->size, &j->shape, why);
	if (e != ERR_OK)
		return e;
	return nargs > 1 ? kernel_file_read(args[1], &j->candidate, why)
	                 : plain_candidate(j->op, &j->candidate, why);
}

static int
run(int argc, char **argv)
{
	struct bench_line line = { 0 };
	struct job j = { .line = &line };
	const char *args[2];
	struct why why;
	size_t nargs;
	int code;

	if (!command_parse(&cmd_bench, argc, argv, &line, args, &nargs, &code))
		return code;
	if (prepare(&j, args, nargs, &why) != ERR_OK) {
		log_error("bench", "%s", why.text);
		return EXIT_USAGE;
	}
	code = open_and_measure(&j);
	candidate_done(&j.candidate);
	return code;
}

const struct command cmd_bench = { "bench", &opts, run };
