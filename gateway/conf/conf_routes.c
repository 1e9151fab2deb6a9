/*
 * The small dialect:
 *
 *	routes: [{name, provider, model, priority}]
 *	retry_config: {max_attempts, initial_backoff_ms, max_backoff_ms}
 *	fallback_status_codes: [...]	fallback_candidate: true
 *	escalation_rules: [{if_header, contains, route_to}]
 *
 * It becomes the same rules as everything else: one per escalation, which
 * puts its route first, then one for all the rest, by priority.
 */
#include "gateway/conf/conf_read.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct route {
	const char *name, *provider, *model;
	int64_t priority;
};

struct escalation {
	const char *header, *contains, *route;
};

struct dialect {
	struct conf_reader *r;
	struct route *routes;
	size_t n;
	int64_t attempts;
	struct retry_conf retry;
	bool is_candidate;
};

/* clang-format off */
static const struct cfield route_rows[] = {
	{ "model",    CF_STRING, true,  0, 0,       offsetof(struct route, model),    NULL },
	{ "name",     CF_STRING, true,  0, 0,       offsetof(struct route, name),     NULL },
	{ "priority", CF_INT,    false, 0, 1000000, offsetof(struct route, priority), NULL },
	{ "provider", CF_STRING, true,  0, 0,       offsetof(struct route, provider), NULL },
};

static const struct cfield escalation_rows[] = {
	{ "contains",  CF_STRING, true, 0, 0, offsetof(struct escalation, contains), NULL },
	{ "if_header", CF_STRING, true, 0, 0, offsetof(struct escalation, header),   NULL },
	{ "route_to",  CF_STRING, true, 0, 0, offsetof(struct escalation, route),    NULL },
};

#define DIALECT(m) offsetof(struct dialect, m)

static const struct cfield retry_rows[] = {
	{ "initial_backoff_ms", CF_INT, false, 0, 60000,  DIALECT(retry.delay_ms),     NULL },
	{ "max_attempts",       CF_INT, false, 1, 10,     DIALECT(attempts),           NULL },
	{ "max_backoff_ms",     CF_INT, false, 0, 600000, DIALECT(retry.delay_max_ms), NULL },
};

static const struct cfield fallback_rows[] = {
	{ "fallback_candidate",    CF_BOOL,     false, 0, 0, DIALECT(is_candidate),   NULL },
	{ "fallback_status_codes", CF_STATUSES, false, 0, 0, DIALECT(retry.fallback), NULL },
};
/* clang-format on */

static bool
is_complete(const struct route *route)
{
	return route->name && route->provider && route->model;
}

static void
add_target(struct dialect *d, struct conf_rule *rule, const struct route *route,
    const struct ynode *at)
{
	struct conf_reader *r = d->r;
	struct conf_target *t = &rule->targets[rule->ntargets++];

	conf_target_init(t);
	t->priority = (int64_t)rule->ntargets;
	t->retry = d->retry;
	t->is_candidate = d->is_candidate;
	t->provider =
	    conf_provider(r->conf, route->provider, strlen(route->provider));
	if (!t->provider) {
		findings_error(r->f, at, "no provider is named %s",
		    route->provider);
		return;
	}
	t->model = route->model;
	t->name = conf_own(r->conf,
	    xasprintf("%s/%s", route->provider, route->model));
	conf_target_edits(r, t, NULL);
}

/* A rule with the route `first` in front (NULL: none) and the rest by
 * priority, which is the order they are in. */
static struct conf_rule *
add_rule(struct dialect *d, const struct ynode *at, const struct route *first)
{
	struct conf_rule *rule = conf_add_rule(d->r, at, d->n);

	if (!rule)
		return NULL;
	rule->kind = CONF_PRIORITY;
	if (first)
		add_target(d, rule, first, at);
	for (size_t i = 0; i < d->n; i++)
		if (&d->routes[i] != first)
			add_target(d, rule, &d->routes[i], at);
	return rule;
}

static void
read_escalation(struct dialect *d, const struct ynode *node)
{
	const struct route *first = NULL;
	struct escalation in = { 0 };
	struct conf_rule *rule;

	cfield_read(node, escalation_rows, COUNT(escalation_rows), &in,
	    d->r->f);
	if (!in.header || !in.contains || !in.route)
		return;
	for (size_t i = 0; i < d->n; i++)
		if (strcmp(d->routes[i].name, in.route) == 0)
			first = &d->routes[i];
	if (!first) {
		findings_error(d->r->f, ynode_get(node, "route_to"),
		    "no route is named %s", in.route);
		return;
	}
	if (!(rule = add_rule(d, node, first)))
		return;
	rule->id = first->name;
	rule->header = in.header;
	rule->header_contains = in.contains;
	rule->escalates = true;
}

static int
by_priority(const void *a, const void *b)
{
	const struct route *x = a, *y = b;

	if (x->priority != y->priority)
		return x->priority < y->priority ? -1 : 1;
	/* qsort is not stable: the names keep the order the same each run. */
	return strcmp(x->name, y->name);
}

static void
read_list(struct dialect *d, const struct ynode *list)
{
	d->routes = xcalloc(list->n + 1, sizeof *d->routes);
	for (const struct ynode *n = list->first; n; n = n->next) {
		struct route *route = &d->routes[d->n];

		cfield_read(n, route_rows, COUNT(route_rows), route, d->r->f);
		if (is_complete(route))
			d->n++;
	}
	qsort(d->routes, d->n, sizeof *d->routes, by_priority);
	if (list->n == 0)
		findings_error(d->r->f, list, "no routes");
}

static void
read_one(struct dialect *d, const struct ynode *document, const char *key,
    const struct cfield *row)
{
	const struct ynode *n = ynode_get(document, key);
	struct ynode map = { .kind = YNODE_MAP, .first = NULL };
	struct ynode child;

	if (!n)
		return;
	child = *n;
	child.next = NULL;
	map.first = &child;
	cfield_read(&map, row, 1, d, d->r->f);
}

void
conf_read_routes(struct conf_reader *r, const struct ynode *document)
{
	const struct ynode *retry = ynode_get(document, "retry_config");
	const struct ynode *rules = ynode_get(document, "escalation_rules");
	struct dialect d = { .r = r, .is_candidate = true, .attempts = 3 };
	struct conf_rule *rule;

	retry_conf_init(&d.retry);
	if (retry)
		cfield_read(retry, retry_rows, COUNT(retry_rows), &d, r->f);
	for (size_t i = 0; i < COUNT(fallback_rows); i++)
		read_one(&d, document, fallback_rows[i].key, &fallback_rows[i]);
	d.retry.retries = d.attempts - 1;
	read_list(&d, ynode_get(document, "routes"));
	if (rules && rules->kind != YNODE_SEQ)
		findings_error(r->f, rules, "expected a list");
	for (const struct ynode *n =
	         rules && rules->kind == YNODE_SEQ ? rules->first : NULL;
	     n; n = n->next)
		read_escalation(&d, n);
	if (d.n > 0 && (rule = add_rule(&d, document, NULL)))
		rule->id = "routes";
	free(d.routes);
}
