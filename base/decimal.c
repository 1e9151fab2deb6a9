/* Two digits a division: dividing is what this costs. */
#include "base/decimal.h"

#include <stddef.h>
#include <string.h>

static const char pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334"
    "3536373839404142434445464748495051525354555657585960616263646566676869"
    "7071727374757677787980818283848586878889909192939495969798"
    "99";

/* A bit is 0.301 digits (1233 / 4096): that many, or one more. */
static size_t
digits_of(uint64_t v)
{
	static const uint64_t tens[] = { 10, 100, 1000, 10000, 100000, 1000000,
		10000000, 100000000, 1000000000, 10000000000, 100000000000,
		1000000000000, 10000000000000, 100000000000000,
		1000000000000000, 10000000000000000, 100000000000000000,
		1000000000000000000, UINT64_C(10000000000000000000) };
	size_t low = (64 - (size_t)__builtin_clzll(v | 1)) * 1233 >> 12;

	return low + (low == 0 || v >= tens[low - 1]);
}

size_t
decimal_size(uint64_t v, unsigned places)
{
	size_t digits = digits_of(v), least;

	if (places > DECIMAL_PLACES_MAX)
		places = DECIMAL_PLACES_MAX;
	least = (size_t)places + 1;
	return (digits > least ? digits : least) + (places > 0);
}

static inline char *
put_pair(char *end, uint64_t v)
{
	end -= 2;
	memcpy(end, pairs + v * 2, 2);
	return end;
}

char *
decimal_put(char *end, uint64_t v, unsigned places)
{
	const char *whole;

	if (places > DECIMAL_PLACES_MAX)
		places = DECIMAL_PLACES_MAX;
	if (places > 0) {
		for (; places > 1; places -= 2, v /= 100)
			end = put_pair(end, v % 100);
		for (; places > 0; places--, v /= 10)
			*--end = (char)('0' + v % 10);
		*--end = '.';
	}
	whole = end;
	for (; v >= 10; v /= 100)
		end = put_pair(end, v % 100);
	/* What pairs leave over, or a nought that has to be there. */
	if (v > 0 || end == whole)
		*--end = (char)('0' + v);
	return end;
}
