/*
 * A family is its HELP and TYPE lines and a line a series; every series of a
 * target walks the same list.
 */
#include "gateway/service/metrics.h"

#include "base/mem.h"
#include "gateway/exchange/gateway.h"
#include "gateway/store/spend_ledger.h"
#include "gateway/telling/otel.h"
#include <inttypes.h>
#include <stdlib.h>

/* HELP and TYPE lines of a family. */
static void
family(struct buf *b, const char *name, const char *type, const char *help)
{
	buf_addf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void
put_requests(struct buf *b, const struct gateway *g)
{
	family(b, "kf_gateway_requests_total", "counter",
	    "Answers given, by the class of their status.");
	for (int i = 2; i < 6; i++)
		buf_addf(b,
		    "kf_gateway_requests_total{class=\"%dxx\"} %" PRIu64 "\n",
		    i, g->stats.by_class[i]);
	family(b, "kf_gateway_refused_total", "counter",
	    "Requests that could not be read.");
	buf_addf(b, "kf_gateway_refused_total %" PRIu64 "\n",
	    g->stats.by_class[0]);
	family(b, "kf_gateway_limited_total", "counter",
	    "Requests refused by a rate limit or a budget.");
	buf_addf(b, "kf_gateway_limited_total %" PRIu64 "\n", g->stats.limited);
	family(b, "kf_gateway_limits_crowded_total", "counter",
	    "Refused because no counter was left to count them.");
	buf_addf(b, "kf_gateway_limits_crowded_total %" PRIu64 "\n",
	    g->stats.crowded);
	family(b, "kf_gateway_limits_displaced_total", "counter",
	    "Counters that were given up for another value's.");
	buf_addf(b, "kf_gateway_limits_displaced_total %" PRIu64 "\n",
	    limit_displaced(g->limits));
	family(b, "kf_gateway_audited_total", "counter",
	    "Requests over a limit in audit mode.");
	buf_addf(b, "kf_gateway_audited_total %" PRIu64 "\n", g->stats.audited);
	family(b, "kf_gateway_rejected_total", "counter",
	    "Answers that a validator refused.");
	buf_addf(b, "kf_gateway_rejected_total %" PRIu64 "\n",
	    g->stats.rejected);
	family(b, "kf_gateway_resent_total", "counter",
	    "Requests sent again because a kept connection was closed before "
	    "a byte of them was taken.");
	buf_addf(b, "kf_gateway_resent_total %" PRIu64 "\n",
	    fetch_resent(g->pool));
	family(b, "kf_gateway_connections", "gauge",
	    "Clients that are connected, idle ones too.");
	buf_addf(b, "kf_gateway_connections %zu\n",
	    serve_connections(g->front));
	family(b, "kf_gateway_in_flight", "gauge", "Requests in flight.");
	buf_addf(b, "kf_gateway_in_flight %zu\n", g->ncalls);
	family(b, "kf_gateway_spans_sent_total", "counter",
	    "Spans that the collector took.");
	buf_addf(b, "kf_gateway_spans_sent_total %" PRIu64 "\n",
	    otel_sent(g->otel));
	family(b, "kf_gateway_spans_dropped_total", "counter",
	    "Spans that were dropped.");
	buf_addf(b, "kf_gateway_spans_dropped_total %" PRIu64 "\n",
	    otel_dropped(g->otel));
	family(b, "kf_gateway_log_dropped_total", "counter",
	    "Lines of the decision log that were dropped.");
	buf_addf(b, "kf_gateway_log_dropped_total %" PRIu64 "\n",
	    decision_log_dropped(g->log));
}

static void
put_store(struct buf *b, const struct gateway *g)
{
	struct ledger_counts n;

	if (!g->ledger)
		return;
	n = ledger_counts(g->ledger);
	family(b, "kf_gateway_store_refused_total", "counter",
	    "Requests that were refused because the store failed.");
	buf_addf(b, "kf_gateway_store_refused_total %" PRIu64 "\n", n.refused);
	family(b, "kf_gateway_store_unsettled", "gauge",
	    "Bills that wait for a store that fails.");
	buf_addf(b, "kf_gateway_store_unsettled %" PRIu64 "\n", n.unsettled);
	family(b, "kf_gateway_store_lost_total", "counter",
	    "Bills that were dropped; these requests stand as reserved.");
	buf_addf(b, "kf_gateway_store_lost_total %" PRIu64 "\n", n.lost);
}

static void
put_attempts(struct buf *b, const struct gateway *g)
{
	family(b, "kf_gateway_attempts_total", "counter",
	    "Attempts at upstreams, by how they ended.");
	for (const struct target_health *l = target_health_first(g->live); l;
	     l = l->next)
		for (int i = 0; i < CAUSE_NCAUSES; i++)
			if (l->causes[i])
				buf_addf(b,
				    "kf_gateway_attempts_total{target=\"%s\","
				    "cause=\"%s\"} %" PRIu64 "\n",
				    l->label, cause_facts((enum cause)i)->name,
				    l->causes[i]);
	family(b, "kf_gateway_breaker_state", "gauge",
	    "0 closed, 1 open, 2 half-open.");
	for (const struct target_health *l = target_health_first(g->live); l;
	     l = l->next)
		buf_addf(b, "kf_gateway_breaker_state{target=\"%s\"} %d\n",
		    l->label, (int)l->breaker.state);
	family(b, "kf_gateway_target_down", "gauge",
	    "1: its provider does not answer its health check.");
	for (const struct target_health *l = target_health_first(g->live); l;
	     l = l->next)
		buf_addf(b, "kf_gateway_target_down{target=\"%s\"} %d\n",
		    l->label, (int)target_health_is_down(l));
}

static void
put_cost(struct buf *b, const struct gateway *g)
{
	family(b, "kf_gateway_cost_usd_total", "counter",
	    "What attempts have cost.");
	for (const struct target_health *l = target_health_first(g->live); l;
	     l = l->next)
		buf_addf(b, "kf_gateway_cost_usd_total{target=\"%s\"} %.9f\n",
		    l->label, (double)l->cost_nano / COST_USD);
	family(b, "kf_gateway_wasted_cost_usd_total", "counter",
	    "What attempts have cost that came to nothing.");
	for (const struct target_health *l = target_health_first(g->live); l;
	     l = l->next)
		buf_addf(b,
		    "kf_gateway_wasted_cost_usd_total{target=\"%s\"} %.9f\n",
		    l->label, (double)l->wasted_nano / COST_USD);
	family(b, "kf_gateway_counterfactual_cost_usd_total", "counter",
	    "What the same tokens would have cost on one route.");
	buf_addf(b,
	    "kf_gateway_counterfactual_cost_usd_total{route=\"primary\"} "
	    "%.9f\n",
	    (double)g->stats.all_primary_nano / COST_USD);
	buf_addf(b,
	    "kf_gateway_counterfactual_cost_usd_total{route=\"escalation\"} "
	    "%.9f\n",
	    (double)g->stats.all_escalation_nano / COST_USD);
}

/* clang-format off */
static const struct series {
	const char *name, *help;
	enum hist_kind kind;
	size_t offset;		/* in struct target_health */
	const char *labels;	/* beyond the model's */
} series[] = { /* series of one name stand together */
	{ "gen_ai_client_token_usage", "Tokens used.", HIST_TOKENS, offsetof(struct target_health, in), ",gen_ai_token_type=\"input\"" },
	{ "gen_ai_client_token_usage", NULL, HIST_TOKENS, offsetof(struct target_health, out), ",gen_ai_token_type=\"output\"" },
	{ "gen_ai_server_request_duration_seconds", "Time to the end of an answer.", HIST_SECONDS, offsetof(struct target_health, duration), "" },
	{ "gen_ai_server_time_per_output_token_seconds", "Time per token after the first.", HIST_PER_TOKEN, offsetof(struct target_health, per_token), "" },
	{ "gen_ai_server_time_to_first_token_seconds", "Time to the first payload.", HIST_SECONDS, offsetof(struct target_health, first_token), "" },
};
/* clang-format on */

static void
put_series(struct buf *b, const struct gateway *g, const struct series *s)
{
	char *labels;

	if (s->help)
		family(b, s->name, "histogram", s->help);
	for (const struct target_health *l = target_health_first(g->live); l;
	     l = l->next) {
		const struct hist *h =
		    (const struct hist *)(const void *)((const char *)l +
		        s->offset);

		labels = xasprintf("gen_ai_operation_name=\"chat\",gen_ai_"
		                   "response_model="
		                   "\"%s\"%s",
		    l->label, s->labels);
		hist_print(h, s->kind, s->name, labels, b);
		free(labels);
	}
}

void
metrics_print(const struct gateway *g, struct buf *out)
{
	put_requests(out, g);
	put_store(out, g);
	put_attempts(out, g);
	put_cost(out, g);
	for (size_t i = 0; i < COUNT(series); i++)
		put_series(out, g, &series[i]);
	family(out, "kf_gateway_overhead_seconds", "histogram",
	    "Time a whole answer spent in the gateway itself.");
	hist_print(&g->stats.overhead, HIST_OVERHEAD,
	    "kf_gateway_overhead_seconds", "", out);
}
