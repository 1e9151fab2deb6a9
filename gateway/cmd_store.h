/* The commands that look into a store; see main.c. */
#ifndef GATEWAY_CMD_STORE_H
#define GATEWAY_CMD_STORE_H

#include "base/command.h"

extern const struct command cmd_keys, cmd_requests, cmd_spend;

#endif
