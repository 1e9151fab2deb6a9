/* Two digits a division: dividing is what this costs. */
#include "base/decimal.h"

#include <stddef.h>
#include <string.h>

static const char pairs[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334"
    "3536373839404142434445464748495051525354555657585960616263646566676869"
    "7071727374757677787980818283848586878889909192939495969798"
    "99";

/* At least `least` digits, before end; where they begin. */
static char *
put_digits(char *end, uint64_t v, unsigned least)
{
	char *p = end, *first = end - least;

	while (v >= 10) {
		p -= 2;
		memcpy(p, pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v > 0)
		*--p = (char)('0' + v);
	while (p > first)
		*--p = '0';
	return p;
}

char *
decimal_put(char *end, uint64_t v, unsigned places)
{
	char *p;

	if (places > DECIMAL_PLACES_MAX)
		places = DECIMAL_PLACES_MAX;
	p = put_digits(end, v, places + 1);
	if (places > 0) {
		/* All before the point goes one to the left. */
		memmove(p - 1, p, (size_t)(end - p) - places);
		p--;
		end[-(ptrdiff_t)places - 1] = '.';
	}
	return p;
}
