/*
 * Shapes are drawn by the thousand from the constants in the program and from
 * small sizes, and conditions evaluated (condition.h): nothing is launched
 * here.
 */
#include "lab/stages/input_search_priv.h"

#include "base/mem.h"
#include "lab/run/geometry.h"
#include <stdlib.h>
#include <string.h>

#define ELEMENTS_MAX  ((uint64_t)5 << 20)
#define SIZE_MAX_HERE ((uint64_t)4 << 20)
#define PLACES        8
#define NEAR_TRIES    25 /* for a shape that shows much */
/* What is known of a shape that cost more is sought for less all the same: the
 * machine may not come to its end. */
#define COST_DEAR ((uint64_t)1 << 14)
#define TRIES_MAX 40000
#define TRIES_MIN 600
#define LOOKS_MAX ((uint64_t)3 << 20) /* at conditions, for one program */

static const char *const dimensions[] = { "rows", "cols", "batch", "seq", "dim",
	"m", "n", "k" };

bool
seek_is_dimension(const struct op *op, size_t arg)
{
	for (size_t i = 0; i < COUNT(dimensions); i++)
		if (strcmp(op->args[arg].name, dimensions[i]) == 0)
			return true;
	return false;
}

/* The tensor that a stride is of. */
static size_t
strided(const struct op *op, size_t arg)
{
	const char *tail = strstr(op->args[arg].name, "_stride");
	size_t n = tail ? (size_t)(tail - op->args[arg].name) : 0;

	for (size_t i = 0; i < op->nargs && n > 0; i++)
		if (strlen(op->args[i].name) == n &&
		    strncmp(op->args[i].name, op->args[arg].name, n) == 0)
			return i;
	return op->nargs;
}

bool
seek_is_stride(const struct op *op, size_t arg)
{
	return strided(op, arg) < op->nargs;
}

uint32_t *
seek_scalar(const struct op *op, size_t arg, struct op_shape *s)
{
	return (uint32_t *)(void *)((char *)s + op->args[arg].offset);
}

static bool
set_geometry(const struct seek *s, const struct op_shape *shape,
    struct cond_place *at)
{
	struct order_geometry g;

	if (geometry_eval(s->op, shape, s->candidate, &g, NULL) != ERR_OK ||
	    geometry_is_empty(&g))
		return false;
	at->ndims = (uint32_t)g.ndims;
	for (uint32_t d = 0; d < 3; d++) {
		at->global[d] = d < g.ndims ? g.global[d] : 1;
		at->local[d] = d < g.ndims ? g.local[d] : 1;
	}
	return true;
}

/* For proofs: sizes to geometry. */
static bool
geometry_of(void *arg, struct cond_place *at)
{
	const struct seek *s = arg;
	struct op_shape shape = s->op->smoke->shape;

	for (size_t i = 0; i < s->op->nargs; i++)
		if (s->op->args[i].kind == OP_UINT)
			*seek_scalar(s->op, i, &shape) = (uint32_t)at->args[i];
	return set_geometry(s, &shape, at);
}

/* The columns that a stride is not less than: the argument whose value they
 * are under two different shapes. */
static int
columns_arg(const struct op *op, size_t stride)
{
	size_t tensor = strided(op, stride);
	struct op_shape a = op->smoke->shape;

	if (tensor == op->nargs)
		return -1;
	for (size_t i = 0; i < op->nargs; i++) {
		struct op_shape b = a;

		/* By two, because some operators take even sizes alone
		 * (dim). */
		if (op->args[i].kind != OP_UINT || !seek_is_dimension(op, i))
			continue;
		*seek_scalar(op, i, &b) += 2;
		if (op->extent(&b, tensor).cols != op->extent(&a, tensor).cols)
			return (int)i;
	}
	return -1;
}

static void
learn_facts(struct seek *s)
{
	struct cond_facts *f = &s->facts;

	for (size_t i = 0; i < MACHINE_ARGS_MAX; i++)
		f->not_less[i] = -1;
	for (size_t i = 0; i < s->op->nargs; i++) {
		const struct op_arg *a = &s->op->args[i];

		if (a->kind != OP_UINT)
			continue;
		f->is_size[i] = true;
		/* Nothing is launched for none of these, or nothing is said
		 * of a launch for none. */
		f->least[i] = 1;
		f->is_even[i] = strcmp(a->name, "dim") == 0;
		f->not_less[i] = columns_arg(s->op, i);
	}
	f->geometry = geometry_of;
	f->arg = s;
}

/* The numbers in an expression of the launch. */
static void
mine_header(struct seek *s, const char *text)
{
	while (*text != '\0' && s->nwhole < SEEK_CONSTANTS_MAX) {
		char *end;
		unsigned long long v = strtoull(text, &end, 10);

		if (end == text) {
			text++;
			continue;
		}
		s->whole[s->nwhole++] = v;
		text = end;
	}
}

struct seek *
seek_new(const struct op *op, const struct candidate *c,
    const struct program *p, const struct prog_function *kernel,
    const uint8_t seed[32])
{
	struct seek *s = xcalloc(1, sizeof *s);

	s->op = op;
	s->candidate = c;
	s->p = p;
	s->cond = cond_new(p, kernel);
	draw_init(&s->dice, seed, "seek");
	learn_facts(s);
	s->nwhole = cond_constants_whole(p, s->whole, SEEK_CONSTANTS_MAX);
	for (size_t i = 0; i < c->ndims; i++) {
		mine_header(s, c->global[i]);
		mine_header(s, c->local[i]);
	}
	seek_mine_factors(s);
	seek_mine_made(s);
	s->nreal = cond_constants_real(p, s->real, SEEK_REALS_MAX);
	s->goals = xcalloc(p->ncounters + 1, sizeof *s->goals);
	for (size_t i = 0; i < p->npoints; i++)
		for (uint32_t o = 0; p->points[i].kind != PROG_POINT_LOOP &&
		     o < p->points[i].outcomes && cond_is_told(s->cond, i);
		     o++)
			s->goals[s->ngoals++] =
			    (struct goal){ .point = (uint32_t)i, .outcome = o };
	seek_add_loops(s);
	return s;
}

void
seek_free(struct seek *s)
{
	if (!s)
		return;
	cond_free(s->cond);
	free(s->goals);
	free(s);
}

bool
seek_can_plant(const struct seek *s)
{
	return s->nreal + s->nwhole > 0;
}

/* ---- shapes */

/* A size: small, or near a constant, its multiples, its parts. */
static uint64_t
draw_size(struct seek *s)
{
	uint64_t bits = draw_bits(&s->dice), k, v;
	uint32_t way = (uint32_t)(bits % 8);

	if (s->nwhole == 0 || way == 0)
		return (uint64_t)1 << (bits >> 8) % 12;
	k = s->whole[(bits >> 8) % s->nwhole];
	v = s->whole[(bits >> 24) % s->nwhole];
	bits >>= 40;
	if (way == 1)
		return 1 + bits % 70;
	if (way == 2)
		return k * (1 + bits % 9);
	if (way == 3)
		return k * (bits % 40) + v;
	if (way == 4)
		return k + v + bits % 3 - 1;
	if (way == 5)
		return k / (1 + bits % 64) + bits % 2;
	if (way == 6)
		return 1 + bits % 4096;
	return k + bits % 3 - 1;
}

static uint64_t
elements(const struct op *op, const struct op_shape *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_IN || op->args[i].kind == OP_OUT) {
			struct op_extent e = op->extent(s, i);

			n += (uint64_t)e.rows *
			    (e.stride > e.cols ? e.stride : e.cols);
		}
	return n;
}

/* The arithmetic of a matrix product is not told by its elements. */
uint64_t
seek_cost(const struct op *op, const struct op_shape *s)
{
	uint64_t work = (uint64_t)s->m * s->n;

	if (strcmp(op->name, "matmul") == 0 && work * s->k / 64 > ELEMENTS_MAX)
		return UINT64_MAX;
	return elements(op, s);
}

bool
seek_is_legal(const struct op *op, const struct op_shape *s)
{
	for (size_t i = 0; i < op->nargs; i++) {
		struct op_extent e;

		if (op->args[i].kind != OP_IN && op->args[i].kind != OP_OUT)
			continue;
		e = op->extent(s, i);
		if ((uint64_t)e.rows * e.stride > SIZE_MAX_HERE * 2 ||
		    (uint64_t)s->batch * s->seq > SIZE_MAX_HERE)
			return false;
	}
	return seek_cost(op, s) <= ELEMENTS_MAX;
}

void
seek_widen_strides(const struct op *op, struct op_shape *shape)
{
	for (size_t i = 0; i < op->nargs; i++) {
		size_t tensor = strided(op, i);
		uint32_t cols;

		if (tensor == op->nargs)
			continue;
		cols = op->extent(shape, tensor).cols;
		if (*seek_scalar(op, i, shape) < cols)
			*seek_scalar(op, i, shape) = cols;
	}
}

/* 0: as close as its columns; 1: a little wider; 2: rounded up to 16; 3: any.
 */
static void
draw_stride(struct seek *s, struct op_shape *shape, size_t arg, uint32_t way)
{
	uint32_t cols = s->op->extent(shape, strided(s->op, arg)).cols;
	uint64_t v = draw_size(s);

	if (way == 0)
		v = cols;
	else if (way == 1)
		v = cols + v % 66;
	else if (way == 2)
		v = cols + 16 - cols % 16;
	if (v < cols || v > SIZE_MAX_HERE)
		v = cols;
	*seek_scalar(s->op, arg, shape) = (uint32_t)v;
}

static void
set_strides(struct seek *s, struct op_shape *shape)
{
	uint32_t bits = (uint32_t)draw_bits(&s->dice);
	bool close = bits % 3 == 0;

	for (size_t i = 0; i < s->op->nargs; i++) {
		if (strided(s->op, i) == s->op->nargs)
			continue;
		/* The linear congruence that C11 7.22.2.2 prints: its high bits
		 * are random enough to choose a width. */
		bits = bits * 1103515245U + 12345U;
		draw_stride(s, shape, i,
		    close                ? 0
		        : bits >> 16 & 1 ? 1
		        : bits >> 17 & 1 ? 2
		                         : 3);
	}
}

static void
draw_dimension(struct seek *s, struct op_shape *shape, size_t arg, bool small)
{
	uint64_t v = draw_size(s);

	if (small && v > 64)
		v = 1 + v % 9;
	if (s->facts.is_even[arg])
		v = v / 2 * 2;
	if (v < 1 + (uint64_t)s->facts.is_even[arg] || v > SIZE_MAX_HERE)
		v = 2;
	*seek_scalar(s->op, arg, shape) = (uint32_t)v;
}

void
seek_draw_parameters(struct seek *s, struct op_shape *ret)
{
	uint64_t bits = draw_bits(&s->dice);

	ret->base = 100.0f + (float)(bits % 1000000);
	ret->eps = 1e-6f * (float)(1 + (bits >> 32) % 50000);
}

static bool
draw_shape(struct seek *s, struct op_shape *ret)
{
	uint32_t large = (uint32_t)(draw_bits(&s->dice) % 16);
	uint32_t which = 0;

	*ret = s->op->smoke->shape;
	seek_draw_parameters(s, ret);
	for (size_t i = 0; i < s->op->nargs; i++)
		/* One at a time is the cheapest; all, now and then. */
		if (s->op->args[i].kind == OP_UINT &&
		    seek_is_dimension(s->op, i))
			draw_dimension(s, ret, i,
			    large < 12 && large % 3 != which++ % 3);
	set_strides(s, ret);
	return seek_is_legal(s->op, ret);
}

/* One size of a shape that takes some goal is drawn anew: what lies behind
 * several conditions is come to by one after the other. */
static bool
vary_shape(struct seek *s, struct op_shape *ret)
{
	size_t n = s->ngoals > 0 ? s->ngoals : s->nloops;
	const struct goal *g = &s->goals[draw_bits(&s->dice) % n];
	size_t arg = (size_t)(draw_bits(&s->dice) % s->op->nargs);

	if (!g->found || s->op->args[arg].kind != OP_UINT)
		return false;
	*ret = g->shape;
	if (seek_is_dimension(s->op, arg))
		draw_dimension(s, ret, arg, false);
	else if (strided(s->op, arg) < s->op->nargs)
		draw_stride(s, ret, arg, (uint32_t)draw_bits(&s->dice) % 4);
	else
		return false;
	seek_widen_strides(s->op, ret);
	return seek_is_legal(s->op, ret);
}

/* ---- goals */

static void
fill_args(const struct seek *s, const struct op_shape *shape,
    struct cond_place *at)
{
	for (size_t i = 0; i < s->op->nargs; i++)
		if (s->op->args[i].kind == OP_UINT)
			at->args[i] = op_scalar_uint(&s->op->args[i], shape);
}

bool
seek_place(const struct seek *s, const struct op_shape *shape,
    struct cond_place *at)
{
	fill_args(s, shape, at);
	return set_geometry(s, shape, at);
}

void
seek_draw_place(struct seek *s, uint32_t n, struct cond_place *at)
{
	for (uint32_t d = 0; d < 3; d++) {
		uint64_t bits = draw_bits(&s->dice), id = bits >> 20;

		if (n == 0)
			id = 0;
		else if (n == 1)
			id = at->global[d] - 1;
		else if (n % 2 && s->nwhole > 0)
			id = s->whole[bits % s->nwhole] + (bits >> 16) % 3 - 1;
		at->id[d] = id % at->global[d];
	}
}

uint64_t
seek_group_of(const struct cond_place *at)
{
	uint64_t nx = at->global[0] / at->local[0];
	uint64_t ny = at->global[1] / at->local[1];

	return at->id[0] / at->local[0] + nx * (at->id[1] / at->local[1]) +
	    nx * ny * (at->id[2] / at->local[2]);
}

/* Does a shape take the place of what a goal was found in?  One that shows what
 * was done does, then a cheaper one: every launch of it costs by its elements. */
static bool
is_better(const struct goal *g, bool shows, uint64_t cost)
{
	if (!g->found || shows != g->shows)
		return !g->found || shows;
	return !(g->known && g->cost <= COST_DEAR) && g->cost > cost;
}

/* What a shape takes, by the items that are looked at. */
static void
meet_goals(struct seek *s, const struct op_shape *shape, bool is_known)
{
	struct cond_place at = { 0 };
	uint64_t cost = seek_cost(s->op, shape);
	bool shows = seek_shows(s->op, shape);

	if (!seek_place(s, shape, &at))
		return;
	for (uint32_t n = 0; n < PLACES; n++) {
		seek_draw_place(s, n, &at);
		for (size_t i = 0; i < s->ngoals + s->nloops; i++) {
			struct goal *g = &s->goals[i];

			if (!is_better(g, shows, cost))
				continue;
			s->looks++;
			if (cond_outcome(s->cond, g->point, &at) !=
			    (int)g->outcome)
				continue;
			g->known =
			    is_known || (g->known && (g->shows || !shows));
			g->found = true;
			g->shows = shows;
			g->cost = cost;
			g->shape = *shape;
			g->group = seek_group_of(&at);
			memcpy(g->id, at.id, sizeof g->id);
		}
	}
}

void
seek_know(struct seek *s, const struct op_shape *shape)
{
	if (seek_cost(s->op, shape) <= 2 * ELEMENTS_MAX)
		meet_goals(s, shape, true);
}

static bool
is_anything_left(const struct seek *s)
{
	for (size_t i = 0; i < s->ngoals; i++)
		if (!s->goals[i].found &&
		    !cond_is_impossible(s->cond, s->goals[i].point,
		        s->goals[i].outcome, &s->facts))
			return true;
	return false;
}

/* Goals that one shape takes already need no other. */
static size_t
choose(struct seek *s, struct seek_shape *out, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < s->ngoals + s->nloops; i++) {
		struct goal *g = &s->goals[i];
		size_t k = 0;

		if (g->known || !g->found)
			continue;
		while (
		    k < n && !op_shape_is_same(s->op, &out[k].shape, &g->shape))
			k++;
		if (k == n && n == max)
			break;
		if (k == n)
			out[n++] = (struct seek_shape){ .shape = g->shape };
		if (out[k].ngroups < 8)
			out[k].groups[out[k].ngroups++] = g->group;
	}
	return n;
}

size_t
seek_shapes(struct seek *s, struct seek_shape *out, size_t max)
{
	bool left;

	seek_halve_loops(s);
	left = s->ngoals > 0 || seek_is_loop_left(s);

	for (size_t i = 0; left && i < TRIES_MAX && s->looks < LOOKS_MAX; i++) {
		struct op_shape shape;

		if (i % 2 ? vary_shape(s, &shape) : draw_shape(s, &shape))
			meet_goals(s, &shape, false);
		if (i % TRIES_MIN == 0 && i > 0)
			left = is_anything_left(s);
	}
	seek_halve_loops(s);
	return choose(s, out, max);
}

bool
seek_any_shape(struct seek *s, struct op_shape *ret, uint64_t *ret_cost)
{
	if (!draw_shape(s, ret))
		return false;
	*ret_cost = seek_cost(s->op, ret);
	return true;
}

bool
seek_near_constant(struct seek *s, struct op_shape *ret)
{
	for (int tries = 0; tries < 50; tries++)
		if (s->nwhole > 0 && draw_shape(s, ret) &&
		    (seek_shows(s->op, ret) || tries > NEAR_TRIES) &&
		    seek_cost(s->op, ret) < ELEMENTS_MAX / 64) {
			seek_end_parameters(s, draw_bits(&s->dice) & 1, ret);
			return true;
		}
	return false;
}

bool
seek_hangs_on_values(const struct seek *s, size_t point)
{
	return cond_hangs_on_values(s->cond, point);
}

bool
seek_is_impossible(const struct seek *s, size_t point, uint32_t outcome)
{
	return cond_is_impossible(s->cond, point, outcome, &s->facts);
}
