/*
 * A simulator runs some million instructions a second, so the two wishes,
 * long rows and many of them, are weighed: many rows only where groups walk
 * over them, and short ones then.
 */
#include "lab/stages/rounds.h"

#include "cltext/cllex.h"
#include "lab/run/geometry.h"
#include <stdlib.h>
#include <string.h>

#define TILE_MAX   1024
#define GROUPS_MAX 64
#define FEW_ROWS   8
#define MANY_ROWS  4096

static const struct op_shape few = { .rows = FEW_ROWS,
	.cols = 64,
	.batch = 1,
	.seq = FEW_ROWS,
	.dim = 64,
	.m = FEW_ROWS,
	.n = 64,
	.k = 64,
	.x_stride = 64,
	.a_stride = 64,
	.b_stride = 64,
	.gate_stride = 64,
	.up_stride = 64,
	.out_stride = 64 };

/* A number that could be the length of a tile; 0: it could not. */
static uint32_t
tile_of(const struct cllex *l, size_t i)
{
	struct slice s = cllex_text(l, i);
	char digits[16] = "";
	unsigned long v;
	char *end;

	if (s.n == 0 || s.n >= sizeof digits)
		return 0;
	memcpy(digits, s.p, s.n);
	v = strtoul(digits, &end, 0);
	if (strspn(end, "uUlL") != strlen(end) || v > TILE_MAX)
		return 0;
	return (uint32_t)v;
}

static uint32_t
longest_tile(const char *source)
{
	uint32_t longest = 0;
	struct cllex l;

	cllex_init(&l, source, strlen(source));
	for (size_t i = 0; i < l.ntoks; i++) {
		uint32_t v =
		    l.toks[i].kind == CLTOK_NUMBER ? tile_of(&l, i) : 0;

		longest = v > longest ? v : longest;
	}
	cllex_done(&l);
	return longest;
}

static uint64_t
groups_of(const struct order_geometry *g)
{
	uint64_t n = 1;

	for (uint32_t i = 0; i < g->ndims; i++)
		n *= g->global[i] / g->local[i];
	return n;
}

void
rounds_of(const struct op *op, const struct candidate *c,
    struct shapes_rounds *ret)
{
	struct op_shape many = few;
	struct order_geometry a, b;

	*ret = (struct shapes_rounds){ .tile = longest_tile(c->source) };
	many.rows = many.seq = many.m = MANY_ROWS;
	if (geometry_eval(op, &few, c, &a, NULL) != ERR_OK ||
	    geometry_eval(op, &many, c, &b, NULL) != ERR_OK)
		return;
	for (uint32_t i = 0; i < a.ndims; i++)
		if (a.local[i] > ret->tile && a.local[i] <= TILE_MAX)
			ret->tile = (uint32_t)a.local[i];
	if (groups_of(&a) == groups_of(&b) && groups_of(&a) <= GROUPS_MAX)
		ret->groups = (uint32_t)groups_of(&a);
}
