/* Buffers between guards: layout, poison, and what inspection finds. */
#include "lab/run/poisoned_buffers.h"

#include "base/mem.h"
#include "tests/unit.h"
#include <stdlib.h>
#include <string.h>

static const uint8_t seed[32] = "a seed for packing";

struct arenas {
	struct op_instance *in;
	struct pack p;
	char *input, *out[PACK_NPOISONS];
	float *got;
};

static const struct op_case *
find_strided(const struct op *op, enum dtype t)
{
	for (size_t i = 0; i < op->nholdouts; i++) {
		const struct op_shape *s = &op->holdouts[i].shape;

		if (op->holdouts[i].dtype == t && s->out_stride > s->cols &&
		    s->rows > 1)
			return &op->holdouts[i];
	}
	return NULL;
}

static void
arenas_init(struct arenas *a, const struct op *op, const struct op_case *c)
{
	a->in = op_instance_new(op, c, seed);
	pack_plan(a->in, &a->p);
	a->input = xcalloc(1, a->p.input_bytes);
	pack_inputs(a->in, &a->p, a->input);
	for (int i = 0; i < PACK_NPOISONS; i++) {
		a->out[i] = xcalloc(1, a->p.output_bytes);
		pack_poison(a->in, &a->p, (enum pack_poison)i, a->out[i]);
	}
	a->got = xcalloc((size_t)a->in->out.rows * a->in->out.cols + 1,
	    sizeof *a->got);
}

static void
arenas_done(struct arenas *a)
{
	free(a->input);
	free(a->out[0]);
	free(a->out[1]);
	free(a->got);
	op_instance_free(a->in);
}

/* The bytes of output element (row, col) of one run. */
static char *
element(struct arenas *a, int run, size_t row, size_t col)
{
	return a->out[run] + a->p.regions[a->in->out_index].data_at +
	    (row * a->in->out.stride + col) * dtype_bytes(a->in->c->dtype);
}

static void
write_all(struct arenas *a)
{
	for (int run = 0; run < PACK_NPOISONS; run++)
		for (size_t r = 0; r < a->in->out.rows; r++)
			for (size_t c = 0; c < a->in->out.cols; c++)
				dtype_store(a->in->c->dtype,
				    element(a, run, r, c), 0, (float)(r + c));
}

static struct pack_finding
inspect(struct arenas *a)
{
	struct pack_finding f;

	pack_inspect(a->in, &a->p, a->out[0], a->out[1], a->got, &f);
	return f;
}

static void
check_layout(struct arenas *a)
{
	for (size_t i = 0; i < a->in->op->nargs; i++) {
		const struct order_region *r = &a->p.regions[i];
		size_t end = r->data_at + r->data_bytes;

		if (r->map_bytes == 0)
			continue;
		CHECK(r->map_at % 4096 == 0 && r->map_bytes % 4096 == 0,
		    "a region is whole pages");
		CHECK(r->data_at % 128 == 0, "a buffer is aligned");
		CHECK(r->data_at >= r->map_at &&
		        end <= r->map_at + r->map_bytes,
		    "a buffer lies in its region");
		CHECK(r->map_at + r->map_bytes - end < 128,
		    "a buffer ends where the guard zone begins");
	}
}

static uint32_t
bits_of(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof bits);
	return bits;
}

static void
check_inputs(struct arenas *a)
{
	struct op_extent e = a->in->op->extent(&a->in->shape, 0);
	const char *x = a->input + a->p.regions[0].data_at;
	enum dtype t = a->in->c->dtype;
	size_t equal = 0, n = (size_t)e.rows * e.cols;

	for (size_t r = 0; r < e.rows; r++)
		for (size_t c = 0; c < e.cols; c++) {
			float got = dtype_load(t, x, r * e.stride + c);

			equal += bits_of(got) ==
			    bits_of(a->in->in[0][r * e.cols + c]);
		}
	CHECK_INT(equal, n, "inputs arrive bit for bit");
	if (e.stride > e.cols) {
		float gap = dtype_load(t, x, e.cols);

		CHECK(gap != gap, "a stride gap is NaN");
	}
}

static void
check_findings(struct arenas *a)
{
	size_t n = (size_t)a->in->out.rows * a->in->out.cols;
	size_t word = dtype_bytes(a->in->c->dtype);
	struct pack_finding f = inspect(a);

	CHECK_INT(f.unwritten, n, "an untouched output is unwritten");
	CHECK_INT(f.out_of_bounds, 0, "and clean around");
	write_all(a);
	f = inspect(a);
	CHECK(f.unwritten == 0 && f.unequal == 0 && f.out_of_bounds == 0,
	    "a good output has no finding");
	CHECK(a->got[a->in->out.cols] == 1.0f, "and is read by its stride");
	element(a, 1, 1, 0)[1] ^= 1;
	CHECK_INT(inspect(a).unequal, 1, "runs that differ show");
	element(a, 1, 1, 0)[1] ^= 1;
	element(a, 0, 0, a->in->out.cols)[0] ^= 1;
	CHECK_INT(inspect(a).out_of_bounds, 1, "a write into a gap shows");
	element(a, 0, 0, a->in->out.cols)[0] ^= 1;
	if (a->p.regions[a->in->out_index].data_at == 0)
		return; /* the buffer begins with the page */
	element(a, 1, 0, 0)[-(ptrdiff_t)word] ^= 1;
	CHECK_INT(inspect(a).out_of_bounds, 1, "a write in front shows");
}

/* Every tensor ends with its page, or as near as its alignment lets it. */
static void
check_ends(struct arenas *a, size_t align)
{
	struct pack p = a->p;

	pack_to_the_byte(a->in, align, &p);
	for (size_t i = 0; i < a->in->op->nargs; i++) {
		const struct order_region *r = &p.regions[i];
		size_t left =
		    r->map_at + r->map_bytes - r->data_at - r->data_bytes;

		if (r->map_bytes == 0)
			continue;
		CHECK(left < align, "nothing more fits behind a buffer");
		CHECK_INT(r->data_at % align, 0, "a buffer is aligned");
		CHECK(r->data_at >= r->map_at, "it begins in its pages");
	}
}

static void
check_case(const struct op *op, const struct op_case *c)
{
	struct arenas a;

	arenas_init(&a, op, c);
	check_layout(&a);
	check_inputs(&a);
	check_ends(&a, 1);
	check_ends(&a, 16);
	if (c != op->smoke)
		check_findings(&a);
	arenas_done(&a);
}

void
t_poisoned_buffers(void)
{
	const struct op *op = op_find("swiglu");

	check_case(op, op->smoke);
	for (int t = 0; t < DTYPE_NDTYPES; t++) {
		const struct op_case *c = find_strided(op, (enum dtype)t);

		if (c)
			check_case(op, c);
	}
	CHECK(find_strided(op, DTYPE_F32), "swiglu has a strided case");
}
