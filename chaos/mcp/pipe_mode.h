/*
 * The source of an MCP server behind a pipe: a request that came through all
 * faults is sent to the server as a line, and the line that answers it, by
 * its id, is the answer.
 */
#ifndef CHAOS_PIPE_MODE_H
#define CHAOS_PIPE_MODE_H

#include "chaos/http/mode.h"
#include "chaos/mcp/reply_order.h"
#include "chaos/mcp/tool_server.h"

struct pipe_mode;

/* said is told of each answer on its way; borrowed, as is the server, which
 * must be set before the first request. */
struct pipe_mode *pipe_mode_new(struct reply_order *said);
void pipe_mode_free(struct pipe_mode *m); /* NULL-safe */
void pipe_mode_set_server(struct pipe_mode *m, struct tool_server *server);

/*
 * The server said this line.  true: it answers a request, and is on its way
 * back to it, or is dropped where a fault has told the client something else.
 * false: it is for the client as it is.
 */
bool pipe_mode_take(struct pipe_mode *m, struct slice line);

/* Requests that the server owes an answer. */
size_t pipe_mode_waiting(const struct pipe_mode *m);

/* The server says no more: whatever waits ends without an answer. */
void pipe_mode_end(struct pipe_mode *m);

/* For mode_env.mode, with the pipe_mode as its argument. */
extern const struct mode mode_pipe;

#endif
