/*
 * Deadlines: a child's processor time, so that a machine full of others' work
 * makes nobody late, and the clock for a child that sleeps.
 */
#include "lab/lab.h"

#include "base/clock.h"
#include "lab/run/child_handle.h"
#include "lab/stages/open_lab.h"
#include "tests/unit.h"
#include "tests/unit/lab/kit.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BUSY_MAX  96
#define BUSY_EACH 6 /* of a core */
#define LAUNCHES  3 /* of a case */
#define ALONE_X   4 /* sharing a core doubles a launch's processor time */
#define BUSY_S    120

/* One work item does more than silu asks for. */
static const char slow[] = KIT_ITEM_KERNEL
    "	float v = kf_load(x, r * x_stride + c), w = v;\n"
    "	for (uint k = 0; k < 30000000u && i == 0; k++)\n"
    "		w = fma(w, 0.5f, 1.0f);\n"
    "	kf_store(out, r * out_stride + c,\n"
    "	    v / (1.0f + exp(-v)) + (w > 100.0f ? 1.0f : 0.0f));\n"
    "}\n";

/* Up to the smoke test; returns how long that stage took. */
static uint32_t
judge(uint32_t deadline_ms, struct lab_report *ret)
{
	struct lab_conf conf = { .deadline_ms = deadline_ms };
	struct candidate c = { 0 };
	struct lab_request rq = { .op = op_find("silu"),
		.candidate = &c,
		.upto = LAB_STAGE_SMOKE,
		.skip = 1U << LAB_STAGE_IR };
	struct lab *l = NULL;
	struct why why;
	uint32_t ms = 0;
	enum err e;

	setenv("TMPDIR", unit_tmpdir(), 1);
	e = lab_open(&conf, &l, &why);
	unsetenv("TMPDIR");
	if (e == ERR_ENV)
		unit_skip(why.text);
	if (!CHECK_INT(e, ERR_OK, "the lab opens") ||
	    !CHECK(candidate_parse_file("k.cl", slow, strlen(slow), &c, &why) ==
	            ERR_OK,
	        "a kernel of this test"))
		return 0;
	lab_judge(l, &rq, ret);
	for (size_t i = 0; i < ret->nstages; i++)
		if (ret->stages[i].stage == LAB_STAGE_SMOKE)
			ms = (uint32_t)ret->stages[i].ms;
	candidate_done(&c);
	lab_close(l);
	return ms;
}

static size_t
start_busy(pid_t *pids)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN) * BUSY_EACH;

	n = n < BUSY_MAX ? n : BUSY_MAX;
	for (long i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			for (alarm(BUSY_S);;) /* should nobody end it */
				;
	}
	return (size_t)n;
}

/* A launch's deadline is a few times what it took alone; beside so many
 * others it takes longer than that. */
static void
check_busy(void)
{
	static struct lab_report r;
	pid_t busy[BUSY_MAX] = { 0 };
	uint32_t alone_ms = judge(60000, &r), beside_ms;
	size_t n;

	if (!CHECK_STR(r.class, "", r.message))
		return;
	n = start_busy(busy);
	beside_ms = judge(alone_ms * ALONE_X / LAUNCHES, &r);
	for (size_t i = 0; i < n; i++) {
		kill(busy[i], SIGKILL);
		waitpid(busy[i], NULL, 0);
	}
	CHECK_STR(r.class, "", r.message);
	printf("  smoke alone %u ms, beside %zu others %u ms\n", alone_ms, n,
	    beside_ms);
}

/* An order that is answered at once: there is nothing to compile. */
static enum child_handle_event
ask(struct child_handle *w, uint32_t deadline_ms, uint32_t stopped_ms)
{
	static struct order_build o = { .kind = ORDER_BUILD };
	struct timespec wait = { .tv_sec = stopped_ms / 1000,
		.tv_nsec = (long)(stopped_ms % 1000) * 1000000 };
	struct order_answer a;

	kill(child_handle_pid(w), SIGSTOP);
	child_handle_build(w, &o, deadline_ms);
	if (stopped_ms > 0) {
		nanosleep(&wait, NULL);
		kill(child_handle_pid(w), SIGCONT);
	}
	return child_handle_await(w, &a);
}

/* A child that is stopped uses no processor time. */
static void
check_asleep(void)
{
	enum { DEADLINE_MS = 200, SHORT_MS = 20 };
	struct child_handle *w[2] = { NULL };
	struct lab *l = NULL;
	struct why why;
	uint64_t start_ms;

	setenv("TMPDIR", unit_tmpdir(), 1);
	if (CHECK_INT(lab_open(NULL, &l, &why), ERR_OK, "the lab opens"))
		for (int i = 0; i < 2; i++)
			CHECK_INT(child_handle_start(l->zygote, l->scratch,
			              &w[i], &why),
			    ERR_OK, "a child starts");
	if (w[0] && w[1]) {
		CHECK_INT(ask(w[0], DEADLINE_MS, 3 * DEADLINE_MS),
		    CHILD_HANDLE_ANSWER, "what had no processor is not late");
		start_ms = clock_mono_ms();
		CHECK_INT(ask(w[1], SHORT_MS, 0), CHILD_HANDLE_TIMEOUT,
		    "what sleeps on is late");
		CHECK(clock_mono_ms() - start_ms >=
		        (uint64_t)SHORT_MS * CHILD_HANDLE_SLACK,
		    "not before its slack is over");
	}
	child_handle_stop(w[0]);
	child_handle_stop(w[1]);
	lab_close(l);
	unsetenv("TMPDIR");
}

void
t_deadline(void)
{
	check_busy();
	check_asleep();
}
