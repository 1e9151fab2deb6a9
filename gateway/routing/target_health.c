/*
 * A list keeps the order in which targets were named, a table of buckets
 * finds them.  Names that come from requests are capped, so that a client
 * that invents models cannot make us remember them all.
 */
#include "gateway/routing/target_health.h"

#include "base/mem.h"
#include "gateway/conf/conf.h"
#include <stdlib.h>
#include <string.h>

#define BUCKETS    256
#define DIRECT_MAX 256   /* targets that only requests have named */
#define STALE_MS   60000 /* measurements older than this say nothing */

struct target_health_table {
	struct target_health *first, **last;
	struct target_health *buckets[BUCKETS];
	unsigned ndirect;
};

struct target_health_table *
target_health_table_new(void)
{
	struct target_health_table *t = xcalloc(1, sizeof *t);

	t->last = &t->first;
	return t;
}

void
target_health_table_free(struct target_health_table *t)
{
	struct target_health *l, *next;

	if (!t)
		return;
	for (l = t->first; l; l = next) {
		next = l->next;
		free(l->name);
		free(l->label);
		free(l);
	}
	free(t);
}

const struct target_health *
target_health_first(const struct target_health_table *t)
{
	return t->first;
}

static bool
is_same(const struct breaker_conf *a, const struct breaker_conf *b)
{
	return a->fails_max == b->fails_max && a->window_ms == b->window_ms &&
	    a->hold_ms == b->hold_ms && a->demotes == b->demotes;
}

static struct target_health **
bucket_of(struct target_health_table *t, const char *name)
{
	uint32_t h = 2166136261U;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619U;
	return &t->buckets[h % BUCKETS];
}

static struct target_health *
find(struct target_health_table *t, const char *name)
{
	struct target_health *l = *bucket_of(t, name);

	while (l && strcmp(l->name, name) != 0)
		l = l->same;
	return l;
}

/* A name comes from a configuration, or from a request. */
static char *
escape(const char *name)
{
	char *label = xmalloc(2 * strlen(name) + 1), *to = label;

	for (; *name; name++) {
		if (*name == '"' || *name == '\\' || *name == '\n')
			*to++ = '\\';
		*to++ = (char)(*name == '\n' ? 'n' : *name);
	}
	*to = '\0';
	return label;
}

static struct target_health *
add(struct target_health_table *t, const char *name,
    const struct breaker_conf *conf)
{
	struct target_health **bucket = bucket_of(t, name);
	struct target_health *l = xcalloc(1, sizeof *l);

	l->name = xstrdup(name);
	l->label = escape(name);
	breaker_init(&l->breaker, conf);
	retry_budget_init(&l->retries);
	l->same = *bucket;
	*bucket = l;
	*t->last = l;
	t->last = &l->next;
	return l;
}

struct target_health *
target_health_get(struct target_health_table *t, const char *name,
    const struct breaker_conf *conf)
{
	struct target_health *l = find(t, name);
	unsigned epoch;

	if (!l)
		return add(t, name, conf);
	if (!is_same(&l->breaker.conf, conf)) {
		epoch = l->breaker.epoch;
		breaker_init(&l->breaker, conf);
		/* Attempts under way know the old one. */
		l->breaker.epoch = epoch + 1;
	}
	return l;
}

struct target_health *
target_health_direct(struct target_health_table *t, const char *name,
    const struct breaker_conf *conf, struct target_health *other)
{
	struct target_health *l;

	if (!find(t, name)) {
		if (t->ndirect >= DIRECT_MAX)
			return other;
		t->ndirect++;
	}
	l = target_health_get(t, name, conf);
	l->provider = other;
	return l;
}

bool
target_health_is_down(const struct target_health *l)
{
	return l->is_down || (l->provider && l->provider->is_down);
}

/* A rule with a breaker of its own keeps its own record of its targets. */
static void
bind_target(struct target_health_table *t, const struct conf_rule *rule,
    struct conf_target *target)
{
	char *name;

	if (!rule->terms.has_breaker) {
		target->live =
		    target_health_get(t, target->name, &rule->terms.breaker);
	} else {
		name = xasprintf("%s@%s", target->name, rule->id);
		target->live = target_health_get(t, name, &rule->terms.breaker);
		free(name);
	}
	target->live->provider = target->provider->live;
}

void
target_health_bind(struct target_health_table *t, struct conf *c)
{
	for (size_t i = 0; i < c->nproviders; i++)
		c->providers[i].live = target_health_get(t,
		    c->providers[i].name, &c->terms.breaker);
	for (size_t i = 0; i < c->nrules; i++) {
		struct conf_rule *rule = &c->rules[i];

		if (rule->escalation)
			bind_target(t, rule, rule->escalation);
		for (size_t k = 0; k < rule->ntargets; k++)
			bind_target(t, rule, &rule->targets[k]);
	}
}

/* An eighth of the newest: a few answers move it, one does not. */
static uint32_t
smooth(uint32_t old, uint64_t us)
{
	uint64_t v = us > UINT32_MAX ? UINT32_MAX : us;

	v = old ? (old * UINT64_C(7) + v) / 8 : v;
	return v ? (uint32_t)v : 1;
}

void
target_health_latency(struct target_health *l, uint64_t now_ms, uint64_t us,
    uint64_t per_token_us)
{
	l->seen_ms = now_ms;
	l->latency_us = smooth(l->latency_us, us);
	if (per_token_us)
		l->per_token_us = smooth(l->per_token_us, per_token_us);
}

void
target_health_refresh(struct target_health *l, uint64_t now_ms)
{
	if (l->seen_ms + STALE_MS < now_ms)
		l->latency_us = l->per_token_us = 0;
}
