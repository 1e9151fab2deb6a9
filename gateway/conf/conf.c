/*
 * The model's life, and the reading of a file's documents in two passes:
 * first every document's providers, then the rules that name them, so that
 * documents may stand in any order.
 */
#include "gateway/conf/conf.h"
#include "gateway/decisions/known_prices.h"

#include "base/files.h"
#include "base/mem.h"
#include "gateway/conf/conf_read.h"
#include "gateway/decisions/validators.h"
#include "gateway/text/jput.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EDIT_MAX 65536

struct document {
	const char *name, *type;
	const struct ynode *providers, *rules, *routes, *limits;
	const struct ynode *virtual_models;
	const struct ynode *min_rate, *log_bodies, *otlp;
	const struct ynode *keys, *tls, *prices, *counterfactual;
	const struct ynode *hosts, *origins, *store;
	bool is_empty_answer_ok;
};

#define ROW(k, t, m)                                                           \
	{                                                                      \
		.key = (k), .type = (t),                                       \
		.offset = offsetof(struct document, m)                         \
	}

static const struct cfield document_rows[] = {
	ROW("allow_empty_answers", CF_BOOL, is_empty_answer_ok),
	ROW("breaker", CF_IGNORED, name),
	ROW("buffer", CF_IGNORED, name),
	ROW("counterfactual", CF_MAP, counterfactual),
	ROW("escalation_rules", CF_IGNORED, routes),
	ROW("fallback_candidate", CF_IGNORED, routes),
	ROW("fallback_status_codes", CF_IGNORED, routes),
	ROW("hosts", CF_STRINGS, hosts),
	ROW("keys", CF_LIST, keys),
	ROW("limits", CF_MAP, limits),
	ROW("log_bodies", CF_MAP, log_bodies),
	ROW("malformed_events", CF_IGNORED, name),
	ROW("min_rate", CF_MAP, min_rate),
	ROW("name", CF_STRING, name),
	ROW("origins", CF_STRINGS, origins),
	ROW("otlp", CF_MAP, otlp),
	ROW("prices", CF_LIST, prices),
	ROW("providers", CF_LIST, providers),
	ROW("retry_config", CF_IGNORED, routes),
	ROW("routes", CF_LIST, routes),
	ROW("rules", CF_LIST, rules),
	ROW("store", CF_MAP, store),
	ROW("timeouts", CF_IGNORED, name),
	ROW("tls", CF_MAP, tls),
	ROW("type", CF_STRING, type),
	ROW("virtual_models", CF_LIST, virtual_models),
};

#define DAY_MS 86400000.0

/* clang-format off */
static const struct cfield rate_rows[] = {
	{ "tokens_per_s", CF_INT, true, 1, 100000, offsetof(struct conf, rate_tokens_s), NULL },
	{ "window_ms",    CF_INT, true, 1, DAY_MS, offsetof(struct conf, rate_ms),       NULL },
};

static const struct cfield log_bodies_rows[] = {
	{ "max_bytes", CF_INT, true, 1, 262144, offsetof(struct conf, body_log_bytes), NULL },
};

static const char *const sync_names[] = { "normal", "full", NULL };

static const struct cfield store_rows[] = {
	{ "journal_bytes", CF_INT, false, 65536, 1 << 30, offsetof(struct conf, store.journal_bytes), NULL },
	{ "keep_days", CF_INT,    false, 0, 36500, offsetof(struct conf, store.keep_days), NULL },
	{ "path",      CF_STRING, true,  0, 0,     offsetof(struct conf, store.path),      NULL },
	{ "sync",      CF_ENUM,   false, 0, 0,     offsetof(struct conf, store.sync),      sync_names },
};

static const struct cfield tls_rows[] = {
	{ "ca_file",   CF_STRING, false, 0, 0, offsetof(struct conf, ca_file),   NULL },
	{ "cert_file", CF_STRING, false, 0, 0, offsetof(struct conf, cert_file), NULL },
	{ "key_file",  CF_STRING, false, 0, 0, offsetof(struct conf, key_file),  NULL },
};

static const struct cfield limit_rows[] = {
	{ "answer_bytes",   CF_INT, false, 1024, 1 << 30, offsetof(struct conf, answer_bytes),   NULL },
	{ "body_bytes",     CF_INT, false, 1024, 1 << 30, offsetof(struct conf, body_bytes),     NULL },
	{ "client_body_ms", CF_INT, false, 1,    DAY_MS,  offsetof(struct conf, client_body_ms), NULL },
	{ "client_body_total_ms", CF_INT, false, 1, DAY_MS, offsetof(struct conf, client_body_total_ms), NULL },
	{ "client_head_ms", CF_INT, false, 1,    DAY_MS,  offsetof(struct conf, client_head_ms), NULL },
	{ "client_idle_ms", CF_INT, false, 1,    DAY_MS,  offsetof(struct conf, client_idle_ms), NULL },
	{ "connections",    CF_INT, false, 1,    1 << 20, offsetof(struct conf, connections),    NULL },
	{ "drain_ms",       CF_INT, false, 0,    DAY_MS,  offsetof(struct conf, drain_ms),       NULL },
	{ "head_bytes",     CF_INT, false, 1024, 1 << 20, offsetof(struct conf, head_bytes),     NULL },
};
/* clang-format on */

/* Defaults, no providers. */
static struct conf *
conf_new(void)
{
	struct conf *c = xcalloc(1, sizeof *c);

	c->refs = 1;
	c->terms.timers = (struct conf_timers){ 5000, 0, 0, 600000 };
	c->body_bytes = 8 << 20;
	c->head_bytes = 64 << 10;
	c->drain_ms = 10000;
	c->store.keep_days = 30;
	c->store.journal_bytes = 8 << 20;
	c->answer_bytes = 32 << 20;
	breaker_preset("production", &c->terms.breaker);
	return c;
}

struct conf *
conf_ref(struct conf *c)
{
	c->refs++;
	return c;
}

void
conf_unref(struct conf *c)
{
	if (!c || --c->refs > 0)
		return;
	for (size_t i = 0; i < c->nrules; i++) {
		for (size_t k = 0; k < c->rules[i].ntargets; k++)
			free(c->rules[i].targets[k].edits);
		free(c->rules[i].targets);
		if (c->rules[i].escalation)
			free(c->rules[i].escalation->edits);
		free(c->rules[i].escalation);
		validators_free(c->rules[i].validators);
	}
	for (size_t i = 0; i < c->ntexts; i++)
		free(c->texts[i]);
	free(c->texts);
	free(c->keys);
	free(c->limits);
	free(c->prices);
	free(c->rules);
	free(c->providers);
	ytree_free(c->tree);
	free(c);
}

char *
conf_own(struct conf *c, char *text)
{
	c->texts = xreallocarray(c->texts, c->ntexts + 1, sizeof *c->texts);
	return c->texts[c->ntexts++] = text;
}

/* ---- documents */

static void
read_document(const struct ynode *doc, struct document *d, struct findings *f)
{
	memset(d, 0, sizeof *d);
	d->name = "";
	cfield_read(doc, document_rows, COUNT(document_rows), d, f);
}

static void
read_tls(struct conf_reader *r, const struct ynode *map)
{
	struct conf *c = r->conf;

	cfield_read(map, tls_rows, COUNT(tls_rows), c, r->f);
	if (!c->cert_file != !c->key_file)
		findings_error(r->f, map,
		    "cert_file and key_file belong together");
}

static void
read_settings(struct conf_reader *r, const struct ynode *doc,
    const struct document *d)
{
	conf_read_terms(r, doc, &r->conf->terms);
	if (d->keys)
		conf_read_keys(r, d->keys);
	if (d->hosts)
		conf_read_hosts(r, d->hosts);
	if (d->origins)
		conf_read_origins(r, d->origins);
	if (d->tls)
		read_tls(r, d->tls);
	if (d->min_rate)
		cfield_read(d->min_rate, rate_rows, COUNT(rate_rows), r->conf,
		    r->f);
	if (d->log_bodies)
		cfield_read(d->log_bodies, log_bodies_rows,
		    COUNT(log_bodies_rows), r->conf, r->f);
	if (d->store)
		cfield_read(d->store, store_rows, COUNT(store_rows), r->conf,
		    r->f);
	if (d->otlp)
		conf_read_otlp(r, d->otlp);
	if (d->limits)
		cfield_read(d->limits, limit_rows, COUNT(limit_rows), r->conf,
		    r->f);
	if (d->is_empty_answer_ok)
		r->conf->is_empty_answer_ok = true;
}

static void
read_prices(struct conf_reader *r, const struct ynode *list)
{
	struct conf *c = r->conf;

	if (list->n > CONF_PRICES_MAX - c->nprices) {
		findings_error(r->f, list, "more than %d prices",
		    CONF_PRICES_MAX);
		return;
	}
	c->prices = xreallocarray(c->prices, c->nprices + list->n + 1,
	    sizeof *c->prices);
	for (const struct ynode *n = list->first; n; n = n->next)
		cost_read_price(n, &c->prices[c->nprices++], r->f);
}

const struct cost_price *
conf_price(const struct conf *c, const char *target)
{
	const struct conf_provider *p;
	const char *slash;

	for (size_t i = 0; i < c->nprices; i++)
		if (c->prices[i].target &&
		    strcmp(c->prices[i].target, target) == 0)
			return &c->prices[i];
	slash = strchr(target, '/');
	p = slash ? conf_provider(c, target, (size_t)(slash - target)) : NULL;
	return p ? known_price(p->url.addr.host, slash + 1) : NULL;
}

struct counterfactual {
	const char *primary, *escalation;
};

static const struct cfield counterfactual_rows[] = {
	{ "escalation", CF_STRING, false, 0, 0,
	    offsetof(struct counterfactual, escalation), NULL },
	{ "primary", CF_STRING, false, 0, 0,
	    offsetof(struct counterfactual, primary), NULL },
};

static void
read_counterfactual(struct conf_reader *r, const struct ynode *map)
{
	struct counterfactual in = { NULL, NULL };
	struct conf *c = r->conf;

	cfield_read(map, counterfactual_rows, COUNT(counterfactual_rows), &in,
	    r->f);
	if (in.primary && !(c->primary = conf_price(c, in.primary)))
		findings_error(r->f, map, "no price for %s", in.primary);
	if (in.escalation && !(c->escalation = conf_price(c, in.escalation)))
		findings_error(r->f, map, "no price for %s", in.escalation);
}

/* Prices are known once every document is read. */
static void
bind_prices(struct conf *c)
{
	for (size_t i = 0; i < c->nrules; i++)
		for (size_t k = 0; k < c->rules[i].ntargets; k++)
			if (c->rules[i].targets[k].name)
				c->rules[i].targets[k].price =
				    conf_price(c, c->rules[i].targets[k].name);
	for (size_t i = 0; i < c->nrules; i++)
		if (c->rules[i].escalation && c->rules[i].escalation->name)
			c->rules[i].escalation->price =
			    conf_price(c, c->rules[i].escalation->name);
}

static bool
has_price(const struct conf *c)
{
	for (size_t i = 0; i < c->nrules; i++)
		for (size_t k = 0; k < c->rules[i].ntargets; k++)
			if (c->rules[i].targets[k].price)
				return true;
	return c->nprices > 0;
}

/* What costs nothing by mistake fills no budget. */
static void
judge_prices(struct conf_reader *r, const struct ynode *at)
{
	const struct conf *c = r->conf;

	for (size_t i = 0; i < c->nprices; i++) {
		const char *t = c->prices[i].target;
		const char *slash = t ? strchr(t, '/') : NULL;

		if (!t)
			continue;
		if (!slash || !conf_provider(c, t, (size_t)(slash - t)))
			findings_warn(r->f, at,
			    "prices: %s names no provider of this file", t);
		if (conf_price(c, t) != &c->prices[i])
			findings_warn(r->f, at,
			    "prices: %s stands twice, the first one counts", t);
	}
	for (size_t i = 0; i < c->nlimits && !has_price(c); i++)
		if (c->limits[i].counted == CONF_COST)
			findings_warn(r->f, at,
			    "%s counts dollars, and nothing has a price",
			    c->limits[i].id);
}

/* What the rules of a document are follows from its type. */
static void
read_by_type(struct conf_reader *r, const struct ynode *doc,
    const struct document *d)
{
	if (!d->type || strcmp(d->type, "gateway-load-balancing-config") == 0)
		conf_read_rules(r, d->rules);
	else if (strcmp(d->type, "gateway-rate-limiting-config") == 0)
		conf_read_limits(r, d->rules, false);
	else if (strcmp(d->type, "gateway-budget-config") == 0)
		conf_read_limits(r, d->rules, true);
	else
		findings_error(r->f, ynode_get(doc, "type"),
		    "found %s, expected gateway-load-balancing-config, "
		    "gateway-rate-limiting-config or gateway-budget-config",
		    d->type);
}

/* Of routes alone: rules say the same of each target. */
static void
warn_of_idle_keys(struct conf_reader *r, const struct ynode *doc)
{
	static const char *const keys[] = { "escalation_rules",
		"fallback_candidate", "fallback_status_codes", "retry_config" };
	const struct ynode *n;

	for (size_t i = 0; i < COUNT(keys); i++)
		if ((n = ynode_get(doc, keys[i])))
			findings_warn(r->f, n,
			    "without effect where there are no routes");
}

static void
read_routing(struct conf_reader *r, const struct ynode *doc,
    const struct document *d)
{
	r->document = d->name;
	if (d->virtual_models)
		conf_read_virtual(r, d->virtual_models);
	if (d->counterfactual)
		read_counterfactual(r, d->counterfactual);

	if (d->rules && d->routes)
		findings_error(r->f, doc, "rules and routes in one document");
	else if (d->rules)
		read_by_type(r, doc, d);
	else if (d->routes)
		conf_read_routes(r, doc);
	else if (d->type)
		findings_error(r->f, doc, "the key rules is missing");
	if (!d->routes)
		warn_of_idle_keys(r, doc);
}

static void
read_documents(struct conf_reader *r)
{
	const struct ynode *docs = ytree_documents(r->conf->tree), *n;
	struct findings twice;
	struct document d;

	for (n = docs; n; n = n->next) {
		read_document(n, &d, r->f);
		if (d.providers)
			conf_read_providers(r, d.providers);
		if (d.prices)
			read_prices(r, d.prices);
		read_settings(r, n, &d);
	}
	/* The second pass has the same remarks on the same keys. */
	findings_init(&twice, r->f->file);
	for (n = docs; n; n = n->next) {
		read_document(n, &d, &twice);
		read_routing(r, n, &d);
	}
	findings_done(&twice);
	bind_prices(r->conf);
	judge_prices(r, docs);
	if (r->conf->nproviders == 0)
		findings_error(r->f, docs, "no providers");
}

struct conf *
conf_parse(const char *name, const char *text, size_t n, struct findings *f)
{
	struct conf_reader r = { conf_new(), f, "" };
	struct why why;

	if (ytree_parse(name, text, n, &r.conf->tree, &why) != ERR_OK)
		findings_error(f, NULL, "%s", why.text);
	else if (!ytree_documents(r.conf->tree))
		findings_error(f, NULL, "%s: empty", name);
	else
		read_documents(&r);
	if (f->errors == 0)
		return r.conf;
	conf_unref(r.conf);
	return NULL;
}

struct conf *
conf_load(const char *path, struct findings *f)
{
	struct conf *c;
	struct why why;
	char *text;
	size_t n;

	if (files_read(path, YNODE_FILE_MAX, &text, &n, &why) != ERR_OK) {
		findings_error(f, NULL, "%s", why.text);
		return NULL;
	}
	c = conf_parse(path, text, n, f);
	free(text);
	return c;
}

/* ---- targets */

const struct conf_provider *
conf_provider(const struct conf *c, const char *name, size_t n)
{
	for (size_t i = 0; i < c->nproviders; i++)
		if (strlen(c->providers[i].name) == n &&
		    memcmp(c->providers[i].name, name, n) == 0)
			return &c->providers[i];
	return NULL;
}

/* Splits "provider/model" by the longest provider name; NULL: none fits. */
static const struct conf_provider *
split_target(const struct conf *c, const char *target, const char **ret_model)
{
	const struct conf_provider *p;

	for (size_t n = strlen(target); n > 0; n--) {
		if (target[n - 1] != '/' || target[n] == '\0')
			continue;
		if ((p = conf_provider(c, target, n - 1))) {
			*ret_model = target + n;
			return p;
		}
	}
	return NULL;
}

void
conf_target_init(struct conf_target *t)
{
	memset(t, 0, sizeof *t);
	t->weight = 1;
	t->is_candidate = true;
	retry_conf_init(&t->retry);
}

static void
add_edit(struct conf *c, struct conf_target *t, const char *name,
    struct buf *json)
{
	t->edits = xreallocarray(t->edits, t->nedits + 1, sizeof *t->edits);
	t->edits[t->nedits++] =
	    (struct peek_edit){ name, conf_own(c, buf_take(json)) };
}

void
conf_target_edits(struct conf_reader *r, struct conf_target *t,
    const struct ynode *overrides)
{
	struct buf json;

	buf_init(&json, EDIT_MAX);
	if (overrides && overrides->n > CONF_EDITS_MAX)
		findings_error(r->f, overrides, "more than %d parameters",
		    CONF_EDITS_MAX);
	jput_string(&json, slice_of(t->model));
	add_edit(r->conf, t, "model", &json);
	for (const struct ynode *n = overrides ? overrides->first : NULL; n;
	     n = n->next) {
		if (strcmp(n->key, "model") == 0 ||
		    strcmp(n->key, "stream") == 0 || strpbrk(n->key, "\"\\"))
			findings_error(r->f, n, "may not be overridden");
		else if (ynode_json(n, &json) != ERR_OK)
			findings_error(r->f, n, "too long");
		else
			add_edit(r->conf, t, n->key, &json);
		buf_clear(&json);
	}
	buf_done(&json);
}

void
conf_target_resolve(struct conf_reader *r, struct conf_target *t,
    const struct ynode *at)
{
	t->provider = split_target(r->conf, t->name, &t->model);
	if (!t->provider)
		findings_error(r->f, at,
		    "found %s, expected PROVIDER/MODEL with a provider of "
		    "this file",
		    t->name);
}

/* A target with all it owns in one block. */
struct direct {
	struct conf_target target; /* first, so that free() frees all */
	struct peek_edit edit;
	char text[]; /* its name, then its model in quotes */
};

struct conf_target *
conf_direct_target(const struct conf *c, const char *model)
{
	const struct conf_provider *p;
	const char *rest = model;
	struct direct *d;
	size_t size;

	p = split_target(c, model, &rest);
	if (!p && c->nproviders == 1)
		p = &c->providers[0];
	if (!p || strpbrk(rest, "\"\\"))
		return NULL;
	size = strlen(p->name) + 2 * strlen(rest) + 8;
	d = xcalloc(1, sizeof *d + size);
	conf_target_init(&d->target);
	snprintf(d->text, size, "%s/%s%c\"%s\"", p->name, rest, 0, rest);
	d->target.provider = p;
	d->target.name = d->text;
	d->target.model = d->text + strlen(p->name) + 1;
	d->edit.name = "model";
	d->edit.json = d->text + strlen(d->text) + 1;
	d->target.edits = &d->edit;
	d->target.nedits = 1;
	d->target.live = p->live;
	d->target.price = conf_price(c, d->text);
	return &d->target;
}
