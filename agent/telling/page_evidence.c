/*
 * What it cost, what was answered, and what all of it rests on.
 */
#include "agent/ledger/ledger.h"
#include "agent/telling/page_parts.h"
#include "agent/text/html.h"
#include "base/jlenient.h"

#include <stdlib.h>
#include <string.h>

#define LEDGER_ROWS_MAX 400

struct bill {
	const char *model; /* borrowed from a decision */
	long long calls, attempts, tokens_in, tokens_out;
	double usd;
	bool is_estimated;
};

#define MODELS_MAX 32

static struct bill *
bill_of(struct bill *bills, size_t *n, const char *model)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(bills[i].model, model) == 0)
			return &bills[i];
	if (*n == MODELS_MAX)
		return NULL;
	bills[*n] = (struct bill){ .model = model };
	return &bills[(*n)++];
}

static void
add_up(struct bill *bill, const json_t *d)
{
	bill->calls++;
	bill->attempts +=
	    (long long)json_array_size(json_object_get(d, "attempts"));
	bill->tokens_in += json_integer_value(json_object_get(d, "tokens_in"));
	bill->tokens_out +=
	    json_integer_value(json_object_get(d, "tokens_out"));
	bill->usd += json_number_value(json_object_get(d, "cost_usd"));
	bill->is_estimated =
	    bill->is_estimated || json_is_true(json_object_get(d, "estimated"));
}

void
page_put_costs(const struct run_report *r, struct buf *b)
{
	struct bill bills[MODELS_MAX];
	size_t n = 0, i;
	json_t *d;

	json_array_foreach(r->gateway, i, d) {
		struct bill *bill =
		    bill_of(bills, &n, jlenient_text(d, "target"));

		if (bill)
			add_up(bill, d);
	}
	if (n == 0)
		return;
	buf_adds(b,
	    "<h2 id=\"cost\">Cost by model</h2><section class=\"card score\">"
	    "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th "
	    "scope=\"col\">model</th><th scope=\"col\">calls</th><th "
	    "scope=\"col\">attempts</th><th scope=\"col\">tokens in</th><th "
	    "scope=\"col\">tokens out</th><th scope=\"col\">dollars</th></tr>"
	    "</thead><tbody>\n");
	for (i = 0; i < n; i++) {
		buf_adds(b, "<tr><th scope=\"row\"><code>");
		html_field(b, bills[i].model, 80);
		buf_addf(b,
		    "</code></th><td>%lld</td><td>%lld</td><td>%lld</td><td>"
		    "%lld</td><td>%.6f%s</td></tr>\n",
		    bills[i].calls, bills[i].attempts, bills[i].tokens_in,
		    bills[i].tokens_out, bills[i].usd,
		    bills[i].is_estimated ? ", partly estimated" : "");
	}
	buf_adds(b, "</tbody></table></div></section>\n");
}

static void
put_chain(struct buf *b, const char *name, const struct run_report_chain *c)
{
	buf_addf(b, "<tr><th scope=\"row\"><code>%s</code></th><td>", name);
	if (!c->present)
		buf_adds(b, "<span class=\"tag warn\">absent</span>");
	else
		buf_addf(b, "<span class=\"tag %s\">%s</span>",
		    c->sound ? "good" : "bad", c->sound ? "intact" : "BROKEN");
	buf_adds(b, "</td><td class=\"wrap small\">");
	html_text(b, c->status, RUN_REPORT_STATUS_MAX);
	buf_adds(b, "</td></tr>\n");
}

static void
put_ledger(const struct run_report *r, struct buf *b)
{
	size_t n = ledger_count(r->ledger);

	buf_addf(b,
	    "<details><summary>The ledger's %zu lines</summary><div "
	    "class=\"scroll\" tabindex=\"0\"><table class=\"small\"><thead>"
	    "<tr><th>line</th><th>operator</th><th>try</th><th>state</th>"
	    "</tr></thead><tbody>\n",
	    n);
	for (size_t i = 0; i < n && i < LEDGER_ROWS_MAX; i++) {
		const struct ledger_entry *e = ledger_at(r->ledger, i);

		buf_addf(b, "<tr><td>%zu</td><td>", i + 1);
		html_field(b, e->op, LEDGER_OP_MAX);
		buf_addf(b, "</td><td>%u</td><td>%s</td></tr>\n", e->iteration,
		    /* Beside an operator's name, which is foreign, no word
		     * of a verdict stands but where the ledger gives one. */
		    e->state == LEDGER_VERIFIED_INCORRECT
		        ? "failed"
		        : ledger_state_label(e->state));
	}
	buf_adds(b, "</tbody></table></div></details>\n");
}

void
page_put_evidence(const struct run_report *r, struct buf *b)
{
	buf_adds(b,
	    "<h2 id=\"answer\">Final answer, from the ledger alone</h2>"
	    "<pre>");
	/* The answer is our own text: it was filtered when it was made. */
	html_own(b, r->answer);
	buf_adds(b,
	    "</pre>\n<h2 id=\"evidence\">Evidence</h2><section class=\"card "
	    "score\"><table><tbody>\n");
	put_chain(b, "ledger.jsonl", &r->ledger_chain);
	put_chain(b, "naive.jsonl", &r->naive_chain);
	put_chain(b, "chaos.jsonl", &r->chaos_chain);
	buf_addf(b,
	    "<tr><th scope=\"row\">Fingerprint</th><td colspan=\"2\" "
	    "class=\"wrap\"><code>%s</code></td></tr>\n<tr><th scope=\"row\">"
	    "Chaos run hash</th><td colspan=\"2\" class=\"wrap\"><code>%s"
	    "</code></td></tr></tbody></table>",
	    r->fingerprint, *r->chaos_run_hash ? r->chaos_run_hash : "none");
	put_ledger(r, b);
	buf_adds(b, "</section>\n");
}
