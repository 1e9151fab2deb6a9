/*
 * Work for several processes: each takes the next job, does it in a lab of
 * its own, and sends records of one size to the parent.
 *
 * Who is asked to stop (Ctrl-C, SIGTERM), or has had its time, hands out no
 * more jobs, and ends with what the workers had begun.
 */
#ifndef TESTS_PROVING_POOL_H
#define TESTS_PROVING_POOL_H

#include "base/err.h"
#include "lab/lab.h"
#include <stdbool.h>
#include <stddef.h>

struct pool;

struct pool_work {
	size_t njobs;
	size_t nworkers;
	size_t record_bytes;  /* at most PIPE_BUF: a record is one write */
	uint32_t deadline_ms; /* of a launch; 0: 30 s */
	uint32_t minutes;     /* as long jobs are handed out; 0: all of them */
	const bool *done;     /* by job: not to be done again; NULL: none */
	/* In a worker; calls pool_send for what it finds. */
	void (*run)(struct pool *p, struct lab *lab, size_t job, void *arg);
	/* In the parent, in the order of arrival. */
	void (*on_record)(const void *record, void *arg);
	void *arg;
};

/* Until all jobs are done.  ERR_AGAIN: it was stopped, and some were not begun;
 * ERR_ENV: no device; ERR_STATE: a worker died, and what it had not sent is
 * missing. */
enum err pool_run(const struct pool_work *w, struct why *why);

void pool_send(struct pool *p, const void *record);

#endif
