/*
 * Deadlines: a child's processor time, so that a machine full of others' work
 * makes nobody late, and the clock for a child that sleeps, though not while it
 * waits for a processor.
 */
#include "lab/lab.h"
#include "lab/run/deadline.h"

#include "base/clock.h"
#include "lab/run/child_handle.h"
#include "lab/run/process_time.h"
#include "lab/stages/open_lab.h"
#include "tests/unit.h"
#include "tests/unit/lab/kit.h"
#include <sched.h>
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
		        (uint64_t)SHORT_MS * DEADLINE_SLACK,
		    "not before its slack is over");
	}
	child_handle_stop(w[0]);
	child_handle_stop(w[1]);
	lab_close(l);
	unsetenv("TMPDIR");
}

/* ---- what counts */

#define ALLOWED_MS 100
#define LOOKS_MAX  4

/* Looks at a child from when it got an order of ALLOWED_MS. */
static const struct {
	const char *what;
	struct deadline_now looks[LOOKS_MAX]; /* 0: no more of them */
	uint64_t left_ms;                     /* at the last one */
} rows[] = {
	{ "one that has worked a little", { { 30, 30, 0 } }, 70 },
	{ "one that has worked too long", { { 100, 100, 0 } }, 0 },
	{ "one that got half of a processor", { { 160, 80, 0 } }, 20 },
	{ "one that sleeps", { { 500, 0, 0 }, { 790, 0, 0 } }, 10 },
	{ "one that sleeps on", { { 800, 0, 0 }, { 1540, 0, 0 } }, 60 },
	{ "one that slept all the time", { { 800, 0, 0 }, { 1600, 0, 0 } }, 0 },
	{ "one that is looked at late", { { 90000, 20, 0 } }, 80 },
	{ "one that waits for a processor",
	    { { 800, 1, 700 }, { 90000, 2, 89800 } }, 98 },
	{ "one that waits, and works too long",
	    { { 800, 1, 700 }, { 90000, 100, 89800 } }, 0 },
	{ "one that waits, then sleeps",
	    { { 800, 1, 700 }, { 90000, 2, 89800 }, { 90700, 2, 89800 } }, 0 },
	{ "a wait that began before anybody asked",
	    { { 800, 1, 0 }, { 900, 2, 880 } }, 98 },
};

static void
check_rows(void)
{
	const struct deadline_now start = { 1000000, 5000, 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct deadline d;
		uint64_t left = 0;

		deadline_begin(&d, ALLOWED_MS, &start);
		for (size_t k = 0; k < LOOKS_MAX && rows[i].looks[k].mono_ms;
		     k++) {
			struct deadline_now now = rows[i].looks[k];

			now.mono_ms += start.mono_ms;
			now.used_ms += start.used_ms;
			if (!deadline_asks_wait(&d, now.mono_ms))
				now.waited_ms = 0;
			left = deadline_left_ms(&d, &now);
		}
		CHECK_INT(left, rows[i].left_ms, rows[i].what);
	}
}

/* Two that share a processor wait for it in turn. */
static void
check_waited(void)
{
	enum { WORK_MS = 200, LEAST_MS = 20 };
	uint64_t before_ms = process_waited_ms(getpid()), used_ms;
	cpu_set_t all, one;
	pid_t other;

	if (before_ms == 0 && access("/proc/self/schedstat", R_OK) != 0)
		return;
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	if (sched_getaffinity(0, sizeof all, &all) != 0 ||
	    sched_setaffinity(0, sizeof one, &one) != 0)
		return;
	other = fork();
	if (other == 0)
		for (alarm(BUSY_S);;)
			;
	used_ms = process_used_ms(getpid());
	while (process_used_ms(getpid()) < used_ms + WORK_MS)
		;
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	sched_setaffinity(0, sizeof all, &all);
	CHECK(process_waited_ms(getpid()) >= before_ms + LEAST_MS,
	    "who shares a processor waits for it");
	CHECK_INT(process_waited_ms(0), 0, "who is gone does not");
}

void
t_deadline(void)
{
	check_rows();
	check_waited();
	check_busy();
	check_asleep();
}
