/*
 * A tool's life: a folder, a pipe, a child.
 *
 * The pipe's write end is held by the tool and by whatever it starts, so the
 * end of file says that all of them are gone.  The child is collected only
 * then, or killed with its whole group.
 */
#include "lab/run/tool_process.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/mem.h"
#include "lab/run/process_time.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct tool {
	struct zygote *zygote; /* borrowed */
	pid_t pid;             /* 0: collected */
	int pipe;
	char *dir; /* owned */
	uint64_t deadline_ms;
	struct buf says;
	size_t says_max;
	uint64_t files_max;
	int wait_status;
};

#define FILES_LOOK_MS 200

/* Without its version: clang-14 is a link to a file clang in a folder of that
 * version. */
static size_t
bare_length(const char *name)
{
	const char *version = strrchr(name, '-');

	return version && isdigit((unsigned char)version[1])
	    ? (size_t)(version - name)
	    : strlen(name);
}

/* x86_64-linux-gnu-ld.bfd goes by "ld": Debian's tools stand behind the name
 * of their machine. */
static bool
goes_by(const char *file, const char *name)
{
	const char *behind = strstr(file, "-linux-gnu-");
	size_t n = bare_length(name);

	return strncmp(file, name, n) == 0 ||
	    (behind &&
	        strncmp(behind + sizeof "-linux-gnu-" - 1, name, n) == 0);
}

/* The program itself, not a cache or wrapper that goes by its name: such a one
 * executes another, which the sandbox forbids.  NULL: it is none. */
static char *
find_in(const char *dir, const char *name)
{
	char *file = files_join(dir, name), *real = NULL;

	if (access(file, X_OK) == 0)
		real = realpath(file, NULL);
	if (real && !goes_by(strrchr(real, '/') + 1, name)) {
		free(real);
		real = NULL;
	}
	free(file);
	return real;
}

char *
tool_find(const char *name)
{
	const char *path = getenv("PATH");
	char *dirs = xstrdup(path ? path : "/usr/bin:/bin");
	char *rest = dirs, *dir, *found = NULL;

	while (!found && (dir = strsep(&rest, ":")) != NULL)
		found = find_in(*dir ? dir : ".", name);
	free(dirs);
	return found;
}

static enum err
write_files(const struct tool *t, const struct tool_job *job, struct why *why)
{
	enum err e = ERR_OK;

	for (size_t i = 0;
	     i < COUNT(job->files) && job->files[i].name && e == ERR_OK; i++) {
		char *path = files_join(t->dir, job->files[i].name);

		e = files_write(path, job->files[i].text,
		    strlen(job->files[i].text), why);
		free(path);
	}
	return e;
}

static enum err
start(struct tool *t, const struct tool_job *job, struct why *why)
{
	struct zygote_exec x = { .dir = t->dir,
		.args = job->args,
		.cpu_s = job->cpu_s,
		.file_bytes = job->file_max };
	int ends[2];
	enum err e;

	if (!mkdtemp(t->dir))
		return why_set(why, ERR_IO, "%s: %s", t->dir, strerror(errno));
	e = write_files(t, job, why);
	if (e != ERR_OK)
		return e;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return why_set(why, ERR_IO, "pipe: %s", strerror(errno));
	t->pipe = ends[0];
	x.output = ends[1];
	e = zygote_execute(t->zygote, &x, &t->pid, why);
	/* Ours goes at once, or the pipe would never come to its end. */
	close(ends[1]);
	return e;
}

enum err
tool_start(struct zygote *z, const char *scratch, const struct tool_job *job,
    struct tool **ret, struct why *why)
{
	struct tool *t = xcalloc(1, sizeof *t);
	enum err e;

	t->zygote = z;
	t->pipe = -1;
	t->dir = xasprintf("%s/tool-XXXXXX", scratch);
	t->deadline_ms = clock_mono_ms() + job->deadline_ms;
	t->says_max = job->says_max;
	t->files_max = job->files_max;
	buf_init(&t->says, job->says_max + 1);
	e = start(t, job, why);
	if (e == ERR_OK)
		*ret = t;
	else
		tool_stop(t);
	return e;
}

static void
collect(struct tool *t)
{
	if (t->pid > 0)
		t->wait_status = zygote_kill(t->zygote, t->pid);
	t->pid = 0;
}

static bool
is_flood(const struct tool *t)
{
	return files_tree_bytes(t->dir) > t->files_max;
}

/* What is left of its time by the clock, in which it does not wait for a
 * processor. */
static uint64_t
left_ms(const struct tool *t)
{
	uint64_t now_ms = process_clock_ms(t->pid);

	return now_ms < t->deadline_ms ? t->deadline_ms - now_ms : 0;
}

/* Waits for the tool to say something, or to end; false: the deadline has
 * passed, or its files the cap. */
static bool
wait_readable(const struct tool *t)
{
	struct pollfd pfd = { .fd = t->pipe, .events = POLLIN };
	uint64_t left;
	int n;

	do {
		left = left_ms(t);
		n = poll(&pfd, 1,
		    left < FILES_LOOK_MS ? (int)left : FILES_LOOK_MS);
	} while (
	    (n < 0 && errno == EINTR) || (n == 0 && left > 0 && !is_flood(t)));
	return n > 0;
}

/* A program may close its output and then end, as GNU's do: it gets what is
 * left of its time for that, so that the kill finds it ended. */
static void
await_exit(const struct tool *t)
{
	struct pollfd gone = { .fd = (int)syscall(SYS_pidfd_open, t->pid, 0),
		.events = POLLIN };
	uint64_t left = left_ms(t);
	int n = 0;

	while (
	    gone.fd >= 0 && left > 0 && n <= 0 && (n == 0 || errno == EINTR)) {
		n = poll(&gone, 1, (int)left);
		left = left_ms(t);
	}
	if (gone.fd >= 0)
		close(gone.fd);
}

/* A killed one and one that ended by itself differ in their wait status
 * alone. */
static enum tool_end
end_of(struct tool *t, int *ret_status)
{
	await_exit(t);
	collect(t);
	if (is_flood(t))
		return TOOL_FLOOD;
	if (t->wait_status >= 0 && WIFEXITED(t->wait_status)) {
		*ret_status = WEXITSTATUS(t->wait_status);
		return TOOL_ENDED;
	}
	*ret_status = t->wait_status >= 0 ? WTERMSIG(t->wait_status) : 0;
	return TOOL_DIED;
}

enum tool_end
tool_await(struct tool *t, int *ret_status, const char **ret_says)
{
	char chunk[4096];
	ssize_t n;

	*ret_status = 0;
	for (;;) {
		*ret_says = t->says.data ? t->says.data : "";
		if (!wait_readable(t)) {
			collect(t);
			return is_flood(t) ? TOOL_FLOOD : TOOL_TIMEOUT;
		}
		n = read(t->pipe, chunk, sizeof chunk);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return end_of(t, ret_status);
		/* A tool that says more than it is asked for is broken or
		 * abused; cutting its answer would make another answer of
		 * it. */
		if ((size_t)n > t->says_max - t->says.len) {
			collect(t);
			return TOOL_FLOOD;
		}
		buf_add(&t->says, chunk, (size_t)n);
	}
}

char *
tool_read(const struct tool *t, const char *name, size_t max)
{
	char *path = files_join(t->dir, name), *text = NULL;

	if (files_read(path, max, &text, NULL, NULL) != ERR_OK)
		text = NULL;
	free(path);
	return text;
}

void
tool_stop(struct tool *t)
{
	if (!t)
		return;
	zygote_discard(t->zygote, t->pid, t->dir);
	if (t->pipe >= 0)
		close(t->pipe);
	buf_done(&t->says);
	free(t->dir);
	free(t);
}
