/*
 * Lines to a descriptor on a loop, without ever blocking it: what is not taken
 * yet is kept, and whoever makes the lines can ask how much that is.
 *
 * The descriptor keeps its flags: standard output may be shared.  A pipe that
 * is ready takes PIPE_BUF bytes at once (pipe(7)), so no more are written.
 */
#ifndef CHAOS_LINE_WRITER_H
#define CHAOS_LINE_WRITER_H

#include "base/loop.h"
#include "base/slice.h"
#include <stdbool.h>

struct line_writer;

struct line_writer_ops {
	void (*on_written)(void *arg); /* some of what waited; may be NULL */
	void (*on_broken)(void *arg);  /* nobody reads any more; once */
};

/* fd is borrowed. */
struct line_writer *line_writer_new(struct loop *l, int fd,
    const struct line_writer_ops *ops, void *arg);
void line_writer_free(struct line_writer *w); /* NULL-safe; drops the rest */

void line_writer_add(struct line_writer *w, struct slice line);
/* Without a newline: the torn end of what somebody else wrote. */
void line_writer_add_torn(struct line_writer *w, struct slice bytes);

size_t line_writer_pending(const struct line_writer *w); /* bytes */

#endif
