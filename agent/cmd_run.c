/* kernelforge run: a scenario, or a few operators, through the gateway. */
#include "agent/command.h"
#include "agent/run.h"
#include "base/log.h"
#include "base/parent.h"
#include <stdlib.h>

struct run_line {
	const char *scenario, *out, *gateway, *seed, *profile, *device;
	struct opt_list ops;
	int64_t parent;
	bool resume, no_naive, bench, verbose;
};

#define AT(m) offsetof(struct run_line, m)

/* clang-format off */
static const struct opt rows[] = {
	{ "scenario", OPT_STRING, AT(scenario), 0, 0, "FILE", "the scenario to run" },
	{ "op",	      OPT_LIST,	  AT(ops),	0, 0, "NAME", "an operator to forge; may be given again" },
	{ "out",      OPT_STRING, AT(out),	0, 0, "DIR",  "the run directory to write (required)" },
	{ "gateway",  OPT_STRING, AT(gateway),	0, 0, "URL",  "the gateway's base URL (default: TFY_GATEWAY_BASE_URL)" },
	{ "seed",     OPT_STRING, AT(seed),	0, 0, "S",    "replaces the scenario's seed" },
	{ "profile",  OPT_STRING, AT(profile),	0, 0, "NAME", "demo or regression (default: the scenario's)" },
	{ "device",   OPT_STRING, AT(device),	0, 0, "TEXT", "an OpenCL device by a part of its name (default: the first)" },
	{ "resume",   OPT_FLAG,	  AT(resume),	0, 0, NULL,   "continue the run in DIR from its ledger" },
	{ "bench",    OPT_FLAG,	  AT(bench),	0, 0, NULL,   "time every verified kernel against the plain one" },
	{ "no-naive", OPT_FLAG,	  AT(no_naive), 0, 0, NULL,   "leave the naive baseline out" },
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
	.nrows = sizeof rows / sizeof *rows,
};

static const char *
env_or(const char *name, const char *fallback)
{
	const char *v = getenv(name);

	return v && *v ? v : fallback;
}

static int
run(int argc, char **argv)
{
	struct run_line line = { 0 };
	struct run_options o;
	size_t nargs;
	int code;

	if (!command_parse(&cmd_run, argc, argv, &line, NULL, &nargs, &code))
		return code;
	if (!line.gateway)
		line.gateway = env_or("TFY_GATEWAY_BASE_URL", NULL);
	if (!line.out || !line.gateway) {
		log_error("run", "%s is missing (see --help)",
		    line.out ? "--gateway URL" : "--out DIR");
		return EXIT_USAGE;
	}
	if (line.verbose)
		log_init("kernelforge", LOG_LEVEL_DEBUG);
	parent_follow(line.parent);
	o = (struct run_options){
		.scenario_file = line.scenario,
		.ops = line.ops.items,
		.nops = line.ops.n,
		.out = line.out,
		.gateway = line.gateway,
		.key = env_or("TFY_GATEWAY_API_KEY", "local"),
		.seed = line.seed,
		.profile = line.profile,
		.device = line.device,
		.resume = line.resume,
		.no_naive = line.no_naive,
		.bench = line.bench,
	};
	return run_all(&o);
}

const struct command cmd_run = { "run", &opts, run };
