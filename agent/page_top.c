/*
 * What a reader sees first.  A page about evidence that does not hold must
 * not open with a figure in green: the alarm stands above everything, and
 * the figures below it are called unproved.
 */
#include "agent/html.h"
#include "agent/page_parts.h"
#include <stdlib.h>
#include <string.h>

static void
put_header(const struct report *r, struct buf *b)
{
	buf_adds(b,
	    "<header><p class=\"eyebrow\">KernelForge run report</p><h1>");
	html_text(b, page_member(r->run, "scenario"), 80);
	buf_adds(b, "</h1><p class=\"soft\">seed ");
	html_text(b,
	    *page_member(r->run, "seed") ? page_member(r->run, "seed")
	                                 : "fresh",
	    80);
	buf_adds(b, " &middot; ");
	html_text(b, page_member(r->run, "started"), 40);
	buf_adds(b, " &middot; ");
	html_text(b, page_member(r->run, "device"), 120);
	buf_adds(b, "</p>");
}

static void
put_problem(struct buf *b, const char *name, const struct report_chain *c)
{
	if (c->sound || !c->present)
		return;
	buf_addf(b, "<li><code>%s</code>: ", name);
	html_text(b, c->status, REPORT_STATUS_MAX);
	buf_adds(b, "</li>");
}

static bool
is_broken(const struct report_chain *c)
{
	return c->present && !c->sound;
}

/* true: the evidence holds, as far as it is there. */
static bool
put_alarm(const struct report *r, struct buf *b)
{
	bool is_missing = !r->ledger_chain.present;

	if (!is_missing && !is_broken(&r->ledger_chain) &&
	    !is_broken(&r->naive_chain) && !is_broken(&r->chaos_chain)) {
		buf_adds(b,
		    "<p class=\"seal\"><span class=\"tag good\">evidence "
		    "intact</span> every journal's chain was checked when "
		    "this page was made</p>");
		return true;
	}
	buf_adds(b,
	    "<div class=\"alarm\" role=\"alert\"><b>The evidence of this run "
	    "does not hold.</b> Nothing below can be relied on.<ul>");
	if (is_missing)
		buf_adds(b, "<li><code>ledger.jsonl</code>: not there</li>");
	put_problem(b, "ledger.jsonl", &r->ledger_chain);
	put_problem(b, "naive.jsonl", &r->naive_chain);
	put_problem(b, "chaos.jsonl", &r->chaos_chain);
	buf_adds(b, "</ul></div>");
	return false;
}

static void
put_lead(const struct report *r, bool is_sound, struct buf *b)
{
	const struct scorecard_side *n = &r->scorecard.naive;
	const struct scorecard_side *f = &r->scorecard.forge;

	buf_adds(b, "<p class=\"lead\">");
	if (n->total > 0 && n->silent_wrong > 0)
		buf_addf(b,
		    "The naive agent claimed %ld of %ld kernels, and <b "
		    "class=\"bad\">%ld silently wrong</b>. ",
		    n->claimed, n->total, n->silent_wrong);
	else if (n->total > 0)
		buf_addf(b,
		    "The naive agent claimed %ld of %ld kernels, none "
		    "silently wrong. ",
		    n->claimed, n->total);
	buf_addf(b, "KernelForge claimed %ld of %ld, ", f->claimed, f->total);
	if (f->silent_wrong > 0)
		buf_addf(b, "and <b class=\"bad\">%ld did not hold</b>.",
		    f->silent_wrong);
	else if (is_sound)
		buf_adds(b, "<b class=\"good\">no false claim</b>.");
	else
		buf_adds(b, "<b class=\"bad\">by files that do not hold</b>.");
	buf_adds(b, "</p></header>\n");
}

static void
put_figure(struct buf *b, const struct scorecard_side *s, long n,
    const char *class)
{
	if (s->total == 0)
		buf_adds(b, "<td class=\"soft\">not run</td>");
	else
		buf_addf(b,
		    "<td><span class=\"big %s\">%ld<span class=\"soft\">/%ld"
		    "</span></span> <span class=\"soft small\">%.1f %%</span>"
		    "</td>",
		    class, n, s->total, 100.0 * (double)n / (double)s->total);
}

static void
put_routes(struct buf *b, const struct scorecard_side *s)
{
	const char *model;
	json_t *n;

	buf_adds(b, "<td class=\"small wrap\">");
	json_object_foreach(s->routes, model, n) {
		buf_adds(b, "<div><code>");
		html_field(b, model, 120);
		buf_addf(b, "</code> &times; %lld</div>",
		    (long long)json_integer_value(n));
	}
	buf_adds(b, "</td>");
}

/* Green only what the evidence carries. */
static const char *
good_if(bool good, bool is_sound)
{
	if (!good)
		return "bad";
	return is_sound ? "good" : "";
}

static void
put_scorecard(const struct report *r, bool is_sound, struct buf *b)
{
	const struct scorecard_side *n = &r->scorecard.naive;
	const struct scorecard_side *f = &r->scorecard.forge;

	buf_adds(b,
	    "<h2 id=\"scorecard\">Scorecard</h2><section class=\"card "
	    "score\"><table><thead><tr><th><span class=\"off\">measure</span>"
	    "</th><th scope=\"col\">Naive</th><th scope=\"col\">KernelForge"
	    "</th></tr></thead><tbody>\n<tr><th scope=\"row\">Kernels claimed "
	    "correct</th>");
	put_figure(b, n, n->claimed, "");
	put_figure(b, f, f->claimed, "");
	buf_adds(b,
	    "</tr>\n<tr><th scope=\"row\">Hidden holdout pass rate</th>");
	put_figure(b, n, n->correct, good_if(n->correct == n->total, is_sound));
	put_figure(b, f, f->correct, good_if(f->correct == f->total, is_sound));
	buf_adds(b,
	    "</tr>\n<tr><th scope=\"row\">Silent-wrong-output rate</th>");
	put_figure(b, n, n->silent_wrong,
	    good_if(n->silent_wrong == 0, is_sound));
	put_figure(b, f, f->silent_wrong,
	    good_if(f->silent_wrong == 0, is_sound));
	buf_adds(b, "</tr>\n<tr><th scope=\"row\">Model routing</th>");
	put_routes(b, n);
	put_routes(b, f);
	buf_adds(b, "</tr></tbody></table></section>\n");
}

static void
put_value(struct buf *b, const json_t *v)
{
	char *text = json_dumps(v, JSON_ENCODE_ANY);

	html_text(b, text ? text : "nothing", 60);
	free(text);
}

/* "verified OP" is our own way to say what must be proved, and the claim
 * filter would rightly withhold it from anybody else. */
static void
put_expected(struct buf *b, const char *what)
{
	static const char own[] = "verified ";

	if (strncmp(what, own, strlen(own)) != 0) {
		html_text(b, what, 120);
		return;
	}
	buf_adds(b, "a proof of ");
	html_field(b, what + strlen(own), 60);
}

static void
put_expectations(const struct report *r, struct buf *b)
{
	json_t *all = json_object_get(r->run, "expectations"), *row;
	size_t i;

	if (json_array_size(all) == 0)
		return;
	buf_adds(b,
	    "<h2 id=\"expectations\">What the scenario expects</h2><ul "
	    "class=\"expect\">\n");
	json_array_foreach(all, i, row) {
		bool held = json_is_true(json_object_get(row, "held"));

		buf_addf(b, "<li><span class=\"tag %s\">%s</span> ",
		    held ? "plain" : "bad", held ? "met" : "NOT MET");
		put_expected(b, page_member(row, "what"));
		buf_adds(b, ": expected ");
		put_value(b, json_object_get(row, "expected"));
		buf_adds(b, ", found ");
		put_value(b, json_object_get(row, "found"));
		buf_adds(b, "</li>\n");
	}
	buf_adds(b, "</ul>\n");
}

void
page_put_top(const struct report *r, struct buf *b)
{
	bool is_sound;

	put_header(r, b);
	is_sound = put_alarm(r, b);
	put_lead(r, is_sound, b);
	put_scorecard(r, is_sound, b);
	put_expectations(r, b);
}
