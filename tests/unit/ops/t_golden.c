/*
 * References and bounds against PyTorch: tests/golden/golden.json, made by
 * tests/golden/make_golden.py.
 */
#include "ops/op.h"

#include "base/files.h"
#include "base/jfield.h"
#include "base/mem.h"
#include "ops/element_judge.h"
#include "tests/unit.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN     "tests/golden/golden.json"
#define GOLDEN_MAX (1 << 20)

/* Hexadecimal digits from..from+n of s as a number. */
static uint64_t
hex_number(const char *s, size_t from, size_t n)
{
	char digits[17] = { 0 };

	memcpy(digits, s + from, n);
	return strtoull(digits, NULL, 16);
}

static float
stored_value(enum dtype t, const char *s, size_t i)
{
	size_t digits = 2 * dtype_bytes(t);
	uint32_t b32 = (uint32_t)hex_number(s, i * digits, digits);
	uint16_t b16 = (uint16_t)b32;

	return dtype_load(t, t == DTYPE_F32 ? (void *)&b32 : (void *)&b16, 0);
}

static enum dtype
find_dtype(const char *name)
{
	enum dtype t = DTYPE_F32;

	while (t < DTYPE_BF16 && strcmp(dtype_name(t), name) != 0)
		t++;
	return t;
}

static void
set_scalars(const struct op *op, json_t *scalars, struct op_shape *s)
{
	for (size_t i = 0; i < op->nargs; i++) {
		const struct op_arg *a = &op->args[i];
		json_t *v = json_object_get(scalars, a->name);
		uint32_t u = (uint32_t)json_integer_value(v);
		float f = (float)json_number_value(v);

		if (v && a->kind == OP_UINT)
			memcpy((char *)s + a->offset, &u, sizeof u);
		if (v && a->kind == OP_REAL)
			memcpy((char *)s + a->offset, &f, sizeof f);
	}
}

/* Contiguous: references see packed values, strides do not matter. */
static struct op_instance *
load_instance(const struct op *op, const struct op_case *c, json_t *v)
{
	struct op_instance *in = xcalloc(1, sizeof *in);
	json_t *positions = json_object_get(v, "positions");
	size_t next = 0;

	in->op = op;
	in->c = c;
	in->shape = c->shape;
	for (size_t i = 0; i < op->nargs; i++) {
		struct op_extent e;
		const char *s;

		if (op->args[i].kind != OP_IN && op->args[i].kind != OP_OUT)
			continue;
		e = op->extent(&in->shape, i);
		if (op->args[i].kind == OP_OUT) {
			in->out = e;
			in->out_index = i;
			continue;
		}
		s = json_string_value(
		    json_array_get(json_object_get(v, "in"), next++));
		in->in[i] = xcalloc((size_t)e.rows * e.cols, sizeof(float));
		for (size_t k = 0; k < (size_t)e.rows * e.cols; k++)
			in->in[i][k] = stored_value(c->dtype, s, k);
	}
	in->positions = xcalloc(json_array_size(positions) + 1, 4);
	for (size_t k = 0; k < json_array_size(positions); k++)
		in->positions[k] =
		    (int32_t)json_integer_value(json_array_get(positions, k));
	return in;
}

static bool
agrees(double y, double want, double bound)
{
	if (isnan(want) || isinf(want))
		return isnan(want) ? isnan(y) != 0 : y == want;
	return fabs(y - want) <= 1e-12 * fabs(want) + 1e-7 * bound + 1e-300;
}

static void
check_vector(json_t *v, bool *covered)
{
	const char *name = json_string_value(json_object_get(v, "op"));
	const char *want = json_string_value(json_object_get(v, "y"));
	const char *stored = json_string_value(json_object_get(v, "stored"));
	const struct op *op = op_find(name);
	struct op_case c = { .dtype = find_dtype(json_string_value(
		                 json_object_get(v, "dtype"))) };
	struct op_instance *in;
	struct judge_result r;
	struct judge_want to;
	float *got;
	char *what;
	size_t n;

	CHECK(op != NULL, name);
	if (!op)
		return;
	set_scalars(op, json_object_get(v, "scalars"), &c.shape);
	in = load_instance(op, &c, v);
	judge_want_init(&to, in);
	n = to.n;
	got = xcalloc(n, sizeof *got);
	what = xasprintf("%s %s", name, dtype_name(c.dtype));
	for (size_t i = 0; i < n; i++) {
		uint64_t b = hex_number(want, 16 * i, 16);
		double w;

		memcpy(&w, &b, sizeof w);
		CHECK(agrees(to.y[i], w, to.bound[i]), what);
		got[i] = stored_value(c.dtype, stored, i);
	}
	judge_compare(&to, got, &r);
	CHECK_INT(r.grade, JUDGE_VERIFIED, what);
	for (size_t i = 0; i < op_count(); i++)
		covered[i * DTYPE_NDTYPES + c.dtype] |= op_at(i) == op;
	free(what);
	free(got);
	judge_want_done(&to);
	op_instance_free(in);
}

void
t_golden(void)
{
	bool *covered = xcalloc(op_count() * DTYPE_NDTYPES, sizeof *covered);
	struct why why = { "" };
	json_t *root = NULL, *v;
	char *text = NULL;
	size_t len = 0, i;

	CHECK_INT(files_read(GOLDEN, GOLDEN_MAX, &text, &len, &why), ERR_OK,
	    "read");
	if (!CHECK_INT(jfield_parse(GOLDEN, text ? text : "", len, &root, &why),
	        ERR_OK, why.text))
		goto out;
	json_array_foreach(json_object_get(root, "vectors"), i, v) {
		check_vector(v, covered);
	}
	for (i = 0; i < op_count() * DTYPE_NDTYPES; i++)
		CHECK(covered[i], op_at(i / DTYPE_NDTYPES)->name);
out:
	json_decref(root);
	free(text);
	free(covered);
}
