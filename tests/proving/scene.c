/*
 * Drawing a scene.  Sizes come from classes, since a mistake hides behind a
 * kind of size (a multiple of 64, one past a power of two) and not behind a
 * number; then pitches, parameters and data; then single values are planted.
 */
#include "tests/proving/scene.h"

#include "ops/args.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS_MAX   ((uint64_t)1 << 21)
#define ELEMENTS_USUAL ((uint64_t)1 << 16)
#define PRODUCTS_MAX   ((uint64_t)1 << 25)
#define ITEMS_MAX      ((uint64_t)1 << 23)
#define RARELY         12 /* one scene in so many is large */

static uint32_t
at_most(uint64_t v, uint64_t max)
{
	return (uint32_t)(v < max ? v : max);
}

/* A size from 1 to max, of a class. */
static uint32_t
draw_size(struct draw *d, uint64_t max)
{
	static const uint32_t steps[] = { 4, 8, 16, 32, 64, 128, 256, 1024 };
	uint32_t step = steps[draw_range(d, 0, COUNT(steps) - 1)];
	uint32_t power = 1U << draw_range(d, 0, 17);
	uint64_t v = 1;

	switch (draw_range(d, 0, 7)) {
	case 0:
		v = draw_range(d, 1, 7);
		break;
	case 1:
		v = 2 * draw_range(d, 0, 64) + 1;
		break;
	case 2:
	case 3:
		v = (uint64_t)step * draw_range(d, 1, 32);
		break;
	case 4:
		v = power;
		break;
	case 5:
		v = power + (draw_range(d, 0, 1) ? 1 : (uint64_t)-1);
		break;
	case 6:
		v = draw_range(d, 1000, 9000);
		break;
	default:
		v = (uint64_t)draw_bits(d) >> draw_range(d, 43, 63);
		break;
	}
	if (v > max)
		v = max - max % step > 0 && draw_range(d, 0, 1)
		    ? max - max % step
		    : draw_range(d, 1, (uint32_t)max);
	return v == 0 ? 1 : (uint32_t)v;
}

static uint32_t
draw_pad(struct draw *d)
{
	static const uint32_t pads[] = { 0, 0, 0, 1, 3, 4, 8, 16, 64, 7 };

	return pads[draw_range(d, 0, COUNT(pads) - 1)];
}

static void
draw_pitches(struct draw *d, struct op_shape *s, uint32_t a, uint32_t b,
    uint32_t out)
{
	uint32_t pad = draw_pad(d);
	bool alike = draw_range(d, 0, 1);

	s->x_stride = s->a_stride = s->gate_stride = a + pad;
	s->b_stride = s->up_stride = b + (alike ? pad : draw_pad(d));
	s->out_stride = out + (alike ? pad : draw_pad(d));
}

static float
draw_of(struct draw *d, const float *v, size_t n)
{
	return v[draw_range(d, 0, (uint32_t)n - 1)];
}

static void
draw_parameters(struct draw *d, struct op_shape *s)
{
	static const float eps[] = { 1e-12f, 1e-9f, 1e-8f, 1e-6f, 1e-5f, 1e-5f,
		1e-3f, 0.1f, 1.0f };
	static const float base[] = { 1e4f, 1e4f, 100.0f, 500.0f, 12345.0f,
		1e5f, 5e5f, 1e6f, 77.5f };

	s->eps = draw_of(d, eps, COUNT(eps));
	s->base = draw_of(d, base, COUNT(base));
}

static void
draw_shape(const struct op *op, struct draw *d, struct op_shape *s)
{
	uint64_t max =
	    draw_range(d, 1, RARELY) == 1 ? ELEMENTS_MAX : ELEMENTS_USUAL;
	uint32_t ignored;

	draw_parameters(d, s);
	if (op_scalar_find(op, s, slice_of("k"), &ignored) == ERR_OK) {
		s->k = draw_size(d, max / 16);
		s->m = draw_size(d, max / s->k);
		s->n = draw_size(d,
		    at_most(max / s->k, PRODUCTS_MAX / s->k / s->m));
		draw_pitches(d, s, s->k, s->n, s->n);
	} else if (op_scalar_find(op, s, slice_of("seq"), &ignored) == ERR_OK) {
		s->dim = (draw_size(d, max / 4) + 1) / 2 * 2;
		s->seq = draw_size(d, max / s->dim);
		s->batch = draw_size(d, max / s->dim / s->seq);
	} else if (draw_range(d, 0, 1)) {
		s->cols = draw_size(d, max / 2);
		s->rows = draw_size(d, max / s->cols);
	} else {
		s->rows = draw_size(d, max);
		s->cols = draw_size(d, max / s->rows);
	}
	if (s->cols > 0)
		draw_pitches(d, s, s->cols, s->cols, s->cols);
}

/* Values that somebody's kernel forgets. */
static float
draw_special(struct draw *d, enum dtype t)
{
	static const float values[] = { NAN, NAN, INFINITY, -INFINITY, -0.0f,
		0.0f, 1e-40f, 65504.0f, -65504.0f, 1e6f, 1e-7f, 3e38f, -3e38f,
		300.0f, -300.0f, 88.5f, -104.0f, 9.0f };
	float v = draw_of(d, values, COUNT(values));

	return dtype_round(t, v);
}

/* One value or many at drawn places, or a row of nothing else. */
static void
plant_specials(struct draw *d, const struct scene *s, float *v,
    struct op_extent e)
{
	size_t n = (size_t)e.rows * e.cols;
	size_t some = n / draw_range(d, 3, 500) + 1;
	float same = draw_special(d, s->c.dtype);
	bool mixed = draw_range(d, 0, 1);
	size_t row = n > 0 ? draw_bits(d) % e.rows : 0;

	if (n == 0)
		return;
	if (draw_range(d, 0, 3) == 0) {
		for (size_t c = 0; c < e.cols; c++)
			v[row * e.cols + c] = same;
		return;
	}
	for (size_t i = 0; i < some && i < 4096; i++)
		v[draw_bits(d) % n] =
		    mixed ? draw_special(d, s->c.dtype) : same;
}

static void
plant_positions(struct draw *d, int32_t *p, size_t n)
{
	static const int32_t places[] = { 0, 1, -1, -7, 32767, 32768, 40000,
		65535, 65536, 70000, 131072, 2047, 4096, -40000 };

	for (size_t i = 0; i < n; i++)
		if (draw_range(d, 0, 2) == 0)
			p[i] = places[draw_range(d, 0, COUNT(places) - 1)];
}

static void
plant_values(struct draw *d, struct scene *s)
{
	const struct op *op = s->in->op;
	bool special = draw_range(d, 0, 1);

	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_IN && special &&
		    draw_range(d, 0, 2) > 0)
			plant_specials(d, s, s->in->in[i],
			    op->extent(&s->c.shape, i));
	if (s->in->positions && draw_range(d, 0, 1))
		plant_positions(d, s->in->positions, s->c.shape.seq);
}

static bool
is_bearable(const struct order_geometry *g)
{
	uint64_t items = 1;

	for (uint32_t i = 0; i < g->ndims; i++)
		items *= g->global[i];
	return items <= ITEMS_MAX && !geometry_is_empty(g);
}

static void
draw_data(struct draw *d, struct op_case *c)
{
	c->data = draw_range(d, 0, 1)
	    ? OP_DATA_NORMAL
	    : (enum op_data)draw_range(d, 0, OP_NDATAS - 1);
	c->position_max = 1U << draw_range(d, 1, 17);
}

/* Of a scene that has its sizes. */
static void
draw_values(const struct kernel *k, struct draw *d, struct scene *s)
{
	uint8_t seed[32];

	for (size_t i = 0; i < sizeof seed; i++)
		seed[i] = (uint8_t)draw_bits(d);
	s->in = op_instance_new(k->op, &s->c, seed);
	s->in->c = &s->c;
	plant_values(d, s);
	judge_want_init(&s->want, s->in);
}

bool
scene_draw(const struct kernel *k, struct draw *d, struct scene *ret)
{
	struct scene s = { 0 };

	s.c.name = "scene";
	s.c.dtype = (enum dtype)draw_range(d, 0, DTYPE_NDTYPES - 1);
	draw_data(d, &s.c);
	draw_shape(k->op, d, &s.c.shape);
	if (geometry_eval(k->op, &s.c.shape, &k->candidate, &s.geometry,
	        NULL) != ERR_OK ||
	    !is_bearable(&s.geometry))
		return false;
	*ret = s;
	draw_values(k, d, ret);
	return true;
}

void
scene_redraw(const struct kernel *k, const struct scene *like, struct draw *d,
    struct scene *ret)
{
	*ret = (struct scene){ .c = like->c, .geometry = like->geometry };
	draw_data(d, &ret->c);
	draw_values(k, d, ret);
}

void
scene_done(struct scene *s)
{
	op_instance_free(s->in);
	judge_want_done(&s->want);
}

bool
scene_uint(const struct scene *s, const char *name, uint32_t *ret)
{
	return op_scalar_find(s->in->op, &s->c.shape, slice_of(name), ret) ==
	    ERR_OK;
}

void
scene_text(const struct scene *s, char *out, size_t size)
{
	const struct op *op = s->in->op;
	size_t at = (size_t)snprintf(out, size, "%s data %d",
	    dtype_name(s->c.dtype), (int)s->c.data);

	for (size_t i = 0; i < op->nargs && at < size; i++) {
		const struct op_arg *a = &op->args[i];

		if (a->kind == OP_UINT)
			at += (size_t)snprintf(out + at, size - at, " %s=%u",
			    a->name, op_scalar_uint(a, &s->c.shape));
		else if (a->kind == OP_REAL)
			at += (size_t)snprintf(out + at, size - at, " %s=%g",
			    a->name, (double)op_scalar_real(a, &s->c.shape));
	}
}
