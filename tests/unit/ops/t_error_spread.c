/*
 * Errors of float32 in any usual order pass together; sums in half do not, even
 * where each of them is within its bound.
 */
#include "ops/error_spread.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SEEDS 8

/* The sum of a row, every 64 terms rounded to 13 bits where it is coarse. */
static float
row_sum(const float *x, uint32_t n, bool coarse)
{
	float s = 0.0f, part = 0.0f;

	for (uint32_t c = 0; c < n; c++) {
		part += x[c];
		if (c % 64 != 63)
			continue;
		if (coarse) {
			int e;

			frexpf(part, &e);
			part = ldexpf(rintf(ldexpf(part, 13 - e)), e - 13);
		}
		s += part;
		part = 0.0f;
	}
	return s + part;
}

enum how { FLOAT32, ONE_FAR_OUT, COARSE, NHOW };

static void
add(struct spread *s, const struct op_case *c, int seed, enum how how)
{
	uint8_t bytes[32] = { (uint8_t)seed };
	struct op_instance *in = op_instance_new(op_find("sum_last"), c, bytes);
	uint32_t n = in->shape.cols;
	struct judge_result r;
	struct judge_want w;
	float *got;

	judge_want_init(&w, in);
	got = xcalloc(w.n, sizeof *got);
	for (size_t i = 0; i < w.n; i++)
		got[i] = row_sum(in->in[0] + i * n, n, how == COARSE);
	if (how == ONE_FAR_OUT && seed == 0)
		got[0] = (float)(w.y[0] + w.bound[0] / 2.0);
	judge_compare(&w, got, &r);
	CHECK(r.grade == JUDGE_VERIFIED, "each is within its bound");
	spread_add(s, in, &w, got);
	free(got);
	judge_want_done(&w);
	op_instance_free(in);
}

void
t_error_spread(void)
{
	const struct op_case c = { .name = "long rows",
		.shape = { .rows = 9, .cols = 6000, .x_stride = 6000 } };

	for (int how = 0; how < NHOW; how++) {
		static const char *const names[] = { "sums of float32",
			"one answer far out", "sums of 13 bits" };
		struct spread s = { 0 };
		uint32_t length;
		double factor;

		CHECK(spread_is_float32(&s, &factor, &length),
		    "nothing was judged yet");
		for (int seed = 0; seed < SEEDS; seed++)
			add(&s, &c, seed, (enum how)how);
		CHECK(spread_is_float32(&s, &factor, &length) ==
		        (how != COARSE),
		    names[how]);
		printf("  %s: %.2f\n", names[how], factor);
		CHECK_INT(length, 4096, "their length");
	}
}
