/*
 * The page, in the order it is read: whether the evidence holds, what
 * happened in one sentence, the scorecard, the timeline, each operator with
 * the lie that was told about it, the costs, the final answer, the evidence.
 */
#include "agent/telling/page.h"

#include "agent/telling/page_parts.h"
#include "agent/text/html.h"
#include "base/jlenient.h"
#include "base/mem.h"
#include <stdlib.h>

json_t *
page_record(const struct run_report *r, const char *op, const char *try)
{
	char *key = xasprintf("%s/%s", op, try);
	json_t *record = json_object_get(r->records, key);

	free(key);
	return record;
}

static void
put_ops(const struct run_report *r, struct buf *b)
{
	size_t i;
	json_t *row;

	buf_adds(b, "<h2 id=\"operators\">Operators</h2>\n");
	json_array_foreach(r->scorecard.ops, i, row)
		page_put_op(r, row, b);
}

void
page_render(const struct run_report *r, struct buf *out)
{
	buf_adds(out,
	    "<!doctype html>\n<html lang=\"en\"><head>"
	    "<meta charset=\"utf-8\"><meta name=\"viewport\" "
	    "content=\"width=device-width,initial-scale=1\">"
	    "<title>KernelForge: ");
	html_text(out, jlenient_text(r->run, "scenario"), 80);
	buf_adds(out, "</title><style>\n");
	buf_adds(out, page_style);
	/* Of a run that does not hold nothing is shown in the colour of what
	 * is verified, whichever part writes it. */
	buf_addf(out, "</style></head><body><main%s>\n",
	    r->scorecard.is_unsound ? " class=\"unsound\"" : "");
	page_put_top(r, out);
	page_put_timeline(r, out);
	put_ops(r, out);
	page_put_costs(r, out);
	page_put_evidence(r, out);
	buf_adds(out,
	    "<footer>Anybody can check the chains: <code>kernelforge ledger "
	    "check DIR</code>. Seeds were committed before each answer and "
	    "revealed after its verdict, so every verdict can be repeated."
	    "</footer></main></body></html>\n");
	html_settle(out);
}
