/*
 * kf-chaos: without a command word it is the proxy; with one, a tool beside
 * it.  A command is a row below and a file cmd_NAME.c.
 */
#include <string.h>

#include "base/log.h"
#include "chaos/commands.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "audit", cmd_audit }, /* sorted by name */
	{ "check", cmd_check },
	{ "cover", cmd_cover },
	{ "ctl", cmd_ctl },
	{ "explain", cmd_explain },
	{ "explore", cmd_explore },
	{ "plan", cmd_plan },
	{ "schema", cmd_schema },
	{ "shrink", cmd_shrink },
	{ "verify", cmd_verify },
};

int
main(int argc, char **argv)
{
	log_init("kf-chaos", LOG_LEVEL_INFO);
	for (size_t i = 0; argc > 1 && i < sizeof commands / sizeof commands[0];
	     i++)
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	return cmd_run(argc, argv);
}
