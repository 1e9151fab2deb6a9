/* Digits of numbers, whole and with places. */
#include "base/decimal.h"
#include "tests/unit.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *
text_of(uint64_t v, unsigned places, char out[DECIMAL_MAX + 1])
{
	char digits[DECIMAL_MAX], *end = digits + sizeof digits;
	const char *p = decimal_put(end, v, places);

	CHECK_INT(end - p, decimal_size(v, places), "its size");
	memcpy(out, p, (size_t)(end - p));
	out[end - p] = '\0';
	return out;
}

static void
puts_rows(void)
{
	static const struct {
		uint64_t v;
		unsigned places;
		const char *want;
	} rows[] = {
		{ 0, 0, "0" },
		{ 9, 0, "9" },
		{ 10, 0, "10" },
		{ 100, 0, "100" },
		{ UINT64_MAX, 0, "18446744073709551615" },
		{ 0, 3, "0.000" },
		{ 7, 3, "0.007" },
		{ 12345, 3, "12.345" },
		{ 1000000000, 9, "1.000000000" },
		{ 999999999, 9, "0.999999999" },
		{ UINT64_MAX, 20, "0.18446744073709551615" },
		{ UINT64_MAX, 1000, "0.18446744073709551615" },
	};
	char text[DECIMAL_MAX + 1];

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_STR(text_of(rows[i].v, rows[i].places, text),
		    rows[i].want, rows[i].want);
}

/* As printf has them, around each power of ten and of two. */
static void
agrees_with_printf(void)
{
	char text[DECIMAL_MAX + 1], want[32];
	uint64_t v = 1;

	for (int i = 0; i < 128; i++) {
		v = v > UINT64_MAX / 10 ? (uint64_t)1 << (i % 64) : v * 10;
		for (uint64_t w = v - 2; w != v + 3; w++) {
			snprintf(want, sizeof want, "%" PRIu64, w);
			CHECK_STR(text_of(w, 0, text), want, "whole");
		}
	}
}

void t_decimal(void);
void
t_decimal(void)
{
	puts_rows();
	agrees_with_printf();
}
