/*
 * A dimension that an operator does not name is set all the same and says
 * nothing.
 */
#include "ops/drawn_shapes.h"

#include "ops/draw.h"
#include <string.h>

/* clang-format off */
/* dim is half of what it becomes: it is even. */
static const struct {
	size_t offset;
	uint32_t bits;        /* any: 2 to 2^bits - 1 */
	uint32_t unit, units; /* aligned: 1 to units times unit */
	uint32_t odd;         /* odd: 3 to 2 * odd + 1 */
	uint32_t tiny, more;  /* tiny: tiny to tiny + more.  Rows and sums are long
	                       * enough for two rounds of a tile of 64, or of a
	                       * group of 256: a race is between rounds */
} dimensions[] = {
	{ offsetof(struct op_shape, rows),  11, 16, 2, 15,  3, 1 },
	{ offsetof(struct op_shape, cols),  12, 64, 6, 31, 259, 8 },
	{ offsetof(struct op_shape, batch),  3,  2, 1,  2,  2, 0 },
	{ offsetof(struct op_shape, seq),    5,  8, 2,  7,  3, 1 },
	{ offsetof(struct op_shape, dim),    8, 32, 2, 49,  5, 2 },
	{ offsetof(struct op_shape, m),      8, 32, 2, 24,  5, 2 },
	{ offsetof(struct op_shape, n),      8, 32, 2, 24, 19, 4 },
	{ offsetof(struct op_shape, k),      9, 64, 2, 49, 67, 8 },
};
/* clang-format on */

#define NDIMENSIONS  COUNT(dimensions)
#define PAD_MAX      19
#define FAR_ROW_BITS 28
#define TINY_PAD_MAX 5
#define POSITION_MAX 60
/* What the simulator can bear. */
#define TILE_MAX          1024
#define SUM_TILE_MAX      64
#define TINY_ELEMENTS_MAX 8192
/* Of all tensors of an undisclosed shape together. */
#define ELEMENTS_MAX ((uint64_t)40000)

/* A stride's pad beyond its columns: from 0, from 1, or none at all. */
static const struct {
	const char *name;
	uint32_t pad_min, pad_max;
} classes[SHAPES_NCLASSES] = {
	[SHAPES_ANY] = { "undisclosed shape", 0, PAD_MAX },
	[SHAPES_ALIGNED] = { "undisclosed shape, aligned", 0, 0 },
	[SHAPES_ODD] = { "undisclosed shape, odd", 1, PAD_MAX },
};

static uint32_t *
scalar_at(struct op_shape *s, size_t offset)
{
	return (uint32_t *)(void *)((char *)s + offset);
}

/* The tensor argument that NAME_stride is of, or nargs. */
static size_t
strided_arg(const struct op *op, const char *name)
{
	const char *tail = strstr(name, "_stride");
	size_t n = tail ? (size_t)(tail - name) : 0;

	for (size_t i = 0; i < op->nargs && n > 0; i++)
		if (strlen(op->args[i].name) == n &&
		    strncmp(op->args[i].name, name, n) == 0)
			return i;
	return op->nargs;
}

static void
set_strides(const struct op *op, struct draw *d, uint32_t pad_min,
    uint32_t pad_max, struct op_shape *s)
{
	for (size_t i = 0; i < op->nargs; i++) {
		size_t arg = strided_arg(op, op->args[i].name);
		uint32_t pad = draw_range(d, pad_min, pad_max);

		if (arg < op->nargs)
			*scalar_at(s, op->args[i].offset) =
			    op->extent(s, arg).cols + pad;
	}
}

static uint32_t
draw_dimension(struct draw *d, enum shapes_class class, size_t i)
{
	uint32_t low;

	if (class == SHAPES_ALIGNED)
		return dimensions[i].unit *
		    draw_range(d, 1, dimensions[i].units);
	if (class == SHAPES_ODD)
		return 2 * draw_range(d, 1, dimensions[i].odd) + 1;
	/* Every magnitude is as likely as any other. */
	low = 1U << draw_range(d, 1, dimensions[i].bits - 1);
	return draw_range(d, low, 2 * low - 1);
}

static uint64_t
elements(const struct op *op, const struct op_shape *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_IN || op->args[i].kind == OP_OUT)
			n += (uint64_t)op->extent(s, i).rows *
			    op->extent(s, i).cols;
	return n;
}

/* Halves the largest dimension until the tensors are small enough. */
static void
shrink(const struct op *op, struct op_shape *s)
{
	while (elements(op, s) > ELEMENTS_MAX) {
		uint32_t *largest = scalar_at(s, dimensions[0].offset);

		for (size_t i = 1; i < NDIMENSIONS; i++) {
			uint32_t *v = scalar_at(s, dimensions[i].offset);

			if (*v > *largest)
				largest = v;
		}
		*largest /= 2;
	}
}

void
shapes_undisclosed(const struct op *op, enum shapes_class class,
    const uint8_t seed[32], struct op_case *ret)
{
	struct draw d;

	*ret = *op->smoke;
	ret->name = classes[class].name;
	ret->position_max = POSITION_MAX;
	draw_init(&d, seed, ret->name);
	for (size_t i = 0; i < NDIMENSIONS; i++)
		*scalar_at(&ret->shape, dimensions[i].offset) =
		    draw_dimension(&d, class, i);
	shrink(op, &ret->shape);
	ret->shape.dim *= 2;
	set_strides(op, &d, classes[class].pad_min, classes[class].pad_max,
	    &ret->shape);
}

/* Two rounds and a piece of the third, in what a round goes along; many rows
 * are short ones. */
static void
lengthen(struct op_shape *s, const struct shapes_rounds *over)
{
	uint32_t tile = over->tile < TILE_MAX ? over->tile : TILE_MAX;
	uint32_t sum = tile < SUM_TILE_MAX ? tile : SUM_TILE_MAX;

	if (2 * tile > 256)
		s->cols += 2 * tile - 256;
	if (2 * sum > 64)
		s->k += 2 * sum - 64;
	if (over->groups == 0)
		return;
	s->rows += 2 * over->groups;
	s->seq += 2 * over->groups;
	s->m += over->groups < SUM_TILE_MAX ? 2 * over->groups : 0;
	while (s->cols > 1 && s->rows * s->cols > TINY_ELEMENTS_MAX)
		s->cols /= 2;
}

void
shapes_tiny(const struct op *op, const uint8_t seed[32],
    const struct shapes_rounds *over, struct op_case *ret)
{
	struct draw d;

	*ret = *op->smoke;
	ret->name = "tiny";
	ret->position_max = POSITION_MAX;
	draw_init(&d, seed, ret->name);
	for (size_t i = 0; i < NDIMENSIONS; i++)
		*scalar_at(&ret->shape, dimensions[i].offset) =
		    draw_range(&d, dimensions[i].tiny,
		        dimensions[i].tiny + dimensions[i].more);
	lengthen(&ret->shape, over);
	ret->shape.dim *= 2;
	set_strides(op, &d, 1, TINY_PAD_MAX, &ret->shape);
}

/* ---- far */

/* clang-format off */
#define AT(field) offsetof(struct op_shape, field)
static const struct {
	const char *name;
	size_t first, second; /* dimensions' offsets; the same: one */
	enum { LIE_APART, LIE_CLOSE, LIE_CLOSE_AND_WIDE } lie; /* rows */
	enum { FOR_ALL, FOR_ELEMENTS, FOR_REDUCTIONS } whom;
	uint32_t most_bits; /* of each; 0: as far as they can be */
	uint32_t power;     /* the first is this power of two, the second what
	                     * makes 2^32 of it */
} far[] = {
	{ "rows",    AT(rows),  AT(rows),  LIE_APART, FOR_ALL, 0, 0 },
	{ "cols",    AT(cols),  AT(cols),  LIE_APART, FOR_ALL, 0, 0 },
	{ "batch",   AT(batch), AT(batch), LIE_APART, FOR_ALL, 0, 0 },
	{ "seq",     AT(seq),   AT(seq),   LIE_APART, FOR_ALL, 0, 0 },
	{ "dim",     AT(dim),   AT(dim),   LIE_APART, FOR_ALL, 0, 0 },
	{ "m",       AT(m),     AT(m),     LIE_APART, FOR_ALL, 0, 0 },
	{ "n",       AT(n),     AT(n),     LIE_APART, FOR_ALL, 0, 0 },
	{ "k",       AT(k),     AT(k),     LIE_APART, FOR_ALL, 0, 0 },
	{ "rows and cols", AT(rows), AT(cols), LIE_APART, FOR_ELEMENTS, 25, 0 },
	{ "m and n", AT(m),     AT(n),     LIE_APART, FOR_ALL, 25, 0 },
	{ "seq and dim", AT(seq), AT(dim), LIE_APART, FOR_ALL, 17, 0 },
	{ "batch and seq", AT(batch), AT(seq), LIE_APART, FOR_ALL, 16, 0 },
	{ "rows and cols, close", AT(rows), AT(cols), LIE_CLOSE, FOR_ELEMENTS, 20, 0 },
	{ "rows, close", AT(rows), AT(rows), LIE_CLOSE_AND_WIDE, FOR_REDUCTIONS, 0, 0 },
	{ "rows and cols, 2^32 elements", AT(rows), AT(cols), LIE_CLOSE, FOR_ALL, 0, 16 },
	{ "m and n, 2^32 elements", AT(m), AT(n), LIE_APART, FOR_ALL, 0, 16 },
	{ "batch and dim, 2^32 elements", AT(batch), AT(dim), LIE_APART, FOR_ALL, 0, 16 },
};
#undef AT
/* clang-format on */

_Static_assert(COUNT(far) + 2 == SHAPES_NFAR,
    "and all strides, each its own or all alike");

static bool
has_scalar(const struct op *op, size_t offset)
{
	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_UINT && op->args[i].offset == offset)
			return true;
	return false;
}

static uint32_t
draw_far(struct draw *d, uint32_t bits)
{
	uint32_t most = (uint32_t)((uint64_t)15 << bits >> 4);

	if (bits == SHAPES_FAR_END)
		return (uint32_t)INT32_MAX - 2 * PAD_MAX - draw_range(d, 0, 15);
	return most - draw_range(d, 0, most >> 7);
}

static bool
has_strides(const struct op *op)
{
	for (size_t i = 0; i < op->nargs; i++)
		if (strided_arg(op, op->args[i].name) < op->nargs)
			return true;
	return false;
}

/* An odd half is what a rotary dimension's is. */
static void
make_even(struct op_shape *s)
{
	s->dim = s->dim / 4 * 4 + 2;
}

static void
set_far_strides(const struct op *op, struct draw *d, uint32_t bits, bool alike,
    struct op_shape *ret)
{
	uint32_t of_all = draw_far(d, bits);

	for (size_t k = 0; k < op->nargs; k++)
		if (strided_arg(op, op->args[k].name) < op->nargs)
			*scalar_at(ret, op->args[k].offset) =
			    alike ? of_all : draw_far(d, bits);
}

static bool
is_for(const struct op *op, size_t i)
{
	return has_scalar(op, far[i].first) && has_scalar(op, far[i].second) &&
	    (far[i].whom == FOR_ALL ||
	        op->is_elementwise == (far[i].whom == FOR_ELEMENTS));
}

static void
set_far_dimensions(struct draw *d, size_t i, uint32_t bits, bool is_sequence,
    struct op_shape *s)
{
	uint32_t power = far[i].power;

	if (power > 0) {
		s->seq = 1;
		*scalar_at(s, far[i].first) = (uint32_t)1 << power;
		*scalar_at(s, far[i].second) = (uint32_t)1 << (32 - power);
		return;
	}
	/* Of these a tensor has a product of rows, which is 32 bits here. */
	if (far[i].most_bits == 0 && is_sequence && bits > FAR_ROW_BITS)
		bits = FAR_ROW_BITS;
	/* Tensors of two of them stay below 2^50 elements, and rows below
	 * 2^32. */
	if (far[i].most_bits > 0)
		bits = far[i].most_bits -
		    (bits < SHAPES_FAR_BITS_MAX ? SHAPES_FAR_BITS_MAX - bits
		                                : 0);
	*scalar_at(s, far[i].first) = draw_far(d, bits);
	*scalar_at(s, far[i].second) = draw_far(d, bits);
	make_even(s);
	/* So wide that all of them pass 2^32. */
	if (far[i].lie == LIE_CLOSE_AND_WIDE)
		s->cols += (uint32_t)1 << (SHAPES_FAR_END + 1 - bits);
}

bool
shapes_far(const struct op *op, size_t i, uint32_t bits, const uint8_t seed[32],
    struct op_shape *ret, const char **ret_name)
{
	bool strides = i >= COUNT(far), alike = i > COUNT(far);
	struct draw d;

	if (strides ? !has_strides(op) : !is_for(op, i))
		return false;
	*ret_name = alike ? "strides, alike"
	    : strides     ? "strides"
	                  : far[i].name;
	draw_init(&d, seed, *ret_name);
	*ret = op->smoke->shape;
	for (size_t k = 0; k < NDIMENSIONS; k++)
		*scalar_at(ret, dimensions[k].offset) =
		    5 + 2 * draw_range(&d, 0, 2);
	make_even(ret);
	if (!strides)
		set_far_dimensions(&d, i, bits,
		    has_scalar(op, offsetof(struct op_shape, seq)), ret);
	set_strides(op, &d, 1, PAD_MAX, ret);
	if (!strides && far[i].lie != LIE_APART)
		op_close_strides(op, ret);
	/* So many that a row's number passes 2^32 in units of a stride's
	 * sixteenth too. */
	if (strides)
		ret->rows += 64;
	if (strides)
		set_far_strides(op, &d, bits, alike, ret);
	return true;
}
