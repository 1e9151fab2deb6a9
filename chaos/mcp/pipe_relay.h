/*
 * An MCP server over standard input and output that is none: what the client
 * says is posted to a proxy of another kf-chaos (the audit's), and what comes
 * back is said to the client.
 *
 *	stdin --> line --> POST /mcp --> the proxy, its faults, its server
 *	stdout <-- line <---------------- 200
 *
 * So a client that starts its servers meets the faults of one that reaches
 * them over HTTP, and is watched by the same eyes.  A connection that a fault
 * breaks is the end of the pipe.
 */
#ifndef CHAOS_PIPE_RELAY_H
#define CHAOS_PIPE_RELAY_H

#include "base/addr.h"
#include "base/loop.h"

struct pipe_relay;

/* l: borrowed, is quit at the end of either side. */
struct pipe_relay *pipe_relay_new(struct loop *l, const struct addr *to);
/* false: it ended because something was refused, which is logged. */
bool pipe_relay_free(struct pipe_relay *r);

#endif
