/*
 * kf-chaos: without a command word it is the proxy; with one, a tool beside
 * it.  A command is a row below and a file cmd_NAME.c.
 */
#include "chaos/commands.h"

/* Sorted by name. */
static const struct command *const commands[] = {
	&cmd_audit,
	&cmd_check,
	&cmd_cover,
	&cmd_ctl,
	&cmd_explain,
	&cmd_explore,
	&cmd_mcp,
	&cmd_plan,
	&cmd_schema,
	&cmd_shrink,
	&cmd_verify,
};

static const struct program program = {
	.name = "kf-chaos",
	.commands = commands,
	.ncommands = COUNT(commands),
	.alone = &cmd_run,
};

int
main(int argc, char **argv)
{
	return program_main(&program, argc, argv);
}
