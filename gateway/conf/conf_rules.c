/*
 * TrueFoundry's rules and targets, by tables.
 */
#include "gateway/conf/conf_read.h"

#include "base/mem.h"
#include "gateway/decisions/validators.h"
#include <string.h>

#define TARGET(m) offsetof(struct conf_target, m)
#define FIELDS(m) offsetof(struct target_fields, m)
#define RULE(m)   offsetof(struct conf_rule, m)
#define RETRY(m)  offsetof(struct retry_conf, m)

#define HOUR_MS 3600000.0

struct rule_fields {
	struct conf_rule rule;
	int kind;
	const struct ynode *when, *targets, *sticky;
	const struct ynode *validators, *escalation;
};

struct target_fields {
	struct conf_target target;
	const struct ynode *retry, *overrides, *headers, *sla;
};

struct escalation_fields {
	const char *target;
	double request_usd, run_usd;
	bool is_shadow;
};

static const char *const kind_names[] = {
	[CONF_WEIGHT] = "weight-based-routing",
	[CONF_LATENCY] = "latency-based-routing",
	[CONF_PRIORITY] = "priority-based-routing",
	[CONF_BUSY] = "least-busy-routing",
	[CONF_CHEAP] = "lowest-cost-routing",
	NULL,
};

/* clang-format off */
static const struct cfield rule_rows[] = {
	{ "breaker",              CF_IGNORED, false, 0, 0, 0, NULL },
	{ "buffer",               CF_IGNORED, false, 0, 0, 0, NULL },
	{ "escalation",           CF_MAP,    false, 0, 0, offsetof(struct rule_fields, escalation), NULL },
	{ "id",                   CF_STRING, true,  0, 0, offsetof(struct rule_fields, rule) + RULE(id), NULL },
	{ "load_balance_targets", CF_LIST,   true,  0, 0, offsetof(struct rule_fields, targets), NULL },
	{ "malformed_events",     CF_IGNORED, false, 0, 0, 0, NULL },
	{ "sticky_routing",       CF_MAP,    false, 0, 0, offsetof(struct rule_fields, sticky),  NULL },
	{ "timeouts",             CF_IGNORED, false, 0, 0, 0, NULL },
	{ "type",                 CF_ENUM,   true,  0, 0, offsetof(struct rule_fields, kind),    kind_names },
	{ "validators",           CF_LIST,   false, 0, 0, offsetof(struct rule_fields, validators), NULL },
	{ "when",                 CF_MAP,    false, 0, 0, offsetof(struct rule_fields, when),    NULL },
};

static const struct cfield when_rows[] = {
	{ "metadata", CF_STRMAP,  false, 0, 0, RULE(metadata), NULL },
	{ "models",   CF_STRINGS, false, 0, 0, RULE(models),   NULL },
	{ "subjects", CF_STRINGS, false, 0, 0, RULE(subjects), NULL },
};

static const struct cfield sticky_rows[] = {
	{ "session_identifiers", CF_LIST, true, 0, 0,         RULE(sticky),       NULL },
	{ "ttl_seconds",         CF_INT,  true, 1, 86400 * 7, RULE(sticky_ttl_s), NULL },
};

static const struct cfield target_rows[] = {
	{ "connect_timeout_ms",    CF_INT,      false, 1, HOUR_MS, TARGET(connect_timeout_ms), NULL },
	{ "context_tokens",        CF_INT,      false, 1, 1e9,     TARGET(context_tokens), NULL },
	{ "fallback_candidate",    CF_BOOL,     false, 0, 0,       TARGET(is_candidate),   NULL },
	{ "fallback_status_codes", CF_STATUSES, false, 0, 0,       TARGET(retry) + RETRY(fallback), NULL },
	{ "headers_override",      CF_MAP,      false, 0, 0,       FIELDS(headers),        NULL },
	{ "metadata_match",        CF_STRMAP,   false, 0, 0,       TARGET(metadata),       NULL },
	{ "override_params",       CF_MAP,      false, 0, 0,       FIELDS(overrides),      NULL },
	{ "priority",              CF_INT,      false, 0, 1000000, TARGET(priority),       NULL },
	{ "retry_config",          CF_MAP,      false, 0, 0,       FIELDS(retry),          NULL },
	{ "sla_cutoff",            CF_MAP,      false, 0, 0,       FIELDS(sla),            NULL },
	{ "target",                CF_STRING,   true,  0, 0,       TARGET(name),           NULL },
	{ "timeout_ms",            CF_INT,      false, 1, HOUR_MS, TARGET(timeout_ms),     NULL },
	{ "weight",                CF_INT,      false, 0, 1000000, TARGET(weight),         NULL },
};

static const struct cfield retry_rows[] = {
	{ "attempts",        CF_INT,      false, 0, 10,    RETRY(retries),  NULL },
	{ "delay",           CF_INT,      false, 0, 60000, RETRY(delay_ms), NULL },
	{ "on_status_codes", CF_STATUSES, false, 0, 0,     RETRY(on),       NULL },
};

static const struct cfield escalation_rows[] = {
	{ "max_usd_per_request", CF_REAL,   false, 0, 1e6, offsetof(struct escalation_fields, request_usd), NULL },
	{ "max_usd_per_run",     CF_REAL,   false, 0, 1e6, offsetof(struct escalation_fields, run_usd),     NULL },
	{ "shadow",              CF_BOOL,   false, 0, 0,   offsetof(struct escalation_fields, is_shadow),   NULL },
	{ "target",              CF_STRING, true,  0, 0,   offsetof(struct escalation_fields, target),      NULL },
};

static const struct cfield headers_rows[] = {
	{ "remove", CF_STRINGS, false, 0, 0, TARGET(headers_remove), NULL },
	{ "set",    CF_STRMAP,  false, 0, 0, TARGET(headers_set),    NULL },
};

static const struct cfield sla_rows[] = {
	{ "time_per_output_token_ms", CF_INT, false, 1, HOUR_MS, TARGET(sla_per_token_ms),   NULL },
	{ "time_to_first_token_ms",   CF_INT, false, 1, HOUR_MS, TARGET(sla_first_token_ms), NULL },
};
/* clang-format on */

static void
read_headers(struct conf_reader *r, const struct ynode *map,
    struct conf_target *t)
{
	cfield_read(map, headers_rows, COUNT(headers_rows), t, r->f);
	t->headers_set = conf_expand_headers(r, t->headers_set);
}

static void
read_target(struct conf_reader *r, const struct ynode *node,
    struct conf_target *t)
{
	struct target_fields in = { 0 };
	const struct ynode *set;

	conf_target_init(&in.target);
	cfield_read(node, target_rows, COUNT(target_rows), &in, r->f);
	if (in.retry)
		cfield_read(in.retry, retry_rows, COUNT(retry_rows),
		    &in.target.retry, r->f);
	if (in.headers)
		read_headers(r, in.headers, &in.target);
	if (in.sla)
		cfield_read(in.sla, sla_rows, COUNT(sla_rows), &in.target,
		    r->f);
	if (in.target.name) {
		conf_target_resolve(r, &in.target, ynode_get(node, "target"));
		set = in.headers ? ynode_get(in.headers, "set") : NULL;
		if (in.target.provider)
			conf_hide_headers(r->conf, in.target.provider, set,
			    in.target.headers_set);
		if (in.target.model)
			conf_target_edits(r, &in.target, in.overrides);
	}
	*t = in.target;
}

/* What stands behind the last attempt of a request is never asked. */
static void
check_attempts(struct conf_reader *r, const struct ynode *list,
    const struct conf_rule *rule)
{
	int64_t sum = 0;

	for (size_t i = 0; i < rule->ntargets; i++)
		sum += 1 + rule->targets[i].retry.retries;
	if (sum > CONF_ATTEMPTS_MAX)
		findings_warn(r->f, list,
		    "%lld attempts at most by these targets; a request makes "
		    "%d",
		    (long long)sum, CONF_ATTEMPTS_MAX);
}

static void
read_targets(struct conf_reader *r, const struct ynode *list,
    struct conf_rule *rule)
{
	int64_t weights = 0;

	for (const struct ynode *n = list->first; n; n = n->next) {
		struct conf_target *t = &rule->targets[rule->ntargets++];

		read_target(r, n, t);
		weights += t->weight;
	}
	if (rule->ntargets == 0)
		findings_error(r->f, list, "a rule needs a target");
	else if (rule->kind == CONF_WEIGHT && weights == 0)
		findings_error(r->f, list, "all weights are 0");
	check_attempts(r, list, rule);
}

static void
check_sticky(struct conf_reader *r, const struct conf_rule *rule)
{
	for (const struct ynode *n = rule->sticky->first; n; n = n->next) {
		const struct ynode *source = ynode_get(n, "source");
		const struct ynode *key = ynode_get(n, "key");

		if (!source || source->kind != YNODE_SCALAR || !key ||
		    key->kind != YNODE_SCALAR ||
		    (strcmp(source->text, "headers") != 0 &&
		        strcmp(source->text, "metadata") != 0))
			findings_error(r->f, n,
			    "expected {source: headers or metadata, key}");
	}
}

/* A word for headers and logs: no spaces. */
static bool
is_word(const char *s)
{
	return !strpbrk(s, " ,;=");
}

static void
check_rule(struct conf_reader *r, const struct ynode *node,
    const struct conf_rule *rule)
{
	if (!is_word(rule->id))
		findings_error(r->f, ynode_get(node, "id"),
		    "found \"%s\", expected a word", rule->id);
	for (size_t i = 0; i + 1 < r->conf->nrules; i++)
		if (strcmp(r->conf->rules[i].id, rule->id) == 0)
			findings_error(r->f, ynode_get(node, "id"),
			    "the id %s stands twice", rule->id);
	if (rule->sticky)
		check_sticky(r, rule);
}

struct conf_rule *
conf_add_rule(struct conf_reader *r, const struct ynode *at, size_t ntargets)
{
	struct conf *c = r->conf;
	struct conf_rule *rule;

	if (c->nrules == CONF_RULES_MAX || ntargets > CONF_TARGETS_MAX) {
		findings_error(r->f, at, "more than %d rules or %d targets",
		    CONF_RULES_MAX, CONF_TARGETS_MAX);
		return NULL;
	}
	c->rules = xreallocarray(c->rules, c->nrules + 1, sizeof *c->rules);
	rule = &c->rules[c->nrules++];
	memset(rule, 0, sizeof *rule);
	rule->config = r->document;
	rule->targets = xcalloc(ntargets + 1, sizeof *rule->targets);
	rule->terms = c->terms;
	rule->terms.has_breaker = false;
	return rule;
}

static void
read_escalation(struct conf_reader *r, const struct ynode *node,
    struct conf_rule *rule)
{
	struct escalation_fields in = { NULL, -1, -1, false };
	struct conf_target *t;

	cfield_read(node, escalation_rows, COUNT(escalation_rows), &in, r->f);
	rule->request_usd = in.request_usd;
	rule->run_usd = in.run_usd;
	rule->is_shadow = in.is_shadow;
	if (!in.target)
		return;
	t = rule->escalation = xcalloc(1, sizeof *t);
	conf_target_init(t);
	t->name = in.target;
	conf_target_resolve(r, t, ynode_get(node, "target"));
	if (t->model)
		conf_target_edits(r, t, NULL);
}

/* In an API with texts that a target of the rule is asked in, too: vectors are
 * never judged. */
static bool
can_escalate(const struct conf_rule *rule)
{
	const struct conf_provider *to = rule->escalation->provider;

	for (size_t i = 0; i < rule->ntargets; i++)
		for (unsigned k = 0; k < SCHEMA_NKINDS; k++) {
			const struct schema *s = schema_of((enum schema_kind)k);
			const struct conf_provider *p =
			    rule->targets[i].provider;

			if (p && k != SCHEMA_EMBEDDINGS &&
			    conf_asked_in(p, s) && conf_asked_in(to, s))
				return true;
		}
	return rule->ntargets == 0;
}

static void
check_escalation(struct conf_reader *r, const struct ynode *node,
    const struct conf_rule *rule)
{
	if (rule->escalation && rule->escalation->provider &&
	    !can_escalate(rule))
		findings_warn(r->f, node,
		    "%s speaks no API of texts that a target of this rule is "
		    "asked in, so nothing goes there; see apis",
		    rule->escalation->name);
}

static void
fill_rule(struct conf_reader *r, const struct ynode *node,
    const struct rule_fields *in, struct conf_rule *rule)
{
	rule->id = in->rule.id;
	rule->kind = (enum conf_rule_kind)in->kind;
	if (in->when)
		cfield_read(in->when, when_rows, COUNT(when_rows), rule, r->f);
	if (in->sticky)
		cfield_read(in->sticky, sticky_rows, COUNT(sticky_rows), rule,
		    r->f);
	rule->escalates =
	    rule->metadata && ynode_get(rule->metadata, "escalate");
	if (in->validators)
		rule->validators = validators_read(in->validators, r->f);
	if (in->escalation)
		read_escalation(r, in->escalation, rule);
	conf_read_terms(r, node, &rule->terms);
	check_rule(r, node, rule);
	read_targets(r, in->targets, rule);
	check_escalation(r, in->escalation, rule);
}

static void
read_rule(struct conf_reader *r, const struct ynode *node)
{
	struct rule_fields in = { 0 };
	struct conf_rule *rule;

	cfield_read(node, rule_rows, COUNT(rule_rows), &in, r->f);
	if (in.rule.id && in.targets &&
	    (rule = conf_add_rule(r, node, in.targets->n)))
		fill_rule(r, node, &in, rule);
}

void
conf_read_rules(struct conf_reader *r, const struct ynode *list)
{
	for (const struct ynode *n = list->first; n; n = n->next)
		read_rule(r, n);
}

/* ---- virtual models */

struct virtual_fields {
	const char *name;
	const struct ynode *routing;
};

static const struct cfield virtual_rows[] = {
	{ "name", CF_STRING, true, 0, 0, offsetof(struct virtual_fields, name),
	    NULL },
	{ "routing_config", CF_MAP, true, 0, 0,
	    offsetof(struct virtual_fields, routing), NULL },
};

/* The rows of a rule's that a routing_config may have by itself. */
static bool
is_of_rule(const struct cfield *row)
{
	return strcmp(row->key, "id") != 0 && strcmp(row->key, "when") != 0;
}

/* A routing_config that is one rule: its id is the model's name. */
static void
read_virtual_rule(struct conf_reader *r, const struct ynode *node,
    const char *name)
{
	struct cfield rows[COUNT(rule_rows)];
	struct rule_fields in = { 0 };
	struct conf_rule *rule;
	size_t n = 0;

	for (size_t i = 0; i < COUNT(rule_rows); i++)
		if (is_of_rule(&rule_rows[i]))
			rows[n++] = rule_rows[i];
	cfield_read(node, rows, n, &in, r->f);
	in.rule.id = name;
	if (in.targets && (rule = conf_add_rule(r, node, in.targets->n)))
		fill_rule(r, node, &in, rule);
}

static void
read_virtual(struct conf_reader *r, const struct ynode *node)
{
	struct virtual_fields in = { NULL, NULL };
	size_t first = r->conf->nrules;
	const struct ynode *rules;

	cfield_read(node, virtual_rows, COUNT(virtual_rows), &in, r->f);
	if (!in.name || !in.routing)
		return;
	rules = ynode_get(in.routing, "rules");
	if (rules && rules->kind == YNODE_SEQ)
		conf_read_rules(r, rules);
	else
		read_virtual_rule(r, in.routing, in.name);
	for (size_t i = first; i < r->conf->nrules; i++)
		r->conf->rules[i].virtual_model = in.name;
}

void
conf_read_virtual(struct conf_reader *r, const struct ynode *list)
{
	for (const struct ynode *n = list->first; n; n = n->next)
		read_virtual(r, n);
}
