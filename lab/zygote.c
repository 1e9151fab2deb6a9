/*
 * Both sides of the zygote: the program's handle above, the process below.
 *
 * A child stays a zombie until the program asks for it, so its process id
 * cannot be reused while somebody may still signal it.  The zygote is a
 * subreaper: what a child's linker leaves behind becomes the zygote's own
 * child and is killed with the rest.
 *
 * PoCL reads its settings once, at start: POCL_DEVICES=basic is the device
 * without threads, the only one that survives a fork, and POCL_CACHE_DIR=.
 * makes every child cache in the folder that it has been moved to.
 */
#include "lab/zygote.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/mem.h"
#include "lab/sandbox.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define NFDS         3
#define START_MS     60000
#define REPLY_MS     60000
#define SOCKET_FD    3
#define CHILDREN_MAX 16

enum request_kind { REQUEST_SPAWN = 1, REQUEST_KILL = 2 };

struct request {
	uint32_t kind;
	pid_t pid;
	char dir[PATH_MAX];
};

struct reply {
	int32_t error; /* an errno, or 0 */
	pid_t pid;
	int32_t wait_status;
};

/* The first packet up. */
struct hello {
	uint32_t ok;
	uint32_t features;
	uint64_t work_group_max;
	char text[WHY_MAX]; /* device name, or the reason */
};

struct zygote {
	pid_t pid;
	int fd;
	char *scratch; /* owned */
	struct hello hello;
};

/* In the zygote: the children that were not collected yet; 0: free. */
static pid_t living[CHILDREN_MAX];

_Noreturn static void zygote_main(int fd, const char *match,
    const char *scratch);

static bool
has_threads(void)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *e;
	int n = 0;

	if (!d)
		return false;
	while ((e = readdir(d)) != NULL)
		n += e->d_name[0] != '.';
	closedir(d);
	return n > 1;
}

/* One packet of exactly size bytes within timeout_ms. */
static bool
receive(int fd, void *p, size_t size, int timeout_ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	uint64_t end_ms = clock_mono_ms() + (uint64_t)timeout_ms;
	uint64_t now_ms;
	int n;

	do {
		now_ms = clock_mono_ms();
		n = poll(&pfd, 1, now_ms < end_ms ? (int)(end_ms - now_ms) : 0);
	} while (n < 0 && errno == EINTR);
	return n == 1 && recv(fd, p, size, 0) == (ssize_t)size;
}

static enum err
await_hello(struct zygote *z, struct why *why)
{
	if (!receive(z->fd, &z->hello, sizeof z->hello, START_MS))
		return why_set(why, ERR_ENV,
		    "the lab's zygote did not start: the OpenCL library "
		    "ended it");
	z->hello.text[sizeof z->hello.text - 1] = '\0';
	if (!z->hello.ok)
		return why_set(why, ERR_ENV, "%s", z->hello.text);
	return ERR_OK;
}

enum err
zygote_start(const char *match, const char *scratch, struct zygote **ret,
    struct why *why)
{
	struct zygote *z;
	int fds[2];
	enum err e;

	if (has_threads())
		return why_set(why, ERR_STATE,
		    "the lab must be opened before the program has threads");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
		return why_set(why, ERR_IO, "socketpair: %s", strerror(errno));
	z = xcalloc(1, sizeof *z);
	z->scratch = xstrdup(scratch);
	fflush(NULL);
	z->pid = fork();
	if (z->pid == 0)
		zygote_main(fds[1], match, scratch);
	close(fds[1]);
	z->fd = fds[0];
	e = z->pid < 0 ? why_set(why, ERR_IO, "fork: %s", strerror(errno))
	               : await_hello(z, why);
	if (e == ERR_OK)
		*ret = z;
	else
		zygote_stop(z);
	return e;
}

void
zygote_stop(struct zygote *z)
{
	if (!z)
		return;
	close(z->fd);
	if (z->pid > 0)
		kill(z->pid, SIGKILL); /* its children follow it */
	while (z->pid > 0 && waitpid(z->pid, NULL, 0) < 0 && errno == EINTR)
		;
	files_remove_tree(z->scratch);
	free(z->scratch);
	free(z);
}

const char *
zygote_device(const struct zygote *z)
{
	return z->hello.text;
}

size_t
zygote_work_group_max(const struct zygote *z)
{
	return (size_t)z->hello.work_group_max;
}

uint32_t
zygote_features(const struct zygote *z)
{
	return z->hello.features;
}

static enum err
ask(struct zygote *z, const struct request *rq, const struct child_fds *fds,
    struct reply *ret, struct why *why)
{
	union {
		char bytes[CMSG_SPACE(NFDS * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { (void *)(uintptr_t)rq, sizeof *rq };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fds) {
		struct cmsghdr *c;

		m.msg_control = control.bytes;
		m.msg_controllen = sizeof control.bytes;
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(NFDS * sizeof(int));
		memcpy(CMSG_DATA(c), fds, NFDS * sizeof(int));
	}
	if (sendmsg(z->fd, &m, MSG_NOSIGNAL) < 0 ||
	    !receive(z->fd, ret, sizeof *ret, REPLY_MS))
		return why_set(why, ERR_IO, "the lab's zygote is gone");
	if (ret->error)
		return why_set(why, ERR_IO, "the lab's zygote: %s",
		    strerror(ret->error));
	return ERR_OK;
}

enum err
zygote_spawn(struct zygote *z, const char *dir, const struct child_fds *fds,
    pid_t *ret, struct why *why)
{
	struct request rq = { .kind = REQUEST_SPAWN };
	struct reply reply = { 0 };
	enum err e;

	if ((size_t)snprintf(rq.dir, sizeof rq.dir, "%s", dir) >= sizeof rq.dir)
		return why_set(why, ERR_TOOBIG, "%s: path too long", dir);
	e = ask(z, &rq, fds, &reply, why);
	if (e == ERR_OK)
		*ret = reply.pid;
	return e;
}

int
zygote_kill(struct zygote *z, pid_t pid)
{
	struct request rq = { .kind = REQUEST_KILL, .pid = pid };
	struct reply reply = { 0 };

	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	if (ask(z, &rq, NULL, &reply, NULL) != ERR_OK)
		return -1;
	return reply.wait_status;
}

/* The process. */

static void
set_environment(void)
{
	static const char *const kept[] = { "LD_LIBRARY_PATH",
		"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH" };
	static const char *const set[][2] = {
		{ "PATH", "/usr/bin:/bin" },
		{ "LC_ALL", "C" },
		{ "TMPDIR", "." },
		{ "POCL_DEVICES", "basic" },
		{ "POCL_CACHE_DIR", "./" },
	};
	char *values[sizeof kept / sizeof kept[0]];

	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
		values[i] = getenv(kept[i]) ? xstrdup(getenv(kept[i])) : NULL;
	/* The program's environment holds keys: wipe it, not only forget it. */
	for (char **e = environ; e && *e; e++)
		explicit_bzero(*e, strlen(*e));
	clearenv();
	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
		if (values[i])
			setenv(kept[i], values[i], 1);
	for (size_t i = 0; i < sizeof set / sizeof set[0]; i++)
		setenv(set[i][0], set[i][1], 1);
}

/* Descriptors 0 to 2 to /dev/null, the socket to 3, nothing else. */
static void
set_descriptors(int fd)
{
	int null = open("/dev/null", O_RDWR);

	for (int i = 0; i < SOCKET_FD; i++)
		dup2(null, i);
	if (fd != SOCKET_FD)
		dup2(fd, SOCKET_FD);
	close_range(SOCKET_FD + 1, ~0U, 0);
}

static bool
say_hello(int fd, const char *match, struct device *d)
{
	struct hello h = { 0 };
	struct why why;

	h.features = sandbox_isolate();
	h.ok = device_open(match, d, &why) == ERR_OK;
	h.work_group_max = d->work_group_max;
	snprintf(h.text, sizeof h.text, "%s", h.ok ? d->name : why.text);
	return send(fd, &h, sizeof h, MSG_NOSIGNAL) == sizeof h && h.ok;
}

static void
receive_fds(struct msghdr *m, struct child_fds *ret)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);

	if (c && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(NFDS * sizeof(int)))
		memcpy(ret, CMSG_DATA(c), NFDS * sizeof(int));
}

static pid_t *
find_living(pid_t pid)
{
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		if (living[i] == pid)
			return &living[i];
	return NULL;
}

static void
spawn(struct device *d, const struct request *rq, const struct child_fds *fds,
    struct reply *reply)
{
	pid_t *slot = find_living(0);
	pid_t pid;

	if (fds->orders < 0 || !slot) {
		reply->error = slot ? EBADF : EAGAIN;
		return;
	}
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		setpgid(0, 0);
		close(SOCKET_FD);
		if (chdir(rq->dir) != 0)
			_exit(1);
		child_run(d, fds);
	}
	if (pid > 0) {
		setpgid(pid, pid);
		*slot = pid;
	}
	reply->pid = pid;
	reply->error = pid < 0 ? errno : 0;
}

/* Collects pid, and kills whatever of its group came to us as orphans. */
static void
collect(pid_t pid, struct reply *reply)
{
	pid_t *slot = pid > 0 ? find_living(pid) : NULL;

	reply->pid = pid;
	if (!slot) {
		reply->error = ESRCH;
		return;
	}
	*slot = 0;
	kill(-pid, SIGKILL);
	if (waitpid(pid, &reply->wait_status, 0) < 0)
		reply->error = errno;
	while (kill(-pid, SIGKILL) == 0 && waitpid(-pid, NULL, 0) > 0)
		;
}

static void
close_fds(const struct child_fds *fds)
{
	if (fds->orders < 0)
		return;
	close(fds->orders);
	close(fds->input);
	close(fds->output);
}

static void
serve(int fd, struct device *d)
{
	for (;;) {
		static struct request rq;
		struct child_fds fds = { -1, -1, -1 };
		struct reply reply = { 0 };
		union {
			char bytes[CMSG_SPACE(NFDS * sizeof(int))];
			struct cmsghdr align;
		} control;
		struct iovec iov = { &rq, sizeof rq };
		struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

		m.msg_control = control.bytes;
		m.msg_controllen = sizeof control.bytes;
		if (recvmsg(fd, &m, MSG_CMSG_CLOEXEC) != sizeof rq)
			return;
		receive_fds(&m, &fds);
		if (rq.kind == REQUEST_SPAWN)
			spawn(d, &rq, &fds, &reply);
		else
			collect(rq.pid, &reply);
		close_fds(&fds);
		if (send(fd, &reply, sizeof reply, MSG_NOSIGNAL) < 0)
			return;
	}
}

_Noreturn static void
zygote_main(int fd, const char *match, const char *scratch)
{
	struct device d = { 0 };

	setsid();
	prctl(PR_SET_NAME, "kf-zygote");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	signal(SIGPIPE, SIG_IGN);
	set_descriptors(fd);
	set_environment();
	if (chdir(scratch) == 0 && say_hello(SOCKET_FD, match, &d)) {
		device_warm(&d, NULL);
		serve(SOCKET_FD, &d);
	}
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		if (living[i]) {
			struct reply ignored;

			collect(living[i], &ignored);
		}
	files_remove_tree(scratch);
	_exit(0);
}
