/*
 * S7, determinism: everything again, in fresh children that compile nothing
 * (the code comes from the first children's cache, and nothing can be
 * executed), cases in another order, buffers at other addresses.  What the
 * first run wrote must come out bit for bit; that three launches of one case
 * agree is looked at in every run.
 */
#include "base/mem.h"
#include "lab/trial.h"
#include "ops/draw.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

static bool
replay_case(struct trial *t, const struct trial_case *tc)
{
	const struct trial_launch where = {
		.worker = t->replays[tc->c->dtype],
		.to_front = true,
		.once = true,
	};
	size_t n = (size_t)tc->in->out.rows * tc->in->out.cols, differing;
	float *got = xcalloc(n + 1, sizeof *got);
	struct trial_outcome o;
	char detail[96];

	if (trial_launch(t, &where, tc, got, &o) &&
	    (differing = count_differing(got, tc->got, n)) > 0) {
		snprintf(detail, sizeof detail,
		    "%zu of %zu elements differ when run again elsewhere",
		    differing, n);
		trial_set_outcome(&o, LAB_VERIFIED_INCORRECT,
		    "nondeterministic", detail);
	}
	if (o.class)
		trial_fail_case(t, tc, &o);
	free(got);
	return !o.class;
}

/* The cases that have run, shuffled by the secret seed. */
static size_t
shuffle(struct trial *t, struct trial_case **ret)
{
	struct draw dice;
	size_t n = 0;

	draw_init(&dice, t->seed.seed, "replay");
	for (size_t i = 0; i < t->ncases; i++)
		if (t->cases[i].got)
			ret[n++] = &t->cases[i];
	for (size_t i = n; i > 1; i--) {
		size_t k = draw_range(&dice, 0, (uint32_t)i - 1);
		struct trial_case *spare = ret[k];

		ret[k] = ret[i - 1];
		ret[i - 1] = spare;
	}
	return n;
}

/* While the first children launch, the fresh ones load. */
void
stage_replay_start(struct trial *t)
{
	for (int d = 0; d < DTYPE_NDTYPES; d++) {
		struct trial_build b = { .dtype = (enum dtype)d,
			.beside = t->workers[d] };

		if (t->workers[d] && !trial_build_start(t, &b, &t->replays[d]))
			return;
	}
}

static bool
await_all(struct trial *t)
{
	for (int d = 0; d < DTYPE_NDTYPES; d++) {
		struct trial_build b = { .dtype = (enum dtype)d,
			.beside = t->workers[d] };

		if (t->replays[d] && !trial_build_await(t, &b, t->replays[d]))
			return false;
	}
	return true;
}

bool
stage_replay(struct trial *t)
{
	struct trial_case *cases[TRIAL_CASES_MAX];
	size_t n = shuffle(t, cases);

	if (!await_all(t))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!replay_case(t, cases[i]))
			return false;
	return true;
}
