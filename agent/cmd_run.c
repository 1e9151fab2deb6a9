/*
 * kernelforge run: a scenario, or a few operators, through the gateway.
 *
 * Options, environment and scenario meet here, and what is wrong with them is
 * said before anything is started; the run itself is run_all.h.
 */
#include "agent/commands.h"
#include "agent/run/live_ops.h"
#include "agent/run/other_lab.h"
#include "agent/run/run.h"
#include "agent/run/shard.h"
#include "agent/run/worker_pool.h"
#include "agent/run_all.h"
#include "base/addr.h"
#include "base/end_with_parent.h"
#include "base/log.h"
#include "base/mask.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LAB_S 60

struct run_line {
	const char *scenario, *out, *gateway, *seed, *profile, *device;
	struct opt_list ops, without;
	int64_t parent;
	const char *shard, *names, *model, *escalation, *env_file, *lab,
	    *breaker, *max_usd, *price;
	int64_t answer_tokens, first_token_s, idle_s, answer_s, max_tokens,
	    max_minutes, max_iterations, jobs, lab_s;
	bool resume, no_naive, bench, verbose, fewshot;
};

#define USD_MAX 1e6

#define AT(m) offsetof(struct run_line, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "scenario", OPT_STRING, AT(scenario), 0, 0, "FILE", "the scenario to run" },
	{ "op",	      OPT_LIST,	  AT(ops),	0, 0, "NAME", "an operator to forge; may be given again" },
	{ "ops",      OPT_STRING, AT(names),	0, 0, "A,B",  "operators to forge, with commas between; or all" },
	{ "out",      OPT_STRING, AT(out),	0, 0, "DIR",  "the run directory to write (required)" },
	{ "gateway",  OPT_STRING, AT(gateway),	0, 0, "URL",  "the gateway's base URL (default: TFY_GATEWAY_BASE_URL)" },
	{ "base-url", OPT_STRING, AT(gateway),	0, 0, "URL",  "the same, for a provider without a gateway" },
	{ "model",    OPT_STRING, AT(model),	0, 0, "NAME", "the model to ask (default: the scenario's)" },
	{ "escalation", OPT_STRING, AT(escalation), 0, 0, "NAME", "the model to ask after failures (default: the gateway chooses)" },
	{ "env-file", OPT_STRING, AT(env_file), 0, 0, "FILE", "lines NAME=VALUE for the environment, where keys may stand" },
	{ "answer-tokens", OPT_INT, AT(answer_tokens), 1, 1000000, "N", "max_tokens of each question (default: not said)" },
	{ "first-token-s", OPT_INT, AT(first_token_s), 1, 3600, "S", "how long a model may think before it answers (default 60)" },
	{ "idle-s",   OPT_INT,	  AT(idle_s),	1, 3600, "S", "how long an answer may pause (default 60)" },
	{ "answer-s", OPT_INT,	  AT(answer_s), 1, 3600, "S", "how long a question may take with its retries (default 300)" },
	{ "max-tokens", OPT_INT,  AT(max_tokens), 1, 1000000000, "N", "ends the run when its questions and answers had so many, as told, or four bytes a token" },
	{ "max-minutes", OPT_INT, AT(max_minutes), 1, 100000, "N", "ends the run after so long" },
	{ "max-iterations", OPT_INT, AT(max_iterations), 1, 1000000, "N", "ends the run after so many iterations of all operators" },
	{ "max-usd",  OPT_STRING, AT(max_usd),	0, 0, "USD",  "ends the run when it cost so many dollars, by the gateway's word or --price" },
	{ "price",    OPT_STRING, AT(price),	0, 0, "IN,OUT", "dollars per million tokens of questions and of answers, where no gateway tells" },
	{ "breaker",  OPT_STRING, AT(breaker),	0, 0, "NAME", "production (default): 3 failed questions running make a pause of 30 s; demo: 2, 8 s, and a kernel may run for 1.2 s" },
	{ "jobs",     OPT_INT,	  AT(jobs),	1, WORKER_POOL_MAX, "N", "operators at a time (default: as many as the machine has cores, one for every four operators)" },
	{ "shard",    OPT_STRING, AT(shard),	0, 0, "I/N",  "every Nth operator, from the Ith on: one of N runs that merge puts together" },
	{ "seed",     OPT_STRING, AT(seed),	0, 0, "S",    "replaces the scenario's seed" },
	{ "profile",  OPT_STRING, AT(profile),	0, 0, "NAME", "demo or regression (default: the scenario's)" },
	{ "device",   OPT_STRING, AT(device),	0, 0, "TEXT", "an OpenCL device by a part of its name (default: the first)" },
	{ "lab",      OPT_STRING, AT(lab),	0, 0, "mcp:URL", "a lab to ask too (kernelforge mcp --http): every verdict is made here; what it refuses is not claimed" },
	{ "lab-s",    OPT_INT,	  AT(lab_s),	1, 3600, "S", "how long that lab may say nothing (default 60)" },
	{ "resume",   OPT_FLAG,	  AT(resume),	0, 0, NULL,   "continue the run in DIR from its ledger" },
	{ "bench",    OPT_FLAG,	  AT(bench),	0, 0, NULL,   "time every verified kernel against the plain one" },
	{ "fewshot",  OPT_FLAG,	  AT(fewshot),	0, 0, NULL,   "show the model examples of the operator's category (also: KERNELFORGE_FEWSHOT=1)" },
	{ "no-naive", OPT_FLAG,	  AT(no_naive), 0, 0, NULL,   "leave the naive baseline out" },
	{ "without",  OPT_LIST,	  AT(without),	0, 0, "DEFENCE", "retry, escalation or breaker: run without it, to see what it is good for; may be given again" },
	{ "verbose",  OPT_FLAG,	  AT(verbose),	0, 0, NULL,   "log every change of a state on standard error" },
	{ "with-parent", OPT_INT, AT(parent),	1, INT32_MAX, "PID", "end when process PID, which started this one, ends" },
};
/* clang-format on */

static const struct opt_command opts = {
	.name = "kernelforge run",
	.usage = "--out DIR",
	.about = "forges every operator of a scenario and writes a run "
	         "directory",
	.rows = rows,
	.nrows = COUNT(rows),
	.examples = "kernelforge run --ops rope --out DIR --base-url URL "
	            "--model NAME\t"
	            "an operator from any OpenAI-compatible server\n"
	            "kernelforge run --resume --out DIR --base-url "
	            "URL\t"
	            "go on with a run that was ended\n",
};

static const char *
env_or(const char *name, const char *fallback)
{
	const char *v = getenv(name);

	return v && *v ? v : fallback;
}

/* "0.28": millionths of a dollar. */
static bool
take_usd(const char *text, char end, int64_t *ret, const char **ret_end)
{
	char *at;
	double usd = strtod(text, &at);

	if (at == text || *at != end || !(usd >= 0 && usd <= USD_MAX))
		return false;
	*ret = (int64_t)(usd * 1e6 + 0.5);
	*ret_end = at;
	return true;
}

static enum err
take_money(const struct run_line *line, struct run_scenario_limits *to,
    struct why *why)
{
	const char *at;

	if (line->max_usd &&
	    (!take_usd(line->max_usd, '\0', &to->max_micro_usd, &at) ||
	        to->max_micro_usd == 0))
		return why_set(why, ERR_RANGE,
		    "--max-usd: found \"%s\", expected dollars, as 2.50",
		    line->max_usd);
	if (line->price &&
	    (!take_usd(line->price, ',', &to->input_micro_usd, &at) ||
	        !take_usd(at + 1, '\0', &to->output_micro_usd, &at)))
		return why_set(why, ERR_RANGE,
		    "--price: found \"%s\", expected IN,OUT in dollars per "
		    "million tokens, as 0.28,0.42",
		    line->price);
	return ERR_OK;
}

/* ERR_RANGE: none of the words. */
static enum err
take_without(const struct opt_list *words, unsigned *ret, struct why *why)
{
	for (size_t i = 0; i < words->n; i++) {
		unsigned k = 0;

		while (k < RUN_NDEFENCES &&
		    strcmp(words->items[i], run_defence_names[k]) != 0)
			k++;
		if (k == RUN_NDEFENCES)
			return why_set(why, ERR_RANGE,
			    "--without: found \"%s\", expected retry, "
			    "escalation or breaker",
			    words->items[i]);
		*ret |= 1u << k;
	}
	return ERR_OK;
}

static enum err
take_other_lab(const struct run_line *line, struct run_options *o,
    struct why *why)
{
	struct slice url = slice_of(line->lab), behind;

	if (!line->lab)
		return ERR_OK;
	behind = slice_skip(&url, OTHER_LAB_SCHEME) ? url : slice_of("");
	if (!url_skip_scheme(&behind, NULL))
		return why_set(why, ERR_SYNTAX,
		    "--lab: expected mcp:http://HOST:PORT/mcp, or https");
	o->other_lab = url.p;
	o->other_lab_ms = (uint32_t)(line->lab_s ? line->lab_s : LAB_S) * 1000;
	free(mask_url(url.p)); /* what it held is known now */
	return ERR_OK;
}

/* What the options do not say together. */
static enum err
check_line(const struct run_line *line, struct why *why)
{
	if (!line->out || !line->gateway)
		return why_set(why, ERR_SYNTAX, "%s is missing (see --help)",
		    line->out ? "--gateway URL" : "--out DIR");
	if (line->bench && line->jobs > 1)
		return why_set(why, ERR_SYNTAX,
		    "--bench times one kernel at a time: leave --jobs out");
	return ERR_OK;
}

static int
run(int argc, char **argv)
{
	struct run_line line = { 0 };
	struct live_ops ops = { .n = 0 };
	struct run_options o;
	struct why why = { "" };
	unsigned without = 0;
	size_t nargs;
	/* Before the line is looked at: what is wrong with it may be told in
	 * words of which one is a key. */
	enum err known =
	    live_ops_environment(opts_value(&opts, argc, argv, "env-file"),
	        &why);
	int code;

	if (!command_parse(&cmd_run, argc, argv, &line, NULL, &nargs, &code))
		return code;
	if (known != ERR_OK ||
	    live_ops_operators(line.names, &ops, &why) != ERR_OK ||
	    take_without(&line.without, &without, &why) != ERR_OK) {
		log_error("run", "%s", why.text);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < line.ops.n; i++)
		live_ops_add(&ops, line.ops.items[i]);
	if (!line.gateway)
		line.gateway = env_or("TFY_GATEWAY_BASE_URL", NULL);
	if (line.verbose)
		log_init("kernelforge", LOG_LEVEL_DEBUG);
	end_with_parent(line.parent, SIGTERM);
	o = (struct run_options){
		.scenario_file = line.scenario,
		.ops = ops.names,
		.nops = ops.n,
		.out = line.out,
		.gateway = line.gateway,
		.key = live_ops_key(),
		.model = line.model,
		.escalation = line.escalation,
		.limits = {
			.answer_tokens = line.answer_tokens,
			.first_token_ms = line.first_token_s * 1000,
			.idle_ms = line.idle_s * 1000,
			.answer_ms = line.answer_s * 1000,
			.max_tokens = line.max_tokens,
			.max_minutes = line.max_minutes,
			.max_iterations = line.max_iterations,
		},
		.seed = line.seed,
		.profile = line.profile,
		.breaker = line.breaker,
		.device = line.device,
		.resume = line.resume,
		.no_naive = line.no_naive,
		.fewshot = line.fewshot ||
		    strcmp(env_or("KERNELFORGE_FEWSHOT", ""), "1") == 0,
		.jobs = (size_t)line.jobs,
		.without = without,
		.verbose = line.verbose,
		.bench = line.bench,
	};
	if (check_line(&line, &why) != ERR_OK ||
	    (line.shard &&
	        shard_read(line.shard, &o.shard, &o.shards, &why) != ERR_OK) ||
	    take_money(&line, &o.limits, &why) != ERR_OK ||
	    take_other_lab(&line, &o, &why) != ERR_OK) {
		log_error("run", "%s", why.text);
		free(ops.text);
		return EXIT_USAGE;
	}
	code = run_all(&o);
	free(ops.text);
	return code;
}

const struct command cmd_run = { "run", &opts, run };
