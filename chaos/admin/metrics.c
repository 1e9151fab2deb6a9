/*
 * Families of samples.  One of a TCP proxy is a row of a table; those of
 * rules and limits come from the engine.
 */
#include "chaos/admin/metrics.h"

#include <inttypes.h>

#include "base/buf.h"
#include "chaos/admin/admin.h"
#include "chaos/http/delay_error.h"
#include "chaos/rules/engine.h"

#define METRICS_MAX ((size_t)8 << 20)
#define TYPE        "text/plain; version=0.0.4; charset=utf-8"
#define LATE        "kf_chaos_late_seconds"

/* A label's value with its quotes, backslashes and newlines escaped. */
static void
add_label(struct buf *b, const char *name, const char *value)
{
	buf_addf(b, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			buf_addc(b, '\\');
		if (*value == '\n')
			buf_adds(b, "\\n");
		else
			buf_addc(b, *value);
	}
	buf_addc(b, '"');
}

static void
add_family(struct buf *b, const char *name, const char *help, const char *type)
{
	buf_addf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* ---- Toxiproxy's: a sample a proxy and direction */

static const struct {
	const char *name, *help;
	uint64_t (*of)(const struct tcpproxy *p, enum toxic_stream s);
} links[] = {
	{ "toxiproxy_proxy_received_bytes_total",
	    "The total number of bytes received on a given proxy link in a "
	    "given direction",
	    tcpproxy_received },
	{ "toxiproxy_proxy_sent_bytes_total",
	    "The total number of bytes sent on a given proxy link in a given "
	    "direction",
	    tcpproxy_sent },
};

static void
add_link(struct buf *b, size_t row, const struct tcpproxy *p,
    enum toxic_stream s)
{
	struct tcpproxy_conf c;

	/* It is the scenario's and speaks HTTP: its bytes are not counted
	 * here. */
	if (tcpproxy_is_listed(p))
		return;
	tcpproxy_conf(p, &c);
	buf_addf(b, "%s{", links[row].name);
	add_label(b, "direction", toxic_stream_names[s]);
	buf_addc(b, ',');
	add_label(b, "listener", c.listen);
	buf_addc(b, ',');
	add_label(b, "proxy", c.name);
	buf_addc(b, ',');
	add_label(b, "upstream", c.upstream);
	buf_addf(b, "} %" PRIu64 "\n", links[row].of(p, s));
}

/* ---- ours: a sample a proxy */

static const struct {
	const char *name, *help, *type;
	uint64_t (*of)(const struct tcpproxy *p);
} proxies[] = {
	{ "kf_chaos_connections", "Connections open on a TCP proxy", "gauge",
	    tcpproxy_open },
	{ "kf_chaos_connections_total", "Connections a TCP proxy accepted",
	    "counter", tcpproxy_accepted },
};

static void
add_proxy(struct buf *b, size_t row, const struct tcpproxy *p)
{
	struct tcpproxy_conf c;

	if (tcpproxy_is_listed(p))
		return;
	tcpproxy_conf(p, &c);
	buf_addf(b, "%s{", proxies[row].name);
	add_label(b, "proxy", c.name);
	buf_addf(b, "} %" PRIu64 "\n", proxies[row].of(p));
}

static void
add_lateness(struct buf *b, const struct tcpproxy *p)
{
	const struct delay_error *l = tcpproxy_lateness(p);
	struct tcpproxy_conf c;
	uint64_t n = 0;

	if (tcpproxy_is_listed(p))
		return;
	tcpproxy_conf(p, &c);
	for (size_t i = 0; i <= DELAY_ERROR_NBOUNDS; i++) {
		/* Buckets of a histogram are cumulative in this format. */
		n += l->counts[i];
		buf_adds(b, LATE "_bucket{");
		add_label(b, "proxy", c.name);
		if (i < DELAY_ERROR_NBOUNDS)
			buf_addf(b, ",le=\"%g\"} %" PRIu64 "\n",
			    delay_error_bounds_us[i] / 1e6, n);
		else
			buf_addf(b, ",le=\"+Inf\"} %" PRIu64 "\n", n);
	}
	buf_adds(b, LATE "_sum{");
	add_label(b, "proxy", c.name);
	buf_addf(b, "} %.6f\n" LATE "_count{", (double)l->sum_us / 1e6);
	add_label(b, "proxy", c.name);
	buf_addf(b, "} %" PRIu64 "\n", l->n);
}

/* ---- ours: rules, those over the API too */

static void
add_rule(const struct rule *r, const uint64_t counts[GOAL_NCOUNTS], void *arg)
{
	static const char *const names[GOAL_NCOUNTS] = {
		[GOAL_FIRED] = "fired",
		[GOAL_BYPASSED] = "bypassed",
		[GOAL_MATCHED] = "matched",
	};
	struct buf *b = arg;

	for (int i = 0; i < GOAL_NCOUNTS; i++) {
		buf_adds(b, "kf_chaos_rule_total{");
		add_label(b, "proxy", r->proxy ? r->proxy : "");
		buf_addc(b, ',');
		add_label(b, "result", names[i]);
		buf_addc(b, ',');
		add_label(b, "rule", r->id);
		buf_addf(b, "} %" PRIu64 "\n", counts[i]);
	}
}

static void
add_limits(struct buf *b, struct admin_request *r)
{
	struct engine_limits l;

	engine_limits(r->engine, loop_now_us(r->loop) / US_PER_MS, &l);
	add_family(b, "kf_chaos_faults_active",
	    "Faults that act on an exchange now", "gauge");
	buf_addf(b, "kf_chaos_faults_active %" PRIu64 "\n", l.active);
	add_family(b, "kf_chaos_faults_total", "Faults that ever acted",
	    "counter");
	buf_addf(b, "kf_chaos_faults_total %" PRIu64 "\n", l.fires);
}

void
metrics_get(struct admin_request *r)
{
	struct tcpproxy *p = NULL;
	struct buf b;

	buf_init(&b, METRICS_MAX);
	for (size_t i = 0; i < COUNT(links); i++) {
		add_family(&b, links[i].name, links[i].help, "counter");
		while ((p = tcpset_next(r->set, p)))
			for (int s = 0; s < TOXIC_NSTREAMS; s++)
				add_link(&b, i, p, (enum toxic_stream)s);
	}
	for (size_t i = 0; i < COUNT(proxies); i++) {
		add_family(&b, proxies[i].name, proxies[i].help,
		    proxies[i].type);
		while ((p = tcpset_next(r->set, p)))
			add_proxy(&b, i, p);
	}
	add_family(&b, LATE, "How late bytes left that a toxic delayed",
	    "histogram");
	while ((p = tcpset_next(r->set, p)))
		add_lateness(&b, p);
	add_family(&b, "kf_chaos_rule_total",
	    "What a rule or an HTTP toxic did to requests", "counter");
	engine_each_rule(r->engine, add_rule, &b);
	add_limits(&b, r);
	admin_text(r, 200, TYPE, (struct slice){ b.data, b.len });
	buf_done(&b);
}
