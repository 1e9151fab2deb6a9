/* The commands of kf-chaos: one file cmd_NAME.c each, one row in main.c. */
#ifndef CHAOS_COMMANDS_H
#define CHAOS_COMMANDS_H

#include "base/command.h"

/* A row of a command's options, kept in its struct options. */
#define COMMAND_ROW(name, type, field, lo, hi, value, help)                    \
	{                                                                      \
		name, type, offsetof(struct options, field), lo, hi, value,    \
		    help                                                       \
	}

/* cmd_run is the proxy itself. */
extern const struct command cmd_audit, cmd_ca, cmd_check, cmd_cover, cmd_ctl,
    cmd_explain, cmd_explore, cmd_mcp, cmd_plan, cmd_run, cmd_schema,
    cmd_shrink, cmd_toxiproxy_server, cmd_verify;

#endif
