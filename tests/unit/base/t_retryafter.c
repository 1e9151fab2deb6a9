/*
 * What Retry-After and retry-after-ms say, read one way for all three
 * programs.
 */
#include "tests/unit.h"

#include "base/retryafter.h"

#define NOW_S 784111777u /* Sun, 06 Nov 1994 08:49:37 GMT */

static const struct {
	const char *what, *ms, *text;
	int64_t want;
} rows[] = {
	/* clang-format off */
	{ "nothing at all",         NULL,   NULL,             -1 },
	{ "empty",                  "",     "",               -1 },
	{ "seconds",                NULL,   "3",            3000 },
	{ "zero",                   NULL,   "0",               0 },
	{ "spaces around",          NULL,   " 2\t",         2000 },
	{ "half a second",          NULL,   "0.5",           500 },
	{ "decimals, rounded up",   NULL,   "12.3456",     12346 },
	{ "less is not nothing",    NULL,   "0.00001",         1 },
	{ "negative",               NULL,   "-1",             -1 },
	{ "absurd",                 NULL,   "99999999999",    -1 },
	{ "no digit before",        NULL,   ".5",             -1 },
	{ "none behind",            NULL,   "1.",             -1 },
	{ "two points",             NULL,   "1.2.3",          -1 },
	{ "not a number",           NULL,   "nan",            -1 },
	{ "with an exponent",       NULL,   "1e3",            -1 },
	{ "in hexadecimal",         NULL,   "0x10",           -1 },
	{ "words",                  NULL,   "2 minutes",      -1 },
	{ "milliseconds",           "40",   NULL,             40 },
	{ "milliseconds win",       "40",   "9",              40 },
	{ "unless unreadable",      "soon", "9",            9000 },
	{ "a date",                 NULL,   "Sun, 06 Nov 1994 08:50:07 GMT",  30000 },
	{ "now",                    NULL,   "Sun, 06 Nov 1994 08:49:37 GMT",      0 },
	{ "a date gone by",         NULL,   "Sun, 06 Nov 1994 08:49:00 GMT",      0 },
	{ "the form of RFC 850",    NULL,   "Sunday, 06-Nov-94 08:50:07 GMT", 30000 },
	{ "the form of asctime",    NULL,   "Sun Nov  6 08:50:07 1994",       30000 },
	{ "a date in seconds' place is not milliseconds", "Sun, 06 Nov 1994 08:50:07 GMT", NULL, -1 },
	{ "a date cut short",       NULL,   "Sun, 06 Nov 1994 08:50",            -1 },
	{ "bytes behind a date",    NULL,   "Sun, 06 Nov 1994 08:50:07 GMTx",    -1 },
	{ "an endless text",        NULL,   "Sun, 06 Nov 1994 08:50:07 GMT                                     x", -1 },
	/* clang-format on */
};

void
t_retryafter(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_INT(retryafter_ms(slice_of(rows[i].ms),
		              slice_of(rows[i].text), NOW_S),
		    rows[i].want, rows[i].what);
}
