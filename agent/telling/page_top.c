/*
 * What a reader sees first.  A page about evidence that does not hold must
 * not open with a figure in green: the alarm stands above everything, and
 * the figures below it are called unsupported.
 */
#include "agent/telling/page_parts.h"
#include "agent/text/html.h"
#include "base/jlenient.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Figures of a play are no figures of the models whose names it uses; and what
 * of it was planted is said before they are read. */
static void
put_players(const struct run_report *r, struct buf *b)
{
	/* clang-format off */
	static const struct {
		const char *answers, *told;
	} rows[] = {
		{ "replay",  "The models were played from a recording." },
		{ "script",  "The models were played by scripted answers, the "
		             "same for both agents, under names of real models, "
		             "which had no part in it; no model was asked. "
		             "<b>Planted</b>: these answers, their own mistakes "
		             "among them, and what chaos did. <b>Not planted</b>: "
		             "the verdicts; gate and judge are handed a kernel and "
		             "its operator, and nothing of scripts or chaos. A real "
		             "model instead: <code>kernelforge run --ops rope "
		             "--base-url URL --model NAME --out DIR</code>" },
		{ "standin", "The models were stand-ins; no model was asked." },
	};
	/* clang-format on */
	const char *answers = jlenient_text(r->run, "answers");

	for (size_t i = 0; i < COUNT(rows); i++)
		if (strcmp(rows[i].answers, answers) == 0)
			buf_addf(b, "<p class=\"soft\">%s</p>", rows[i].told);
}

static void
put_header(const struct run_report *r, struct buf *b)
{
	buf_adds(b,
	    "<header><p class=\"eyebrow\">KernelForge run report</p><h1>");
	html_text(b, jlenient_text(r->run, "scenario"), 80);
	buf_adds(b, "</h1><p class=\"soft\">seed ");
	html_text(b, jlenient_text(r->run, "seed"), 80);
	buf_adds(b, " &middot; ");
	html_text(b, jlenient_text(r->run, "started"), 40);
	buf_adds(b, " &middot; ");
	html_text(b, jlenient_text(r->run, "device"), 120);
	buf_adds(b, "</p>");
	put_players(r, b);
}

/* true: the evidence holds, as far as it is there. */
static bool
put_alarm(const struct run_report *r, struct buf *b)
{
	size_t i;
	json_t *problem;

	if (json_array_size(r->problems) == 0) {
		buf_adds(b,
		    "<p class=\"seal\"><span class=\"tag good\">evidence "
		    "intact</span> every file was compared with what it was "
		    "when the run ended</p>");
		return true;
	}
	buf_adds(b,
	    "<div class=\"alarm\" role=\"alert\"><b>The evidence of this run "
	    "does not hold.</b> Nothing below can be relied on.<ul>");
	json_array_foreach(r->problems, i, problem) {
		buf_adds(b, "<li>");
		html_text(b, json_string_value(problem), RUN_REPORT_LINE_CHARS);
		buf_adds(b, "</li>");
	}
	buf_adds(b, "</ul></div>");
	return false;
}

static void
put_naive_lead(const struct scorecard_side *n, struct buf *b)
{
	if (n->total == 0)
		return;
	buf_addf(b, "The naive agent claimed %ld of %ld kernels, ", n->claimed,
	    n->total);
	if (n->truths[TRUTH_WRONG] > 0)
		buf_addf(b, "<b class=\"bad\">%ld of them silently wrong</b>. ",
		    n->truths[TRUTH_WRONG]);
	else
		buf_adds(b, "none silently wrong. ");
}

static void
put_lead(const struct run_report *r, bool is_sound, struct buf *b)
{
	const struct scorecard_side *f = &r->scorecard.forge;
	long broken = f->truths[TRUTH_WRONG] + f->truths[TRUTH_LOUD];
	long open = f->claimed - broken - f->truths[TRUTH_RIGHT];

	buf_adds(b, "<p class=\"lead\">");
	put_naive_lead(&r->scorecard.naive, b);
	buf_addf(b, "KernelForge claimed %ld of %ld, ", f->claimed, f->total);
	if (!is_sound)
		buf_adds(b, "<b class=\"bad\">by files that do not hold</b>.");
	else if (broken > 0)
		buf_addf(b, "and <b class=\"bad\">%ld did not hold</b>.",
		    broken);
	else if (open > 0)
		buf_addf(b,
		    "<b class=\"warn\">of %ld the truth is not known</b>.",
		    open);
	else
		buf_adds(b, "<b class=\"good\">no false claim</b>.");
	buf_adds(b, "</p></header>\n");
}

static void
put_figure(struct buf *b, const struct scorecard_side *s, long n,
    const char *class)
{
	if (s->total == 0)
		buf_addf(b, "<td class=\"%s\">%s</td>",
		    s->absent ? "bad" : "soft", scorecard_absent(s));
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

/* How many claims came out so, and whether that is how many should. */
static void
put_truth(struct buf *b, const struct scorecard_side *s, enum truth t,
    long good, bool is_sound)
{
	put_figure(b, s, s->truths[t], good_if(s->truths[t] == good, is_sound));
}

/* Red is for claims that are not right, and not for what was not claimed. */
static void
put_right(struct buf *b, const struct scorecard_side *s, bool is_sound)
{
	long right = s->truths[TRUTH_RIGHT];
	bool is_modest = right == s->claimed && right < s->total;

	put_figure(b, s, right,
	    is_modest ? "" : good_if(right == s->total, is_sound));
}

/* What the figures rest on, and what they do not say. */
static void
put_words(struct buf *b)
{
	buf_adds(b,
	    "<p class=\"soft small\">The <dfn>gate</dfn> stands before a "
	    "claim, and only KernelForge has one: hidden holdouts, then checks "
	    "for races, luck and order. What passed it is called "
	    "<dfn>verified</dfn>: evidence, for this device, and no formal "
	    "proof (docs/limits.md says what it leaves open). The "
	    "<dfn>judge</dfn> looks at each claim of either side after it was "
	    "made, with other secret values, and makes these figures; it "
	    "shares the gate's tests, so what one cannot see, neither can the "
	    "other.</p>\n");
}

static void
put_scorecard(const struct run_report *r, bool is_sound, struct buf *b)
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
	put_right(b, n, is_sound);
	put_right(b, f, is_sound);
	buf_adds(b,
	    "</tr>\n<tr><th scope=\"row\">Silent-wrong-output rate</th>");
	put_truth(b, n, TRUTH_WRONG, 0, is_sound);
	put_truth(b, f, TRUTH_WRONG, 0, is_sound);
	if (scorecard_unknown(&r->scorecard) > 0) {
		buf_adds(b,
		    "</tr>\n<tr><th scope=\"row\">Claimed, truth not known"
		    "</th>");
		put_truth(b, n, TRUTH_UNKNOWN, 0, is_sound);
		put_truth(b, f, TRUTH_UNKNOWN, 0, is_sound);
	}
	buf_addf(b, "</tr>\n<tr><th scope=\"row\">%s</th>",
	    scorecard_routing_label(&r->scorecard));
	put_routes(b, n);
	put_routes(b, f);
	buf_adds(b, "</tr></tbody></table></section>\n");
	put_words(b);
}

static void
put_value(struct buf *b, const json_t *v)
{
	char *text = json_dumps(v, JSON_ENCODE_ANY);

	html_text(b, text ? text : "nothing", 60);
	free(text);
}

/* "verified OP" is our own way to say what must pass, and the claim
 * filter would rightly withhold it from anybody else. */
static void
put_expected(struct buf *b, const char *what)
{
	static const char own[] = "verified ";

	if (strncmp(what, own, strlen(own)) != 0) {
		char words[121];

		snprintf(words, sizeof words, "%s", what);
		for (char *p = words; *p; p++)
			if (*p == '_')
				*p = ' ';
		html_text(b, words, 120);
		return;
	}
	buf_adds(b, "a passed gate for ");
	html_field(b, what + strlen(own), 60);
}

/* "met" is a figure's word too, and figures rest on files that hold. */
static const char *
met_word(bool held, bool is_sound)
{
	if (!held)
		return "NOT MET";
	return is_sound ? "met" : "not supported";
}

static void
put_expectations(const struct run_report *r, bool is_sound, struct buf *b)
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
		    held ? "plain" : "bad", met_word(held, is_sound));
		put_expected(b, jlenient_text(row, "what"));
		buf_adds(b, ": expected ");
		put_value(b, json_object_get(row, "expected"));
		buf_adds(b, ", found ");
		put_value(b, json_object_get(row, "found"));
		buf_adds(b, "</li>\n");
	}
	buf_adds(b, "</ul>\n");
}

void
page_put_top(const struct run_report *r, struct buf *b)
{
	bool is_sound;

	put_header(r, b);
	is_sound = put_alarm(r, b);
	put_lead(r, is_sound, b);
	put_scorecard(r, is_sound, b);
	put_expectations(r, is_sound, b);
}
