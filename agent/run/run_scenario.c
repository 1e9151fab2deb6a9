/*
 * Reading a scenario by three tables: the file, its agent, its expect.
 */
#include "agent/run/run_scenario.h"

#include "agent/run/shared_breaker.h"
#include "base/files.h"
#include "base/jfield.h"
#include "ops/op.h"
#include <stdlib.h>
#include <string.h>

#define RUN_SCENARIO_BYTES ((size_t)4 * 1024 * 1024)

struct run_scenario_file {
	const char *name, *seed, *about;
	int64_t chaos;
	json_t *agent, *expect, *proxies, *other;
	bool other_flag;
};

struct run_scenario_agent {
	json_t *ops;
	const char *profile, *model, *escalation, *breaker;
	bool stream, naive, fewshot;
	int64_t deadline_ms;
	struct run_scenario_limits limits;
};

#define FILE_AT(m)   offsetof(struct run_scenario_file, m)
#define AGENT_AT(m)  offsetof(struct run_scenario_agent, m)
#define EXPECT_AT(m) offsetof(struct run_scenario_expect, m)

/* clang-format off */
static const struct jfield file_fields[] = {
	{ "chaos",     JF_INT,	  JF_REQUIRED, 1, 1, FILE_AT(chaos),  NULL },
	{ "name",      JF_STRING, JF_REQUIRED, 0, 0, FILE_AT(name),   NULL },
	{ "seed",      JF_STRING, 0,	       0, 0, FILE_AT(seed),   NULL },
	{ "about",     JF_STRING, 0,	       0, 0, FILE_AT(about),  NULL },
	{ "agent",     JF_OBJECT, JF_REQUIRED, 0, 0, FILE_AT(agent),  NULL },
	{ "expect",    JF_OBJECT, 0,	       0, 0, FILE_AT(expect), NULL },
	/* The chaos proxy's. */
	{ "identity",  JF_OBJECT, 0,	       0, 0, FILE_AT(other),  NULL },
	{ "proxies",   JF_OBJECT, 0,	       0, 0, FILE_AT(proxies), NULL },
	{ "limits",    JF_OBJECT, 0,	       0, 0, FILE_AT(other),  NULL },
	{ "phases",    JF_ARRAY,  0,	       0, 0, FILE_AT(other),  NULL },
	{ "preset",    JF_ANY,	  0,	       0, 0, FILE_AT(other),  NULL },
	{ "rules",     JF_ARRAY,  0,	       0, 0, FILE_AT(other),  NULL },
	{ "stealth",   JF_BOOL,	  0,	       0, 0, FILE_AT(other_flag), NULL },
	{ "header_faults", JF_BOOL, 0,	       0, 0, FILE_AT(other_flag), NULL },
};

static const struct jfield agent_fields[] = {
	{ "ops",	 JF_ARRAY,  JF_REQUIRED, 1, RUN_SCENARIO_OPS_MAX, AGENT_AT(ops), NULL },
	{ "profile",	 JF_STRING, 0, 0, 0,	   AGENT_AT(profile),	  NULL },
	{ "model",	 JF_STRING, 0, 0, 0,	   AGENT_AT(model),	  NULL },
	{ "stream",	 JF_BOOL,   0, 0, 0,	   AGENT_AT(stream),	  NULL },
	{ "naive",	 JF_BOOL,   0, 0, 0,	   AGENT_AT(naive),	  NULL },
	{ "fewshot",	 JF_BOOL,   0, 0, 0,	   AGENT_AT(fewshot),	  NULL },
	{ "deadline_ms", JF_INT,    0, 10, 600000, AGENT_AT(deadline_ms), NULL },
	{ "breaker",	 JF_STRING, 0, 0, 0,	   AGENT_AT(breaker),	  NULL },
	{ "escalation",	 JF_STRING, 0, 0, 0,	   AGENT_AT(escalation),  NULL },
	{ "answer_tokens",  JF_INT, 0, 0, 1000000, AGENT_AT(limits.answer_tokens),  NULL },
	{ "first_token_ms", JF_INT, 0, 0, 3600000, AGENT_AT(limits.first_token_ms), NULL },
	{ "idle_ms",	    JF_INT, 0, 0, 3600000, AGENT_AT(limits.idle_ms),	    NULL },
	{ "answer_ms",	    JF_INT, 0, 0, 3600000, AGENT_AT(limits.answer_ms),	    NULL },
	{ "max_tokens",	    JF_INT, 0, 0, 1000000000, AGENT_AT(limits.max_tokens),  NULL },
	{ "max_minutes",    JF_INT, 0, 0, 100000, AGENT_AT(limits.max_minutes),	    NULL },
	{ "max_iterations", JF_INT, 0, 0, 1000000, AGENT_AT(limits.max_iterations), NULL },
	{ "max_micro_usd",  JF_INT, 0, 0, 1000000000000, AGENT_AT(limits.max_micro_usd), NULL },
	{ "input_micro_usd",  JF_INT, 0, 0, 1000000000000, AGENT_AT(limits.input_micro_usd),  NULL },
	{ "output_micro_usd", JF_INT, 0, 0, 1000000000000, AGENT_AT(limits.output_micro_usd), NULL },
};

static const struct jfield expect_fields[] = {
	{ "verified",		JF_ARRAY, 0, 0, RUN_SCENARIO_OPS_MAX, EXPECT_AT(verified), NULL },
	{ "false_claims",	JF_INT,	  0, 0, 1000, EXPECT_AT(false_claims),	     NULL },
	{ "naive_silent_wrong", JF_INT,	  0, 0, 1000, EXPECT_AT(naive_silent_wrong), NULL },
};
/* clang-format on */

/* The numbers that a plan keeps where they are not 0. */
#define NUMBER(key, member)                                                    \
	{                                                                      \
		key, offsetof(struct run_scenario, member)                     \
	}
static const struct {
	const char *key;
	size_t offset;
} plan_numbers[] = {
	NUMBER("deadline_ms", deadline_ms),
	NUMBER("answer_tokens", limits.answer_tokens),
	NUMBER("first_token_ms", limits.first_token_ms),
	NUMBER("idle_ms", limits.idle_ms),
	NUMBER("answer_ms", limits.answer_ms),
	NUMBER("max_tokens", limits.max_tokens),
	NUMBER("max_minutes", limits.max_minutes),
	NUMBER("max_iterations", limits.max_iterations),
	NUMBER("max_micro_usd", limits.max_micro_usd),
	NUMBER("input_micro_usd", limits.input_micro_usd),
	NUMBER("output_micro_usd", limits.output_micro_usd),
};

void
run_scenario_init(struct run_scenario *s)
{
	*s = (struct run_scenario){
		.name = "ad-hoc",
		.profile = "demo",
		.breaker = "production",
		.model = "deepseek-v4-flash",
		.stream = true,
		.naive = true,
		.expect = { .false_claims = -1, .naive_silent_wrong = -1 },
	};
}

enum err
run_scenario_add_op(struct run_scenario *s, const char *op, struct why *why)
{
	if (!op_find(op))
		return why_set(why, ERR_RANGE,
		    "operator \"%s\": unknown (see kernelforge ops)", op);
	if (s->nops == RUN_SCENARIO_OPS_MAX)
		return why_set(why, ERR_RANGE, "more than %d operators",
		    RUN_SCENARIO_OPS_MAX);
	for (size_t i = 0; i < s->nops; i++)
		if (strcmp(s->ops[i], op) == 0)
			return why_set(why, ERR_RANGE,
			    "operator \"%s\": named twice", op);
	s->ops[s->nops++] = op;
	return ERR_OK;
}

static enum err
read_agent(json_t *obj, struct run_scenario *s, struct why *why)
{
	struct run_scenario_agent a = {
		.profile = s->profile,
		.breaker = s->breaker,
		.model = s->model,
		.stream = s->stream,
		.naive = s->naive,
	};
	enum err e = jfield_read(obj, "/agent", agent_fields,
	    COUNT(agent_fields), &a, why);
	size_t i;
	json_t *name;

	if (e != ERR_OK)
		return e;
	json_array_foreach(a.ops, i, name) {
		if (!json_is_string(name))
			return why_set(why, ERR_SYNTAX,
			    "/agent/ops/%zu: expected an operator's name", i);
		e = run_scenario_add_op(s, json_string_value(name), why);
		if (e != ERR_OK)
			return why_prefix(why, e, "/agent/ops/%zu", i);
	}
	if (!forge_profile_find(a.profile))
		return why_set(why, ERR_RANGE,
		    "/agent/profile: found \"%s\", expected \"demo\" or "
		    "\"regression\"",
		    a.profile);
	if (!dependency_profile_find(a.breaker))
		return why_set(why, ERR_RANGE,
		    "/agent/breaker: found \"%s\", expected %s", a.breaker,
		    dependency_profile_names());
	s->profile = a.profile;
	s->breaker = a.breaker;
	s->model = a.model;
	s->escalation = a.escalation;
	s->limits = a.limits;
	s->stream = a.stream;
	s->naive = a.naive;
	s->fewshot = a.fewshot;
	s->deadline_ms = a.deadline_ms;
	return ERR_OK;
}

static enum err
read_expect(json_t *obj, struct run_scenario_expect *x, struct why *why)
{
	enum err e = jfield_read(obj, "/expect", expect_fields,
	    COUNT(expect_fields), x, why);
	size_t i;
	json_t *name;

	if (e != ERR_OK)
		return e;
	json_array_foreach(x->verified, i, name)
		if (!json_is_string(name))
			return why_set(why, ERR_SYNTAX,
			    "/expect/verified/%zu: expected an operator's name",
			    i);
	x->present = true;
	return ERR_OK;
}

/* Of the proxies only this is ours to know: whether one plays the models. */
static const char *
find_player(json_t *proxies)
{
	static const char *const players[] = { "script", "replay", "standin" };
	const char *name;
	json_t *proxy;

	json_object_foreach(proxies, name, proxy) {
		const char *mode =
		    json_string_value(json_object_get(proxy, "mode"));

		for (size_t i = 0; mode && i < COUNT(players); i++)
			if (strcmp(mode, players[i]) == 0)
				return players[i];
	}
	return NULL;
}

static enum err
read_root(struct run_scenario *s, struct why *why)
{
	struct run_scenario_file f = { 0 };
	enum err e =
	    jfield_read(s->root, "", file_fields, COUNT(file_fields), &f, why);

	if (e != ERR_OK)
		return e;
	s->name = f.name;
	s->seed = f.seed;
	s->answers = find_player(f.proxies);
	e = read_agent(f.agent, s, why);
	if (e == ERR_OK && f.expect)
		e = read_expect(f.expect, &s->expect, why);
	s->expected = f.expect;
	return e;
}

enum err
run_scenario_read(const char *path, struct run_scenario *ret, struct why *why)
{
	struct run_scenario s;
	char *text = NULL;
	size_t len;
	enum err e;

	run_scenario_init(&s);
	e = files_read(path, RUN_SCENARIO_BYTES, &text, &len, why);
	if (e == ERR_OK)
		e = jfield_parse(path, text, len, &s.root, why);
	free(text);
	if (e != ERR_OK)
		return e;
	e = read_root(&s, why);
	if (e != ERR_OK) {
		run_scenario_done(&s);
		return why_prefix(why, e, "%s", path);
	}
	*ret = s;
	return ERR_OK;
}

json_t *
run_scenario_plan(const struct run_scenario *s, const char *seed)
{
	json_t *ops = json_array(), *agent, *plan;

	for (size_t i = 0; i < s->nops; i++)
		json_array_append_new(ops, json_string(s->ops[i]));
	agent = json_pack("{s:o, s:s, s:s, s:s, s:b, s:b}", "ops", ops,
	    "profile", s->profile, "breaker", s->breaker, "model", s->model,
	    "stream", s->stream, "naive", s->naive);
	if (s->fewshot)
		json_object_set_new(agent, "fewshot", json_true());
	if (s->escalation)
		json_object_set_new(agent, "escalation",
		    json_string(s->escalation));
	for (size_t i = 0; i < COUNT(plan_numbers); i++) {
		int64_t n;

		memcpy(&n, (const char *)s + plan_numbers[i].offset, sizeof n);
		if (n)
			json_object_set_new(agent, plan_numbers[i].key,
			    json_integer((json_int_t)n));
	}
	plan = json_pack("{s:i, s:s, s:s, s:o}", "chaos", 1, "name", s->name,
	    "seed", seed, "agent", agent);
	if (s->expected)
		json_object_set(plan, "expect", s->expected);
	return plan;
}

enum err
run_scenario_of_plan(json_t *plan, struct run_scenario *ret, struct why *why)
{
	struct run_scenario s;
	enum err e;

	run_scenario_init(&s);
	s.root = plan;
	e = read_root(&s, why);
	if (e != ERR_OK) {
		run_scenario_done(&s);
		return e;
	}
	*ret = s;
	return ERR_OK;
}

void
run_scenario_done(struct run_scenario *s)
{
	json_decref(s->root);
	s->root = NULL;
}
