/*
 * Why a try failed: its class and cases, then of the first failing case that
 * has figures the element that is furthest off and how far off all elements
 * are.  The histogram tells one stray element from a wrong formula at a
 * glance; its figures are those of the record, which the lab counted.
 */
#include "agent/ledger/ledger.h"
#include "agent/telling/page_parts.h"
#include "agent/text/html.h"
#include "base/jlenient.h"
#include "ops/element_judge.h"
#include <stdio.h>
#include <string.h>

#define FAILING_SHOWN 3
#define BAR_PX        96
#define COUNT_END     1e12
#define DIGITS_MIN    6
#define DIGITS_MAX    18

/* The first case that failed with its elements counted, NULL: none. */
static const json_t *
find_counted(const json_t *judged)
{
	size_t i;
	json_t *c;

	json_array_foreach(json_object_get(judged, "cases"), i, c)
		if (json_is_false(json_object_get(c, "passed")) &&
		    json_is_object(json_object_get(c, "errors")))
			return c;
	return NULL;
}

static double
count_of(const json_t *errors, unsigned band)
{
	double n = json_number_value(
	    json_object_get(errors, judge_band_name((enum judge_band)band)));

	/* More than any case has: of a record that somebody edited. */
	return n > 0 && n < COUNT_END ? n : 0;
}

static void
put_number(struct buf *b, const json_t *v, int digits)
{
	if (json_is_number(v))
		buf_addf(b, "%.*g", digits, json_number_value(v));
	else
		buf_adds(b, "NaN or infinity");
}

/* As few digits as tell the two apart: of a wrong element they differ. */
static int
digits_of(const json_t *got, const json_t *expected)
{
	char a[32], b[32];
	int digits = DIGITS_MIN;

	for (; digits < DIGITS_MAX; digits += 3) {
		snprintf(a, sizeof a, "%.*g", digits, json_number_value(got));
		snprintf(b, sizeof b, "%.*g", digits,
		    json_number_value(expected));
		if (strcmp(a, b) != 0)
			break;
	}
	return digits;
}

static void
put_worst(struct buf *b, const json_t *c)
{
	const json_t *at = json_object_get(c, "index");
	const json_t *got = json_object_get(c, "got");
	const json_t *expected = json_object_get(c, "expected");
	int digits = digits_of(got, expected);

	buf_addf(b, "furthest off: element [%lld, %lld] is <b>",
	    (long long)json_integer_value(json_array_get(at, 0)),
	    (long long)json_integer_value(json_array_get(at, 1)));
	put_number(b, got, digits);
	buf_adds(b, "</b>, expected <b>");
	put_number(b, expected, digits);
	buf_adds(b, "</b>");
}

static void
put_band(struct buf *b, const char *label, unsigned band, double n, double all)
{
	unsigned px = all > 0 ? (unsigned)(BAR_PX * (n / all)) : 0;

	/* What is there is seen, be it one element of a million. */
	if (n > 0 && px < 2)
		px = 2;
	buf_addf(b,
	    "<tr><th scope=\"row\">%s</th><td>%.0f</td><td><svg class=\"%s\" "
	    "width=\"%d\" height=\"10\" aria-hidden=\"true\"><rect "
	    "width=\"%u\" height=\"10\"/></svg></td></tr>\n",
	    label, n, band <= JUDGE_TO_ONE ? "in" : "out", BAR_PX, px);
}

static void
put_histogram(struct buf *b, const json_t *c)
{
	static const char *const labels[JUDGE_NBANDS] = {
		[JUDGE_EXACT] = "exact",
		[JUDGE_TO_HALF] = "up to half its bound",
		[JUDGE_TO_ONE] = "up to its bound: right",
		[JUDGE_TO_TEN] = "up to 10 bounds: wrong",
		[JUDGE_TO_THOUSAND] = "up to a thousand",
		[JUDGE_TO_MILLION] = "up to a million",
		[JUDGE_MORE] = "more",
		[JUDGE_NOT_FINITE] = "NaN or infinity, wrongly",
	};
	const json_t *errors = json_object_get(c, "errors");
	double all = 0, wrong = 0;

	for (unsigned i = 0; i < JUDGE_NBANDS; i++) {
		all += count_of(errors, i);
		wrong += i > JUDGE_TO_ONE ? count_of(errors, i) : 0;
	}
	buf_adds(b,
	    "<p class=\"small soft wrap counted\">How far off its elements "
	    "are, case <code>");
	html_text(b, jlenient_text(c, "name"), 80);
	buf_adds(b, "</code> (");
	html_field(b, jlenient_text(c, "dtype"), 20);
	buf_addf(b, "): %.0f of %.0f wrong; ", wrong, all);
	put_worst(b, c);
	buf_adds(b,
	    "</p><table class=\"errors small\" aria-label=\"how far off its "
	    "elements are\"><tbody>\n");
	for (unsigned i = 0; i < JUDGE_NBANDS; i++)
		put_band(b, labels[i], i, count_of(errors, i), all);
	buf_adds(b, "</tbody></table>\n");
}

static void
put_class(struct buf *b, const struct op_standing_try *t)
{
	size_t i;
	json_t *name;

	buf_adds(b, "<p class=\"small\"><span class=\"bad\">");
	html_field(b, t->class, 60);
	buf_adds(b, "</span>");
	json_array_foreach(t->failing, i, name) {
		if (i == FAILING_SHOWN)
			break;
		buf_adds(b, i ? ", <code>" : " in case <code>");
		html_text(b, json_string_value(name), 80);
		buf_adds(b, "</code>");
	}
	if (json_array_size(t->failing) > FAILING_SHOWN)
		buf_addf(b, " and %zu more",
		    json_array_size(t->failing) - FAILING_SHOWN);
	if (*t->suspect) {
		buf_adds(b, " &middot; suspected: ");
		html_text(b, t->suspect, OP_STANDING_TEXT_MAX);
	}
	buf_adds(b, "</p>");
}

void
page_put_failure(const json_t *record, const struct op_standing_try *t,
    struct buf *b)
{
	const json_t *c;

	if (!ledger_has_failed(t->state))
		return;
	put_class(b, t);
	if (*t->message) {
		buf_adds(b, "<p class=\"small soft wrap\">");
		html_text(b, t->message, OP_STANDING_TEXT_MAX);
		buf_adds(b, "</p>");
	}
	c = find_counted(json_object_get(record, "judged"));
	if (c)
		put_histogram(b, c);
}
