/*
 * Reading a scenario, in the order in which its parts refer to each other:
 * top level, identity, proxies, phases, then rules, which name proxies and
 * phases (and, in `after`, other rules).
 */
#include "chaos/rules/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "base/jfield.h"
#include "base/mem.h"
#include "chaos/rules/preset.h"
#include "chaos/rules/rule.h"
#include "chaos/rules/scenario_proxies.h"

#define FILE_MAX  (4u << 20)
#define LIMIT_MAX 1e9
#define SEED_MAX  128

struct top {
	int64_t version;
	const char *name, *seed, *about;
	bool stealth;
	json_t *identity, *proxies, *limits, *phases, *preset, *rules, *agent;
	json_t *expect;
};

#define TOP(key, name, type, flags, lo, hi)                                    \
	{                                                                      \
		key, type, flags, lo, hi, offsetof(struct top, name), NULL     \
	}

/* clang-format off */
static const struct jfield top_fields[] = {	/* sorted by key */
	TOP("about",    about,    JF_STRING, 0,           0, 0),
	TOP("agent",    agent,    JF_OBJECT, 0,           0, 0),
	TOP("chaos",    version,  JF_INT,    JF_REQUIRED, 1, 1),
	TOP("expect",   expect,   JF_OBJECT, 0,           0, 0),
	TOP("identity", identity, JF_OBJECT, 0,           0, 0),
	TOP("limits",   limits,   JF_OBJECT, 0,           0, 0),
	TOP("name",     name,     JF_STRING, JF_REQUIRED, 0, 0),
	TOP("phases",   phases,   JF_ARRAY,  0,           0, SCENARIO_PHASES_MAX),
	TOP("preset",   preset,   JF_ANY,    0,           0, 0),
	TOP("proxies",  proxies,  JF_OBJECT, 0,           0, 0),
	TOP("rules",    rules,    JF_ARRAY,  0,           0, SCENARIO_RULES_MAX),
	TOP("seed",     seed,     JF_STRING, JF_REQUIRED, 0, 0),
	TOP("stealth",  stealth,  JF_BOOL,   0,           0, 0),
};

static const struct jfield limit_fields[] = {	/* sorted by key */
	{ "max_active", JF_INT, 0, 1, LIMIT_MAX, offsetof(struct scenario, active_max), NULL },
	{ "max_fires",  JF_INT, 0, 1, LIMIT_MAX, offsetof(struct scenario, fires_max),  NULL },
	{ "ttl_s",      JF_INT, 0, 1, LIMIT_MAX, offsetof(struct scenario, ttl_s),      NULL },
};
/* clang-format on */

/* ---- phases */

struct raw_phase {
	const char *name;
	json_t *until;
	int64_t requests, ms;
};

/* clang-format off */
static const struct jfield phase_fields[] = {
	{ "name",  JF_STRING, JF_REQUIRED, 0, 0, offsetof(struct raw_phase, name),  NULL },
	{ "until", JF_OBJECT, 0,           0, 0, offsetof(struct raw_phase, until), NULL },
};

static const struct jfield until_fields[] = {
	{ "ms",       JF_INT, 0, 1, LIMIT_MAX, offsetof(struct raw_phase, ms),       NULL },
	{ "requests", JF_INT, 0, 1, LIMIT_MAX, offsetof(struct raw_phase, requests), NULL },
};
/* clang-format on */

const struct jfield *
scenario_fields(enum scenario_part part, size_t *n)
{
	static const struct {
		const struct jfield *fields;
		size_t n;
	} parts[SCENARIO_NPARTS] = {
		[SCENARIO_TOP] = { top_fields, COUNT(top_fields) },
		[SCENARIO_LIMITS] = { limit_fields, COUNT(limit_fields) },
		[SCENARIO_PHASE] = { phase_fields, COUNT(phase_fields) },
		[SCENARIO_UNTIL] = { until_fields, COUNT(until_fields) },
	};

	if (part == SCENARIO_PROXY || part == SCENARIO_TLS)
		return scenario_proxy_fields(part, n);
	*n = parts[part].n;
	return parts[part].fields;
}

static enum err
read_phase(struct scenario *s, json_t *v, bool is_last, struct why *why)
{
	struct raw_phase raw = { NULL, NULL, 0, 0 };
	struct phase_conf *before =
	    s->nphases ? &s->phases[s->nphases - 1] : NULL;
	char at[64];
	enum err e;

	snprintf(at, sizeof at, "/phases/%zu", s->nphases);
	e = jfield_read(v, at, phase_fields, COUNT(phase_fields), &raw, why);
	if (e == ERR_OK && raw.until) {
		snprintf(at, sizeof at, "/phases/%zu/until", s->nphases);
		e = jfield_read(raw.until, at, until_fields,
		    COUNT(until_fields), &raw, why);
	}
	if (e != ERR_OK)
		return e;
	if (!is_last && !raw.requests && !raw.ms)
		return why_set(why, ERR_SYNTAX,
		    "/phases/%zu/until: missing, expected requests or ms in "
		    "all phases but the last",
		    s->nphases);
	for (size_t i = 0; i < s->nphases; i++)
		if (strcmp(s->phases[i].name, raw.name) == 0)
			return why_set(why, ERR_SYNTAX,
			    "/phases/%zu/name: found \"%.60s\" again, "
			    "expected a new name",
			    s->nphases, raw.name);
	if (before &&
	    ((raw.requests && (uint64_t)raw.requests <= before->requests) ||
	        (raw.ms && (uint64_t)raw.ms <= before->ms)))
		return why_set(why, ERR_RANGE,
		    "/phases/%zu/until: expected more than in the phase "
		    "before (both count from the start)",
		    s->nphases);
	s->phases[s->nphases++] = (struct phase_conf){ raw.name,
		(uint64_t)raw.requests, (uint64_t)raw.ms };
	return ERR_OK;
}

static enum err
read_phases(struct scenario *s, json_t *phases, struct why *why)
{
	size_t i;
	json_t *v;
	enum err e;

	json_array_foreach(phases, i, v) {
		e = read_phase(s, v, i + 1 == json_array_size(phases), why);
		if (e != ERR_OK)
			return e;
	}
	return ERR_OK;
}

/* ---- rules */

static const struct rule *
rule_by_id(const struct scenario *s, const char *id)
{
	for (size_t i = 0; i < s->nrules; i++)
		if (strcmp(s->rules[i].id, id) == 0)
			return &s->rules[i];
	return NULL;
}

static enum err
read_rules(struct scenario *s, json_t *rules, struct why *why)
{
	size_t i;
	json_t *v;
	char at[64];
	enum err e;

	s->rules = xcalloc(json_array_size(rules), sizeof *s->rules);
	json_array_foreach(rules, i, v) {
		struct rule r;

		snprintf(at, sizeof at, "/rules/%zu", i);
		e = rule_read(v, at, s, &r, why);
		if (e != ERR_OK)
			return e;
		if (rule_by_id(s, r.id)) {
			rule_done(&r);
			return why_set(why, ERR_SYNTAX,
			    "%s/id: found \"%s\" again, expected a new name",
			    at, r.id);
		}
		s->rules[s->nrules++] = r;
	}
	/* Only now: `after` may name a rule that stands further down. */
	for (i = 0; i < s->nrules; i++)
		if (s->rules[i].when.rule &&
		    !rule_by_id(s, s->rules[i].when.rule))
			return why_set(why, ERR_SYNTAX,
			    "/rules/%zu/when/after/rule: found \"%.40s\", "
			    "expected the id of a rule",
			    i, s->rules[i].when.rule);
	return ERR_OK;
}

/* ---- the file */

/* SHA-256 of the compact, key-sorted JSON without the seed. */
static void
hash_doc(struct scenario *s)
{
	json_t *copy = json_copy(s->doc);
	char *text;

	/* Another seed is another run of the same scenario, not another
	 * scenario. */
	json_object_del(copy, "seed");
	text = json_dumps(copy, JSON_COMPACT | JSON_SORT_KEYS);
	digest_sha256_hex(text, strlen(text), s->hash);
	free(text);
	json_decref(copy);
}

static enum err
read_top(struct scenario *s, struct top *top, struct why *why)
{
	enum err e =
	    jfield_read(s->doc, "", top_fields, COUNT(top_fields), top, why);

	if (e != ERR_OK)
		return e;
	if (!top->seed[0] || strlen(top->seed) > SEED_MAX ||
	    strchr(top->seed, '|'))
		return why_set(why, ERR_RANGE,
		    "/seed: expected 1 to %d characters without |", SEED_MAX);
	hash_doc(s);
	s->name = top->name;
	s->seed = top->seed;
	s->is_stealthy = top->stealth;
	return ERR_OK;
}

static enum err
read_parts(struct scenario *s, struct why *why)
{
	struct top top = { .stealth = true };
	enum err e = read_top(s, &top, why);

	if (e == ERR_OK)
		e = identity_read(top.identity, "/identity", &s->identity, why);
	if (e == ERR_OK && top.limits)
		e = jfield_read(top.limits, "/limits", limit_fields,
		    COUNT(limit_fields), s, why);
	if (e == ERR_OK)
		e = scenario_read_proxies(s, top.proxies, why);
	if (e == ERR_OK)
		e = read_phases(s, top.phases, why);
	if (e == ERR_OK)
		e = read_rules(s, top.rules, why);
	return e;
}

static enum err
read_doc(const char *path, json_t **ret, struct why *why)
{
	char *text = NULL;
	size_t n = 0;
	enum err e = files_read(path, FILE_MAX, &text, &n, why);

	if (e == ERR_OK)
		e = jfield_parse(path, text, n, ret, why);
	free(text);
	return e;
}

/* Behind the presets that the file names itself. */
static void
add_presets(json_t *doc, const char *const *names, size_t n)
{
	json_t *was = json_object_get(doc, "preset"), *all;

	if (n == 0)
		return;
	all = json_is_array(was) ? json_copy(was) : json_array();
	if (was && !json_is_array(was))
		json_array_append(all, was);
	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, json_string(names[i]));
	json_object_set_new(doc, "preset", all);
}

enum err
scenario_read_with(const char *path, const char *const *presets, size_t n,
    struct scenario **ret, struct why *why)
{
	json_t *doc = NULL;
	char *dir = path ? files_folder(path) : xstrdup(".");
	enum err e = ERR_OK;

	if (path)
		e = read_doc(path, &doc, why);
	else
		doc = json_pack("{si ss ss}", "chaos", 1, "name", "none",
		    "seed", "0");
	if (e == ERR_OK) {
		add_presets(doc, presets, n);
		e = scenario_of(doc, dir, ret, why);
		if (e != ERR_OK && path)
			why_prefix(why, e, "%s", path);
	}
	free(dir);
	return e;
}

enum err
scenario_read(const char *path, struct scenario **ret, struct why *why)
{
	return scenario_read_with(path, NULL, 0, ret, why);
}

enum err
scenario_of(json_t *doc, const char *dir, struct scenario **ret,
    struct why *why)
{
	struct scenario *s = xcalloc(1, sizeof *s);
	enum err e;

	s->doc = doc;
	s->dir = xstrdup(dir);
	e = preset_expand(doc, why);
	if (e == ERR_OK)
		e = read_parts(s, why);
	if (e == ERR_OK)
		*ret = s;
	else
		scenario_free(s);
	return e;
}

void
scenario_free(struct scenario *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nrules; i++)
		rule_done(&s->rules[i]);
	for (size_t i = 0; i < s->nproxies; i++) {
		free(s->proxies[i].answers);
		free(s->proxies[i].cassette);
		free(s->proxies[i].tls.cert);
		free(s->proxies[i].tls.key);
		free(s->proxies[i].tls.ca);
		free(s->proxies[i].ca);
	}
	free(s->rules);
	free(s->dir);
	json_decref(s->doc);
	free(s);
}
