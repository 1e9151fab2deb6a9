/*
 * Launching a case and looking at memory afterwards.
 *
 * Three launches: from poison A, from poison B, and from A again.  The first
 * two tell what was never written, the third what differs from launch to
 * launch though nothing differs.  A case that has been through this is
 * launched once elsewhere, from poison B: its values tell the rest.
 */
#include "lab/stages/trial_launch.h"

#include "base/mem.h"
#include "lab/run/geometry.h"
#include "lab/stages/control_kernel.h"
#include "lab/stages/coverage_count.h"
#include "lab/stages/side_child.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
trial_set_outcome(struct trial_outcome *o, enum lab_verdict v,
    const char *class, const char *detail)
{
	o->verdict = v;
	o->class = class;
	snprintf(o->detail, sizeof o->detail, "%s", detail);
}

/* Every so many work items a launch has its deadline once more. */
#define WORK_UNIT ((uint64_t)1 << 22)
#define WORK_MOST ((uint64_t)1 << 27)

/* All launches of a candidate have so many deadlines together, and half of what
 * each may take beyond one for its size. */
#define BUDGET_DEADLINES 6
/* What is left of that is no deadline for a clock where it is next to
 * nothing. */
#define LEAST_PART 10

static uint32_t own_deadline_ms(const struct trial *t,
    const struct trial_case *tc);
static uint64_t budget_us(const struct trial *t);

static void
outcome_of_fault(const struct trial_case *tc, const struct order_answer *a,
    struct trial_outcome *o)
{
	const struct op *op = tc->in->op;
	const char *name =
	    a->fault_arg < op->nargs ? op->args[a->fault_arg].name : "?";
	const char *what = a->fault_write ? "write" : "read";
	char detail[128];

	if (a->fault_area == FAULT_INPUT) {
		snprintf(detail, sizeof detail, "writes its input \"%s\"",
		    name);
		trial_set_outcome(o, LAB_VERIFIED_INCORRECT, "input_write",
		    detail);
	} else if (a->fault_area == FAULT_GUARD) {
		snprintf(detail, sizeof detail,
		    "a %s outside the buffer of \"%s\"", what, name);
		trial_set_outcome(o, LAB_VERIFIED_INCORRECT, "out_of_bounds",
		    detail);
	} else if (a->fault_area == FAULT_SYSTEM) {
		trial_set_outcome(o, LAB_SANDBOX, "sandbox",
		    "a system call that the sandbox denies");
	} else {
		snprintf(detail, sizeof detail, "a %s at an invalid address",
		    what);
		trial_set_outcome(o, LAB_CRASH, "crash", detail);
	}
}

/* A kernel can end its process, and so can a machine that is out of memory. */
static void
outcome_of_death(struct trial *t, struct child_handle *w,
    struct trial_outcome *o)
{
	char text[128];

	child_handle_describe_end(w, text, sizeof text);
	if (control_passes(t->lab, NULL))
		trial_set_outcome(o, LAB_CRASH, "crash", text);
	else
		trial_set_outcome(o, LAB_ERROR, "lab_error",
		    "the launch ended early, and so does a good kernel's");
}

static void
outcome_of_lateness(const struct trial *t, const struct trial_launch *where,
    const struct trial_case *tc, struct trial_outcome *o)
{
	bool is_late = child_handle_spent_us(where->worker) / 1000 >=
	    own_deadline_ms(t, tc);
	char text[128];

	if (trial_launches_are_spent(t) && !is_late)
		snprintf(text, sizeof text,
		    "all launches so far took more than %llu ms of processor "
		    "time together",
		    (unsigned long long)(budget_us(t) / 1000));
	else
		snprintf(text, sizeof text,
		    "still running after %u ms of its own",
		    own_deadline_ms(t, tc));
	trial_set_outcome(o, LAB_TIMEOUT, "timeout", text);
}

bool
trial_launch_ended(struct trial *t, const struct trial_launch *where,
    const struct trial_case *tc, enum child_handle_event event,
    const struct order_answer *a, struct trial_outcome *o)
{
	bool ran = event == CHILD_HANDLE_ANSWER && a->kind == ANSWER_RAN;

	if (ran && !trial_launches_are_spent(t))
		return true;
	o->alive = false;
	if (ran || event == CHILD_HANDLE_TIMEOUT) {
		outcome_of_lateness(t, where, tc, o);
	} else if (event == CHILD_HANDLE_DIED) {
		outcome_of_death(t, where->worker, o);
	} else if (a->kind == ANSWER_FAULT) {
		outcome_of_fault(tc, a, o);
	} else if (a->kind == ANSWER_LAUNCH_ERROR) {
		trial_set_outcome(o, LAB_RESOURCE, "resource", a->text);
	} else {
		trial_set_outcome(o, LAB_SANDBOX, "sandbox",
		    "the child answers what it was not asked");
	}
	return false;
}

/* A launch of many work items, or of long rows that few items walk, may take
 * longer, by as much as they are many. */
static uint32_t
own_deadline_ms(const struct trial *t, const struct trial_case *tc)
{
	uint64_t work = trial_work(t->rq->op, &tc->in->shape, &tc->geometry);
	uint64_t ms = t->lab->conf.deadline_ms;
	uint64_t elements = trial_elements(tc->in);

	work = work > elements ? work : elements;
	return (uint32_t)(ms +
	    ms * (work < WORK_MOST ? work : WORK_MOST) / WORK_UNIT);
}

static uint64_t
budget_us(const struct trial *t)
{
	return (uint64_t)t->lab->conf.deadline_ms * 1000 * BUDGET_DEADLINES +
	    t->sizes_us;
}

bool
trial_launches_are_spent(const struct trial *t)
{
	return t->launches_us >= budget_us(t);
}

void
trial_launch_charge(struct trial *t, const struct trial_launch *where,
    const struct trial_case *tc)
{
	uint32_t more_ms = own_deadline_ms(t, tc) - t->lab->conf.deadline_ms;

	t->launches_us += child_handle_spent_us(where->worker);
	t->sizes_us += (uint64_t)more_ms * 1000 / 2;
}

/* Its own, or what all launches have left. */
static uint32_t
deadline_ms(const struct trial *t, const struct trial_case *tc)
{
	uint32_t own = own_deadline_ms(t, tc), ms = t->lab->conf.deadline_ms;
	uint64_t left = trial_launches_are_spent(t)
	    ? 0
	    : (budget_us(t) - t->launches_us) / 1000;

	left = left > ms / LEAST_PART ? left : ms / LEAST_PART + 1;
	return left < ms ? (uint32_t)left + own - ms : own;
}

static int
count_launches(const struct trial_launch *where)
{
	return where->once ? 1 : TRIAL_LAUNCHES;
}

static enum pack_poison
poison_of(const struct trial_launch *where, int launch)
{
	return where->once ? where->poison
	                   : (enum pack_poison)(launch % PACK_NPOISONS);
}

static bool
lay_out(const struct trial_launch *where, const struct trial_case *tc,
    struct trial_flight *f, struct trial_outcome *o)
{
	const struct pack *p = &f->pack;
	int n = count_launches(where);
	void *input, *output;
	struct why why;

	if (child_handle_arenas(where->worker, p->input_bytes,
	        (size_t)n * p->output_bytes, &input, &output, &why) != ERR_OK) {
		trial_set_outcome(o, LAB_ERROR, "lab_error", why.text);
		return false;
	}
	op_instance_hold(tc->in);
	pack_inputs(tc->in, p, input);
	op_instance_release(tc->in);
	pack_launch(tc->in, p, &tc->geometry, &f->launch);
	for (int i = 0; i < n; i++) {
		f->outputs[i] = (char *)output + (size_t)i * p->output_bytes;
		pack_poison(tc->in, p, poison_of(where, i), f->outputs[i]);
	}
	return true;
}

/* The same fills wherever a case is launched, so that its second poison is
 * another one than its first. */
static void
plan(struct trial *t, const struct trial_launch *where,
    const struct trial_case *tc, struct pack *ret)
{
	char *label = xasprintf("fills|%s", tc->c->name);
	struct draw d;

	draw_init(&d, t->seed.seed, label);
	free(label);
	pack_plan(tc->in, ret);
	pack_draw_fills(tc->in, &d, ret);
	/* It is launched once: only a NaN tells what was never written. */
	if (tc->group == TRIAL_SOUGHT && !tc->c->mix)
		ret->poisons[PACK_POISON_B] = PACK_FILL_NAN_B;
	if (where->elsewhere && trial_ends_exactly(t, tc))
		pack_to_the_byte(tc->in, t->align, ret);
	else if (where->elsewhere)
		pack_turn(ret);
}

bool
trial_ends_exactly(const struct trial *t, const struct trial_case *tc)
{
	char *label = xasprintf("ends|%s", tc->c->name);
	struct draw d;

	draw_init(&d, t->seed.seed, label);
	free(label);
	return draw_bits(&d) % 2 == 0;
}

bool
trial_launch_start(struct trial *t, const struct trial_launch *where,
    const struct trial_case *tc, struct trial_flight *ret,
    struct trial_outcome *o)
{
	*o = (struct trial_outcome){ .alive = true };
	if (tc->geometry_err != ERR_OK) {
		trial_set_outcome(o, LAB_VERIFIED_INCORRECT, "launch",
		    tc->geometry_why.text);
		return false;
	}
	plan(t, where, tc, &ret->pack);
	if (!lay_out(where, tc, ret, o))
		return false;
	/* OpenCL 1.2 refuses a launch of no work items; its answer is empty. */
	if (!geometry_is_empty(&tc->geometry))
		child_handle_launch(where->worker, &ret->launch,
		    deadline_ms(t, tc));
	return true;
}

/* The first launch is under way. */
static bool
await_all(struct trial *t, const struct trial_launch *where,
    const struct trial_case *tc, struct trial_flight *f,
    struct trial_outcome *o)
{
	struct order_region *out = &f->launch.regions[tc->in->out_index];
	struct order_answer a = { 0 };
	enum child_handle_event event;

	for (int i = 0; i < count_launches(where); i++) {
		/* Each launch has an output of its own, in which it cannot
		 * find its earlier answer; all are looked at after the last. */
		if (i > 0) {
			out->map_at += f->pack.output_bytes;
			out->data_at += f->pack.output_bytes;
			child_handle_launch(where->worker, &f->launch,
			    deadline_ms(t, tc));
		}
		event = side_children_await(t, where->worker, &a);
		trial_launch_charge(t, where, tc);
		if (!trial_launch_ended(t, where, tc, event, &a, o))
			return false;
	}
	return true;
}

/* What a look at two launches tells. */
static void
judge_memory(const struct pack_finding *f, size_t n, struct trial_outcome *o)
{
	char detail[128];

	if (f->out_of_bounds > 0) {
		trial_set_outcome(o, LAB_VERIFIED_INCORRECT, "out_of_bounds",
		    "writes outside the elements of its output");
	} else if (f->unwritten > 0) {
		snprintf(detail, sizeof detail,
		    "%zu of %zu output elements were never written",
		    f->unwritten, n);
		trial_set_outcome(o, LAB_VERIFIED_INCORRECT, "unwritten",
		    detail);
	} else if (f->unequal > 0) {
		snprintf(detail, sizeof detail,
		    "%zu of %zu output elements differ between two launches",
		    f->unequal, n);
		trial_set_outcome(o, LAB_VERIFIED_INCORRECT, "nondeterministic",
		    detail);
	}
}

bool
trial_launch_inspect(const struct trial_launch *where,
    const struct trial_case *tc, const struct trial_flight *f, float *got,
    struct trial_outcome *o)
{
	size_t n = (size_t)tc->in->out.rows * tc->in->out.cols;
	struct pack_finding found;

	if (where->once) {
		pack_inspect_one(tc->in, &f->pack, where->poison, f->outputs[0],
		    got, &found);
		judge_memory(&found, n, o);
	}
	for (int i = count_launches(where) - 1; i > 0 && !o->class; i--) {
		pack_inspect(tc->in, &f->pack, f->outputs[i - i % 2],
		    f->outputs[1], got, &found);
		judge_memory(&found, n, o);
	}
	return !o->class;
}

bool
trial_launch(struct trial *t, const struct trial_launch *where,
    const struct trial_case *tc, float *got, struct trial_outcome *o)
{
	struct cover *fallback = t->fallbacks[tc->c->dtype];
	struct trial_flight f;

	*o = (struct trial_outcome){ .alive = true };
	if (fallback && tc->geometry_err == ERR_OK)
		return cover_takes_for_right(t, tc, got) ||
		    cover_launch(t, fallback, tc, got, o);
	return trial_launch_start(t, where, tc, &f, o) &&
	    (geometry_is_empty(&tc->geometry) ||
	        await_all(t, where, tc, &f, o)) &&
	    trial_launch_inspect(where, tc, &f, got, o);
}
