/*
 * One child: a socket for orders, two shared arenas, a folder.
 *
 * The arenas are memfds.  The input arena is sealed with F_SEAL_FUTURE_WRITE
 * after the parent has mapped it: only that mapping can ever write to it, so
 * a child cannot change its inputs and cannot change another launch's.  Neither
 * arena can shrink, so a child cannot pull pages away under our feet.
 */
#include "lab/run/child_handle.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/mem.h"
#include "lab/run/deadline.h"
#include "lab/run/process_time.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS_MAX     16 /* that are awaited at once */
#define ARENA_BYTES_MAX ((size_t)1 << 30)
/* Reserved at once: a sealed arena cannot be mapped writable again. */
#define INPUT_RESERVE_BYTES ((size_t)256 << 20)

#define FILES_LOOK_MS 200

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

struct child_handle {
	struct zygote *zygote; /* borrowed */
	pid_t pid;             /* 0: not running */
	int orders;
	int input_fd, output_fd;
	void *input, *output;
	size_t output_mapped;
	char *dir;                /* owned */
	bool owns_dir;            /* removes it in the end */
	struct deadline deadline; /* of the last order */
	uint64_t began_us;        /* its processor time when that was sent */
	uint64_t spent_us;        /* and what that took of it */
	bool is_deaf;             /* it did not take an order in time */
	bool is_building;         /* and so may write files */
	int wait_status;
};

static void end_child(struct child_handle *w);
static void clean_text(char *text, size_t size);

static enum err
make_arenas(struct child_handle *w, struct why *why)
{
	void *p;

	w->input_fd = memfd_create("kf-input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	w->output_fd =
	    memfd_create("kf-output", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	/* The output may still grow, which a larger case asks for; it is never
	 * sealed against writing, because the kernel writes it. */
	if (w->input_fd < 0 || w->output_fd < 0 ||
	    fcntl(w->output_fd, F_ADD_SEALS, F_SEAL_SHRINK) != 0 ||
	    ftruncate(w->input_fd, (off_t)INPUT_RESERVE_BYTES) != 0)
		return why_set(why, ERR_IO, "lab: memfd: %s", strerror(errno));
	p = mmap(NULL, INPUT_RESERVE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
	    w->input_fd, 0);
	if (p == MAP_FAILED)
		return why_set(why, ERR_IO, "lab: mmap: %s", strerror(errno));
	w->input = p;
	/* After our mapping: F_SEAL_FUTURE_WRITE leaves those that exist alone
	 * and denies every later one, ours too. */
	if (fcntl(w->input_fd, F_ADD_SEALS,
	        F_SEAL_FUTURE_WRITE | F_SEAL_SHRINK | F_SEAL_GROW) != 0)
		return why_set(why, ERR_IO, "lab: seal: %s", strerror(errno));
	return ERR_OK;
}

static enum err
start(struct child_handle *w, struct why *why)
{
	struct child_fds fds;
	int pair[2];
	enum err e;

	if (w->owns_dir && !mkdtemp(w->dir))
		return why_set(why, ERR_IO, "%s: %s", w->dir, strerror(errno));
	e = make_arenas(w, why);
	if (e != ERR_OK)
		return e;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return why_set(why, ERR_IO, "socketpair: %s", strerror(errno));
	w->orders = pair[0];
	fds = (struct child_fds){ pair[1], w->input_fd, w->output_fd };
	e = zygote_spawn(w->zygote, w->dir, &fds, &w->pid, why);
	/* The zygote has its own copy.  While we held this end a child's death
	 * would never show as the end of its socket. */
	close(pair[1]);
	return e;
}

enum err
child_handle_start(struct zygote *z, const char *scratch,
    struct child_handle **ret, struct why *why)
{
	struct child_handle *w = xcalloc(1, sizeof *w);
	enum err e;

	w->zygote = z;
	w->orders = w->input_fd = w->output_fd = -1;
	w->dir = xasprintf("%s/child-XXXXXX", scratch);
	w->owns_dir = true;
	e = start(w, why);
	if (e == ERR_OK)
		*ret = w;
	else
		child_handle_stop(w);
	return e;
}

enum err
child_handle_start_beside(struct zygote *z,
    const struct child_handle *neighbour, struct child_handle **ret,
    struct why *why)
{
	struct child_handle *w = xcalloc(1, sizeof *w);
	enum err e;

	w->zygote = z;
	w->orders = w->input_fd = w->output_fd = -1;
	w->dir = xstrdup(neighbour->dir);
	e = start(w, why);
	if (e == ERR_OK)
		*ret = w;
	else
		child_handle_stop(w);
	return e;
}

static void
close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void
child_handle_stop(struct child_handle *w)
{
	if (!w)
		return;
	/* Not waited for: the next child starts meanwhile, and only the
	 * zygote's stop has to know that the folder is gone. */
	zygote_discard(w->zygote, w->pid, w->owns_dir ? w->dir : NULL);
	close_fd(w->orders);
	close_fd(w->input_fd);
	close_fd(w->output_fd);
	if (w->input)
		munmap(w->input, INPUT_RESERVE_BYTES);
	if (w->output)
		munmap(w->output, w->output_mapped);
	free(w->dir);
	free(w);
}

static void
end_child(struct child_handle *w)
{
	if (w->pid > 0)
		w->wait_status = zygote_kill(w->zygote, w->pid);
	w->pid = 0;
}

static enum err
map_output(struct child_handle *w, size_t bytes, struct why *why)
{
	void *p;

	if (bytes <= w->output_mapped)
		return ERR_OK;
	if (ftruncate(w->output_fd, (off_t)bytes) != 0)
		return why_set(why, ERR_IO, "lab: memfd: %s", strerror(errno));
	/* A new mapping before the old one goes: should it fail, what the
	 * caller still holds stays valid. */
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, w->output_fd,
	    0);
	if (p == MAP_FAILED)
		return why_set(why, ERR_IO, "lab: mmap: %s", strerror(errno));
	if (w->output)
		munmap(w->output, w->output_mapped);
	w->output = p;
	w->output_mapped = bytes;
	return ERR_OK;
}

enum err
child_handle_arenas(struct child_handle *w, size_t input_bytes,
    size_t output_bytes, void **ret_input, void **ret_output, struct why *why)
{
	enum err e;

	if (input_bytes > INPUT_RESERVE_BYTES || output_bytes > ARENA_BYTES_MAX)
		return why_set(why, ERR_TOOBIG,
		    "lab: a case of %zu bytes: expected at most %zu",
		    input_bytes + output_bytes, INPUT_RESERVE_BYTES);
	e = map_output(w, output_bytes, why);
	if (e == ERR_OK) {
		*ret_input = w->input;
		*ret_output = w->output;
	}
	return e;
}

void
child_handle_trim(struct child_handle *w)
{
	if (w->output_mapped > 0)
		(void)fallocate(w->output_fd,
		    FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
		    (off_t)w->output_mapped);
}

/* How long it can wait for sure; 0: the deadline has passed. */
static int
left_ms(struct child_handle *w)
{
	struct deadline_now now = { .mono_ms = clock_mono_ms(),
		.used_ms = process_used_ms(w->pid) };
	uint64_t left;

	if (deadline_asks_wait(&w->deadline, now.mono_ms))
		now.waited_ms = process_waited_ms(w->pid);
	left = deadline_left_ms(&w->deadline, &now);
	return left < INT_MAX ? (int)left : INT_MAX;
}

static bool
is_flood(const struct child_handle *w)
{
	return w->is_building &&
	    files_tree_bytes(w->dir) > CHILD_HANDLE_FILES_MAX;
}

/* As long as there may be files to look at, not all of it at once. */
static int
slice_ms(const struct child_handle *w, int wait_ms)
{
	return w->is_building && wait_ms > FILES_LOOK_MS ? FILES_LOOK_MS
	                                                 : wait_ms;
}

/* Poll()'s answer; 0: the deadline has passed, or files the cap. */
static int
wait_for(struct child_handle *w, short events)
{
	struct pollfd pfd = { .fd = w->orders, .events = events };
	int n, wait_ms;

	do {
		wait_ms = left_ms(w);
		n = poll(&pfd, 1, slice_ms(w, wait_ms));
	} while ((n < 0 && errno == EINTR) ||
	    (n == 0 && wait_ms > 0 && !is_flood(w)));
	return n;
}

/*
 * A child that does not read must not hold us beyond the deadline.  What such
 * a one has said ahead must not pass for the answer to an order that it never
 * got: child_handle_await() hears nothing of it any more.
 */
static void
send_order(struct child_handle *w, const void *p, size_t size,
    uint32_t deadline_ms)
{
	w->began_us = process_used_us(w->pid);
	deadline_begin(&w->deadline, deadline_ms,
	    &(struct deadline_now){ .mono_ms = clock_mono_ms(),
	        .used_ms = w->began_us / 1000 });
	while (!w->is_deaf &&
	    send(w->orders, p, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
		if (errno == EAGAIN)
			w->is_deaf = wait_for(w, POLLOUT) == 0;
		else if (errno != EINTR)
			/* It is gone, which child_handle_await() finds by its
			 * end of the socket, and says how it died. */
			return;
	}
}

void
child_handle_build(struct child_handle *w, const struct order_build *o,
    uint32_t deadline_ms)
{
	w->is_building = true;
	/* Only as far as the source goes: the order has room for the largest
	 * text, and a socket would copy all of it. */
	send_order(w, o,
	    offsetof(struct order_build, source) + o->source_bytes + 1,
	    deadline_ms);
}

void
child_handle_launch(struct child_handle *w, const struct order_launch *o,
    uint32_t deadline_ms)
{
	send_order(w, o, sizeof *o, deadline_ms);
}

void
child_handle_arm(struct child_handle *w, const struct order_arm *o,
    uint32_t deadline_ms)
{
	send_order(w, o, sizeof *o, deadline_ms);
}

void
child_handle_count(struct child_handle *w, const struct order_count *o,
    uint32_t deadline_ms)
{
	send_order(w, o, sizeof *o, deadline_ms);
}

void
child_handle_fire(struct child_handle *w, uint32_t slot, uint32_t deadline_ms)
{
	struct order_fire o = { .kind = ORDER_FIRE, .slot = slot };

	send_order(w, &o, sizeof o, deadline_ms);
}

pid_t
child_handle_pid(const struct child_handle *w)
{
	return w->pid;
}

/* The shortest wait of all. */
static int
least_ms(struct child_handle *const *workers, size_t n, size_t *ret)
{
	int least = INT_MAX;

	for (size_t i = 0; i < n; i++) {
		int left = left_ms(workers[i]);

		if (left < least) {
			least = left;
			*ret = i;
		}
	}
	return least;
}

static int
least_slice_ms(struct child_handle *const *workers, size_t n, int wait_ms)
{
	for (size_t i = 0; i < n; i++)
		wait_ms = slice_ms(workers[i], wait_ms);
	return wait_ms;
}

static bool
any_flood(struct child_handle *const *workers, size_t n, size_t *ret)
{
	for (size_t i = 0; i < n; i++)
		if (is_flood(workers[i])) {
			*ret = i;
			return true;
		}
	return false;
}

size_t
child_handle_await_any(struct child_handle *const *workers, size_t n)
{
	struct pollfd fds[WORKERS_MAX];
	size_t first = 0;
	int ready, wait_ms;

	if (n > WORKERS_MAX)
		fatalx("more than %d children are awaited", WORKERS_MAX);
	for (size_t i = 0; i < n; i++)
		fds[i] = (struct pollfd){ .fd = workers[i]->orders,
			.events = POLLIN };
	do {
		wait_ms = least_ms(workers, n, &first);
		ready = poll(fds, n, least_slice_ms(workers, n, wait_ms));
	} while ((ready < 0 && errno == EINTR) ||
	    (ready == 0 && wait_ms > 0 && !any_flood(workers, n, &first)));
	/* None has answered: the one whose time is up, or whose files are too
	 * many, which child_handle_await() will find so and end. */
	for (size_t i = 0; i < n && ready > 0; i++)
		if (fds[i].revents != 0)
			return i;
	return first;
}

enum child_handle_event
child_handle_await(struct child_handle *w, struct order_answer *ret)
{
	struct order_answer a;
	int n = w->is_deaf ? 0 : wait_for(w, POLLIN);
	uint64_t used_us = process_used_us(w->pid);

	w->spent_us = used_us > w->began_us ? used_us - w->began_us : 0;
	/* One that was quick is looked at here for the first time. */
	if (is_flood(w)) {
		end_child(w);
		return CHILD_HANDLE_FLOOD;
	}
	if (n == 0) {
		/* Ended before anybody is told: a late answer would be taken
		 * for that of the next order. */
		end_child(w);
		return CHILD_HANDLE_TIMEOUT;
	}
	/* A longer packet would be cut silently: ask for its true size. */
	if (n < 0 ||
	    recv(w->orders, &a, sizeof a, MSG_TRUNC | MSG_DONTWAIT) !=
	        sizeof a) {
		end_child(w);
		return CHILD_HANDLE_DIED;
	}
	w->is_building = false;
	clean_text(a.text, sizeof a.text);
	*ret = a;
	return CHILD_HANDLE_ANSWER;
}

uint64_t
child_handle_spent_us(const struct child_handle *w)
{
	return w->spent_us;
}

void
child_handle_describe_end(struct child_handle *w, char *out, size_t size)
{
	end_child(w);
	if (WIFSIGNALED(w->wait_status))
		snprintf(out, size, "signal %d (%s)", WTERMSIG(w->wait_status),
		    strsignal(WTERMSIG(w->wait_status)));
	else
		snprintf(out, size, "exit %d", WEXITSTATUS(w->wait_status));
}

static void
clean_text(char *text, size_t size)
{
	text[size - 1] = '\0';
	for (char *c = text; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = '?';
}
