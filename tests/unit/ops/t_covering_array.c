/*
 * The covering array: its shapes obey the contract, it is a pure function of
 * the seed, every verdict covers all pairs, ten seeds all triples, and it is
 * cheap.  Prints the coverage of every operator.
 */
#include "ops/covering_array.h"

#include "base/clock.h"
#include "tests/unit.h"
#include <stdio.h>
#include <string.h>

#define SEEDS 10

static void
seed_of(int i, uint8_t seed[32])
{
	memset(seed, 0, 32);
	snprintf((char *)seed, 32, "array %d", i);
}

static uint64_t
elements(const struct op *op, const struct op_case *c)
{
	struct op_extent e = op->extent(&c->shape, 0);

	return (uint64_t)e.rows * e.cols;
}

static void
check_shapes(const struct op *op, const struct array *a)
{
	for (size_t i = 0; i < a->ncases; i++) {
		const struct op_case *c = &a->cases[i];

		CHECK(c->shape.dim % 2 == 0, op->name);
		CHECK(elements(op, c) <= 2200000, op->name);
		for (size_t k = 0; k < op->nargs; k++) {
			enum op_arg_kind kind = op->args[k].kind;
			struct op_extent e;

			if (kind != OP_IN && kind != OP_OUT)
				continue;
			e = op->extent(&c->shape, k);
			CHECK(e.stride >= e.cols && e.cols > 0,
			    op->args[k].name);
			CHECK(kind != OP_IN || c->mix->nslots[k] > 0,
			    op->args[k].name);
		}
	}
}

/* A launch of nothing shows nothing but that: there are few. */
static void
check_empty(const struct op *op, const struct array *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->ncases; i++)
		n += elements(op, &a->cases[i]) == 0;
	CHECK(n > 0 && n <= a->ncases / 4, op->name);
}

static void
check_op(const struct op *op)
{
	struct array *first = NULL, *again;
	uint64_t total = 0, start_ns = clock_mono_ns();
	uint8_t seed[32];

	for (int i = 0; i < SEEDS; i++) {
		struct array *a;

		seed_of(i, seed);
		a = array_new(op, seed, NULL, NULL);
		check_empty(op, a);
		check_shapes(op, a);
		CHECK_INT(a->account.pairs_met, a->account.pairs, op->name);
		if (!first) {
			first = a;
			continue;
		}
		array_merge(first, a);
		array_free(a);
	}
	seed_of(0, seed);
	again = array_new(op, seed, NULL, NULL);
	CHECK_INT(again->ncases, first->ncases, "drawn again, the same");
	for (size_t i = 0; i < again->ncases; i++) {
		total += elements(op, &again->cases[i]);
		CHECK(op_shape_is_same(op, &again->cases[i].shape,
		          &first->cases[i].shape),
		    "drawn again, the same shape");
	}
	printf("  %-16s %3u cases, %4.1f million elements, %4u pairs, %5u of "
	       "%5u triples; %d seeds: %5u; %.1f ms\n",
	    op->name, again->account.cases, (double)total / 1e6,
	    again->account.pairs, again->account.triples_met,
	    again->account.triples, SEEDS, first->account.triples_met,
	    (double)(clock_mono_ns() - start_ns) / 1e6 / (SEEDS + 1));
	array_free(again);
	array_free(first);
}

static void
check_factors(const struct op *op)
{
	struct array_factor f[ARRAY_FACTORS_MAX];
	size_t n = array_factors(op, f);

	CHECK(n >= 5 && n <= ARRAY_FACTORS_MAX, op->name);
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c < f[i].nclasses; c++)
			CHECK(f[i].classes[c] && f[i].classes[c][0], f[i].name);
}

/* Of a thousand seeds, one that makes the most cases that one of them makes. */
static void
check_the_most(void)
{
	const struct op *op = op_find("matmul");
	uint8_t seed[32];
	struct array *a;

	seed_of(252, seed);
	a = array_new(op, seed, NULL, NULL);
	CHECK(a->ncases > 560 && a->ncases <= ARRAY_CASES_MAX, "in its room");
	CHECK_INT(a->account.pairs_met, a->account.pairs, "nothing left out");
	array_free(a);
}

void
t_covering_array(void)
{
	check_the_most();
	for (size_t i = 0; i < op_count(); i++) {
		check_op(op_at(i));
		check_factors(op_at(i));
	}
}
