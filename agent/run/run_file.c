/*
 * Making, reading back and sealing run.json.
 *
 * A resumed run takes nothing from its command line but where the gateway is:
 * another seed would break the ledger's commitments, another list of operators
 * would make two runs of one directory.  An option that says the same is fine.
 */
#include "agent/run/run_file.h"

#include "agent/run/resume_checks.h"
#include "base/clock.h"
#include "base/mask.h"
#include "base/opts.h"
#include "base/seal.h"
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

const char *const run_defence_names[RUN_NDEFENCES] = {
	[RUN_RETRY] = "retry",
	[RUN_ESCALATION] = "escalation",
	[RUN_BREAKER] = "breaker",
};

/* What was left out on purpose. */
static json_t *
without_json(unsigned without)
{
	json_t *names = json_array();

	for (size_t i = 0; i < RUN_NDEFENCES; i++)
		if (without & 1u << i)
			json_array_append_new(names,
			    json_string(run_defence_names[i]));
	return names;
}

struct model_asked
run_file_asked(json_t *run)
{
	json_t *agent = json_object_get(json_object_get(run, "plan"), "agent");

	return (struct model_asked){
		.model = json_string_value(json_object_get(agent, "model")),
		.escalation =
		    json_string_value(json_object_get(agent, "escalation")),
	};
}

unsigned
run_file_without(json_t *run)
{
	json_t *names =
	    json_object_get(json_object_get(run, "arguments"), "without");
	unsigned without = 0;
	size_t i;
	json_t *name;

	json_array_foreach(names, i, name)
		for (size_t k = 0; k < RUN_NDEFENCES; k++)
			if (json_is_string(name) &&
			    strcmp(json_string_value(name),
			        run_defence_names[k]) == 0)
				without |= 1U << k;
	return without;
}

json_t *
run_file_new(const struct run_options *o, const struct run_scenario *s,
    const char *seed)
{
	char started[CLOCK_ISO_BYTES];
	json_t *plan = run_scenario_plan(s, seed), *run;
	char *gateway = mask_url(o->gateway);

	clock_iso(clock_wall_ms(), started);
	run = json_pack("{s:s, s:s, s:s, s:s, s:O, s:s, s:s, s:s, s:n, s:n, "
	                "s:i, s:{s:s, s:s, s:s}, s:{s:s, s:s, s:b, s:I, s:b, "
	                "s:b}}",
	    "scenario", s->name, "seed", seed, "fingerprint", "",
	    "chaos_run_hash", "", "ops",
	    json_object_get(json_object_get(plan, "agent"), "ops"), "profile",
	    s->profile, "device", "", "started", started, "ended", "exit",
	    "resumed", 0, "versions", "kernelforge", opts_version(), "libcurl",
	    curl_version_info(CURLVERSION_NOW)->version, "jansson",
	    JANSSON_VERSION, "arguments", "gateway", gateway, "model", s->model,
	    "stream", s->stream, "deadline_ms", (json_int_t)s->deadline_ms,
	    "naive", s->naive, "bench", o->bench);
	json_object_set_new(run, "plan", plan);
	if (s->answers)
		json_object_set_new(run, "answers", json_string(s->answers));
	if (o->without)
		json_object_set_new(json_object_get(run, "arguments"),
		    "without", without_json(o->without));
	if (o->shards)
		json_object_set_new(json_object_get(run, "arguments"), "shard",
		    json_sprintf("%zu/%zu", o->shard, o->shards));
	free(gateway);
	return run;
}

static enum err
contradiction(const char *option, const char *was, struct why *why)
{
	return why_set(why, ERR_SYNTAX,
	    "--resume keeps the first run's options: leave --%s out (the run "
	    "was begun with %s)",
	    option, was);
}

static bool
has_same_ops(const struct run_options *o, const struct run_scenario *s)
{
	for (size_t i = 0; i < o->nops; i++) {
		size_t k = 0;

		while (k < s->nops && strcmp(o->ops[i], s->ops[k]) != 0)
			k++;
		if (k == s->nops)
			return false;
	}
	return o->nops == s->nops;
}

/* The scenario file that is named, if one is, must be the run's. */
static enum err
check_name(const struct run_options *o, const struct run_scenario *s,
    struct why *why)
{
	struct run_scenario named;
	enum err e;

	if (!o->scenario_file)
		return ERR_OK;
	run_scenario_init(&named);
	e = run_scenario_read(o->scenario_file, &named, why);
	if (e == ERR_OK && strcmp(named.name, s->name) != 0)
		e = contradiction("scenario", s->name, why);
	run_scenario_done(&named);
	return e;
}

/* What is not in the plan: where it is judged, and whether it is timed. */
static enum err
check_judging(const struct run_options *o, json_t *run, struct why *why)
{
	const char *device = resume_device(run);

	if (o->without && o->without != run_file_without(run))
		return contradiction("without", "other defences", why);
	if (o->device && device && !strstr(device, o->device))
		return contradiction("device", device, why);
	if (o->bench && !resume_is_timed(run))
		return contradiction("bench", "no timing", why);
	return ERR_OK;
}

static enum err
check_options(const struct run_options *o, const struct run_scenario *s,
    struct why *why)
{
	if (!s->seed)
		return why_set(why, ERR_SYNTAX,
		    "%s/run.json: /plan/seed: missing", o->out);
	if (o->seed && strcmp(o->seed, s->seed) != 0)
		return contradiction("seed", s->seed, why);
	if (o->profile && s->profile && strcmp(o->profile, s->profile) != 0)
		return contradiction("profile", s->profile, why);
	if (o->breaker && strcmp(o->breaker, s->breaker) != 0)
		return contradiction("breaker", s->breaker, why);
	if (o->shards)
		return contradiction("shard", "its operators", why);
	if (o->nops > 0 && !o->scenario_file && !has_same_ops(o, s))
		return contradiction("op", "other operators", why);
	if (o->no_naive && s->naive)
		return contradiction("no-naive", "the baseline", why);
	if (o->fewshot && !s->fewshot)
		return contradiction("fewshot", "prompts without examples",
		    why);
	if (o->model && strcmp(o->model, s->model) != 0)
		return contradiction("model", s->model, why);
	if (o->escalation &&
	    (!s->escalation || strcmp(o->escalation, s->escalation) != 0))
		return contradiction("escalation",
		    s->escalation ? s->escalation : "none", why);
	if (o->limits.answer_tokens &&
	    o->limits.answer_tokens != s->limits.answer_tokens)
		return contradiction("answer-tokens", "other questions", why);
	return check_name(o, s, why);
}

enum err
run_file_resume(const struct run_options *o, json_t **ret_json,
    struct run_scenario *ret, struct why *why)
{
	json_t *run = NULL, *plan;
	struct run_scenario s;
	enum err e = rundir_read_json(o->out, "run.json", &run, why);

	if (e != ERR_OK)
		return e;
	plan = json_object_get(run, "plan");
	run_scenario_init(&s);
	if (!json_is_object(plan))
		e = why_set(why, ERR_SYNTAX,
		    "%s/run.json: found no object \"plan\" to go on with",
		    o->out);
	else {
		e = run_scenario_of_plan(json_deep_copy(plan), &s, why);
		if (e != ERR_OK)
			e = why_prefix(why, e, "%s/run.json: /plan", o->out);
	}
	if (e == ERR_OK)
		e = check_options(o, &s, why);
	if (e == ERR_OK)
		e = check_judging(o, run, why);
	if (e != ERR_OK) {
		run_scenario_done(&s);
		json_decref(run);
		return e;
	}
	*ret_json = run;
	*ret = s;
	return ERR_OK;
}

enum err
run_file_write(const char *dir, json_t *run, struct why *why)
{
	seal_put(run);
	return rundir_write_json(dir, "run.json", run, why);
}
