/*
 * What a scenario says and hardly means: a regular expression where globs are
 * read, a bare host where an upstream's name is.  Each place is asked once,
 * when the file is checked.
 */
#include "chaos/rules/scenario.h"

#include <stdio.h>
#include <string.h>

struct doubter {
	void (*on_warning)(const char *text, void *arg);
	void *arg;
	size_t n;
};

static void
doubt(struct doubter *d, const char *text)
{
	d->n++;
	d->on_warning(text, d->arg);
}

/* Globs know * and ? and no more. */
static bool
is_regex(const char *s)
{
	size_t n = strlen(s);

	return n > 0 &&
	    (s[0] == '^' || s[n - 1] == '$' || strstr(s, ".*") ||
	        strstr(s, ".+") || strstr(s, "\\d") || strstr(s, "\\."));
}

static void
doubt_glob(struct doubter *d, size_t rule, const char *key, json_t *v)
{
	char text[WHY_MAX];

	if (!json_is_string(v) || !is_regex(json_string_value(v)))
		return;
	snprintf(text, sizeof text,
	    "/rules/%zu/match/%.40s: \"%.60s\" looks like a regular "
	    "expression; a glob knows * and ? alone",
	    rule, key, json_string_value(v));
	doubt(d, text);
}

/* A request's query is no part of what path globs are held against. */
static void
doubt_path(struct doubter *d, size_t rule, json_t *v)
{
	const char *glob = json_string_value(v);
	const char *mark = glob ? strchr(glob, '?') : NULL;
	char text[WHY_MAX];

	if (!mark || !strpbrk(mark, "=&"))
		return;
	snprintf(text, sizeof text,
	    "/rules/%zu/match/path: \"%.60s\" looks like a query; a path is "
	    "matched without one, and ? stands for any character",
	    rule, glob);
	doubt(d, text);
}

static void
doubt_match(struct doubter *d, size_t rule, json_t *match)
{
	const char *key, *name;
	json_t *v, *inner;

	doubt_path(d, rule, json_object_get(match, "path"));
	json_object_foreach(match, key, v) {
		/* What a body says may look like anything. */
		if (strcmp(key, "body") != 0)
			doubt_glob(d, rule, key, v);
		json_object_foreach(v, name, inner) {
			doubt_glob(d, rule, name, inner);
		}
	}
}

static void
doubt_goal(struct doubter *d, size_t rule, const char *goal)
{
	char text[WHY_MAX];

	if (!goal || strlen(goal) < 2 ||
	    strcmp(goal + strlen(goal) - 2, "<0") != 0)
		return;
	snprintf(text, sizeof text,
	    "/rules/%zu/goal: \"%.40s\" can never be met: no count is below 0",
	    rule, goal);
	doubt(d, text);
}

static void
doubt_upstream(struct doubter *d, const struct proxy_conf *p)
{
	char text[WHY_MAX];

	if (!p->upstream || !strchr(p->upstream, '.') ||
	    strpbrk(p->upstream, ":/"))
		return;
	snprintf(text, sizeof text,
	    "/proxies/%s/upstream: \"%.100s\" is a name that --upstream has to "
	    "give; did you mean \"https://%.100s\"?",
	    p->name, p->upstream, p->upstream);
	doubt(d, text);
}

size_t
scenario_doubts(const struct scenario *s,
    void (*on_warning)(const char *text, void *arg), void *arg)
{
	struct doubter d = { on_warning, arg, 0 };
	json_t *rules = json_object_get(s->doc, "rules"), *rule;
	size_t i;

	for (size_t k = 0; k < s->nproxies; k++)
		doubt_upstream(&d, &s->proxies[k]);
	json_array_foreach(rules, i, rule) {
		doubt_match(&d, i, json_object_get(rule, "match"));
		doubt_goal(&d, i,
		    json_string_value(json_object_get(rule, "goal")));
	}
	return d.n;
}
