/*
 * Between an MCP client, which has our standard input and output, and a server
 * that is a child of ours:
 *
 *	stdin --> request --> POST to our own proxy --> faults --> server
 *	  |                                                          |
 *	  +--> anything else --------------------------------------->+
 *	stdout <-- answer <--------- faults <------ by its id <------+
 *	stdout <-- anything else <-----------------------------------+
 *
 * A request takes the road of every HTTP request, over a loopback connection
 * of our own, so a rule means over a pipe just what it means over HTTP.  A
 * connection that a fault breaks is the end of the pipe.
 */
#ifndef CHAOS_BRIDGE_H
#define CHAOS_BRIDGE_H

#include "base/loop.h"
#include "chaos/rules/engine.h"

#define BRIDGE_END_MAX 64

struct bridge;

struct bridge_conf {       /* borrowed while the bridge stands */
	struct loop *loop; /* is quit when client or server has ended */
	struct engine *engine;
	const struct scenario *scenario;
	const struct proxy_conf *proxy; /* one of the scenario's */
	char *const *command;           /* the server; NULL-terminated */
};

/* ERR_ENV: the server cannot be run. */
enum err bridge_open(const struct bridge_conf *conf, struct bridge **ret,
    struct why *why);

/* Ends the server.  ret_end: how it ended, if by itself and not well, or while
 * it owed an answer, else "".  false: a line was too long. */
bool bridge_close(struct bridge *b, char ret_end[BRIDGE_END_MAX]);

#endif
