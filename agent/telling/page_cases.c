/*
 * The holdout matrix: a row a case, a column a try, each cell the largest
 * error over its bound.  A figure and a sign stand in every cell, so that
 * colour is never the only difference.
 *
 * 1.000 is no near miss: rounding a result once to the storage type costs up
 * to half an ulp, and half an ulp is most of the bound where nothing else can
 * err.  The page says so where it first matters.
 */
#include "agent/telling/page_parts.h"
#include "agent/text/html.h"

#include "base/jlenient.h"
#include "base/mem.h"
#include "lab/lab.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 12
#define OPEN_ROWS   24 /* a longer table is folded */

struct column {
	char try[16];
	const char *class; /* borrowed: how the try failed */
	const json_t *cases;
};

static void
add_column(const struct run_report *r, const char *op, const char *try,
    struct column *columns, size_t *n)
{
	const json_t *judged =
	    json_object_get(page_record(r, op, try), "judged");
	const json_t *cases = json_object_get(judged, "cases");

	if (*n == COLUMNS_MAX || json_array_size(cases) == 0)
		return;
	snprintf(columns[*n].try, sizeof columns[*n].try, "%s", try);
	columns[*n].class = jlenient_text(judged, "class");
	columns[(*n)++].cases = cases;
}

/* The case of that name and storage type, NULL: this try never ran it. */
static const json_t *
find_case(const json_t *cases, const json_t *like, size_t at)
{
	const json_t *c = json_array_get(cases, at);
	size_t i;
	json_t *other;

	/* Most tries run the same cases in the same order. */
	if (json_equal(json_object_get(c, "name"),
	        json_object_get(like, "name")) &&
	    json_equal(json_object_get(c, "dtype"),
	        json_object_get(like, "dtype")))
		return c;
	json_array_foreach(cases, i, other)
		if (json_equal(json_object_get(other, "name"),
		        json_object_get(like, "name")) &&
		    json_equal(json_object_get(other, "dtype"),
		        json_object_get(like, "dtype")))
			return other;
	return NULL;
}

/* From exact to nearly all of the bound: four shades of passing. */
static const char *
shade_of(double ratio)
{
	if (ratio <= 0 || ratio > 1)
		return "h0";
	if (ratio < 0.1)
		return "h1";
	return ratio < 0.5 ? "h2" : "h3";
}

/* Up to its bound to three places, beyond it as so many of them. */
static void
put_ratio(double v, struct buf *b)
{
	if (v <= 1)
		buf_addf(b, "%.3f", v);
	else if (v < 1000)
		buf_addf(b, "%.3g&times;", v);
	else
		buf_addf(b, "10<sup>%.0f</sup>&times;", log10(v));
}

/* Of a case that failed with no value beyond its bound: how it failed. */
static void
put_class(const char *class, struct buf *b)
{
	char *words = xstrdup(*class ? class : "failed");

	for (char *p = words; (p = strchr(p, '_'));)
		*p = ' ';
	buf_adds(b, "<td class=\"hx\">&#10007; ");
	html_field(b, words, 40);
	buf_adds(b, "</td>");
	free(words);
}

static void
put_cell(const json_t *c, const char *class, struct buf *b)
{
	const json_t *ratio = json_object_get(c, "bound_ratio");
	double v = json_number_value(ratio);

	if (!c)
		buf_adds(b, "<td class=\"soft\">-</td>");
	else if (json_is_true(json_object_get(c, "passed"))) {
		buf_addf(b, "<td class=\"%s\">&#10003; ", shade_of(v));
		put_ratio(v, b);
		buf_adds(b, "</td>");
	}
	/* The lab writes null there: JSON has neither NaN nor infinity. */
	else if (!json_is_number(ratio))
		buf_adds(b, "<td class=\"hx\">&#10007; NaN or infinity</td>");
	else if (v <= 1)
		put_class(class, b);
	else {
		buf_adds(b, "<td class=\"hx\">&#10007; ");
		put_ratio(v, b);
		buf_adds(b, "</td>");
	}
}

static size_t
longest(const struct column *columns, size_t n)
{
	size_t best = 0;

	for (size_t i = 1; i < n; i++)
		if (json_array_size(columns[i].cases) >
		    json_array_size(columns[best].cases))
			best = i;
	return best;
}

static void
put_matrix(const struct column *columns, size_t n, struct buf *b)
{
	const json_t *all = columns[longest(columns, n)].cases;
	size_t rows = json_array_size(all), i;
	json_t *c;

	buf_addf(b,
	    "<details%s><summary>Every case, by error over its bound (%zu)"
	    "</summary><div class=\"scroll\" tabindex=\"0\"><table "
	    "class=\"heat small\"><thead><tr><th scope=\"col\">case</th><th "
	    "scope=\"col\" class=\"type\">type</th>",
	    rows <= OPEN_ROWS ? " open" : "", rows);
	for (size_t k = 0; k < n; k++)
		buf_addf(b, "<th scope=\"col\">%s%s</th>",
		    strcmp(columns[k].try, "naive") == 0 ? "" : "try ",
		    columns[k].try);
	buf_adds(b, "</tr></thead><tbody>\n");
	json_array_foreach(all, i, c) {
		buf_adds(b, "<tr><th scope=\"row\">");
		html_text(b, jlenient_text(c, "name"), 80);
		/* Where columns are dear the type stands below the name. */
		buf_adds(b, "<span class=\"type\">");
		html_field(b, jlenient_text(c, "dtype"), 20);
		buf_adds(b, "</span></th><td class=\"type\">");
		html_field(b, jlenient_text(c, "dtype"), 20);
		buf_adds(b, "</td>");
		for (size_t k = 0; k < n; k++)
			put_cell(find_case(columns[k].cases, c, i),
			    columns[k].class, b);
		buf_adds(b, "</tr>\n");
	}
	buf_adds(b,
	    "</tbody></table></div><p class=\"small soft\">The figure is the "
	    "largest error over what rounding may cost; up to 1 passes. The "
	    "smoke case is a quick look and passes what looks right: it may "
	    "be above 1. 1.000 "
	    "is no near miss: half an ulp of the storage type, which any right "
	    "answer may be off by, is the whole bound there. &#10007; "
	    "10<sup>6</sup>&times; is a million bounds.</p></details>\n");
}

static void
put_stages(const json_t *judged, struct buf *b)
{
	size_t i;
	json_t *stage;

	if (json_array_size(json_object_get(judged, "stages")) == 0)
		return;
	buf_adds(b, "<p class=\"small stages\"><b>Looked at:</b> ");
	json_array_foreach(json_object_get(judged, "stages"), i, stage) {
		const char *status = jlenient_text(stage, "status");
		/* Looked up and not printed: a record may have been edited, and
		 * only our own words stand outside the filter. */
		enum lab_stage known =
		    lab_stage_find(jlenient_text(stage, "name"));
		bool ok = strcmp(status, "passed") == 0;
		bool failed = strcmp(status, "failed") == 0;

		buf_addf(b, "<span class=\"tag %s\">%s ",
		    failed ? "bad" : "plain",
		    ok           ? "&#10003;"
		        : failed ? "&#10007;"
		                 : "&ndash;");
		html_own(b,
		    known < LAB_NSTAGES ? lab_stage_name(known) : "unknown");
		if (ok || failed)
			buf_addf(b, " %.0f ms",
			    json_number_value(json_object_get(stage, "ms")));
		buf_adds(b, "</span> ");
	}
	buf_adds(b, "</p>");
}

static void
put_coverage(const json_t *judged, struct buf *b)
{
	const json_t *coverage = json_object_get(judged, "coverage");
	const json_t *branches = json_object_get(coverage, "branches");
	long long impossible;

	if (json_integer_value(branches) <= 0)
		return;
	buf_addf(b,
	    "<p class=\"small\"><b>Ran:</b> %lld of %lld branch outcomes in "
	    "judged launches",
	    (long long)json_integer_value(json_object_get(coverage, "taken")),
	    (long long)json_integer_value(branches));
	impossible =
	    json_integer_value(json_object_get(coverage, "impossible"));
	if (impossible > 0)
		buf_addf(b, "; %lld of them proved impossible", impossible);
	if (json_array_size(json_object_get(coverage, "untaken")) > 0) {
		size_t i;
		json_t *line;

		buf_adds(b, "; never ran: line");
		json_array_foreach(json_object_get(coverage, "untaken"), i,
		    line)
			buf_addf(b, "%s %lld", i ? "," : "",
			    (long long)json_integer_value(
			        json_object_get(line, "line")));
	}
	buf_adds(b, "</p>");
}

void
page_put_cases(const struct run_report *r, const struct op_standing *st,
    struct buf *b)
{
	struct column columns[COLUMNS_MAX];
	size_t n = 0;
	const json_t *judged;
	char try[16];

	add_column(r, st->key, "naive", columns, &n);
	for (unsigned i = 0; i < st->iterations; i++) {
		snprintf(try, sizeof try, "%u", st->tries[i].iteration);
		add_column(r, st->key, try, columns, &n);
	}
	if (st->iterations > 0) {
		judged =
		    json_object_get(page_record(r, st->key, try), "judged");
		put_stages(judged, b);
		put_coverage(judged, b);
	}
	if (n > 0)
		put_matrix(columns, n, b);
}
