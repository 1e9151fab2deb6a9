/*
 * The page, in the order it is read: what happened in one sentence, the
 * scorecard, each operator's timeline with the lie that was told about it,
 * the final answer, and the evidence.
 */
#include "agent/page.h"

#include "agent/html.h"
#include "agent/page_op.h"

static const char *
run_text(const struct report *r, const char *key)
{
	const char *s = json_string_value(json_object_get(r->run, key));

	return s ? s : "";
}

static void
put_head(const struct report *r, struct buf *b)
{
	buf_adds(b,
	    "<!doctype html>\n<html lang=\"en\"><head>"
	    "<meta charset=\"utf-8\"><meta name=\"viewport\" "
	    "content=\"width=device-width,initial-scale=1\">"
	    "<title>KernelForge: ");
	html_text(b, run_text(r, "scenario"), 80);
	buf_adds(b, "</title><style>\n");
	buf_adds(b, page_style);
	buf_adds(b,
	    "</style></head><body><main>\n"
	    "<header><p class=\"eyebrow\">KernelForge run report</p>"
	    "<h1>");
	html_text(b, run_text(r, "scenario"), 80);
	buf_adds(b, "</h1><p class=\"soft\">seed ");
	html_text(b, *run_text(r, "seed") ? run_text(r, "seed") : "fresh", 80);
	buf_adds(b, " &middot; ");
	html_text(b, run_text(r, "started"), 40);
	buf_adds(b, " &middot; ");
	html_text(b, run_text(r, "device"), 120);
	buf_adds(b, "</p>");
}

static void
put_lead(const struct report *r, struct buf *b)
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
	else
		buf_adds(b, "<b class=\"good\">no false claim</b>.");
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

static const char *
good_if(bool good)
{
	return good ? "good" : "bad";
}

static void
put_scorecard(const struct report *r, struct buf *b)
{
	const struct scorecard_side *n = &r->scorecard.naive;
	const struct scorecard_side *f = &r->scorecard.forge;

	buf_adds(b,
	    "<h2>Scorecard</h2><section class=\"card score\"><table>"
	    "<thead><tr><th></th><th>Naive</th><th>KernelForge</th>"
	    "</tr></thead><tbody>\n<tr><th>Kernels claimed correct"
	    "</th>");
	put_figure(b, n, n->claimed, "");
	put_figure(b, f, f->claimed, "");
	buf_adds(b, "</tr>\n<tr><th>Hidden holdout pass rate</th>");
	put_figure(b, n, n->correct, good_if(n->correct == n->total));
	put_figure(b, f, f->correct, good_if(f->correct == f->total));
	buf_adds(b, "</tr>\n<tr><th>Silent-wrong-output rate</th>");
	put_figure(b, n, n->silent_wrong, good_if(n->silent_wrong == 0));
	put_figure(b, f, f->silent_wrong, good_if(f->silent_wrong == 0));
	buf_adds(b, "</tr>\n<tr><th>Model routing</th>");
	put_routes(b, n);
	put_routes(b, f);
	buf_adds(b, "</tr></tbody></table></section>\n");
}

static void
put_ops(const struct report *r, struct buf *b)
{
	size_t i;
	json_t *row;

	buf_adds(b, "<h2>Operators</h2>\n");
	json_array_foreach(r->scorecard.ops, i, row)
		page_put_op(r, row, b);
}

static void
put_chain(struct buf *b, const char *name, const struct report_chain *c)
{
	buf_addf(b, "<tr><th><code>%s</code></th><td>", name);
	if (!c->present)
		buf_adds(b, "<span class=\"tag warn\">absent</span>");
	else
		buf_addf(b, "<span class=\"tag %s\">%s</span>",
		    good_if(c->sound), c->sound ? "intact" : "BROKEN");
	buf_adds(b, "</td><td class=\"wrap small\">");
	html_text(b, c->status, REPORT_STATUS_MAX);
	buf_adds(b, "</td></tr>\n");
}

static void
put_evidence(const struct report *r, struct buf *b)
{
	buf_adds(b, "<h2>Final answer, from the ledger alone</h2><pre>");
	/* The answer is our own text: it was filtered when it was made. */
	html_own(b, r->answer);
	buf_adds(b,
	    "</pre>\n<h2>Evidence</h2><section class=\"card score\">"
	    "<table><tbody>\n");
	put_chain(b, "ledger.jsonl", &r->ledger_chain);
	put_chain(b, "naive.jsonl", &r->naive_chain);
	put_chain(b, "chaos.jsonl", &r->chaos_chain);
	buf_addf(b,
	    "<tr><th>Fingerprint</th><td colspan=\"2\" class=\"wrap\"><code>"
	    "%s</code></td></tr>\n<tr><th>Chaos run hash</th><td "
	    "colspan=\"2\" class=\"wrap\"><code>%s</code></td></tr>",
	    r->fingerprint, *r->chaos_run_hash ? r->chaos_run_hash : "none");
	buf_adds(b, "</tbody></table></section>\n");
}

void
page_render(const struct report *r, struct buf *out)
{
	put_head(r, out);
	put_lead(r, out);
	put_scorecard(r, out);
	put_ops(r, out);
	put_evidence(r, out);
	buf_adds(out,
	    "<footer>Anybody can check the chains: "
	    "<code>kernelforge ledger check</code>. Seeds were "
	    "committed before each answer and revealed after its "
	    "verdict.</footer></main></body></html>\n");
	html_settle(out);
}
