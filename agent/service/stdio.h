/*
 * The door of a client that started us: a message a line on standard input,
 * answers on standard output, which carries nothing else.
 *
 * A line that is too long is skipped and answered with an error.  A client
 * that does not read is not read from, either.  The end of the input is the
 * client's way of saying that we shall end: what runs is killed, and what is
 * answered already is written as long as somebody takes it.
 */
#ifndef AGENT_SERVICE_STDIO_H
#define AGENT_SERVICE_STDIO_H

#include "agent/service/server.h"

struct mcp_stdio;

/* Serves the descriptors in and out (not closed) until in ends, and quits the
 * loop then. */
struct mcp_stdio *mcp_stdio_new(struct loop *loop, struct mcp_server *server,
    int in, int out);
/* Were there answers that nobody took? */
bool mcp_stdio_has_lost(const struct mcp_stdio *d);
void mcp_stdio_free(struct mcp_stdio *d); /* before its server; NULL-safe */

#endif
