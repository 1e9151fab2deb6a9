/*
 * One buffer and one timer.  The file is written without waiting, because it
 * may be a pipe whose reader has stopped; what the pipe does not take is kept
 * up to a cap, then lines are dropped whole, never cut.  A disk that is full takes
 * a part of one all the same: the next begins on a line of its own.
 */
#include "gateway/telling/decision_log.h"

#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#define WAITING_MAX (4U << 20)
#define FLUSH_US    5000
#define RETRY_US    50000

struct decision_log {
	char *path; /* owned; NULL: no file */
	int fd;
	struct buf waiting;
	struct event *timer;
	uint64_t dropped;
	char last;    /* that was written */
	bool is_torn; /* nothing follows it on its line */
};

static void flush_lines(struct decision_log *d);

static void
on_timer(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	flush_lines(arg);
}

/*
 * Nobody else's business, so 0600.  A pipe may have a reader that has stopped
 * reading, or none at all: neither opening nor writing may wait for it.
 */
static enum err
open_file(const struct decision_log *d, int *ret, struct why *why)
{
	static const int flags =
	    O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd = open(d->path, O_WRONLY | flags, 0600);

	if (fd < 0 && errno == ENXIO) /* a pipe without a reader */
		fd = open(d->path, O_RDWR | flags, 0600);
	if (fd < 0)
		return why_set(why, ERR_IO, "%s: %s", d->path, strerror(errno));
	*ret = fd;
	return ERR_OK;
}

/* Who wrote it before was killed within a line, or had no room for one. */
static bool
ends_torn(const struct decision_log *d, int fd)
{
	char last = '\n';
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		return false;
	fd = open(d->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return false;
	if (pread(fd, &last, 1, st.st_size - 1) != 1)
		last = '\n';
	close(fd);
	return last != '\n';
}

enum err
decision_log_open(struct loop *l, const char *path, struct decision_log **ret,
    struct why *why)
{
	struct decision_log *d = xcalloc(1, sizeof *d);
	enum err e;

	d->fd = -1;
	d->path = path ? xstrdup(path) : NULL;
	if (path && (e = open_file(d, &d->fd, why)) != ERR_OK) {
		free(d->path);
		free(d);
		return e;
	}
	d->last = '\n';
	d->is_torn = path && ends_torn(d, d->fd);
	buf_init(&d->waiting, WAITING_MAX);
	d->timer = evtimer_new(loop_base(l), on_timer, d);
	*ret = d;
	return ERR_OK;
}

void
decision_log_close(struct decision_log *d)
{
	if (!d)
		return;
	flush_lines(d);
	if (d->fd >= 0)
		close(d->fd);
	event_free(d->timer);
	buf_done(&d->waiting);
	free(d->path);
	free(d);
}

enum err
decision_log_reopen(struct decision_log *d, struct why *why)
{
	int fd = -1;
	enum err e;

	if (!d->path)
		return ERR_OK;
	flush_lines(d);
	if ((e = open_file(d, &fd, why)) != ERR_OK)
		return e;
	close(d->fd);
	d->fd = fd;
	d->last = '\n';
	d->is_torn = ends_torn(d, fd);
	return ERR_OK;
}

void
decision_log_line(struct decision_log *d, const struct buf *line)
{
	if (d->fd < 0)
		return;
	if (d->waiting.len + line->len + 1 > WAITING_MAX) {
		d->dropped++;
		return;
	}
	/* Armed by the first line alone: a busy gateway must not push the
	 * flush before itself. */
	if (d->waiting.len == 0)
		loop_arm(d->timer, FLUSH_US);
	buf_add(&d->waiting, line->data, line->len);
	buf_addc(&d->waiting, '\n');
}

static size_t
write_some(struct decision_log *d)
{
	size_t done = 0;
	ssize_t n;

	if (d->is_torn && write(d->fd, "\n", 1) != 1)
		return 0;
	d->is_torn = false;

	while (done < d->waiting.len) {
		n = write(d->fd, d->waiting.data + done, d->waiting.len - done);
		if (n > 0)
			done += (size_t)n;
		else if (n == 0 || errno != EINTR)
			break;
	}
	if (done > 0)
		d->last = d->waiting.data[done - 1];
	return done;
}

static void
flush_lines(struct decision_log *d)
{
	size_t done = write_some(d);

	if (done < d->waiting.len && errno == EAGAIN) {
		/* A reader that is slow; when it is too slow, what comes
		 * next is dropped. */
		buf_drop(&d->waiting, done);
		loop_arm(d->timer, RETRY_US);
		return;
	}
	/* A disk that is full loses lines, not requests. */
	d->is_torn |= done < d->waiting.len && d->last != '\n';
	for (size_t i = done; i < d->waiting.len; i++)
		d->dropped += d->waiting.data[i] == '\n';
	buf_clear(&d->waiting);
}

uint64_t
decision_log_dropped(const struct decision_log *d)
{
	return d->dropped;
}
