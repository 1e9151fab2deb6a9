/*
 * The program's handle on its zygote: starts it, asks it, ends it.
 *
 * Requests are synchronous: one packet down, one packet up.  A reply that
 * came late would be taken for the next request's, and a child's process id
 * for another's; so replies carry their request's number, and a zygote that
 * missed its time is asked nothing more.  A child stays a zombie until the
 * program has it collected, so its process id cannot be reused while somebody
 * may still signal it.
 */
#include "lab/run/zygote_handle.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/mem.h"
#include "lab/run/process_time.h"
#include "lab/run/zygote_wire.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define START_MS 60000
#define REPLY_MS 60000

struct zygote {
	pid_t pid;   /* 0: a twin, which is no child of ours */
	int twin_fd; /* a twin's process; -1: a child of ours */
	int fd;
	char *scratch; /* owned */
	bool is_owed;  /* something was discarded */
	bool is_lost;  /* a reply did not come: none is waited for again */
	int reply_ms;
	uint32_t serial; /* of the last request */
	struct zygote_hello hello;
};

/* One packet of exactly size bytes within timeout_ms of the zygote's own clock,
 * which is not asked again of one that answers. */
static bool
receive(const struct zygote *z, void *p, size_t size, int timeout_ms)
{
	struct pollfd pfd = { .fd = z->fd, .events = POLLIN };
	uint64_t now_ms = process_clock_ms(z->pid);
	uint64_t end_ms = now_ms + (uint64_t)timeout_ms;
	int n;

	do {
		n = poll(&pfd, 1, now_ms < end_ms ? (int)(end_ms - now_ms) : 0);
		if (n <= 0)
			now_ms = process_clock_ms(z->pid);
	} while ((n < 0 && errno == EINTR) || (n == 0 && now_ms < end_ms));
	return n == 1 && recv(z->fd, p, size, 0) == (ssize_t)size;
}

static enum err
await_hello(struct zygote *z, struct why *why)
{
	if (!receive(z, &z->hello, sizeof z->hello, START_MS))
		return why_set(why, ERR_ENV,
		    "the lab's zygote did not start: the OpenCL library "
		    "ended it");
	z->hello.text[sizeof z->hello.text - 1] = '\0';
	if (!z->hello.ok)
		return why_set(why, ERR_ENV, "%s", z->hello.text);
	return ERR_OK;
}

/* The program's end, and the zygote's for the caller to hand over.  NULL:
 * there are no sockets. */
static struct zygote *
zygote_new(const char *scratch, int *ret_theirs, struct why *why)
{
	struct zygote *z;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) {
		(void)why_set(why, ERR_IO, "socketpair: %s", strerror(errno));
		return NULL;
	}
	z = xcalloc(1, sizeof *z);
	z->scratch = xstrdup(scratch);
	z->fd = fds[0];
	z->twin_fd = -1;
	zygote_set_reply_ms(z, REPLY_MS);
	*ret_theirs = fds[1];
	return z;
}

enum err
zygote_start(enum zygote_kind kind, const char *match, const char *scratch,
    struct zygote **ret, struct why *why)
{
	const struct zygote_start s = { kind, match, scratch };
	int theirs = -1;
	struct zygote *z = zygote_new(scratch, &theirs, why);
	enum err e;

	if (!z)
		return ERR_IO;
	fflush(NULL);
	z->pid = fork();
	if (z->pid == 0)
		zygote_execute_self(theirs, &s);
	close(theirs);
	e = z->pid < 0 ? why_set(why, ERR_IO, "fork: %s", strerror(errno))
	               : await_hello(z, why);
	if (e == ERR_OK)
		*ret = z;
	else
		zygote_stop(z);
	return e;
}

void
zygote_set_reply_ms(struct zygote *z, int ms)
{
	struct timeval patience = { .tv_sec = ms / 1000,
		.tv_usec = ms % 1000 * 1000L };

	/* One that reads nothing must not hold us either. */
	setsockopt(z->fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	z->reply_ms = ms;
}

const char *
zygote_device(const struct zygote *z)
{
	return z->hello.text;
}

uint32_t
zygote_features(const struct zygote *z)
{
	return z->hello.features;
}

static enum err
ask(struct zygote *z, struct zygote_request *rq, const int *fds,
    struct zygote_reply *ret, struct why *why)
{
	union {
		char bytes[CMSG_SPACE(ZYGOTE_NFDS * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { rq, sizeof *rq };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fds) {
		struct cmsghdr *c;

		m.msg_control = control.bytes;
		m.msg_controllen = sizeof control.bytes;
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(ZYGOTE_NFDS * sizeof(int));
		memcpy(CMSG_DATA(c), fds, ZYGOTE_NFDS * sizeof(int));
	}
	rq->serial = ++z->serial;
	if (z->is_lost || sendmsg(z->fd, &m, MSG_NOSIGNAL) < 0 ||
	    !receive(z, ret, sizeof *ret, z->reply_ms) ||
	    ret->serial != z->serial) {
		z->is_lost = true;
		return why_set(why, ERR_IO, "the lab's zygote is gone");
	}
	if (ret->error)
		return why_set(why, ERR_IO, "the lab's zygote: %s",
		    strerror(ret->error));
	return ERR_OK;
}

/* Once this is answered, what was discarded before is gone. */
static void
settle(struct zygote *z)
{
	struct zygote_request rq = { .kind = REQUEST_COLLECT };
	struct zygote_reply reply;

	(void)ask(z, &rq, NULL, &reply, NULL);
}

/* Its handle and not its number, which may be another's by now. */
static void
end_twin(int twin_fd)
{
	struct pollfd gone = { .fd = twin_fd, .events = POLLIN };

	(void)syscall(SYS_pidfd_send_signal, twin_fd, SIGKILL, NULL, 0);
	while (poll(&gone, 1, REPLY_MS) < 0 && errno == EINTR)
		;
	close(twin_fd);
}

void
zygote_stop(struct zygote *z)
{
	if (!z)
		return;
	if (z->is_owed)
		settle(z);
	close(z->fd);
	/* Its children follow it. */
	if (z->twin_fd >= 0)
		end_twin(z->twin_fd);
	if (z->pid > 0)
		kill(z->pid, SIGKILL);
	while (z->pid > 0 && waitpid(z->pid, NULL, 0) < 0 && errno == EINTR)
		;
	files_remove_tree(z->scratch);
	free(z->scratch);
	free(z);
}

/* Asks for a child in dir; rq holds the rest. */
static enum err
ask_for_child(struct zygote *z, struct zygote_request *rq, const char *dir,
    const struct child_fds *fds, pid_t *ret, struct why *why)
{
	const int numbers[ZYGOTE_NFDS] = { fds->orders, fds->input,
		fds->output };
	struct zygote_reply reply = { 0 };
	enum err e;

	if ((size_t)snprintf(rq->dir, sizeof rq->dir, "%s", dir) >=
	    sizeof rq->dir)
		return why_set(why, ERR_TOOBIG, "%s: path too long", dir);
	e = ask(z, rq, numbers, &reply, why);
	if (e == ERR_OK)
		*ret = reply.pid;
	return e;
}

/* Before from collects anybody: until then the number is its twin's. */
static enum err
hold_twin(struct zygote *z, pid_t pid, struct why *why)
{
	z->twin_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	return z->twin_fd >= 0
	    ? ERR_OK
	    : why_set(why, ERR_IO, "pidfd_open: %s", strerror(errno));
}

enum err
zygote_start_twin(struct zygote *from, const char *scratch, struct zygote **ret,
    struct why *why)
{
	struct zygote_request rq = { .kind = REQUEST_TWIN };
	pid_t pid = 0;
	int theirs = -1;
	struct zygote *z = zygote_new(scratch, &theirs, why);
	enum err e;

	if (!z)
		return ERR_IO;
	z->hello = from->hello;
	e = ask_for_child(from, &rq, scratch,
	    &(struct child_fds){ theirs, theirs, theirs }, &pid, why);
	close(theirs);
	if (e == ERR_OK)
		e = hold_twin(z, pid, why);
	if (e == ERR_OK)
		*ret = z;
	else /* without its wire a twin ends by itself */
		zygote_stop(z);
	return e;
}

enum err
zygote_spawn(struct zygote *z, const char *dir, const struct child_fds *fds,
    pid_t *ret, struct why *why)
{
	struct zygote_request rq = { .kind = REQUEST_SPAWN };

	return ask_for_child(z, &rq, dir, fds, ret, why);
}

enum err
zygote_execute(struct zygote *z, const struct zygote_exec *x, pid_t *ret,
    struct why *why)
{
	struct zygote_request rq = { .kind = REQUEST_EXEC,
		.cpu_s = x->cpu_s,
		.file_bytes = x->file_bytes };
	const struct child_fds fds = { x->output, x->output, x->output };
	size_t at = 0;

	for (const char *const *a = x->args; *a; a++) {
		size_t n = strlen(*a) + 1;

		if (n > sizeof rq.args - at || rq.nargs == ZYGOTE_ARGS_MAX)
			return why_set(why, ERR_TOOBIG,
			    "%s: too many words to execute", x->args[0]);
		memcpy(rq.args + at, *a, n);
		at += n;
		rq.nargs++;
	}
	return ask_for_child(z, &rq, x->dir, &fds, ret, why);
}

static void
kill_group(pid_t pid)
{
	/* Its group with all that it has started, and itself: where there is no
	 * seccomp, nothing keeps it from leaving the group. */
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
}

int
zygote_kill(struct zygote *z, pid_t pid)
{
	struct zygote_request rq = { .kind = REQUEST_COLLECT, .pid = pid };
	struct zygote_reply reply = { 0 };

	kill_group(pid);
	if (ask(z, &rq, NULL, &reply, NULL) != ERR_OK || reply.pid != pid)
		return -1;
	return reply.wait_status;
}

void
zygote_discard(struct zygote *z, pid_t pid, const char *dir)
{
	struct zygote_request rq = { .kind = REQUEST_DISCARD, .pid = pid };

	if (pid > 0)
		kill_group(pid);
	snprintf(rq.dir, sizeof rq.dir, "%s", dir ? dir : "");
	/* Without a zygote there is nobody who removes the folder but us. */
	if (!z->is_lost &&
	    send(z->fd, &rq, sizeof rq, MSG_NOSIGNAL) == sizeof rq)
		z->is_owed = true;
	else if (dir)
		files_remove_tree(dir);
}
