/*
 * What a sandboxed process can still do: each row tries one thing in a
 * process of its own, after both steps or after the first alone.
 */
#include "lab/run/sandbox.h"

#include "tests/unit.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_SANDBOX 120 /* exit status: the sandbox could not be entered */

/* Each returns 0, or the errno that refused it. */
static int
result(long r)
{
	return r < 0 ? errno : 0;
}

static int
try_write_here(void)
{
	return result(open("mine", O_WRONLY | O_CREAT, 0600));
}

static int
try_write_elsewhere(void)
{
	return result(open("/tmp/kf-sandbox-leak", O_WRONLY | O_CREAT, 0600));
}

static int
try_climb_out(void)
{
	return result(open("../leak", O_WRONLY | O_CREAT, 0600));
}

static int
try_read_usr(void)
{
	return result(open("/usr/bin/env", O_RDONLY));
}

static int
try_read_etc(void)
{
	return result(open("/etc/passwd", O_RDONLY));
}

static int
try_socket(void)
{
	return result(socket(AF_INET, SOCK_STREAM, 0));
}

static int
try_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return result(pid);
}

static int
try_exec_linker(void)
{
	char *argv[] = { NULL, NULL };

	argv[0] = strdup("/usr/bin/ld");
	return result(execv("/usr/bin/ld", argv));
}

static int
try_exec_shell(void)
{
	char *argv[] = { NULL, NULL };

	argv[0] = strdup("/bin/sh");
	return result(execv("/bin/sh", argv));
}

static int
try_kill_parent(void)
{
	return result(kill(getppid(), 0));
}

static int
try_leave_group(void)
{
	return result(setpgid(0, 0));
}

static int
try_ptrace(void)
{
	return result(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
}

static const struct {
	const char *what;
	int (*attempt)(void);
	uint32_t needs; /* the features without which the row says nothing */
	bool run;       /* after sandbox_for_run() too */
	int want_errno;
	int want_signal;
} rows[] = {
	{ "a file in the work folder", try_write_here, 0, true, 0, 0 },
	{ "a file in /tmp", try_write_elsewhere, SANDBOX_LANDLOCK, true, EACCES,
	    0 },
	{ "a file above the work folder", try_climb_out, SANDBOX_LANDLOCK, true,
	    EACCES, 0 },
	{ "reading a library", try_read_usr, 0, true, 0, 0 },
	{ "reading /etc", try_read_etc, SANDBOX_LANDLOCK, true, EACCES, 0 },
	{ "a socket", try_socket, SANDBOX_SECCOMP, true, EPERM, 0 },
	{ "fork while building", try_fork, 0, false, 0, 0 },
	{ "fork while running", try_fork, SANDBOX_SECCOMP, true, 0, SIGSYS },
	{ "a shell while building", try_exec_shell, SANDBOX_LANDLOCK, false,
	    EACCES, 0 },
	{ "the linker while running", try_exec_linker, SANDBOX_SECCOMP, true, 0,
	    SIGSYS },
	{ "a signal to the parent", try_kill_parent, SANDBOX_SECCOMP, true, 0,
	    SIGSYS },
	{ "another process group", try_leave_group, SANDBOX_SECCOMP, true,
	    EPERM, 0 },
	{ "ptrace while building", try_ptrace, SANDBOX_SECCOMP, false, EPERM,
	    0 },
};

_Noreturn static void
attempt_in_child(size_t i, const char *dir, int features_fd)
{
	static const struct sandbox_limits limits = { .cpu_s = 10,
		.address_bytes = (uint64_t)1 << 30,
		.file_bytes = 1 << 20 };
	uint32_t features = 0;

	if (chdir(dir) != 0 ||
	    sandbox_for_build(&limits, false, &features, NULL) != ERR_OK ||
	    write(features_fd, &features, sizeof features) != sizeof features)
		_exit(NO_SANDBOX);
	if (rows[i].run && sandbox_for_run(features, NULL) != ERR_OK)
		_exit(NO_SANDBOX);
	_exit(rows[i].attempt());
}

static void
check_row(size_t i, const char *dir)
{
	uint32_t features = 0;
	int fds[2], status = 0;
	ssize_t n;
	pid_t pid;

	if (!CHECK(pipe(fds) == 0, rows[i].what))
		return;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		attempt_in_child(i, dir, fds[1]);
	close(fds[1]);
	n = read(fds[0], &features, sizeof features);
	close(fds[0]);
	waitpid(pid, &status, 0);
	CHECK(n == sizeof features && (features & SANDBOX_RLIMITS),
	    "resource limits always work");
	if ((features & rows[i].needs) != rows[i].needs)
		return;
	CHECK_INT(WIFSIGNALED(status) ? WTERMSIG(status) : 0,
	    rows[i].want_signal, rows[i].what);
	CHECK_INT(WIFEXITED(status) ? WEXITSTATUS(status) : 0,
	    rows[i].want_errno, rows[i].what);
}

static void
check_names(void)
{
	char text[64];

	sandbox_describe(SANDBOX_RLIMITS | SANDBOX_SECCOMP, text, sizeof text);
	CHECK_STR(text, "rlimits, seccomp", "features by name");
	sandbox_missing(SANDBOX_RLIMITS | SANDBOX_SECCOMP, text, sizeof text);
	CHECK_STR(text, "netns, landlock", "and what is missing");
}

void
t_sandbox(void)
{
	char dir[512];

	snprintf(dir, sizeof dir, "%s/work", unit_tmpdir());
	CHECK_INT(mkdir(dir, 0700), 0, "a work folder");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		check_row(i, dir);
	check_names();
}
