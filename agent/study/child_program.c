/*
 * fork and exec, with the output on a pipe only until the line has come: what
 * it says later goes to its log.
 */
#include "agent/study/child_program.h"

#include "base/end_with_parent.h"
#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define READY_MS 20000

/* Beside the file that we are. */
static char *
path_of(const char *program)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	return slash ? xasprintf("%.*s/%s", (int)(slash - self), self, program)
	             : xstrdup(program);
}

/* In the child; a descriptor below 0: as it is. */
_Noreturn static void
become(const struct child_program_plan *p, const char *path, int out,
    pid_t parent)
{
	const char *argv[CHILD_PROGRAM_ARGS_MAX + 2] = { p->program };
	int log = open(p->log, O_WRONLY | O_CREAT | O_APPEND, 0644);

	end_with_parent(parent, SIGTERM);
	for (size_t i = 0; i < CHILD_PROGRAM_ARGS_MAX && p->args[i]; i++)
		argv[i + 1] = p->args[i];
	if (p->env)
		(void)putenv(xstrdup(p->env));
	if (log < 0 || dup2(out >= 0 ? out : log, STDOUT_FILENO) < 0 ||
	    dup2(log, STDERR_FILENO) < 0)
		_exit(EXIT_ENV);
	execv(path, (char *const *)(const void *)argv);
	_exit(EXIT_ENV);
}

static enum err
start(const struct child_program_plan *p, int out, pid_t *ret, struct why *why)
{
	char *path = path_of(p->program);
	bool is_there = access(path, X_OK) == 0;
	pid_t pid, parent = getpid();

	/* What is still buffered would be written twice, by the child as
	 * well. */
	fflush(NULL);
	pid = is_there ? fork() : -1;
	if (pid == 0)
		become(p, path, out, parent);
	free(path);
	if (pid < 0)
		return why_set(why, ERR_ENV,
		    "%s cannot be started: expected it beside kernelforge (%s)",
		    p->program, strerror(errno));
	*ret = pid;
	return ERR_OK;
}

/* The first line; false: it ended, or nothing came. */
static bool
read_line(int fd, char *line, size_t size)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	size_t len = 0;

	while (len + 1 < size && poll(&pfd, 1, READY_MS) == 1) {
		ssize_t n = read(fd, line + len, 1);

		if (n <= 0)
			break;
		if (line[len] == '\n') {
			line[len] = '\0';
			return true;
		}
		len++;
	}
	return false;
}

enum err
child_program_start(const struct child_program_plan *p,
    struct child_program *ret, struct why *why)
{
	struct child_program h = { 0 };
	int fds[2];
	enum err e;
	bool is_ready;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return why_set(why, ERR_ENV, "pipe: %s", strerror(errno));
	e = start(p, fds[1], &h.pid, why);
	/* Our copy: while it is open, a program that dies gives no end of
	 * file. */
	(void)close(fds[1]);
	is_ready = e == ERR_OK && read_line(fds[0], h.ready, sizeof h.ready);
	(void)close(fds[0]);
	if (e != ERR_OK)
		return e;
	if (!is_ready) {
		child_program_stop(&h);
		return why_set(why, ERR_ENV, "%s did not start: see %s",
		    p->program, p->log);
	}
	*ret = h;
	return ERR_OK;
}

void
child_program_stop(struct child_program *h)
{
	if (h->pid <= 0)
		return;
	(void)kill(h->pid, SIGTERM);
	while (waitpid(h->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	h->pid = 0;
}

void
child_program_address(const struct child_program *h, const char *name,
    char *out, size_t size)
{
	char *key = xasprintf(" %s=", name);
	const char *at = strstr(h->ready, key);

	out[0] = '\0';
	if (at) {
		at += strlen(key);
		(void)snprintf(out, size, "%.*s", (int)strcspn(at, " "), at);
	}
	free(key);
}

enum err
child_program_run(const struct child_program_plan *p, int *ret_code,
    struct why *why)
{
	pid_t pid = 0;
	int status = 0;
	enum err e = start(p, -1, &pid, why);

	if (e != ERR_OK)
		return e;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (!WIFEXITED(status))
		return why_set(why, ERR_ENV,
		    "%s was ended by signal %d: see %s", p->program,
		    WTERMSIG(status), p->log);
	*ret_code = WEXITSTATUS(status);
	return ERR_OK;
}
