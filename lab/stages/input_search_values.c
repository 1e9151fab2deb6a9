/*
 * Values at a program's constants, and values that lead there: what a
 * condition compares is seldom an input as it stands.
 */
#include "lab/stages/input_search_priv.h"

#include "base/mem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A constant, a neighbour, its negative; what its square or its root was. */
static float
near(struct seek *s, enum dtype t)
{
	float c = s->real[draw_range(&s->dice, 0, (uint32_t)s->nreal - 1)];
	uint32_t way = draw_range(&s->dice, 0, 9);
	float v = c;

	if (way == 1 || way == 2)
		v = nextafterf(c, way == 1 ? INFINITY : -INFINITY);
	else if (way == 3)
		v = sqrtf(fabsf(c));
	else if (way == 4)
		v = c * c;
	else if (way == 5)
		v = c * (1.0f + (float)draw_range(&s->dice, 1, 64) / 64.0f);
	else if (way == 6)
		v = logf(fabsf(c));
	else if (way == 7)
		v = 1.0f / c;
	if (draw_bits(&s->dice) & 1)
		v = -v;
	if (!isfinite(v))
		v = c;
	/* The next value that the storage type has, on either side. */
	if (t != DTYPE_F32 && dtype_round(t, v) == v && way == 1)
		v = v * (1.0f + (t == DTYPE_F16 ? 0x1p-10f : 0x1p-7f));
	return dtype_round(t, v);
}

/* What an element of the output is to be: near a constant, or as close to it
 * as a product of two values of the storage type comes. */
static double
target(struct seek *s, enum dtype t)
{
	double c =
	    (double)s->real[draw_range(&s->dice, 0, (uint32_t)s->nreal - 1)];

	if (draw_bits(&s->dice) & 1)
		return (double)near(s, t);
	return c *
	    (1.0 + ((double)draw_range(&s->dice, 0, 256) - 128.0) * 0x1p-17);
}

/* The formula of every elementwise operator of several inputs is a straight
 * line in the last one: where it leads to a target is solved for. */
static void
aim(struct seek *s, struct op_instance *in)
{
	size_t last = in->op->nargs, inputs = 0;
	size_t n = (size_t)in->out.rows * in->out.cols;
	double *at0, *at1, *bound;
	float *was;

	for (size_t i = 0; i < in->op->nargs; i++)
		if (in->in[i]) {
			last = i;
			inputs++;
		}
	if (!in->op->is_elementwise || inputs < 2)
		return;
	at0 = xcalloc(n + 1, sizeof *at0);
	at1 = xcalloc(n + 1, sizeof *at1);
	bound = xcalloc(n + 1, sizeof *bound);
	was = xmemdup(in->in[last], n * sizeof *was);
	for (size_t k = 0; k < n; k++)
		in->in[last][k] = 0.0f;
	in->op->reference(in, at0, bound);
	for (size_t k = 0; k < n; k++)
		in->in[last][k] = 1.0f;
	in->op->reference(in, at1, bound);
	for (size_t k = 0; k < n; k++) {
		double v =
		    (target(s, in->c->dtype) - at0[k]) / (at1[k] - at0[k]);

		in->in[last][k] = was[k];
		if (k % 2 && isfinite(v) && fabs(v) < 3.4e38)
			in->in[last][k] = dtype_round(in->c->dtype, (float)v);
	}
	free(at0);
	free(at1);
	free(bound);
	free(was);
}

bool
seek_value(struct seek *s, enum dtype d, float *ret)
{
	if (s->nreal > 0)
		*ret = near(s, d);
	return s->nreal > 0;
}

void
seek_plant(struct seek *s, struct op_instance *in, uint32_t round)
{
	for (uint32_t i = 0;
	     in->positions && i < in->shape.seq && s->nwhole > 0; i++) {
		uint32_t k = draw_range(&s->dice, 0, (uint32_t)s->nwhole - 1);
		int32_t v = (int32_t)(s->whole[k] % (1U << 22)) +
		    (int32_t)draw_range(&s->dice, 0, 2) - 1;

		in->positions[i] = round % 3 == 2 ? -v : v;
	}
	for (size_t i = 0; i < in->op->nargs && s->nreal > 0; i++) {
		struct op_extent e;
		size_t n;

		if (!in->in[i])
			continue;
		e = in->op->extent(&in->shape, i);
		n = (size_t)e.rows * e.cols;
		for (size_t k = 0; k < n; k++)
			if (draw_bits(&s->dice) % (2 + round % 7) == 0) {
				float v = near(s, in->c->dtype);

				in->in[i][k] =
				    in->op->args[i].draw == OP_DRAW_ABS
				    ? fabsf(v)
				    : v;
			}
	}
	if (s->nreal > 0)
		aim(s, in);
}
