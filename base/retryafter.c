/*
 * Numbers are read by hand: strtod takes "nan", "0x1p3" and "1e300", and
 * follows the locale.  Dates are left to strptime, which takes some forms
 * more than HTTP allows (one digit for two, other spaces); a lenient reading
 * of a date costs nobody anything.
 */
#include "base/retryafter.h"

#include "base/units.h"
#include <string.h>
#include <time.h>

#define DIGITS_MAX 10 /* more seconds than that are absurd */
#define DATE_BYTES 64

int64_t
retryafter_number(struct slice text, int64_t unit_ms)
{
	int64_t v = 0, scale = 1;
	bool is_part = false, is_digit = false;

	if (text.n > DIGITS_MAX)
		return -1;
	for (size_t i = 0; i < text.n; i++) {
		is_digit = text.p[i] >= '0' && text.p[i] <= '9';
		if (!is_digit && (is_part || text.p[i] != '.' || i == 0))
			return -1;
		is_part |= !is_digit;
		if (is_digit)
			v = v * 10 + (text.p[i] - '0');
		if (is_digit && is_part)
			scale *= 10;
	}
	/* What is left of a millisecond counts as one: nothing is not 0. */
	return is_digit ? (v * unit_ms + scale - 1) / scale : -1;
}

static int64_t
date_ms(struct slice text, uint64_t now_s)
{
	/* Today's form, then the two that a recipient must still know. */
	static const char *const forms[] = { "%a, %d %b %Y %H:%M:%S GMT",
		"%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y" };
	char date[DATE_BYTES];
	const char *end;
	int64_t wait_s;

	if (text.n >= sizeof date)
		return -1;
	memcpy(date, text.p, text.n);
	date[text.n] = '\0';
	for (size_t i = 0; i < COUNT(forms); i++) {
		struct tm tm = { 0 };

		end = strptime(date, forms[i], &tm);
		if (!end || end != date + text.n)
			continue;
		wait_s = (int64_t)timegm(&tm) - (int64_t)now_s;
		return wait_s > 0 ? wait_s * 1000 : 0;
	}
	return -1;
}

int64_t
retryafter_ms(struct slice ms, struct slice seconds_or_date, uint64_t now_s)
{
	struct slice text = slice_trim(seconds_or_date);
	int64_t wait_ms = retryafter_number(slice_trim(ms), 1);

	if (wait_ms < 0)
		wait_ms = retryafter_number(text, 1000);
	/* No date is empty, and memcpy is not asked to copy from nowhere. */
	return wait_ms < 0 && text.n > 0 ? date_ms(text, now_s) : wait_ms;
}
