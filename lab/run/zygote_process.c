/*
 * The zygote's own process, executed afresh from the program's file: opens and
 * warms the device, then forks children and collects them until the program
 * goes away.  One without a device only executes tools and forks the children
 * that the machine runs in (machine_child.h), and is ready while the other
 * still warms up.
 *
 * It is a subreaper: what a child's linker leaves behind becomes the zygote's
 * own child and is killed with the rest.
 *
 * PoCL reads its settings once, at start.  POCL_DEVICES names the device
 * without threads, the only one that survives a fork: "basic", since PoCL 4
 * "cpu-minimal" (a name it does not know is passed over).  POCL_CACHE_DIR=./
 * makes every child cache in the folder that it has been moved to.
 *
 * Any other device is not opened here: what a driver has set up would be of no
 * use after a fork.  A process that ends at once looks whether it is there, and
 * each child, forked from this one that has never loaded a driver, opens it for
 * itself, once its sandbox's first wall stands.
 */
#include "base/end_with_parent.h"
#include "base/files.h"
#include "base/mem.h"
#include "lab/run/child_process.h"
#include "lab/run/machine_child.h"
#include "lab/run/sandbox.h"
#include "lab/run/unused_memory.h"
#include "lab/run/zygote_wire.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SOCKET_FD    3
#define CHILDREN_MAX 16
#define NICE_MOST    19

#define NICE_TRIES    5
#define NICE_AGAIN_US 100000

#define TOOL_ADDRESS_BYTES ((uint64_t)2 << 30)
#define EXEC_FAILED        127

#define HEAP_BYTES      ((size_t)256 << 20)
#define HUGE_PAGE_BYTES ((uintptr_t)2 << 20)

/* The children that were not collected yet; 0: a free slot. */
static pid_t living[CHILDREN_MAX];

static void set_descriptors(int fd);
static void prepare_heap(void);
static bool say_hello(int fd, enum zygote_kind kind, const char *match,
    struct device *d);
static void serve(int fd, struct device *d, const char **scratch);
static void collect(pid_t pid, struct zygote_reply *reply);

/* A number's name in a word. */
static const char *const kind_words[] = {
	[ZYGOTE_DEVICE] = "device",
	[ZYGOTE_TIMING] = "timing",
	[ZYGOTE_TOOLS] = "tools",
};

#define SELF      "kf-zygote"
#define NO_DEVICE "" /* any will do */

/* To the scheduler a session may be a group that has a share of its own: who
 * runs the program with `nice`, or for idle hours alone, means us too. */
static void
stay_nice(void)
{
	int nice = sched_getscheduler(0) == SCHED_IDLE
	    ? NICE_MOST
	    : getpriority(PRIO_PROCESS, 0);
	int fd =
	    nice > 0 ? open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	/* Of all users but root the system takes ten of these a second. */
	for (int i = 0;
	     i < NICE_TRIES && dprintf(fd, "%d", nice) < 0 && errno == EAGAIN;
	     i++)
		usleep(NICE_AGAIN_US);
	close(fd);
}

static void
stand_alone(void)
{
	/* A session of its own: Ctrl-C on the terminal is the program's to
	 * hear, which then ends us in its order. */
	setsid();
	stay_nice();
	/* What a tool leaves behind becomes our child and not init's, so it
	 * can still be found and killed. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

_Noreturn static void
live(const struct zygote_start *s)
{
	struct device d = { 0 };
	const char *scratch = s->scratch;

	prctl(PR_SET_NAME, SELF);
	stand_alone();
	signal(SIGPIPE, SIG_IGN);
	if (s->kind != ZYGOTE_TOOLS)
		prepare_heap();
	if (chdir(s->scratch) == 0 &&
	    say_hello(SOCKET_FD, s->kind, s->match, &d)) {
		if (d.is_fresh)
			device_read_header(&d);
		else if (s->kind != ZYGOTE_TOOLS)
			(void)device_warm(&d, NULL);
		/* This process only forks: each child maps what it runs. */
		unused_memory_give_back();
		serve(SOCKET_FD, &d, &scratch);
	}
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		if (living[i]) {
			struct zygote_reply ignored;

			collect(living[i], &ignored);
		}
	files_remove_tree(scratch);
	_exit(0);
}

/*
 * Before main(), which glibc tells the arguments of: a program that links the
 * lab cannot forget it, and of its own work nothing is done yet.
 */
__attribute__((constructor)) static void
live_if_asked(int argc, char **argv)
{
	struct zygote_start s = { .kind = ZYGOTE_TOOLS };

	if (argc != 4 || strcmp(argv[0], SELF) != 0)
		return;
	for (size_t i = 0; i < COUNT(kind_words); i++)
		if (strcmp(argv[1], kind_words[i]) == 0)
			s.kind = (enum zygote_kind)i;
	s.match = strcmp(argv[2], NO_DEVICE) == 0 ? NULL : argv[2];
	s.scratch = argv[3];
	live(&s);
}

/* What the drivers read of the program's environment, which may hold keys. */
static const char *const kept[] = { "LD_LIBRARY_PATH", "OCL_ICD_VENDORS",
	"OPENCL_VENDOR_PATH" };

#define NKEPT COUNT(kept)

/* "NAME=VALUE" of the program's own environment, or NULL. */
static char *
variable(const char *name)
{
	size_t n = strlen(name);

	for (char **e = environ; e && *e; e++)
		if (strncmp(*e, name, n) == 0 && (*e)[n] == '=')
			return *e;
	return NULL;
}

_Noreturn void
zygote_execute_self(int fd, const struct zygote_start *s)
{
	static char set[][32] = { "PATH=/usr/bin:/bin", "LC_ALL=C", "TMPDIR=.",
		"POCL_DEVICES=basic cpu-minimal", "POCL_CACHE_DIR=./" };
	static char judging[][72] = { DEVICE_UNSET_IS_NAN, DEVICE_WORK_GROUPS };
	static char self[] = SELF;
	char *args[] = { self, (char *)(uintptr_t)kind_words[s->kind],
		(char *)(uintptr_t)(s->match ? s->match : NO_DEVICE),
		(char *)(uintptr_t)s->scratch, NULL };
	char *env[COUNT(set) + COUNT(judging) + NKEPT + 1] = { NULL };
	size_t n = 0;

	for (size_t i = 0; i < COUNT(set); i++)
		env[n++] = set[i];
	for (size_t i = 0; s->kind != ZYGOTE_TIMING && i < COUNT(judging); i++)
		env[n++] = judging[i];
	for (size_t i = 0; i < NKEPT; i++)
		if ((env[n] = variable(kept[i])) != NULL)
			n++;
	/*
	 * Ctrl-C goes to every process of the terminal.  It is for the program
	 * to obey: a zygote that died of it would leave the program without a
	 * lab in the middle of what it still has to end in order.  Said here
	 * and not around the fork, because others may open a lab meanwhile.
	 */
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGHUP, SIG_IGN);
	set_descriptors(fd);
	execve("/proc/self/exe", args, env);
	_exit(EXEC_FAILED);
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

/*
 * The compiler's library fills some 100 MB of heap that every child shares:
 * in huge pages, where the system has them, it is faster filled, and forking
 * has fewer entries to copy.
 */
static void
prepare_heap(void)
{
	uintptr_t from, to;

	mallopt(M_TOP_PAD, (int)HEAP_BYTES);
	mallopt(M_TRIM_THRESHOLD, (int)HEAP_BYTES);
	free(xmalloc(HUGE_PAGE_BYTES / 32));
	to = (uintptr_t)sbrk(0);
	from = (to - HEAP_BYTES + HUGE_PAGE_BYTES) & ~(HUGE_PAGE_BYTES - 1);
	madvise((void *)from, to - from, MADV_HUGEPAGE);
}

/* device_find() in a process of its own; how it ended is its status. */
static enum err
find_elsewhere(const char *match, struct zygote_hello *h)
{
	struct why why = { "the OpenCL library ended it" };
	char name[DEVICE_NAME_MAX] = "";
	enum err e = ERR_ENV;
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) != 0)
		return ERR_ENV;
	pid = fork();
	if (pid == 0) {
		e = device_find(match, name, &why);
		snprintf(h->text, sizeof h->text, "%s",
		    e == ERR_OK ? name : why.text);
		if (write(fds[1], h->text, sizeof h->text) < 0)
			e = ERR_ENV;
		_exit(e == ERR_OK ? 0 : 1);
	}
	close(fds[1]);
	if (pid > 0) {
		int status = 1;

		if (read(fds[0], h->text, sizeof h->text) != sizeof h->text)
			snprintf(h->text, sizeof h->text, "%s", why.text);
		if (waitpid(pid, &status, 0) == pid && status == 0)
			e = ERR_OK;
	}
	close(fds[0]);
	return e;
}

/* The device that is asked for, opened here if that is of any use. */
static enum err
take_device(const char *match, struct device *d, struct zygote_hello *h)
{
	struct why why;
	enum err e = match ? find_elsewhere(match, h) : ERR_OK;

	if (match && e != ERR_OK) {
		/* PoCL's others are offered only when they are asked for. */
		setenv("POCL_DEVICES", DEVICE_POCL_ALL, 1);
		e = find_elsewhere(match, h);
	}
	if (e != ERR_OK)
		return e;
	if (match && !device_survives_fork(h->text)) {
		d->is_fresh = true;
		snprintf(d->name, sizeof d->name, "%.*s",
		    (int)sizeof d->name - 1, h->text);
		return ERR_OK;
	}
	e = device_open(match, d, &why);
	snprintf(h->text, sizeof h->text, "%s",
	    e == ERR_OK ? d->name : why.text);
	return e;
}

static bool
say_hello(int fd, enum zygote_kind kind, const char *match, struct device *d)
{
	struct zygote_hello h = { 0 };

	h.features = sandbox_isolate();
	h.ok = kind == ZYGOTE_TOOLS || take_device(match, d, &h) == ERR_OK;
	return send(fd, &h, sizeof h, MSG_NOSIGNAL) == sizeof h && h.ok;
}

static void
receive_fds(struct msghdr *m, struct child_fds *ret)
{
	struct cmsghdr *c = CMSG_FIRSTHDR(m);

	if (c && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(ZYGOTE_NFDS * sizeof(int)))
		memcpy(ret, CMSG_DATA(c), ZYGOTE_NFDS * sizeof(int));
}

static pid_t *
find_living(pid_t pid)
{
	for (size_t i = 0; i < CHILDREN_MAX; i++)
		if (living[i] == pid)
			return &living[i];
	return NULL;
}

/* In the child: becomes the tool. */
static _Noreturn void
execute(struct zygote_request *rq, const struct child_fds *fds)
{
	const struct sandbox_limits limits = {
		.cpu_s = rq->cpu_s,
		.address_bytes = TOOL_ADDRESS_BYTES,
		.file_bytes = rq->file_bytes,
	};
	char *args[ZYGOTE_ARGS_MAX + 1] = { NULL };
	char *at = rq->args;

	for (uint32_t i = 0; i < rq->nargs; i++) {
		args[i] = at;
		at += strlen(at) + 1;
	}
	dup2(fds->output, STDOUT_FILENO);
	dup2(fds->output, STDERR_FILENO);
	close_range(SOCKET_FD, ~0U, CLOSE_RANGE_CLOEXEC);
	if (args[0] && sandbox_for_tool(&limits, args[0], NULL) == ERR_OK)
		execv(args[0], args);
	_exit(EXEC_FAILED);
}

static void
spawn(struct device *d, struct zygote_request *rq, const struct child_fds *fds,
    struct zygote_reply *reply)
{
	pid_t *slot = find_living(0);
	pid_t zygote = getpid(), pid;

	if (fds->orders < 0 || !slot) {
		reply->error = slot ? EBADF : EAGAIN;
		return;
	}
	pid = fork();
	if (pid == 0) {
		/* A candidate must not outlive the one who would kill it. */
		end_with_parent(zygote, SIGKILL);
		setpgid(0, 0);
		close(SOCKET_FD);
		if (chdir(rq->dir) != 0)
			_exit(1);
		if (rq->kind == REQUEST_EXEC)
			execute(rq, fds);
		if (!d->id && !d->is_fresh)
			machine_child_run(fds);
		child_run(d, fds);
	}
	if (pid > 0) {
		/* Here as well as in the child: whichever runs first, the group
		 * is there before anybody is told the pid. */
		setpgid(pid, pid);
		*slot = pid;
	}
	reply->pid = pid;
	reply->error = pid < 0 ? errno : 0;
}

/* Collects pid, and kills whatever of its group came to us as orphans. */
static void
collect(pid_t pid, struct zygote_reply *reply)
{
	pid_t *slot = pid > 0 ? find_living(pid) : NULL;

	reply->pid = pid;
	if (!slot) {
		reply->error = ESRCH;
		return;
	}
	/* The group before the wait: while the child is not collected its
	 * pid cannot be somebody else's. */
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
discard(const struct zygote_request *rq)
{
	struct zygote_reply ignored = { 0 };

	collect(rq->pid, &ignored);
	if (rq->dir[0])
		files_remove_tree(rq->dir);
}

/*
 * Forks all that is warm; the twin serves another wire, for another scratch
 * folder, and the children are not its own.  It ends with its wire and not
 * with us.
 */
static void
divide(int fd, const struct zygote_request *rq, const struct child_fds *fds,
    const char **scratch, struct zygote_reply *reply)
{
	reply->pid = fork();
	reply->error = reply->pid < 0 ? errno : 0;
	if (reply->pid != 0)
		return;
	stand_alone();
	memset(living, 0, sizeof living);
	*scratch = xstrdup(rq->dir);
	if (fds->orders < 0 || chdir(*scratch) != 0 ||
	    dup2(fds->orders, fd) < 0)
		_exit(1);
}

/* The next request; false: the program is gone. */
static bool
receive(int fd, struct zygote_request *rq, struct child_fds *fds)
{
	union {
		char bytes[CMSG_SPACE(ZYGOTE_NFDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { rq, sizeof *rq };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };

	m.msg_control = control.bytes;
	m.msg_controllen = sizeof control.bytes;
	if (recvmsg(fd, &m, MSG_CMSG_CLOEXEC) != sizeof *rq)
		return false;
	receive_fds(&m, fds);
	return true;
}

static void
serve(int fd, struct device *d, const char **scratch)
{
	static struct zygote_request rq;
	struct child_fds fds = { -1, -1, -1 };

	while (receive(fd, &rq, &fds)) {
		struct zygote_reply reply = { .serial = rq.serial };

		/* Who discards a child does not wait for its end. */
		if (rq.kind == REQUEST_DISCARD)
			discard(&rq);
		else if (rq.kind == REQUEST_COLLECT)
			collect(rq.pid, &reply);
		else if (rq.kind == REQUEST_TWIN)
			divide(fd, &rq, &fds, scratch, &reply);
		else
			spawn(d, &rq, &fds, &reply);
		close_fds(&fds);
		fds = (struct child_fds){ -1, -1, -1 };
		/* A twin's program has asked it nothing yet. */
		if (rq.kind == REQUEST_DISCARD ||
		    (rq.kind == REQUEST_TWIN && reply.pid == 0))
			continue;
		if (send(fd, &reply, sizeof reply, MSG_NOSIGNAL) < 0)
			return;
	}
}
