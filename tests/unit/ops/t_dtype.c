#include "ops/dtype.h"
#include "tests/unit.h"

#include <math.h>

static const struct {
	const char *what;
	double v;
	uint16_t f16, bf16;
} rows[] = {
	/* clang-format off */
	{ "zero",                        0.0,            0x0000, 0x0000 },
	{ "minus zero",                 -0.0,            0x8000, 0x8000 },
	{ "one",                         1.0,            0x3c00, 0x3f80 },
	{ "minus two",                  -2.0,            0xc000, 0xc000 },
	{ "a third",                     1.0 / 3,        0x3555, 0x3eab },
	{ "tie to even, down",           1.0 + 0x1p-11,  0x3c00, 0x3f80 },
	{ "tie to even, up",             1.0 + 3 * 0x1p-11, 0x3c02, 0x3f80 },
	{ "bfloat16 tie up",             1.0 + 3 * 0x1p-8, 0x3c0c, 0x3f82 },
	{ "largest float16",             65504.0,        0x7bff, 0x4780 },
	{ "just below its limit",        65519.0,        0x7bff, 0x4780 },
	{ "its limit overflows",         65520.0,        0x7c00, 0x4780 },
	{ "large",                       1e5,            0x7c00, 0x47c3 },
	{ "smallest normal float16",     0x1p-14,        0x0400, 0x3880 },
	{ "float16 subnormal",           0x1p-24,        0x0001, 0x3380 },
	{ "half of it ties to zero",     0x1p-25,        0x0000, 0x3300 },
	{ "more than half rounds up",    0x1.8p-25,      0x0001, 0x3340 },
	{ "below",                       0x1p-26,        0x0000, 0x3280 },
	{ "subnormal carries to normal", 0x1.ffep-15,    0x0400, 0x3880 },
	{ "float32 subnormal",           0x1p-130,       0x0000, 0x0008 },
	{ "largest float32 overflows",   0x1.fffffep127, 0x7c00, 0x7f80 },
	{ "infinity",                    HUGE_VAL,       0x7c00, 0x7f80 },
	{ "minus infinity",             -HUGE_VAL,       0xfc00, 0xff80 },
	/* clang-format on */
};

static void
every_half(void)
{
	long bad16 = 0, badb = 0;

	for (unsigned h = 0; h < 0x10000; h++) {
		float a = dtype_f16_to_float((uint16_t)h);
		float b = dtype_bf16_to_float((uint16_t)h);

		if (isnan(a))
			bad16 +=
			    !isnan(dtype_f16_to_float(dtype_f16_from_float(a)));
		else
			bad16 += dtype_f16_from_float(a) != h;
		if (isnan(b))
			badb += !isnan(
			    dtype_bf16_to_float(dtype_bf16_from_float(b)));
		else
			badb += dtype_bf16_from_float(b) != h;
	}
	CHECK_INT(bad16, 0, "every float16 survives a round trip");
	CHECK_INT(badb, 0, "every bfloat16 survives a round trip");
}

void
t_dtype(void)
{
	const float signalling = nanf("1");

	for (size_t i = 0; i < COUNT(rows); i++) {
		float v = (float)rows[i].v;

		CHECK_INT(dtype_f16_from_float(v), rows[i].f16, rows[i].what);
		CHECK_INT(dtype_bf16_from_float(v), rows[i].bf16, rows[i].what);
	}
	every_half();
	CHECK(isnan(dtype_round(DTYPE_F16, signalling)), "NaN stays NaN");
	CHECK(isnan(dtype_round(DTYPE_BF16, signalling)), "NaN stays NaN");
	CHECK(dtype_half_ulp(DTYPE_F16, 1.0) == 0x1p-11, "half ulp at 1");
	CHECK(dtype_half_ulp(DTYPE_BF16, 3.0) == 0x1p-7, "half ulp at 3");
	CHECK(dtype_half_ulp(DTYPE_F32, 1.5) == 0x1p-24, "half ulp at 1.5");
	CHECK(dtype_half_ulp(DTYPE_F16, 0.0) == 0x1p-25, "subnormal floor");
	CHECK(dtype_overflow(DTYPE_F16) == 65520.0, "float16's limit");
	CHECK_INT(dtype_bytes(DTYPE_BF16), 2, "bytes");
	CHECK_STR(dtype_name(DTYPE_BF16), "bfloat16", "name");
}
