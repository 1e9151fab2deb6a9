/*
 * A worker pool: so many workers, each a thread, that take jobs in their order.
 *
 * The first worker is the caller, so a pool of one has no thread.  A worker's
 * tools (a lab, a connection) are made and given back on its own thread: what
 * the lab starts ends with the thread that started it.
 */
#ifndef AGENT_WORKER_POOL_H
#define AGENT_WORKER_POOL_H

#include "base/err.h"
#include <stddef.h>

#define WORKER_POOL_MAX 64

struct worker_pool {
	size_t njobs;
	size_t nworkers; /* 1 to WORKER_POOL_MAX */
	/* A worker's tools; NULL: it cannot work, and the others do its part.
	 * Worker 0 must be able to. */
	void *(*begin)(size_t worker, void *arg);
	/* One job.  An error ends the pool: jobs at work are finished, no
	 * other one is begun. */
	enum err (*run)(void *tools, size_t job, struct why *why);
	void (*end)(void *tools);
	void *arg;
};

/* ERR_OK, or the error of the first job, in the order of jobs, that had one. */
enum err worker_pool_run(const struct worker_pool *c, struct why *why);

#endif
