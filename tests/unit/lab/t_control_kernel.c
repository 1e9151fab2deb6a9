/*
 * The control kernel: a child that ends in the middle of a launch is the
 * candidate's doing as long as a good kernel lives, and the machine's when a
 * good kernel fails too.  The zygote is killed for real, as by a system that
 * runs out of memory: all its children go with it.
 */
#include "lab/lab.h"
#include "tests/unit.h"
#include "tests/unit/lab/kit.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define HEAD KIT_ITEM_KERNEL "	float v = kf_load(x, r * x_stride + c);\n"

static const char good[] =
    HEAD "	kf_store(out, r * out_stride + c, v / (1.0f + exp(-v)));\n"
         "}\n";
/* Gets through only where the look at its IR is left out. */
static const char traps[] = HEAD "	kf_store(out, r * out_stride + c, v);\n"
                                 "	if (c == 3)\n"
                                 "		__builtin_trap();\n"
                                 "}\n";

/* The device's zygote is the lab's last child. */
static void
kill_zygote(void)
{
	char *text = kit_children();
	siginfo_t end;
	pid_t last = 0;

	for (char *p = strtok(text, " \n"); p; p = strtok(NULL, " \n"))
		last = (pid_t)strtol(p, NULL, 10);
	if (CHECK(last > 0, "the lab has a zygote"))
		kill(last, SIGKILL);
	/* Its children are told before it can be waited for. */
	waitid(P_PID, (id_t)last, &end, WEXITED | WNOWAIT);
	free(text);
}

static void
on_stage(const struct lab_stage_result *r, void *arg)
{
	(void)arg;
	if (r->stage == LAB_STAGE_BUILD)
		kill_zygote();
}

static void
judge(struct lab *l, const char *text,
    void (*on)(const struct lab_stage_result *r, void *arg),
    struct lab_report *ret)
{
	struct candidate c = { 0 };
	struct lab_request rq = { .op = op_find("silu"),
		.candidate = &c,
		.upto = LAB_STAGE_SMOKE,
		.skip = 1U << LAB_STAGE_IR,
		.on_stage = on };
	struct why why;

	if (CHECK(candidate_parse_file("k.cl", text, strlen(text), &c, &why) ==
	            ERR_OK,
	        "a kernel of this test"))
		lab_judge(l, &rq, ret);
	candidate_done(&c);
}

void
t_control_kernel(void)
{
	static struct lab_report r;
	struct lab *l = NULL;
	struct why why;
	enum err e;

	setenv("TMPDIR", unit_tmpdir(), 1);
	e = lab_open(NULL, &l, &why);
	unsetenv("TMPDIR");
	if (e == ERR_ENV)
		unit_skip(why.text);
	if (!CHECK_INT(e, ERR_OK, "the lab opens"))
		return;
	judge(l, traps, NULL, &r);
	CHECK_STR(lab_verdict_name(r.verdict), "crash", r.message);
	judge(l, good, on_stage, &r);
	CHECK_STR(lab_verdict_name(r.verdict), "lab_error", r.message);
	judge(l, good, NULL, &r);
	CHECK_STR(lab_verdict_name(r.verdict), "lab_error", r.message);
	lab_close(l);
}
