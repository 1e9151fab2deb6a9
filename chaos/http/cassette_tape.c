/*
 * A line of which the disk took a part is taken back, so that what stands in
 * the file can always be played.
 */
#include "chaos/http/cassette_tape.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/log.h"
#include "base/mem.h"

#define LINE_MAX_BYTES ((size_t)256 << 20)

struct tape {
	char *path; /* owned */
	int fd;
	bool is_incomplete;
};

/* Where the last line begins that has no end. */
static off_t
last_line(int fd, off_t size)
{
	char block[4096];
	const char *lf;
	ssize_t n;

	while (size > 0) {
		off_t from =
		    size > (off_t)sizeof block ? size - (off_t)sizeof block : 0;

		n = pread(fd, block, (size_t)(size - from), from);
		if (n < size - from)
			return -1;
		lf = memrchr(block, '\n', (size_t)n);
		if (lf)
			return from + (lf - block) + 1;
		size = from;
	}
	return 0;
}

static bool
is_whole(const char *text, size_t n)
{
	json_t *v = json_loadb(text, n, 0, NULL);
	bool is_object = json_is_object(v);

	json_decref(v);
	return is_object;
}

static enum err
mend(struct tape *t, off_t from, size_t n, const char *text, struct why *why)
{
	if (text[0] != '{')
		return why_set(why, ERR_SYNTAX,
		    "%s: its last line is no recorded answer, and nothing is "
		    "written behind it",
		    t->path);
	if (is_whole(text, n))
		return write(t->fd, "\n", 1) == 1
		    ? ERR_OK
		    : why_set(why, ERR_IO, "%s: %s", t->path, strerror(errno));
	if (ftruncate(t->fd, from) < 0)
		return why_set(why, ERR_IO, "%s: its torn line: %s", t->path,
		    strerror(errno));
	log_warn("cassette",
	    "%s: its last line was torn, and is cut off (%zu "
	    "bytes)",
	    t->path, n);
	return ERR_OK;
}

static enum err
mend_end(struct tape *t, struct why *why)
{
	int fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
	off_t from = size > 0 ? last_line(fd, size) : size;
	enum err e = ERR_OK;
	char *text;
	size_t n;

	if (from < 0 || size - from > (off_t)LINE_MAX_BYTES) {
		e = why_set(why, ERR_IO, "%s: its end cannot be read", t->path);
	} else if (from < size) {
		n = (size_t)(size - from);
		text = xmalloc(n);
		e = pread(fd, text, n, from) == (ssize_t)n
		    ? mend(t, from, n, text, why)
		    : why_set(why, ERR_IO, "%s: %s", t->path, strerror(errno));
		free(text);
	}
	if (fd >= 0)
		close(fd);
	return e;
}

enum err
tape_open(const char *path, struct tape **ret, struct why *why)
{
	struct tape *t;
	struct stat st;
	int fd;
	enum err e = files_open_kept(path, &fd, why);

	if (e != ERR_OK)
		return e;
	t = xcalloc(1, sizeof *t);
	t->path = xstrdup(path);
	t->fd = fd;
	/* The null device has no end. */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		e = mend_end(t, why);
	if (e == ERR_OK)
		*ret = t;
	else
		tape_close(t);
	return e;
}

void
tape_lose(struct tape *t, const char *reason)
{
	if (!t->is_incomplete)
		log_error("cassette", "%s: an answer is not kept: %s", t->path,
		    reason);
	t->is_incomplete = true;
}

bool
tape_write(struct tape *t, const char *line, size_t n)
{
	off_t before = lseek(t->fd, 0, SEEK_END);
	size_t done = 0;

	while (done < n) {
		ssize_t w = write(t->fd, line + done, n - done);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			break;
		done += (size_t)w;
	}
	if (done == n)
		return true;
	tape_lose(t, strerror(errno));
	if (done > 0 && before >= 0 && ftruncate(t->fd, before) < 0)
		log_error("cassette",
		    "%s: half an answer is left at its end: %s", t->path,
		    strerror(errno));
	return false;
}

bool
tape_is_incomplete(const struct tape *t)
{
	return t->is_incomplete;
}

void
tape_close(struct tape *t)
{
	if (!t)
		return;
	close(t->fd);
	free(t->path);
	free(t);
}
