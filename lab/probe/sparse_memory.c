/* Pieces in a list, found through a table of their places. */
#include "lab/probe/sparse_memory.h"

#include "base/mem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PIECES_MAX ((size_t)1 << 17)
#define SLOTS      (4 * PIECES_MAX)

struct piece {
	uint64_t number;
	unsigned char bytes[SPARSE_PIECE];
};

struct sparse {
	struct sparse_layout layout;
	size_t per_piece;
	struct piece **pieces; /* owned; behind each what is beside it */
	size_t n;
	uint32_t *slots; /* owned: a piece's index + 1 */
};

static uint64_t
mix(uint64_t z)
{
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

/* Rows of a kind of their own. */
enum row_kind {
	ROW_HUGE,
	ROW_LARGE, /* whose exponentials end */
	ROW_LARGE_NEGATIVE,
	ROW_FAR_NEGATIVE, /* below all that a maximum may begin with */
	ROW_MINUS_ZERO,
	ROW_OFFSET, /* a mean that outweighs what is left */
	ROW_NAN,    /* one of four is one */
	ROW_INFINITE,
	ROW_MINUS_INFINITE, /* one sign in a row: both make no number */
	ROW_NKINDS,
	ROW_IN_ALL = 2 * ROW_NKINDS
};

/* Of a plain number from 1/2 to 4. */
static float
out_of_the_ordinary(const struct sparse_layout *l, unsigned kind, float plain,
    uint64_t bits)
{
	bool is_half = l->dtype == DTYPE_F16;

	switch (kind) {
	case ROW_HUGE:
		return plain * (is_half ? 0x1p13f : 0x1p122f);
	case ROW_LARGE:
		return plain * 64.0f;
	case ROW_LARGE_NEGATIVE:
		return plain * -64.0f;
	case ROW_FAR_NEGATIVE:
		return plain * (is_half ? -0x1p13f : -0x1p20f);
	case ROW_MINUS_ZERO:
		return -0.0f;
	case ROW_OFFSET:
		return l->dtype == DTYPE_BF16
		    ? 1024.0f + (float)(bits & 3) * 8.0f
		    : 8192.0f + (float)(bits & 3) * 8.0f;
	case ROW_NAN:
		return bits & 3 ? plain : NAN;
	case ROW_INFINITE:
		return bits & 3 ? plain : INFINITY;
	case ROW_MINUS_INFINITE:
		return bits & 3 ? plain : -INFINITY;
	default:
		return plain;
	}
}

/* A row of each tensor may have to be so for a sum of them to show it. */
static unsigned
kind_of_row(const struct sparse_layout *l, uint64_t row)
{
	uint64_t shared = mix(l->rows_seed ^ row);

	return (unsigned)((shared >> 63 ? shared : mix(l->seed ^ row)) %
	    ROW_IN_ALL);
}

float
sparse_number(const struct sparse_layout *l, uint64_t element)
{
	uint64_t bits = mix(l->seed + element * 0x9e3779b97f4a7c15ULL);
	/* 1 to 2 in steps of 1/128, halved or doubled. */
	float plain = (1.0f + (float)(bits & 127) / 128.0f) *
	    (float)(1U << (bits >> 7) % 3) / 2.0f;

	if (l->rows_seed == 0)
		return plain;
	return out_of_the_ordinary(l, kind_of_row(l, element / l->stride),
	    plain, bits >> 32);
}

/* Every magnitude is as likely as any other. */
int32_t
sparse_position(const struct sparse_layout *l, uint64_t element)
{
	uint64_t bits = mix(l->seed + element * 0x9e3779b97f4a7c15ULL);
	uint64_t below = (uint64_t)64 << (bits >> 40) % 26; /* to 2^31 */
	int32_t v = (int32_t)(bits % below);

	return bits >> 63 ? -v : v;
}

uint64_t
sparse_word_bytes(const struct sparse_layout *l)
{
	return l->kind == SPARSE_INT ? sizeof(int32_t)
	                             : dtype_bytes((enum dtype)l->dtype);
}

struct sparse *
sparse_new(const struct sparse_layout *l, size_t per_piece)
{
	struct sparse *s = xcalloc(1, sizeof *s);

	s->layout = *l;
	s->per_piece = per_piece;
	s->pieces = xcalloc(PIECES_MAX, sizeof(struct piece *));
	s->slots = xcalloc(SLOTS, sizeof *s->slots);
	return s;
}

void
sparse_free(struct sparse *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->n; i++)
		free(s->pieces[i]);
	free(s->pieces);
	free(s->slots);
	free(s);
}

static void
fill(const struct sparse_layout *l, struct piece *p)
{
	uint64_t word = sparse_word_bytes(l), n = SPARSE_PIECE / word;

	for (uint64_t i = 0; i < n; i++) {
		uint64_t element = p->number * n + i;
		int32_t position = sparse_position(l, element);
		bool is_there = !l->is_output && element % l->stride < l->cols;

		if (l->kind == SPARSE_INT)
			memcpy(p->bytes + i * word, &position, word);
		else
			dtype_store((enum dtype)l->dtype, p->bytes, i,
			    is_there ? sparse_number(l, element) : NAN);
	}
}

unsigned char *
sparse_at(struct sparse *s, uint64_t offset, void **ret_own)
{
	uint64_t number = offset / SPARSE_PIECE;
	size_t at = mix(number) % SLOTS;
	struct piece *p;

	while (s->slots[at] && s->pieces[s->slots[at] - 1]->number != number)
		at = (at + 1) % SLOTS;
	if (!s->slots[at]) {
		if (s->n == PIECES_MAX)
			return NULL;
		p = xcalloc(1, sizeof *p + s->per_piece);
		p->number = number;
		fill(&s->layout, p);
		s->pieces[s->n++] = p;
		s->slots[at] = (uint32_t)s->n;
	}
	p = s->pieces[s->slots[at] - 1];
	*ret_own = p + 1;
	return p->bytes + offset % SPARSE_PIECE;
}

bool
sparse_piece(const struct sparse *s, size_t i, uint64_t *ret_offset,
    const unsigned char **ret_bytes, const void **ret_own)
{
	if (i >= s->n)
		return false;
	*ret_offset = s->pieces[i]->number * SPARSE_PIECE;
	*ret_bytes = s->pieces[i]->bytes;
	*ret_own = s->pieces[i] + 1;
	return true;
}
