/*
 * What holds for every operator in the registry: tables are sane, drawing is
 * a pure function, and every case has teeth.
 */
#include "ops/op.h"

#include "base/mem.h"
#include "ops/element_judge.h"
#include "ops/suspect_cause.h"
#include "tests/unit.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t seed[32] = "every seed must do, this one too";

struct truth {
	struct op_instance *in;
	struct judge_want want;
	size_t n;
};

static struct truth
truth_new(const struct op *op, const struct op_case *c)
{
	struct truth t = { .in = op_instance_new(op, c, seed) };

	judge_want_init(&t.want, t.in);
	t.n = t.want.n;
	return t;
}

static void
truth_done(struct truth *t)
{
	op_instance_free(t->in);
	judge_want_done(&t->want);
}

static enum judge_grade
grade(const struct truth *t, const float *got)
{
	struct judge_result r;

	judge_compare(&t->want, got, &r);
	return r.grade;
}

static void
fill_constant(const struct truth *t, float *got, double v)
{
	for (size_t i = 0; i < t->n; i++)
		got[i] = dtype_round(t->in->c->dtype, (float)v);
}

static double
mean_of_input(const struct truth *t)
{
	const struct op *op = t->in->op;
	struct op_extent e = op->extent(&t->in->shape, 0);
	size_t n = (size_t)e.rows * e.cols;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (double)t->in->in[0][i];
	return n ? sum / (double)n : 0;
}

static void
check_fails(const struct truth *t, const float *got, const char *what,
    const char *answer)
{
	char *row = xasprintf("%s: %s must fail", what, answer);

	CHECK(grade(t, got) != JUDGE_VERIFIED, row);
	free(row);
}

/* The lazy answers; before is the truth of the case before, or NULL. */
static void
check_teeth(const struct truth *t, const struct truth *before, const char *what)
{
	struct op_extent e = t->in->op->extent(&t->in->shape, 0);
	float *got = xcalloc(t->n, sizeof *got);
	size_t nin = (size_t)e.rows * e.cols;

	fill_constant(t, got, 0.0);
	check_fails(t, got, what, "zeros");
	fill_constant(t, got, mean_of_input(t));
	check_fails(t, got, what, "mean");
	fill_constant(t, got, 1.0 / e.cols);
	check_fails(t, got, what, "1/n");
	for (size_t i = 0; i < t->n; i++)
		got[i] = t->in->in[0][i % nin];
	check_fails(t, got, what, "a copy of the input");
	for (size_t i = 0; before && i < t->n; i++)
		got[i] = dtype_round(t->in->c->dtype,
		    (float)before->want.y[i % before->n]);
	if (before)
		check_fails(t, got, what, "the output of the case before");
	free(got);
}

/* The right answer, rounded once, is right. */
static void
check_truth(const struct truth *t, const char *what)
{
	float *got = xcalloc(t->n, sizeof *got);

	for (size_t i = 0; i < t->n; i++) {
		got[i] = dtype_round(t->in->c->dtype, (float)t->want.y[i]);
		if (isfinite(t->want.y[i]) &&
		    !CHECK(t->want.bound[i] >= 0, what))
			break;
	}
	CHECK_INT(grade(t, got), JUDGE_VERIFIED, what);
	free(got);
}

static void
check_extents(const struct op_instance *in, const char *what)
{
	const struct op *op = in->op;

	for (size_t i = 0; i < op->nargs; i++) {
		struct op_extent e;

		if (op->args[i].kind == OP_UINT || op->args[i].kind == OP_REAL)
			continue;
		e = op->extent(&in->shape, i);
		CHECK(e.cols > 0 && e.stride >= e.cols, what);
		CHECK((in->in[i] != NULL) == (op->args[i].kind == OP_IN), what);
	}
}

static void
check_pure(const struct op *op, const struct op_case *c, const char *what)
{
	struct truth a = truth_new(op, c), b = truth_new(op, c);

	CHECK(a.n == b.n &&
	        memcmp(a.want.y, b.want.y, a.n * sizeof *a.want.y) == 0,
	    what);
	truth_done(&a);
	truth_done(&b);
}

static void
check_cases(const struct op *op)
{
	struct truth before = { 0 };
	size_t empty = 0, varied = 0, types[DTYPE_NDTYPES] = { 0 };

	for (size_t i = 0; i < op->nholdouts; i++) {
		const struct op_case *c = &op->holdouts[i];
		struct truth t = truth_new(op, c);
		char *what = xasprintf("%s: %s", op->name, c->name);

		check_extents(t.in, what);
		check_truth(&t, what);
		check_pure(op, c, what);
		empty += t.n == 0;
		varied += c->vary;
		types[c->dtype]++;
		if (t.n > 0) {
			check_teeth(&t, before.n ? &before : NULL, what);
			truth_done(&before);
			before = t;
		} else {
			truth_done(&t);
		}
		free(what);
	}
	truth_done(&before);
	CHECK(op->nholdouts >= 10 && op->nholdouts <= 14, op->name);
	CHECK(empty >= 1 && varied >= 1, op->name);
	CHECK(types[0] && types[1] && types[2], op->name);
}

static void
check_smoke(const struct op *op)
{
	const struct op_case *c = op->smoke;
	struct truth t = truth_new(op, c);

	CHECK_INT(c->dtype, DTYPE_F32, op->name);
	check_truth(&t, op->name);
	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_IN || op->args[i].kind == OP_OUT) {
			struct op_extent e = op->extent(&t.in->shape, i);

			CHECK_INT(e.stride, e.cols, op->name);
		}
	truth_done(&t);
}

/* lab_report's cause has room for 127 bytes. */
static void
check_causes(const struct op *op)
{
	for (size_t i = 0; i < op->ncauses; i++) {
		const char *text = op->causes[i].text;

		CHECK(op->causes[i].foresees != NULL, text);
		CHECK(strlen(text) < 128 && text[strlen(text) - 1] == '?',
		    text);
	}
}

static void
check_scalars(const struct op *op)
{
	uint32_t v = 77;

	for (size_t i = 0; i < op->nargs; i++) {
		enum err e = op_scalar_find(op, &op->smoke->shape,
		    slice_of(op->args[i].name), &v);

		CHECK_INT(e,
		    op->args[i].kind == OP_UINT ? ERR_OK : ERR_NOTFOUND,
		    op->args[i].name);
	}
	CHECK_INT(op_scalar_find(op, &op->smoke->shape, slice_of("nope"), &v),
	    ERR_NOTFOUND, "an unknown scalar");
}

static bool
has_same_inputs(const struct op_instance *a, const struct op_instance *b)
{
	bool same = !a->positions == !b->positions;

	for (size_t i = 0; i < a->op->nargs; i++) {
		struct op_extent e;

		if (a->op->args[i].kind != OP_IN &&
		    a->op->args[i].kind != OP_POSITIONS)
			continue;
		e = a->op->extent(&a->shape, i);
		if (a->op->args[i].kind == OP_POSITIONS)
			same = same && a->positions && b->positions &&
			    memcmp(a->positions, b->positions,
			        e.cols * sizeof *a->positions) == 0;
		else
			same = same && a->in[i] && b->in[i] &&
			    memcmp(a->in[i], b->in[i],
			        (size_t)e.rows * e.cols * sizeof(float)) == 0;
	}
	return same;
}

/* What is given back is drawn again, bit for bit. */
static void
check_hold(const struct op *op)
{
	struct op_instance *whole = op_instance_new(op, op->smoke, seed);
	struct op_instance *in = op_instance_plan(op, op->smoke, seed);

	CHECK(!in->in[0] && in->out.cols == whole->out.cols &&
	        in->out_index == whole->out_index,
	    op->name);
	for (int round = 0; round < 2; round++) {
		op_instance_hold(in);
		op_instance_hold(in);
		op_instance_release(in);
		CHECK(has_same_inputs(in, whole), op->name);
		op_instance_release(in);
		CHECK(!in->in[0] && !in->positions, op->name);
	}
	op_instance_hold(whole);
	op_instance_release(whole);
	CHECK(whole->in[0] != NULL, "what was made whole stays so");
	op_instance_free(whole);
	op_instance_free(in);
}

/* At position 22 the cosine is -0.99996, at 355 within 5e-10 of -1: there a
 * device's may be more than one, and the largest number times it none. */
static void
check_turned_overflow(void)
{
	static const struct {
		int32_t position;
		bool may;
	} rows[] = { { 0, false }, { 22, false }, { 355, true } };
	const struct op *rope = op_find("rope");

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct op_instance *in =
		    op_instance_new(rope, rope->smoke, seed);
		uint8_t may[64] = { 0 };
		double other[64];

		in->positions[0] = rows[i].position;
		in->in[0][0] = FLT_MAX;
		rope->outcomes(in, may, other);
		CHECK_INT(may[0] != 0, rows[i].may, "the first product");
		CHECK_INT(may[32], 0, "by a sine it is far from that");
		op_instance_free(in);
	}
}

void
t_op(void)
{
	check_turned_overflow();
	for (size_t i = 0; i < op_count(); i++) {
		const struct op *op = op_at(i);

		CHECK(op_find(op->name) == op, op->name);
		CHECK(op->nargs <= OP_ARGS_MAX, op->name);
		CHECK(i == 0 || strcmp(op_at(i - 1)->name, op->name) < 0,
		    "sorted by name");
		check_scalars(op);
		check_causes(op);
		check_smoke(op);
		check_hold(op);
		check_cases(op);
	}
	CHECK(op_find("nope") == NULL, "an unknown operator");
	CHECK(op_of_kernel("max_last_row.cl") == op_find("max_last"),
	    "an operator with a line in its name");
	CHECK(op_of_kernel("max_last.cl") == op_find("max_last"),
	    "a kernel without a form");
	CHECK(op_of_kernel("max_lasting.cl") == NULL, "no operator's kernel");
	CHECK(op_at(op_count()) == NULL, "past the last");
}
