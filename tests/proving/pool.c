/*
 * Forked workers, a shared job counter, one pipe: a write of at most PIPE_BUF
 * bytes is never mixed with another one.
 */
#include "tests/proving/pool.h"

#include "base/clock.h"
#include "base/end_with_parent.h"
#include "base/mem.h"
#include "base/stop.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MINUTE_US ((uint64_t)60000000)
#define LOOK_MS   1000

struct pool {
	const struct pool_work *w; /* borrowed */
	_Atomic size_t *next;      /* shared by all */
	int fd;                    /* of records, to the parent */
	pid_t parent;
};

void
pool_send(struct pool *p, const void *record)
{
	if (write(p->fd, record, p->w->record_bytes) !=
	    (ssize_t)p->w->record_bytes)
		_exit(EXIT_JUDGED);
}

_Noreturn static void
work(struct pool *p)
{
	/* The machine may be busy, and a witness large. */
	struct lab_conf conf = { .deadline_ms = p->w->deadline_ms
		    ? p->w->deadline_ms
		    : 30000,
		.build_deadline_ms = 60000,
		.in_turn = true };
	struct lab *lab;
	struct why why;
	enum err e;
	size_t job;

	/* A terminal's Ctrl-C is for the parent: a worker ends its job. */
	(void)setpgid(0, 0);
	end_with_parent(p->parent, SIGTERM);
	e = lab_open(&conf, &lab, &why);
	if (e != ERR_OK) {
		fprintf(stderr, "%s\n", why.text);
		_exit((int)err_exit_code(e));
	}
	while ((job = atomic_fetch_add(p->next, 1)) < p->w->njobs)
		if (!p->w->done || !p->w->done[job])
			p->w->run(p, lab, job, p->w->arg);
	lab_close(lab);
	_exit(EXIT_DONE);
}

/* From here on nobody finds a job.  true: some were left. */
static bool
end_jobs(const struct pool *p, uint64_t until_us)
{
	return (stop_asked() || (until_us && clock_mono_us() > until_us)) &&
	    atomic_exchange(p->next, p->w->njobs) < p->w->njobs;
}

/* Until the last worker has ended.  true: jobs are left. */
static bool
receive(const struct pool *p, int fd)
{
	bool stopped = false;
	const struct pool_work *w = p->w;
	uint64_t until_us =
	    w->minutes ? clock_mono_us() + w->minutes * MINUTE_US : 0;
	char *record = xmalloc(w->record_bytes);
	size_t have = 0;

	for (;;) {
		struct pollfd ready = { .fd = fd, .events = POLLIN };
		int got = poll(&ready, 1, LOOK_MS);
		ssize_t n;

		stopped |= end_jobs(p, until_us);
		if (got <= 0)
			continue;
		n = read(fd, record + have, w->record_bytes - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		have += (size_t)n;
		if (have < w->record_bytes)
			continue;
		w->on_record(record, w->arg);
		have = 0;
	}
	free(record);
	return stopped;
}

/* The worst exit of n children. */
static enum err
collect(size_t n, struct why *why)
{
	enum err e = ERR_OK;

	for (size_t i = 0; i < n; i++) {
		int status = 0;

		while (wait(&status) < 0 && errno == EINTR)
			;
		if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_DONE)
			continue;
		e = WIFEXITED(status) && WEXITSTATUS(status) == EXIT_ENV
		    ? why_set(why, ERR_ENV, "no lab on this machine")
		    : why_set(why, ERR_STATE, "a worker died");
	}
	return e;
}

static size_t
count_left(const struct pool_work *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->njobs; i++)
		n += !w->done || !w->done[i];
	return n;
}

enum err
pool_run(const struct pool_work *w, struct why *why)
{
	struct pool p = { .w = w, .parent = getpid() };
	size_t started = 0, left = count_left(w);
	int fds[2];
	bool stopped;
	enum err e;

	if (left == 0)
		return ERR_OK;
	p.next = mmap(NULL, sizeof *p.next, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p.next == MAP_FAILED || pipe(fds) != 0)
		return why_set(why, ERR_IO, "pool: %s", strerror(errno));
	atomic_init(p.next, 0);
	p.fd = fds[1];
	fflush(NULL);
	for (size_t i = 0; i < w->nworkers && i < left; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			close(fds[0]);
			work(&p);
		}
		started += pid > 0;
	}
	stop_install();
	close(fds[1]);
	stopped = receive(&p, fds[0]);
	close(fds[0]);
	e = collect(started, why);
	munmap(p.next, sizeof *p.next);
	if (e == ERR_OK && stopped)
		e = why_set(why, ERR_AGAIN, "stopped");
	return started > 0 ? e : why_set(why, ERR_IO, "fork: failed");
}
