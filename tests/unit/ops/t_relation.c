/*
 * Every metamorphic relation holds of the references, rounded to float32, on
 * undisclosed shapes, and of a value that a draw has once in 200,000: zero.
 */
#include "base/mem.h"
#include "ops/relation.h"
#include "ops/shapes.h"
#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS 4

static float *
answer(const struct op_instance *in)
{
	size_t n = (size_t)in->out.rows * in->out.cols;
	float *got = xcalloc(n + 1, sizeof *got);
	double *y = xcalloc(n + 1, sizeof *y);
	double *bound = xcalloc(n + 1, sizeof *bound);

	in->op->reference(in, y, bound);
	for (size_t i = 0; i < n; i++)
		got[i] = (float)y[i];
	free(bound);
	free(y);
	return got;
}

static void
check_relation(const struct op_relation *r, const struct op_instance *base)
{
	struct op_instance *changed = relation_apply(r, base);
	float *got_base = answer(base), *got_changed = answer(changed);
	bool notices;
	const struct relation_pair p = { base, changed, got_base, got_changed };

	if (!CHECK(relation_check(r, &p) <= 1.0, r->name))
		printf("  %s\n", base->op->name);
	/* Some look at the base alone. */
	got_changed[0] += 1.0f + got_changed[0];
	notices = relation_check(r, &p) > 1.0;
	got_base[0] += 1.0f + got_base[0];
	CHECK(notices || relation_check(r, &p) > 1.0, r->name);
	free(got_changed);
	free(got_base);
	op_instance_free(changed);
}

static void
check_op(const struct op *op, const uint8_t seed[32])
{
	struct op_instance *base;
	struct op_case c;

	shapes_undisclosed(op, SHAPES_ODD, seed, &c);
	base = op_instance_new(op, &c, seed);
	base->in[0][base->op->extent(&base->shape, 0).cols / 2] = 0.0f;
	for (size_t i = 0; i < op->nrelations; i++)
		check_relation(&op->relations[i], base);
	op_instance_free(base);
}

void
t_relation(void)
{
	uint8_t seed[32];

	for (uint8_t s = 0; s < SEEDS; s++) {
		memset(seed, s + 1, sizeof seed);
		for (size_t i = 0; i < op_count(); i++)
			check_op(op_at(i), seed);
	}
}
