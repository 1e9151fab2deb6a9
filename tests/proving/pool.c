/*
 * Forked workers, a shared job counter, one pipe: a write of at most PIPE_BUF
 * bytes is never mixed with another one.
 */
#include "tests/proving/pool.h"

#include "base/mem.h"
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct pool {
	const struct pool_work *w; /* borrowed */
	_Atomic size_t *next;      /* shared by all */
	int fd;                    /* of records, to the parent */
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
		.build_deadline_ms = 60000 };
	struct lab *lab;
	struct why why;
	enum err e = lab_open(&conf, &lab, &why);
	size_t job;

	if (e != ERR_OK) {
		fprintf(stderr, "%s\n", why.text);
		_exit((int)err_exit_code(e));
	}
	while ((job = atomic_fetch_add(p->next, 1)) < p->w->njobs)
		p->w->run(p, lab, job, p->w->arg);
	lab_close(lab);
	_exit(EXIT_DONE);
}

static void
receive(const struct pool_work *w, int fd)
{
	char *record = xmalloc(w->record_bytes);
	size_t have = 0;

	for (;;) {
		ssize_t n = read(fd, record + have, w->record_bytes - have);

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

enum err
pool_run(const struct pool_work *w, struct why *why)
{
	struct pool p = { .w = w };
	size_t started = 0;
	int fds[2];
	enum err e;

	p.next = mmap(NULL, sizeof *p.next, PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p.next == MAP_FAILED || pipe(fds) != 0)
		return why_set(why, ERR_IO, "pool: %s", strerror(errno));
	atomic_init(p.next, 0);
	p.fd = fds[1];
	fflush(NULL);
	for (size_t i = 0; i < w->nworkers; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			close(fds[0]);
			work(&p);
		}
		started += pid > 0;
	}
	close(fds[1]);
	receive(w, fds[0]);
	close(fds[0]);
	e = collect(started, why);
	munmap(p.next, sizeof *p.next);
	return started > 0 ? e : why_set(why, ERR_IO, "fork: failed");
}
