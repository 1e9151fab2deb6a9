/*
 * Each item notes what the loops do that it is in, at most some nested ones.
 * Comparisons are noted when they come up first in a round.
 */
#include "lab/probe/machine_loops_priv.h"

#include "base/mem.h"
#include "lab/probe/arithmetic.h"
#include <stdlib.h>
#include <string.h>

#define HEADS_MIN    4
#define HEADS_WORDS  8 /* before a word in memory is not waited for */
#define TURNS        192
#define SEEN_MIN     3
#define ROUNDS_HASTY ((int64_t)64) /* by who is in haste */
#define LEAPS_MAX    24            /* of a loop, each time it is entered */
#define MARGIN       3             /* rounds before a change */
#define HUGE_NUMBER  ((int64_t)1 << 61)
#define NOT_YET      0x3f9a5c3b3f9a5c3bULL /* a number of any width */

/* ---- notes */

static const struct prog_loop *
loop_of(struct machine *m, const struct prog_function *f, int32_t counts)
{
	struct machine_loops *all = m->leaps;
	struct prog_loop *l;

	for (size_t i = 0; i < all->nloops; i++)
		if (all->loops[i]->f == f && all->loops[i]->counts == counts)
			return all->loops[i];
	if (all->nloops % 16 == 0)
		all->loops = xreallocarray(all->loops, all->nloops + 16,
		    sizeof(struct prog_loop *));
	l = xcalloc(1, sizeof *l);
	prog_carried_find(m->p, f, counts, l);
	all->loops[all->nloops++] = l;
	return l;
}

/* The notes on the innermost loop are of no use any more. */
static void
drop(struct machine *m, struct machine_item *it)
{
	struct leap *t = it->leaps[--it->nleaps];

	m->is_inexact |= t->unheard > 0;
	free(t);
}

void
machine_loops_forget(struct machine *m, struct machine_item *it)
{
	while (it->nleaps > 0)
		drop(m, it);
}

bool
machine_loops_is_unheard(const struct machine_item *it)
{
	for (uint32_t k = 0; k < it->nleaps; k++)
		if (it->leaps[k]->unheard > 0)
			return true;
	return false;
}

void
machine_loops_begin(struct machine *m)
{
	m->leaps = xcalloc(1, sizeof *m->leaps);
}

void
machine_loops_done(struct machine *m)
{
	for (size_t i = 0; m->leaps && i < m->leaps->nloops; i++)
		free(m->leaps->loops[i]);
	if (m->leaps)
		free(m->leaps->loops);
	free(m->leaps);
}

/* The notes on a loop of the frame under way, those on loops inside of it
 * thrown away.  NULL: there are none, or no room for them. */
static struct leap *
find(struct machine *m, int32_t counts, bool make)
{
	struct machine_item *it = m->item;
	const struct prog_function *f = it->frames[it->depth - 1].f;
	const struct prog_loop *loop;
	struct leap *t;

	for (uint32_t i = 0; i < it->nleaps; i++) {
		t = it->leaps[i];
		if (t->depth != it->depth || t->loop->f != f ||
		    t->loop->counts != counts)
			continue;
		while (it->nleaps > i + 1)
			drop(m, it);
		return t;
	}
	while (it->nleaps > 0 && it->leaps[it->nleaps - 1]->depth > it->depth)
		drop(m, it);
	if (!make || it->nleaps == MACHINE_NEST_MAX)
		return NULL;
	loop = loop_of(m, f, counts);
	t = xcalloc(1, sizeof *t);
	t->loop = loop;
	t->depth = it->depth;
	it->leaps[it->nleaps++] = t;
	return t;
}

void
machine_loops_left(struct machine *m, int32_t counts)
{
	struct machine_item *it = m->item;

	if (it->nleaps > 0 && find(m, counts, false))
		drop(m, it);
}

static void
note(struct compare *c, const struct leap *t, uint64_t a, uint64_t b)
{
	uint64_t mask = arith_mask(c->bits);
	uint64_t da = (a - c->a) & mask, db = (b - c->b) & mask;
	bool follows = c->seen > 0 && c->round + 1 == t->round;

	machine_queue_note(c, t, a, b);
	if (!follows)
		c->seen = 1;
	else if (c->seen == 1 || (da == c->da && db == c->db))
		c->seen++;
	else
		c->seen = 2;
	c->a = a;
	c->b = b;
	c->da = da;
	c->db = db;
	c->round = t->round;
}

void
machine_loops_compare(struct machine *m, const struct prog_instr *i,
    uint32_t bits, uint32_t predicate, uint64_t a, uint64_t b)
{
	for (uint32_t k = 0; k < m->item->nleaps; k++) {
		struct leap *t = m->item->leaps[k];
		uint32_t n = 0;

		while (n < t->ncompares && t->compares[n].i != i)
			n++;
		if (n == COMPARES_MAX)
			continue;
		if (n == t->ncompares)
			t->compares[t->ncompares++] = (struct compare){ .i = i,
				.bits = bits,
				.predicate = predicate };
		if (t->compares[n].seen == 0 ||
		    t->compares[n].round != t->round)
			note(&t->compares[n], t, a, b);
	}
}

static struct machine_words *
shared_words(struct machine *m, const struct prog_loop *loop)
{
	struct machine_loops *all = m->leaps;
	size_t i = 0;

	while (i < MACHINE_NEST_MAX &&
	    (all->shared[i].loop != loop ||
	        all->shared[i].group != m->group_number + 1))
		i++;
	if (i < MACHINE_NEST_MAX)
		return &all->shared[i].words;
	i = all->nshared++ % MACHINE_NEST_MAX;
	all->shared[i].loop = loop;
	all->shared[i].group = m->group_number + 1;
	all->shared[i].words = (struct machine_words){ 0 };
	return &all->shared[i].words;
}

static bool
is_mover(const struct prog_loop *l, const struct prog_instr *i)
{
	for (uint32_t k = 0; k < l->nmovers; k++)
		if (l->movers[k] == i)
			return true;
	return false;
}

void
machine_loops_store(struct machine *m, const struct prog_instr *i,
    uint64_t pointer)
{
	uint64_t r = pointer >> PROG_REGION_SHIFT;

	if ((r != PROG_PRIVATE && r != PROG_LOCAL) || !i->type ||
	    i->type->kind != PROG_INT || i->bits % 8 != 0)
		return;
	for (uint32_t k = 0; k < m->item->nleaps; k++) {
		struct leap *t = m->item->leaps[k];

		machine_words_note(r == PROG_LOCAL ? shared_words(m, t->loop)
		                                   : &t->words,
		    pointer, i->bits, is_mover(t->loop, i));
	}
}

/* ---- how far */

/* Rounds until v, which moves by d, is beyond most, or below least. */
static int64_t
until_out(int64_t v, int64_t d, int64_t least, int64_t most)
{
	if (d > 0 && v <= most)
		return (most - v) / d + 1;
	if (d < 0 && v >= least)
		return (v - least) / -d + 1;
	return FAR;
}

int64_t
machine_loops_until_wrap(uint64_t v, uint64_t delta, uint32_t bits)
{
	int64_t d = arith_extend(delta, bits), half, a, b;

	if (bits >= 62 || bits < 2)
		return FAR;
	half = (int64_t)1 << (bits - 1);
	a = until_out((int64_t)v, d, 0, 2 * half - 1);
	b = (int64_t)v < half ? until_out((int64_t)v, d, 0, half - 1)
	                      : until_out((int64_t)v, d, half, 2 * half - 1);
	return a < b ? a : b;
}

/* Rounds until distance, which moves by d, is no longer below zero, or
 * (at_zero) above it. */
static int64_t
until_crossed(int64_t distance, int64_t d, bool above_zero)
{
	int64_t to = above_zero ? -distance + 1 : -distance;

	return d <= 0 ? FAR : to <= 0 ? 0 : (to + d - 1) / d;
}

static int64_t
until_equal(int64_t distance, int64_t d)
{
	if (d == 0)
		return FAR;
	if (distance == 0)
		return 1;
	return distance % d == 0 && -(distance / d) > 0 ? -(distance / d) : FAR;
}

int64_t
machine_loops_until_flip(const struct compare *c)
{
	uint32_t bits = c->bits, p = c->predicate;
	bool is_signed = p >= PROG_SGT && p <= PROG_SLE;
	int64_t a = is_signed ? arith_extend(c->a, bits) : (int64_t)c->a;
	int64_t b = is_signed ? arith_extend(c->b, bits) : (int64_t)c->b;
	int64_t d = arith_extend(c->da, bits) - arith_extend(c->db, bits);
	bool is_less =
	    p == PROG_ULT || p == PROG_ULE || p == PROG_SLT || p == PROG_SLE;
	bool is_strict =
	    p == PROG_ULT || p == PROG_UGT || p == PROG_SLT || p == PROG_SGT;
	int64_t distance;

	/* Numbers of 64 bits that no sum here could hold: as good as never. */
	if (a > HUGE_NUMBER || a < -HUGE_NUMBER || b > HUGE_NUMBER ||
	    b < -HUGE_NUMBER || d > HUGE_NUMBER || d < -HUGE_NUMBER ||
	    (!is_signed && (a < 0 || b < 0)))
		return FAR;
	/* One form of all: "less" is whether distance is below zero, or up to
	 * it. */
	distance = is_less ? a - b : b - a;
	d = is_less ? d : -d;
	if (p == PROG_EQ || p == PROG_NE)
		return until_equal(distance, d);
	if (is_strict ? distance < 0 : distance <= 0)
		return until_crossed(distance, d, !is_strict);
	return until_crossed(-distance, -d, is_strict);
}

static int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Rounds from here that are like the last ones. */
static int64_t
count_alike(const struct leap *t)
{
	const struct prog_loop *l = t->loop;
	int64_t rounds = FAR;

	for (uint32_t i = 0; i < l->n; i++)
		if (!l->carried[i].is_value)
			rounds = least(rounds,
			    machine_loops_until_wrap(t->last[i], t->delta[i],
			        l->carried[i].bits));
	for (uint32_t i = 0; i < t->words.n; i++)
		if (machine_words_moves(&t->words, i))
			rounds = least(rounds,
			    machine_loops_until_wrap(t->words.each[i].last,
			        t->words.each[i].delta, t->words.each[i].bits));
	for (uint32_t i = 0; i < t->ncompares; i++) {
		const struct compare *c = &t->compares[i];

		if (c->seen < SEEN_MIN || c->round + 1 != t->round)
			continue;
		rounds = least(rounds, machine_loops_until_flip(c) - 1);
		rounds = least(rounds,
		    machine_loops_until_wrap(c->a, c->da, c->bits) - 1);
		rounds = least(rounds,
		    machine_loops_until_wrap(c->b, c->db, c->bits) - 1);
	}
	return rounds == FAR || rounds < MARGIN ? 0 : rounds - MARGIN;
}

/* ---- leaps */

/* Rounds until a counter is one step below the largest power of two that it
 * passes in this many: all its bits are ones there, and who keeps partial sums
 * by the bits of a round's number has as many as he ever will. */
static int64_t
until_ones(int64_t v, int64_t d, int64_t rounds)
{
	int64_t power = 1;

	if (d <= 0 || v < 0 || v > HUGE_NUMBER ||
	    rounds > (HUGE_NUMBER - v) / d)
		return FAR;
	while (power <= (v + d * rounds) / 2)
		power *= 2;
	return v < power - d ? (power - 1 - v) / d : FAR;
}

/* The nearest such round of all counters, or rounds. */
static int64_t
until_landmark(const struct leap *t, int64_t rounds)
{
	int64_t nearest = rounds;

	for (uint32_t i = 0; i < t->loop->n; i++) {
		const struct prog_carried *c = &t->loop->carried[i];
		int64_t n = c->is_value
		    ? FAR
		    : until_ones((int64_t)t->last[i],
		          arith_extend(t->delta[i], c->bits), rounds);

		if (n >= ROUNDS_MIN && n < nearest)
			nearest = n;
	}
	return nearest;
}

/* How many of the rounds that are alike are leapt over: the first time it is
 * broken somewhere in the middle.  0: too few. */
static int64_t
choose(struct machine *m, const struct leap *t, int64_t alike)
{
	if (m->l->is_hasty && alike < ROUNDS_MIN)
		return alike < ROUNDS_HASTY ? 0 : alike;
	alike = until_landmark(t, alike);
	if (t->leaps == 0 && alike > 4 * ROUNDS_MIN)
		alike = alike / 4 +
		    (int64_t)(machine_dice(m) % (uint64_t)(alike / 2));
	return alike < ROUNDS_MIN ? 0 : alike;
}

/* What another item of the group has chosen here; NULL: none has come by. */
static const struct machine_agreed *
find_agreed(const struct machine *m, const struct leap *t, uint64_t n)
{
	for (size_t i = 0; i < MACHINE_NEST_MAX; i++) {
		const struct machine_agreed *a = &m->leaps->agreed[i];

		if (a->loop == t->loop && a->n == n &&
		    a->group == m->group_number + 1 &&
		    a->barriers == m->item->barriers)
			return a;
	}
	return NULL;
}

/* Where barriers are in a round a group's items leap alike, as the first of
 * them chooses; where one cannot the launch is given up. */
static int64_t
agree(struct machine *m, const struct leap *t, uint64_t n, int64_t alike)
{
	struct machine_loops *all = m->leaps;
	struct machine_agreed *a =
	    &all->agreed[all->nagreed++ % MACHINE_NEST_MAX];
	int64_t rounds;

	/* Others of the group may be a little nearer to their change. */
	rounds = choose(m, t, alike - MARGIN);
	/* Who takes turns in two or three places for what he copies has the
	 * same turn then. */
	if (m->item->ncopies > 0)
		rounds -= rounds % TURNS;
	*a = (struct machine_agreed){ .loop = t->loop,
		.n = n,
		.group = m->group_number + 1,
		.rounds = (uint64_t)rounds,
		.barriers = m->item->barriers };
	return rounds;
}

/* How many rounds bring all counters back to where they were; 0: too many. */
static uint64_t
period(const struct leap *t)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < t->loop->n; i++) {
		uint32_t bits = t->loop->carried[i].bits;
		uint64_t step = t->delta[i] & (0 - t->delta[i]);

		if (t->loop->carried[i].is_value || t->delta[i] == 0)
			continue;
		if (bits >= 62)
			return 0;
		if (most < ((uint64_t)1 << bits) / step)
			most = ((uint64_t)1 << bits) / step;
	}
	return most;
}

static void
leap(struct machine *m, struct leap *t, uint64_t rounds, bool is_first,
    uint64_t *slots)
{
	const struct prog_loop *l = t->loop;
	uint64_t skipped, by = rounds - l->renewals;

	t->unheard = l->renewals;
	for (uint32_t i = 0; i < l->n; i++) {
		uint64_t mask = arith_mask(l->carried[i].bits);

		if (l->carried[i].is_value) {
			m->is_inexact |= l->renewals == 0;
			if (l->renewals > 0)
				slots[l->carried[i].slot] = NOT_YET & mask;
			continue;
		}
		t->last[i] = (t->last[i] + by * t->delta[i]) & mask;
		slots[l->carried[i].slot] = t->last[i];
	}
	/* What lies in memory of the item's or the group's own is as it was. */
	m->is_inexact |= m->item->privately != t->privately ||
	    m->item->barriers != t->barriers;
	skipped = rounds * (m->item->written - t->written);
	m->skipped += skipped;
	/* A loop around this one counts what its rounds would have written. */
	m->item->written += skipped;
	machine_words_leap(m, &t->words, by, is_first);
	t->rounds += by;
	t->heads = 1;
	t->ncompares = 0;
	t->leaps++;
}

/* A round that makes values anew is over: after the last one none is as the
 * leap has left it. */
static void
hear_again(struct machine *m, struct leap *t, const uint64_t *slots)
{
	if (t->unheard == 0 || --t->unheard > 0)
		return;
	for (uint32_t i = 0; i < t->loop->n; i++)
		m->is_inexact |= t->loop->carried[i].is_value &&
		    slots[t->loop->carried[i].slot] ==
		        (NOT_YET & arith_mask(t->loop->carried[i].bits));
}

/* Are all counters moved as before?  Notes by how much. */
static void
observe(struct leap *t, const uint64_t *slots)
{
	t->is_steady = true;
	for (uint32_t i = 0; i < t->loop->n; i++) {
		const struct prog_carried *c = &t->loop->carried[i];
		uint64_t d =
		    (slots[c->slot] - t->last[i]) & arith_mask(c->bits);

		if (c->is_value)
			continue;
		t->is_steady &= t->heads >= 2 && d == t->delta[i];
		/* By other steps nothing is told about what comes round. */
		if (t->heads >= 2 && d != t->delta[i])
			t->rounds = 0;
		t->delta[i] = d;
		t->last[i] = slots[c->slot];
	}
	/* Comparisons have to be seen by the new steps as often as by the first
	 * ones, before one of them tells how far these go. */
	if (!t->is_steady && t->heads >= 2)
		t->heads = 1;
	t->heads++;
	t->round++;
	t->rounds++;
}

static void
remember(const struct machine *m, struct leap *t)
{
	t->barriers = m->item->barriers;
	t->written = m->item->written;
	t->privately = m->item->privately;
}

/* Is there anything that a leap would move? */
static bool
moves(const struct leap *t)
{
	bool any = t->loop->n > 0;

	for (uint32_t i = 0; i < t->words.n; i++)
		any |= machine_words_moves(&t->words, i);
	return any;
}

void
machine_loops_again(struct machine *m, int32_t counts, uint64_t n,
    uint64_t *slots)
{
	struct leap *t = find(m, counts, true);
	int64_t rounds = 0, alike;
	bool has_barrier;
	uint64_t all;

	const struct machine_agreed *agreed;

	if (!t || t->loop->is_odd)
		return;
	if (t->next != n) {
		const struct prog_loop *loop = t->loop;

		m->is_inexact |= t->unheard > 0;
		*t = (struct leap){ .loop = loop, .depth = m->item->depth };
		machine_queue_enter(m, loop);
	}
	t->next = n + 1;
	hear_again(m, t, slots);
	agreed = find_agreed(m, t, n);
	has_barrier = t->heads > 0 && t->barriers != m->item->barriers;
	observe(t, slots);
	if (has_barrier)
		machine_words_share(&t->words, shared_words(m, t->loop));
	machine_words_look(m, &t->words, agreed ? agreed->rounds : 0);
	if (!moves(t)) {
		if (!has_barrier)
			machine_queue_leap(m, t);
		remember(m, t);
		return;
	}
	all = t->is_steady && t->loop->ends_by_counters ? period(t) : 0;
	if (all > 0 && t->rounds > all) {
		machine_find(m, "timeout", "a loop that never ends");
		return;
	}
	alike = t->is_steady && t->heads >= HEADS_MIN && t->leaps < LEAPS_MAX &&
	        !(t->heads < HEADS_WORDS && machine_words_waits(&t->words))
	    ? count_alike(t)
	    : 0;
	/* A copy that nobody has waited for may be of every round before. */
	if (m->item->ncopies > 0 && !has_barrier)
		return;
	if (!has_barrier)
		rounds = choose(m, t, alike);
	else if (agreed)
		rounds = (int64_t)agreed->rounds;
	else
		rounds = agree(m, t, n, alike);
	if (rounds > alike) {
		m->stop = true;
		return;
	}
	if (rounds > 0)
		leap(m, t, (uint64_t)rounds, !agreed, slots);
	remember(m, t);
}
