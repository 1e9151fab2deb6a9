/* The command that says what models cost; see main.c. */
#ifndef GATEWAY_CMD_PRICES_H
#define GATEWAY_CMD_PRICES_H

#include "base/command.h"

extern const struct command cmd_prices;

#endif
