/*
 * kernelforge reliability: how an agent degrades as faults become frequent.
 *
 * Here are the words of the line (factors, defences to leave out) and the exit
 * code, which speaks of false claims alone: that faults cost operators is what
 * the study is for.
 */
#include "agent/commands.h"
#include "agent/ledger/rundir.h"
#include "agent/run/worker_pool.h"
#include "agent/study/reliability.h"
#include "agent/text/term.h"
#include "base/files.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FACTOR_MAX 10.0

struct reliability_line {
	const char *scenario, *gateway_config, *out, *factors, *without;
	int64_t runs, jobs;
};

#define AT(m) offsetof(struct reliability_line, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "scenario", OPT_STRING, AT(scenario), 0, 0, "FILE", "the scenario whose faults are scaled (required)" },
	{ "out",      OPT_STRING, AT(out),	0, 0, "DIR",  "where runs, reliability.json and reliability.svg go (required)" },
	{ "gateway-config", OPT_STRING, AT(gateway_config), 0, 0, "FILE", "the gateway's configuration (default: gateway.yaml beside the scenario, or one folder up)" },
	{ "runs",     OPT_INT,	  AT(runs),	1, 100, "K",  "runs of each point (default 1)" },
	{ "factors",  OPT_STRING, AT(factors),	0, 0, "F,F",  "what the faults' probabilities are multiplied with (default 0,0.25,0.5,0.75,1,1.25,1.5,1.75,2)" },
	{ "without",  OPT_STRING, AT(without),	0, 0, "A,B",  "defences to switch off, one at a time: retry, escalation, breaker; none (default: all three)" },
	{ "jobs",     OPT_INT,	  AT(jobs),	1, WORKER_POOL_MAX, "N", "operators at a time in each run (default: as run decides)" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "kernelforge reliability",
	.usage = "--scenario FILE --out DIR",
	.about = "runs a scenario again and again with its faults scaled, with "
	         "and without each defence, and draws what became of the "
	         "operators",
	.rows = rows,
	.nrows = COUNT(rows),
	.examples =
	    "kernelforge reliability --scenario scenario.json --out DIR "
	    "--factors 0,1,2\t"
	    "where it begins to break, and which defence holds\n",
};

/* "0,0.5,1": ascending, within 0 to FACTOR_MAX. */
static enum err
read_factors(const char *text, struct reliability *r, struct why *why)
{
	char *copy = xstrdup(text ? text : "0,0.25,0.5,0.75,1,1.25,1.5,1.75,2");
	char *rest = copy, *word, *end;
	enum err e = ERR_OK;

	while (e == ERR_OK && (word = strsep(&rest, ",")) != NULL) {
		double f = strtod(word, &end);
		double last = r->nfactors ? r->factors[r->nfactors - 1] : -1;

		/* Written so that NaN is refused: it is above nothing. */
		if (!*word || *end || !(f > last && f <= FACTOR_MAX) ||
		    r->nfactors == RELIABILITY_FACTORS_MAX)
			e = why_set(why, ERR_RANGE,
			    "--factors: found \"%s\", expected up to %d "
			    "numbers from 0 to %g, each above the one before",
			    word, RELIABILITY_FACTORS_MAX, FACTOR_MAX);
		else
			r->factors[r->nfactors++] = f;
	}
	free(copy);
	return e;
}

static bool
has_variant(const struct reliability *r, const char *name)
{
	for (size_t i = 0; i < r->nvariants; i++)
		if (strcmp(r->variants[i], name) == 0)
			return true;
	return false;
}

/* "retry,breaker"; the texts that r keeps are our own. */
static enum err
read_without(const char *text, struct reliability *r, struct why *why)
{
	static const char *const names[] = { "retry", "escalation", "breaker" };
	char *copy = xstrdup(text ? text : "retry,escalation,breaker");
	char *rest = strcmp(copy, "none") == 0 ? NULL : copy, *word;
	enum err e = ERR_OK;

	r->variants[r->nvariants++] = "";
	while (e == ERR_OK && (word = strsep(&rest, ",")) != NULL) {
		size_t i = 0;

		while (i < COUNT(names) && strcmp(word, names[i]) != 0)
			i++;
		if (i == COUNT(names) || has_variant(r, names[i]))
			e = why_set(why, ERR_RANGE,
			    "--without: found \"%s\", expected retry, "
			    "escalation and breaker, each once at most",
			    word);
		else
			r->variants[r->nvariants++] = names[i];
	}
	free(copy);
	return e;
}

/* Beside the scenario, or in the folder above; owned, NULL: neither. */
static char *
find_gateway(const char *scenario)
{
	static const char *const places[] = { "gateway.yaml",
		"../gateway.yaml" };
	const char *slash = strrchr(scenario, '/');
	int n = slash ? (int)(slash - scenario) : 0;

	for (size_t i = 0; i < COUNT(places); i++) {
		char *path =
		    xasprintf("%.*s%s%s", n, scenario, n ? "/" : "", places[i]);

		if (files_exists(path))
			return path;
		free(path);
	}
	return NULL;
}

static void
print_study(json_t *study)
{
	struct term_table t;
	const char *agent;
	json_t *points, *p;
	size_t i;

	term_table_init(&t, 6);
	term_table_add(&t, TERM_BOLD, "Agent");
	term_table_add(&t, TERM_BOLD, "Faults");
	term_table_add(&t, TERM_BOLD, "Right");
	term_table_add(&t, TERM_BOLD, "Wrong");
	term_table_add(&t, TERM_BOLD, "pass^K");
	term_table_add(&t, TERM_BOLD, "Calls sent on");
	json_object_foreach(json_object_get(study, "agents"), agent, points)
		json_array_foreach(points, i, p) {
			json_t *pass = json_object_get(p, "pass_k");
			json_t *amp = json_object_get(p, "amplification");

			term_table_add(&t, TERM_PLAIN, agent);
			term_table_addf(&t, TERM_PLAIN, "x %.3g",
			    json_number_value(json_object_get(p, "factor")));
			term_table_addf(&t, TERM_PLAIN, "%.0f %%",
			    100 *
			        json_number_value(
			            json_object_get(p, "success")));
			term_table_addf(&t, TERM_PLAIN, "%.0f %%",
			    100 *
			        json_number_value(
			            json_object_get(p, "false_rate")));
			term_table_addf(&t, TERM_PLAIN, "%.2f",
			    json_number_value(json_array_get(pass,
			        json_array_size(pass) - 1)));
			term_table_addf(&t, TERM_PLAIN, amp ? "x %.2f" : "-",
			    json_number_value(amp));
		}
	term_table_print(&t, stdout);
	term_table_done(&t);
}

/* Claims that the whole agent made and that are wrong. */
static double
false_claims(json_t *study)
{
	json_t *points = json_object_get(json_object_get(study, "agents"),
	           "kernelforge"),
	       *p;
	double n = 0;
	size_t i;

	json_array_foreach(points, i, p)
		n += json_number_value(json_object_get(p, "false_claims"));
	return n;
}

static enum err
write_study(const char *out, json_t *study, struct why *why)
{
	char *path = files_join(out, "reliability.svg");
	char *svg = reliability_svg(study);
	enum err e = rundir_write_json(out, "reliability.json", study, why);

	if (e == ERR_OK)
		e = files_write(path, svg, strlen(svg), why);
	free(svg);
	free(path);
	return e;
}

static enum err
study(const struct reliability_line *line, struct reliability *r, int *ret_code,
    struct why *why)
{
	char *gateway = line->gateway_config ? xstrdup(line->gateway_config)
	                                     : find_gateway(line->scenario);
	json_t *study = NULL;
	enum err e = ERR_OK;

	r->gateway_file = gateway;
	if (!gateway)
		e = why_set(why, ERR_SYNTAX,
		    "--gateway-config: missing, and no gateway.yaml lies "
		    "beside %s or above",
		    line->scenario);
	/* Runs of another study in it would be counted as this one's. */
	else if (files_exists(line->out))
		e = why_set(why, ERR_SYNTAX,
		    "%s is there already: give another --out", line->out);
	if (e == ERR_OK)
		e = reliability_run(r, &study, why);
	if (e == ERR_OK)
		e = write_study(line->out, study, why);
	if (e == ERR_OK) {
		print_study(study);
		*ret_code = false_claims(study) > 0 ? EXIT_JUDGED : EXIT_DONE;
	}
	json_decref(study);
	free(gateway);
	return e;
}

static int
run(int argc, char **argv)
{
	struct reliability_line line = { .runs = 1 };
	struct reliability r = { 0 };
	struct why why;
	size_t nargs;
	int code;
	enum err e;

	if (!command_parse(&cmd_reliability, argc, argv, &line, NULL, &nargs,
	        &code))
		return code;
	if (!line.scenario || !line.out) {
		log_error("reliability", "%s is missing (see --help)",
		    line.scenario ? "--out DIR" : "--scenario FILE");
		return EXIT_USAGE;
	}
	r.scenario_file = line.scenario;
	r.out = line.out;
	r.runs = (unsigned)line.runs;
	r.jobs = (long)line.jobs;
	e = read_factors(line.factors, &r, &why);
	if (e == ERR_OK)
		e = read_without(line.without, &r, &why);
	if (e != ERR_OK) {
		log_error("reliability", "%s", why.text);
		return EXIT_USAGE;
	}
	stop_install();
	e = study(&line, &r, &code, &why);
	return e == ERR_OK ? code : command_end(&cmd_reliability, e, &why);
}

const struct command cmd_reliability = { "reliability", &opts, run };
