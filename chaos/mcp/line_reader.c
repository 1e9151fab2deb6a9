/*
 * One line a turn of the loop, so that whoever takes the lines can hold them
 * back, and a flood of them starves nobody.
 */
#include "chaos/mcp/line_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"

#define READ_BYTES ((size_t)64 << 10)

struct line_reader {
	const struct line_reader_ops *ops;
	void *arg;
	int fd;
	struct event *event; /* owned */
	struct buf buf;
	size_t told;    /* bytes of buf that were told, */
	size_t scanned; /* and that are known to hold no newline behind them */
	size_t line_max;
	bool is_always_ready;
	bool is_paused;
	bool is_at_end; /* nothing more will be read */
	enum err end;
};

static bool
has_line(struct line_reader *r)
{
	const char *newline = NULL;

	if (r->scanned < r->buf.len)
		newline = memchr(r->buf.data + r->scanned, '\n',
		    r->buf.len - r->scanned);
	r->scanned = newline ? (size_t)(newline - r->buf.data) : r->buf.len;
	/* A torn line at the end is one too. */
	return newline ||
	    (r->is_at_end && r->end == ERR_OK && r->told < r->buf.len);
}

static void
tell_line(struct line_reader *r)
{
	struct slice line = { r->buf.data + r->told, r->scanned - r->told };

	bool is_torn = r->scanned == r->buf.len;

	r->told = is_torn ? r->scanned : r->scanned + 1;
	r->scanned = r->told;
	r->ops->on_line(line, is_torn, r->arg);
}

static void
read_more(struct line_reader *r)
{
	ssize_t n = -1;
	char *to = NULL;

	buf_drop(&r->buf, r->told);
	r->scanned -= r->told;
	r->told = 0;
	if (r->buf.len <= r->line_max)
		to = buf_extend(&r->buf, READ_BYTES);
	r->end = to ? ERR_IO : ERR_TOOBIG;
	if (to) {
		n = read(r->fd, to, READ_BYTES);
		r->buf.len -= READ_BYTES - (n > 0 ? (size_t)n : 0);
	}
	if (n == 0)
		r->end = ERR_OK;
	r->is_at_end = n <= 0 && !(to && n < 0 && errno == EINTR);
}

/* The descriptor may block, so it is read only when the loop says that it is
 * ready. */
static void
go_on(struct line_reader *r)
{
	if (r->is_paused)
		return;
	if (has_line(r) || r->is_at_end || r->is_always_ready)
		event_active(r->event, EV_READ, 0);
	else
		event_add(r->event, NULL);
}

bool
line_reader_is_always_ready(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 &&
	    (S_ISREG(st.st_mode) || (S_ISCHR(st.st_mode) && !isatty(fd)));
}

static void
on_ready(evutil_socket_t fd, short what, void *arg)
{
	struct line_reader *r = arg;

	(void)fd;
	(void)what;
	if (r->is_paused)
		return;
	if (!has_line(r) && !r->is_at_end)
		read_more(r);
	if (has_line(r)) {
		tell_line(r);
	} else if (r->is_at_end) {
		r->ops->on_end(r->end, r->arg);
		return;
	}
	go_on(r);
}

struct line_reader *
line_reader_new(struct loop *l, int fd, size_t line_max,
    const struct line_reader_ops *ops, void *arg)
{
	struct line_reader *r = xcalloc(1, sizeof *r);

	r->ops = ops;
	r->arg = arg;
	r->fd = fd;
	r->line_max = line_max;
	r->is_always_ready = line_reader_is_always_ready(fd);
	buf_init(&r->buf, line_max + 2 * READ_BYTES);
	r->event = event_new(loop_base(l), fd, EV_READ, on_ready, r);
	go_on(r);
	return r;
}

void
line_reader_free(struct line_reader *r)
{
	if (!r)
		return;
	event_free(r->event);
	buf_done(&r->buf);
	free(r);
}

void
line_reader_pause(struct line_reader *r)
{
	r->is_paused = true;
	event_del(r->event);
}

void
line_reader_resume(struct line_reader *r)
{
	r->is_paused = false;
	go_on(r);
}
