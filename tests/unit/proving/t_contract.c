/*
 * Every corruption operator has a contract; contracts compare as they say;
 * every predicate holds for some witness case and fails for some other.
 */
#include "tests/proving/contract.h"

#include "cltext/corruption.h"
#include "tests/proving/witness.h"
#include "tests/unit.h"
#include <math.h>

static const struct {
	const char *what;
	float a, b;
	bool equal, by_eye;
} pairs[] = {
	{ "the same", 1.5f, 1.5f, true, true },
	{ "zeros of either sign", 0.0f, -0.0f, true, true },
	{ "NaN and NaN", NAN, NAN, true, true },
	{ "NaN and a number", NAN, 1.0f, false, false },
	{ "half a per cent", 100.0f, 100.5f, false, true },
	{ "half", 100.0f, 150.0f, false, false },
	{ "infinities", INFINITY, -INFINITY, false, false },
};

static void
check_predicate(bool (*holds)(const struct op_instance *), const char *what)
{
	static struct witness w;
	size_t yes = 0, no = 0;

	for (size_t i = 0; i < op_count(); i++) {
		witness_init(&w, op_at(i));
		for (size_t k = w.nholdouts; k < w.op.nholdouts; k++) {
			struct op_instance in = { .op = &w.op,
				.c = &w.cases[k],
				.shape = w.cases[k].shape };

			*(holds(&in) ? &yes : &no) += 1;
		}
	}
	CHECK(yes > 0, what);
	CHECK(no > 0, what);
}

/* Where a contract's border is a number, to the unit. */
static const struct {
	const char *operator;
	struct op_shape shape;
	bool agrees;
} borders[] = {
	{ "index_cut",
	    { .rows = 131072, .cols = 1, .x_stride = 1, .eps = 1e-5f }, true },
	{ "index_cut",
	    { .rows = 131073, .cols = 1, .x_stride = 1, .eps = 1e-5f }, false },
	{ "index_cut", { .rows = 2, .cols = 10, .x_stride = 131062 }, true },
	{ "index_cut", { .rows = 2, .cols = 10, .x_stride = 131063 }, false },
	{ "index_cut", { .rows = 0, .cols = 10, .x_stride = 200000 }, true },
	{ "eps_floor", { .rows = 1, .cols = 8, .eps = 1e-6f }, true },
	{ "eps_floor", { .rows = 1, .cols = 8, .eps = 9e-7f }, false },
};

static void
check_border(size_t i)
{
	const struct op *op = op_find("sum_last");
	const struct op_case c = { .name = "", .shape = borders[i].shape };
	const struct op_instance in = { .op = op, .c = &c, .shape = c.shape };
	const struct contract *of = contract_find(borders[i].operator);

	CHECK_INT(of->agrees(&in), borders[i].agrees, borders[i].operator);
	CHECK_INT(of->parts(&in), !borders[i].agrees, borders[i].operator);
}

void
t_contract(void)
{
	for (size_t i = 0; i < COUNT(borders); i++)
		check_border(i);
	for (size_t i = 0; i < COUNT(pairs); i++) {
		CHECK_INT(contract_matches(CONTRACT_EQUAL, 1, &pairs[i].a,
		              &pairs[i].b),
		    pairs[i].equal, pairs[i].what);
		CHECK_INT(contract_matches(CONTRACT_BY_EYE, 1, &pairs[i].a,
		              &pairs[i].b),
		    pairs[i].by_eye, pairs[i].what);
	}
	CHECK_INT(contract_count(), corrupt_count(), "one contract each");
	for (size_t i = 0; i < corrupt_count(); i++) {
		const char *name = corrupt_at(i)->name;
		const struct contract *c = contract_find(name);

		if (!CHECK(c != NULL, name))
			continue;
		check_predicate(c->agrees, name);
		check_predicate(c->parts, name);
	}
}
