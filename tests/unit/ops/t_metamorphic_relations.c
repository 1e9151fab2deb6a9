/*
 * Every metamorphic relation holds of the references, rounded to float32, on
 * undisclosed shapes, and of a value that a draw has once in 200,000: zero.
 */
#include "base/mem.h"
#include "ops/drawn_shapes.h"
#include "ops/element_judge.h"
#include "ops/metamorphic_relations.h"
#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEEDS 4

static float *
answer(const struct judge_want *w)
{
	float *got = xcalloc(w->n + 1, sizeof *got);

	for (size_t i = 0; i < w->n; i++)
		got[i] = (float)w->y[i];
	return got;
}

static void
check_relation(const struct op_relation *r, const struct op_instance *base)
{
	struct op_instance *changed = relation_apply(r, base);
	struct judge_want want, want_changed;
	float *got_base, *got_changed;
	bool notices, differs = false;
	struct relation_pair p = { .base = base,
		.changed = changed,
		.ret_differs = &differs };

	judge_want_init(&want, base);
	judge_want_init(&want_changed, changed);
	p.got_base = got_base = answer(&want);
	p.got_changed = got_changed = answer(&want_changed);
	p.bound = want.bound;

	if (!CHECK(relation_check(r, &p) <= 1.0, r->name))
		printf("  %s\n", base->op->name);
	CHECK(!differs, "equal bits are told to be equal");
	/* Some look at the base alone. */
	got_changed[0] += 1.0f + got_changed[0];
	notices = relation_check(r, &p) > 1.0;
	got_base[0] += 1.0f + got_base[0];
	CHECK(notices || relation_check(r, &p) > 1.0, r->name);
	free(got_changed);
	free(got_base);
	judge_want_done(&want);
	judge_want_done(&want_changed);
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
t_metamorphic_relations(void)
{
	uint8_t seed[32];

	for (uint8_t s = 0; s < SEEDS; s++) {
		memset(seed, s + 1, sizeof seed);
		for (size_t i = 0; i < op_count(); i++)
			check_op(op_at(i), seed);
	}
}
