/*
 * kf-chaos check FILE...: reads scenarios as the proxy would, and warns of
 * rules that can never fire.
 */
#include "chaos/commands.h"

#include <stdio.h>

#include "base/columns.h"
#include "base/err.h"
#include "base/opts.h"
#include "chaos/rules/scenario.h"

#define FILES_MAX 256

struct options {
	bool strict;
};

static const struct opt rows[] = {
	{ "strict", OPT_FLAG, offsetof(struct options, strict), 0, 0, NULL,
	    "a rule that can never fire is an error" },
};

static const struct opt_command command = {
	.name = "kf-chaos check",
	.usage = "FILE...",
	.about = "Checks scenario files: exit 0 when all are good, 2 with a "
	         "line that says where one is not.",
	.rows = rows,
	.nrows = COUNT(rows),
	.args_min = 1,
	.args_max = FILES_MAX,
	.examples = "kf-chaos check storm.json\t"
	            "say where it is wrong\n",
};

static void
warn(const char *text, void *arg)
{
	(void)arg;
	fprintf(stderr, "warning: %s\n", text);
}

static int
check_file(const char *path, bool is_strict)
{
	struct scenario *s = NULL;
	struct why why = { "" };
	size_t warnings;

	if (scenario_read(path, &s, &why) != ERR_OK) {
		fprintf(stderr, "kf-chaos: %s\n", why.text);
		return EXIT_USAGE;
	}
	warnings = scenario_warnings(s, warn, NULL);
	columns_say(stdout, "%s: good: %zu proxies, %zu rules, hash %s",
	    s->name, s->nproxies, s->nrules, s->hash);
	scenario_free(s);
	return is_strict && warnings ? EXIT_USAGE : EXIT_DONE;
}

static int
run_check(int argc, char **argv)
{
	struct options o = { .strict = false };
	const char *args[FILES_MAX];
	size_t nargs = 0;
	int code, worst = EXIT_DONE;

	if (!command_parse(&cmd_check, argc, argv, &o, args, &nargs, &code))
		return code;
	for (size_t i = 0; i < nargs; i++)
		if (check_file(args[i], o.strict) != EXIT_DONE)
			worst = EXIT_USAGE;
	return worst;
}

const struct command cmd_check = { "check", &command, run_check };
