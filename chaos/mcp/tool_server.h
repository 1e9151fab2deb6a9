/*
 * An MCP server that speaks over its standard input and output: a child of
 * ours that leads a process group of its own.  What it writes to its standard
 * error goes to ours.
 */
#ifndef CHAOS_TOOL_SERVER_H
#define CHAOS_TOOL_SERVER_H

#include "base/err.h"
#include "base/loop.h"
#include "base/slice.h"
#include <stdbool.h>

#define TOOL_SERVER_LINE_MAX ((size_t)8 << 20)

struct tool_server;

struct tool_server_ops {
	/* It said; a torn line is the last and has no newline. */
	void (*on_line)(struct slice line, bool is_torn, void *arg);
	/* It ended, closed its output, or wrote a line that is too long; once,
	 * behind all lines. */
	void (*on_end)(void *arg);
	/* Of what was sent to it, it has taken some. */
	void (*on_taken)(void *arg);
};

/* command: NULL-terminated, found by PATH.  ERR_ENV: it cannot be run. */
enum err tool_server_start(struct loop *l, char *const *command,
    const struct tool_server_ops *ops, void *arg, struct tool_server **ret,
    struct why *why);

/* Sends a line; what the pipe does not take yet is kept. */
void tool_server_send(struct tool_server *t, struct slice line);
size_t tool_server_pending(const struct tool_server *t); /* bytes kept */
/* Its input ends behind what was sent. */
void tool_server_close_input(struct tool_server *t);

/* Did it end with a line that is too long? */
bool tool_server_wrote_too_much(const struct tool_server *t);

/* It says no more between these two. */
void tool_server_pause(struct tool_server *t);
void tool_server_resume(struct tool_server *t);

/* Ends what is left of its group and tells in *ret_text how it ended: "" for
 * exit 0.  NULL-safe. */
void tool_server_free(struct tool_server *t, char *ret_text, size_t size);

#endif
