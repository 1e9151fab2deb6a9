/*
 * One counter of jobs under one lock.  Which worker takes which job is chance;
 * so nothing that a job decides may hang on it.
 */
#include "agent/run/worker_pool.h"

#include "base/log.h"
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

struct shift {
	const struct worker_pool *pool; /* borrowed */
	pthread_mutex_t lock;           /* of all below */
	size_t next;                    /* the job to take */
	size_t failed; /* the first job that failed; njobs: none */
	enum err e;    /* how it did */
	struct why why;
};

struct worker {
	struct shift *shift; /* borrowed */
	size_t number;
	pthread_t thread;
};

/* false: nothing is left to do. */
static bool
take(struct shift *s, size_t *ret_job)
{
	bool more;

	(void)pthread_mutex_lock(&s->lock);
	more = s->e == ERR_OK && s->next < s->pool->njobs;
	if (more)
		*ret_job = s->next++;
	(void)pthread_mutex_unlock(&s->lock);
	return more;
}

static void
keep_failure(struct shift *s, size_t job, enum err e, const struct why *why)
{
	(void)pthread_mutex_lock(&s->lock);
	/* The first of the list and not the first in time: the same message for
	 * every number of workers. */
	if (job < s->failed) {
		s->failed = job;
		s->e = e;
		s->why = *why;
	}
	(void)pthread_mutex_unlock(&s->lock);
}

static void *
work(void *arg)
{
	struct worker *w = arg;
	struct shift *s = w->shift;
	void *tools = s->pool->begin(w->number, s->pool->arg);
	size_t job;

	while (tools && take(s, &job)) {
		struct why why = { "" };
		enum err e = s->pool->run(tools, job, &why);

		if (e != ERR_OK)
			keep_failure(s, job, e, &why);
	}
	if (tools)
		s->pool->end(tools);
	return NULL;
}

enum err
worker_pool_run(const struct worker_pool *c, struct why *why)
{
	struct shift s = { .pool = c, .failed = c->njobs };
	struct worker workers[WORKER_POOL_MAX];
	size_t started = 1;

	(void)pthread_mutex_init(&s.lock, NULL);
	for (size_t i = 0; i < WORKER_POOL_MAX; i++)
		workers[i] = (struct worker){ .shift = &s, .number = i };
	for (; started < c->nworkers; started++) {
		int n = pthread_create(&workers[started].thread, NULL, work,
		    &workers[started]);

		if (n != 0) {
			log_warn("run", "%zu workers instead of %zu: %s",
			    started, c->nworkers, strerror(n));
			break;
		}
	}
	/* This thread is the first worker, so one that cannot be started costs
	 * no more than itself. */
	(void)work(&workers[0]);
	for (size_t i = 1; i < started; i++)
		(void)pthread_join(workers[i].thread, NULL);
	(void)pthread_mutex_destroy(&s.lock);
	return s.e == ERR_OK ? ERR_OK : why_set(why, s.e, "%s", s.why.text);
}
