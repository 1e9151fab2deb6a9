/*
 * What is wrong at the start ends the program with one line; what is wrong
 * at a reload leaves everything as it was, because requests are being served
 * by it.
 */
#include "gateway/service/service.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/tls.h"
#include "gateway/exchange/gateway.h"
#include "gateway/service/admin.h"
#include "gateway/service/health_checks.h"
#include "gateway/store/spend_ledger.h"
#include "gateway/telling/otel.h"
#include "gateway/telling/recent.h"
#include "gateway/traffic/call.h"
#include "gateway/traffic/front.h"
#include "gateway/traffic/passthrough.h"
#include <event2/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>

#define DRAIN_TICK_US 5000
#define PARTING_US    100000 /* for the last words to those who must go */

struct drain {
	struct gateway *gate;
	struct event *timer;
	uint64_t until_us;
	unsigned idle;
	bool has_dropped;
};

/* ---- configuration */

static void
warn_all(const struct findings *f)
{
	const char *p = f->text.data ? f->text.data : "", *end;

	for (; *p && (end = strchr(p, '\n')); p = end + 1)
		if (strncmp(p, "warning: ", 9) == 0)
			log_warn("config", "%.*s", (int)(end - p - 9), p + 9);
}

static enum err
load(const char *path, struct conf **ret, struct why *why)
{
	struct findings f;
	struct conf *c;

	findings_init(&f, path);
	c = conf_load(path, &f);
	warn_all(&f);
	if (!c)
		why_set(why, ERR_SYNTAX, "%s", f.first_error);
	findings_done(&f);
	if (!c)
		return ERR_SYNTAX;
	*ret = c;
	return ERR_OK;
}

/* Beyond this machine nobody may come in without a key: at the start and
 * whenever the configuration changes. */
static enum err
check_doors(const struct gateway *g, const struct conf *c, struct why *why)
{
	/* Keys that are handed out open the front door alone. */
	bool has_keys = c->nkeys > 0 || (c->store.path && !g->is_admin_far);

	if (has_keys || !(g->is_front_far || g->is_admin_far))
		return ERR_OK;
	return why_set(why, ERR_SYNTAX,
	    "beyond this machine keys are required: add "
	    "keys: [{key_env, subject}] to %s",
	    g->conf_path);
}

static bool
is_same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Requests in flight are entered there. */
static enum err
check_store(const struct gateway *g, const struct conf *c, struct why *why)
{
	const struct conf_store *now = &c->store, *first = &g->first->store;

	if (is_same_text(now->path, first->path) && now->sync == first->sync &&
	    now->keep_days == first->keep_days &&
	    now->journal_bytes == first->journal_bytes)
		return ERR_OK;
	return why_set(why, ERR_SYNTAX, "%s: store: changes at a restart only",
	    g->conf_path);
}

static bool
is_same_otlp(const struct conf_otlp *a, const struct conf_otlp *b)
{
	return a->is_on == b->is_on && a->url.tls == b->url.tls &&
	    a->url.addr.port == b->url.addr.port &&
	    strcmp(a->url.addr.host, b->url.addr.host) == 0 &&
	    is_same_text(a->target, b->target) &&
	    is_same_text(a->authorization, b->authorization) &&
	    is_same_text(a->service, b->service);
}

/* What doors, pools and exporters were opened with stays as it was. */
static void
warn_of_kept(const struct gateway *g, const struct conf *c)
{
	const struct conf *first = g->first;

	if (!is_same_text(c->cert_file, first->cert_file) ||
	    !is_same_text(c->key_file, first->key_file) ||
	    !is_same_text(c->ca_file, first->ca_file))
		log_warn("config", "tls: changes at a restart only");
	if (c->body_bytes != first->body_bytes ||
	    c->head_bytes != first->head_bytes ||
	    c->connections != first->connections ||
	    c->client_head_ms != first->client_head_ms ||
	    c->client_body_ms != first->client_body_ms ||
	    c->client_body_total_ms != first->client_body_total_ms ||
	    c->client_idle_ms != first->client_idle_ms)
		log_warn("config",
		    "limits: of what clients send, and of connections, "
		    "changes at a restart only");
	if (!is_same_otlp(&c->otlp, &first->otlp))
		log_warn("config", "otlp: changes at a restart only");
}

/* At the start a pipe may bring the configuration; now requests would wait for
 * whoever is to write into it. */
static enum err
check_file(const char *path, struct why *why)
{
	struct stat s;

	if (stat(path, &s) != 0 || S_ISREG(s.st_mode))
		return ERR_OK;
	return why_set(why, ERR_SYNTAX, "%s: expected a plain file", path);
}

/* All or nothing: whatever can fail comes before anything changes. */
enum err
service_reload(struct gateway *g, struct why *why)
{
	struct conf *c = NULL;
	enum err e;

	if (!g->conf_path)
		return why_set(why, ERR_STATE, "no configuration file");
	if ((e = check_file(g->conf_path, why)) != ERR_OK ||
	    (e = load(g->conf_path, &c, why)) != ERR_OK)
		return e;
	if ((e = check_doors(g, c, why)) != ERR_OK ||
	    (e = check_store(g, c, why)) != ERR_OK ||
	    (e = decision_log_reopen(g->log, why)) != ERR_OK) {
		conf_unref(c);
		return e;
	}
	warn_of_kept(g, c);
	target_health_bind(g->live, c);
	conf_unref(g->conf);
	g->conf = c;
	health_checks_bind(g->checks);
	log_info("config", "reloaded %s", g->conf_path);
	return ERR_OK;
}

/* ---- signals */

static void
on_reload(void *arg)
{
	struct why why;

	if (service_reload(arg, &why) != ERR_OK)
		log_error("config", "kept the old one: %s", why.text);
}

/* Quits when the last answer has left, or when waiting any longer is rude. */
static void
on_drain_tick(evutil_socket_t fd, short what, void *arg)
{
	struct drain *d = arg;
	struct gateway *g = d->gate;
	bool busy =
	    g->ncalls > 0 || serve_active(g->front) > 0 || !otel_flush(g->otel);

	(void)fd;
	(void)what;
	d->idle = busy ? 0 : d->idle + 1;
	if (d->idle < 3 && loop_now_us(g->loop) < d->until_us) {
		loop_arm(d->timer, DRAIN_TICK_US);
		return;
	}
	if (g->ncalls > 0 && !d->has_dropped) {
		call_drop_all(g);
		d->has_dropped = true;
		d->until_us = loop_now_us(g->loop) + PARTING_US;
		loop_arm(d->timer, DRAIN_TICK_US);
		return;
	}
	pass_drop_all(g);
	event_free(d->timer);
	free(d);
	loop_quit(g->loop);
}

void
service_stop(struct gateway *g)
{
	struct drain *d = xcalloc(1, sizeof *d);

	log_info("gateway", "draining %zu requests", g->ncalls);
	g->is_draining = true;
	serve_stop_accepting(g->front);
	d->gate = g;
	/* By the clock: a busy machine's ticks are long. */
	d->until_us = loop_now_us(g->loop) + (uint64_t)g->conf->drain_ms * 1000;
	d->timer = evtimer_new(loop_base(g->loop), on_drain_tick, d);
	on_drain_tick(-1, 0, d);
}

static void
on_stop(void *arg)
{
	service_stop(arg);
}

static const struct loop_ops gate_loop_ops = { on_stop, on_reload };

/* ---- the store */

static enum err
open_store(struct gateway *g, struct why *why)
{
	const struct conf_store *c = &g->first->store;
	struct store_conf store = { c->path, c->sync == CONF_SYNC_FULL,
		c->keep_days, (size_t)c->journal_bytes & ~(size_t)4095 };

	return c->path ? ledger_new(g->loop, &store, &g->ledger, why) : ERR_OK;
}

/* ---- doors */

/* It may be put right while we run: read when an upstream is first asked. */
static void
warn_of_ca_file(const struct gateway *g)
{
	char reason[TLS_REASON_MAX];
	struct tls_context *t;

	if (!g->conf->ca_file)
		return;
	if (!(t = tls_client_new(g->conf->ca_file, reason)))
		log_warn("tls", "ca_file: %s; no https upstream can be asked",
		    reason);
	tls_context_free(t);
}

static enum err
open_tls(struct gateway *g, struct why *why)
{
	char reason[TLS_REASON_MAX];

	warn_of_ca_file(g);
	if (!g->conf->cert_file)
		return ERR_OK;
	g->tls = tls_server_new(g->conf->cert_file, g->conf->key_file, reason);
	return g->tls
	    ? ERR_OK
	    : why_set(why, ERR_SYNTAX, "%s: tls: %s", g->conf_path, reason);
}

static enum err
open_doors(struct gateway *g, const struct service_options *o, struct why *why)
{
	struct serve_conf front = { .listen = o->listen,
		.tls = g->tls,
		.limits = { .head_bytes = (size_t)g->conf->head_bytes,
		    .body_bytes = (uint64_t)g->conf->body_bytes },
		.head_timeout_ms = (uint32_t)g->conf->client_head_ms,
		.body_timeout_ms = (uint32_t)g->conf->client_body_ms,
		.body_total_ms = (uint32_t)g->conf->client_body_total_ms,
		.idle_timeout_ms = (uint32_t)g->conf->client_idle_ms,
		.connections_max = (uint32_t)g->conf->connections };
	struct serve_conf admin = { .listen = o->admin,
		.limits = { .body_bytes = 65536 },
		.connections_max = 64 };
	enum err e;

	if ((e = serve_new(g->loop, &front, &front_ops, g, &g->front, why)) !=
	    ERR_OK)
		return e;
	return serve_new(g->loop, &admin, &admin_ops, g, &g->admin, why);
}

/* The rest would wait in the backlog, and nobody knew why. */
static void
warn_of_few(const struct gateway *g)
{
	uint32_t wanted, holds;

	serve_connections_max(g->front, &wanted, &holds);
	if (holds < wanted)
		log_warn("limits",
		    "connections: %u, but this process may have descriptors "
		    "for %u: raise its limit (ulimit -n, LimitNOFILE)",
		    (unsigned)wanted, (unsigned)holds);
}

static enum err
say_ready(struct gateway *g, const char *file, struct why *why)
{
	char front[ADDR_TEXT_MAX], admin[ADDR_TEXT_MAX];
	char pairs[2 * ADDR_TEXT_MAX + 32];
	struct addr a;

	serve_address(g->front, &a);
	addr_format(&a, front);
	serve_address(g->admin, &a);
	addr_format(&a, admin);
	snprintf(pairs, sizeof pairs, "gateway=%s admin=%s", front, admin);
	return loop_ready(pairs, file, why);
}

enum err
service_open(struct gateway *g, struct loop *l, const struct service_options *o,
    struct why *why)
{
	struct fetch_pool_conf pool = { 0 };
	enum err e;

	g->conf_path = o->conf_path;
	if ((e = load(o->conf_path, &g->conf, why)) != ERR_OK)
		return e;
	g->first = conf_ref(g->conf);
	pool.connect_timeout_ms = (uint32_t)g->conf->terms.timers.connect_ms;
	pool.ca_file = g->conf->ca_file;
	g->is_front_far = !addr_is_loopback(&o->listen);
	g->is_admin_far = !addr_is_loopback(&o->admin);
	if ((e = check_doors(g, g->conf, why)) != ERR_OK)
		return e;
	g->loop = l;
	g->live = target_health_table_new();
	g->limits = limit_table_new();
	g->recent = recent_new();
	g->since_ms = clock_wall_ms();
	target_health_bind(g->live, g->conf);
	g->pool = fetch_pool_new(l, &pool);
	g->checks = health_checks_new(g);
	g->otel = otel_new(l, g->pool, &g->first->otlp);
	if ((e = decision_log_open(l, o->log_path, &g->log, why)) != ERR_OK)
		return e == ERR_IO ? ERR_ENV : e;
	if ((e = open_store(g, why)) != ERR_OK ||
	    (e = open_tls(g, why)) != ERR_OK)
		return e;
	if ((e = open_doors(g, o, why)) != ERR_OK)
		return e == ERR_SYNTAX ? e : ERR_ENV;
	warn_of_few(g);
	return ERR_OK;
}

void
service_close(struct gateway *g)
{
	call_drop_all(g);
	pass_drop_all(g);
	serve_free(g->front);
	serve_free(g->admin);
	otel_free(g->otel);
	health_checks_free(g->checks);
	if (g->pool)
		fetch_pool_free(g->pool);
	ledger_free(g->ledger);
	tls_context_free(g->tls);
	decision_log_close(g->log);
	target_health_table_free(g->live);
	limit_table_free(g->limits);
	recent_free(g->recent);
	buf_done(&g->asked);
	buf_done(&g->line);
	buf_done(&g->attempts);
	conf_unref(g->conf);
	conf_unref(g->first);
}

enum exit_code
service_run(const struct service_options *o)
{
	struct gateway g = { 0 };
	struct loop *l = loop_new(&gate_loop_ops, &g);
	struct why why;
	enum err e = service_open(&g, l, o, &why);

	if (e == ERR_OK)
		e = say_ready(&g, o->ready_path, &why);
	if (e == ERR_OK)
		loop_run(l);
	else
		fprintf(stderr, "kf-gateway: %s\n", why.text);
	service_close(&g);
	loop_free(l);
	return err_exit_code(e);
}
