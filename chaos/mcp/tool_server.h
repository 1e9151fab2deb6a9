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

#define TOOL_SERVER_LINE_MAX ((size_t)8 << 20)

struct tool_server;

struct tool_server_ops {
	void (*on_line)(struct slice line, void *arg); /* it said */
	/* It closed its output, or wrote a line that is too long; once. */
	void (*on_end)(void *arg);
};

/* command: NULL-terminated, found by PATH.  ERR_ENV: it cannot be run. */
enum err tool_server_start(struct loop *l, char *const *command,
    const struct tool_server_ops *ops, void *arg, struct tool_server **ret,
    struct why *why);

/* Sends a line; what the pipe does not take yet is kept. */
void tool_server_send(struct tool_server *t, struct slice line);
/* Its input ends behind what was sent. */
void tool_server_close_input(struct tool_server *t);

/* Ends what is left of its group and tells in *ret_text how it ended ("" for
 * exit 0).  NULL-safe. */
void tool_server_free(struct tool_server *t, char *ret_text, size_t size);

#endif
