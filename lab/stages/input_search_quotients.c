/*
 * Where a quotient that is made without a division is not one.
 *
 * "id * (2^18 / cols + 1) >> 18" is id / cols for all columns but 375 and 381.
 * Each such number of the program is worked out for every size, at the work
 * items beside its multiples: whichever size it is the quotient by for most of
 * them, the few for which it is not are launched.
 */
#include "lab/stages/input_search_priv.h"

#define QUOTIENTS_MAX 6
#define SIZES         4200
#define COST_MAX      ((uint64_t)1 << 18)
#define COST_MAX_FAR  ((uint64_t)14 << 20) /* beside many others */
#define MANY          1031
#define HITS_LEAST    20 /* sizes of which it is more than nothing */
#define KEPT          4  /* the first two, the last, any */

/* A quotient, by a size. */
struct division {
	const struct cond_quotient *q;
	size_t arg;
	uint32_t hits, misses;
	struct op_shape missed[KEPT];
};

/* A float's quotient is off where there are millions. */
static const uint32_t others[] = { 5, 61, MANY };

static struct op_shape
shape_of(const struct seek *s, size_t arg, uint32_t size, uint32_t other)
{
	struct op_shape ret = s->op->smoke->shape;

	for (size_t i = 0; i < s->op->nargs; i++)
		if (seek_is_dimension(s->op, i))
			*seek_scalar(s->op, i, &ret) = i == arg ? size
			    : s->facts.is_even[i]               ? 2 * other
			                                        : other;
	op_close_strides(s->op, &ret);
	/* Who takes the last column of a row for the one before the next row's
	 * first is right in close rows. */
	for (size_t i = 0; i < s->op->nargs; i++)
		if (seek_is_stride(s->op, i))
			++*seek_scalar(s->op, i, &ret);
	return ret;
}

/* At one work item.  *ret_is_more: it is not zero there. */
static bool
is_right_at(struct seek *s, const struct division *d, struct cond_place *at,
    uint64_t id, uint32_t size, bool *ret_is_more)
{
	uint64_t is, of;

	at->id[0] = id;
	if (id >= at->global[0] || !cond_quotient(s->cond, at, d->q, &is, &of))
		return true;
	*ret_is_more |= of >= size && is == of / size;
	return is == of / size;
}

/* Beside the first multiples of the size, and the last ones of a group and of
 * the launch. */
static bool
is_right(struct seek *s, const struct division *d, struct cond_place *at,
    uint32_t size, bool *ret_is_more)
{
	uint64_t in_group = at->local[0] / size, in_all = at->global[0] / size;
	const uint64_t n[] = { 1, 2, 3, in_group, in_group - 1, in_all,
		in_all - 1 };
	bool is = true;

	for (size_t i = 0; i < sizeof n / sizeof *n; i++)
		is = is &&
		    (n[i] == 0 || n[i] > in_all ||
		        (is_right_at(s, d, at, n[i] * size - 1, size,
		             ret_is_more) &&
		            is_right_at(s, d, at, n[i] * size, size,
		                ret_is_more)));
	return is &&
	    is_right_at(s, d, at, at->local[0] - 1, size, ret_is_more) &&
	    is_right_at(s, d, at, at->global[0] - 1, size, ret_is_more);
}

static void
look(struct seek *s, struct division *d, const struct op_shape *shape,
    uint32_t size, uint64_t cost_max)
{
	struct cond_place at = { 0 };
	bool is_more = false;
	uint32_t place;

	if (seek_cost(s->op, shape) > cost_max || !seek_place(s, shape, &at))
		return;
	if (is_right(s, d, &at, size, &is_more)) {
		d->hits += is_more;
		return;
	}
	place = d->misses < 2              ? d->misses
	    : draw_bits(&s->dice) % 3 == 0 ? 3
	                                   : 2;
	if (d->misses == 2)
		d->missed[3] = *shape;
	d->missed[place] = *shape;
	d->misses++;
}

static size_t
divide(struct seek *s, struct division *d, struct op_shape *out, size_t max)
{
	uint32_t step = s->facts.is_even[d->arg] ? 2 : 1;
	size_t n = 0;

	for (size_t k = 0; k < sizeof others / sizeof *others; k++)
		for (uint32_t size = step; size <= SIZES; size += step) {
			struct op_shape shape =
			    shape_of(s, d->arg, size, others[k]);

			look(s, d, &shape, size,
			    others[k] == MANY ? COST_MAX_FAR : COST_MAX);
			/* Not by this one. */
			if (d->misses > HITS_LEAST && d->misses > d->hits)
				return 0;
		}
	if (d->hits < HITS_LEAST || d->misses > d->hits)
		return 0;
	while (n < max && n < KEPT && n < d->misses) {
		out[n] = d->missed[n];
		n++;
	}
	return n;
}

size_t
seek_quotients(struct seek *s, struct op_shape *out, size_t max)
{
	struct cond_quotient q[QUOTIENTS_MAX];
	size_t nq = cond_quotients(s->cond, q, QUOTIENTS_MAX), n = 0;

	for (size_t i = 0; i < nq; i++)
		for (size_t arg = 0; arg < s->op->nargs; arg++) {
			struct division d = { .q = &q[i], .arg = arg };

			if (s->op->args[arg].kind == OP_UINT &&
			    seek_is_dimension(s->op, arg))
				n += divide(s, &d, out + n, max - n);
		}
	return n;
}
