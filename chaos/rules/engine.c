/*
 * Counting and choosing; engine_shots.c reports.  A decision is pure (when.h);
 * what is stateful here is only what a scenario asks to be: attempts of a key,
 * phases, limits and the counts behind the goals.
 */
#include "chaos/rules/engine_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/log.h"
#include "base/mem.h"
#include "chaos/rules/request_key.h"
#include "chaos/rules/rule.h"
#include "chaos/rules/seen_keys.h"

#define KEYS_MAX 65536u

struct engine *
engine_new(const struct scenario *s, const char *seed, struct events *ev,
    uint64_t now_ms)
{
	struct engine *e = xcalloc(1, sizeof *e);

	e->s = s;
	e->events = ev;
	e->seed = seed ? seed : s->seed;
	e->keys = seen_keys_new(KEYS_MAX);
	digest_random(&e->secret, sizeof e->secret);
	e->requests = xcalloc(s->nproxies, sizeof *e->requests);
	/* The last row is for rules that are not the scenario's. */
	e->counts = xcalloc(s->nrules + 1, sizeof *e->counts);
	e->is_off = xcalloc(s->nrules, sizeof *e->is_off);
	TAILQ_INIT(&e->live);
	TAILQ_INIT(&e->last);
	e->start_ms = e->renewed_ms = now_ms;
	e->limits = (struct engine_limits){ .active_max = s->active_max,
		.fires_max = s->fires_max,
		.ttl_s = s->ttl_s };
	return e;
}

void
engine_free(struct engine *e)
{
	if (!e)
		return;
	while (!TAILQ_EMPTY(&e->live))
		engine_remove(e, TAILQ_FIRST(&e->live));
	while (!TAILQ_EMPTY(&e->last))
		engine_remove_last(e, TAILQ_FIRST(&e->last));
	seen_keys_free(e->keys);
	free(e->requests);
	free(e->counts);
	free(e->is_off);
	free(e);
}

static bool
is_about(const struct rule *r, const char *proxy)
{
	return !r->proxy || strcmp(r->proxy, proxy) == 0;
}

bool
engine_watches(const struct engine *e, const char *proxy)
{
	for (size_t i = 0; i < e->s->nrules; i++)
		if (is_about(&e->s->rules[i], proxy))
			return true;
	return false;
}

void
engine_limits(const struct engine *e, uint64_t now_ms,
    struct engine_limits *ret)
{
	uint64_t ttl_ms = (uint64_t)e->limits.ttl_s * 1000;
	uint64_t age_ms = now_ms - e->renewed_ms;

	*ret = e->limits;
	ret->is_expired = ttl_ms > 0 && age_ms >= ttl_ms;
	ret->left_ms = ttl_ms > age_ms ? ttl_ms - age_ms : 0;
}

void
engine_set_limits(struct engine *e, const struct engine_limits *l,
    uint64_t now_ms)
{
	e->limits.active_max = l->active_max;
	e->limits.fires_max = l->fires_max;
	e->limits.ttl_s = l->ttl_s;
	engine_renew(e, now_ms);
}

void
engine_renew(struct engine *e, uint64_t now_ms)
{
	e->renewed_ms = now_ms;
	e->is_expired = false;
}

void
engine_add(struct engine *e, struct live_rule *r)
{
	live_rule_hold(r);
	TAILQ_INSERT_TAIL(&e->live, r, entry);
}

void
engine_remove(struct engine *e, struct live_rule *r)
{
	TAILQ_REMOVE(&e->live, r, entry);
	live_rule_drop(r);
}

void
engine_add_last(struct engine *e, struct live_rule *r)
{
	live_rule_hold(r);
	TAILQ_INSERT_TAIL(&e->last, r, entry);
}

void
engine_remove_last(struct engine *e, struct live_rule *r)
{
	TAILQ_REMOVE(&e->last, r, entry);
	live_rule_drop(r);
}

bool
engine_has_live(const struct engine *e, const char *proxy)
{
	const struct live_rule *r;

	TAILQ_FOREACH(r, &e->live, entry)
		if (is_about(&r->rule, proxy))
			return true;
	TAILQ_FOREACH(r, &e->last, entry)
		if (is_about(&r->rule, proxy))
			return true;
	return false;
}

void
engine_see(struct engine *e, struct facts *f)
{
	for (size_t i = 0; i < e->s->nproxies; i++)
		if (strcmp(e->s->proxies[i].name, f->proxy) == 0)
			f->ordinal = ++e->requests[i];
	identity_see(&e->s->identity, &e->secret, f);
	f->attempt = seen_keys_see(e->keys, f->id);
	f->past = seen_keys_marks(e->keys, f->id);
}

void
engine_only(struct engine *e, engine_allows *allows, void *arg)
{
	e->allows = allows;
	e->allows_arg = arg;
}

void
engine_end_with(struct engine *e, uint64_t ordinal)
{
	e->ends_with = ordinal;
}

void
engine_enable(struct engine *e, size_t rule, bool is_enabled)
{
	e->is_off[rule] = !is_enabled;
}

bool
engine_is_enabled(const struct engine *e, size_t rule)
{
	return !e->is_off[rule];
}

void
engine_counts(const struct engine *e, size_t rule, uint64_t ret[GOAL_NCOUNTS])
{
	memcpy(ret, e->counts[rule], sizeof e->counts[rule]);
}

void
engine_each_rule(const struct engine *e,
    void (*fn)(const struct rule *r, const uint64_t counts[GOAL_NCOUNTS],
        void *arg),
    void *arg)
{
	const struct live_rule *l;

	TAILQ_FOREACH(l, &e->live, entry)
		fn(&l->rule, l->counts, arg);
	for (size_t i = 0; i < e->s->nrules; i++)
		fn(&e->s->rules[i], e->counts[i], arg);
	TAILQ_FOREACH(l, &e->last, entry)
		fn(&l->rule, l->counts, arg);
}

/* ---- choosing */

/* Phases follow each other; the last one, or one without until, stays. */
int
engine_phase(const struct engine *e, const struct facts *f, uint64_t now_ms)
{
	for (size_t i = 0; i < e->s->nphases; i++) {
		const struct phase_conf *p = &e->s->phases[i];
		bool by_count = p->requests && f->ordinal > p->requests;
		bool by_time = p->ms && now_ms - e->start_ms >= p->ms;

		if (!by_count && !by_time)
			return (int)i;
	}
	return -1;
}

static bool
is_expired(struct engine *e, uint64_t now_ms)
{
	struct engine_limits now;

	engine_limits(e, now_ms, &now);
	if (now.is_expired && !e->is_expired)
		log_warn("limits", "ttl_s %lld is over: no more faults",
		    (long long)now.ttl_s);
	e->is_expired = now.is_expired;
	return now.is_expired;
}

struct past {
	const struct engine *e;
	const struct facts *f;
};

bool
engine_was_decided(const struct engine *e, const struct facts *f,
    const char *rule)
{
	for (size_t i = 0; i < e->s->nrules; i++)
		if (strcmp(e->s->rules[i].id, rule) == 0)
			return f->past.bits[i / 64] >> i % 64 & 1;
	return false;
}

static bool
was_decided(const char *rule, void *arg)
{
	const struct past *p = arg;

	return engine_was_decided(p->e, p->f, rule);
}

/* Is it decided here? */
static bool
is_of_point(const struct rule *r, enum engine_point point)
{
	if (point == ENGINE_CONNECTION)
		return rule_taps(r) && !match_asks_http(&r->match);
	return r->acts_on_request == (point == ENGINE_REQUEST);
}

/* A rule that fits: does it fire, and by which draws?  The key is made for
 * those who draw, and for those who fire. */
static bool
decides(const struct engine *e, const struct rule *r, struct facts *f,
    const struct when_past *past, struct fire_draw *ret)
{
	*ret = (struct fire_draw){ e->seed, e->s->hash, r->id,
		when_draws(&r->when) ? identity_key(f) : "", f->attempt };
	if (!when_fires(&r->when, ret, past))
		return false;
	ret->key = identity_key(f);
	return true;
}

/* Is it asked about this request at all? */
static bool
is_asked(const struct engine *e, const struct rule *r, struct facts *f,
    int phase)
{
	return !e->is_off[r - e->s->rules] && is_about(r, f->proxy) &&
	    (r->phase < 0 || r->phase == phase) && match_holds(&r->match, f);
}

static bool
rule_fires(struct engine *e, const struct rule *r, struct facts *f, int phase,
    struct fire_draw *d)
{
	struct past past = { e, f };
	struct when_past when_past = { was_decided, &past };

	if (!is_asked(e, r, f, phase))
		return false;
	e->counts[r - e->s->rules][GOAL_MATCHED]++;
	return decides(e, r, f, &when_past, d);
}

/*
 * What `after` asks of later attempts: which rules are this request's, by what
 * is known when it comes.  What becomes of their faults is not waited for: how
 * far an answer has come when the next request is there hangs on the clock and
 * on the number of connections.
 */
static void
remember(struct engine *e, struct facts *f, enum engine_point point, int phase)
{
	const enum engine_point points[] = { point, ENGINE_ANSWER };
	struct past past = { e, f };
	struct when_past when_past = { was_decided, &past };
	struct fire_draw d;
	bool is_settled = false;

	for (size_t k = 0; k < (point == ENGINE_REQUEST ? 2 : 1); k++)
		for (size_t i = 0; i < e->s->nrules && !is_settled; i++) {
			const struct rule *r = &e->s->rules[i];

			if (!is_of_point(r, points[k]) ||
			    !is_asked(e, r, f, phase) ||
			    !decides(e, r, f, &when_past, &d))
				continue;
			seen_keys_mark(e->keys, f->id, i);
			is_settled = !r->is_also;
		}
}

static bool
has_after(const struct engine *e)
{
	const struct live_rule *l;

	for (size_t i = 0; i < e->s->nrules; i++)
		if (e->s->rules[i].when.rule)
			return true;
	TAILQ_FOREACH(l, &e->last, entry)
		if (l->rule.when.rule)
			return true;
	return false;
}

/* The row of counts: the scenario's rules have their own. */
static size_t
row_of(const struct engine *e, const struct rule *r)
{
	for (size_t i = 0; i < e->s->nrules; i++)
		if (&e->s->rules[i] == r)
			return i;
	return e->s->nrules;
}

static size_t
aim(struct engine *e, const struct rule *r, struct facts *f,
    const struct fire_draw *d, struct shot *shots, size_t max)
{
	uint64_t *counts = e->counts[row_of(e, r)];
	size_t n = r->nfaults < max ? r->nfaults : max;

	for (size_t i = 0; i < n; i++)
		shots[i] = (struct shot){ .engine = e,
			.rule = r,
			.counts = counts,
			.index = i,
			.facts = f,
			.decide = *d };
	return n;
}

/* Rules over the API: one fault each. */
static size_t
aim_live(struct engine *e, struct facts *f, enum engine_point point,
    struct shot *shots, size_t max)
{
	struct live_rule *l;
	size_t n = 0;

	TAILQ_FOREACH(l, &e->live, entry) {
		struct fire_draw d;

		if (n == max || !is_about(&l->rule, f->proxy) ||
		    !is_of_point(&l->rule, point))
			continue;
		l->counts[GOAL_MATCHED]++;
		if (!decides(e, &l->rule, f, NULL, &d))
			continue;
		/* It may be taken away over the API while the exchange is under
		 * way. */
		live_rule_hold(l);
		shots[n++] = (struct shot){ .engine = e,
			.rule = &l->rule,
			.live = l,
			.counts = l->counts,
			.facts = f,
			.decide = d };
	}
	return n;
}

/* Rules of presets: in order, until one that is not "also" fires. */
static size_t
aim_last(struct engine *e, struct facts *f, enum engine_point point, int phase,
    struct shot *shots, size_t max, bool *settled)
{
	struct past past = { e, f };
	struct when_past when_past = { was_decided, &past };
	struct live_rule *l;
	size_t n = 0;

	TAILQ_FOREACH(l, &e->last, entry) {
		const struct rule *r = &l->rule;
		struct fire_draw d;

		if (*settled || r->nfaults > max - n ||
		    !is_of_point(r, point) || !is_about(r, f->proxy) ||
		    (r->phase >= 0 && r->phase != phase) ||
		    !match_holds(&r->match, f))
			continue;
		l->counts[GOAL_MATCHED]++;
		if (!decides(e, r, f, &when_past, &d))
			continue;
		for (size_t i = 0; i < r->nfaults; i++) {
			live_rule_hold(l);
			shots[n++] = (struct shot){ .engine = e,
				.rule = r,
				.live = l,
				.counts = l->counts,
				.index = i,
				.facts = f,
				.decide = d };
		}
		*settled = !r->is_also;
	}
	return n;
}

size_t
engine_choose(struct engine *e, struct facts *f, enum engine_point point,
    uint64_t now_ms, struct shot *shots, size_t max, bool *settled)
{
	int phase = engine_phase(e, f, now_ms);
	size_t n = 0;

	/* A fault that cannot be logged would be one that nobody can explain;
	 * and no draw is made, so a run with the same seed differs only from
	 * here on. */
	if (events_are_broken(e->events) || is_expired(e, now_ms) ||
	    (e->ends_with && f->ordinal != e->ends_with))
		return 0;
	if (point != ENGINE_ANSWER && has_after(e))
		remember(e, f, point, phase);
	if (point != ENGINE_CONNECTION) /* there the toxics tap themselves */
		n = aim_live(e, f, point, shots, max);
	for (size_t i = 0; i < e->s->nrules && n < max && !*settled; i++) {
		const struct rule *r = &e->s->rules[i];
		struct fire_draw d;

		if (!is_of_point(r, point) || !rule_fires(e, r, f, phase, &d))
			continue;
		n += aim(e, r, f, &d, shots + n, max - n);
		*settled = !r->is_also;
	}
	return n + aim_last(e, f, point, phase, shots + n, max - n, settled);
}

size_t
engine_aim(struct engine *e, const struct rule *r, struct facts *f,
    uint64_t now_ms, struct shot *shots)
{
	struct fire_draw d = { e->seed, e->s->hash, r->id, identity_key(f),
		f->attempt };

	if (events_are_broken(e->events) || is_expired(e, now_ms))
		return 0;
	return aim(e, r, f, &d, shots, SHOTS_MAX);
}

/* ---- at the end */

uint64_t
engine_requests(const struct engine *e, size_t proxy)
{
	return e->requests[proxy];
}
