/*
 * A crew: so many workers, each a thread, that take jobs in their order.
 *
 * The first worker is the caller, so a crew of one has no thread.  A worker's
 * tools (a lab, a connection) are made and given back on its own thread: what
 * the lab starts ends with the thread that started it.
 */
#ifndef AGENT_CREW_H
#define AGENT_CREW_H

#include "base/err.h"
#include <stddef.h>

#define CREW_MAX 64

struct crew {
	size_t njobs;
	size_t nworkers; /* 1 to CREW_MAX */
	/* A worker's tools; NULL: it cannot work, and the others do its part.
	 * Worker 0 must be able to. */
	void *(*begin)(size_t worker, void *arg);
	/* One job.  An error ends the crew: jobs at work are finished, no
	 * other one is begun. */
	enum err (*run)(void *tools, size_t job, struct why *why);
	void (*end)(void *tools);
	void *arg;
};

/* ERR_OK, or the error of the first job, in the order of jobs, that had one. */
enum err crew_run(const struct crew *c, struct why *why);

#endif
