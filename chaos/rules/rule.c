/*
 * Reading one rule, and its goal: "fired>=1".  A rule with an unknown key is
 * refused rather than passed over: a rule that silently does less than its
 * author meant is the worst that a test tool can do.
 */
#include "chaos/rules/rule.h"

#include "base/jfield.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOAL_MAX 1000000000ul

struct raw {
	const char *id, *proxy, *phase, *goal;
	json_t *match, *when, *fault;
	bool also;
};

/* clang-format off */
static const struct jfield fields[] = {		/* sorted by key */
	{ "also",  JF_BOOL,   0,           0, 0,  offsetof(struct raw, also),  NULL },
	{ "fault", JF_ANY,    JF_REQUIRED, 0, 0,  offsetof(struct raw, fault), NULL },
	{ "goal",  JF_STRING, 0,           0, 0,  offsetof(struct raw, goal),  NULL },
	{ "id",    JF_STRING, JF_REQUIRED, 0, 0,  offsetof(struct raw, id),    NULL },
	{ "match", JF_OBJECT, 0,           0, 0,  offsetof(struct raw, match), NULL },
	{ "phase", JF_STRING, 0,           0, 0,  offsetof(struct raw, phase), NULL },
	{ "proxy", JF_STRING, 0,           0, 0,  offsetof(struct raw, proxy), NULL },
	{ "when",  JF_OBJECT, JF_REQUIRED, 0, 0,  offsetof(struct raw, when),  NULL },
};
/* clang-format on */

const struct jfield *
rule_fields(size_t *n)
{
	*n = COUNT(fields);
	return fields;
}

static const char *const goal_counts[GOAL_NCOUNTS] = {
	[GOAL_FIRED] = "fired",
	[GOAL_BYPASSED] = "bypassed",
	[GOAL_MATCHED] = "matched",
};

static const char *const goal_tests[GOAL_NTESTS] = {
	[GOAL_GE] = ">=",
	[GOAL_LE] = "<=",
	[GOAL_EQ] = "==",
	[GOAL_GT] = ">",
	[GOAL_LT] = "<",
};

/* The index of the name that text begins with; -1 if none does. */
static int
prefix_of(const char *const *names, int n, const char *text)
{
	for (int i = 0; i < n; i++)
		if (strncmp(text, names[i], strlen(names[i])) == 0)
			return i;
	return -1;
}

static enum err
goal_read(const char *text, const char *pointer, struct goal *ret,
    struct why *why)
{
	const char *p = text;
	char *end = NULL;
	int count = prefix_of(goal_counts, GOAL_NCOUNTS, p), test = -1;
	unsigned long n = 0;

	if (count >= 0) {
		p += strlen(goal_counts[count]);
		p += strspn(p, " ");
		test = prefix_of(goal_tests, GOAL_NTESTS, p);
	}
	if (test >= 0) {
		p += strlen(goal_tests[test]);
		p += strspn(p, " ");
		n = strtoul(p, &end, 10);
	}
	/* strtoul() takes a sign and wraps a negative number around. */
	if (!end || end == p || *end || *p == '-' || *p == '+' || n > GOAL_MAX)
		return why_set(why, ERR_SYNTAX,
		    "%s/goal: found string \"%.40s\", expected fired, bypassed "
		    "or matched, a comparison (>=, <=, ==, >, <) and a number",
		    pointer, text);
	*ret = (struct goal){ text, (enum goal_count)count,
		(enum goal_test)test, n };
	return ERR_OK;
}

bool
goal_is_met(const struct goal *g, const uint64_t counts[GOAL_NCOUNTS])
{
	uint64_t got = counts[g->count];
	const bool holds[GOAL_NTESTS] = {
		[GOAL_GE] = got >= g->n,
		[GOAL_LE] = got <= g->n,
		[GOAL_EQ] = got == g->n,
		[GOAL_GT] = got > g->n,
		[GOAL_LT] = got < g->n,
	};

	return !g->text || holds[g->test];
}

static bool
is_id(const char *s)
{
	size_t n = strspn(s,
	    "abcdefghijklmnopqrstuvwxyz"
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");

	return n > 0 && n <= 64 && s[n] == '\0';
}

static enum err
check_names(const struct raw *raw, const char *pointer,
    const struct scenario *s, struct rule *r, struct why *why)
{
	if (!is_id(raw->id))
		return why_set(why, ERR_SYNTAX,
		    "%s/id: found string \"%.40s\", expected 1 to 64 of "
		    "a-z A-Z 0-9 _ - .",
		    pointer, raw->id);
	r->phase = -1;
	for (size_t i = 0; raw->phase && i < s->nphases; i++)
		if (strcmp(s->phases[i].name, raw->phase) == 0)
			r->phase = (int)i;
	if (raw->phase && r->phase < 0)
		return why_set(why, ERR_SYNTAX,
		    "%s/phase: found string \"%.40s\", expected the name of a "
		    "phase",
		    pointer, raw->phase);
	for (size_t i = 0; raw->proxy && i < s->nproxies; i++)
		if (strcmp(s->proxies[i].name, raw->proxy) == 0)
			r->proxy = raw->proxy;
	if (raw->proxy && !r->proxy)
		return why_set(why, ERR_SYNTAX,
		    "%s/proxy: found string \"%.40s\", expected the name of a "
		    "proxy",
		    pointer, raw->proxy);
	return ERR_OK;
}

/* One fault, or a list: a pipeline in that order. */
static enum err
read_faults(json_t *v, const char *pointer, struct rule *r, struct why *why)
{
	size_t n = json_is_array(v) ? json_array_size(v) : 1;
	char at[256];
	enum err e = ERR_OK;

	if (n == 0 || n > RULE_FAULTS_MAX)
		return why_set(why, ERR_RANGE,
		    "%s/fault: found %zu items, expected 1 to %d", pointer, n,
		    RULE_FAULTS_MAX);
	for (size_t i = 0; i < n && e == ERR_OK; i++) {
		if (json_is_array(v))
			snprintf(at, sizeof at, "%s/fault/%zu", pointer, i);
		else
			snprintf(at, sizeof at, "%s/fault", pointer);
		e = fault_read(json_is_array(v) ? json_array_get(v, i) : v, at,
		    &r->faults[i], why);
		if (e == ERR_OK) {
			r->nfaults++;
			if (r->faults[i].type->on_request)
				r->acts_on_request = true;
		}
	}
	return e;
}

enum err
rule_read(json_t *v, const char *pointer, const struct scenario *s,
    struct rule *ret, struct why *why)
{
	struct raw raw = { 0 };
	struct rule r = { 0 };
	char at[256];
	enum err e = jfield_read(v, pointer, fields, COUNT(fields), &raw, why);

	if (e != ERR_OK)
		return e;
	r.id = raw.id;
	r.is_also = raw.also;
	e = check_names(&raw, pointer, s, &r, why);
	if (e == ERR_OK) {
		snprintf(at, sizeof at, "%s/match", pointer);
		e = match_read(raw.match, at, &r.match, why);
	}
	if (e == ERR_OK) {
		snprintf(at, sizeof at, "%s/when", pointer);
		e = when_read(raw.when, at, &r.when, why);
	}
	if (e == ERR_OK && raw.goal)
		e = goal_read(raw.goal, pointer, &r.goal, why);
	if (e == ERR_OK)
		e = read_faults(raw.fault, pointer, &r, why);
	if (e == ERR_OK)
		*ret = r;
	else
		rule_done(&r);
	return e;
}

bool
rule_taps(const struct rule *r)
{
	for (size_t i = 0; i < r->nfaults; i++)
		if (r->faults[i].type->toxic)
			return true;
	return false;
}

void
rule_done(struct rule *r)
{
	for (size_t i = 0; i < r->nfaults; i++)
		fault_done(&r->faults[i]);
	r->nfaults = 0;
}
