/*
 * A thread with a bounded queue before it and a way back to the loop, for what
 * may wait for a disk or for another program.  Jobs are done in their order,
 * all that wait at once.
 *
 * A thread and not a process or a timer: answers come back in some ten
 * microseconds, and a file that another program has locked holds up nobody
 * but those who wait for it.
 */
#ifndef GATEWAY_STORE_THREAD_H
#define GATEWAY_STORE_THREAD_H

#include "base/err.h"
#include "base/loop.h"
#include <stdbool.h>
#include <sys/queue.h>

struct worker;

struct worker_job {
	STAILQ_ENTRY(worker_job) next;
	void (*done)(struct worker_job *j); /* on the loop; frees it */
};

STAILQ_HEAD(worker_list, worker_job);

struct worker_ops {
	/* In the thread: does all n jobs of the list, and leaves it as it is.
	 */
	void (*work)(void *arg, struct worker_list *jobs);
	/* In the thread, about every so many ms when set; may worker_tell. */
	void (*look)(void *arg);
	unsigned look_ms;
};

struct worker *worker_new(struct loop *l, size_t jobs_max,
    const struct worker_ops *ops, void *arg);

/* ERR_TOOBIG: so many wait that there is no room.  A job that nobody waits for
 * is_lazy: it may be done some milliseconds later, together with others. */
enum err worker_put(struct worker *w, struct worker_job *j, bool is_lazy);

/* From any thread: a job that is done already goes to the loop. */
void worker_tell(struct worker *w, struct worker_job *j);

/* Does what waits, ends the thread, tells what is done; NULL-safe. */
void worker_free(struct worker *w);

#endif
