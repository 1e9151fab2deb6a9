/*
 * A simulator runs some million instructions a second, so the two wishes,
 * long rows and many of them, are weighed: many rows only where groups walk
 * over them, and short ones then.
 */
#include "lab/stages/simulated_size.h"

#include "cltext/cllex.h"
#include "lab/run/geometry.h"
#include <stdlib.h>
#include <string.h>

#define TILE_MAX   1024
#define GROUPS_MAX 24
#define MANY_ROWS  4096

static const struct op_shape many = { .rows = MANY_ROWS,
	.cols = 64,
	.batch = 1,
	.seq = MANY_ROWS,
	.dim = 64,
	.m = MANY_ROWS,
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

/* The same of `1 << 9` and `2 * 256`, as lengths are written too. */
static uint32_t
product_of(const struct cllex *l, size_t i)
{
	size_t op = i + 1, by = i + 2;
	uint64_t v = tile_of(l, i), w;

	if (by >= l->ntoks || l->toks[by].kind != CLTOK_NUMBER)
		return (uint32_t)v;
	w = tile_of(l, by);
	if (cllex_is(l, op, "*"))
		v *= w;
	else if (cllex_is(l, op, "<<") && w < 16)
		v <<= w;
	return v <= TILE_MAX ? (uint32_t)v : 0;
}

static uint32_t
longest_tile(const char *source)
{
	uint32_t longest = 0;
	struct cllex l;

	cllex_init(&l, source, strlen(source));
	for (size_t i = 0; i < l.ntoks; i++) {
		uint32_t v =
		    l.toks[i].kind == CLTOK_NUMBER ? product_of(&l, i) : 0;

		longest = v > longest ? v : longest;
	}
	cllex_done(&l);
	return longest;
}

void
rounds_of(const struct op *op, const struct candidate *c,
    struct shapes_rounds *ret)
{
	struct order_geometry g;

	*ret = (struct shapes_rounds){ .tile = longest_tile(c->source) };
	if (geometry_eval(op, &many, c, &g, NULL) != ERR_OK)
		return;
	for (uint32_t i = 0; i < g.ndims; i++)
		if (g.local[i] > ret->tile && g.local[i] <= TILE_MAX)
			ret->tile = (uint32_t)g.local[i];
	/* Fewer groups than rows, however many rows there are. */
	if (geometry_groups(&g, NULL) <= GROUPS_MAX)
		ret->groups = (uint32_t)geometry_groups(&g, NULL);
}
