/*
 * S7, determinism: everything again, in fresh children that compile nothing
 * (the code comes from the first children's cache, and nothing can be
 * executed), cases in another order, buffers at other addresses.  Where these
 * are aligned as they were, what the first run wrote must come out bit for
 * bit; that three launches of one case agree is looked at in every run.  Half
 * of the cases, which ones the secret seed says, end their buffers with a page
 * to the byte: a read of one element more faults.
 */
#include "lab/stages/side_child.h"
#include "lab/stages/trial_run.h"
#include "ops/draw.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static uint32_t
bits_of(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits;
}

/* A NaN is a NaN whatever its payload; 0 is not -0. */
static size_t
count_differing(const float *a, const float *b, size_t n)
{
	size_t differing = 0;

	for (size_t i = 0; i < n; i++)
		differing += bits_of(a[i]) != bits_of(b[i]) &&
		    !(isnan(a[i]) && isnan(b[i]));
	return differing;
}

/* At an address of another remainder a kernel may peel off more elements, and
 * round otherwise. */
static void
judge_difference(const struct trial *t, struct side_child_case *c,
    size_t differing, size_t n)
{
	char detail[96];

	if (trial_ends_exactly(t, c->tc)) {
		trial_compare(c->tc, c->got, &c->o);
		return;
	}
	snprintf(detail, sizeof detail,
	    "%zu of %zu elements differ when run again elsewhere", differing,
	    n);
	trial_set_outcome(&c->o, LAB_VERIFIED_INCORRECT, "nondeterministic",
	    detail);
}

static bool
compare(struct trial *t, struct side_child_case *c)
{
	size_t n = (size_t)c->tc->in->out.rows * c->tc->in->out.cols;
	size_t differing =
	    c->o.class ? 0 : count_differing(c->got, c->tc->got, n);

	if (differing > 0)
		judge_difference(t, c, differing, n);
	if (c->o.class)
		trial_fail_case(t, c->tc, &c->o);
	trial_step(t);
	return !c->o.class;
}

/* The cases that will have run, shuffled by the secret seed. */
static size_t
shuffle(struct trial *t, struct trial_case **ret)
{
	struct draw dice;
	size_t n = 0;

	draw_init(&dice, t->seed.seed, "replay");
	for (size_t i = 0; i < t->ncases; i++)
		if (trial_is_run_again(&t->cases[i]))
			ret[n++] = &t->cases[i];
	for (size_t i = n; i > 1; i--) {
		size_t k = draw_range(&dice, 0, (uint32_t)i - 1);
		struct trial_case *spare = ret[k];

		ret[k] = ret[i - 1];
		ret[i - 1] = spare;
	}
	return n;
}

/* While the first children launch, the fresh ones load; then they run beside
 * them. */
void
stage_replay_start(struct trial *t)
{
	static const struct trial_launch where = { .elsewhere = true,
		.once = true,
		.poison = PACK_POISON_B };
	struct trial_case *cases[TRIAL_CASES_MAX];
	size_t n = shuffle(t, cases);

	for (int d = 0; d < DTYPE_NDTYPES; d++) {
		struct trial_build b = { .dtype = (enum dtype)d,
			.beside = t->workers[d] };

		if (!t->workers[d] || t->fallbacks[d])
			continue;
		if (!side_child_start(t, &b, &where, &t->replays[d]))
			return;
		for (size_t i = 0; i < n; i++)
			if (cases[i]->c->dtype == b.dtype)
				side_child_add(t->replays[d], cases[i]);
	}
}

bool
stage_replay(struct trial *t)
{
	for (int d = 0; d < DTYPE_NDTYPES; d++) {
		struct side_child *l = t->replays[d];

		if (!l || t->fallbacks[d])
			continue;
		if (!side_child_finish(t, l))
			return false;
		for (size_t i = 0; i < side_child_count(l); i++)
			if (!compare(t, side_child_at(l, i)))
				return false;
	}
	return true;
}
