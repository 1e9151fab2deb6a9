/*
 * Two lists under one lock, and an eventfd that wakes the loop.  Lazy jobs
 * wake nobody: they are taken along by the next one that is in a hurry, or
 * when LAZY_MS have passed.
 */
#include "gateway/store/store_thread.h"

#include "base/log.h"
#include "base/mem.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define LAZY_MS 10

struct worker {
	const struct worker_ops *ops;
	void *arg;
	size_t jobs_max;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	/* Under the lock. */
	struct worker_list in, out;
	size_t nin;
	bool is_hurried, is_ending;
	/* The loop's. */
	int fd;
	struct event *event;
};

/* ---- in the thread */

static void
add_ms(struct timespec *t, unsigned ms)
{
	t->tv_sec += ms / 1000;
	t->tv_nsec += (long)(ms % 1000) * 1000000;
	if (t->tv_nsec >= 1000000000) {
		t->tv_sec++;
		t->tv_nsec -= 1000000000;
	}
}

static bool
is_past(const struct timespec *at)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > at->tv_sec ||
	    (now.tv_sec == at->tv_sec && now.tv_nsec >= at->tv_nsec);
}

/* Waits for jobs, with the lock held; true: it is time for a look. */
static bool
wait_for_jobs(struct worker *w, const struct timespec *look)
{
	struct timespec lazy;

	while (!w->is_hurried && !w->is_ending) {
		if (w->nin == 0 && !w->ops->look) {
			pthread_cond_wait(&w->wake, &w->lock);
			continue;
		}
		if (w->ops->look && is_past(look))
			return true;
		if (w->nin == 0) {
			pthread_cond_timedwait(&w->wake, &w->lock, look);
			continue;
		}
		clock_gettime(CLOCK_MONOTONIC, &lazy);
		add_ms(&lazy, LAZY_MS);
		pthread_cond_timedwait(&w->wake, &w->lock, &lazy);
		return false;
	}
	return w->ops->look && is_past(look);
}

static void
wake_loop(const struct worker *w)
{
	static const uint64_t one = 1;
	ssize_t n = write(w->fd, &one, sizeof one);

	(void)n; /* a counter that is full wakes, too */
}

static void
move_all(struct worker_list *to, struct worker_list *from)
{
	struct worker_job *j;

	while ((j = STAILQ_FIRST(from))) {
		STAILQ_REMOVE_HEAD(from, next);
		STAILQ_INSERT_TAIL(to, j, next);
	}
}

static void *
work(void *arg)
{
	struct worker *w = arg;
	struct worker_list now;
	struct timespec look;
	bool is_ending, looks;

	clock_gettime(CLOCK_MONOTONIC, &look);
	do {
		pthread_mutex_lock(&w->lock);
		looks = wait_for_jobs(w, &look);
		STAILQ_INIT(&now);
		move_all(&now, &w->in);
		w->nin = 0;
		w->is_hurried = false;
		is_ending = w->is_ending;
		pthread_mutex_unlock(&w->lock);
		if (!STAILQ_EMPTY(&now)) {
			w->ops->work(w->arg, &now);
			pthread_mutex_lock(&w->lock);
			move_all(&w->out, &now);
			pthread_mutex_unlock(&w->lock);
			wake_loop(w);
		}
		if (looks) {
			w->ops->look(w->arg);
			clock_gettime(CLOCK_MONOTONIC, &look);
			add_ms(&look, w->ops->look_ms);
		}
	} while (!is_ending);
	return NULL;
}

void
worker_tell(struct worker *w, struct worker_job *j)
{
	pthread_mutex_lock(&w->lock);
	STAILQ_INSERT_TAIL(&w->out, j, next);
	pthread_mutex_unlock(&w->lock);
	wake_loop(w);
}

/* ---- on the loop */

static void
tell_done(struct worker *w)
{
	struct worker_list done;
	struct worker_job *j;

	STAILQ_INIT(&done);
	pthread_mutex_lock(&w->lock);
	move_all(&done, &w->out);
	pthread_mutex_unlock(&w->lock);
	while ((j = STAILQ_FIRST(&done))) {
		STAILQ_REMOVE_HEAD(&done, next);
		j->done(j);
	}
}

static void
on_done(evutil_socket_t fd, short what, void *arg)
{
	uint64_t n;
	ssize_t got = read(fd, &n, sizeof n);

	(void)what;
	(void)got;
	tell_done(arg);
}

enum err
worker_put(struct worker *w, struct worker_job *j, bool is_lazy)
{
	bool has_room, wakes;

	pthread_mutex_lock(&w->lock);
	has_room = w->nin < w->jobs_max;
	wakes = has_room && (!w->is_hurried && (!is_lazy || w->nin == 0));
	if (has_room) {
		STAILQ_INSERT_TAIL(&w->in, j, next);
		w->nin++;
		w->is_hurried |= !is_lazy;
	}
	pthread_mutex_unlock(&w->lock);
	if (wakes)
		pthread_cond_signal(&w->wake);
	return has_room ? ERR_OK : ERR_TOOBIG;
}

struct worker *
worker_new(struct loop *l, size_t jobs_max, const struct worker_ops *ops,
    void *arg)
{
	struct worker *w = xcalloc(1, sizeof *w);
	pthread_condattr_t clock;
	sigset_t all, before;

	w->ops = ops;
	w->arg = arg;
	w->jobs_max = jobs_max;
	STAILQ_INIT(&w->in);
	STAILQ_INIT(&w->out);
	pthread_mutex_init(&w->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&w->wake, &clock);
	pthread_condattr_destroy(&clock);
	w->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->event =
	    event_new(loop_base(l), w->fd, EV_READ | EV_PERSIST, on_done, w);
	event_add(w->event, NULL);
	/* Signals are the loop's. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (w->fd < 0 || pthread_create(&w->thread, NULL, work, w) != 0)
		fatalx("no thread for the store");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return w;
}

void
worker_free(struct worker *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->is_ending = true;
	pthread_mutex_unlock(&w->lock);
	pthread_cond_signal(&w->wake);
	pthread_join(w->thread, NULL);
	event_free(w->event);
	tell_done(w);
	/* What was put while that was told. */
	while (!STAILQ_EMPTY(&w->in)) {
		w->ops->work(w->arg, &w->in);
		move_all(&w->out, &w->in);
		tell_done(w);
	}
	close(w->fd);
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}
