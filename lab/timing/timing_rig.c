/*
 * Everything here runs on one processor: the broom would miss the private
 * caches of another, and a woken child does not have to be moved.
 */
#include "lab/timing/timing_rig.h"

#include "base/clock.h"
#include "base/mem.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES        64
#define DISTURBED_PART    50    /* a fiftieth of the launch */
#define USUAL_WAIT_NS     20000 /* two wake-ups */
#define CACHES_MAX        5
#define CACHE_FOLDER      "/sys/devices/system/cpu/cpu0/cache"
#define CACHE_BYTES_USUAL ((size_t)64 << 20) /* where nothing tells */
#define CACHE_BYTES_MAX   ((size_t)256 << 20)

static void stay_on(pid_t pid, int cpu);
static enum err await(struct rig *r, enum answer_kind kind,
    struct order_answer *ret, struct why *why);

enum err
rig_start(struct rig *r, struct lab *l, const char *name,
    const struct order_build *o, struct why *why)
{
	enum err e;

	*r = (struct rig){ .lab = l, .name = name };
	e = open_lab_for_timing(l, why);
	if (e == ERR_OK)
		e = child_handle_start(l->timing, l->scratch, &r->worker, why);
	if (e == ERR_OK)
		child_handle_build(r->worker, o, l->conf.build_deadline_ms);
	return e;
}

enum err
rig_await(struct rig *r, int cpu, struct why *why)
{
	struct order_answer a;
	enum err e = await(r, ANSWER_BUILT, &a, why);

	/* Where it may not be pinned, the spread will tell. */
	if (e == ERR_OK)
		stay_on(child_handle_pid(r->worker), cpu);
	return e;
}

void
rig_stop(struct rig *r)
{
	child_handle_stop(r->worker);
	*r = (struct rig){ 0 };
}

enum err
rig_arenas(struct rig *r, size_t input_bytes, size_t output_bytes,
    struct why *why)
{
	void *input, *output;
	enum err e = child_handle_arenas(r->worker, input_bytes, output_bytes,
	    &input, &output, why);

	if (e != ERR_OK)
		return e;
	r->input = input;
	r->output = output;
	return ERR_OK;
}

enum err
rig_arm(struct rig *r, uint32_t slot, const struct order_launch *o,
    struct why *why)
{
	struct order_arm arm = { .kind = ORDER_ARM,
		.slot = slot,
		.launch = *o };
	struct order_answer a;

	child_handle_arm(r->worker, &arm, r->lab->conf.deadline_ms);
	return await(r, ANSWER_ARMED, &a, why);
}

/* How long a process has stood in line for a processor; 0 where the kernel
 * does not count it. */
static uint64_t
waited_ns_of(pid_t pid)
{
	char path[64];
	uint64_t ran_ns, waited_ns = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%d/schedstat", (int)pid);
	f = fopen(path, "re");
	if (f && fscanf(f, "%" SCNu64 " %" SCNu64, &ran_ns, &waited_ns) != 2)
		waited_ns = 0;
	if (f)
		fclose(f);
	return waited_ns;
}

enum err
rig_fire(struct rig *r, uint32_t slot, struct rig_time *ret, struct why *why)
{
	pid_t pid = child_handle_pid(r->worker);
	uint64_t waited_ns = waited_ns_of(pid) + waited_ns_of(getpid());
	uint64_t start_ns = clock_mono_ns(), took_ns;
	struct order_answer a = { 0 };
	enum err e;

	child_handle_fire(r->worker, slot, r->lab->conf.deadline_ms);
	e = await(r, ANSWER_RAN, &a, why);
	took_ns = clock_mono_ns() - start_ns;
	waited_ns = waited_ns_of(pid) + waited_ns_of(getpid()) - waited_ns;
	ret->parent_ms = (double)took_ns / 1e6;
	ret->device_ms = (double)a.device_ns / 1e6;
	ret->is_disturbed =
	    waited_ns > took_ns / DISTURBED_PART + USUAL_WAIT_NS;
	return e;
}

static enum err
await(struct rig *r, enum answer_kind kind, struct order_answer *ret,
    struct why *why)
{
	enum child_handle_event event = child_handle_await(r->worker, ret);
	char end[64];

	if (event == CHILD_HANDLE_TIMEOUT)
		return why_set(why, ERR_TIMEOUT,
		    "%s: still running after its "
		    "deadline",
		    r->name);
	if (event != CHILD_HANDLE_ANSWER) {
		child_handle_describe_end(r->worker, end, sizeof end);
		return why_set(why, ERR_CLOSED, "%s: %s", r->name, end);
	}
	if (ret->kind == (uint32_t)kind)
		return ERR_OK;
	return why_set(why, ERR_ENV, "%s: %s", r->name,
	    ret->kind == ANSWER_FAULT ? "a memory access faulted" : ret->text);
}

/* From sysfs: what sysconf() says may be the sum of a whole server. */
size_t
sweep_cache_bytes(void)
{
	size_t bytes = 0;

	for (int i = 0; i < CACHES_MAX; i++) {
		char *path = xasprintf(CACHE_FOLDER "/index%d/size", i);
		unsigned long kb = 0;
		FILE *f = fopen(path, "re");

		if (f && fscanf(f, "%luK", &kb) == 1 && kb * 1024 > bytes)
			bytes = kb * 1024;
		if (f)
			fclose(f);
		free(path);
	}
	if (bytes == 0)
		return CACHE_BYTES_USUAL;
	return bytes < CACHE_BYTES_MAX ? bytes : CACHE_BYTES_MAX;
}

void
sweep_init(struct sweep *s, size_t cache_bytes)
{
	s->bytes = cache_bytes + cache_bytes / 4;
	s->p = xmalloc(s->bytes);
	memset(s->p, 1, s->bytes);
}

/* Reads only: dirty lines would be written back on the next kernel's time. */
void
sweep_caches(struct sweep *s)
{
	char sum = 0;

	for (size_t i = 0; i < s->bytes; i += LINE_BYTES)
		sum = (char)(sum ^ s->p[i]);
	s->sum = sum;
}

void
sweep_done(struct sweep *s)
{
	free(s->p);
	s->p = NULL;
}

void
pin_enter(struct pin *p, int cpu)
{
	sched_getaffinity(0, sizeof p->before, &p->before);
	stay_on(0, cpu);
}

static void
stay_on(pid_t pid, int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	sched_setaffinity(pid, sizeof one, &one);
}

void
pin_leave(const struct pin *p)
{
	sched_setaffinity(0, sizeof p->before, &p->before);
}
