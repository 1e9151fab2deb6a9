/*
 * Fork and exec with three pipes.  The third reports an exec that failed: it
 * closes by itself when exec succeeds, so a command that cannot be run is
 * known before the first message is taken.
 */
#include "chaos/mcp/tool_server.h"

#include <errno.h>
#include <event2/buffer.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "chaos/mcp/line_reader.h"

#define END_MS 2000 /* a server whose input ended gets so long */

struct tool_server {
	const struct tool_server_ops *ops;
	void *arg;
	pid_t pid;
	int in_fd, out_fd;      /* its standard input and output; -1: closed */
	struct evbuffer *out;   /* owned: what waits for its input */
	struct event *writable; /* owned */
	struct line_reader *lines; /* owned */
	bool is_input_over;        /* closed once out is empty */
};

static _Noreturn void
become(char *const *command, int in_fd, int out_fd, int report_fd)
{
	sigset_t none;
	int error;

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	dup2(in_fd, 0);
	dup2(out_fd, 1);
	execvp(command[0], command);
	error = errno;
	(void)!write(report_fd, &error, sizeof error);
	_exit(127);
}

/* 0, or why exec failed. */
static int
spawn(struct tool_server *t, char *const *command)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 }, report[2] = { -1, -1 };
	int error = 0;

	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0 ||
	    pipe2(report, O_CLOEXEC) != 0 || (t->pid = fork()) < 0)
		error = errno;
	else if (t->pid == 0)
		become(command, in[0], out[1], report[1]);
	for (size_t i = 0; i < 3; i++) {
		int theirs = i == 0 ? in[0] : i == 1 ? out[1] : report[1];

		if (theirs >= 0)
			close(theirs);
	}
	t->in_fd = in[1];
	t->out_fd = out[0];
	if (!error && read(report[0], &error, sizeof error) != sizeof error)
		error = 0;
	if (report[0] >= 0)
		close(report[0]);
	return error;
}

/* ---- its input */

static void
close_input(struct tool_server *t)
{
	if (t->in_fd >= 0)
		close(t->in_fd);
	t->in_fd = -1;
	evbuffer_drain(t->out, evbuffer_get_length(t->out));
}

static void
write_out(struct tool_server *t)
{
	int n = 0;

	while (t->in_fd >= 0 && evbuffer_get_length(t->out) > 0 && n >= 0)
		n = evbuffer_write(t->out, t->in_fd);
	if (n < 0 && errno == EAGAIN)
		event_add(t->writable, NULL);
	else if (n < 0 || t->is_input_over)
		close_input(t);
}

static void
on_writable(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	write_out(arg);
}

void
tool_server_send(struct tool_server *t, struct slice line)
{
	if (t->in_fd < 0)
		return;
	evbuffer_add(t->out, line.p, line.n);
	evbuffer_add(t->out, "\n", 1);
	write_out(t);
}

void
tool_server_close_input(struct tool_server *t)
{
	t->is_input_over = true;
	write_out(t);
}

/* ---- its output */

static void
on_line(struct slice line, void *arg)
{
	struct tool_server *t = arg;

	t->ops->on_line(line, t->arg);
}

static void
on_end(enum err e, void *arg)
{
	struct tool_server *t = arg;

	(void)e;
	t->ops->on_end(t->arg);
}

static const struct line_reader_ops line_ops = {
	.on_line = on_line,
	.on_end = on_end,
};

enum err
tool_server_start(struct loop *l, char *const *command,
    const struct tool_server_ops *ops, void *arg, struct tool_server **ret,
    struct why *why)
{
	struct tool_server *t = xcalloc(1, sizeof *t);
	char unused[64];
	int error;

	t->ops = ops;
	t->arg = arg;
	t->out = evbuffer_new();
	error = spawn(t, command);
	if (error) {
		tool_server_free(t, unused, sizeof unused);
		return why_set(why, ERR_ENV, "%s: cannot be run: %s",
		    command[0], strerror(error));
	}
	fcntl(t->in_fd, F_SETFL, O_NONBLOCK);
	t->writable =
	    event_new(loop_base(l), t->in_fd, EV_WRITE, on_writable, t);
	t->lines =
	    line_reader_new(l, t->out_fd, TOOL_SERVER_LINE_MAX, &line_ops, t);
	*ret = t;
	return ERR_OK;
}

/* A server that was told to end, or closed its output, is on its way out. */
static int
await_end(pid_t pid)
{
	const struct timespec pause = { 0, 5L * 1000 * 1000 };
	int status = 0;

	for (int waited_ms = 0; waited_ms < END_MS; waited_ms += 5) {
		if (waitpid(pid, &status, WNOHANG) == pid) {
			kill(-pid, SIGKILL);
			return status;
		}
		nanosleep(&pause, NULL);
	}
	kill(-pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

void
tool_server_free(struct tool_server *t, char *ret_text, size_t size)
{
	int status = 0;

	ret_text[0] = '\0';
	if (!t)
		return;
	close_input(t);
	line_reader_free(t->lines);
	if (t->writable)
		event_free(t->writable);
	evbuffer_free(t->out);
	if (t->pid > 0)
		status = await_end(t->pid);
	/* Only now, so that what it still says is no error to it. */
	if (t->out_fd >= 0)
		close(t->out_fd);
	if (WIFSIGNALED(status))
		(void)snprintf(ret_text, size, "signal %d (%s)",
		    WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) != 0)
		(void)snprintf(ret_text, size, "exit %d", WEXITSTATUS(status));
	free(t);
}
