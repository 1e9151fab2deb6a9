/*
 * A list keeps the order in which targets were named, a table of buckets
 * finds them.  Names that come from requests are capped, so that a client
 * that invents models cannot make us remember them all: a new one takes the
 * place of one that never answered, or of the one that nobody has asked for the
 * longest time, and no two ever share a place.
 */
#include "gateway/routing/target_health.h"

#include "base/mem.h"
#include "gateway/conf/conf.h"
#include <stdlib.h>
#include <string.h>

#define BUCKETS    256
#define DIRECT_MAX 256   /* targets that only requests have named, idle ones */
#define STALE_MS   60000 /* measurements older than this say nothing */

struct target_health_table {
	struct target_health *first, **last;
	struct target_health *buckets[BUCKETS];
	unsigned ndirect;
	uint64_t turn; /* of requests that name their target */
};

struct target_health_table *
target_health_table_new(void)
{
	struct target_health_table *t = xcalloc(1, sizeof *t);

	t->last = &t->first;
	return t;
}

static void
free_one(struct target_health *l)
{
	free(l->name);
	free(l->label);
	free(l);
}

void
target_health_table_free(struct target_health_table *t)
{
	struct target_health *l, *next;

	if (!t)
		return;
	for (l = t->first; l; l = next) {
		next = l->next;
		free_one(l);
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

static struct target_health *
get(struct target_health_table *t, const char *name,
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
target_health_get(struct target_health_table *t, const char *name,
    const struct breaker_conf *conf)
{
	struct target_health *l = get(t, name, conf);

	if (l->is_direct) {
		l->is_direct = false;
		t->ndirect--;
	}
	return l;
}

/* What it has counted is its provider's from now on: sums stay what they are. */
static void
hand_over(const struct target_health *l, struct target_health *to)
{
	for (int i = 0; i < CAUSE_NCAUSES; i++)
		to->causes[i] += l->causes[i];
	to->tokens_in += l->tokens_in;
	to->tokens_out += l->tokens_out;
	to->cost_nano += l->cost_nano;
	to->wasted_nano += l->wasted_nano;
	hist_join(&to->duration, &l->duration);
	hist_join(&to->first_token, &l->first_token);
	hist_join(&to->per_token, &l->per_token);
	hist_join(&to->in, &l->in);
	hist_join(&to->out, &l->out);
}

static void
forget(struct target_health_table *t, struct target_health **link)
{
	struct target_health *l = *link, **same = bucket_of(t, l->name);

	while (*same != l)
		same = &(*same)->same;
	*same = l->same;
	if (!(*link = l->next))
		t->last = link;
	hand_over(l, l->provider);
	free_one(l);
	t->ndirect--;
}

/* Who never answered goes before who did: models that are made up push out
 * each other. */
static bool
goes_before(const struct target_health *a, const struct target_health *b)
{
	bool has_a = a->causes[CAUSE_OK] > 0, has_b = b->causes[CAUSE_OK] > 0;

	return has_a != has_b ? has_b : a->turn < b->turn;
}

static void
make_room(struct target_health_table *t)
{
	while (t->ndirect >= DIRECT_MAX) {
		struct target_health **pick = NULL;

		for (struct target_health **l = &t->first; *l; l = &(*l)->next)
			if ((*l)->is_direct && !(*l)->held &&
			    (!pick || goes_before(*l, *pick)))
				pick = l;
		if (!pick)
			return; /* as many as requests under way */
		forget(t, pick);
	}
}

struct target_health *
target_health_direct(struct target_health_table *t, const char *name,
    const struct breaker_conf *conf, struct target_health *provider)
{
	bool is_new = !find(t, name);
	struct target_health *l;

	if (is_new)
		make_room(t);
	l = get(t, name, conf);
	if (is_new) {
		l->is_direct = true;
		t->ndirect++;
	}
	l->provider = provider;
	l->turn = ++t->turn;
	l->held++;
	return l;
}

void
target_health_let_go(struct target_health *l)
{
	l->held--;
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

/* The client would wait no longer, though the configuration would have: that
 * says nothing about the target, or one client could shut it for all. */
static bool
is_impatience(const struct target_health_end *end)
{
	if (end->cause == CAUSE_FIRST_TOKEN || end->cause == CAUSE_TIMEOUT)
		return end->waited_us < end->patience_us &&
		    end->is_clients_limit;
	return end->cause == CAUSE_CLIENT_GONE ||
	    (end->cause == CAUSE_DEADLINE && end->is_hurried);
}

void
target_health_ended(struct target_health *l,
    const struct target_health_end *end, struct breaker_pass *pass)
{
	l->causes[end->cause]++;
	if (is_impatience(end) || end->is_key_refused ||
	    cause_may_be_askers(end->cause))
		breaker_leave(&l->breaker, pass);
	else if (cause_counts_against(end->cause, end->status))
		breaker_fail(&l->breaker, pass, end->now_ms,
		    end->retry_after_ms);
	else
		breaker_ok(&l->breaker, pass, end->now_ms);
}

void
target_health_refresh(struct target_health *l, uint64_t now_ms)
{
	if (l->seen_ms + STALE_MS < now_ms)
		l->latency_us = l->per_token_us = 0;
}
