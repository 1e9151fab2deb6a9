/*
 * Laying out buffers in arenas, filling and inspecting them.
 *
 * Poisons and guards are NaNs with payloads of their own.  The poisons are
 * signalling: any arithmetic makes them quiet, so an element that still holds
 * one was not computed from it, it was never written.
 * They are compared as bits: a comparison of floats would call them equal to
 * nothing.
 */
#include "lab/run/pack.h"

#include <math.h>
#include <string.h>

#define PAGE_BYTES  ((size_t)4096)
#define ALIGN_BYTES ((size_t)128) /* of a buffer's first element */

#define POSITION_GUARD 0x5a5a5a5aU

/* [dtype]: a pattern a storage type; 16-bit types use the low half. */
/* clang-format off */
static const uint32_t poisons[PACK_NPOISONS][DTYPE_NDTYPES] = {
	[PACK_POISON_A] = { 0x7f95a1c3U, 0x7cd5U, 0x7f95U },
	[PACK_POISON_B] = { 0xffaa5e3dU, 0xfcaaU, 0xffaaU },
};
static const uint32_t guards[DTYPE_NDTYPES] = { 0x7fc95a69U, 0x7e69U, 0x7fc9U };
/* clang-format on */

static void fill_words(void *p, size_t bytes, size_t word_bytes, uint32_t v);
static uint32_t word_at(const char *p, size_t word_bytes);

static size_t
round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static bool
is_tensor(const struct op_instance *in, size_t arg)
{
	enum op_arg_kind kind = in->op->args[arg].kind;

	return kind == OP_IN || kind == OP_OUT || kind == OP_POSITIONS;
}

static size_t
word_bytes_of(const struct op_instance *in, size_t arg)
{
	if (in->op->args[arg].kind == OP_POSITIONS)
		return sizeof(int32_t);
	return dtype_bytes(in->c->dtype);
}

/* An empty tensor still gets a buffer of one element: OpenCL has no empty
 * ones. */
static size_t
span_words(struct op_extent e)
{
	if (e.rows == 0 || e.cols == 0)
		return 1;
	return (size_t)(e.rows - 1) * e.stride + e.cols;
}

void
pack_plan(const struct op_instance *in, struct pack *ret)
{
	*ret = (struct pack){ 0 };
	for (size_t i = 0; i < in->op->nargs; i++) {
		struct order_region *r = &ret->regions[i];
		size_t *arena_bytes = in->op->args[i].kind == OP_OUT
		    ? &ret->output_bytes
		    : &ret->input_bytes;
		size_t aligned;

		if (!is_tensor(in, i))
			continue;
		r->data_bytes = span_words(in->op->extent(&in->shape, i)) *
		    word_bytes_of(in, i);
		aligned = round_up(r->data_bytes, ALIGN_BYTES);
		r->map_bytes = round_up(aligned, PAGE_BYTES);
		r->map_at = *arena_bytes;
		r->data_at = r->map_at + r->map_bytes - aligned;
		*arena_bytes += r->map_bytes;
	}
}

void
pack_to_front(struct pack *p)
{
	for (size_t i = 0; i < OP_ARGS_MAX; i++)
		p->regions[i].data_at = p->regions[i].map_at;
}

void
pack_launch(const struct op_instance *in, const struct pack *p,
    const struct order_geometry *g, struct order_launch *ret)
{
	const struct op *op = in->op;

	*ret = (struct order_launch){ .kind = ORDER_LAUNCH, .geometry = *g };
	memcpy(ret->regions, p->regions, sizeof ret->regions);
	for (size_t i = 0; i < op->nargs; i++) {
		float real;

		if (op->args[i].kind == OP_UINT)
			ret->scalars[i] =
			    op_scalar_uint(&op->args[i], &in->shape);
		if (op->args[i].kind != OP_REAL)
			continue;
		real = op_scalar_real(&op->args[i], &in->shape);
		memcpy(&ret->scalars[i], &real, sizeof real);
	}
}

static void
pack_values(const struct op_instance *in, size_t arg, char *data)
{
	struct op_extent e = in->op->extent(&in->shape, arg);

	for (size_t row = 0; row < e.rows; row++)
		for (size_t col = 0; col < e.cols; col++)
			dtype_store(in->c->dtype, data, row * e.stride + col,
			    in->in[arg][row * e.cols + col]);
}

void
pack_inputs(const struct op_instance *in, const struct pack *p, void *arena)
{
	for (size_t i = 0; i < in->op->nargs; i++) {
		const struct order_region *r = &p->regions[i];
		char *map = (char *)arena + r->map_at;
		char *data = (char *)arena + r->data_at;
		struct op_extent e;

		if (!is_tensor(in, i) || i == in->out_index)
			continue;
		e = in->op->extent(&in->shape, i);
		if (in->op->args[i].kind == OP_POSITIONS) {
			fill_words(map, r->map_bytes, sizeof(int32_t),
			    POSITION_GUARD);
			if (e.rows > 0 && e.cols > 0)
				memcpy(data, in->positions, r->data_bytes);
			continue;
		}
		fill_words(map, r->map_bytes, word_bytes_of(in, i),
		    guards[in->c->dtype]);
		pack_values(in, i, data);
	}
}

void
pack_poison(const struct op_instance *in, const struct pack *p,
    enum pack_poison poison, void *arena)
{
	fill_words(arena, p->output_bytes, word_bytes_of(in, in->out_index),
	    poisons[poison][in->c->dtype]);
}

/* Elements that are equal as bits, or both NaN whatever the payload. */
static bool
same_element(const struct op_instance *in, const char *a, const char *b,
    size_t i)
{
	size_t word = dtype_bytes(in->c->dtype);

	return memcmp(a + i * word, b + i * word, word) == 0 ||
	    (isnan(dtype_load(in->c->dtype, a, i)) &&
	        isnan(dtype_load(in->c->dtype, b, i)));
}

static void
inspect_element(const struct op_instance *in, const char *a, const char *b,
    size_t i, struct pack_finding *f)
{
	size_t word = dtype_bytes(in->c->dtype);

	if (word_at(a + i * word, word) ==
	        poisons[PACK_POISON_A][in->c->dtype] &&
	    word_at(b + i * word, word) == poisons[PACK_POISON_B][in->c->dtype])
		f->unwritten++;
	else if (!same_element(in, a, b, i))
		f->unequal++;
}

/* The elements of [from, to) must still hold their poisons. */
static void
inspect_outside(const struct op_instance *in, const char *map, size_t from,
    size_t to, enum pack_poison poison, struct pack_finding *f)
{
	size_t word = dtype_bytes(in->c->dtype);

	for (size_t i = from; i < to; i++)
		if (word_at(map + i * word, word) !=
		    poisons[poison][in->c->dtype])
			f->out_of_bounds++;
}

/* Front, stride gaps and tail of one arena, as word indexes into its map. */
static void
inspect_surroundings(const struct op_instance *in, const struct order_region *r,
    const void *arena, enum pack_poison poison, struct pack_finding *f)
{
	const char *map = (const char *)arena + r->map_at;
	size_t word = dtype_bytes(in->c->dtype);
	size_t at = (r->data_at - r->map_at) / word, end = r->map_bytes / word;
	size_t rows = in->out.cols > 0 ? in->out.rows : 0, clean = 0;

	for (size_t row = 0; row < rows; row++) {
		size_t first = at + row * in->out.stride;

		inspect_outside(in, map, clean, first, poison, f);
		clean = first + in->out.cols;
	}
	inspect_outside(in, map, clean, end, poison, f);
}

void
pack_inspect(const struct op_instance *in, const struct pack *p,
    const void *arena_a, const void *arena_b, float *got,
    struct pack_finding *ret)
{
	const struct order_region *r = &p->regions[in->out_index];
	const char *a = (const char *)arena_a + r->data_at;
	const char *b = (const char *)arena_b + r->data_at;

	*ret = (struct pack_finding){ 0 };
	inspect_surroundings(in, r, arena_a, PACK_POISON_A, ret);
	inspect_surroundings(in, r, arena_b, PACK_POISON_B, ret);
	for (size_t row = 0; row < in->out.rows; row++)
		for (size_t col = 0; col < in->out.cols; col++) {
			size_t i = row * in->out.stride + col;

			inspect_element(in, a, b, i, ret);
			got[row * in->out.cols + col] =
			    dtype_load(in->c->dtype, a, i);
		}
}

void
pack_inspect_one(const struct op_instance *in, const struct pack *p,
    const void *arena_b, float *got, struct pack_finding *ret)
{
	enum dtype t = in->c->dtype;
	const struct order_region *r = &p->regions[in->out_index];
	const char *b = (const char *)arena_b + r->data_at;
	size_t word = dtype_bytes(t);

	*ret = (struct pack_finding){ 0 };
	inspect_surroundings(in, r, arena_b, PACK_POISON_B, ret);
	for (size_t row = 0; row < in->out.rows; row++)
		for (size_t col = 0; col < in->out.cols; col++) {
			size_t i = row * in->out.stride + col;

			ret->unwritten += word_at(b + i * word, word) ==
			    poisons[PACK_POISON_B][t];
			got[row * in->out.cols + col] = dtype_load(t, b, i);
		}
}

static void
fill_words(void *p, size_t bytes, size_t word_bytes, uint32_t v)
{
	uint32_t w = word_bytes == 2 ? v << 16 | v : v;
	char *c = p;

	for (size_t i = 0; i + sizeof w <= bytes; i += sizeof w)
		memcpy(c + i, &w, sizeof w);
}

static uint32_t
word_at(const char *p, size_t word_bytes)
{
	uint32_t v = 0;

	memcpy(&v, p, word_bytes); /* little endian, as every device here */
	return v;
}
