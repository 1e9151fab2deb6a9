/*
 * Which slots are taken after a loop's head is the usual analysis of what is
 * live, backwards over the blocks until nothing changes.  It says rather too
 * much than too little: a slot too many makes a loop odd.
 */
#include "lab/probe/program_carried_priv.h"

#include "base/mem.h"
#include "lab/probe/builtin.h"
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX ((size_t)1 << 20) /* of all blocks' sets */
#define DEEP_MAX  16

void
carried_add(uint64_t *set, const struct carried_look *l, int32_t slot,
    uint32_t n)
{
	for (uint32_t i = 0; slot >= 0 && i < n; i++)
		if ((size_t)slot + i < l->words * 64)
			set[((size_t)slot + i) / 64] |= (uint64_t)1
			    << ((size_t)slot + i) % 64;
}

static void
take_out(uint64_t *set, const struct carried_look *l, int32_t slot, uint32_t n)
{
	for (uint32_t i = 0; slot >= 0 && i < n; i++)
		if ((size_t)slot + i < l->words * 64)
			set[((size_t)slot + i) / 64] &=
			    ~((uint64_t)1 << ((size_t)slot + i) % 64);
}

bool
carried_has(const uint64_t *set, int32_t slot)
{
	return slot >= 0 && (set[slot / 64] >> slot % 64 & 1) != 0;
}

/* ---- what is live */

void
carried_add_uses(const struct carried_look *l, const struct prog_instr *i,
    uint64_t *set)
{
	uint32_t n =
	    i->from && i->from->slots > i->lanes ? i->from->slots : i->lanes;

	if (i->op == PROG_ALLOCA || i->op == PROG_JUMP)
		return;
	if (i->op == PROG_CALL || i->op == PROG_BUILTIN) {
		const struct prog_call *c = &l->p->calls[i->aux];

		for (uint32_t a = 0; a < c->nargs; a++)
			carried_add(set, l, c->args[a], c->types[a]->slots);
		return;
	}
	n = n ? n : 1;
	carried_add(set, l, i->a, n);
	/* A variable's address is no slot that anything fills. */
	if (i->op != PROG_MOVE)
		carried_add(set, l, i->b, n);
	carried_add(set, l, i->c, n);
	for (uint32_t k = 0; i->op == PROG_GEP && k < l->p->geps[i->aux].n; k++)
		carried_add(set, l, l->p->geps[i->aux].index[k], 1);
}

static void
pass_edge(const struct carried_look *l, const struct prog_edge *e,
    uint64_t *out)
{
	uint64_t *in = xcalloc(l->words, sizeof *in);
	const struct prog_move *m = l->f->moves;

	memcpy(in, l->live + l->words * e->to, l->words * sizeof *in);
	for (uint32_t k = 0; m && k < e->n; k++)
		take_out(in, l, m[e->first + k].dst, m[e->first + k].slots);
	for (uint32_t k = 0; m && k < e->n; k++)
		carried_add(in, l, m[e->first + k].src, m[e->first + k].slots);
	for (size_t k = 0; k < l->words; k++)
		out[k] |= in[k];
	free(in);
}

/* One block, backwards.  Has anything changed? */
static bool
pass_block(const struct carried_look *l, uint32_t b, uint64_t *set)
{
	const struct prog_block *bl = &l->f->blocks[b];
	uint64_t *was = l->live + l->words * b;
	bool changed;

	for (uint32_t k = bl->n; k-- > 0;) {
		const struct prog_instr *i = &l->f->code[bl->first + k];

		if (cond_has_result(i))
			take_out(set, l, i->dst, i->lanes);
		carried_add_uses(l, i, set);
	}
	changed = memcmp(was, set, l->words * sizeof *set) != 0;
	memcpy(was, set, l->words * sizeof *set);
	return changed;
}

static void
find_live(struct carried_look *l)
{
	uint64_t *set = xcalloc(l->words, sizeof *set);
	bool changes = true;

	while (changes) {
		changes = false;
		for (uint32_t b = l->f->nblocks; b-- > 0;) {
			memset(set, 0, l->words * sizeof *set);
			for (uint32_t e = 0; e < l->f->nedges; e++)
				if (l->f->edges[e].from == b)
					pass_edge(l, &l->f->edges[e], set);
			changes |= pass_block(l, b, set);
		}
	}
	free(set);
}

/* ---- the body */

static bool
goes_back(const struct carried_look *l, const struct prog_edge *e)
{
	for (uint32_t k = 0; k < e->nsteps; k++) {
		const struct prog_step *s = &l->f->steps[e->first_step + k];

		if (s->kind == PROG_LOOP_AGAIN && s->slot == l->loop->counts)
			return true;
	}
	return false;
}

static void
find_body(struct carried_look *l)
{
	const struct prog_function *f = l->f;
	bool grows = true;

	for (uint32_t e = 0; e < f->nedges; e++)
		if (goes_back(l, &f->edges[e])) {
			l->head = f->edges[e].to;
			l->in[l->head] = l->in[f->edges[e].from] = true;
		}
	while (grows) {
		grows = false;
		for (uint32_t e = f->nedges; e-- > 0;)
			if (l->in[f->edges[e].to] &&
			    f->edges[e].to != l->head &&
			    !l->in[f->edges[e].from])
				grows = l->in[f->edges[e].from] = true;
	}
	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t k = 0; l->in[b] && k < f->blocks[b].n; k++) {
			const struct prog_instr *i =
			    &f->code[f->blocks[b].first + k];

			if (cond_has_result(i))
				carried_add(l->made, l, i->dst, i->lanes);
		}
	for (uint32_t e = 0; e < f->nedges; e++)
		for (uint32_t k = 0; l->in[f->edges[e].to] &&
		     l->in[f->edges[e].from] && k < f->edges[e].n;
		     k++) {
			const struct prog_move *m =
			    &f->moves[f->edges[e].first + k];

			carried_add(l->made, l, m->dst, m->slots);
		}
}

/* ---- counters */

static const struct prog_instr *
maker(const struct carried_look *l, int32_t v)
{
	uint32_t d = prog_is_constant(v) ? 0 : l->defs.def[v];

	return d == 0 || d == COND_NOWHERE ? NULL : &l->f->code[d - 1];
}

static bool
asks_the_launch(const struct carried_look *l, const struct prog_instr *i)
{
	const struct prog_call *c = &l->p->calls[i->aux];

	return i->op == PROG_BUILTIN && c->plain.n > 4 &&
	    memcmp(c->plain.p, "get_", 4) == 0 &&
	    (c->nargs == 0 || prog_is_constant(c->args[0]));
}

static bool is_counter(const struct carried_look *l, int32_t slot);

/* The lane of an operand that lane v of i's result is made of. */
static int32_t
lane(const struct prog_instr *i, int32_t operand, int32_t v)
{
	int32_t k = v - i->dst;

	return prog_is_constant(operand) ? operand - k : operand + k;
}

/* Made of constants, of what the loop does not change, and, if asked for, of
 * its counters. */
static bool
is_told(const struct carried_look *l, int32_t v, bool with_counters, int deep)
{
	const struct prog_instr *i;

	if (prog_is_constant(v) || !carried_has(l->made, v))
		return true;
	i = maker(l, v);
	if (deep == 0)
		return false;
	if (!i)
		return with_counters && is_counter(l, v);
	if (i->op == PROG_BUILTIN)
		return i->lanes == 1 &&
		    (asks_the_launch(l, i) ||
		        (with_counters && i == l->loop->queue));
	if (i->op == PROG_MOVE || (i->op >= PROG_TRUNC && i->op <= PROG_SEXT))
		return is_told(l, lane(i, i->a, v), with_counters, deep - 1);
	return ((i->op >= PROG_ADD && i->op <= PROG_XOR) ||
	           i->op == PROG_ICMP) &&
	    is_told(l, lane(i, i->a, v), with_counters, deep - 1) &&
	    is_told(l, lane(i, i->b, v), with_counters, deep - 1);
}

/* What is moved: a slot, or what an instruction's store fills. */
struct mover {
	int32_t slot;
	const struct prog_instr *store; /* NULL: the slot */
	uint32_t bits;
};

static bool is_moved(const struct carried_look *l, int32_t v,
    const struct mover *of, int deep);

/* Do two operands lead to the same place, in one round? */
static bool
is_same_place(const struct carried_look *l, int32_t a, int32_t b, int deep)
{
	const struct prog_instr *i, *k;
	const struct prog_gep *g, *h;

	if (a == b)
		return true;
	if (prog_is_constant(a) && prog_is_constant(b))
		return l->p->constants[-a - 1] == l->p->constants[-b - 1];
	if (prog_is_constant(a) || prog_is_constant(b) || deep == 0)
		return false;
	i = maker(l, a);
	k = maker(l, b);
	if (!i || !k || i->op != PROG_GEP || k->op != PROG_GEP)
		return false;
	g = &l->p->geps[i->aux];
	h = &l->p->geps[k->aux];
	for (uint32_t n = 0; n < g->n; n++)
		if (n >= h->n || !prog_is_constant(g->index[n]) ||
		    !is_same_place(l, g->index[n], h->index[n], 0) ||
		    g->stride[n] != h->stride[n])
			return false;
	return g->n == h->n && g->offset == h->offset &&
	    is_same_place(l, i->a, k->a, deep - 1);
}

/* c | 63 and c & ~63 move as c does once all of their low bits are alike: from
 * the second round on. */
static bool
is_rounded(const struct carried_look *l, const struct prog_instr *i)
{
	uint64_t m;

	if ((i->op != PROG_OR && i->op != PROG_AND) || i->lanes != 1 ||
	    !prog_is_constant(i->b))
		return false;
	m = l->p->constants[-i->b - 1];
	if (i->op == PROG_AND)
		m = ~m &
		    (i->bits < 64 ? ((uint64_t)1 << i->bits) - 1 : UINT64_MAX);
	return (m & (m + 1)) == 0 && m >> 16 == 0;
}

/* min(c + 64, n): up to where the other one is less, which is a comparison. */
static bool
is_moved_at_most(const struct carried_look *l, const struct prog_instr *i,
    const struct mover *of, int deep)
{
	const struct prog_call *c = &l->p->calls[i->aux];

	if (i->lanes != 1 || c->nargs != 2 ||
	    (!slice_is(c->plain, "min") && !slice_is(c->plain, "max")))
		return false;
	for (int k = 0; k < 2; k++)
		if (is_told(l, c->args[k], false, deep) &&
		    is_moved(l, c->args[1 - k], of, deep))
			return true;
	return false;
}

static bool
is_moved_address(const struct carried_look *l, const struct prog_instr *i,
    const struct mover *of, int deep)
{
	const struct prog_gep *g = &l->p->geps[i->aux];

	for (uint32_t k = 0; k < g->n; k++)
		if (!is_told(l, g->index[k], false, deep))
			return false;
	return i->lanes == 1 && is_moved(l, i->a, of, deep);
}

/* Is v the variable, moved by what the loop does not change, in no fewer bits?
 */
static bool
is_moved(const struct carried_look *l, int32_t v, const struct mover *of,
    int deep)
{
	const struct prog_instr *i = maker(l, v);
	int32_t a, b;

	if (!of->store && v == of->slot)
		return true;
	if (!i || deep-- == 0 || i->bits < of->bits)
		return false;
	if (of->store && i->op == PROG_LOAD)
		return i->lanes == 1 &&
		    is_same_place(l, i->a, of->store->b, DEEP_MAX);
	if (i->op == PROG_GEP)
		return is_moved_address(l, i, of, deep);
	if (i->op == PROG_BUILTIN)
		return is_moved_at_most(l, i, of, deep);
	a = lane(i, i->a, v);
	b = lane(i, i->b, v);
	if (i->op == PROG_MOVE || i->op == PROG_TRUNC || is_rounded(l, i))
		return is_moved(l, a, of, deep);
	if (i->op == PROG_ZEXT || i->op == PROG_SEXT)
		return i->from_bits >= of->bits && is_moved(l, a, of, deep);
	if (i->op != PROG_ADD && i->op != PROG_SUB)
		return false;
	if (is_told(l, b, false, deep) && is_moved(l, a, of, deep))
		return true;
	return i->op == PROG_ADD && is_told(l, a, false, deep) &&
	    is_moved(l, b, of, deep);
}

/* Whatever the body writes to a variable; false: not all of it is a scalar
 * written by a plain store. */
static bool
is_written_so(const struct carried_look *l, int32_t slot,
    struct prog_carried *ret)
{
	bool is_counted = true, is_value = true;
	struct mover of = { .slot = slot };

	*ret = (struct prog_carried){ .slot = slot };
	if (!l->f->code)
		return false; /* it is declared alone */
	for (uint32_t b = 0; b < l->f->nblocks; b++)
		for (uint32_t k = 0; l->in[b] && k < l->f->blocks[b].n; k++) {
			const struct prog_instr *i =
			    &l->f->code[l->f->blocks[b].first + k];
			const struct prog_type *t;

			if (!cond_has_result(i) || slot < i->dst ||
			    slot >= i->dst + (int32_t)i->lanes)
				continue;
			if (i->op != PROG_MOVE || !i->type)
				return false;
			t = i->type->of ? i->type->of : i->type;
			ret->bits = t->kind == PROG_POINTER ? 64 : t->bits;
			is_value &= t->kind == PROG_FLOAT;
			of.bits = ret->bits;
			is_counted &= t->kind != PROG_FLOAT &&
			    is_moved(l, lane(i, i->a, slot), &of, DEEP_MAX);
		}
	ret->is_value = is_value;
	return ret->bits > 0 && (is_value || is_counted);
}

static bool
is_counter(const struct carried_look *l, int32_t slot)
{
	struct prog_carried c;

	return is_written_so(l, slot, &c) && !c.is_value;
}

static bool
is_moved_by_a_phi(const struct carried_look *l, int32_t slot)
{
	for (uint32_t k = 0; k < l->f->nmoves; k++)
		if (slot >= l->f->moves[k].dst &&
		    slot < l->f->moves[k].dst + (int32_t)l->f->moves[k].slots)
			return true;
	return false;
}

static void
find_carried(struct carried_look *l)
{
	const uint64_t *live = l->live + l->words * l->head;
	struct prog_loop *r = l->loop;

	for (int32_t s = 0; s < (int32_t)l->f->slots && !r->is_odd; s++) {
		if (!carried_has(live, s) || !carried_has(l->made, s))
			continue;
		r->is_odd = r->n == PROG_CARRIED_MAX ||
		    is_moved_by_a_phi(l, s) ||
		    !is_written_so(l, s, &r->carried[r->n]);
		r->n += !r->is_odd;
	}
}

/* Stores of the body that move a whole number in memory. */
static void
find_movers(struct carried_look *l)
{
	struct prog_loop *r = l->loop;

	for (uint32_t b = 0; l->f->code && b < l->f->nblocks; b++)
		for (uint32_t k = 0; l->in[b] && k < l->f->blocks[b].n; k++) {
			const struct prog_instr *i =
			    &l->f->code[l->f->blocks[b].first + k];
			const struct mover of = { .store = i, .bits = i->bits };

			if (i->op != PROG_STORE ||
			    r->nmovers == PROG_MOVERS_MAX || !i->type ||
			    i->type->kind != PROG_INT ||
			    !is_moved(l, i->a, &of, DEEP_MAX))
				continue;
			r->movers[r->nmovers++] = i;
		}
}

static bool
has_atomic(const struct program *p, const struct prog_function *f, int deep)
{
	for (uint32_t k = 0; k < f->ncode; k++) {
		const struct prog_instr *i = &f->code[k];

		if (i->op == PROG_BUILTIN && p->calls[i->aux].known->is_atomic)
			return true;
		if (i->op == PROG_CALL &&
		    (deep == 0 ||
		        has_atomic(p, &p->functions[p->calls[i->aux].callee],
		            deep - 1)))
			return true;
	}
	return false;
}

static bool
adds(const struct carried_look *l, const struct prog_instr *i)
{
	const struct prog_call *c = &l->p->calls[i->aux];

	return i->lanes == 1 &&
	    (slice_is(c->plain, "atomic_inc") ||
	        slice_is(c->plain, "atom_inc") ||
	        ((slice_is(c->plain, "atomic_add") ||
	             slice_is(c->plain, "atom_add")) &&
	            is_told(l, c->args[1], false, DEEP_MAX)));
}

/* Atomics that an instruction stands for; 2: more than one, or another. */
static uint32_t
count_atomics(const struct carried_look *l, const struct prog_instr *i)
{
	if (i->op == PROG_CALL)
		return has_atomic(l->p,
		           &l->p->functions[l->p->calls[i->aux].callee],
		           DEEP_MAX)
		    ? 2
		    : 0;
	if (i->op != PROG_BUILTIN || !l->p->calls[i->aux].known->is_atomic)
		return 0;
	return adds(l, i) ? 1 : 2;
}

/* How many atomics are there? */
static uint32_t
find_queue(struct carried_look *l)
{
	const struct prog_instr *queue = NULL;
	uint32_t all = 0;

	for (uint32_t b = 0; l->f->code && b < l->f->nblocks; b++)
		for (uint32_t k = 0; l->in[b] && k < l->f->blocks[b].n; k++) {
			const struct prog_instr *i =
			    &l->f->code[l->f->blocks[b].first + k];
			uint32_t n = count_atomics(l, i);

			queue = n > 0 ? i : queue;
			all += n;
		}
	l->loop->queue = all == 1 ? queue : NULL;
	return all;
}

static bool
ends_by_counters(const struct carried_look *l)
{
	for (uint32_t e = 0; e < l->f->nedges; e++) {
		const struct prog_edge *edge = &l->f->edges[e];
		const struct prog_block *b = &l->f->blocks[edge->from];
		const struct prog_instr *i = &l->f->code[b->first + b->n - 1];

		if (l->in[edge->from] && !l->in[edge->to] &&
		    (i->op != PROG_BRANCH || !is_told(l, i->a, true, DEEP_MAX)))
			return false;
	}
	return true;
}

void
prog_carried_find(const struct program *p, const struct prog_function *f,
    int32_t counts, struct prog_loop *ret)
{
	struct carried_look l = { .p = p, .f = f, .loop = ret };

	*ret = (struct prog_loop){ .f = f, .counts = counts };
	l.words = f->slots / 64 + 1;
	if (l.words > WORDS_MAX / (f->nblocks + 1)) {
		ret->is_odd = true;
		return;
	}
	l.live = xcalloc(l.words * (f->nblocks + 1), sizeof *l.live);
	l.made = xcalloc(l.words, sizeof *l.made);
	l.in = xcalloc(f->nblocks + 1, sizeof *l.in);
	cond_find_definitions(f, &l.defs);
	find_body(&l);
	find_live(&l);
	find_carried(&l);
	find_movers(&l);
	if (find_queue(&l) == 0 && !ret->is_odd)
		ret->renewals = carried_renewals(&l);
	ret->ends_by_counters = !ret->is_odd && ends_by_counters(&l);
	free(l.defs.def);
	free(l.defs.block);
	free(l.defs.param);
	free(l.live);
	free(l.made);
	free(l.in);
}
