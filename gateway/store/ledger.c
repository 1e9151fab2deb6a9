/*
 * Two threads, each with a connection: the writer enters and settles, the
 * desk answers and looks for keys.  The writer commits all that waits at once,
 * so that under load a commit is shared by many; bills wait for somebody who
 * is in a hurry, because what was reserved stands meanwhile.
 */
#include "gateway/store/ledger.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "gateway/store/worker.h"
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define WAITING_MAX   16384
#define QUESTIONS_MAX 64
#define UNSETTLED_MAX 100000
#define ANSWER_MAX    (16U << 20)
#define LOOK_MS       250 /* for changed keys */
#define FORGET_MS     60000
#define AGAIN_S       1

struct ledger {
	struct store *book, *desk; /* of the writer and of the desk */
	struct worker *writer, *clerk;
	struct keyring *keys; /* the loop's */
	struct ledger_counts counts;
	struct worker_list unsettled; /* bills to be tried again */
	struct event *again;
	bool is_failing;     /* the loop's; said once */
	int64_t seen;        /* the desk's: version of the last keys */
	uint64_t forgets_ms; /* the desk's */
};

struct ledger_ask {
	struct worker_job job; /* first */
	struct ledger *ledger;
	ledger_fn *tell;
	void *owner;
	struct book_bill *left; /* the loop's: the owner has gone; owned */
	struct book_entry entry;
	struct ledger_verdict verdict;
	struct why why;
	struct book_bill *bill; /* instead of an entry; owned */
};

struct question {
	struct worker_job job; /* first */
	struct ledger *ledger;
	ledger_desk_fn *work;
	ledger_told_fn *told;
	void *question;
	struct buf out;
	enum err e;
	struct why why;
};

struct new_keys {
	struct worker_job job; /* first */
	struct ledger *ledger;
	struct keyring *keys;
};

/* ---- the writer's thread */

static void
enter(struct store *s, struct ledger_ask *a)
{
	size_t refused = 0;

	if (a->bill) {
		a->verdict.e = book_settle(s, a->bill);
		return;
	}
	a->verdict.e = book_reserve(s, &a->entry, &refused);
	a->verdict.id = a->entry.id;
	if (a->verdict.e == ERR_DENIED)
		a->verdict.refused = a->entry.counters.list[refused];
}

/* One transaction; when anything of it fails nothing was entered. */
static void
enter_all(void *arg, struct worker_list *jobs)
{
	struct ledger *l = arg;
	enum err e = store_begin(l->book);
	struct worker_job *j;
	struct why why;

	STAILQ_FOREACH(j, jobs, next)
	{
		struct ledger_ask *a = (struct ledger_ask *)j;

		if (e == ERR_OK)
			enter(l->book, a);
		if (e == ERR_OK && a->verdict.e != ERR_DENIED)
			e = a->verdict.e;
	}
	if (e == ERR_OK)
		e = store_commit(l->book);
	if (e == ERR_OK)
		return;
	store_rollback(l->book);
	store_why(l->book, &why);
	STAILQ_FOREACH(j, jobs, next)
	{
		struct ledger_ask *a = (struct ledger_ask *)j;

		a->verdict.e = e;
		a->why = why;
	}
}

/* ---- the desk's thread */

static void
answer_all(void *arg, struct worker_list *jobs)
{
	struct ledger *l = arg;
	struct worker_job *j;

	STAILQ_FOREACH(j, jobs, next)
	{
		struct question *q = (struct question *)j;

		q->e = q->work(l->desk, q->question, &q->out, &q->why);
	}
}

static void
take_keys(struct worker_job *j)
{
	struct new_keys *n = (struct new_keys *)j;

	keyring_unref(n->ledger->keys);
	n->ledger->keys = n->keys;
	free(n);
}

static void
look_for_keys(void *arg)
{
	struct ledger *l = arg;
	struct keyring *keys;
	struct new_keys *n;
	int64_t version;

	if (clock_mono_ms() >= l->forgets_ms) {
		l->forgets_ms = clock_mono_ms() + FORGET_MS;
		(void)book_forget(l->desk, clock_wall_ms());
	}
	if (store_int(l->desk, &version, "SELECT keys_version FROM meta", "") !=
	        ERR_OK ||
	    version == l->seen || keyring_read(l->desk, &keys) != ERR_OK)
		return;
	l->seen = keyring_version(keys);
	n = xcalloc(1, sizeof *n);
	n->job.done = take_keys;
	n->ledger = l;
	n->keys = keys;
	worker_tell(l->clerk, &n->job);
}

/* ---- on the loop: how the store fares */

static void
note_state(struct ledger *l, const struct ledger_ask *a)
{
	bool fails = a->verdict.e != ERR_OK && a->verdict.e != ERR_DENIED;

	if (fails && !l->is_failing)
		log_error("store", "%s; requests are refused until it works",
		    a->verdict.e == ERR_TOOBIG ? "too many requests wait for "
		                                 "the store"
		                               : a->why.text);
	else if (!fails && l->is_failing)
		log_info("store", "it works again");
	l->is_failing = fails;
}

static void
free_bill(struct book_bill *b)
{
	if (!b)
		return;
	free(b->attempts);
	free(b->asked);
	free(b->answered);
	free(b);
}

static void
free_ask(struct ledger_ask *a)
{
	free_bill(a->bill);
	free(a);
}

/* ---- bills */

static void
settle_again(struct ledger *l, struct ledger_ask *a)
{
	static const struct timeval again = { AGAIN_S, 0 };

	if (l->counts.unsettled >= UNSETTLED_MAX) {
		l->counts.lost++;
		free_ask(a);
		return;
	}
	l->counts.unsettled++;
	STAILQ_INSERT_TAIL(&l->unsettled, &a->job, next);
	evtimer_add(l->again, &again);
}

static void
on_settled(struct worker_job *j)
{
	struct ledger_ask *a = (struct ledger_ask *)j;

	note_state(a->ledger, a);
	if (a->verdict.e == ERR_OK)
		free_ask(a);
	else
		settle_again(a->ledger, a);
}

static void
on_again(evutil_socket_t fd, short what, void *arg)
{
	struct ledger *l = arg;
	struct worker_job *j;

	(void)fd;
	(void)what;
	/* Those that find no room stand behind these. */
	for (uint64_t n = l->counts.unsettled; n > 0; n--) {
		j = STAILQ_FIRST(&l->unsettled);
		STAILQ_REMOVE_HEAD(&l->unsettled, next);
		l->counts.unsettled--;
		if (worker_put(l->writer, j, true) != ERR_OK)
			settle_again(l, (struct ledger_ask *)j);
	}
}

void
ledger_settle(struct ledger *l, struct book_bill *bill)
{
	struct ledger_ask *a = xcalloc(1, sizeof *a);

	a->job.done = on_settled;
	a->ledger = l;
	a->bill = bill;
	if (worker_put(l->writer, &a->job, true) != ERR_OK)
		settle_again(l, a);
}

/* Its owner had gone before it was entered, or refused. */
static void
settle_left(struct ledger *l, struct ledger_ask *a)
{
	struct book_bill *b = a->left;

	a->left = NULL;
	if (a->verdict.e == ERR_OK) {
		b->id = a->verdict.id;
		b->reserved += a->entry.nano;
		for (size_t i = 0; i < b->counters.n; i++)
			if (b->counters.list[i].kind != BOOK_KEY_RATE)
				b->counters.list[i].amount -=
				    a->entry.counters.list[i].amount;
	}
	if (b->id)
		ledger_settle(l, b);
	else
		free_bill(b);
}

/* ---- reservations */

static void
on_entered(struct worker_job *j)
{
	struct ledger_ask *a = (struct ledger_ask *)j;

	note_state(a->ledger, a);
	if (a->verdict.e != ERR_OK && a->verdict.e != ERR_DENIED)
		a->ledger->counts.refused++;
	if (a->left)
		settle_left(a->ledger, a);
	else
		a->tell(a->owner, &a->verdict);
	free_ask(a);
}

struct ledger_ask *
ledger_reserve(struct ledger *l, const struct book_entry *entry,
    ledger_fn *tell, void *owner)
{
	struct ledger_ask *a = xcalloc(1, sizeof *a);

	a->job.done = on_entered;
	a->ledger = l;
	a->tell = tell;
	a->owner = owner;
	a->entry = *entry;
	if (worker_put(l->writer, &a->job, false) != ERR_OK) {
		a->verdict.e = ERR_TOOBIG;
		worker_tell(l->writer, &a->job);
	}
	return a;
}

void
ledger_leave(struct ledger_ask *a, struct book_bill *bill)
{
	a->left = bill;
}

/* ---- questions */

static void
on_answered(struct worker_job *j)
{
	struct question *q = (struct question *)j;

	q->told(q->question, q->e, &q->out, &q->why);
	buf_done(&q->out);
	free(q);
}

void
ledger_ask(struct ledger *l, ledger_desk_fn *work, ledger_told_fn *told,
    void *question)
{
	struct question *q = xcalloc(1, sizeof *q);

	q->job.done = on_answered;
	q->ledger = l;
	q->work = work;
	q->told = told;
	q->question = question;
	buf_init(&q->out, ANSWER_MAX);
	if (worker_put(l->clerk, &q->job, false) == ERR_OK)
		return;
	q->e = why_set(&q->why, ERR_AGAIN, "too many questions wait");
	worker_tell(l->clerk, &q->job);
}

/* ---- life */

struct keyring *
ledger_keys(const struct ledger *l)
{
	return l ? l->keys : NULL;
}

const struct store_conf *
ledger_conf(const struct ledger *l)
{
	return store_conf(l->book);
}

struct ledger_counts
ledger_counts(const struct ledger *l)
{
	return l->counts;
}

enum err
ledger_new(struct loop *loop, const struct store_conf *conf,
    struct ledger **ret, struct why *why)
{
	static const struct worker_ops writer = { .work = enter_all };
	static const struct worker_ops clerk = { answer_all, look_for_keys,
		LOOK_MS };
	struct ledger *l = xcalloc(1, sizeof *l);
	enum err e;

	STAILQ_INIT(&l->unsettled);
	e = store_open(conf, STORE_MAKE, &l->book, why);
	if (e == ERR_OK)
		e = store_open(conf, STORE_MAKE, &l->desk, why);
	if (e == ERR_OK && (e = keyring_read(l->desk, &l->keys)) != ERR_OK)
		e = store_why(l->desk, why);
	if (e != ERR_OK) {
		store_close(l->book);
		store_close(l->desk);
		free(l);
		return e;
	}
	l->seen = keyring_version(l->keys);
	l->again = evtimer_new(loop_base(loop), on_again, l);
	l->writer = worker_new(loop, WAITING_MAX, &writer, l);
	l->clerk = worker_new(loop, QUESTIONS_MAX, &clerk, l);
	*ret = l;
	return ERR_OK;
}

void
ledger_free(struct ledger *l)
{
	struct worker_job *j;

	if (!l)
		return;
	worker_free(l->clerk);
	worker_free(l->writer);
	while ((j = STAILQ_FIRST(&l->unsettled))) {
		STAILQ_REMOVE_HEAD(&l->unsettled, next);
		free_ask((struct ledger_ask *)j);
	}
	event_free(l->again);
	keyring_unref(l->keys);
	store_close(l->book);
	store_close(l->desk);
	free(l);
}
