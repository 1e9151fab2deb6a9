/*
 * What can be done once a whole function has been read: its phis become moves
 * on edges, and a variable whose address nobody takes moves from memory into
 * slots, which is what most of unoptimised code consists of.
 */
#include "lab/probe/parse.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define BLOCKS_MAX 8192

static void
add_moves(struct parse *ps, struct prog_edge *e)
{
	struct prog_function *f = ps->f;
	struct slice from = f->blocks[e->from].name;

	e->first = f->nmoves;
	for (size_t i = 0; i < ps->nphis; i++) {
		const struct parse_phi *phi = &ps->phis[i];

		if (phi->block != e->to || !slice_same(phi->from, from))
			continue;
		if (f->nmoves % 64 == 0)
			f->moves = xreallocarray(f->moves, f->nmoves + 64,
			    sizeof *f->moves);
		f->moves[f->nmoves++] =
		    (struct prog_move){ phi->dst, phi->value, phi->slots };
		e->n++;
	}
}

/* Each block is there, has code and ends in a way out. */
static void
check_blocks(struct parse *ps)
{
	struct prog_function *f = ps->f;

	if (f->nblocks > BLOCKS_MAX) {
		parse_limit(ps, "a function of too many blocks");
		return;
	}
	for (uint32_t i = 0; i < f->nblocks; i++) {
		const struct prog_block *b = &f->blocks[i];
		enum prog_op last;

		if (b->n == 0 || b->first >= f->ncode ||
		    b->n > f->ncode - b->first) {
			parse_fail(ps, "a block without code");
			return;
		}
		last = f->code[b->first + b->n - 1].op;
		if (!parse_is_way_out(last))
			parse_fail(ps, "a block without an end");
	}
}

/* The slots of the variable behind each address slot, or -1. */
static int32_t *
find_variables(struct parse *ps)
{
	struct prog_function *f = ps->f;
	int32_t *slot_of = xcalloc(f->slots + 1, sizeof *slot_of);

	memset(slot_of, 0xff, (f->slots + 1) * sizeof *slot_of);
	for (size_t i = 0; i < ps->nlocals; i++) {
		const struct parse_local *l = &ps->locals[i];

		if (!l->variable || l->odd || l->uses != l->plain_uses ||
		    l->variable->kind > PROG_VECTOR || l->variable->slots == 0)
			continue;
		slot_of[l->slot] = (int32_t)f->slots;
		f->slots += l->variable->slots;
	}
	return slot_of;
}

static void
move_variables(struct parse *ps)
{
	struct prog_function *f = ps->f;
	uint32_t named = f->slots;
	int32_t *slot_of = find_variables(ps);

	for (uint32_t k = 0; k < f->ncode; k++) {
		struct prog_instr *i = &f->code[k];
		int32_t at = i->op == PROG_STORE ? i->b
		    : i->op == PROG_LOAD         ? i->a
		    : i->op == PROG_ALLOCA       ? i->dst
		                                 : -1;

		if (at < 0 || (uint32_t)at >= named || slot_of[at] < 0)
			continue;
		if (i->op == PROG_ALLOCA) {
			i->lanes = i->type->slots; /* filled with poison */
			i->bits = i->type->bits;
			i->dst = slot_of[at];
			i->b = 1;
			continue;
		}
		if (i->op == PROG_LOAD)
			i->a = slot_of[at];
		else
			i->dst = slot_of[at];
		i->op = PROG_MOVE;
	}
	free(slot_of);
}

/* What is used is made somewhere, and nothing goes back to the entry. */
static void
check_names(struct parse *ps)
{
	const struct prog_function *f = ps->f;

	for (size_t i = 0; i < ps->nlocals; i++)
		if (!ps->locals[i].is_made)
			parse_fail(ps, "a value that nothing makes");
	for (uint32_t e = 0; e < f->nedges; e++)
		if (f->edges[e].to == 0)
			parse_fail(ps, "a way back to the entry");
}

void
parse_end_function(struct parse *ps)
{
	struct prog_function *f = ps->f;

	check_blocks(ps);
	check_names(ps);
	for (uint32_t i = 0; i < f->nedges && !ps->bad; i++)
		add_moves(ps, &f->edges[i]);
	if (!ps->bad)
		move_variables(ps);
}
