/*
 * A launch's dimensions stay below 2^31 work items, as the contract says: where
 * a group walks a row, fewer rows are far.
 *
 * A launch that its budget ended says nothing: some loop was long.
 */
#include "lab/stages/huge_launch.h"

#include "base/mem.h"
#include "lab/probe/machine.h"
#include "lab/run/geometry.h"
#include "lab/stages/side_child.h"
#include "ops/draw.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS_MAX    ((uint64_t)1 << SHAPES_FAR_BITS_MAX)
#define BITS_MIN     19
#define BUDGET       ((uint64_t)1500000)
#define DEADLINE_MS  20000
#define GROUPS_MIN   12
#define GROUPS_MAX   40
#define GROUP_ITEMS  6144 /* of all groups of a launch */
#define WRITTEN_MAX  16384
#define ELEMENTS_MAX 16384 /* that are judged */
#define ROWS_MAX     128   /* where an output's columns are chosen too */
#define PAGE         ((size_t)4096)

struct huge_launch_run {
	const char *name; /* what is far */
	struct order_count order;
	struct op_shape shape;
	struct op_extent out;
	uint64_t all_groups;
};

struct huge_launch {
	enum dtype dtype;
	struct child_handle *worker; /* owned */
	struct huge_launch_run runs[SHAPES_NFAR];
	size_t nruns;
	size_t out_arg;
	void *input, *output;
	struct draw dice;
	struct why why; /* why it could not be started */
};

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

	for (uint32_t bits = SHAPES_FAR_BITS_MAX; bits >= BITS_MIN; bits--)
		if (!shapes_far(t->rq->op, i, bits, t->seed.seed, &r->shape,
		        &r->name))
			return false;
		else if (geometry_eval(t->rq->op, &r->shape, t->rq->candidate,
		             g, NULL) == ERR_OK &&
		    fits(g))
			return true;
	return false;
}

/* All where they are few.  Else the ends, one from each part, and some in which
 * a row ends where a launch is one line of elements. */
static void
choose_groups(struct huge_launch *f, struct huge_launch_run *r)
{
	const struct order_geometry *g = &r->order.launch.geometry;
	uint64_t items = 1, n = 1, parts;

	for (uint32_t d = 0; d < g->ndims; d++) {
		items *= g->local[d];
		n *= g->global[d] / g->local[d];
	}
	parts = GROUP_ITEMS / items;
	parts = parts < GROUPS_MIN ? GROUPS_MIN : parts;
	parts = parts > GROUPS_MAX ? GROUPS_MAX : parts;
	parts = parts > n ? n : parts;
	r->all_groups = n;
	cover_add_group(&r->order, 0);
	cover_add_group(&r->order, n - 1);
	for (uint64_t i = 0; i < parts; i++) {
		uint64_t bits = n > parts ? draw_bits(&f->dice) : 0;
		uint64_t row = bits % r->out.rows;

		cover_add_group(&r->order, n / parts * i + bits % (n / parts));
		if (g->ndims == 1 && n > parts && i % 4 == 0)
			cover_add_group(&r->order,
			    (row * r->out.cols + r->out.cols - 1) %
			        (n * items) / items);
	}
}

static void
lay_out(const struct trial *t, struct huge_launch *f, struct huge_launch_run *r)
{
	const struct op *op = t->rq->op;

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
		if (kind == OP_POSITIONS)
			l->kind = SPARSE_POSITIVE_INT;
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
	choose_groups(f, r);
	f->nruns++;
}

static void
send_run(struct trial *t, struct huge_launch *f, struct cover *c,
    struct huge_launch_run *r)
{
	size_t counters = round_up(cover_program(c)->ncounters * 4 + 4);
	size_t room =
	    counters + round_up(WRITTEN_MAX * sizeof(struct machine_written));
	struct order_count *o = &r->order;

	o->kind = ORDER_COUNT;
	o->nargs = (uint32_t)t->rq->op->nargs;
	o->input_bytes = round_up(strlen(cover_text(c)) + 1);
	o->output_bytes = room * SHAPES_NFAR;
	o->text_bytes = strlen(cover_text(c));
	o->counters_at = room * (size_t)(r - f->runs);
	o->ncounters = cover_program(c)->ncounters;
	o->is_sparse = 1;
	o->written_at = o->counters_at + counters;
	o->written_max = WRITTEN_MAX;
	o->seed = draw_bits(&f->dice);
	o->budget = BUDGET;
	o->order = MACHINE_SHUFFLED;
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

/* ---- values */

/* What is judged: elements each by itself, or whole rows, of chosen columns in
 * a product. */
struct chosen {
	const struct huge_launch_run *run;
	bool is_pairs, is_product;
	uint64_t *rows, *cols; /* owned; pairs: of each element */
	size_t nrows, ncols;
};

static const struct machine_written *
written_of(const struct huge_launch *f, const struct huge_launch_run *r)
{
	return (const void *)((const char *)f->output + r->order.written_at);
}

/* Its place in the list, where it is put if there is room; max: there is none.
 */
static size_t
place_of(uint64_t *list, size_t *n, size_t max, uint64_t v)
{
	size_t i = *n;

	while (i > 0 && list[i - 1] != v)
		i--;
	if (i > 0)
		return i - 1;
	if (*n == max)
		return max;
	list[*n] = v;
	return (*n)++;
}

static void
choose(const struct huge_launch *f, const struct op *op, uint64_t n,
    struct chosen *ch)
{
	const struct machine_written *w = written_of(f, ch->run);
	const struct op_extent *out = &ch->run->out;
	size_t rows_max = ELEMENTS_MAX / (out->cols ? out->cols : 1);

	ch->is_pairs = op->is_elementwise;
	ch->is_product = ch->run->shape.k > 1 && !op->is_elementwise &&
	    strcmp(op->name, "matmul") == 0;
	ch->rows = xcalloc(ELEMENTS_MAX + 1, sizeof *ch->rows);
	ch->cols = xcalloc(ELEMENTS_MAX + 1, sizeof *ch->cols);
	if (ch->is_product || rows_max > ROWS_MAX)
		rows_max = ROWS_MAX;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t row = w[i].element / out->stride;
		uint64_t col = w[i].element % out->stride;

		if (ch->is_pairs && ch->nrows < ELEMENTS_MAX) {
			ch->rows[ch->nrows++] = row;
			ch->cols[ch->ncols++] = col;
		} else if (!ch->is_pairs) {
			place_of(ch->rows, &ch->nrows, rows_max, row);
			if (ch->is_product)
				place_of(ch->cols, &ch->ncols, ROWS_MAX, col);
		}
	}
}

/* The sizes of what is judged. */
static struct op_shape
small_shape(const struct op *op, const struct chosen *ch)
{
	struct op_shape s = ch->run->shape;
	uint32_t rows = (uint32_t)ch->nrows, cols = (uint32_t)ch->ncols;

	s.rows = ch->is_pairs ? 1 : rows;
	s.cols = ch->is_pairs ? cols : s.cols;
	s.batch = 1;
	s.seq = rows;
	s.m = rows;
	s.n = ch->is_product ? cols : s.n;
	op_close_strides(op, &s);
	return s;
}

/* Input arg's element (r, c) of what is judged, in the launch. */
static uint64_t
element_of(const struct op *op, const struct chosen *ch, size_t arg, uint64_t r,
    uint64_t c)
{
	const struct sparse_layout *l = &ch->run->order.layouts[arg];
	struct op_extent e = op->extent(&ch->run->shape, arg);
	bool is_second = ch->is_product && arg > 0;

	if (ch->is_pairs)
		return ch->rows[c] * l->stride + ch->cols[c];
	if (is_second)
		c = ch->cols[c];
	else if (e.rows == ch->run->out.rows)
		r = ch->rows[r];
	return r * l->stride + c;
}

static struct op_instance *
make_instance(const struct op *op, const struct chosen *ch,
    const struct op_case *c)
{
	static const uint8_t any[32];
	struct op_instance *in = op_instance_new(op, c, any);

	for (size_t i = 0; i < op->nargs; i++) {
		const struct sparse_layout *l = &ch->run->order.layouts[i];
		struct op_extent e;

		/* A scalar has no extent. */
		if (op->args[i].kind == OP_UINT || op->args[i].kind == OP_REAL)
			continue;
		e = op->extent(&c->shape, i);
		for (uint64_t k = 0; in->in[i] && k < (uint64_t)e.rows * e.cols;
		     k++)
			in->in[i][k] = sparse_number(l,
			    element_of(op, ch, i, k / e.cols, k % e.cols));
		for (uint32_t k = 0;
		     op->args[i].kind == OP_POSITIONS && k < c->shape.seq; k++)
			in->positions[k] = sparse_position(l,
			    ch->rows[k] % ch->run->shape.seq);
	}
	return in;
}

/* What was written of what is judged; the rest is taken for right. */
static void
fill_got(const struct huge_launch *f, const struct chosen *ch, uint64_t n,
    const struct judge_want *want, const struct op_extent *small, float *got)
{
	const struct machine_written *w = written_of(f, ch->run);
	uint64_t stride = ch->run->out.stride;
	struct chosen at = *ch;

	for (size_t i = 0; i < want->n; i++)
		got[i] = dtype_round(want->t, (float)want->y[i]);
	for (uint64_t i = 0; i < n; i++) {
		size_t r = i, c = i;

		if (!ch->is_pairs) {
			r = place_of(at.rows, &at.nrows, ch->nrows,
			    w[i].element / stride);
			c = (size_t)(w[i].element % stride);
		}
		if (ch->is_product)
			c = place_of(at.cols, &at.ncols, ch->ncols, c);
		if (ch->is_pairs ? i < ch->nrows
		                 : r < ch->nrows && c < small->cols)
			got[ch->is_pairs ? i : r * small->cols + c] =
			    w[i].value;
	}
}

static bool
judge_values(const struct op *op, const struct huge_launch *f,
    const struct huge_launch_run *r, uint64_t n, struct trial_outcome *o)
{
	struct op_case c = { .name = "far", .dtype = f->dtype };
	struct chosen ch = { .run = r };
	struct judge_want want;
	struct op_instance *in;
	float *got;

	choose(f, op, n, &ch);
	if (ch.nrows > 0) {
		c.shape = small_shape(op, &ch);
		in = make_instance(op, &ch, &c);
		judge_want_init(&want, in);
		got = xcalloc(want.n + 1, sizeof *got);
		fill_got(f, &ch, n, &want, &in->out, got);
		judge_compare(&want, got, &o->values);
		if (o->values.grade != JUDGE_VERIFIED)
			trial_set_outcome(o, LAB_VERIFIED_INCORRECT,
			    judge_grade_name(o->values.grade),
			    "other values than the formula's");
		free(got);
		judge_want_done(&want);
		op_instance_free(in);
	}
	free(ch.rows);
	free(ch.cols);
	return !o->class;
}

/* ---- places */

static bool
judge_places(const struct huge_launch *f, const struct huge_launch_run *r,
    uint64_t n, struct trial_outcome *o)
{
	const struct machine_written *w = written_of(f, r);

	for (uint64_t i = 0; i < n && !o->class; i++)
		if (w[i].element % r->out.stride >= r->out.cols)
			trial_set_outcome(o, LAB_VERIFIED_INCORRECT,
			    "out_of_bounds",
			    "writes outside the elements of its output");
	return !o->class;
}

/* What groups from all over a launch have written. */
struct reach {
	uint64_t groups, elements;
	bool is_far; /* in the last eighth of the output */
};

static void
add_reach(const struct huge_launch *f, const struct huge_launch_run *r,
    uint64_t nwritten, uint64_t n, struct reach *ret)
{
	const struct machine_written *w = written_of(f, r);
	uint64_t all = (uint64_t)r->out.rows * r->out.cols;

	ret->groups += r->order.ngroups;
	ret->elements += nwritten;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t at = w[i].element / r->out.stride * r->out.cols +
		    w[i].element % r->out.stride;

		ret->is_far |= at >= all - all / 8;
	}
}

/* Do all groups together leave out much, if the others are like these? */
static bool
leaves_out(const struct huge_launch_run *r, const struct reach *of)
{
	double all = (double)r->out.rows * r->out.cols;
	double guess =
	    (double)of->elements / (double)of->groups * (double)r->all_groups;

	if (of->groups >= r->all_groups)
		return (double)of->elements < all;
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

static bool
fail(struct trial *t, const struct huge_launch *f,
    const struct huge_launch_run *r, const struct trial_outcome *o)
{
	trial_fail(t, o->verdict, o->class,
	    "with %s far out (%s), in the lab's machine: %s: %s", r->name,
	    dtype_name(f->dtype), o->class, o->detail);
	return false;
}

/* Groups in another order than the first's may be idle, or lie elsewhere: other
 * ones are asked before a verdict. */
static bool
judge_reach(struct trial *t, struct huge_launch *f, struct cover *c,
    struct huge_launch_run *r, struct reach *of)
{
	struct trial_outcome o = { 0 };
	struct order_answer a = { 0 };

	if (!leaves_out(r, of))
		return true;
	r->order.ngroups = 0;
	for (int i = 0; i < ORDER_GROUPS_MAX; i++)
		cover_add_group(&r->order, draw_bits(&f->dice) % r->all_groups);
	send_run(t, f, c, r);
	if (!await(t, f, &a))
		return false;
	if (a.count_end != MACHINE_DONE)
		return true;
	add_reach(f, r, a.nwritten,
	    a.nwritten < WRITTEN_MAX ? a.nwritten : WRITTEN_MAX, of);
	if (!leaves_out(r, of))
		return true;
	trial_set_outcome(&o, LAB_VERIFIED_INCORRECT, "unwritten",
	    "work groups from all over the launch leave elements out");
	return fail(t, f, r, &o);
}

static bool
judge(struct trial *t, struct huge_launch *f, struct cover *c,
    struct huge_launch_run *r)
{
	struct order_answer a = { 0 };
	struct trial_outcome o = { 0 };
	struct reach reach = { 0 };
	uint64_t n;

	if (!await(t, f, &a))
		return false;
	if (a.count_end == MACHINE_FOUND) {
		cover_finding(t, &a, &o);
		return fail(t, f, r, &o);
	}
	if (a.count_end != MACHINE_DONE)
		return true;
	n = a.nwritten < WRITTEN_MAX ? a.nwritten : WRITTEN_MAX;
	if (!judge_places(f, r, n, &o) || !judge_values(t->rq->op, f, r, n, &o))
		return fail(t, f, r, &o);
	add_reach(f, r, a.nwritten, n, &reach);
	cover_credit(c,
	    (const uint32_t *)(const void *)((const char *)f->output +
	        r->order.counters_at));
	t->nfar++;
	return judge_reach(t, f, c, r, &reach);
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
	return true;
}
