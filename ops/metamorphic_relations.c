/*
 * Changing copies of an instance, comparing outputs.
 */
#include "ops/metamorphic_relations.h"

#include "base/mem.h"
#include "ops/args.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t
elements(const struct op_instance *in, size_t arg)
{
	struct op_extent e = in->op->extent(&in->shape, arg);

	return (size_t)e.rows * e.cols;
}

static struct op_instance *
copy_of(const struct op_instance *base)
{
	struct op_instance *in = xcalloc(1, sizeof *in);

	*in = *base;
	for (size_t i = 0; i < base->op->nargs; i++) {
		size_t n;

		if (!base->in[i])
			continue;
		n = elements(base, i);
		/* One more, or an empty input might be NULL, which is none. */
		in->in[i] = xcalloc(n + 1, sizeof(float));
		memcpy(in->in[i], base->in[i], n * sizeof(float));
	}
	if (base->positions) {
		in->positions = xcalloc(base->shape.seq + 1, sizeof(int32_t));
		memcpy(in->positions, base->positions,
		    base->shape.seq * sizeof(int32_t));
	}
	return in;
}

struct op_instance *
relation_apply(const struct op_relation *r, const struct op_instance *base)
{
	struct op_instance *in = copy_of(base);

	for (size_t i = 0; i < in->op->nargs; i++)
		for (size_t k = 0;
		     in->in[i] && r->scale[i] != 0.0f && k < elements(in, i);
		     k++)
			in->in[i][k] *= r->scale[i];
	if (r->scale_eps != 0.0f)
		in->shape.eps *= r->scale_eps;
	if (r->change)
		r->change(in);
	in->out = in->op->extent(&in->shape, in->out_index);
	return in;
}

double
relation_distance(double got, double want, double tolerance)
{
	double d = fabs(got - want);

	/* fmax(), which takes the most of these, passes over a NaN. */
	if (isnan(got) || isnan(want) || isinf(d))
		return HUGE_VAL;
	return d == 0.0 ? 0.0 : d / tolerance;
}

static double
check_each(const struct op_relation *r, const struct relation_pair *p)
{
	size_t n = (size_t)p->base->out.rows * p->base->out.cols;
	double most = 0.0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most,
		    r->each((double)p->base->in[0][i], (double)p->got_base[i],
		        (double)p->got_changed[i]));
	return most;
}

/* out, scaled, bit for bit. */
static double
check_scaled(const struct op_relation *r, const struct relation_pair *p)
{
	size_t n = (size_t)p->base->out.rows * p->base->out.cols;
	float scale = r->scale_out != 0.0f ? r->scale_out : 1.0f;

	for (size_t i = 0; i < n; i++)
		if (p->got_changed[i] != p->got_base[i] * scale)
			return HUGE_VAL;
	return 0.0;
}

double
relation_check(const struct op_relation *r, const struct relation_pair *p)
{
	if (r->check)
		return r->check(p);
	return r->each ? check_each(r, p) : check_scaled(r, p);
}

/* ---- shared changes and checks */

/* Rows that belong together: all positions of a sequence. */
static uint32_t
block_rows(const struct op_instance *in)
{
	return in->positions ? in->shape.seq : 1;
}

static void
reverse_rows(float *v, struct op_extent e, uint32_t block)
{
	size_t bytes = (size_t)block * e.cols * sizeof(float);
	uint32_t n = e.rows / block;
	float *spare = xcalloc(1, bytes);

	for (uint32_t i = 0; i < n / 2; i++) {
		char *a = (char *)v + i * bytes;
		char *b = (char *)v + (n - 1 - i) * bytes;

		memcpy(spare, a, bytes);
		memcpy(a, b, bytes);
		memcpy(b, spare, bytes);
	}
	free(spare);
}

/* Inputs that have a row for every row of the output.  A square matmul's b
 * has as many as well, and is none. */
static bool
has_rows(const struct op_instance *in, size_t arg)
{
	const struct op *op = in->op;
	struct op_shape more = in->shape;

	if (!in->in[arg])
		return false;
	more.rows++;
	more.m++;
	more.batch++;
	return op->extent(&more, arg).rows > op->extent(&in->shape, arg).rows;
}

void
relation_reverse_rows(struct op_instance *in)
{
	for (size_t i = 0; i < in->op->nargs; i++)
		if (has_rows(in, i))
			reverse_rows(in->in[i], in->op->extent(&in->shape, i),
			    block_rows(in));
}

/* Two answers to one element are apart by at most both their bounds, which are
 * one; bit for bit is more than the contract asks, and is only told. */
static double
same_value(const struct relation_pair *p, size_t base, size_t changed)
{
	double a = (double)p->got_base[base];
	double b = (double)p->got_changed[changed];
	double half =
	    dtype_half_ulp(p->base->c->dtype, fabs(a) + p->bound[base]);

	if (a == b || (isnan(a) && isnan(b)))
		return 0.0;
	*p->ret_differs = true;
	return relation_distance(b, a, 2 * (p->bound[base] + half + FLUSH));
}

double
relation_rows_reversed(const struct relation_pair *p)
{
	const struct op_instance *in = p->base;
	uint32_t block = block_rows(in), n = in->out.rows / block;
	size_t count = (size_t)block * in->out.cols;
	double most = 0.0;

	for (uint32_t i = 0; i < n; i++)
		for (size_t k = 0; k < count; k++)
			most = fmax(most,
			    same_value(p, i * count + k,
			        (n - 1 - i) * count + k));
	return most;
}

void
relation_one_row(struct op_instance *in)
{
	in->shape.rows = in->shape.m = in->shape.batch = 1;
}

double
relation_first_row(const struct relation_pair *p)
{
	size_t n = (size_t)p->changed->out.rows * p->changed->out.cols;
	double most = 0.0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, same_value(p, i, i));
	return most;
}

void
relation_reverse_columns(struct op_instance *in)
{
	struct op_extent e = in->op->extent(&in->shape, 0);

	for (uint32_t r = 0; r < e.rows; r++)
		reverse_rows(in->in[0] + (size_t)r * e.cols,
		    (struct op_extent){ e.cols, 1, 1 }, 1);
}

void
relation_negate(struct op_instance *in)
{
	for (size_t i = 0; i < elements(in, 0); i++)
		in->in[0][i] = -in->in[0][i];
}
