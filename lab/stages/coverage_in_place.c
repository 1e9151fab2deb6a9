/*
 * In the device's place: one launch in order, awaited, whose output is what a
 * device's would be.
 */
#include "lab/stages/coverage_count_priv.h"

#include "base/mem.h"
#include "lab/run/geometry.h"
#include "lab/stages/side_child.h"
#include "lab/stages/trial_run.h"
#include <stdlib.h>

#define LAUNCH_BUDGET ((uint64_t)400000000)
#define LAUNCH_ITEMS  ((uint64_t)1 << 17)
#define LONG_GROUP    ((uint64_t)1 << 21) /* elements */

/* In order, and waits.  false: *o says why; by no class: its budget ended. */
static bool
run_in_order(struct trial *t, struct cover *c, const struct cover_run *run,
    struct trial_outcome *o)
{
	struct order_answer a = { 0 };

	cover_begin_batch(c);
	cover_add(c, run);
	c->runs[0].is_in_order = true;
	/* A NaN in its output is what a device would not have there: who reads
	 * it before it is written may get rid of it. */
	if (c->nruns > 0 && c->runs[0].is_whole) {
		pack_draw_fills(run->tc->in, &c->dice, &c->runs[0].pack);
		c->runs[0].pack.poisons[PACK_POISON_B] = PACK_FILL_NUMBERS;
	}
	if (c->nruns == 0)
		trial_set_outcome(o, LAB_ERROR, "lab_error",
		    "too large for the lab's machine");
	if (c->nruns == 0 || !cover_send(t, c))
		return false;
	if (side_children_await(t, c->worker, &a) != CHILD_HANDLE_ANSWER ||
	    a.kind != ANSWER_COUNTED || a.count_end == MACHINE_UNABLE)
		trial_set_outcome(o, LAB_ERROR, "lab_error",
		    "the lab's machine cannot run it");
	else if (a.count_end == MACHINE_FOUND)
		cover_finding(t, &a, o);
	if (!o->class)
		c->instructions += a.device_ns;
	return !o->class && a.count_end == MACHINE_DONE;
}

/* What no group has written of a part is what it should be. */
static void
fill_the_rest(const struct cover *c, const struct flight *f, float *got)
{
	struct op_instance *in = f->run.tc->in;
	float *right =
	    xcalloc((size_t)in->out.rows * in->out.cols + 1, sizeof *right);

	cover_put_right(in, right);
	pack_merge(in, &f->pack, PACK_POISON_B,
	    (const char *)c->output + f->output_at, right, got);
	free(right);
}

static void
read_output(const struct cover *c, const struct flight *f, bool ended,
    float *got, struct trial_outcome *o)
{
	struct pack_finding found;

	pack_inspect_one(f->run.tc->in, &f->pack, PACK_POISON_B,
	    (const char *)c->output + f->output_at, got, &found);
	if (!f->is_whole)
		found.unwritten = 0;
	cover_memory_finding(&found, o);
	if (o->class || f->is_whole)
		return;
	/* Who is stopped in the middle may have had more to write. */
	if (ended)
		fill_the_rest(c, f, got);
	else
		cover_put_right(f->run.tc->in, got);
}

bool
cover_takes_for_right(struct trial *t, const struct trial_case *tc, float *got)
{
	uint64_t items, groups = geometry_groups(&tc->geometry, &items);
	uint64_t most =
	    tc->group == TRIAL_SOUGHT ? LAUNCH_ITEMS : groups * LONG_GROUP;

	if (groups == 0 || trial_elements(tc->in) <= most)
		return false;
	cover_put_right(tc->in, got);
	t->nparts++;
	return true;
}

bool
cover_launch(struct trial *t, struct cover *c, const struct trial_case *tc,
    float *got, struct trial_outcome *o)
{
	/* Of many items some groups are run, as the stage schedule does. */
	struct cover_run run = { .tc = tc,
		.budget = LAUNCH_BUDGET,
		.stage = LAB_STAGE_SCHEDULE };
	uint64_t items;
	bool ended;

	*o = (struct trial_outcome){ .alive = true };
	if (geometry_groups(&tc->geometry, &items) == 0)
		return true;
	run.whole = items <= LAUNCH_ITEMS;
	while (!(ended = run_in_order(t, c, &run, o)) && !o->class && run.whole)
		run.whole = false;
	c->runs[0].is_whole &= ended;
	if (!o->class)
		read_output(c, &c->runs[0], ended, got, o);
	t->nparts += !c->runs[0].is_whole;
	cover_begin_batch(c);
	return !o->class;
}

bool
cover_judge_alone(struct trial *t, struct cover *c, const struct cover_run *run,
    struct trial_outcome *o, const uint32_t **ret_counters)
{
	const struct op_extent *out = &run->tc->in->out;
	float *got = xcalloc((size_t)out->rows * out->cols + 1, sizeof *got);
	bool ended;

	*o = (struct trial_outcome){ .alive = true };
	ended = run_in_order(t, c, run, o);
	if (ended) {
		read_output(c, &c->runs[0], true, got, o);
		*ret_counters = (const void *)((const char *)c->output +
		    c->runs[0].counters_at);
	}
	ended &= !o->class;
	if (ended)
		trial_compare(run->tc, got, o);
	cover_begin_batch(c);
	free(got);
	return ended;
}
