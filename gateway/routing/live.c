/*
 * A list keeps the order in which targets were named, a table of buckets
 * finds them.  Names that come from requests are capped, so that a client
 * that invents models cannot make us remember them all.
 */
#include "gateway/routing/live.h"

#include "base/mem.h"
#include "gateway/conf/conf.h"
#include <stdlib.h>
#include <string.h>

#define BUCKETS    256
#define DIRECT_MAX 256   /* targets that only requests have named */
#define STALE_MS   60000 /* measurements older than this say nothing */

struct live_table {
	struct live *first, **last;
	struct live *buckets[BUCKETS];
	unsigned ndirect;
};

struct live_table *
live_table_new(void)
{
	struct live_table *t = xcalloc(1, sizeof *t);

	t->last = &t->first;
	return t;
}

void
live_table_free(struct live_table *t)
{
	struct live *l, *next;

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

const struct live *
live_first(const struct live_table *t)
{
	return t->first;
}

static bool
is_same(const struct breaker_conf *a, const struct breaker_conf *b)
{
	return a->fails_max == b->fails_max && a->window_ms == b->window_ms &&
	    a->hold_ms == b->hold_ms && a->demotes == b->demotes;
}

static struct live **
bucket_of(struct live_table *t, const char *name)
{
	uint32_t h = 2166136261U;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619U;
	return &t->buckets[h % BUCKETS];
}

static struct live *
find(struct live_table *t, const char *name)
{
	struct live *l = *bucket_of(t, name);

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

static struct live *
add(struct live_table *t, const char *name, const struct breaker_conf *conf)
{
	struct live **bucket = bucket_of(t, name);
	struct live *l = xcalloc(1, sizeof *l);

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

struct live *
live_get(struct live_table *t, const char *name,
    const struct breaker_conf *conf)
{
	struct live *l = find(t, name);
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

struct live *
live_direct(struct live_table *t, const char *name,
    const struct breaker_conf *conf, struct live *other)
{
	if (!find(t, name)) {
		if (t->ndirect >= DIRECT_MAX)
			return other;
		t->ndirect++;
	}
	return live_get(t, name, conf);
}

/* A rule with a breaker of its own keeps its own record of its targets. */
static void
bind_target(struct live_table *t, const struct conf_rule *rule,
    struct conf_target *target)
{
	char *name;

	if (!rule->terms.has_breaker) {
		target->live = live_get(t, target->name, &rule->terms.breaker);
		return;
	}
	name = xasprintf("%s@%s", target->name, rule->id);
	target->live = live_get(t, name, &rule->terms.breaker);
	free(name);
}

void
live_bind(struct live_table *t, struct conf *c)
{
	for (size_t i = 0; i < c->nproviders; i++)
		c->providers[i].live =
		    live_get(t, c->providers[i].name, &c->terms.breaker);
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
live_latency(struct live *l, uint64_t now_ms, uint64_t us,
    uint64_t per_token_us)
{
	l->seen_ms = now_ms;
	l->latency_us = smooth(l->latency_us, us);
	if (per_token_us)
		l->per_token_us = smooth(l->per_token_us, per_token_us);
}

void
live_refresh(struct live *l, uint64_t now_ms)
{
	if (l->seen_ms + STALE_MS < now_ms)
		l->latency_us = l->per_token_us = 0;
}
