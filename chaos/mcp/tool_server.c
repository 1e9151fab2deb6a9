/*
 * Fork and exec with three pipes.  The third reports an exec that failed: it
 * closes by itself when exec succeeds, so a command that cannot be run is
 * known before the first message is taken.
 */
#include "chaos/mcp/tool_server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/units.h"
#include "chaos/mcp/line_reader.h"
#include "chaos/mcp/line_writer.h"

#define END_MS   2000 /* a server whose input ended gets so long */
#define TAIL_MS  500  /* what a server that is gone has left in its pipe */
#define PAUSE_NS 5000000L
#define PAUSE_MS 5

struct tool_server {
	const struct tool_server_ops *ops;
	void *arg;
	pid_t pid;
	int pid_fd;             /* owned: readable once it has ended */
	int in_fd, out_fd;      /* its standard input and output; -1: closed */
	struct line_writer *to; /* owned */
	struct line_reader *lines; /* owned */
	struct event *gone, *tail; /* owned */
	bool is_input_over;        /* closed once all is written */
	bool is_too_long;          /* a line of its */
	bool has_ended;            /* on_end was called */
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
	line_writer_free(t->to);
	t->to = NULL;
	if (t->in_fd >= 0)
		close(t->in_fd);
	t->in_fd = -1;
}

static void
on_written(void *arg)
{
	struct tool_server *t = arg;

	if (t->is_input_over && line_writer_pending(t->to) == 0)
		close_input(t);
	t->ops->on_taken(t->arg);
}

/* It reads no more; whether it lives its output says. */
static void
on_broken(void *arg)
{
	struct tool_server *t = arg;

	t->is_input_over = true;
	t->ops->on_taken(t->arg);
}

static const struct line_writer_ops writer_ops = {
	.on_written = on_written,
	.on_broken = on_broken,
};

void
tool_server_send(struct tool_server *t, struct slice line)
{
	if (t->to && !t->is_input_over)
		line_writer_add(t->to, line);
}

size_t
tool_server_pending(const struct tool_server *t)
{
	return t->to ? line_writer_pending(t->to) : 0;
}

void
tool_server_close_input(struct tool_server *t)
{
	t->is_input_over = true;
	if (t->to && line_writer_pending(t->to) == 0)
		close_input(t);
}

/* ---- its output and its end */

static void
end(struct tool_server *t)
{
	if (t->has_ended)
		return;
	t->has_ended = true;
	line_reader_pause(t->lines);
	t->ops->on_end(t->arg);
}

static void
on_line(struct slice line, bool is_torn, void *arg)
{
	struct tool_server *t = arg;

	t->ops->on_line(line, is_torn, t->arg);
}

static void
on_end(enum err e, void *arg)
{
	struct tool_server *t = arg;

	t->is_too_long = e == ERR_TOOBIG;
	end(t);
}

/* Something that it has started may hold its output open for ever. */
static void
on_gone(evutil_socket_t fd, short what, void *arg)
{
	struct tool_server *t = arg;

	(void)fd;
	(void)what;
	loop_arm(t->tail, TAIL_MS * US_PER_MS);
}

static void
on_tail(evutil_socket_t fd, short what, void *arg)
{
	(void)fd;
	(void)what;
	end(arg);
}

bool
tool_server_wrote_too_much(const struct tool_server *t)
{
	return t->is_too_long;
}

void
tool_server_pause(struct tool_server *t)
{
	line_reader_pause(t->lines);
}

void
tool_server_resume(struct tool_server *t)
{
	if (!t->has_ended)
		line_reader_resume(t->lines);
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
	t->pid_fd = -1;
	error = spawn(t, command);
	if (error) {
		tool_server_free(t, unused, sizeof unused);
		return why_set(why, ERR_ENV, "%s: cannot be run: %s",
		    command[0], strerror(error));
	}
	fcntl(t->in_fd, F_SETFL, O_NONBLOCK);
	t->to = line_writer_new(l, t->in_fd, &writer_ops, t);
	t->lines =
	    line_reader_new(l, t->out_fd, TOOL_SERVER_LINE_MAX, &line_ops, t);
	t->tail = evtimer_new(loop_base(l), on_tail, t);
	t->pid_fd = pidfd_open(t->pid, 0);
	if (t->pid_fd >= 0) {
		t->gone =
		    event_new(loop_base(l), t->pid_fd, EV_READ, on_gone, t);
		event_add(t->gone, NULL);
	}
	*ret = t;
	return ERR_OK;
}

/* A server that was told to end, or closed its output, is on its way out.
 * false: it had to be killed. */
static bool
await_end(pid_t pid, int *ret_status)
{
	const struct timespec pause = { 0, PAUSE_NS };
	bool has_ended = false;

	for (int ms = 0; ms < END_MS && !has_ended; ms += PAUSE_MS) {
		has_ended = waitpid(pid, ret_status, WNOHANG) == pid;
		if (!has_ended)
			nanosleep(&pause, NULL);
	}
	kill(-pid, SIGKILL);
	while (!has_ended && waitpid(pid, ret_status, 0) < 0 && errno == EINTR)
		;
	return has_ended;
}

static void
describe(const struct tool_server *t, bool by_itself, int status, char *out,
    size_t size)
{
	out[0] = '\0';
	if (t->is_too_long)
		(void)snprintf(out, size,
		    "it wrote a line of more than %zu MiB",
		    TOOL_SERVER_LINE_MAX >> 20);
	else if (!by_itself)
		(void)snprintf(out, size, "it closed its output and stayed");
	else if (WIFSIGNALED(status))
		(void)snprintf(out, size, "signal %d (%s)", WTERMSIG(status),
		    strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) != 0)
		(void)snprintf(out, size, "exit %d", WEXITSTATUS(status));
}

void
tool_server_free(struct tool_server *t, char *ret_text, size_t size)
{
	struct event *events[2];
	bool by_itself = true;
	int status = 0;

	ret_text[0] = '\0';
	if (!t)
		return;
	close_input(t);
	line_reader_free(t->lines);
	events[0] = t->gone;
	events[1] = t->tail;
	for (size_t i = 0; i < COUNT(events); i++)
		if (events[i])
			event_free(events[i]);
	if (t->pid > 0)
		by_itself = await_end(t->pid, &status);
	/* Only now, so that what it still says is no error to it. */
	if (t->out_fd >= 0)
		close(t->out_fd);
	if (t->pid_fd >= 0)
		close(t->pid_fd);
	describe(t, by_itself, status, ret_text, size);
	free(t);
}
