#include "lab/probe/machine_words.h"

#include "lab/probe/arithmetic.h"
#include <string.h>

#define SEEN_MIN 3

static bool
is_of_group(uint64_t pointer)
{
	return pointer >> PROG_REGION_SHIFT == PROG_LOCAL;
}

/* Where it lies; NULL: nowhere. */
static unsigned char *
bytes_of(const struct machine *m, const struct machine_word *w)
{
	const struct machine_region *r =
	    &m->regions[w->pointer >> PROG_REGION_SHIFT];
	uint64_t at = (w->pointer & (((uint64_t)1 << PROG_REGION_SHIFT) - 1)) -
	    PROG_ORIGIN;

	if (!r->base || at > r->bytes || w->bits / 8 > r->bytes - at)
		return NULL;
	return r->base + at;
}

static struct machine_word *
find(struct machine_words *w, uint64_t pointer)
{
	for (uint32_t i = 0; i < w->n; i++)
		if (w->each[i].pointer == pointer)
			return &w->each[i];
	return NULL;
}

void
machine_words_note(struct machine_words *w, uint64_t pointer, uint32_t bits,
    bool is_mover)
{
	struct machine_word *to = find(w, pointer);

	if (to) {
		to->is_set |= !is_mover;
	} else if (w->n == MACHINE_WORDS_MAX) {
		w->is_full = true;
	} else {
		w->each[w->n++] = (struct machine_word){ .pointer = pointer,
			.bits = bits,
			.is_set = !is_mover };
	}
}

void
machine_words_share(struct machine_words *w,
    const struct machine_words *of_group)
{
	for (uint32_t i = 0; i < of_group->n; i++)
		machine_words_note(w, of_group->each[i].pointer,
		    of_group->each[i].bits, !of_group->each[i].is_set);
	w->is_full |= of_group->is_full;
}

void
machine_words_look(struct machine *m, struct machine_words *w, uint64_t ahead)
{
	for (uint32_t i = 0; i < w->n; i++) {
		struct machine_word *at = &w->each[i];
		const unsigned char *from = bytes_of(m, at);
		uint64_t v = 0, d;

		if (from)
			memcpy(&v, from, at->bits / 8);
		if (is_of_group(at->pointer))
			v = (v - ahead * at->delta) & arith_mask(at->bits);
		d = (v - at->last) & arith_mask(at->bits);
		at->seen = !from     ? 0
		    : at->seen == 0  ? 1
		    : at->seen == 1  ? 2
		    : d == at->delta ? at->seen + 1
		                     : 2;
		at->delta = d;
		at->last = v;
	}
}

bool
machine_words_moves(const struct machine_words *w, uint32_t i)
{
	const struct machine_word *at = &w->each[i];

	return !w->is_full && !at->is_set && at->seen >= SEEN_MIN &&
	    at->delta != 0;
}

bool
machine_words_waits(const struct machine_words *w)
{
	for (uint32_t i = 0; i < w->n && !w->is_full; i++)
		if (!w->each[i].is_set && w->each[i].seen < SEEN_MIN)
			return true;
	return false;
}

void
machine_words_leap(struct machine *m, struct machine_words *w, uint64_t rounds,
    bool is_first)
{
	for (uint32_t i = 0; i < w->n; i++) {
		struct machine_word *at = &w->each[i];
		unsigned char *to = bytes_of(m, at);

		if (machine_words_moves(w, i)) {
			at->last = (at->last + rounds * at->delta) &
			    arith_mask(at->bits);
			if (to && (is_first || !is_of_group(at->pointer)))
				memcpy(to, &at->last, at->bits / 8);
		}
		/* As if it were met for the first time. */
		at->seen = 1;
	}
}
