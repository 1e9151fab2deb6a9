/*
 * kf-chaos check FILE: reads a scenario as the proxy would, and warns of
 * rules that can never fire.
 */
#include "chaos/commands.h"

#include <stdio.h>

#include "base/err.h"
#include "base/opts.h"
#include "chaos/scenario.h"

struct options {
	bool strict;
};

static const struct opt rows[] = {
	{ "strict", OPT_FLAG, offsetof(struct options, strict), 0, 0, NULL,
	    "a rule that can never fire is an error" },
};

static const struct opt_command command = {
	.name = "kf-chaos check",
	.usage = "FILE",
	.about = "Checks a scenario file: exit 0 when it is good, 2 with a "
	         "line that says where it is not.",
	.rows = rows,
	.nrows = sizeof rows / sizeof rows[0],
	.args_min = 1,
	.args_max = 1,
};

static void
warn(const char *text, void *arg)
{
	(void)arg;
	fprintf(stderr, "warning: %s\n", text);
}

int
cmd_check(int argc, char **argv)
{
	struct options o = { .strict = false };
	const char *args[1];
	size_t nargs = 0, warnings;
	struct scenario *s = NULL;
	struct why why = { "" };
	enum err e = opts_parse(&command, argc, argv, &o, args, &nargs, &why);

	if (e == ERR_STATE)
		return EXIT_DONE;
	if (e == ERR_OK)
		e = scenario_read(args[0], &s, &why);
	if (e != ERR_OK) {
		fprintf(stderr, "kf-chaos: %s\n", why.text);
		return EXIT_USAGE;
	}
	warnings = scenario_warnings(s, warn, NULL);
	printf("%s: good: %zu proxies, %zu rules, hash %s\n", s->name,
	    s->nproxies, s->nrules, s->hash);
	scenario_free(s);
	return o.strict && warnings ? EXIT_USAGE : EXIT_DONE;
}
