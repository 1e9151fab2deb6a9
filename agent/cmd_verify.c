/* kernelforge verify: any kernel file against an operator, by the lab. */
#include "agent/claim.h"
#include "agent/command.h"
#include "agent/kernel_file.h"
#include "agent/term.h"
#include "base/log.h"
#include "lab/lab.h"
#include <math.h>
#include <string.h>

struct verify_line {
	bool json, all;
	int64_t deadline_ms;
	const char *device;
	struct opt_list skip;
};

#define CASES_SHOWN 6

#define AT(m) offsetof(struct verify_line, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "json",	 OPT_FLAG,   AT(json),	      0, 0, NULL,   "print one JSON object" },
	{ "all",	 OPT_FLAG,   AT(all),	      0, 0, NULL,   "show every case, not only those that failed" },
	{ "deadline-ms", OPT_INT,    AT(deadline_ms), 10, 600000, "MS", "how long a launch may take (default 5000)" },
	{ "device",	 OPT_STRING, AT(device),      0, 0, "TEXT", "an OpenCL device by a part of its name (default: the first)" },
	{ "skip",	 OPT_LIST,   AT(skip),	      0, 0, "STAGE", "leave a stage out, and say so in the verdict; may be given again" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "kernelforge verify",
	.usage = "OP FILE",
	.about = "judges a kernel file: verified_correct, or what is wrong "
	         "with it",
	.rows = rows,
	.nrows = sizeof rows / sizeof *rows,
	.args_min = 2,
	.args_max = 2,
};

/* Exit codes of verdicts; what is not here is a judgement. */
static const enum exit_code verify_exits[LAB_NVERDICTS] = {
	[LAB_VERIFIED_CORRECT] = EXIT_DONE,
	[LAB_VERIFIED_INCORRECT] = EXIT_JUDGED,
	[LAB_REFUSED] = EXIT_JUDGED,
	[LAB_COMPILE_ERROR] = EXIT_JUDGED,
	[LAB_TIMEOUT] = EXIT_JUDGED,
	[LAB_CRASH] = EXIT_JUDGED,
	[LAB_SANDBOX] = EXIT_JUDGED,
	[LAB_RESOURCE] = EXIT_JUDGED,
	[LAB_ERROR] = EXIT_ENV,
	[LAB_SMOKE_PASSED] = EXIT_JUDGED,
};

static size_t
passed_of(const struct lab_report *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->ncases; i++)
		n += r->cases[i].passed;
	return n;
}

/* The numbers; a case that failed before its values were looked at has none.
 */
static void
add_values(struct term_table *t, const struct lab_case_result *c)
{
	bool has_none = !c->passed && c->bound_ratio == 0;

	if (has_none) {
		for (size_t i = 0; i < 4; i++)
			term_table_add(t, TERM_PLAIN, "-");
		return;
	}
	term_table_addf(t, TERM_PLAIN, "%.2e", c->max_abs_diff);
	term_table_addf(t, TERM_PLAIN, "%.2e", c->max_rel_diff);
	if (!isfinite(c->bound_ratio))
		term_table_add(t, TERM_BAD, "not finite");
	else
		term_table_addf(t, c->passed ? TERM_PLAIN : TERM_BAD,
		    c->passed ? "%.3f" : "%.2g", c->bound_ratio);
	if (c->passed)
		term_table_add(t, TERM_PLAIN, "");
	else
		term_table_addf(t, TERM_PLAIN, "%zu", c->worst);
}

static void
print_case(struct term_table *t, const struct lab_case_result *c)
{
	term_table_add(t, TERM_PLAIN, c->name);
	term_table_add(t, TERM_PLAIN, dtype_name(c->dtype));
	term_table_add(t, c->passed ? TERM_GOOD : TERM_BAD,
	    c->passed ? "passed" : "FAILED");
	add_values(t, c);
}

/* A verified kernel needs no list: its worst case says how close it was. */
static bool
is_shown(const struct lab_report *r, size_t i)
{
	if (r->verdict != LAB_VERIFIED_CORRECT)
		return !r->cases[i].passed;
	for (size_t k = 0; k < r->ncases; k++)
		if (r->cases[k].bound_ratio > r->cases[i].bound_ratio ||
		    (k < i &&
		        r->cases[k].bound_ratio == r->cases[i].bound_ratio))
			return false;
	return true;
}

static void
print_cases(const struct lab_report *r, bool all)
{
	static const char *const head[] = { "Case", "Storage", "Result",
		"Largest difference", "Relative", "Of its bound",
		"Worst element" };
	struct term_table t;
	size_t shown = 0;

	term_table_init(&t, sizeof head / sizeof *head);
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		term_table_add(&t, TERM_BOLD, head[i]);
	for (size_t i = 0; i < r->ncases && (all || shown < CASES_SHOWN); i++)
		if (all || is_shown(r, i)) {
			print_case(&t, &r->cases[i]);
			shown++;
		}
	if (shown > 0)
		term_table_print(&t, stdout);
	term_table_done(&t);
	if (r->ncases > 0)
		printf("%zu of %zu cases passed%s\n", passed_of(r), r->ncases,
		    shown < r->ncases ? "; --all shows every one" : "");
}

/* Foreign words reach the terminal through the claim filter only. */
static void
print_foreign(const char *label, const char *text)
{
	char *clean = claim_clean(text, 400);

	if (*clean)
		printf("%s%s\n", label, clean);
	free(clean);
}

static void
print_report(const struct op *op, const struct lab_report *r,
    const struct verify_line *line)
{
	static const char *const status[] = {
		[LAB_STAGE_PASSED] = "passed",
		[LAB_STAGE_FAILED] = "FAILED",
		[LAB_STAGE_SKIPPED] = "skipped",
	};

	for (size_t i = 0; i < r->nstages; i++)
		printf("%-10s %-8s %8.1f ms  %s\n",
		    lab_stage_name(r->stages[i].stage),
		    status[r->stages[i].status], r->stages[i].ms,
		    r->stages[i].note);
	print_cases(r, line->all);
	printf("%s: %s", op->name, lab_verdict_name(r->verdict));
	if (*r->class && strcmp(r->class, lab_verdict_name(r->verdict)) != 0)
		printf(" (%s)", r->class);
	putchar('\n');
	if (r->verdict == LAB_VERIFIED_CORRECT)
		return;
	print_foreign("", r->message);
	print_foreign("suspected cause: ", r->suspect);
}

/* The stages to leave out, as bits; false: one is unknown or cannot be. */
static bool
read_skip(const struct opt_list *names, uint32_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < names->n; i++) {
		enum lab_stage s = lab_stage_find(names->items[i]);

		if (s == LAB_NSTAGES || !lab_stage_may_be_left_out(s)) {
			log_error("verify",
			    "--skip: found \"%.40s\", expected a stage that "
			    "can be left out (ir, exact, holdouts, oclgrind, "
			    "replay, schedule, relations)",
			    names->items[i]);
			return false;
		}
		*ret |= UINT32_C(1) << s;
	}
	return true;
}

static int
judge(const struct op *op, const struct candidate *c,
    const struct verify_line *line)
{
	struct lab_conf conf = {
		.deadline_ms = (uint32_t)line->deadline_ms,
		.device = line->device,
	};
	struct lab_request rq = {
		.op = op,
		.candidate = c,
		.upto = LAB_NSTAGES - 1,
	};
	struct lab_report r;
	struct lab *lab;
	struct why why;
	enum err e;

	if (!read_skip(&line->skip, &rq.skip))
		return EXIT_USAGE;
	e = lab_open(&conf, &lab, &why);

	if (e != ERR_OK) {
		log_error("verify", "%s", why.text);
		return (int)err_exit_code(e);
	}
	lab_judge(lab, &rq, &r);
	lab_close(lab);
	if (line->json) {
		json_t *json = lab_report_json(op, &r);

		json_dumpf(json, stdout, JSON_INDENT(2) | JSON_SORT_KEYS);
		putchar('\n');
		json_decref(json);
	} else
		print_report(op, &r, line);
	return (int)verify_exits[r.verdict];
}

static int
run(int argc, char **argv)
{
	struct verify_line line = { 0 };
	struct candidate c = { 0 };
	const char *args[2];
	const struct op *op;
	struct why why;
	size_t nargs;
	int code;

	if (!command_parse(&cmd_verify, argc, argv, &line, args, &nargs, &code))
		return code;
	op = op_find(args[0]);
	if (!op) {
		log_error("verify",
		    "found \"%.60s\", expected an operator (see kernelforge "
		    "ops)",
		    args[0]);
		return EXIT_USAGE;
	}
	if (kernel_file_read(args[1], &c, &why) != ERR_OK) {
		log_error("verify", "%s", why.text);
		return EXIT_USAGE;
	}
	code = judge(op, &c, &line);
	candidate_done(&c);
	return code;
}

const struct command cmd_verify = { "verify", &opts, run };
