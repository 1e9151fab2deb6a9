/*
 * The timeline: what chaos did, what the gateway made of it, what the agent
 * saw, one lane each over the run's wall time, and the same as a table for
 * who reads rather than looks.
 *
 * Trace and decision log are not hash-chained, so a bar is green only where
 * the ledger says that this try was verified.
 */
#include "agent/telling/page_parts.h"
#include "agent/text/html.h"

#include "base/jlenient.h"
#include "base/mem.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SPAN_MS_MAX (366 * 86400e3)
#define EVENTS_MAX  1500
#define LEFT_PX     74.0
#define RIGHT_PX    990.0

enum lane { LANE_CHAOS, LANE_GATEWAY, LANE_AGENT, LANE_NLANES };

/* clang-format off */
static const struct {
	const char *name, *file;
	double y_px;
} lanes[LANE_NLANES] = {
	[LANE_CHAOS]   = { "chaos",   "chaos.jsonl",   14 },
	[LANE_GATEWAY] = { "gateway", "gateway.jsonl", 62 },
	[LANE_AGENT]   = { "agent",   "trace.jsonl",  110 },
};
/* clang-format on */

/* One mark; the texts are borrowed from the report. */
struct event {
	enum lane lane;
	double start_ms, end_ms;
	const char *class; /* ours */
	const char *what;  /* ours: "fault", "answer", "judged" ... */
	const char *name;  /* foreign: a fault, a model */
	const char *role, *op;
	char note[96]; /* ours */
};

struct events {
	struct event *rows; /* owned */
	size_t n, left_out;
};

/* Milliseconds since 1970 of "2026-11-22T05:11:45.591Z"; NAN: it is none. */
static double
time_ms(const char *text)
{
	struct tm tm = { .tm_isdst = 0 };
	const char *rest = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
	double fraction = 0;

	if (!rest)
		return (double)NAN;
	if (*rest == '.')
		fraction = strtod(rest, NULL);
	return ((double)timegm(&tm) + fraction) * 1e3;
}

static struct event *
add_event(struct events *all, enum lane lane, double start_ms, double end_ms)
{
	/* Callers fill in what they are given; what is left out is filled in
	 * here and never drawn. */
	static struct event spare;

	/* A span of a year is somebody's edit, and would hide all others. */
	if (all->n == EVENTS_MAX || isnan(start_ms) ||
	    !(end_ms - start_ms <= SPAN_MS_MAX)) {
		all->left_out++;
		return &spare;
	}
	all->rows = xreallocarray(all->rows, all->n + 1, sizeof *all->rows);
	all->rows[all->n] = (struct event){ .lane = lane,
		.start_ms = start_ms,
		.end_ms = end_ms,
		.class = "n",
		.name = "",
		.role = "",
		.op = "" };
	return &all->rows[all->n++];
}

static void
add_faults(const struct run_report *r, struct events *all)
{
	size_t i;
	json_t *line;

	json_array_foreach(r->chaos, i, line) {
		double at = time_ms(jlenient_text(line, "wall"));
		struct event *e = add_event(all, LANE_CHAOS, at, at);
		bool fired =
		    strcmp(jlenient_text(line, "result"), "fired") == 0;

		e->class = fired ? "f" : "n";
		e->what = fired ? "fault" : "bypassed fault";
		e->name = jlenient_text(line, "fault");
		e->op = jlenient_text(line, "key");
	}
}

/* "503, then 200": how a decision's attempts ended. */
static void
note_attempts(struct event *e, const json_t *decision)
{
	size_t i, at = 0;
	json_t *a;

	json_array_foreach(json_object_get(decision, "attempts"), i, a) {
		long long status =
		    json_integer_value(json_object_get(a, "status"));

		const char *between = i ? ", then " : "";

		if (at >= sizeof e->note)
			return;
		if (status > 0 && status < 1000)
			at += (size_t)snprintf(e->note + at,
			    sizeof e->note - at, "%s%lld", between, status);
		else
			at += (size_t)snprintf(e->note + at,
			    sizeof e->note - at, "%s%s", between,
			    strcmp(jlenient_text(a, "cause"), "breaker") == 0
			        ? "held off by its breaker"
			        : "no answer");
	}
}

static void
add_decisions(const struct run_report *r, struct events *all)
{
	size_t i;
	json_t *line;

	json_array_foreach(r->gateway, i, line) {
		double end = time_ms(jlenient_text(line, "wall"));
		double ms = json_number_value(json_object_get(line, "ms"));
		/* A line of the log is written when its call is over, so its
		 * beginning is reckoned back. */
		struct event *e =
		    add_event(all, LANE_GATEWAY, end - fabs(ms), end);
		size_t tries =
		    json_array_size(json_object_get(line, "attempts"));
		bool ok = strcmp(jlenient_text(line, "outcome"), "ok") == 0;

		e->class = ok ? tries > 1 ? "w" : "p" : "b";
		e->what = ok ? tries > 1 ? "retried" : "routed" : "failed";
		e->name = jlenient_text(line, "model");
		e->role = jlenient_text(line, "role");
		e->op = jlenient_text(line, "op");
		note_attempts(e, line);
	}
}

/* Of a try that the lab judged: green is the ledger's alone. */
static const char *
class_of_try(const struct run_report *r, const json_t *a)
{
	const struct op_standing *st =
	    standings_find(&r->standings, jlenient_text(a, "op"));
	long long n = json_integer_value(json_object_get(a, "iteration"));

	if (strcmp(jlenient_text(a, "role"), "kernelforge") != 0)
		return "n";
	for (unsigned i = 0; st && i < st->iterations; i++)
		if (st->tries[i].iteration == n)
			return ledger_is_verified(st->tries[i].state) ? "g"
			                                              : "b";
	return "n";
}

/* What a span is called on the page. */
static const char *
span_word(const char *name)
{
	static const struct {
		const char *name, *word;
	} words[] = {
		{ "degradation", "degraded:" },
		{ "model.attempt", "answer" },
		{ "retry", "waits, then asks again:" },
		{ "tool.lab", "judged" },
	};

	for (size_t i = 0; i < COUNT(words); i++)
		if (strcmp(name, words[i].name) == 0)
			return words[i].word;
	return "";
}

static void
add_spans(const struct run_report *r, struct events *all)
{
	size_t i;
	json_t *span;

	json_array_foreach(r->trace, i, span) {
		const char *name = jlenient_text(span, "name");
		const json_t *a = json_object_get(span, "attributes");
		double start = time_ms(jlenient_text(span, "start"));
		double ms = json_number_value(json_object_get(span, "ms"));
		bool is_lab = strcmp(name, "tool.lab") == 0;
		bool is_answer = strcmp(name, "model.attempt") == 0;
		bool is_trouble = strcmp(name, "degradation") == 0;
		bool is_retry = strcmp(name, "retry") == 0;
		struct event *e;

		if (!is_lab && !is_answer && !is_trouble && !is_retry)
			continue;
		e = add_event(all, LANE_AGENT, start, start + fabs(ms));
		e->role = jlenient_text(a, "role");
		e->op = jlenient_text(a, "op");
		e->what = span_word(name);
		e->class = is_lab ? class_of_try(r, a) : is_answer ? "p" : "w";
		/* What an answer became, how it degraded, why it is asked for
		 * again: the trace's own word. */
		if (!is_lab)
			e->name = jlenient_text(span, "status");
	}
}

static double
x_of(double at_ms, double from_ms, double upto_ms)
{
	double share = (at_ms - from_ms) / (upto_ms - from_ms);

	/* Also what is no number: all times may be the same. */
	if (!(share > 0))
		share = 0;
	if (share > 1)
		share = 1;
	return LEFT_PX + share * (RIGHT_PX - LEFT_PX);
}

static void
put_words(const struct event *e, struct buf *b)
{
	html_own(b, e->what);
	buf_adds(b, " ");
	html_field(b, e->name, 60);
	buf_adds(b, " ");
	html_field(b, e->role, 30);
	buf_adds(b, " ");
	html_field(b, e->op, 60);
	buf_adds(b, " ");
	html_own(b, e->note);
}

static void
put_mark(const struct event *e, double from_ms, double upto_ms, struct buf *b)
{
	double x = x_of(e->start_ms, from_ms, upto_ms);
	double w = x_of(e->end_ms, from_ms, upto_ms) - x;
	double y = lanes[e->lane].y_px;

	if (e->lane == LANE_CHAOS)
		buf_addf(b,
		    "<path class=\"%s\" d=\"M%.1f %.0fl7 11-7 11-7-11z\">",
		    e->class, x, y);
	else
		buf_addf(b,
		    "<rect class=\"%s\" x=\"%.1f\" y=\"%.0f\" width=\"%.1f\" "
		    "height=\"22\" rx=\"3\">",
		    e->class, x, y, w < 4 ? 4 : w);
	buf_adds(b, "<title>");
	put_words(e, b);
	buf_addf(b, " (%.0f ms)</title></%s>\n", e->end_ms - e->start_ms,
	    e->lane == LANE_CHAOS ? "path" : "rect");
}

static size_t
count_lane(const struct events *all, enum lane lane)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += all->rows[i].lane == lane;
	return n;
}

/* An empty lane is a gap with a reason, and not a quiet part of the run. */
static void
put_gaps(const struct run_report *r, const struct events *all, struct buf *b)
{
	for (enum lane l = 0; l < LANE_NLANES; l++) {
		if (count_lane(all, l) > 0)
			continue;
		if (l == LANE_CHAOS && r->chaos_chain.sound)
			buf_adds(b,
			    "<p class=\"small soft\">The lane chaos is empty: "
			    "its log is whole, and no fault struck.</p>");
		else
			buf_addf(b,
			    "<p class=\"small soft\">The lane %s is empty: "
			    "<code>%s</code> is missing, cannot be read or "
			    "has nothing in it. What it would show is not "
			    "known.</p>",
			    lanes[l].name, lanes[l].file);
	}
	if (all->left_out > 0)
		buf_addf(b,
		    "<p class=\"small soft\">%zu events are not drawn: their "
		    "times cannot be read or lie a year off, or there are more "
		    "than %d.</p>",
		    all->left_out, EVENTS_MAX);
}

static void
put_axis(double from_ms, double upto_ms, struct buf *b)
{
	for (int i = 0; i <= 4; i++) {
		double x = LEFT_PX + (RIGHT_PX - LEFT_PX) * i / 4;

		buf_addf(b,
		    "<path class=\"axis\" d=\"M%.1f 8V140\"/><text x=\"%.1f\" "
		    "y=\"156\" text-anchor=\"%s\">%.1f s</text>",
		    x, x, i == 4 ? "end" : "start",
		    (upto_ms - from_ms) * i / 4e3);
	}
	for (size_t l = 0; l < LANE_NLANES; l++)
		buf_addf(b, "<text x=\"0\" y=\"%.0f\">%s</text>",
		    lanes[l].y_px + 15, lanes[l].name);
}

static int
by_start(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	return (x->start_ms > y->start_ms) - (x->start_ms < y->start_ms);
}

static void
put_table(const struct events *all, double from_ms, struct buf *b)
{
	buf_adds(b,
	    "<details><summary>The same as a table</summary><div "
	    "class=\"scroll\" tabindex=\"0\"><table class=\"small\"><thead>"
	    "<tr><th>at</th><th>lane</th><th>what</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < all->n; i++) {
		const struct event *e = &all->rows[i];

		buf_addf(b, "<tr><td>%.3f s</td><td>%s</td><td>",
		    (e->start_ms - from_ms) / 1e3, lanes[e->lane].name);
		put_words(e, b);
		buf_adds(b, "</td></tr>\n");
	}
	buf_adds(b, "</tbody></table></div></details>\n");
}

static void
put_lanes(const struct run_report *r, const struct events *all, struct buf *b)
{
	double from = all->rows[0].start_ms, upto = from + 1;

	for (size_t i = 0; i < all->n; i++)
		if (all->rows[i].end_ms > upto)
			upto = all->rows[i].end_ms;
	buf_adds(b,
	    "<section class=\"card\"><p class=\"small soft narrow\">It is "
	    "wider "
	    "than this screen: scroll it sideways &#8594;</p><div "
	    "class=\"scroll\" tabindex=\"0\" "
	    "role=\"img\" aria-label=\"Chaos, gateway and agent over time; the "
	    "table below says the same\"><svg class=\"lanes\" viewBox=\"0 0 "
	    "1000 162\">");
	put_axis(from, upto, b);
	for (size_t i = 0; i < all->n; i++)
		put_mark(&all->rows[i], from, upto, b);
	buf_adds(b,
	    "</svg></div><p class=\"small soft key\"><span class=\"f\">&#9670; "
	    "fault</span> <span class=\"p\">&#9632; answered</span> <span "
	    "class=\"w\">&#9632; retried or degraded</span> <span class=\"b\">"
	    "&#9632; failed or refused</span> <span class=\"g\">&#9632; "
	    "passed all, "
	    "by the ledger</span> <span class=\"n\">&#9632; looked at, no "
	    "claim</span></p>\n");
	put_gaps(r, all, b);
	put_table(all, from, b);
	buf_adds(b, "</section>\n");
}

/* What begins a year behind the first is as surely somebody's edit. */
static void
leave_out_far(struct events *all)
{
	while (all->n > 1 &&
	    all->rows[all->n - 1].start_ms - all->rows[0].start_ms >
	        SPAN_MS_MAX) {
		all->n--;
		all->left_out++;
	}
}

void
page_put_timeline(const struct run_report *r, struct buf *b)
{
	struct events all = { .n = 0 };

	add_faults(r, &all);
	add_decisions(r, &all);
	add_spans(r, &all);
	if (all.n > 0) {
		qsort(all.rows, all.n, sizeof *all.rows, by_start);
		leave_out_far(&all);
		buf_adds(b, "<h2 id=\"timeline\">Timeline</h2>\n");
		put_lanes(r, &all, b);
	}
	free(all.rows);
}
