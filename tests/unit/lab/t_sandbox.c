/*
 * What a sandboxed process can still do: each row tries one thing in a
 * process of its own, after the first, the first two or all three steps.
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
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
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

static int
try_kill_thread_of_parent(void)
{
	return result(syscall(SYS_tgkill, getppid(), getppid(), 0));
}

static int
try_kill_thread_by_number(void)
{
	return result(syscall(SYS_tkill, gettid(), 0));
}

static int
try_own_thread(void)
{
	return result(syscall(SYS_tgkill, getpid(), gettid(), 0));
}

static int
try_queue_signal(void)
{
	siginfo_t info = { .si_code = SI_QUEUE };

	return result(syscall(SYS_rt_sigqueueinfo, getppid(), SIGUSR1, &info));
}

/* Signals about a descriptor go to its owner, whoever that is. */
static int
try_own_descriptor(void)
{
	return result(fcntl(0, F_SETOWN, getppid()));
}

static int
try_pidfd(void)
{
	return result(syscall(SYS_pidfd_open, getppid(), 0));
}

static int
try_write_and_execute(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? errno : 0;
}

static int
try_write_then_execute(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED
	    ? ENOMEM
	    : result(mprotect(p, 4096, PROT_READ | PROT_EXEC));
}

static int
try_execute(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? errno : 0;
}

static int
try_memory(void)
{
	void *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? errno : result(munmap(p, 4096));
}

static int
try_environ_of_parent(void)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/environ", (int)getppid());
	return result(open(path, O_RDONLY));
}

static int
try_capability(void)
{
	return prctl(PR_CAPBSET_READ, 0, 0, 0, 0) == 1 ||
	        syscall(SYS_chroot, "/usr") == 0
	    ? 0
	    : EPERM;
}

static int
try_be_root(void)
{
	return geteuid() == 0 ? 0 : result(setuid(0));
}

static int
try_large_file(void)
{
	int fd = open("large", O_WRONLY | O_CREAT, 0600);

	signal(SIGXFSZ, SIG_IGN);
	return result(pwrite(fd, "x", 1, 2 << 20));
}

static int
try_pass_descriptor(void)
{
	struct msghdr m = { .msg_name = NULL };

	return result(sendmsg(0, &m, 0));
}

enum step { BUILD, RUN, SEAL };

static const struct {
	const char *what;
	int (*attempt)(void);
	uint32_t needs; /* the features without which the row says nothing */
	enum step step; /* the last one that was made */
	int want_errno;
	int want_signal;
} rows[] = {
	{ "a file in the work folder", try_write_here, 0, BUILD, 0, 0 },
	{ "a file that is too large", try_large_file, 0, BUILD, EFBIG, 0 },
	{ "a file once code is loaded", try_write_here, SANDBOX_SECCOMP, RUN,
	    EPERM, 0 },
	{ "a file in /tmp", try_write_elsewhere, SANDBOX_LANDLOCK, BUILD,
	    EACCES, 0 },
	{ "a file above the work folder", try_climb_out, SANDBOX_LANDLOCK,
	    BUILD, EACCES, 0 },
	{ "reading a library", try_read_usr, 0, RUN, 0, 0 },
	{ "reading one in the end", try_read_usr, SANDBOX_SECCOMP, SEAL, EPERM,
	    0 },
	{ "reading /etc", try_read_etc, SANDBOX_LANDLOCK, RUN, EACCES, 0 },
	{ "the environment of another", try_environ_of_parent, SANDBOX_LANDLOCK,
	    BUILD, EACCES, 0 },
	{ "a socket", try_socket, SANDBOX_SECCOMP, RUN, EPERM, 0 },
	{ "fork while building", try_fork, 0, BUILD, 0, 0 },
	{ "fork while running", try_fork, SANDBOX_SECCOMP, RUN, 0, SIGSYS },
	{ "a shell while building", try_exec_shell, SANDBOX_LANDLOCK, BUILD,
	    EACCES, 0 },
	{ "the linker while running", try_exec_linker, SANDBOX_SECCOMP, RUN, 0,
	    SIGSYS },
	{ "a signal to the parent while building", try_kill_parent,
	    SANDBOX_SECCOMP, BUILD, EPERM, 0 },
	{ "one to its thread", try_kill_thread_of_parent, SANDBOX_SECCOMP,
	    BUILD, EPERM, 0 },
	{ "one with a value", try_queue_signal, SANDBOX_SECCOMP, BUILD, EPERM,
	    0 },
	{ "a signal to the parent", try_kill_parent, SANDBOX_SECCOMP, RUN, 0,
	    SIGSYS },
	{ "one to its thread while running", try_kill_thread_of_parent,
	    SANDBOX_SECCOMP, RUN, 0, SIGSYS },
	{ "one to a thread, whosever", try_kill_thread_by_number,
	    SANDBOX_SECCOMP, RUN, 0, SIGSYS },
	{ "one with a value while running", try_queue_signal, SANDBOX_SECCOMP,
	    RUN, EPERM, 0 },
	{ "one by a descriptor", try_own_descriptor, SANDBOX_SECCOMP, RUN,
	    EPERM, 0 },
	{ "a handle on the parent", try_pidfd, SANDBOX_SECCOMP, RUN, EPERM, 0 },
	{ "a signal to itself", try_own_thread, 0, SEAL, 0, 0 },
	{ "another process group", try_leave_group, SANDBOX_SECCOMP, RUN, EPERM,
	    0 },
	{ "ptrace while building", try_ptrace, SANDBOX_SECCOMP, BUILD, EPERM,
	    0 },
	{ "a descriptor for somebody else", try_pass_descriptor,
	    SANDBOX_SECCOMP, RUN, EPERM, 0 },
	{ "a capability", try_capability, SANDBOX_POWERLESS, BUILD, EPERM, 0 },
	{ "root", try_be_root, SANDBOX_POWERLESS, BUILD, EPERM, 0 },
	{ "memory", try_memory, 0, SEAL, 0, 0 },
	{ "memory written and executed", try_write_and_execute, SANDBOX_SECCOMP,
	    RUN, 0, SIGSYS },
	{ "memory written, then executed", try_write_then_execute,
	    SANDBOX_SECCOMP, RUN, 0, SIGSYS },
	{ "memory executed in the end", try_execute, SANDBOX_SECCOMP, SEAL, 0,
	    SIGSYS },
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
	if (rows[i].step >= RUN && sandbox_for_run(features, NULL) != ERR_OK)
		_exit(NO_SANDBOX);
	if (rows[i].step >= SEAL && sandbox_seal(features, NULL) != ERR_OK)
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
	CHECK_STR(text, "netns, landlock, powerless, objects",
	    "and what is missing");
}

void
t_sandbox(void)
{
	char dir[512];

	snprintf(dir, sizeof dir, "%s/work", unit_tmpdir());
	CHECK_INT(mkdir(dir, 0700), 0, "a work folder");
	for (size_t i = 0; i < COUNT(rows); i++)
		check_row(i, dir);
	check_names();
}
