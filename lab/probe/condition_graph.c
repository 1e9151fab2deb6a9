/*
 * What makes a slot's value, and which blocks stand before which.
 *
 * A slot that is written in two places has no maker: following one of them
 * would give a value that may not be there. Dominators are found by meeting in
 * a tree (Cooper, Harvey and Kennedy 2001), which is short, and fast enough for
 * a kernel.
 */
#include "lab/probe/condition_priv.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

/* ---- definitions */

static void
define(struct cond_function *cf, int32_t slot, uint32_t lanes, uint32_t by,
    uint32_t nslots)
{
	for (uint32_t i = 0; i < lanes && (uint32_t)slot + i < nslots; i++) {
		uint32_t *d = &cf->def[(uint32_t)slot + i];

		/* 0 is "not yet"; several are nowhere. */
		*d = *d == 0 ? by + 1 : COND_NOWHERE;
	}
}

bool
cond_has_result(const struct prog_instr *i)
{
	return i->op != PROG_STORE && i->op != PROG_JUMP &&
	    i->op != PROG_BRANCH && i->op != PROG_SWITCH &&
	    i->op != PROG_RETURN && i->op != PROG_UNREACHABLE && i->lanes > 0;
}

void
cond_find_definitions(const struct prog_function *f, struct cond_function *cf)
{
	cf->def = xcalloc(f->slots + 1, sizeof *cf->def);
	cf->block = xcalloc(f->ncode + 1, sizeof *cf->block);
	cf->param = xcalloc(f->slots + 1, sizeof *cf->param);
	memset(cf->param, 0xff, (f->slots + 1) * sizeof *cf->param);
	for (uint32_t i = 0; i < f->nparams; i++)
		cf->param[f->params[i]] = (int32_t)i;
	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t k = 0; k < f->blocks[b].n; k++)
			cf->block[f->blocks[b].first + k] = b;
	for (uint32_t i = 0; i < f->ncode; i++) {
		const struct prog_instr *in = &f->code[i];

		/* A variable's birth only poisons it. */
		if (cond_has_result(in) && !(in->op == PROG_ALLOCA && in->b))
			define(cf, in->dst, in->lanes, i, f->slots);
	}
	for (uint32_t i = 0; i < f->nmoves; i++) {
		define(cf, f->moves[i].dst, f->moves[i].slots, 0, f->slots);
		define(cf, f->moves[i].dst, f->moves[i].slots, 0, f->slots);
	}
}

/* ---- dominators, by the simple iteration; blocks that nothing reaches have
 * none */

static uint32_t
meet(const uint32_t *idom, const uint32_t *rank, uint32_t a, uint32_t b)
{
	while (a != b) {
		while (rank[a] > rank[b])
			a = idom[a];
		while (rank[b] > rank[a])
			b = idom[b];
	}
	return a;
}

/* Blocks in reverse postorder; returns how many are reached. */
static uint32_t
order_blocks(const struct prog_function *f, uint32_t *order, uint32_t *rank)
{
	uint32_t *stack = xcalloc(f->nblocks + 1, sizeof *stack);
	uint32_t *next = xcalloc(f->nblocks, sizeof *next);
	bool *seen = xcalloc(f->nblocks, sizeof *seen);
	uint32_t n = 1, at = f->nblocks;

	seen[0] = true;
	while (n > 0) {
		uint32_t b = stack[n - 1], e = next[b];

		while (e < f->nedges && f->edges[e].from != b)
			e++;
		next[b] = e + 1;
		if (e >= f->nedges) {
			order[--at] = b;
			n--;
		} else if (!seen[f->edges[e].to]) {
			seen[f->edges[e].to] = true;
			stack[n++] = f->edges[e].to;
		}
	}
	memmove(order, order + at, (f->nblocks - at) * sizeof *order);
	for (uint32_t i = 0; i < f->nblocks; i++)
		rank[i] = COND_NOWHERE;
	for (uint32_t i = 0; i < f->nblocks - at; i++)
		rank[order[i]] = i;
	free(stack);
	free(next);
	free(seen);
	return f->nblocks - at;
}

void
cond_find_dominators(const struct prog_function *f, struct cond_function *cf)
{
	uint32_t *order = xcalloc(f->nblocks + 1, sizeof *order);
	uint32_t *rank = xcalloc(f->nblocks + 1, sizeof *rank);
	uint32_t n = order_blocks(f, order, rank);
	bool changes = true;

	cf->idom = xcalloc(f->nblocks + 1, sizeof *cf->idom);
	for (uint32_t i = 1; i < f->nblocks; i++)
		cf->idom[i] = COND_NOWHERE;
	while (changes) {
		changes = false;
		for (uint32_t e = 0; e < f->nedges; e++) {
			uint32_t to = f->edges[e].to, from = f->edges[e].from;
			uint32_t d;

			if (to == 0 || rank[from] >= n ||
			    (from != 0 && cf->idom[from] == COND_NOWHERE))
				continue;
			d = cf->idom[to] == COND_NOWHERE
			    ? from
			    : meet(cf->idom, rank, cf->idom[to], from);
			changes |= d != cf->idom[to];
			cf->idom[to] = d;
		}
	}
	free(order);
	free(rank);
}

bool
cond_stands_before(const struct cond_function *cf, uint32_t block, uint32_t at)
{
	while (at != block && at != 0 && at != COND_NOWHERE)
		at = cf->idom[at];
	return at == block;
}
