/*
 * A table of paths.  It has a port of its own, so that a rule that opens
 * the models to a network never opens reloads and figures with them; a page of
 * another site in the operator's browser is refused like any stranger.
 */
#include "gateway/service/admin.h"

#include "base/opts.h"

#include "gateway/exchange/answer_stamp.h"
#include "gateway/exchange/gateway.h"
#include "gateway/routing/browser_origin.h"
#include "gateway/service/admin_store.h"
#include "gateway/service/metrics.h"
#include "gateway/service/service.h"
#include "gateway/service/status_page.h"
#include "gateway/telling/recent.h"
#include "gateway/text/jput.h"
#include "gateway/traffic/front.h"
#include <string.h>

#define TEXT_MAX (4U << 20)
/* Targets are as many as the configuration and target_health.c allow, each with
 * a few hundred lines: no page is cut, which a scraper could not see. */
#define METRICS_MAX ((size_t)1 << 30)

typedef void admin_fn(struct gateway *g, struct serve_call *sc);

static admin_fn healthz, readyz, metrics, page, recent, status, reload;

static const struct verb {
	const char *path, *method;
	admin_fn *handle;
} verbs[] = {
	{ "/healthz", "GET", healthz },
	{ "/metrics", "GET", metrics },
	{ "/readyz", "GET", readyz },
	{ "/recent", "GET", recent },
	{ "/reload", "POST", reload },
	{ "/status", "GET", status },
	{ "/ui", "GET", page },
};

/* A query says nothing here: what asks for /metrics?x means /metrics. */
static struct slice
path_of(struct slice target)
{
	const char *query = memchr(target.p, '?', target.n);

	return query ? (struct slice){ target.p, (size_t)(query - target.p) }
	             : target;
}

static void
on_request(struct serve_call *sc, void *arg)
{
	static const struct answer_stamp_error e = { 404, "unknown_path", NULL,
		"no such path; try /ui, /healthz, /readyz, /metrics, /status, "
		"/recent or POST /reload",
		NULL };
	const struct http1_head *h = serve_head(sc);
	struct gateway *g = arg;
	struct auth_door door = { g->conf, NULL, g->is_admin_far, true };

	if (front_refuse_stranger(g, sc, &door))
		return;
	if (admin_store(g, sc))
		return;
	for (size_t i = 0; i < COUNT(verbs); i++) {
		if (!slice_is(path_of(h->target), verbs[i].path))
			continue;
		if (slice_is(h->method, verbs[i].method)) {
			verbs[i].handle(g, sc);
			return;
		}
		front_refuse_method(g, sc, verbs[i].method);
		return;
	}
	front_refuse(g, sc, &e, NULL);
}

static void
answer_line(struct serve_call *sc, int code, const char *line)
{
	struct buf b;

	buf_init(&b, 256);
	buf_adds(&b, line);
	answer_stamp_text(sc, code, "application/json", &b);
	buf_done(&b);
}

static void
healthz(struct gateway *g, struct serve_call *sc)
{
	(void)g;
	answer_line(sc, 200, "{\"status\":\"ok\"}\n");
}

static void
readyz(struct gateway *g, struct serve_call *sc)
{
	if (g->is_draining)
		answer_line(sc, 503, "{\"status\":\"draining\"}\n");
	else
		answer_line(sc, 200, "{\"status\":\"ready\"}\n");
}

static void
reload(struct gateway *g, struct serve_call *sc)
{
	struct why why;
	struct answer_stamp_error e = { 400, "bad_configuration", NULL,
		why.text, NULL };

	if (service_reload(g, &why) == ERR_OK)
		answer_line(sc, 200, "{\"status\":\"reloaded\"}\n");
	else
		front_refuse(g, sc, &e, NULL);
}

static void
metrics(struct gateway *g, struct serve_call *sc)
{
	struct buf b;

	buf_init(&b, METRICS_MAX);
	metrics_print(g, &b);
	answer_stamp_text(sc, 200, "text/plain; version=0.0.4; charset=utf-8",
	    &b);
	buf_done(&b);
}

static void
recent(struct gateway *g, struct serve_call *sc)
{
	struct buf b;

	buf_init(&b, TEXT_MAX);
	recent_print(g->recent, &b);
	answer_stamp_text(sc, 200, "application/json", &b);
	buf_done(&b);
}

static void
page(struct gateway *g, struct serve_call *sc)
{
	(void)g;
	status_page_answer(sc);
}

/* ---- status */

static void
put_number(struct buf *b, const char *name, uint64_t v, unsigned places)
{
	jput_put_name(b, slice_of(name));
	jput_end_decimal(b, v, places);
}

static void
put_causes(struct buf *b, const struct target_health *l)
{
	jput_name(b, "causes");
	buf_addc(b, '{');
	for (int i = 0; i < CAUSE_NCAUSES; i++)
		if (l->causes[i])
			put_number(b, cause_facts((enum cause)i)->name,
			    l->causes[i], 0);
	buf_addc(b, '}');
}

static void
put_quantiles(struct buf *b, const char *half, const char *most,
    const struct hist *h)
{
	put_number(b, half,
	    (uint64_t)(hist_quantile(h, HIST_SECONDS, 0.5) * 1e6), 3);
	put_number(b, most,
	    (uint64_t)(hist_quantile(h, HIST_SECONDS, 0.99) * 1e6), 3);
}

static void
put_target(struct buf *b, const struct target_health *l)
{
	uint64_t attempts = 0, good;

	for (int i = 0; i < CAUSE_NCAUSES; i++)
		if (!cause_is_unasked((enum cause)i))
			attempts += l->causes[i];
	good = l->causes[CAUSE_OK] + l->causes[CAUSE_CLIENT_GONE];
	buf_adds(b, b->data[b->len - 1] == '[' ? "{" : ",{");
	jput_member(b, "target", l->name);
	jput_member(b, "breaker", breaker_state_name(l->breaker.state));
	jput_bool(b, "down", target_health_is_down(l));
	jput_uint(b, "attempts", attempts);
	jput_uint(b, "ok", l->causes[CAUSE_OK]);
	jput_uint(b, "failed", attempts - good);
	jput_ms(b, "first_token_ms", l->latency_us);
	put_quantiles(b, "p50_ms", "p99_ms", &l->duration);
	put_quantiles(b, "first_token_p50_ms", "first_token_p99_ms",
	    &l->first_token);
	jput_decimal(b, "cost_usd", l->cost_nano, 9);
	jput_decimal(b, "wasted_usd", l->wasted_nano, 9);
	jput_uint(b, "tokens_in", l->tokens_in);
	jput_uint(b, "tokens_out", l->tokens_out);
	put_causes(b, l);
	buf_addc(b, '}');
}

static void
status(struct gateway *g, struct serve_call *sc)
{
	struct buf b;

	buf_init(&b, TEXT_MAX);
	buf_addc(&b, '{');
	jput_member(&b, "version", opts_version());
	jput_uint(&b, "since", g->since_ms);
	jput_bool(&b, "draining", g->is_draining);
	jput_uint(&b, "requests", g->stats.requests);
	jput_uint(&b, "in_flight", g->ncalls);
	jput_uint(&b, "streams", g->stats.streams);
	jput_uint(&b, "clients_gone", g->stats.gone);
	buf_adds(&b, ",\"targets\":[");
	for (const struct target_health *l = target_health_first(g->live); l;
	     l = l->next)
		put_target(&b, l);
	buf_adds(&b, "]}\n");
	answer_stamp_text(sc, 200, "application/json", &b);
	buf_done(&b);
}

static int
on_head(struct serve_call *sc, const char **reason, void *arg)
{
	struct gateway *g = arg;
	struct auth_door door = { g->conf, NULL, g->is_admin_far, true };
	struct browser_origin_verdict v =
	    browser_origin_judge(&door, serve_head(sc));

	*reason = v.message;
	return v.status;
}

static void
on_refuse(struct serve_call *sc, int status, const char *reason, void *arg)
{
	struct gateway *g = arg;
	struct auth_door door = { g->conf, NULL, g->is_admin_far, true };

	if ((status != 401 && status != 403) ||
	    !front_refuse_stranger(g, sc, &door))
		front_on_refuse(sc, status, reason, arg);
}

static void
on_gone(struct serve_call *sc, enum serve_gone why, void *arg)
{
	(void)why;
	(void)arg;
	admin_store_gone(sc);
}

const struct serve_ops admin_ops = {
	.on_head = on_head,
	.on_request = on_request,
	.on_refuse = on_refuse,
	.on_gone = on_gone,
};
