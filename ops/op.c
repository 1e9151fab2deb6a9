/*
 * Drawing a case: the shape first (one dimension may come from the seed),
 * then each input from its own stream, labelled "OP|CASE|ARGUMENT", so that
 * no tensor depends on how many values another one took.
 */
#include "ops/op.h"

#include "base/mem.h"
#include "ops/draw.h"
#include <stdlib.h>
#include <string.h>

static struct op_shape draw_shape(const struct op *op, const struct op_case *c,
    const uint8_t seed[32]);
static const struct op_arg *find_stride(const struct op *op, const char *name);
static void init_stream(struct draw *d, const struct op_instance *in,
    const uint8_t seed[32], const char *what);
static int32_t *draw_positions(struct draw *d, uint32_t n,
    const struct op_case *c);

bool
op_is_weight(const struct op *op, size_t arg)
{
	return op->args[arg].draw == OP_DRAW_WEIGHT ||
	    op->args[arg].draw == OP_DRAW_BIAS;
}

struct op_instance *
op_instance_plan(const struct op *op, const struct op_case *c,
    const uint8_t seed[32])
{
	struct op_instance *in = xcalloc(1, sizeof *in);

	in->op = op;
	in->c = c;
	in->shape = draw_shape(op, c, seed);
	memcpy(in->seed, seed, sizeof in->seed);
	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_OUT) {
			in->out_index = i;
			in->out = op->extent(&in->shape, i);
		}
	return in;
}

static void
draw_argument(struct op_instance *in, size_t i)
{
	const struct op_arg *a = &in->op->args[i];
	struct op_extent e = in->op->extent(&in->shape, i);
	struct draw d;

	init_stream(&d, in, in->seed, a->name);
	if (a->kind == OP_POSITIONS) {
		in->positions = draw_positions(&d, e.cols, in->c);
		return;
	}
	in->in[i] = xcalloc((size_t)e.rows * e.cols, sizeof(float));
	if (in->c->mix)
		draw_mixed(&d, in->c, in->op, i, e, in->in[i]);
	else
		draw_tensor(&d, in->c, a->draw, e, in->in[i]);
}

void
op_instance_hold(struct op_instance *in)
{
	if (in->holders++ > 0)
		return;
	for (size_t i = 0; i < in->op->nargs; i++)
		if (in->op->args[i].kind == OP_IN ||
		    in->op->args[i].kind == OP_POSITIONS)
			draw_argument(in, i);
}

static void
give_back(struct op_instance *in)
{
	for (size_t i = 0; i < OP_ARGS_MAX; i++) {
		free(in->in[i]);
		in->in[i] = NULL;
	}
	free(in->positions);
	in->positions = NULL;
}

void
op_instance_release(struct op_instance *in)
{
	if (--in->holders == 0)
		give_back(in);
}

struct op_instance *
op_instance_new(const struct op *op, const struct op_case *c,
    const uint8_t seed[32])
{
	struct op_instance *in = op_instance_plan(op, c, seed);

	op_instance_hold(in);
	return in;
}

void
op_instance_free(struct op_instance *in)
{
	if (!in)
		return;
	give_back(in);
	free(in);
}

uint32_t
op_scalar_uint(const struct op_arg *a, const struct op_shape *s)
{
	uint32_t v;

	memcpy(&v, (const char *)s + a->offset, sizeof v);
	return v;
}

float
op_scalar_real(const struct op_arg *a, const struct op_shape *s)
{
	float v;

	memcpy(&v, (const char *)s + a->offset, sizeof v);
	return v;
}

bool
op_shape_is_same(const struct op *op, const struct op_shape *a,
    const struct op_shape *b)
{
	for (size_t i = 0; i < op->nargs; i++)
		if ((op->args[i].kind == OP_UINT ||
		        op->args[i].kind == OP_REAL) &&
		    op_scalar_uint(&op->args[i], a) !=
		        op_scalar_uint(&op->args[i], b))
			return false;
	return true;
}

enum err
op_scalar_find(const struct op *op, const struct op_shape *s, struct slice name,
    uint32_t *ret)
{
	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_UINT &&
		    slice_is(name, op->args[i].name)) {
			*ret = op_scalar_uint(&op->args[i], s);
			return ERR_OK;
		}
	return ERR_NOTFOUND;
}

static void
init_stream(struct draw *d, const struct op_instance *in,
    const uint8_t seed[32], const char *what)
{
	char *label = xasprintf("%s|%s|%s", in->op->name, in->c->name, what);

	draw_init(d, seed, label);
	free(label);
}

/* The case's shape with its varied dimension drawn; a tensor's pad, its
 * stride less its columns, stays what the case says. */
static struct op_shape
draw_shape(const struct op *op, const struct op_case *c, const uint8_t seed[32])
{
	struct op_instance label = { .op = op, .c = c };
	struct op_shape s = c->shape;
	struct draw d;
	uint32_t v;

	if (!c->vary)
		return s;
	init_stream(&d, &label, seed, "shape");
	v = draw_range(&d, c->vary_min, c->vary_max);
	v -= c->vary_offset == offsetof(struct op_shape, dim) ? v % 2 : 0;
	memcpy((char *)&s + c->vary_offset, &v, sizeof v);
	for (size_t i = 0; i < op->nargs; i++) {
		const struct op_arg *a = find_stride(op, op->args[i].name);
		uint32_t stride;

		if (!a)
			continue;
		stride = op_scalar_uint(a, &s) - op->extent(&c->shape, i).cols +
		    op->extent(&s, i).cols;
		memcpy((char *)&s + a->offset, &stride, sizeof stride);
	}
	return s;
}

/* The argument NAME_stride, or NULL. */
static const struct op_arg *
find_stride(const struct op *op, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < op->nargs; i++)
		if (strncmp(op->args[i].name, name, n) == 0 &&
		    strcmp(op->args[i].name + n, "_stride") == 0)
			return &op->args[i];
	return NULL;
}

/* Unsorted, in 0..max, and the largest one somewhere; or between the two that
 * a mix names, all of them different ones or few. */
static int32_t *
draw_positions(struct draw *d, uint32_t n, const struct op_case *c)
{
	int32_t *p = xcalloc(n, sizeof *p);

	for (uint32_t i = 0; i < n; i++)
		p[i] = (int32_t)draw_range(d, 0, c->position_max);
	if (n > 0)
		p[draw_range(d, 0, n - 1)] = (int32_t)c->position_max;
	for (uint32_t i = 0; i < n && c->mix; i++) {
		if (c->mix->sorted)
			p[i] = (int32_t)(i % (c->position_max + 1));
		else if (c->mix->repeated && i > 1)
			p[i] = p[draw_range(d, 0, 1)];
		p[i] += c->mix->position_min;
	}
	return p;
}

bool
op_next_row(const struct op_instance *in, struct op_row *r)
{
	size_t i = r->v ? r->input : 0;
	uint32_t row = r->v ? r->row + 1 : 0;

	for (; i < in->op->nargs; i++, row = 0) {
		struct op_extent e;

		if (!in->in[i])
			continue;
		e = in->op->extent(&in->shape, i);
		if (row >= e.rows || e.cols == 0)
			continue;
		*r = (struct op_row){ .v = in->in[i] + (size_t)row * e.cols,
			.cols = e.cols,
			.input = i,
			.row = row,
			.is_positive = in->op->args[i].draw == OP_DRAW_ABS };
		return true;
	}
	return false;
}
