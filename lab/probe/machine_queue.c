/*
 * Items that take their work from a queue: a number of the group's that an
 * atomic counts on.  Which item draws a ticket does not matter, so where an
 * item carries nothing from round to round, others may as well have drawn any
 * number of them.
 */
#include "lab/probe/machine_loops_priv.h"

#include "lab/probe/arithmetic.h"
#include <string.h>

#define SEEN_MIN 3
#define MARGIN   4 /* tickets for each item, before a change */

void
machine_loops_ticket(struct machine *m, const struct prog_instr *i,
    uint64_t pointer, uint64_t number, uint64_t step)
{
	for (uint32_t k = 0; k < m->item->nleaps; k++)
		if (m->item->leaps[k]->loop->queue == i)
			m->item->leaps[k]->ticket = (struct machine_ticket){
				.pointer = pointer,
				.number = number,
				.step = step,
				.bits = i->bits,
			};
}

void
machine_queue_enter(struct machine *m, const struct prog_loop *loop)
{
	if (loop->queue)
		m->leaps->tickets = 0;
}

void
machine_queue_note(struct compare *c, const struct leap *t, uint64_t a,
    uint64_t b)
{
	uint64_t most = arith_mask(t->ticket.bits);
	int64_t drawn = (int64_t)((t->ticket.number - c->ticket) & most);
	int64_t da, db;

	if (t->ticket.pointer == 0)
		return;
	da = arith_extend((a - c->a) & arith_mask(c->bits), c->bits);
	db = arith_extend((b - c->b) & arith_mask(c->bits), c->bits);
	c->ticket = t->ticket.number;
	if (drawn <= 0 || da % drawn != 0 || db % drawn != 0) {
		c->seen_tickets = 0;
		return;
	}
	if (c->seen_tickets > 0 && c->slope_a == da / drawn &&
	    c->slope_b == db / drawn)
		c->seen_tickets++;
	else
		c->seen_tickets = 1;
	c->slope_a = da / drawn;
	c->slope_b = db / drawn;
}

static unsigned char *
bytes_of(const struct machine *m, const struct machine_ticket *k)
{
	const struct machine_region *r = &m->regions[PROG_LOCAL];
	uint64_t at = k->pointer - prog_pointer(PROG_LOCAL, 0);

	if (k->pointer >> PROG_REGION_SHIFT != PROG_LOCAL || !r->base ||
	    k->bits / 8 > r->bytes || at > r->bytes - k->bits / 8)
		return NULL;
	return r->base + at;
}

/* Draws from next on that are like the last ones; 0: nobody can say. */
static int64_t
count_alike(const struct leap *t, uint64_t next)
{
	const struct machine_ticket *k = &t->ticket;
	int64_t draws = machine_loops_until_wrap(next, k->step, k->bits);
	bool any = false;

	for (uint32_t i = 0; i < t->ncompares; i++) {
		struct compare c = t->compares[i];
		uint64_t mask = arith_mask(c.bits), since = next - c.ticket;
		int64_t n[3];

		if (c.round + 1 != t->round)
			continue;
		if (c.seen_tickets < SEEN_MIN)
			return 0;
		any |= c.slope_a != c.slope_b;
		c.a = (c.a + (uint64_t)c.slope_a * since) & mask;
		c.b = (c.b + (uint64_t)c.slope_b * since) & mask;
		c.da = ((uint64_t)c.slope_a * k->step) & mask;
		c.db = ((uint64_t)c.slope_b * k->step) & mask;
		n[0] = machine_loops_until_flip(&c);
		n[1] = machine_loops_until_wrap(c.a, c.da, c.bits);
		n[2] = machine_loops_until_wrap(c.b, c.db, c.bits);
		for (int w = 0; w < 3; w++)
			draws = n[w] < draws ? n[w] : draws;
	}
	return any ? draws : 0;
}

/* Has it gone through all that the number can be? */
static void
judge_end(struct machine *m, const struct leap *t)
{
	uint64_t all = (uint64_t)1 << (t->ticket.bits % 64);

	if (t->loop->ends_by_counters && t->ticket.bits < 62 &&
	    m->leaps->tickets > all / t->ticket.step)
		machine_find(m, "timeout", "a loop that never ends");
}

void
machine_queue_leap(struct machine *m, struct leap *t)
{
	const struct machine_ticket *k = &t->ticket;
	unsigned char *at = bytes_of(m, k);
	uint64_t next = 0, skipped;
	int64_t draws;

	if (!at || t->loop->n > 0 || t->words.n > 0 || m->item->ncopies > 0 ||
	    k->step == 0 || k->bits < 8 || m->leaps->nshared > 0)
		return;
	memcpy(&next, at, k->bits / 8);
	draws = count_alike(t, next) - MARGIN * (int64_t)m->nitems;
	if (draws < ROUNDS_MIN || draws >= FAR / 2)
		return;
	/* Once somewhere in the middle. */
	if (m->leaps->queue_group != m->group_number + 1)
		draws = draws / 4 +
		    (int64_t)(machine_dice(m) % (uint64_t)(draws / 2));
	m->leaps->queue_group = m->group_number + 1;
	next += (uint64_t)draws * k->step;
	memcpy(at, &next, k->bits / 8);
	skipped = (uint64_t)draws * (m->item->written - t->written);
	m->skipped += skipped;
	m->item->written += skipped;
	m->is_inexact = true;
	m->leaps->tickets += (uint64_t)draws;
	judge_end(m, t);
}
