/*
 * The values of a launch far out: what its groups wrote is put together as a
 * small case, whose inputs are those that these elements come from.
 */
#include "lab/stages/huge_launch_priv.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define ELEMENTS_MAX 16384      /* that are judged, or that rows read */
#define ROWS_MAX     128        /* where an output's columns are chosen too */
#define ROW_MAX      (1U << 18) /* of which one is judged at least */
#define PRODUCTS_MAX ((uint64_t)1 << 26)

/* What is judged: elements each by itself, or whole rows, of chosen columns in
 * a product. */
struct chosen {
	const struct huge_launch_run *run;
	bool is_pairs, is_product;
	uint64_t *rows, *cols; /* owned; pairs: of each element */
	size_t nrows, ncols;
};

const struct machine_written *
huge_written(const struct huge_launch *f, const struct huge_launch_run *r)
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

/* The longest row of a tensor: what judging one row of the output takes.  A
 * sum's output has one column, and its input as many as a candidate can walk. */
static uint64_t
longest_row(const struct op *op, const struct huge_launch_run *r)
{
	uint64_t most = r->out.cols;

	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_IN) {
			struct op_extent e = op->extent(&r->shape, i);

			most = e.cols > most ? e.cols : most;
		}
	return most;
}

static bool
is_product(const struct op *op, const struct huge_launch_run *r)
{
	return r->shape.k > 1 && !op->is_elementwise &&
	    strcmp(op->name, "matmul") == 0;
}

/* How many rows of the output are judged, and of a product columns; 0: none
 * can be. */
static size_t
judged_rows(const struct op *op, const struct huge_launch_run *r)
{
	uint64_t row = is_product(op, r) ? r->shape.k : longest_row(op, r);
	size_t side = ROWS_MAX;

	if (op->is_elementwise)
		return ELEMENTS_MAX;
	if (row > ROW_MAX)
		return 0;
	if (is_product(op, r))
		while (side > 1 && row * side * side > PRODUCTS_MAX)
			side /= 2;
	else if (row * side > ELEMENTS_MAX)
		side = row > ELEMENTS_MAX ? 1 : (size_t)(ELEMENTS_MAX / row);
	return side;
}

bool
huge_can_judge_values(const struct op *op, const struct huge_launch_run *r)
{
	return judged_rows(op, r) > 0;
}

static void
choose(const struct huge_launch *f, const struct op *op, uint64_t n,
    struct chosen *ch)
{
	const struct machine_written *w = huge_written(f, ch->run);
	const struct op_extent *out = &ch->run->out;
	size_t rows_max = judged_rows(op, ch->run);

	ch->is_pairs = op->is_elementwise;
	ch->is_product = is_product(op, ch->run);
	ch->rows = xcalloc(ELEMENTS_MAX + 1, sizeof *ch->rows);
	ch->cols = xcalloc(ELEMENTS_MAX + 1, sizeof *ch->cols);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t row = w[i].element / out->stride;
		uint64_t col = w[i].element % out->stride;

		if (ch->is_pairs && ch->nrows < ELEMENTS_MAX) {
			ch->rows[ch->nrows++] = row;
			ch->cols[ch->ncols++] = col;
		} else if (!ch->is_pairs) {
			place_of(ch->rows, &ch->nrows, rows_max, row);
			if (ch->is_product)
				place_of(ch->cols, &ch->ncols, rows_max, col);
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
	const struct machine_written *w = huge_written(f, ch->run);
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

bool
huge_judge_values(const struct op *op, const struct huge_launch *f,
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
