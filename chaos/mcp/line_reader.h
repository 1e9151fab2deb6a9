/*
 * Lines from a descriptor on a loop: what JSON-RPC over a pipe is made of.
 *
 * The descriptor is read only when it is ready and keeps its flags: standard
 * input may be shared with the shell that started us.
 */
#ifndef CHAOS_LINE_READER_H
#define CHAOS_LINE_READER_H

#include "base/err.h"
#include "base/loop.h"
#include "base/slice.h"
#include <stdbool.h>

struct line_reader;

struct line_reader_ops {
	/* Without its newline; borrowed for the call.  is_torn: it never had
	 * one, the input ends there. */
	void (*on_line)(struct slice line, bool is_torn, void *arg);
	/* The last thing.  ERR_OK: the end of the input; ERR_TOOBIG; ERR_IO. */
	void (*on_end)(enum err e, void *arg);
};

/* line_max: bytes of the longest line that is taken.  fd is borrowed. */
struct line_reader *line_reader_new(struct loop *l, int fd, size_t line_max,
    const struct line_reader_ops *ops, void *arg);
void line_reader_free(struct line_reader *r); /* NULL-safe */

/* No line is told between these two; callable from on_line. */
void line_reader_pause(struct line_reader *r);
void line_reader_resume(struct line_reader *r);

/* A file or /dev/null, which epoll refuses. */
bool line_reader_is_always_ready(int fd);

#endif
