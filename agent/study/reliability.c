/*
 * The runs, and their sums.
 *
 *	DIR/VARIANT/FACTOR/K/		a run directory, with its scenario.json
 *
 * A point is (agent, factor).  The baseline and "without holdouts" come from
 * the same runs as the whole agent; the other variants have runs of their own,
 * with the same seeds.
 */
#include "agent/study/reliability.h"

#include "agent/ledger/rundir.h"
#include "agent/study/child_program.h"
#include "agent/study/run_numbers.h"
#include "agent/study/scaled_scenario.h"
#include "base/files.h"
#include "base/mem.h"
#include "base/stop.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCENARIO_BYTES ((size_t)4 * 1024 * 1024)

struct study {
	const struct reliability *r; /* borrowed */
	json_t *scenario;            /* owned */
	char *folder;                /* owned: where the scenario lies, whole */
	const char *seed;            /* borrowed from scenario */
};

/* One run to make. */
struct one {
	const char *variant;
	double factor;
	unsigned k; /* from 1 */
	char *dir;  /* owned */
};

static enum err
read_scenario(struct study *s, struct why *why)
{
	char *slash, *path = realpath(s->r->scenario_file, NULL), *text = NULL;
	json_error_t where;
	size_t len;
	enum err e =
	    files_read(s->r->scenario_file, SCENARIO_BYTES, &text, &len, why);

	if (e == ERR_OK) {
		s->scenario =
		    json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);
		if (!json_is_object(s->scenario))
			e = why_set(why, ERR_SYNTAX,
			    "%s:%d: found no JSON object (%s)",
			    s->r->scenario_file, where.line, where.text);
	}
	slash = path ? strrchr(path, '/') : NULL;
	s->folder = slash ? xstrndup(path, (size_t)(slash - path)) : NULL;
	s->seed = json_string_value(json_object_get(s->scenario, "seed"));
	free(path);
	free(text);
	return e;
}

/* The scaled scenario, into the run's folder; its path in *ret, owned. */
static enum err
write_scenario(const struct study *s, const struct one *o, char **ret,
    struct why *why)
{
	char *seed = xasprintf("%s/%u", s->seed ? s->seed : "0", o->k);
	json_t *scaled = NULL;
	enum err e = scaled_scenario(s->scenario, s->folder, o->factor, seed,
	    &scaled, why);

	if (e == ERR_OK)
		e = files_mkdirs(o->dir, why);
	if (e == ERR_OK)
		e = rundir_write_json(o->dir, "scenario.json", scaled, why);
	if (e == ERR_OK)
		*ret = files_join(o->dir, "scenario.json");
	json_decref(scaled);
	free(seed);
	return e;
}

/* The three addresses' way into command lines. */
struct wires {
	struct child_program chaos, gateway;
	char *log_chaos, *log_gateway, *ready, *upstream, *models, *front;
};

static void
wires_done(struct wires *w)
{
	child_program_stop(&w->gateway);
	child_program_stop(&w->chaos);
	free(w->log_chaos);
	free(w->log_gateway);
	free(w->ready);
	free(w->upstream);
	free(w->models);
	free(w->front);
}

static enum err
wires_start(const struct study *s, const struct one *o, const char *scenario,
    const char *log, struct wires *w, struct why *why)
{
	struct child_program_plan chaos = { .program = "kf-chaos", .log = log };
	struct child_program_plan gateway = { .program = "kf-gateway",
		.log = log };
	char at[128];
	enum err e;

	w->log_chaos = files_join(o->dir, "chaos.jsonl");
	w->log_gateway = files_join(o->dir, "gateway.jsonl");
	w->ready = files_join(o->dir, "gateway.ready");
	w->upstream = xasprintf("gateway=@%s", w->ready);
	memcpy(chaos.args,
	    (const char *[]){ "--scenario", scenario, "--admin", "127.0.0.1:0",
	        "--log", w->log_chaos, "--upstream", w->upstream },
	    8 * sizeof *chaos.args);
	e = child_program_start(&chaos, &w->chaos, why);
	if (e != ERR_OK)
		return e;
	child_program_address(&w->chaos, "models", at, sizeof at);
	w->models = xasprintf("KF_MODELS_URL=http://%s", at);
	child_program_address(&w->chaos, "front", at, sizeof at);
	w->front = xasprintf("http://%s", at);
	gateway.env = w->models;
	memcpy(gateway.args,
	    (const char *[]){ "--config", s->r->gateway_file, "--listen",
	        "127.0.0.1:0", "--admin", "127.0.0.1:0", "--log",
	        w->log_gateway, "--ready-file", w->ready },
	    10 * sizeof *gateway.args);
	return child_program_start(&gateway, &w->gateway, why);
}

static enum err
run_agent(const struct study *s, const struct one *o, const char *scenario,
    const struct wires *w, const char *log, struct why *why)
{
	struct child_program_plan p = { .program = "kernelforge", .log = log };
	char jobs[24];
	size_t n = 0;
	int code;

	p.args[n++] = "run";
	p.args[n++] = "--scenario";
	p.args[n++] = scenario;
	p.args[n++] = "--out";
	p.args[n++] = o->dir;
	p.args[n++] = "--gateway";
	p.args[n++] = w->front;
	if (*o->variant) {
		/* The baseline has none of what is left out, so it was measured
		 * once, beside the whole agent. */
		p.args[n++] = "--no-naive";
		p.args[n++] = "--without";
		p.args[n++] = o->variant;
	}
	if (s->r->jobs > 0) {
		(void)snprintf(jobs, sizeof jobs, "%ld", s->r->jobs);
		p.args[n++] = "--jobs";
		p.args[n] = jobs;
	}
	/* However it ended, what it left behind is the measurement. */
	return child_program_run(&p, &code, why);
}

static enum err
run_one(const struct study *s, const struct one *o, json_t **ret,
    struct why *why)
{
	char *scenario = NULL, *log = files_join(o->dir, "programs.log");
	struct wires w = { 0 };
	enum err e = write_scenario(s, o, &scenario, why);

	if (e == ERR_OK)
		e = wires_start(s, o, scenario, log, &w, why);
	if (e == ERR_OK)
		e = run_agent(s, o, scenario, &w, log, why);
	wires_done(&w);
	if (e == ERR_OK)
		e = tally_run(o->dir, ret, why);
	free(scenario);
	free(log);
	return e;
}

/* ---- sums */

static double
number_of(json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static double
sum_of(json_t *runs, const char *side, const char *key)
{
	double sum = 0;
	size_t i;
	json_t *run;

	json_array_foreach(runs, i, run)
		sum += number_of(side ? json_object_get(run, side) : run, key);
	return sum;
}

/* pass^k, over operators, for k = 1 .. n. */
static json_t *
pass_of(json_t *runs, const char *side)
{
	unsigned n = (unsigned)json_array_size(runs);
	double nops = number_of(json_array_get(runs, 0), "operators");
	json_t *good = json_object(), *pass = json_array(), *run, *v;
	size_t i;
	const char *op;

	json_array_foreach(runs, i, run)
		json_object_foreach(json_object_get(json_object_get(run, side),
		                        "by_op"),
		    op, v)
			json_object_set_new(good, op,
			    json_integer(
			        json_integer_value(json_object_get(good, op)) +
			        json_is_true(v)));
	for (unsigned k = 1; k <= n; k++) {
		double sum = 0;

		json_object_foreach(good, op, v)
			sum +=
			    tally_pass((unsigned)json_integer_value(v), n, k);
		json_array_append_new(pass,
		    json_real(nops > 0 ? sum / nops : 0));
	}
	json_decref(good);
	return pass;
}

/* side: naive, forge or unheld, in runs of one point. */
static json_t *
sum_up(json_t *runs, const char *side)
{
	double n = (double)json_array_size(runs);
	double ops = sum_of(runs, NULL, "operators");
	double calls = sum_of(runs, NULL, "calls");
	json_t *p = json_pack("{s:f, s:f, s:f, s:f, s:f, s:o}", "runs", n,
	    "operators", ops, "claimed", sum_of(runs, side, "claimed"), "right",
	    sum_of(runs, side, "right"), "false_claims",
	    sum_of(runs, side, "false_claims"), "pass_k", pass_of(runs, side));

	json_object_set_new(p, "success",
	    json_real(ops > 0 ? number_of(p, "right") / ops : 0));
	json_object_set_new(p, "false_rate",
	    json_real(ops > 0 ? number_of(p, "false_claims") / ops : 0));
	if (strcmp(side, "forge") != 0)
		return p;
	json_object_set_new(p, "calls", json_real(calls));
	json_object_set_new(p, "sent", json_real(sum_of(runs, NULL, "sent")));
	json_object_set_new(p, "upstream",
	    json_real(sum_of(runs, NULL, "upstream")));
	json_object_set_new(p, "amplification",
	    json_real(calls > 0 ? number_of(p, "upstream") / calls : 0));
	json_object_set_new(p, "cost_usd",
	    json_real(sum_of(runs, NULL, "cost_usd")));
	json_object_set_new(p, "wall_ms",
	    json_real(n > 0 ? sum_of(runs, NULL, "wall_ms") / n : 0));
	return p;
}

/* Runs in which something struck, and those in which nothing did, apart. */
static void
add_point(json_t *agents, const char *agent, double factor, json_t *runs,
    const char *side)
{
	json_t *struck = json_array(), *quiet = json_array(), *run, *point;
	size_t i;

	json_array_foreach(runs, i, run)
		json_array_append(number_of(run, "fired") > 0 ? struck : quiet,
		    run);
	if (!json_object_get(agents, agent))
		json_object_set_new(agents, agent, json_array());
	point = sum_up(runs, side);
	json_object_set_new(point, "factor", json_real(factor));
	json_object_set_new(point, "fired",
	    json_real(sum_of(runs, NULL, "fired")));
	json_object_set_new(point, "struck", sum_up(struck, side));
	json_object_set_new(point, "unstruck", sum_up(quiet, side));
	json_array_append_new(json_object_get(agents, agent), point);
	json_decref(struck);
	json_decref(quiet);
}

static void
add_points(json_t *agents, const char *variant, double factor, json_t *runs)
{
	char *name = xasprintf("without %s", variant);

	if (*variant)
		add_point(agents, name, factor, runs, "forge");
	else {
		add_point(agents, "naive", factor, runs, "naive");
		add_point(agents, "kernelforge", factor, runs, "forge");
		add_point(agents, "without holdouts", factor, runs, "unheld");
	}
	free(name);
}

static enum err
run_point(const struct study *s, const char *variant, double factor,
    json_t *agents, struct why *why)
{
	json_t *runs = json_array(), *tally;
	enum err e = ERR_OK;

	for (unsigned k = 1; e == ERR_OK && k <= s->r->runs; k++) {
		struct one o = { variant, factor, k,
			xasprintf("%s/%s/%.2f/%u", s->r->out,
			    *variant ? variant : "whole", factor, k) };

		tally = NULL;
		fprintf(stderr, "%-10s  faults x %.2f  run %u of %u\n",
		    *variant ? variant : "whole", factor, k, s->r->runs);
		e = run_one(s, &o, &tally, why);
		if (e == ERR_OK && stop_asked())
			e = why_set(why, ERR_CLOSED, "stopped by %s",
			    stop_asked());
		if (tally)
			json_array_append_new(runs, tally);
		free(o.dir);
	}
	if (e == ERR_OK)
		add_points(agents, variant, factor, runs);
	json_decref(runs);
	return e;
}

enum err
reliability_run(const struct reliability *r, json_t **ret, struct why *why)
{
	struct study s = { .r = r };
	json_t *agents = json_object(), *name;
	enum err e = read_scenario(&s, why);

	for (size_t v = 0; e == ERR_OK && v < r->nvariants; v++)
		for (size_t i = 0; e == ERR_OK && i < r->nfactors; i++)
			e = run_point(&s, r->variants[v], r->factors[i], agents,
			    why);
	name = json_object_get(s.scenario, "name");
	if (e == ERR_OK)
		*ret = json_pack("{s:i, s:O, s:s, s:i, s:O}", "reliability", 1,
		    "scenario", name ? name : json_null(), "seed",
		    s.seed ? s.seed : "0", "runs", (int)r->runs, "agents",
		    agents);
	json_decref(agents);
	json_decref(s.scenario);
	free(s.folder);
	return e;
}
