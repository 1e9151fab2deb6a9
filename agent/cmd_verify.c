/*
 * kernelforge verify: any kernel file against an operator, by the lab.
 *
 * Here is decided what a person sees of a judgement, and its exit code: a
 * verdict against the kernel is 1, as of every command that judges; what could
 * not be judged is never taken for either.
 */
#include "agent/commands.h"
#include "agent/kernel_file.h"
#include "agent/ledger/repeat_verdict.h"
#include "agent/text/claim_filter.h"
#include "agent/text/term.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/columns.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/terminal.h"
#include "lab/lab.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct verify_line {
	bool json, all;
	int64_t deadline_ms, iteration;
	const char *device, *seed, *from, *op;
	struct opt_list skip;
};

#define CASES_SHOWN  6
#define EVIDENCE_MAX ((size_t)64 << 10)
#define GROUP_COMMON 256 /* work items that every device takes in a group */

#define AT(m) offsetof(struct verify_line, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "json",	 OPT_FLAG,   AT(json),	      0, 0, NULL,   "print one JSON object" },
	{ "all",	 OPT_FLAG,   AT(all),	      0, 0, NULL,   "show every case, not only those that failed" },
	{ "deadline-ms", OPT_INT,    AT(deadline_ms), 10, 600000, "MS", "how long a launch may take (default 5000)" },
	{ "device",	 OPT_STRING, AT(device),      0, 0, "TEXT", "an OpenCL device by a part of its name (default: the first)" },
	{ "seed",	 OPT_STRING, AT(seed),	      0, 0, "HEX",  "repeat a verdict: its seed, or its seed_reveal (default: drawn fresh)" },
	{ "from",	 OPT_STRING, AT(from),	      0, 0, "LEDGER", "repeat the verdict of a run, from its ledger or its folder" },
	{ "op",		 OPT_STRING, AT(op),	      0, 0, "OP",   "with --from: the operator, where no file is named" },
	{ "iteration",	 OPT_INT,    AT(iteration),   1, 1000, "N", "with --from: the attempt (default: its last one)" },
	{ "skip",	 OPT_LIST,   AT(skip),	      0, 0, "STAGE", "leave a stage out, and say so in the verdict; may be given again" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "kernelforge verify",
	.usage = "OP FILE | --from LEDGER --op OP",
	.about = "judges a kernel file: verified_correct, or what is wrong "
	         "with it",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_min = 0,
	.args_max = 2,
	.examples = "kernelforge verify rope mine.cl\t"
	            "exit 0 when it is right\n"
	            "kernelforge verify rope mine.cl --json\t"
	            "every case and stage, for a program\n"
	            "kernelforge verify --from DIR/ledger.jsonl --op rope\t"
	            "judge the claim of a run again\n",
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
	[LAB_UNPROVEN] = EXIT_JUDGED,
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

/* How many passed, and that of those which failed not all stand above. */
static void
print_count(const struct lab_report *r, size_t shown)
{
	size_t passed = passed_of(r), failed = r->ncases - passed;
	bool is_cut = failed > shown;

	if (is_cut)
		columns_say(stdout, "%zu more failed; --all shows them",
		    failed - shown);
	columns_say(stdout, "%zu of %zu cases passed%s", passed, r->ncases,
	    shown < r->ncases && !is_cut ? "; --all shows every one" : "");
}

static void
print_cases(const struct lab_report *r, bool all)
{
	static const char *const head[] = { "Case", "Storage", "Result",
		"Largest difference", "Relative", "Of its bound",
		"Worst element" };
	struct term_table t;
	size_t shown = 0;

	term_table_init(&t, COUNT(head));
	for (size_t i = 0; i < COUNT(head); i++)
		term_table_add(&t, TERM_BOLD, head[i]);
	for (size_t i = 0; i < r->ncases && (all || shown < CASES_SHOWN); i++)
		if (all || is_shown(r, i)) {
			print_case(&t, &r->cases[i]);
			shown++;
		}
	if (shown > 0)
		term_table_print(&t, stdout);
	term_table_done(&t);
	if (r->ncases == 0)
		return;
	if (shown > 0)
		columns_say(stdout, "%s",
		    "Of its bound: up to 1 is right; rounding the result to "
		    "its storage type may come to 1 alone.");
	print_count(r, shown);
}

/* "rows=3, cols=5, x_stride=7, out_stride=5" */
static void
add_shape(struct buf *b, const struct op *op, const struct op_shape *shape)
{
	const char *between = "";

	for (size_t i = 0; i < op->nargs; i++) {
		const struct op_arg *a = &op->args[i];

		if (a->kind == OP_UINT)
			buf_addf(b, "%s%s=%u", between, a->name,
			    op_scalar_uint(a, shape));
		else if (a->kind == OP_REAL)
			buf_addf(b, "%s%s=%.9g", between, a->name,
			    (double)op_scalar_real(a, shape));
		else
			continue;
		between = ", ";
	}
}

/* What to look at, for whoever has the file in hand. */
static void
print_evidence(const struct op *op, const struct lab_report *r, bool all)
{
	struct buf b;
	size_t shown = 0;

	buf_init(&b, EVIDENCE_MAX);
	for (size_t i = 0; i < r->ncases && (all || shown < CASES_SHOWN); i++) {
		const struct lab_case_result *c = &r->cases[i];

		if (c->passed)
			continue;
		buf_clear(&b);
		buf_addf(&b, "%s (%s): ", c->name, dtype_name(c->dtype));
		add_shape(&b, op, &c->shape);
		if (c->is_compared)
			buf_addf(&b,
			    "; row %zu, column %zu is %.9g, expected %.9g",
			    c->worst / c->out_cols, c->worst % c->out_cols,
			    c->got, c->want);
		columns_say(stdout, "%s", b.data);
		shown++;
	}
	buf_done(&b);
}

static void
print_needs(const struct lab_needs *n)
{
	columns_say(stdout,
	    "needs: groups of up to %u work items%s, %llu bytes of local "
	    "memory%s%s",
	    n->local_size,
	    n->local_size > GROUP_COMMON ? " (some devices take 256)" : "",
	    (unsigned long long)n->local_bytes, *n->extensions ? ", " : "",
	    n->extensions);
}

/* Foreign words reach the terminal through the claim filter only. */
static void
print_foreign(const char *label, const char *text)
{
	char *clean = claim_clean(text, 400);

	if (*clean)
		columns_say(stdout, "%s%s", label, clean);
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
		columns_put_last(r->stages[i].note,
		    printf("%-10s %-8s %8.1f ms  ",
		        lab_stage_name(r->stages[i].stage),
		        status[r->stages[i].status], r->stages[i].ms),
		    stdout);
	print_cases(r, line->all);
	printf("%s: %s", op->name, lab_verdict_name(r->verdict));
	if (*r->class && strcmp(r->class, lab_verdict_name(r->verdict)) != 0)
		printf(" (%s)", r->class);
	putchar('\n');
	if (r->verdict == LAB_VERIFIED_CORRECT) {
		print_needs(&r->needs);
		return;
	}
	print_foreign("", r->message);
	print_foreign("suspected cause: ", r->suspect);
	print_evidence(op, r, line->all);
	if (*r->seed_reveal)
		columns_say(stdout, "to see the same cases again: --seed %s",
		    r->seed_reveal);
}

static void
refuse_skip(const char *found)
{
	const char *between = "";
	struct buf b;

	buf_init(&b, EVIDENCE_MAX);
	for (int s = 0; s < LAB_NSTAGES; s++)
		if (lab_stage_may_be_left_out((enum lab_stage)s)) {
			buf_addf(&b, "%s%s", between,
			    lab_stage_name((enum lab_stage)s));
			between = ", ";
		}
	log_error("verify",
	    "--skip: found \"%.40s\", expected a stage that can be left out "
	    "(%s)",
	    found, b.data);
	buf_done(&b);
}

/* The stages to leave out, as bits; false: one is unknown or cannot be. */
static bool
read_skip(const struct opt_list *names, uint32_t *ret)
{
	*ret = 0;
	for (size_t i = 0; i < names->n; i++) {
		enum lab_stage s = lab_stage_find(names->items[i]);

		if (s == LAB_NSTAGES || !lab_stage_may_be_left_out(s)) {
			refuse_skip(names->items[i]);
			return false;
		}
		*ret |= UINT32_C(1) << s;
	}
	return true;
}

/* device: NULL where none was opened. */
static void
print_json(const struct op *op, const struct lab_report *r, const char *device)
{
	json_t *json = lab_report_json(op, r);

	if (device)
		json_object_set_new(json, "device", json_string(device));
	json_dumpf(json, stdout, JSON_INDENT(2) | JSON_SORT_KEYS);
	putchar('\n');
	json_decref(json);
}

/* Nothing could be judged: the reason, also as the object that is asked for. */
static int
fail_unjudged(const struct op *op, const struct verify_line *line,
    enum lab_verdict v, const struct why *why, enum exit_code code)
{
	/* Static, as in judge(): a report is too large for the stack frame that
	 * the budget allows. */
	static struct lab_report r;

	log_error("verify", "%s", why->text);
	lab_report_unread(&r, v, why->text);
	if (line->json)
		print_json(op, &r, NULL);
	return (int)code;
}

/* What is judged, and by which seed. */
struct subject {
	const struct op *op;
	struct candidate candidate;
	struct repeat repeat;
	bool repeats;
	bool is_runs; /* the run's own kernel was asked for */
};

/* Another kernel than the one whose verdict is repeated? */
static bool
is_another(const struct subject *s)
{
	return s->repeats && !repeat_is_of(&s->repeat, &s->candidate);
}

/* ---- while it is judged */

#define PIPE_QUIET_US ((uint64_t)2000000) /* before a line, and between two */
#define LIVE_EVERY_US ((uint64_t)100000)

struct waiting {
	uint64_t told_us;
	enum lab_stage stage;
	bool is_live; /* on a terminal: one line, written over again */
	bool is_mute; /* a program reads, and nobody watches */
};

static void
on_step(enum lab_stage stage, size_t done, size_t of, void *arg)
{
	struct waiting *w = arg;
	uint64_t now_us = clock_mono_us();
	bool is_new = stage != w->stage;

	if (w->is_mute ||
	    now_us - w->told_us < (!w->is_live     ? PIPE_QUIET_US
	                                  : is_new ? 0
	                                           : LIVE_EVERY_US))
		return;
	w->told_us = now_us;
	w->stage = stage;
	if (of > 0)
		term_progress("%s: %zu of %zu cases", lab_stage_name(stage),
		    done, of);
	else if (done > 0)
		term_progress("%s: %zu launches", lab_stage_name(stage), done);
	else
		term_progress("%s ...", lab_stage_name(stage));
}

static int
judge(const struct subject *s, const struct verify_line *line)
{
	struct waiting waiting = { .told_us = clock_mono_us(),
		.stage = LAB_NSTAGES,
		.is_live = terminal_is_drawn(stderr),
		.is_mute = line->json && !terminal_is_drawn(stderr) };
	struct lab_conf conf = {
		.deadline_ms = (uint32_t)line->deadline_ms,
		.device = line->device,
	};
	struct lab_request rq = {
		.op = s->op,
		.candidate = &s->candidate,
		.upto = LAB_NSTAGES - 1,
		.seed = s->repeats ? s->repeat.seed : NULL,
		.nonce =
		    s->repeats && s->repeat.has_nonce ? s->repeat.nonce : NULL,
		.on_step = on_step,
		.arg = &waiting,
	};
	static struct lab_report r;
	struct lab *lab;
	struct why why;
	char *device;
	enum err e;

	if (!read_skip(&line->skip, &rq.skip))
		return EXIT_USAGE;
	if (s->is_runs && is_another(s)) {
		(void)why_set(&why, ERR_STATE,
		    "--from: the kernel's file is not the one that the ledger "
		    "speaks of: it was changed");
		return fail_unjudged(s->op, line, LAB_ERROR, &why, EXIT_JUDGED);
	}
	e = lab_open(&conf, &lab, &why);
	if (e != ERR_OK)
		return fail_unjudged(s->op, line, LAB_ERROR, &why,
		    err_exit_code(e));
	lab_judge(lab, &rq, &r);
	term_progress_end();
	device = xstrdup(lab_device(lab));
	lab_close(lab);
	if (line->json)
		print_json(s->op, &r, device);
	else
		print_report(s->op, &r, line);
	free(device);
	/* A warning and not a refusal: to judge another kernel by the same
	 * cases is a good use of a seed. */
	if (is_another(s))
		log_warn("verify",
		    "this is not the source that the ledger speaks of");
	return (int)verify_exits[r.verdict];
}

/* The seed to repeat, if any is named. */
static enum err
read_seed(const struct verify_line *line, struct subject *s, struct why *why)
{
	enum err e = ERR_OK;

	s->repeats = line->seed || line->from;
	if (line->seed)
		e = repeat_from_hex(line->seed, &s->repeat, why);
	else if (line->from)
		e = repeat_from_ledger(line->from, s->op->name,
		    (unsigned)line->iteration, &s->repeat, why);
	return e == ERR_OK
	    ? e
	    : why_prefix(why, e, line->seed ? "--seed" : "--from");
}

/* Which operator and which file; NULL: the line does not say. */
static const char *
read_words(const struct verify_line *line, const char *const *args,
    size_t nargs, const char **ret_op)
{
	bool from_run = line->from && line->op && nargs == 0;

	*ret_op = from_run ? line->op : args[0];
	if (line->iteration && !line->from) {
		log_error("verify",
		    "--iteration: which attempt of a run, so it needs --from "
		    "LEDGER");
		return NULL;
	}
	if ((nargs != 2 && !from_run) || (nargs == 2 && line->op) ||
	    (line->seed && line->from)) {
		log_error("verify",
		    "expected OP FILE, with at most one of --seed HEX and "
		    "--from LEDGER; or --from LEDGER --op OP (see kernelforge "
		    "verify --help)");
		return NULL;
	}
	return from_run ? "" : args[1];
}

static int
judge_file(const struct verify_line *line, const char *file, struct subject *s)
{
	struct why why;
	int code;

	s->is_runs = !*file;
	if (read_seed(line, s, &why) != ERR_OK) {
		log_error("verify", "%s", why.text);
		return EXIT_USAGE;
	}
	if (kernel_file_read(*file ? file : s->repeat.file, &s->candidate,
	        &why) != ERR_OK)
		code =
		    fail_unjudged(s->op, line, LAB_REFUSED, &why, EXIT_USAGE);
	else
		code = judge(s, line);
	candidate_done(&s->candidate);
	repeat_done(&s->repeat);
	return code;
}

static int
run(int argc, char **argv)
{
	struct verify_line line = { 0 };
	struct subject s = { 0 };
	const char *args[2] = { NULL }, *name, *file;
	size_t nargs;
	int code;

	if (!command_parse(&cmd_verify, argc, argv, &line, args, &nargs, &code))
		return code;
	file = read_words(&line, args, nargs, &name);
	if (!file)
		return EXIT_USAGE;
	s.op = op_find(name);
	if (!s.op) {
		log_error("verify",
		    "found \"%.60s\", expected an operator (see kernelforge "
		    "ops)",
		    name);
		return EXIT_USAGE;
	}
	return judge_file(&line, file, &s);
}

const struct command cmd_verify = { "verify", &opts, run };
