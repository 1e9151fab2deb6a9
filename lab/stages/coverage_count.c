/*
 * The arenas hold the IR, then every case's inputs; the counters, then every
 * case's output.  One batch after the other uses the same room.
 *
 * A launch that was run whole and came to its end is judged by its values.  Of
 * one of which some groups were run, what these wrote is judged among what the
 * device wrote; where the budget ended it, counts, bounds and races are taken.
 */
#include "lab/stages/coverage_count_priv.h"

#include "base/mem.h"
#include "lab/probe/builtin.h"
#include "lab/run/geometry.h"
#include "lab/stages/coverage_shortcuts.h"
#include "lab/stages/side_child.h"
#include "lab/stages/trial_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AHEAD_MAX   96  /* answers of 1.3 KB, in a socket of 208 KB */
#define ITEM_COST   200 /* instructions; a launch of more is run in part */
#define INPUT_MAX   ((size_t)96 << 20)
#define OUTPUT_MAX  ((size_t)96 << 20)
#define PAGE        ((size_t)4096)
#define DEADLINE_MS 60000 /* budgets bound the work; of a slow machine, too */
#define ITEMS_WHOLE 4096
#define GROUPS_SOME 12 /* pairs of neighbours */

static size_t
round_up(size_t n)
{
	return (n + PAGE - 1) / PAGE * PAGE;
}

static size_t
counter_bytes(const struct cover *c)
{
	return round_up(c->program->ncounters * sizeof(uint32_t) + 1);
}

void
cover_begin_batch(struct cover *c)
{
	c->nruns = c->nsent = c->njudged = 0;
	c->input_bytes = round_up(c->text_bytes + 1);
	c->output_bytes = 0;
}

enum err
cover_new(const struct trial *t, enum dtype d, const char *text,
    struct cover **ret, struct why *why)
{
	struct cover *c = xcalloc(1, sizeof *c);
	enum err e = prog_parse(text, &c->program, why);

	c->dtype = d;
	if (e == ERR_OK)
		c->kernel = prog_kernel(c->program, t->rq->candidate->entry);
	if (e == ERR_OK &&
	    (!c->kernel || c->kernel->nparams != t->rq->op->nargs))
		e = why_set(why, ERR_SYNTAX,
		    "the kernel is not found in its IR");
	if (e != ERR_OK) {
		cover_free(c);
		return e;
	}
	c->text = xstrdup(text);
	c->text_bytes = strlen(text);
	c->counters = xcalloc(c->program->ncounters + 1, sizeof *c->counters);
	c->far = xcalloc(c->program->ncounters + 1, sizeof *c->far);
	c->taken = xcalloc(c->program->ncounters + 1, sizeof *c->taken);
	c->seek = seek_new(t->rq->op, t->rq->candidate, c->program, c->kernel,
	    t->seed.seed);
	draw_init(&c->dice, t->seed.seed, "cover");
	cover_begin_batch(c);
	*ret = c;
	return ERR_OK;
}

void
cover_free(struct cover *c)
{
	if (!c)
		return;
	child_handle_stop(c->worker);
	seek_free(c->seek);
	prog_free(c->program);
	free(c->text);
	free(c->counters);
	free(c->far);
	free(c->taken);
	free(c);
}

struct seek *
cover_seek(struct cover *c)
{
	return c->seek;
}

const struct program *
cover_program(const struct cover *c)
{
	return c->program;
}

/* ---- one run */

void
cover_add_group(struct order_count *o, uint64_t group)
{
	for (uint32_t i = 0; i < o->ngroups; i++)
		if (o->groups[i] == group)
			return;
	if (o->ngroups < ORDER_GROUPS_MAX)
		o->groups[o->ngroups++] = group;
}

/* Which groups: those that a condition asks for, the first, the last, some;
 * where there are few, all. */
static void
choose_groups(struct cover *c, struct flight *f)
{
	struct order_count *o = &f->order;
	uint64_t items, n = geometry_groups(&f->run.tc->geometry, &items);

	/* The stage that shuffles the order wants many cases more than it wants
	 * all of one, so it takes parts of what others run whole. */
	f->is_whole = f->run.whole || items <= ITEMS_WHOLE ||
	    (n <= ORDER_GROUPS_MAX && f->run.stage != LAB_STAGE_SCHEDULE &&
	        items <= f->run.budget / ITEM_COST);
	if (f->is_whole)
		return;
	for (uint32_t i = 0; f->run.near && i < f->run.near->ngroups; i++)
		cover_add_group(o, f->run.near->groups[i]);
	cover_add_group(o, 0);
	cover_add_group(o, n - 1);
	for (int i = 0; i < GROUPS_SOME &&
	     (i == 0 || o->ngroups * (items / n) < ITEMS_WHOLE);
	     i++) {
		uint64_t group = draw_bits(&c->dice) % n;

		cover_add_group(o, group);
		/* Its neighbour as well: where groups disturb each other, it is
		 * mostly across their common border. */
		cover_add_group(o, (group + 1) % n);
	}
}

void
cover_add(struct cover *c, const struct cover_run *run)
{
	struct flight *f = &c->runs[c->nruns];
	const struct op_instance *in = run->tc->in;

	if (c->nruns == RUNS_MAX || run->tc->geometry_err != ERR_OK ||
	    geometry_is_empty(&run->tc->geometry))
		return;
	*f = (struct flight){ .run = *run,
		.input_at = c->input_bytes,
		.counters_at = c->output_bytes,
		.output_at = c->output_bytes + counter_bytes(c) };
	pack_plan(in, &f->pack);
	/* Left out without a word here; what no run has reached the stage
	 * coverage reports. */
	if (f->pack.input_bytes > INPUT_MAX - c->input_bytes ||
	    f->pack.output_bytes > OUTPUT_MAX - f->output_at)
		return;
	c->input_bytes += round_up(f->pack.input_bytes);
	c->output_bytes = f->output_at + round_up(f->pack.output_bytes);
	choose_groups(c, f);
	c->nruns++;
}

static void
make_order(const struct trial *t, struct cover *c, struct flight *f)
{
	const struct op *op = t->rq->op;
	struct order_count *o = &f->order;

	o->kind = ORDER_COUNT;
	o->nargs = (uint32_t)op->nargs;
	pack_launch(f->run.tc->in, &f->pack, &f->run.tc->geometry, &o->launch);
	for (size_t i = 0; i < op->nargs; i++) {
		o->args[i] = (uint32_t)op->args[i].kind;
		o->launch.regions[i].data_at +=
		    op->args[i].kind == OP_OUT ? f->output_at : f->input_at;
	}
	o->input_bytes = c->input_bytes;
	o->output_bytes = c->output_bytes;
	o->text_bytes = c->text_bytes;
	o->counters_at = f->counters_at;
	o->ncounters = c->program->ncounters;
	o->seed = draw_bits(&c->dice);
	o->budget = f->run.budget;
	o->is_pessimist = f->run.is_pessimist;
	o->ngiven = f->run.ngiven;
	for (uint32_t i = 0; i < o->ngiven; i++)
		o->given[i] = f->run.given[i];
	o->order = c->nth % 3 == 0 ? MACHINE_BACKWARDS : MACHINE_SHUFFLED;
	if (f->is_in_order)
		o->order = MACHINE_IN_ORDER;
	o->fill = c->nth++ % 2 ? MACHINE_FILL_NAN : MACHINE_FILL_FINITE;
	snprintf(o->entry, sizeof o->entry, "%s", t->rq->candidate->entry);
}

static bool
start_worker(struct trial *t, struct cover *c)
{
	struct why why;

	if ((!c->worker &&
	        child_handle_start(t->lab->tools, t->lab->scratch, &c->worker,
	            &why) != ERR_OK) ||
	    child_handle_arenas(c->worker, c->input_bytes, c->output_bytes,
	        &c->input, &c->output, &why) != ERR_OK) {
		trial_fail(t, LAB_ERROR, "lab_error", "%s", why.text);
		return false;
	}
	return true;
}

/* Many at once: the child works while this side compares.  Not all: one whose
 * answers nobody reads, until their socket is full, reads no orders either. */
static void
send_ahead(struct trial *t, struct cover *c)
{
	for (; c->nsent < c->nruns && c->nsent - c->njudged < AHEAD_MAX;
	     c->nsent++) {
		struct flight *f = &c->runs[c->nsent];

		make_order(t, c, f);
		memset((char *)c->output + f->counters_at, 0, counter_bytes(c));
		op_instance_hold(f->run.tc->in);
		pack_inputs(f->run.tc->in, &f->pack,
		    (char *)c->input + f->input_at);
		op_instance_release(f->run.tc->in);
		pack_poison(f->run.tc->in, &f->pack, PACK_POISON_B,
		    (char *)c->output + f->output_at);
		child_handle_count(c->worker, &f->order, DEADLINE_MS);
	}
}

bool
cover_send(struct trial *t, struct cover *c)
{
	if (c->nsent == c->nruns)
		return true;
	if (!start_worker(t, c))
		return false;
	if (c->nsent == 0)
		memcpy(c->input, c->text, c->text_bytes);
	send_ahead(t, c);
	return true;
}

/* ---- what came of it */

static bool
fail_finding(struct trial *t, const struct flight *f,
    const struct order_answer *a)
{
	struct trial_outcome o = { 0 };

	cover_finding(t, a, &o);
	trial_fail_case(t, f->run.tc, &o);
	return false;
}

/* What is found in another order than PoCL's, and is not there in that one. */
static void
name_the_order(const struct flight *f, struct trial_outcome *o)
{
	if (f->run.is_pessimist && o->detail[0] == '\0')
		trial_set_outcome(o, LAB_VERIFIED_INCORRECT, o->class,
		    "with built-in functions that err as far as a device's "
		    "may");
	else if (f->run.stage == LAB_STAGE_SCHEDULE &&
	    strcmp(o->class, "out_of_bounds") != 0)
		trial_set_outcome(o, LAB_VERIFIED_INCORRECT, "schedule",
		    "other values when the work items run in another order");
}

void
cover_put_right(struct op_instance *in, float *ret)
{
	struct judge_want want;

	op_instance_hold(in);
	judge_want_init(&want, in);
	for (size_t i = 0; i < want.n; i++)
		ret[i] = dtype_round(want.t, (float)want.y[i]);
	judge_want_done(&want);
	op_instance_release(in);
}

/* Elements that a part of the groups did not write are the device's, or where
 * no device has run the case, taken for right. */
static bool
judge_values(struct trial *t, const struct cover *c, const struct flight *f)
{
	struct op_instance *in = f->run.tc->in;
	const char *output = (const char *)c->output + f->output_at;
	size_t n = (size_t)in->out.rows * in->out.cols;
	float *got = xcalloc(n + 1, sizeof *got);
	struct trial_outcome o = { .alive = true };
	struct pack_finding found;

	pack_inspect_one(in, &f->pack, PACK_POISON_B, output, got, &found);
	if (!f->is_whole) {
		float *before = f->run.tc->got;

		if (!before) {
			before = xcalloc(n + 1, sizeof *before);
			cover_put_right(in, before);
		}
		pack_merge(in, &f->pack, PACK_POISON_B, output, before, got);
		found.unwritten = 0;
		if (before != f->run.tc->got)
			free(before);
	}
	cover_memory_finding(&found, &o);
	if (!o.class)
		trial_compare(f->run.tc, got, &o);
	if (o.class)
		name_the_order(f, &o);
	free(got);
	if (o.class)
		trial_fail_case(t, f->run.tc, &o);
	return !o.class;
}

/* Of a part of a launch not where it is large, or errs. */
static bool
can_judge_values(const struct flight *f)
{
	const struct op_extent *out = &f->run.tc->in->out;

	return f->is_whole ||
	    ((f->run.tc->got || f->run.is_machines) && !f->run.is_pessimist &&
	        (size_t)out->rows * out->cols <= TRIAL_PART_MAX);
}

static bool
judge(struct trial *t, struct cover *c, const struct flight *f,
    const struct order_answer *a)
{
	bool is_judged;

	c->instructions += a->device_ns;
	if (a->count_end == MACHINE_FOUND)
		return fail_finding(t, f, a);
	if (a->count_end == MACHINE_UNABLE) {
		trial_fail(t, LAB_ERROR, "lab_error",
		    "%s: the kernel needs more memory than it can be counted "
		    "with",
		    dtype_name(c->dtype));
		return false;
	}
	c->judged++;
	c->ended += a->count_end == MACHINE_DONE;
	/* What the device launches whole, it judges; else it is judged here, or
	 * does not count. */
	is_judged = a->count_end == MACHINE_DONE && can_judge_values(f);
	if (is_judged && !judge_values(t, c, f))
		return false;
	if (is_judged || !f->run.is_machines) {
		const uint32_t *counters =
		    (const void *)((const char *)c->output + f->counters_at);

		cover_credit(c, counters);
		shortcuts_note(c, f->run.tc, counters);
	}
	return true;
}

bool
cover_judge(struct trial *t, struct cover *c, enum lab_stage stage)
{
	for (; c->njudged < c->nsent && c->runs[c->njudged].run.stage <= stage;
	     c->njudged++) {
		struct order_answer a = { 0 };
		enum child_handle_event e =
		    side_children_await(t, c->worker, &a);

		if (e == CHILD_HANDLE_ANSWER && a.kind == ANSWER_COUNTED) {
			if (!judge(t, c, &c->runs[c->njudged], &a))
				return false;
			trial_step(t);
			send_ahead(t, c);
			continue;
		}
		trial_fail(t, LAB_ERROR, "lab_error",
		    "%s: what runs cannot be counted: %s", dtype_name(c->dtype),
		    e == CHILD_HANDLE_ANSWER ? a.text
		        : e == CHILD_HANDLE_TIMEOUT
		        ? "it takes too long"
		        : "the machine's child ended early");
		return false;
	}
	if (c->njudged == c->nruns)
		cover_begin_batch(c); /* all have been judged */
	return true;
}

void
cover_account(const struct cover *c, unsigned *ret_judged, unsigned *ret_ended)
{
	*ret_judged += c->judged;
	*ret_ended += c->ended;
}

void
cover_credit(struct cover *c, const uint32_t *counters)
{
	for (size_t i = 0; i < c->program->ncounters; i++)
		c->counters[i] += counters[i] > 0;
}

/* Did an ordinary launch come to a point? */
static bool
is_come_to(const struct cover *c, const struct prog_point *p)
{
	for (uint32_t o = 0; o < p->outcomes; o++)
		if (c->counters[p->first + o] > 0)
			return true;
	return false;
}

void
cover_credit_far(struct cover *c, const uint32_t *counters)
{
	for (size_t i = 0; i < c->program->npoints; i++) {
		const struct prog_point *p = &c->program->points[i];

		if (is_come_to(c, p) && seek_hangs_on_values(c->seek, i))
			continue;
		for (uint32_t o = p->first; o < p->first + p->outcomes; o++)
			c->far[o] += counters[o] > 0;
	}
}

uint32_t
cover_count(const struct cover *c, size_t point, uint32_t outcome)
{
	uint32_t at = c->program->points[point].first + outcome;

	return c->counters[at] + c->far[at];
}

bool
cover_has_atomics(const struct cover *c)
{
	for (size_t i = 0; i < c->program->ncalls; i++)
		if (c->program->calls[i].known &&
		    c->program->calls[i].known->is_atomic)
			return true;
	return false;
}

const char *
cover_text(const struct cover *c)
{
	return c->text;
}

uint64_t
cover_instructions(const struct cover *c)
{
	return c->instructions;
}
