/*
 * gateway-rate-limiting-config and gateway-budget-config: rules with a
 * condition, an amount and a unit.
 */
#include "gateway/conf/conf_read.h"

#include "base/mem.h"
#include <string.h>

#define HOUR UINT64_C(3600)
#define DAY  (24 * HOUR)

struct limit_fields {
	struct conf_limit rule;
	int unit;
	const struct ynode *when;
};

/* clang-format off */
static const struct unit {
	uint64_t window_s;
	enum conf_counted counted;
	bool is_budget; /* which of the two files it belongs to */
} units[] = {
	{ 60,      CONF_REQUESTS, false },
	{ HOUR,    CONF_REQUESTS, false },
	{ DAY,     CONF_REQUESTS, false },
	{ 60,      CONF_TOKENS,   false },
	{ HOUR,    CONF_TOKENS,   false },
	{ DAY,     CONF_TOKENS,   false },
	{ DAY,     CONF_COST,     true },
	{ 7 * DAY, CONF_COST,     true },
	{ 0,       CONF_COST,     true },
	{ 7 * DAY, CONF_TOKENS,   true },
	{ 0,       CONF_TOKENS,   true },
};

static const char *const unit_names[] = {
	"requests_per_minute", "requests_per_hour", "requests_per_day",
	"tokens_per_minute",   "tokens_per_hour",   "tokens_per_day",
	"cost_per_day",        "cost_per_week",     "cost_per_month",
	"tokens_per_week",     "tokens_per_month",  NULL,
};

#define FIELD(m) offsetof(struct limit_fields, m)

static const struct cfield rows[] = {
	{ "audit_mode",             CF_BOOL,    false, 0, 0,    FIELD(rule.is_audit),    NULL },
	{ "budget_applies_per",     CF_STRINGS, false, 0, 0,    FIELD(rule.applies_per), NULL },
	{ "id",                     CF_STRING,  true,  0, 0,    FIELD(rule.id),          NULL },
	{ "limit_to",               CF_REAL,    true,  0, 1e12, FIELD(rule.limit_to),    NULL },
	{ "rate_limit_applies_per", CF_STRINGS, false, 0, 0,    FIELD(rule.applies_per), NULL },
	{ "unit",                   CF_ENUM,    true,  0, 0,    FIELD(unit),             unit_names },
	{ "when",                   CF_MAP,     false, 0, 0,    FIELD(when),             NULL },
};

static const struct cfield when_rows[] = {
	{ "metadata", CF_STRMAP,  false, 0, 0, offsetof(struct conf_limit, metadata), NULL },
	{ "models",   CF_STRINGS, false, 0, 0, offsetof(struct conf_limit, models),   NULL },
	{ "subjects", CF_STRINGS, false, 0, 0, offsetof(struct conf_limit, subjects), NULL },
};
/* clang-format on */

static void
check_applies(struct conf_reader *r, const struct ynode *list)
{
	for (const struct ynode *n = list ? list->first : NULL; n; n = n->next)
		if (strcmp(n->text, "user") != 0 &&
		    strcmp(n->text, "model") != 0 &&
		    strncmp(n->text, "metadata.", 9) != 0)
			findings_error(r->f, n,
			    "found %s, expected user, model or metadata.KEY",
			    n->text);
}

/* A counter, in the store too, is found by its rule's id. */
static void
warn_of_twin(struct conf_reader *r, const struct ynode *node, const char *id)
{
	for (size_t i = 0; i < r->conf->nlimits; i++)
		if (strcmp(r->conf->limits[i].id, id) == 0)
			findings_warn(r->f, ynode_get(node, "id"),
			    "another limit or budget is called %s: they count "
			    "as one",
			    id);
}

static void
read_limit(struct conf_reader *r, const struct ynode *node, bool budget)
{
	struct conf *c = r->conf;
	struct limit_fields in = { .unit = -1 };
	const struct unit *unit;

	cfield_read(node, rows, COUNT(rows), &in, r->f);
	if (in.when)
		cfield_read(in.when, when_rows, COUNT(when_rows), &in.rule,
		    r->f);
	check_applies(r, in.rule.applies_per);
	if (!in.rule.id || in.unit < 0)
		return;
	unit = &units[in.unit];
	/* A day of tokens may stand in either file. */
	if (unit->is_budget != budget &&
	    !(unit->counted == CONF_TOKENS && unit->window_s == DAY))
		findings_error(r->f, ynode_get(node, "unit"),
		    "%s belongs into the other of rate limits and budgets",
		    unit_names[in.unit]);
	in.rule.counted = unit->counted;
	in.rule.window_s = unit->window_s;
	in.rule.is_budget = budget;
	warn_of_twin(r, node, in.rule.id);
	c->limits = xreallocarray(c->limits, c->nlimits + 1, sizeof *c->limits);
	c->limits[c->nlimits++] = in.rule;
}

void
conf_read_limits(struct conf_reader *r, const struct ynode *list, bool budget)
{
	if (list->n > CONF_RULES_MAX - r->conf->nlimits) {
		findings_error(r->f, list, "more than %d rules",
		    CONF_RULES_MAX);
		return;
	}
	for (const struct ynode *n = list->first; n; n = n->next)
		read_limit(r, n, budget);
}
