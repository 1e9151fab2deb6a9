/*
 * Written from the loop alone, never by who adds: so that nobody is called
 * back from inside a call of his own.
 */
#include "chaos/mcp/line_writer.h"

#include <errno.h>
#include <event2/buffer.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "chaos/mcp/line_reader.h"

struct line_writer {
	const struct line_writer_ops *ops;
	void *arg;
	int fd;
	struct evbuffer *out;   /* owned */
	struct event *writable; /* owned */
	bool is_always_ready, is_broken;
};

static void
go_on(struct line_writer *w)
{
	if (w->is_broken || evbuffer_get_length(w->out) == 0)
		return;
	if (w->is_always_ready)
		event_active(w->writable, EV_WRITE, 0);
	else
		event_add(w->writable, NULL);
}

static void
on_writable(evutil_socket_t fd, short what, void *arg)
{
	struct line_writer *w = arg;
	int n = evbuffer_write_atmost(w->out, w->fd, PIPE_BUF);

	(void)fd;
	(void)what;
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		w->is_broken = true;
		evbuffer_drain(w->out, evbuffer_get_length(w->out));
		w->ops->on_broken(w->arg);
		return;
	}
	go_on(w);
	if (w->ops->on_written)
		w->ops->on_written(w->arg);
}

struct line_writer *
line_writer_new(struct loop *l, int fd, const struct line_writer_ops *ops,
    void *arg)
{
	struct line_writer *w = xcalloc(1, sizeof *w);

	w->ops = ops;
	w->arg = arg;
	w->fd = fd;
	w->out = evbuffer_new();
	w->is_always_ready = line_reader_is_always_ready(fd);
	w->writable = event_new(loop_base(l), fd, EV_WRITE, on_writable, w);
	return w;
}

void
line_writer_free(struct line_writer *w)
{
	if (!w)
		return;
	event_free(w->writable);
	evbuffer_free(w->out);
	free(w);
}

void
line_writer_add_torn(struct line_writer *w, struct slice bytes)
{
	if (w->is_broken)
		return;
	evbuffer_add(w->out, bytes.p, bytes.n);
	go_on(w);
}

void
line_writer_add(struct line_writer *w, struct slice line)
{
	line_writer_add_torn(w, line);
	line_writer_add_torn(w, (struct slice){ "\n", 1 });
}

size_t
line_writer_pending(const struct line_writer *w)
{
	return evbuffer_get_length(w->out);
}
