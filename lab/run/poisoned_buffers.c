/*
 * Laying out buffers in arenas, filling and inspecting them.
 *
 * NaNs have payloads of their own.  Those of the poisons are signalling: any
 * arithmetic makes them quiet, so an element that still holds one was not
 * computed from it, it was never written.
 * They are compared as bits: a comparison of floats would call them equal to
 * nothing.
 */
#include "lab/run/poisoned_buffers.h"

#include <math.h>
#include <string.h>

#define PAGE_BYTES   ((size_t)4096)
#define ALIGN_BYTES  ((size_t)128) /* of a buffer's first element */
#define MIDDLE_BYTES (5 * ALIGN_BYTES)

#define POSITION_GUARD 0x5a5a5a5aU

/* [dtype]: a word a storage type; 16-bit types use the low half. */
/* clang-format off */
static const uint32_t words[PACK_NFILLS][DTYPE_NDTYPES] = {
	[PACK_FILL_NAN_A]    = { 0x7f95a1c3U, 0x7cd5U, 0x7f95U },
	[PACK_FILL_NAN_B]    = { 0xffaa5e3dU, 0xfcaaU, 0xffaaU },
	[PACK_FILL_INFINITY] = { 0x7f800000U, 0x7c00U, 0x7f80U },
	[PACK_FILL_GUARD]    = { 0x7fc95a69U, 0x7e69U, 0x7fc9U },
};
/* clang-format on */

static uint32_t word_at(const char *p, size_t word_bytes);

/* Word i of a buffer that is filled so. */
static uint32_t
fill_word(const struct pack *p, enum pack_fill fill, enum dtype t, size_t i)
{
	return fill == PACK_FILL_NUMBERS ? p->numbers[i % PACK_NUMBERS]
	                                 : words[fill][t];
}

/* Words from..to of a map. */
static void
fill_words(const struct pack *p, enum pack_fill fill, enum dtype t, char *map,
    size_t from, size_t to)
{
	size_t word = dtype_bytes(t);

	for (size_t i = from; i < to; i++) {
		uint32_t v = fill_word(p, fill, t, i);

		memcpy(map + i * word, &v, word); /* little endian */
	}
}

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
	enum op_place place = in->c->mix ? in->c->mix->place : OP_PLACE_END;

	*ret = (struct pack){ 0 };
	for (size_t i = 0; i < in->op->nargs; i++) {
		struct order_region *r = &ret->regions[i];
		size_t *arena_bytes = in->op->args[i].kind == OP_OUT
		    ? &ret->output_bytes
		    : &ret->input_bytes;
		size_t aligned;

		if (!is_tensor(in, i))
			continue;
		/* From the last row's end on nothing belongs to the buffer, so
		 * that a kernel which reads a whole stride there is caught. */
		r->data_bytes = span_words(in->op->extent(&in->shape, i)) *
		    word_bytes_of(in, i);
		aligned = round_up(r->data_bytes, ALIGN_BYTES);
		r->map_bytes = round_up(aligned, PAGE_BYTES);
		/* One page more, or what lies in the middle would have no slack
		 * before it. */
		if (place == OP_PLACE_MIDDLE)
			r->map_bytes += PAGE_BYTES;
		r->map_at = *arena_bytes;
		r->data_at = r->map_at + r->map_bytes - aligned;
		if (place == OP_PLACE_FRONT)
			r->data_at = r->map_at;
		if (place == OP_PLACE_MIDDLE)
			r->data_at -= MIDDLE_BYTES;
		*arena_bytes += r->map_bytes;
		ret->around[i] = PACK_FILL_GUARD;
	}
	ret->around[in->out_index] = PACK_FILL_NAN_A;
	ret->poisons[PACK_POISON_A] = PACK_FILL_NAN_A;
	ret->poisons[PACK_POISON_B] = PACK_FILL_NAN_B;
}

void
pack_draw_fills(const struct op_instance *in, struct draw *d, struct pack *p)
{
	static const enum pack_fill surroundings[] = { PACK_FILL_GUARD,
		PACK_FILL_NUMBERS, PACK_FILL_NUMBERS, PACK_FILL_ZEROS,
		PACK_FILL_INFINITY, PACK_FILL_NAN_A };
	uint32_t first = draw_range(d, 0, PACK_FILL_INFINITY);
	/* At least one: with the same poison twice, an element that was never
	 * written could not be told from one that holds it. */
	uint32_t step = draw_range(d, 1, PACK_FILL_INFINITY);

	for (size_t i = 0; i < PACK_NUMBERS; i++) {
		/* dtype_store() writes two of the four bytes of a 16-bit
		 * type. */
		p->numbers[i] = 0;
		dtype_store(in->c->dtype, &p->numbers[i], 0,
		    draw_normal(d) + 0x1p-10f);
	}
	for (size_t i = 0; i < in->op->nargs; i++)
		p->around[i] =
		    surroundings[draw_range(d, 0, COUNT(surroundings) - 1)];
	p->poisons[PACK_POISON_A] = (enum pack_fill)first;
	p->poisons[PACK_POISON_B] =
	    (enum pack_fill)((first + step) % (PACK_FILL_INFINITY + 1));
}

static bool
is_at_front(const struct order_region *r)
{
	return r->data_at - r->map_at <
	    r->map_at + r->map_bytes - r->data_at - r->data_bytes;
}

void
pack_turn(struct pack *p)
{
	for (size_t i = 0; i < OP_ARGS_MAX; i++) {
		struct order_region *r = &p->regions[i];
		size_t end =
		    r->map_bytes - round_up(r->data_bytes, ALIGN_BYTES);

		r->data_at = r->map_at + (is_at_front(r) ? end : 0);
	}
}

void
pack_to_the_byte(const struct op_instance *in, size_t align, struct pack *p)
{
	for (size_t i = 0; i < in->op->nargs; i++) {
		struct order_region *r = &p->regions[i];
		size_t word = word_bytes_of(in, i);

		if (is_tensor(in, i))
			r->data_at = r->map_at + r->map_bytes -
			    round_up(r->data_bytes,
			        align > word ? align : word);
	}
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
		/* Scalars travel as 32 bits whatever they mean;
		 * clSetKernelArg() takes the bytes. */
		memcpy(&ret->scalars[i], &real, sizeof real);
	}
}

static void
pack_values(const struct op_instance *in, size_t arg, char *data)
{
	struct op_extent e = in->op->extent(&in->shape, arg);

	for (size_t row = 0; row < e.rows; row++)
		dtype_store_all(in->c->dtype, data, row * e.stride, e.cols,
		    in->in[arg] + row * e.cols);
}

/* Positions are ints; what is around them is far off, or a small one. */
static void
pack_positions(const struct op_instance *in, const struct pack *p,
    const struct order_region *r, size_t arg, void *arena)
{
	char *map = (char *)arena + r->map_at;
	bool plain = p->around[arg] == PACK_FILL_NUMBERS;
	struct op_extent e = in->op->extent(&in->shape, arg);

	for (size_t i = 0; i < r->map_bytes / sizeof(int32_t); i++) {
		uint32_t v =
		    plain ? (uint32_t)(i % PACK_NUMBERS) : POSITION_GUARD;

		memcpy(map + i * sizeof v, &v, sizeof v);
	}
	if (e.rows > 0 && e.cols > 0)
		memcpy((char *)arena + r->data_at, in->positions,
		    r->data_bytes);
}

void
pack_inputs(const struct op_instance *in, const struct pack *p, void *arena)
{
	size_t word = dtype_bytes(in->c->dtype);

	for (size_t i = 0; i < in->op->nargs; i++) {
		const struct order_region *r = &p->regions[i];

		if (!is_tensor(in, i) || i == in->out_index)
			continue;
		if (in->op->args[i].kind == OP_POSITIONS) {
			pack_positions(in, p, r, i, arena);
			continue;
		}
		fill_words(p, p->around[i], in->c->dtype,
		    (char *)arena + r->map_at, 0, r->map_bytes / word);
		pack_values(in, i, (char *)arena + r->data_at);
	}
}

void
pack_poison(const struct op_instance *in, const struct pack *p,
    enum pack_poison poison, void *arena)
{
	const struct order_region *r = &p->regions[in->out_index];
	size_t word = dtype_bytes(in->c->dtype);
	size_t first = (r->data_at - r->map_at) / word;
	char *map = (char *)arena + r->map_at;
	size_t rows = in->out.cols > 0 ? in->out.rows : 0;

	fill_words(p, p->around[in->out_index], in->c->dtype, map, 0,
	    r->map_bytes / word);
	for (size_t row = 0; row < rows; row++, first += in->out.stride)
		fill_words(p, p->poisons[poison], in->c->dtype, map, first,
		    first + in->out.cols);
}

/* Elements that are equal as bits, or both NaN whatever the payload. */
static bool
same_element(const struct op_instance *in, const char *a, const char *b,
    size_t i)
{
	size_t word = dtype_bytes(in->c->dtype);

	/* A computed NaN's payload is nobody's promise, and two runs may differ
	 * in it. */
	return memcmp(a + i * word, b + i * word, word) == 0 ||
	    (isnan(dtype_load(in->c->dtype, a, i)) &&
	        isnan(dtype_load(in->c->dtype, b, i)));
}

/* at: word of the map, where poison words are counted from; i: of the data. */
static void
inspect_element(const struct op_instance *in, const struct pack *p,
    const char *a, const char *b, size_t at, size_t i, struct pack_finding *f)
{
	enum dtype t = in->c->dtype;
	size_t word = dtype_bytes(t);

	if (word_at(a + i * word, word) ==
	        fill_word(p, p->poisons[PACK_POISON_A], t, at) &&
	    word_at(b + i * word, word) ==
	        fill_word(p, p->poisons[PACK_POISON_B], t, at))
		f->unwritten++;
	else if (!same_element(in, a, b, i))
		f->unequal++;
}

/* The elements of [from, to) must still be what they were filled with. */
static void
inspect_outside(const struct op_instance *in, const struct pack *p,
    const char *map, size_t from, size_t to, struct pack_finding *f)
{
	enum dtype t = in->c->dtype;
	size_t word = dtype_bytes(t);

	for (size_t i = from; i < to; i++)
		if (word_at(map + i * word, word) !=
		    fill_word(p, p->around[in->out_index], t, i))
			f->out_of_bounds++;
}

/* The first element's word in its map. */
static size_t
first_word(const struct op_instance *in, const struct order_region *r)
{
	return (r->data_at - r->map_at) / dtype_bytes(in->c->dtype);
}

/* Front, stride gaps and tail of one arena. */
static void
inspect_surroundings(const struct op_instance *in, const struct pack *p,
    const void *arena, struct pack_finding *f)
{
	const struct order_region *r = &p->regions[in->out_index];
	const char *map = (const char *)arena + r->map_at;
	size_t at = first_word(in, r), clean = 0;
	size_t end = r->map_bytes / dtype_bytes(in->c->dtype);
	size_t rows = in->out.cols > 0 ? in->out.rows : 0;

	for (size_t row = 0; row < rows; row++) {
		size_t first = at + row * in->out.stride;

		inspect_outside(in, p, map, clean, first, f);
		clean = first + in->out.cols;
	}
	inspect_outside(in, p, map, clean, end, f);
}

void
pack_inspect(const struct op_instance *in, const struct pack *p,
    const void *arena_a, const void *arena_b, float *got,
    struct pack_finding *ret)
{
	const struct order_region *r = &p->regions[in->out_index];
	const char *a = (const char *)arena_a + r->data_at;
	const char *b = (const char *)arena_b + r->data_at;
	size_t at = first_word(in, r);

	*ret = (struct pack_finding){ 0 };
	inspect_surroundings(in, p, arena_a, ret);
	inspect_surroundings(in, p, arena_b, ret);
	for (size_t row = 0; row < in->out.rows; row++) {
		size_t first = row * in->out.stride;

		for (size_t i = first; i < first + in->out.cols; i++)
			inspect_element(in, p, a, b, at + i, i, ret);
		dtype_load_all(in->c->dtype, a, first, in->out.cols,
		    got + row * in->out.cols);
	}
}

static bool
tells_what_is_unwritten(enum pack_fill fill)
{
	return fill == PACK_FILL_NAN_A || fill == PACK_FILL_NAN_B;
}

void
pack_inspect_one(const struct op_instance *in, const struct pack *p,
    enum pack_poison poison, const void *arena, float *got,
    struct pack_finding *ret)
{
	enum dtype t = in->c->dtype;
	enum pack_fill fill = p->poisons[poison];
	const char *data =
	    (const char *)arena + p->regions[in->out_index].data_at;
	size_t word = dtype_bytes(t);

	*ret = (struct pack_finding){ 0 };
	inspect_surroundings(in, p, arena, ret);
	for (size_t row = 0; row < in->out.rows; row++) {
		size_t first = row * in->out.stride;

		dtype_load_all(t, data, first, in->out.cols,
		    got + row * in->out.cols);
		/* A zero or an infinity may just as well have been computed;
		 * from one run alone only a signalling NaN tells. */
		if (!tells_what_is_unwritten(fill))
			continue;
		for (size_t i = first; i < first + in->out.cols; i++)
			ret->unwritten +=
			    word_at(data + i * word, word) == words[fill][t];
	}
}

void
pack_merge(const struct op_instance *in, const struct pack *p,
    enum pack_poison poison, const void *arena, const float *before, float *got)
{
	size_t word = dtype_bytes(in->c->dtype), cols = in->out.cols;
	const char *data =
	    (const char *)arena + p->regions[in->out_index].data_at;
	uint32_t unwritten = words[p->poisons[poison]][in->c->dtype];

	for (size_t i = 0; i < in->out.rows * cols; i++)
		if (word_at(data +
		            (i / cols * in->out.stride + i % cols) * word,
		        word) == unwritten)
			got[i] = before[i];
}

static uint32_t
word_at(const char *p, size_t word_bytes)
{
	uint32_t v = 0;

	memcpy(&v, p, word_bytes); /* little endian, as every device here */
	return v;
}
