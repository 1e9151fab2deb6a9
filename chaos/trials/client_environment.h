/*
 * What a program under trial finds in its environment (client_trial.h lists
 * it): addresses under the names by which each API's clients look for their
 * server, keys that unlock nothing, and a folder of its own.
 */
#ifndef CHAOS_CLIENT_ENVIRONMENT_H
#define CHAOS_CLIENT_ENVIRONMENT_H

#include "base/addr.h"
#include "chaos/rules/scenario.h"

struct client_environment { /* all borrowed for the call */
	const char *run, *folder;
	const char *server; /* where the stand-in for an MCP server is */
	struct {
		const char *name;
		char at[ADDR_TEXT_MAX];
	} doors[SCENARIO_PROXIES_MAX];
	size_t ndoors, main; /* main: the one that has no name */
	uint32_t timeout_ms; /* 0: none */
	const char *check;   /* NULL: none */
	bool is_resumed;     /* it was ended before, and begins again */
};

/* Writes a program to e->server that a client may start as an MCP server, with
 * no arguments: it speaks for the main door (chaos/mcp/pipe_relay.h). */
enum err client_environment_write_server(const struct client_environment *e,
    struct why *why);

/* Sets it all, over what is there; arg: struct client_environment. */
void client_environment_set(void *arg);

#endif
