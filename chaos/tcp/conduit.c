/*
 * A pipe and how much it holds, counted by us: the kernel moves the bytes from
 * socket to pipe to socket by splice(2), and they are never in our memory.
 */
#include "chaos/tcp/conduit.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"

/* In the 64 KiB that a pipe has at first a round moves too little to be worth
 * its system calls; in 1 MiB the bytes have left the cache before they leave
 * the machine. */
#define PIPE_BYTES (256 << 10)

struct conduit {
	int in, out; /* owned */
	size_t held;
};

struct conduit *
conduit_new(void)
{
	struct conduit *c;
	int fds[2];

	if (pipe2(fds, O_NONBLOCK | O_CLOEXEC) < 0)
		return NULL;
	c = xcalloc(1, sizeof *c);
	c->out = fds[0];
	c->in = fds[1];
	/* An unprivileged user's pipes share an allowance (pipe-user-pages-soft
	 * of pipe(7)); past it this fails and the bytes are copied instead. */
	if (fcntl(c->in, F_SETPIPE_SZ, PIPE_BYTES) < 0) {
		conduit_free(c);
		return NULL;
	}
	return c;
}

void
conduit_free(struct conduit *c)
{
	if (!c)
		return;
	close(c->in);
	close(c->out);
	free(c);
}

size_t
conduit_held(const struct conduit *c)
{
	return c ? c->held : 0;
}

ssize_t
conduit_fill(struct conduit *c, int from)
{
	ssize_t n = splice(from, NULL, c->in, NULL, PIPE_BYTES,
	    SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

	if (n > 0)
		c->held += (size_t)n;
	return n;
}

ssize_t
conduit_flush(struct conduit *c, int to)
{
	ssize_t n = splice(c->out, NULL, to, NULL, c->held,
	    SPLICE_F_MOVE | SPLICE_F_NONBLOCK);

	if (n > 0)
		c->held -= (size_t)n;
	return n;
}
