/* The commands of kernelforge: one file cmd_NAME.c each, one row in main.c. */
#ifndef AGENT_COMMANDS_H
#define AGENT_COMMANDS_H

#include "base/command.h"

extern const struct command cmd_bench, cmd_compare, cmd_doctor, cmd_export,
    cmd_ledger, cmd_mcp, cmd_merge, cmd_mutants, cmd_ops, cmd_reliability,
    cmd_report, cmd_run, cmd_verify;

#endif
