/*
 * Bytes on their way from one socket to another that nobody looks at: they
 * stay in the kernel, in a pipe, and are moved by splice(2), not copied.  A
 * pipe is two descriptors and a system call more each way, so this pays for
 * bulk only; link_flow.c says when.
 *
 * What was taken from one socket and not yet accepted by the other stays in
 * the pipe.
 */
#ifndef CHAOS_CONDUIT_H
#define CHAOS_CONDUIT_H

#include <stddef.h>
#include <sys/types.h>

struct conduit;

struct conduit *conduit_new(void);    /* NULL: no descriptors left */
void conduit_free(struct conduit *c); /* what it holds is lost; NULL-safe */
size_t conduit_held(const struct conduit *c); /* bytes; NULL: 0 */

/* As read(2), for an empty conduit: bytes that came in, 0 at the end of the
 * stream, or -1 and errno. */
ssize_t conduit_fill(struct conduit *c, int from);

/* As send(2) of what it holds: bytes that went out, or -1 and errno. */
ssize_t conduit_flush(struct conduit *c, int to);

#endif
