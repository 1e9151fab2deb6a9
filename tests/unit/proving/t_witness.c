/*
 * Witness cases: behind the operator's own, under names of their own, with
 * sizes past 16 bits among them, special values in whatever comes in, and work
 * items numbered backwards.
 */
#include "tests/proving/witness.h"

#include "tests/unit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
check_suite(const struct op *op, const struct witness *w)
{
	size_t large = 0;

	CHECK_INT(w->nholdouts, op->nholdouts, op->name);
	CHECK(w->op.nholdouts >= op->nholdouts + 16, op->name);
	for (size_t i = 0; i < w->op.nholdouts; i++) {
		const struct op_case *c = &w->cases[i];
		struct witness_sizes s;

		witness_sizes(op, &c->shape, &s);
		CHECK_INT(strstr(c->name, "(witness)") != NULL,
		    i >= w->nholdouts, c->name);
		CHECK_INT(witness_number(w, c), i, c->name);
		large += i >= w->nholdouts &&
		    (s.rows * s.length > 65536 || s.rows * s.width > 65536);
		for (size_t k = 0; k < i; k++)
			CHECK(strcmp(w->cases[k].name, c->name) != 0, c->name);
	}
	CHECK(large >= 3, op->name);
	CHECK(witness_number(w, op->smoke) == SIZE_MAX, op->name);
}

/* A weight, too, and a product's columns. */
static void
check_specials(const struct op *op, const struct witness *w)
{
	static const uint8_t seed[32] = { 7 };
	bool met[OP_ARGS_MAX] = { false };

	for (size_t i = w->nholdouts; i < w->op.nholdouts; i++) {
		struct op_instance *in;

		if (w->cases[i].data != OP_DATA_SPECIAL)
			continue;
		in = op_instance_new(op, &w->cases[i], seed);
		for (size_t a = 0; a < op->nargs; a++) {
			struct op_extent e;

			if (op->args[a].kind != OP_IN)
				continue;
			e = op->extent(&in->shape, a);
			for (size_t k = 0; k < (size_t)e.rows * e.cols; k++)
				met[a] |= !isfinite(in->in[a][k]);
		}
		op_instance_free(in);
	}
	for (size_t a = 0; a < op->nargs; a++)
		if (op->args[a].kind == OP_IN)
			CHECK(met[a], op->args[a].name);
}

void
t_witness(void)
{
	static struct witness w;
	char *text = witness_reverse("__kernel void f(void) {}");

	CHECK(strstr(text, "get_local_size(d) - 1 - get_local_id(d)"), text);
	CHECK(strstr(text, "\n__kernel void f(void) {}"), text);
	free(text);
	for (size_t i = 0; i < op_count(); i++) {
		witness_init(&w, op_at(i));
		check_suite(op_at(i), &w);
		check_specials(op_at(i), &w);
	}
}
