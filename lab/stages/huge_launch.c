/*
 * A launch's dimensions stay below 2^31 work items, as the contract says: where
 * a group walks a row, fewer rows are far.
 *
 * Long loops are leapt over (lab/probe/machine_loops.h).  A launch that its
 * budget ends all the same is asked again for few groups, and says nothing where
 * that is too much as well.
 */
#include "lab/stages/huge_launch_priv.h"

#include "base/mem.h"
#include "lab/probe/arithmetic.h"
#include "lab/probe/machine.h"
#include "lab/run/geometry.h"
#include "lab/stages/side_child.h"
#include "ops/draw.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS_MAX     ((uint64_t)1 << SHAPES_FAR_BITS_MAX)
#define BITS_MIN      19
#define BUDGET        ((uint64_t)1500000)
#define BUDGET_WALK   ((uint64_t)12000000)
#define BUDGET_AGAIN  ((uint64_t)40000000)
#define ELEMENT_COST  4    /* instructions, at least */
#define WALK_MIN      4096 /* elements an item */
#define WALK_ITEMS    256
#define WALK_ELEMENTS 12000 /* of all items, where they are judged */
#define DEADLINE_MS   60000 /* budgets bound the work; of a slow machine, too */
#define GROUPS_MIN    12
#define GROUPS_MAX    32
#define GROUPS_ASKED  4096 /* before nothing is said of a launch with more */
#define GROUP_ITEMS   6144 /* of all groups of a launch */
#define FEW_GROUPS    4
#define HASTY_GROUPS  1
#define FEW_ELEMENTS  131072 /* of all of them */
#define PAGE          ((size_t)4096)

/* ---- launches */

static size_t
round_up(size_t n)
{
	return (n + PAGE - 1) / PAGE * PAGE;
}

static bool
fits(const struct order_geometry *g)
{
	if (geometry_is_empty(g))
		return false;
	for (uint32_t d = 0; d < g->ndims; d++)
		if (g->global[d] >= ITEMS_MAX)
			return false;
	return true;
}

/* As far as the launch's size lets it be. */
static bool
find_shape(const struct trial *t, size_t i, struct huge_launch_run *r)
{
	struct order_geometry *g = &r->order.launch.geometry;

	for (uint32_t bits = SHAPES_FAR_END; bits >= BITS_MIN; bits--)
		if (!shapes_far(t->rq->op, i, bits, t->seed.seed, &r->shape,
		        &r->name))
			return false;
		else if (geometry_eval(t->rq->op, &r->shape, t->rq->candidate,
		             g, NULL) == ERR_OK &&
		    fits(g))
			return true;
	return false;
}

/* Of the largest tensor. */
static uint64_t
count_elements(const struct op *op, const struct op_shape *s)
{
	uint64_t most = 0;

	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_IN || op->args[i].kind == OP_OUT) {
			struct op_extent e = op->extent(s, i);
			uint64_t n = (uint64_t)e.rows * e.cols;

			most = n > most ? n : most;
		}
	return most;
}

/* All where they are few.  Else the ends, one from each part, and some in which
 * a row ends or begins where a launch is one line of elements.  Where each item
 * walks far a few. */
static void
choose_groups(const struct op *op, struct huge_launch *f,
    struct huge_launch_run *r)
{
	const struct order_geometry *g = &r->order.launch.geometry;
	uint64_t items = geometry_group_items(g);
	uint64_t n = geometry_groups(g, NULL), parts, each, limit, at;

	parts = GROUP_ITEMS / items;
	parts = parts < GROUPS_MIN ? GROUPS_MIN : parts;
	parts = parts > GROUPS_MAX ? GROUPS_MAX : parts;
	each = count_elements(op, &r->shape) / (n * items) + 1;
	r->walks = each >= WALK_MIN;
	r->group_elements = each * items;
	limit = (r->walks ? WALK_ITEMS : WALK_ELEMENTS / each) / items;
	parts = parts > limit ? limit : parts;
	parts = parts > n ? n : parts;
	r->all_groups = n;
	cover_add_group(&r->order, 0);
	cover_add_group(&r->order, n - 1);
	for (uint64_t i = 0; i < parts; i++) {
		uint64_t bits = n > parts ? draw_bits(&f->dice) : 0;
		uint64_t row = bits % r->out.rows;

		cover_add_group(&r->order, n / parts * i + bits % (n / parts));
		if (n <= parts || i % 2 != 0)
			continue;
		/* Where a row ends, the next one begins; and neighbours, of
		 * whom one may write what is the other's. */
		at = n / parts * i + bits % (n / parts);
		if (g->ndims == 1 && i % 4 == 0)
			at = (row * r->out.cols + r->out.cols - 1) %
			    (n * items) / items;
		cover_add_group(&r->order, at);
		cover_add_group(&r->order, (at + 1) % n);
	}
}

static void
lay_out(const struct trial *t, struct huge_launch *f, struct huge_launch_run *r)
{
	const struct op *op = t->rq->op;
	uint64_t rows_seed = draw_bits(&f->dice) | 1;

	for (size_t i = 0; i < op->nargs; i++) {
		struct sparse_layout *l = &r->order.layouts[i];
		enum op_arg_kind kind = op->args[i].kind;
		struct op_extent e;

		r->order.args[i] = (uint32_t)kind;
		if (kind == OP_UINT)
			r->order.launch.scalars[i] =
			    op_scalar_uint(&op->args[i], &r->shape);
		if (kind == OP_REAL) {
			float v = op_scalar_real(&op->args[i], &r->shape);

			memcpy(&r->order.launch.scalars[i], &v, sizeof v);
		}
		if (kind == OP_UINT || kind == OP_REAL)
			continue;
		e = op->extent(&r->shape, i);
		*l = (struct sparse_layout){ .kind = SPARSE_NUMBERS,
			.dtype = (uint32_t)f->dtype,
			.cols = e.cols,
			.stride = e.stride > e.cols ? e.stride : e.cols,
			.seed = draw_bits(&f->dice),
			.is_output = kind == OP_OUT };
		/* What all rows of the output share hides the rest: weights,
		 * a product's other factor. */
		if (kind == OP_IN && !op_is_weight(op, i) &&
		    (op->smoke->shape.k == 0 || i == 0))
			l->rows_seed = rows_seed;
		if (kind == OP_POSITIONS)
			l->kind = SPARSE_INT;
		r->order.launch.regions[i].data_bytes =
		    ((e.rows - 1) * l->stride + e.cols) * sparse_word_bytes(l);
		if (kind == OP_OUT) {
			f->out_arg = i;
			r->out = e;
			r->out.stride = (uint32_t)l->stride;
		}
	}
}

static void
add_run(struct trial *t, struct huge_launch *f, size_t i)
{
	struct huge_launch_run *r = &f->runs[f->nruns];

	*r = (struct huge_launch_run){ 0 };
	if (!find_shape(t, i, r))
		return;
	lay_out(t, f, r);
	choose_groups(t->rq->op, f, r);
	f->nruns++;
}

/* Those for ways that the others do not take. */
static void
add_sought(struct trial *t, struct huge_launch *f, struct cover *c)
{
	struct op_shape have[SHAPES_NFAR], more[HUGE_MORE_MAX];
	size_t nhave = 0, n;

	/* Where items walk, values may not be judged. */
	for (size_t i = 0; i < f->nruns; i++)
		if (!f->runs[i].walks)
			have[nhave++] = f->runs[i].shape;
	n = seek_far(cover_seek(c), have, nhave, more, HUGE_SOUGHT_MAX);
	for (size_t i = 0; i < n; i++) {
		struct huge_launch_run *r = &f->runs[f->nruns];

		*r = (struct huge_launch_run){ .name = "a path of its own",
			.shape = more[i] };
		if (geometry_eval(t->rq->op, &r->shape, t->rq->candidate,
		        &r->order.launch.geometry, NULL) != ERR_OK ||
		    !fits(&r->order.launch.geometry))
			continue;
		lay_out(t, f, r);
		choose_groups(t->rq->op, f, r);
		f->nruns++;
	}
}

static void
send_run(struct trial *t, struct huge_launch *f, struct cover *c,
    struct huge_launch_run *r)
{
	size_t counters = round_up(cover_program(c)->ncounters * 4 + 4);
	size_t room = counters +
	    round_up(HUGE_WRITTEN_MAX * sizeof(struct machine_written));
	struct order_count *o = &r->order;

	o->kind = ORDER_COUNT;
	o->nargs = (uint32_t)t->rq->op->nargs;
	o->input_bytes = round_up(strlen(cover_text(c)) + 1);
	o->output_bytes = room * HUGE_RUNS_MAX;
	o->text_bytes = strlen(cover_text(c));
	o->counters_at = room * (size_t)(r - f->runs);
	o->ncounters = cover_program(c)->ncounters;
	o->is_sparse = 1;
	o->written_at = o->counters_at + counters;
	o->written_max = HUGE_WRITTEN_MAX;
	o->seed = draw_bits(&f->dice);
	o->is_hasty = r->is_hasty;
	o->budget = r->is_asked_again ? BUDGET_AGAIN
	    : r->walks                ? BUDGET_WALK
	                              : BUDGET;
	o->order = MACHINE_SHUFFLED;
	o->fill = MACHINE_FILL_NAN;
	snprintf(o->entry, sizeof o->entry, "%s", t->rq->candidate->entry);
	if (child_handle_arenas(f->worker, o->input_bytes, o->output_bytes,
	        &f->input, &f->output, &f->why) != ERR_OK)
		return;
	memcpy(f->input, cover_text(c), o->text_bytes);
	child_handle_count(f->worker, o, DEADLINE_MS);
}

struct huge_launch *
huge_launch_start(struct trial *t, enum dtype d, struct cover *c)
{
	struct huge_launch *f = xcalloc(1, sizeof *f);

	f->dtype = d;
	draw_init(&f->dice, t->seed.seed, "far");
	for (size_t i = 0; i < SHAPES_NFAR; i++)
		add_run(t, f, i);
	add_sought(t, f, c);
	if (f->nruns == 0 ||
	    child_handle_start(t->lab->tools, t->lab->scratch, &f->worker,
	        &f->why) != ERR_OK)
		return f;
	for (size_t i = 0; i < f->nruns; i++)
		send_run(t, f, c, &f->runs[i]);
	return f;
}

void
huge_launch_free(struct huge_launch *f)
{
	if (!f)
		return;
	child_handle_stop(f->worker);
	free(f);
}

/* ---- places */

static bool
judge_places(const struct huge_launch *f, const struct huge_launch_run *r,
    uint64_t n, struct trial_outcome *o)
{
	const struct machine_written *w = huge_written(f, r);

	for (uint64_t i = 0; i < n && !o->class; i++)
		if (w[i].element % r->out.stride >= r->out.cols)
			trial_set_outcome(o, LAB_VERIFIED_INCORRECT,
			    "out_of_bounds",
			    "writes outside the elements of its output");
	return !o->class;
}

static uint64_t
count_listed(const struct order_answer *a)
{
	return a->nwritten < HUGE_WRITTEN_MAX ? a->nwritten : HUGE_WRITTEN_MAX;
}

static void
add_reach(const struct huge_launch *f, struct huge_launch_run *r,
    const struct order_answer *a)
{
	struct huge_reach *ret = &r->reach;
	uint64_t word = sparse_word_bytes(&r->order.layouts[f->out_arg]);
	uint64_t all = (uint64_t)r->out.rows * r->out.cols;
	uint64_t at = a->last_written / r->out.stride * r->out.cols +
	    a->last_written % r->out.stride;

	ret->groups += r->order.ngroups;
	ret->is_leapt |= a->skipped > 0;
	ret->elements += a->nwritten + a->skipped / word;
	if (ret->most < a->most / word)
		ret->most = a->most / word;
	/* By the last of all: the list of many ends with the first groups. */
	ret->is_far |= a->nwritten > 0 && at >= all - all / 8;
	ret->is_wide |= a->nwritten > 0 &&
	    a->last_column >= r->out.cols - r->out.cols / 8 - 1;
}

/* Do all groups together leave out much, if the others are like these? */
static bool
leaves_out(const struct huge_launch_run *r)
{
	const struct huge_reach *of = &r->reach;
	double all = (double)r->out.rows * r->out.cols;
	double guess =
	    (double)of->elements / (double)of->groups * (double)r->all_groups;

	/* Behind leaps elements that are written again and again count. */
	if (of->is_leapt && !of->is_wide && r->all_groups <= ORDER_GROUPS_MAX)
		return true;
	if (of->groups >= r->all_groups)
		return (double)of->elements < (of->is_leapt ? all * 0.9 : all);
	return !of->is_far || guess < all / 2.0;
}

/* ---- a launch's end */

static bool
await(struct trial *t, struct huge_launch *f, struct order_answer *a)
{
	enum child_handle_event e = side_children_await(t, f->worker, a);

	if (e == CHILD_HANDLE_ANSWER && a->kind == ANSWER_COUNTED)
		return true;
	trial_fail(t, LAB_ERROR, "lab_error",
	    "%s: a launch with far sizes cannot be run: %s",
	    dtype_name(f->dtype),
	    e == CHILD_HANDLE_ANSWER        ? a->text
	        : e == CHILD_HANDLE_TIMEOUT ? "it takes too long"
	                                    : "the machine ended early");
	return false;
}

bool
huge_fail(struct trial *t, const struct huge_launch *f,
    const struct huge_launch_run *r, const struct trial_outcome *o)
{
	trial_fail(t, o->verdict, o->class,
	    "with %s far out (%s), in the lab's machine: %s: %s", r->name,
	    dtype_name(f->dtype), o->class, o->detail);
	return false;
}

bool
huge_ask(struct trial *t, struct huge_launch *f, struct cover *c,
    struct huge_launch_run *r, struct order_answer *a)
{
	r->is_asked_again = true;
	send_run(t, f, c, r);
	return await(t, f, a);
}

/* Would a launch that leaves nothing out hardly ever look as this one does?  Of
 * groups that write so much at most, some must lie in the last eighth, and what
 * those drawn write is as much as their share, or nearly so. */
static bool
is_sure(const struct huge_reach *of, uint64_t all_groups, uint64_t all)
{
	double each = (double)all / (double)all_groups;
	double busy = of->most == 0 ? 1.0 : each / (double)of->most;

	if (of->groups >= all_groups)
		return true;
	/* Where none of these has anything to do, others may have it all. */
	return (double)of->groups * busy >= (of->most == 0 ? 1024.0 : 60.0);
}

/* One that comes by each of n places once.  Next to the golden part of them: of
 * any number of steps in a row none leaves out a stretch that is much longer
 * than others (V. T. Sos, On the distribution mod 1 of the sequence n alpha,
 * 1958); a drawn step may go to and fro between a few places. */
static uint64_t
even_step(uint64_t n)
{
	uint64_t step = (uint64_t)((double)n * 0.6180339887498949) + 1;

	while (arith_gcd(step, n) != 1)
		step++;
	return step;
}

/* Groups in another order than the first's may be idle, or lie elsewhere, and
 * the ends of a launch are often idle: others are asked before a verdict, by
 * themselves, all of them where they are some thousands at most.  Else as many
 * as it takes to be sure: where a grid of fixed size has few rows, a few groups
 * have all that there is to do. */
static bool
ask_again(struct trial *t, struct huge_launch *f, struct cover *c,
    struct huge_launch_run *r)
{
	bool all = r->all_groups <= GROUPS_ASKED;
	uint64_t n = all ? r->all_groups : GROUPS_ASKED;
	uint64_t first = draw_bits(&f->dice) % r->all_groups;
	uint64_t step = even_step(r->all_groups);
	uint64_t batch = r->is_hasty ? HASTY_GROUPS : ORDER_GROUPS_MAX;
	uint64_t elements = (uint64_t)r->out.rows * r->out.cols;
	struct trial_outcome o = { 0 };

	r->reach = (struct huge_reach){ 0 };
	for (uint64_t i = 0; i < n; i += batch) {
		struct order_answer a = { 0 };

		r->order.ngroups = 0;
		for (uint64_t k = i; k < i + batch && k < n; k++)
			cover_add_group(&r->order,
			    (all ? first + k * step : draw_bits(&f->dice)) %
			        r->all_groups);
		if (!huge_ask(t, f, c, r, &a))
			return false;
		if (a.count_end != MACHINE_DONE)
			return true;
		add_reach(f, r, &a);
		if (!leaves_out(r) ||
		    is_sure(&r->reach, r->all_groups, elements))
			break;
	}
	if (!is_sure(&r->reach, r->all_groups, elements) || !leaves_out(r))
		return true;
	trial_set_outcome(&o, LAB_VERIFIED_INCORRECT, "unwritten",
	    "work groups from all over the launch leave elements out");
	return huge_fail(t, f, r, &o);
}

/* Where it came to its end; else it says nothing, unless something was found.
 */
static bool
judge_answer(struct trial *t, struct huge_launch *f,
    const struct huge_launch_run *r, const struct order_answer *a)
{
	struct trial_outcome o = { 0 };
	uint64_t n = count_listed(a);

	if (a->count_end == MACHINE_FOUND) {
		cover_finding(t, a, &o);
		return huge_fail(t, f, r, &o);
	}
	if (a->count_end != MACHINE_DONE)
		return true;
	/* What a loop sums up is not known behind a leap. */
	if (!judge_places(f, r, n, &o) ||
	    (!a->is_inexact && !huge_judge_values(t->rq->op, f, r, n, &o)))
		return huge_fail(t, f, r, &o);
	t->nfar++;
	return true;
}

static bool
judge(struct trial *t, struct huge_launch *f, struct cover *c,
    struct huge_launch_run *r)
{
	struct order_answer a = { 0 };

	if (!await(t, f, &a) || !judge_answer(t, f, r, &a))
		return false;
	r->is_cut = a.count_end == MACHINE_BUDGET;
	if (a.count_end != MACHINE_DONE)
		return true;
	add_reach(f, r, &a);
	/* Where values are not judged, nothing is claimed of what ran. */
	if (!a.is_inexact && huge_can_judge_values(t->rq->op, r))
		cover_credit_far(c,
		    (const uint32_t *)(const void *)((const char *)f->output +
		        r->order.counters_at));
	return true;
}

/* A single group of more elements than that comes no further, unless its loops
 * are leapt over. */
static bool
is_worth_asking_again(const struct huge_launch_run *r)
{
	return r->is_cut &&
	    (r->walks || r->group_elements <= BUDGET_AGAIN / ELEMENT_COST);
}

/* The last group first: a list of many ends with the first ones.  What ran is
 * no cover, for the counters are those of all that ran. */
static void
ask_for_few(struct trial *t, struct huge_launch *f, struct cover *c,
    struct huge_launch_run *r)
{
	uint64_t n = FEW_ELEMENTS / r->group_elements;

	/* In a walk the loops inside of the long one may take the time. */
	r->is_hasty = r->walks;
	n = n > FEW_GROUPS ? FEW_GROUPS : r->walks ? HASTY_GROUPS : n;
	r->order.ngroups = 0;
	cover_add_group(&r->order, r->all_groups - 1);
	if (n > 1)
		cover_add_group(&r->order, 0);
	for (uint64_t i = 2; i < n; i++)
		cover_add_group(&r->order, draw_bits(&f->dice) % r->all_groups);
	send_run(t, f, c, r);
}

/* Of walks the one with the largest output, where counts of what is written
 * wrap first: each may take all of its time, half a second. */
static void
choose_again(struct huge_launch *f)
{
	struct huge_launch_run *largest = NULL;

	for (size_t i = 0; i < f->nruns; i++) {
		struct huge_launch_run *r = &f->runs[i];

		r->is_asked_again = is_worth_asking_again(r) && !r->walks;
		if (is_worth_asking_again(r) && r->walks &&
		    (!largest ||
		        (uint64_t)r->out.rows * r->out.cols >
		            (uint64_t)largest->out.rows * largest->out.cols))
			largest = r;
	}
	if (largest)
		largest->is_asked_again = true;
}

static bool
judge_cut(struct trial *t, struct huge_launch *f, struct cover *c)
{
	choose_again(f);
	for (size_t i = 0; i < f->nruns; i++)
		if (f->runs[i].is_asked_again)
			ask_for_few(t, f, c, &f->runs[i]);
	for (size_t i = 0; i < f->nruns; i++) {
		struct order_answer a = { 0 };

		if (!f->runs[i].is_asked_again)
			continue;
		if (!await(t, f, &a) || !judge_answer(t, f, &f->runs[i], &a))
			return false;
		if (f->runs[i].is_hasty && a.count_end == MACHINE_DONE)
			add_reach(f, &f->runs[i], &a);
	}
	return true;
}

bool
huge_launch_judge(struct trial *t, struct huge_launch *f, struct cover *c)
{
	if (f->nruns > 0 && !f->output) {
		trial_fail(t, LAB_ERROR, "lab_error", "%s", f->why.text);
		return false;
	}
	for (size_t i = 0; i < f->nruns; i++)
		if (!judge(t, f, c, &f->runs[i]))
			return false;
	/* Once all have answered: an answer does not say to which order. */
	if (!judge_cut(t, f, c))
		return false;
	for (size_t i = 0; i < f->nruns; i++)
		if (!huge_judge_shares(t, f, c, &f->runs[i]))
			return false;
	for (size_t i = 0; i < f->nruns; i++)
		if (f->runs[i].reach.groups > 0 && leaves_out(&f->runs[i]) &&
		    !ask_again(t, f, c, &f->runs[i]))
			return false;
	return true;
}
