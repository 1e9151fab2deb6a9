/*
 * Rules that can never fire, and phases that are never reached.  Each reason
 * is a row below: a test that holds only when it is sure, and what is said.
 */
#include <stdio.h>
#include <string.h>

#include "chaos/rules/rule.h"
#include "chaos/rules/scenario.h"

typedef bool death(const struct scenario *s, const struct rule *r, char *out,
    size_t size);

/* When phase `before` is over, so is `p`: nobody ever meets p. */
static bool
is_over_with(const struct phase_conf *p, const struct phase_conf *before)
{
	bool by_count = before->requests == 0 ||
	    (p->requests && p->requests <= before->requests);
	bool by_time = before->ms == 0 || (p->ms && p->ms <= before->ms);

	return by_count && by_time;
}

static const struct phase_conf *
phase_ender(const struct scenario *s, size_t phase)
{
	for (size_t i = 0; i < phase; i++)
		if (is_over_with(&s->phases[phase], &s->phases[i]))
			return &s->phases[i];
	return NULL;
}

static const struct rule *
rule_of(const struct scenario *s, const char *id)
{
	for (size_t i = 0; i < s->nrules; i++)
		if (strcmp(s->rules[i].id, id) == 0)
			return &s->rules[i];
	return NULL;
}

/* ---- reasons */

static bool
never_holds(const struct scenario *s, const struct rule *r, char *out,
    size_t size)
{
	(void)s;
	snprintf(out, size, "its `when` never holds");
	return when_is_dead(&r->when);
}

/* Follows `after` from rule to rule: back to this one, round and round
 * among others, or to one that is dead. */
static bool
waits_in_vain(const struct scenario *s, const struct rule *r, char *out,
    size_t size)
{
	const struct rule *at = r;

	/* As many steps as there are rules: one more would be a ring that this
	 * rule only leads into. */
	for (size_t i = 0; i <= s->nrules && at && at->when.rule; i++) {
		at = rule_of(s, at->when.rule);
		if (at == r) {
			snprintf(out, size, "it waits for itself");
			return true;
		}
	}
	if (!at || at == r)
		return false;
	snprintf(out, size, "it waits for rule %s, which never fires", at->id);
	return at->when.rule || when_is_dead(&at->when);
}

static bool
meets_bytes_only(const struct scenario *s, const struct rule *r)
{
	/* A preset has no proxies; it is not known yet what its rules will
	 * meet. */
	if (s->nproxies == 0)
		return false;
	for (size_t i = 0; i < s->nproxies; i++)
		if ((!r->proxy || strcmp(s->proxies[i].name, r->proxy) == 0) &&
		    s->proxies[i].mode != PROXY_PASSTHROUGH)
			return false;
	return true;
}

static bool
has_http_fault(const struct scenario *s, const struct rule *r, char *out,
    size_t size)
{
	snprintf(out, size, "%s acts on HTTP, and its %s",
	    r->faults[0].type->name,
	    r->proxy ? "proxy passes bytes" : "proxies all pass bytes");
	return meets_bytes_only(s, r) && !rule_taps(r);
}

static bool
asks_bytes_for_http(const struct scenario *s, const struct rule *r, char *out,
    size_t size)
{
	snprintf(out, size, "its `match` asks for HTTP, and its %s",
	    r->proxy ? "proxy passes bytes" : "proxies all pass bytes");
	return meets_bytes_only(s, r) && match_asks_http(&r->match);
}

static bool
is_never_its_phase(const struct scenario *s, const struct rule *r, char *out,
    size_t size)
{
	const struct phase_conf *p = r->phase < 0 ? NULL : &s->phases[r->phase];

	if (!p)
		return false;
	snprintf(out, size, "its phase %s is never reached", p->name);
	if (phase_ender(s, (size_t)r->phase))
		return true;
	snprintf(out, size, "its phase %s is over after %llu requests", p->name,
	    (unsigned long long)p->requests);
	/* An attempt cannot come before its request: a key's second attempt is
	 * at least the proxy's second request. */
	return p->requests && when_first(&r->when) > p->requests;
}

static bool
is_never_its_attempt(const struct scenario *s, const struct rule *r, char *out,
    size_t size)
{
	uint64_t wanted = (uint64_t)r->match.attempt;

	(void)s;
	snprintf(out, size, "it matches attempt %llu, its `when` begins later",
	    (unsigned long long)wanted);
	return wanted && wanted < when_first(&r->when);
}

/*
 * a takes every request that b could: it is asked before, and fires.  One
 * that acts on the answer is asked later than one that acts on the request;
 * between the two the model and the phase may change.
 */
static bool
is_before(const struct rule *a, const struct rule *b)
{
	bool same_point = a->acts_on_request == b->acts_on_request;

	if (a->is_also || (b->acts_on_request && !a->acts_on_request))
		return false;
	if (!same_point && (a->match.model || a->phase >= 0))
		return false;
	return (!a->proxy || (b->proxy && strcmp(a->proxy, b->proxy) == 0)) &&
	    (a->phase < 0 || a->phase == b->phase) &&
	    match_covers(&a->match, &b->match) &&
	    when_covers(&a->when, &b->when);
}

static bool
is_shadowed(const struct scenario *s, const struct rule *r, char *out,
    size_t size)
{
	for (const struct rule *a = s->rules; a < r; a++) {
		if (!is_before(a, r) ||
		    (meets_bytes_only(s, r) && !rule_taps(a)))
			continue;
		snprintf(out, size,
		    "rule %s before it takes all of its requests and does not "
		    "say \"also\"",
		    a->id);
		return true;
	}
	return false;
}

static death *const deaths[] = { /* the plainest first */
	never_holds, waits_in_vain, has_http_fault, asks_bytes_for_http,
	is_never_its_phase, is_never_its_attempt, is_shadowed
};

/* ---- all of them */

static size_t
warn_of_phases(const struct scenario *s,
    void (*on_warning)(const char *text, void *arg), void *arg)
{
	char text[WHY_MAX];
	size_t n = 0;

	for (size_t i = 0; i < s->nphases; i++) {
		const struct phase_conf *ender = phase_ender(s, i);

		if (!ender)
			continue;
		n++;
		snprintf(text, sizeof text,
		    "/phases/%zu: phase %s is never reached: it is over when "
		    "%s is",
		    i, s->phases[i].name, ender->name);
		on_warning(text, arg);
	}
	return n;
}

/* A file without a word of proxies is a preset: others name it. */
static size_t
warn_of_proxies(const struct scenario *s,
    void (*on_warning)(const char *text, void *arg), void *arg)
{
	if (s->nproxies > 0 || s->nrules == 0 ||
	    !json_object_get(s->doc, "proxies"))
		return 0;
	on_warning("/proxies: there is none: its rules wait for one that comes "
	           "over the admin API",
	    arg);
	return 1;
}

size_t
scenario_warnings(const struct scenario *s,
    void (*on_warning)(const char *text, void *arg), void *arg)
{
	char text[WHY_MAX], reason[256];
	size_t n = warn_of_phases(s, on_warning, arg);

	n += warn_of_proxies(s, on_warning, arg);
	n += scenario_doubts(s, on_warning, arg);
	for (size_t i = 0; i < s->nrules; i++) {
		const struct rule *r = &s->rules[i];
		size_t k = 0;

		while (k < COUNT(deaths) &&
		    !deaths[k](s, r, reason, sizeof reason))
			k++;
		if (k == COUNT(deaths))
			continue;
		n++;
		snprintf(text, sizeof text,
		    "/rules/%zu: rule %s can never fire: %s", i, r->id, reason);
		on_warning(text, arg);
	}
	return n;
}
