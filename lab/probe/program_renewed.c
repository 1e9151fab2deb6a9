/*
 * A value that a loop carries may be a sum, of which every round is a part, or
 * be made anew in each round: who loads one step ahead keeps it for the next
 * one.  Nothing is left of such ones after a round or two.
 *
 * What is made of a carried value is followed through the body: by what takes
 * it, and by what is done or left out as it decides (J. Ferrante et al., The
 * program dependence graph, 1987).  It says rather too little than too much: a
 * value is then a sum.
 */
#include "lab/probe/program_carried_priv.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define RENEWALS_MAX 2
#define BLOCKS_MAX   96

/* ---- which blocks a branch decides about */

/* Blocks of the body on a way from one on that does not go through the head or
 * through but.  Does one of the ways come round, to the head? */
static bool
reach(const struct carried_look *l, uint32_t from, uint32_t but, bool *ret)
{
	bool comes_round = from == l->head, grows;

	memset(ret, 0, (l->f->nblocks + 1) * sizeof *ret);
	if (from == but || !l->in[from] || comes_round)
		return comes_round && from != but;
	ret[from] = true;
	do {
		grows = false;
		for (uint32_t e = 0; e < l->f->nedges; e++) {
			const struct prog_edge *edge = &l->f->edges[e];

			if (!ret[edge->from] || !l->in[edge->to] ||
			    edge->to == but)
				continue;
			comes_round |= edge->to == l->head;
			if (edge->to != l->head && !ret[edge->to])
				grows = ret[edge->to] = true;
		}
	} while (grows);
	return comes_round;
}

/* ---- what is made of values */

/* What follows from some of the carried values in a round. */
struct follow {
	const struct carried_look *l;
	uint64_t *left;       /* owned: those that are not made anew yet */
	uint64_t *set;        /* owned: slots made of them */
	uint64_t *uses, *was; /* owned: room for one more set each */
	bool *decided;        /* owned: blocks that run as they decide */
	bool *asked;          /* owned: blocks whose ways were looked at */
	bool *ways[2], *room; /* owned: for a list of blocks each */
};

static void
add_results(struct follow *w, uint32_t block)
{
	const struct prog_block *b = &w->l->f->blocks[block];

	for (uint32_t k = 0; k < b->n; k++) {
		const struct prog_instr *i = &w->l->f->code[b->first + k];

		if (cond_has_result(i))
			carried_add(w->set, w->l, i->dst, i->lanes);
	}
}

/* What a block's edges move tells by which of them one has come. */
static void
add_moved(struct follow *w, uint32_t block)
{
	const struct prog_function *f = w->l->f;

	for (uint32_t e = 0; e < f->nedges; e++)
		for (uint32_t k = 0;
		     f->edges[e].from == block && k < f->edges[e].n; k++) {
			const struct prog_move *m =
			    &f->moves[f->edges[e].first + k];

			carried_add(w->set, w->l, m->dst, m->slots);
		}
}

/* What runs, or may be left out, on one of a branch's ways and not on the other.
 */
static void
add_decided(struct follow *w, uint32_t block, const struct prog_instr *branch)
{
	const struct carried_look *l = w->l;
	uint32_t to[2];

	w->asked[block] = true;
	for (uint32_t way = 0; way < 2; way++) {
		to[way] = l->f->edges[branch->aux + way].to;
		(void)reach(l, to[way], UINT32_MAX, w->ways[way]);
	}
	add_moved(w, block);
	for (uint32_t b = 0; b < l->f->nblocks; b++) {
		if (!l->in[b] || w->decided[b] ||
		    (w->ways[0][b] == w->ways[1][b] &&
		        reach(l, to[0], b, w->room) ==
		            reach(l, to[1], b, w->room)))
			continue;
		w->decided[b] = true;
		add_results(w, b);
		add_moved(w, b);
	}
}

static bool
overlaps(const struct carried_look *l, const uint64_t *a, const uint64_t *b)
{
	for (size_t k = 0; k < l->words; k++)
		if (a[k] & b[k])
			return true;
	return false;
}

/* Adds what one step makes of the set. */
static void
pass(struct follow *w)
{
	const struct carried_look *l = w->l;

	for (uint32_t b = 0; b < l->f->nblocks; b++)
		for (uint32_t k = 0; l->in[b] && k < l->f->blocks[b].n; k++) {
			const struct prog_instr *i =
			    &l->f->code[l->f->blocks[b].first + k];

			memset(w->uses, 0, l->words * sizeof *w->uses);
			carried_add_uses(l, i, w->uses);
			if (!overlaps(l, w->uses, w->set))
				continue;
			if (cond_has_result(i))
				carried_add(w->set, l, i->dst, i->lanes);
			if (i->op == PROG_BRANCH && !w->asked[b])
				add_decided(w, b, i);
		}
	for (uint32_t k = 0; k < l->f->nmoves; k++)
		for (uint32_t s = 0; s < l->f->moves[k].slots; s++)
			if (carried_has(w->set,
			        l->f->moves[k].src + (int32_t)s))
				carried_add(w->set, l, l->f->moves[k].dst,
				    l->f->moves[k].slots);
}

/* Does the set decide when the loop ends, or in a choice of more than two? */
static bool
ends_by(const struct follow *w)
{
	const struct prog_function *f = w->l->f;

	for (uint32_t b = 0; b < f->nblocks; b++) {
		const struct prog_block *bl = &f->blocks[b];
		const struct prog_instr *i = &f->code[bl->first + bl->n - 1];
		bool stays = i->op == PROG_BRANCH &&
		    w->l->in[f->edges[i->aux].to] &&
		    w->l->in[f->edges[i->aux + 1].to];

		if (w->l->in[b] && !stays &&
		    (i->op == PROG_BRANCH || i->op == PROG_SWITCH) &&
		    carried_has(w->set, i->a))
			return true;
	}
	return false;
}

/* Is what is moved into a carried value, or whether it is, of the set? */
static bool
is_fed(const struct follow *w, int32_t slot)
{
	const struct prog_function *f = w->l->f;

	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t k = 0; w->l->in[b] && k < f->blocks[b].n; k++) {
			const struct prog_instr *i =
			    &f->code[f->blocks[b].first + k];

			if (i->op != PROG_MOVE || slot < i->dst ||
			    slot >= i->dst + (int32_t)i->lanes)
				continue;
			if (w->decided[b] ||
			    (!prog_is_constant(i->a) &&
			        carried_has(w->set, i->a + slot - i->dst)))
				return true;
		}
	return false;
}

/* Takes out of left what one more round makes anew.  false: nothing can be
 * said. */
static bool
renew(struct follow *w)
{
	size_t bytes = w->l->words * sizeof *w->set;

	memset(w->decided, 0, w->l->f->nblocks * sizeof *w->decided);
	memset(w->asked, 0, w->l->f->nblocks * sizeof *w->asked);
	memcpy(w->set, w->left, bytes);
	do {
		memcpy(w->was, w->set, bytes);
		pass(w);
	} while (memcmp(w->was, w->set, bytes) != 0);
	if (ends_by(w))
		return false;
	memcpy(w->was, w->left, bytes);
	memset(w->left, 0, bytes);
	for (uint32_t i = 0; i < w->l->loop->n; i++) {
		int32_t slot = w->l->loop->carried[i].slot;

		if (carried_has(w->was, slot) && is_fed(w, slot))
			carried_add(w->left, w->l, slot, 1);
	}
	return true;
}

uint32_t
carried_renewals(const struct carried_look *l)
{
	struct follow w = { .l = l,
		.left = xcalloc(l->words, sizeof *w.left),
		.set = xcalloc(l->words, sizeof *w.set),
		.uses = xcalloc(l->words, sizeof *w.uses),
		.was = xcalloc(l->words, sizeof *w.was),
		.decided = xcalloc(l->f->nblocks + 1, sizeof *w.decided),
		.asked = xcalloc(l->f->nblocks + 1, sizeof *w.asked),
		.ways = { xcalloc(l->f->nblocks + 1, sizeof *w.ways[0]),
		    xcalloc(l->f->nblocks + 1, sizeof *w.ways[1]) },
		.room = xcalloc(l->f->nblocks + 1, sizeof *w.room) };
	bool is_told = l->f->nblocks <= BLOCKS_MAX;
	uint32_t rounds = 0;

	for (uint32_t i = 0; i < l->loop->n; i++)
		if (l->loop->carried[i].is_value)
			carried_add(w.left, l, l->loop->carried[i].slot, 1);
	while (is_told && overlaps(l, w.left, w.left))
		is_told = rounds++ < RENEWALS_MAX && renew(&w);
	free(w.left);
	free(w.set);
	free(w.uses);
	free(w.was);
	free(w.decided);
	free(w.asked);
	free(w.ways[0]);
	free(w.ways[1]);
	free(w.room);
	return is_told ? rounds : 0;
}
