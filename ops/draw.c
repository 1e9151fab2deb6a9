/*
 * A data class is a function that makes one element, given its row; classes
 * that plant single elements (outlier, special) run over the rows afterwards.
 * Products with constants are single float operations, hence exact to the bit
 * everywhere.
 */
#include "ops/draw.h"

#include "base/digest.h"
#include "base/units.h"
#include "ops/value_classes.h"
#include <math.h>
#include <string.h>

#define PERIOD_VALUES 8192
#define FAR_BIT       0x200000 /* of a mantissa: no filling has it alike */

typedef float class_fn(struct draw *d, uint32_t row);

static class_fn class_normal, class_tiny, class_large, class_offset, class_wide,
    class_negative, class_ragged, class_integer, class_zero, class_halfway;
static void plant_outliers(struct draw *d, struct op_extent e, float *v);
static void plant_specials(struct draw *d, enum dtype t, struct op_extent e,
    float *v);

static class_fn *const classes[OP_NDATAS] = {
	[OP_DATA_NORMAL] = class_normal,
	[OP_DATA_NORMAL_ABS] = class_normal,
	[OP_DATA_TINY] = class_tiny,
	[OP_DATA_LARGE] = class_large,
	[OP_DATA_OFFSET] = class_offset,
	[OP_DATA_OUTLIER] = class_normal,
	[OP_DATA_CONSTANT] = class_normal,
	[OP_DATA_WIDE] = class_wide,
	[OP_DATA_NEGATIVE] = class_negative,
	[OP_DATA_SPECIAL] = class_normal,
	[OP_DATA_RAGGED_SCALE] = class_ragged,
	[OP_DATA_INTEGER] = class_integer,
	[OP_DATA_INTEGER_ROWS] = class_integer,
	[OP_DATA_ZERO] = class_zero,
	[OP_DATA_HALFWAY] = class_halfway,
};

void
draw_init(struct draw *d, const uint8_t seed[32], const char *label)
{
	struct digest *h = digest_new();
	uint8_t key[DIGEST_BYTES];

	digest_add(h, seed, 32);
	digest_adds(h, label);
	digest_finish(h, key);
	for (size_t i = 0; i < 4; i++) {
		d->s[i] = 0;
		for (size_t k = 0; k < 8; k++)
			d->s[i] = d->s[i] << 8 | key[8 * i + k];
	}
	d->s[0] |= 1; /* never all zero */
}

static uint64_t
rotl(uint64_t v, int n)
{
	return v << n | v >> (64 - n);
}

/* xoshiro256** 1.0 by Blackman and Vigna. */
uint64_t
draw_bits(struct draw *d)
{
	uint64_t *s = d->s, out = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return out;
}

/* Bias below 2^-32: the range is at most 32 bits of 64. */
uint32_t
draw_range(struct draw *d, uint32_t min, uint32_t max)
{
	return min + (uint32_t)(draw_bits(d) % ((uint64_t)max - min + 1));
}

float
draw_normal(struct draw *d)
{
	int32_t sum = -6 * 65535;
	int64_t fine;

	for (int i = 0; i < 3; i++) {
		uint64_t b = draw_bits(d);

		sum += (int32_t)(b & 0xffff) + (int32_t)(b >> 16 & 0xffff) +
		    (int32_t)(b >> 32 & 0xffff) + (int32_t)(b >> 48);
	}
	/* Multiples of 2^-16 would add up without a rounding error in any
	 * order: 32 bits more, and one rounding to a float. */
	fine =
	    (int64_t)sum * ((int64_t)1 << 32) + (int64_t)(draw_bits(d) >> 32);
	return (float)fine * 0x1p-48f;
}

/* As float16's or bfloat16's bits this is what outputs hold before a launch
 * (lab/run/poisoned_buffers.c): who hands on a NaN's bits would seem not to
 * have written.
 */
static bool
is_a_filling(uint32_t bits)
{
	uint32_t half = bits >> 13 & 0x3ff, brain = bits >> 16 & 0x7f;

	return half == 0xd5 || half == 0xaa || brain == 0x15 || brain == 0x2a;
}

float
draw_nan(struct draw *d)
{
	uint64_t b = draw_bits(d);
	uint32_t sign = (uint32_t)(b >> 63) << 31, random = (uint32_t)(b >> 8);
	/* What the machines make of 0 / 0, the two ends, and any other one. */
	const uint32_t mantissas[] = { 0x400000, 0x7fffff, 1,
		0x400000 | (random & 0x3fffff), 1 + random % 0x3fffff };
	uint32_t bits = sign | 0x7f800000 | mantissas[b % COUNT(mantissas)];
	float v;

	if (is_a_filling(bits))
		bits ^= FAR_BIT;
	memcpy(&v, &bits, sizeof v);
	return v;
}

void
draw_tensor(struct draw *d, const struct op_case *c, enum op_draw draw,
    struct op_extent e, float *v)
{
	bool plain = draw == OP_DRAW_DATA || draw == OP_DRAW_ABS;
	enum op_data data = c->data;
	size_t n = (size_t)e.rows * e.cols;
	float constant = 0.5f + fabsf(draw_normal(d));

	if (!plain && data != OP_DATA_INTEGER)
		data = OP_DATA_NORMAL;
	for (size_t i = 0; i < n; i++) {
		v[i] = classes[data](d, (uint32_t)(i / e.cols));
		if (data == OP_DATA_CONSTANT)
			v[i] = constant;
		if (data == OP_DATA_NORMAL_ABS ||
		    (draw == OP_DRAW_ABS && data != OP_DATA_SPECIAL))
			v[i] = fabsf(v[i]);
		if (draw == OP_DRAW_WEIGHT && data != OP_DATA_INTEGER)
			v[i] = 1.0f + 0.5f * v[i];
		if (draw == OP_DRAW_BIAS && data != OP_DATA_INTEGER)
			v[i] = 0.5f * v[i];
	}
	if (data == OP_DATA_INTEGER_ROWS)
		for (size_t i = 0; i < (size_t)e.rows * e.cols; i++)
			v[i] = v[i - i % e.cols];
	if (data == OP_DATA_OUTLIER)
		plant_outliers(d, e, v);
	if (data == OP_DATA_SPECIAL)
		plant_specials(d, c->dtype, e, v);
	for (size_t i = 0; i < n; i++)
		v[i] = dtype_round(c->dtype, v[i]);
}

/* What an argument makes of the values of its class. */
static void
shape_values(enum op_draw draw, enum dtype t, enum values_class c, float *v,
    size_t n, size_t step)
{
	bool is_abs = draw == OP_DRAW_ABS && c != VALUES_BOTH_INF &&
	    c != VALUES_NEG_INF && c != VALUES_ALL_NEG_INF &&
	    c != VALUES_DEEP && c != VALUES_BOTH_ZEROS;

	for (size_t i = 0; i < n * step; i += step) {
		if (is_abs && !isnan(v[i]))
			v[i] = fabsf(v[i]);
		if (draw == OP_DRAW_WEIGHT && c == VALUES_NORMAL)
			v[i] = dtype_round(t, 1.0f + 0.5f * v[i]);
	}
}

/* n values, step apart. */
struct stretch {
	float *v;
	size_t n, step;
};

static void
fill(struct draw *d, const struct op_case *c, const struct op *op, size_t arg,
    size_t slot, struct stretch to)
{
	const struct op_mix *m = c->mix;
	enum values_class class =
	    (enum values_class)m->values[arg][slot % m->nslots[arg]];

	values_fill(d, c->dtype, class, to.v, to.n, to.step);
	shape_values(op->args[arg].draw, c->dtype, class, to.v, to.n, to.step);
}

enum draw_mixing
draw_mixes(const struct op *op, size_t arg)
{
	enum op_draw draw = op->args[arg].draw;

	if (op->is_elementwise || draw == OP_DRAW_WEIGHT ||
	    draw == OP_DRAW_BIAS)
		return DRAW_MIXES_ELEMENTS;
	return draw == OP_DRAW_NORMAL ? DRAW_MIXES_COLUMNS : DRAW_MIXES_ROWS;
}

/* From here on a long tensor repeats itself: a drawn value is dear.  An odd
 * multiple of its slots, so that no power of two is a multiple of it and an
 * index that wraps finds something else. */
static size_t
period(const struct op_mix *m, size_t arg, size_t values)
{
	size_t slots = m->nslots[arg];

	return slots * (PERIOD_VALUES / (slots * values) | 1);
}

void
draw_mixed(struct draw *d, const struct op_case *c, const struct op *op,
    size_t arg, struct op_extent e, float *v)
{
	enum draw_mixing mixing = draw_mixes(op, arg);
	size_t cols = mixing == DRAW_MIXES_ELEMENTS ? 1 : e.cols;
	size_t n = (size_t)e.rows * e.cols,
	       p = period(c->mix, arg, cols) * cols;

	if (mixing == DRAW_MIXES_COLUMNS) {
		for (size_t j = 0; j < e.cols; j++)
			fill(d, c, op, arg, j,
			    (struct stretch){ v + j, e.rows, e.cols });
		return;
	}
	for (size_t i = 0; i < n && i < p; i += cols)
		fill(d, c, op, arg, i / cols,
		    (struct stretch){ v + i, cols, 1 });
	for (size_t i = p; i < n; i++)
		v[i] = v[i - p];
}

static float
class_normal(struct draw *d, uint32_t row)
{
	(void)row;
	return draw_normal(d);
}

static float
class_tiny(struct draw *d, uint32_t row)
{
	(void)row;
	return draw_normal(d) * 1e-3f;
}

static float
class_large(struct draw *d, uint32_t row)
{
	(void)row;
	return draw_normal(d) * 50.0f;
}

static float
class_offset(struct draw *d, uint32_t row)
{
	(void)row;
	return draw_normal(d) + 1000.0f;
}

static float
class_wide(struct draw *d, uint32_t row)
{
	int e = (int)draw_range(d, 0, 20) - 10;

	(void)row;
	return ldexpf(draw_normal(d), e);
}

static float
class_negative(struct draw *d, uint32_t row)
{
	(void)row;
	return -200.0f - 64.0f * fabsf(draw_normal(d));
}

static float
class_ragged(struct draw *d, uint32_t row)
{
	static const float scale[] = { 1.0f, 1e-3f, 1e3f, 1e-1f, 30.0f, 1e-2f };

	return draw_normal(d) * scale[row % 6];
}

/* In 1 to 2 with the eleven bits of a float16, of which bfloat16 leaves eight;
 * or 1.5, with which a product has two bits too many. */
static float
class_halfway(struct draw *d, uint32_t row)
{
	uint64_t b = draw_bits(d);
	float v = b & 1 ? 1.5f : 1.0f + (float)(b >> 8 & 0x3ff) * 0x1p-10f;

	(void)row;
	return b & 2 ? -v : v;
}

static float
class_integer(struct draw *d, uint32_t row)
{
	(void)row;
	return (float)((int)draw_range(d, 0, 16) - 8);
}

static float
class_zero(struct draw *d, uint32_t row)
{
	(void)d;
	(void)row;
	return 0.0f;
}

static void
plant_outliers(struct draw *d, struct op_extent e, float *v)
{
	for (uint32_t r = 0; r < e.rows; r++) {
		uint32_t c = draw_range(d, 0, e.cols - 1);

		v[(size_t)r * e.cols + c] = 1e4f;
	}
}

/* Each special value in its own rows, one place a row and value; every eighth
 * row and every first one stays plain.  Places start at a drawn one and go on
 * by an odd step through the row, so that over the rows no half of it, and no
 * lane of two or four, is spared. */
static void
plant_specials(struct draw *d, enum dtype t, struct op_extent e, float *v)
{
	const float denormal = t == DTYPE_F16 ? 0x1p-20f : 0x1p-135f;
	const float plant[8][2] = {
		{ 1.0f, 1.0f },
		{ 0.0f, 0.0f }, /* NaN, drawn */
		{ INFINITY, 1.0f },
		{ -INFINITY, 1.0f },
		{ -0.0f, 0.0f },
		{ denormal, -denormal },
		{ INFINITY, -INFINITY },
		{ -1.0f, 1.0f },
	};

	const uint32_t step = e.cols / 16 | 1;
	const uint32_t start = draw_range(d, 0, e.cols - 1);

	for (uint32_t r = 0; r < e.rows; r++) {
		float *row = v + (size_t)r * e.cols;
		uint32_t at = start + r / 8 * 2 * step;

		row[(at + step) % e.cols] = plant[r % 8][1];
		row[at % e.cols] = plant[r % 8][0];
		if (r % 8 == 1)
			row[(at + step) % e.cols] = row[at % e.cols] =
			    draw_nan(d);
	}
}
