/*
 * kf-chaos: without a command word it is the proxy; with one, a tool beside
 * it.  A command is a row below and a file cmd_NAME.c.  Under the name of
 * toxiproxy-server (a link is enough) it is that command.
 */
#include "chaos/commands.h"

#include <string.h>

/* Sorted by name. */
static const struct command *const commands[] = {
	&cmd_audit,
	&cmd_ca,
	&cmd_check,
	&cmd_cover,
	&cmd_ctl,
	&cmd_explain,
	&cmd_explore,
	&cmd_mcp,
	&cmd_plan,
	&cmd_schema,
	&cmd_shrink,
	&cmd_toxiproxy_server,
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
	const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
	const char *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";

	if (strcmp(name, cmd_toxiproxy_server.name) == 0)
		return cmd_toxiproxy_server.run(argc, argv);
	return program_main(&program, argc, argv);
}
