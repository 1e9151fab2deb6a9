/*
 * The writer folds the journal every moment and looks whether its file is there, leases what the loop asks for,
 * and, where there is no journal, enters each record itself.  The desk answers
 * people, for whom all journals are folded first, and looks for changed keys.
 */
#include "gateway/store/spend_ledger_priv.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "gateway/store/journal_fold.h"
#include <stdlib.h>

#define ANSWER_MAX (16U << 20)
#define LOOK_MS    250 /* for changed keys */
#define FOLD_MS    200
#define FORGET_MS  60000

struct fold_state {
	struct worker_job job; /* first */
	struct why why;        /* empty: it works */
};

struct new_file {
	struct worker_job job; /* first */
	struct ledger *ledger;
	struct spend_journal_file *file; /* NULL: why */
	struct why why;
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

/* ---- the writer's thread: folding */

static void
take_state(struct worker_job *j)
{
	struct fold_state *f = (struct fold_state *)j;

	if (f->why.text[0])
		log_error("store",
		    "%s; what is spent stands in its journal until it works",
		    f->why.text);
	else
		log_info("store", "the journal is folded again");
	free(f);
}

/* Tells the loop when it begins to fail, and when it works again. */
static void
tell_state(struct ledger *l, enum err e)
{
	struct fold_state *f;

	if ((e != ERR_OK) == l->cannot_fold)
		return;
	l->cannot_fold = e != ERR_OK;
	f = xcalloc(1, sizeof *f);
	f->job.done = take_state;
	if (e != ERR_OK)
		store_why(l->book, &f->why);
	worker_tell(l->writer, &f->job);
}

static enum err
fold_own(struct ledger *l)
{
	bool is_damaged;
	enum err e;

	if (!l->journal || spend_journal_is_folded(l->journal))
		return ERR_OK;
	e = fold_journal(l->book, l->journal, &is_damaged);
	tell_state(l, e);
	return e;
}

/* ---- the writer's thread: the journal's file */

static void
take_file(struct worker_job *j)
{
	struct new_file *n = (struct new_file *)j;

	if (n->file) {
		spend_journal_use(n->ledger->journal, n->file);
		log_warn("store",
		    "its journal's file was cut short, moved or removed: it is "
		    "made again, and all that was not folded is in it");
	} else {
		log_error("store",
		    "its journal's file was cut short, moved or removed, and "
		    "cannot be made again: %s; what is spent stands in memory "
		    "alone until it can",
		    n->why.text);
	}
	free(n);
}

/* Says once that it cannot be made; the loop, which writes it, takes it. */
static void
look_after_journal(struct ledger *l)
{
	struct new_file *n;

	if (!l->journal || spend_journal_is_there(l->journal)) {
		l->cannot_make = false;
		return;
	}
	n = xcalloc(1, sizeof *n);
	n->job.done = take_file;
	n->ledger = l;
	if (spend_journal_make_again(l->journal, &n->file, &n->why) != ERR_OK) {
		if (l->cannot_make) {
			free(n);
			return;
		}
		l->cannot_make = true;
	}
	worker_tell(l->writer, &n->job);
}

static void
look_for_work(void *arg)
{
	(void)fold_own(arg);
	look_after_journal(arg);
}

/* ---- the writer's thread: what cannot be done by memory alone */

static enum err
enter(struct ledger *l, struct ledger_ask *a)
{
	const char *journal =
	    l->journal ? spend_journal_name(l->journal) : NULL;
	size_t refused = 0;

	if (a->kind == JOB_FOLD)
		return ERR_OK;
	if (a->kind == JOB_SETTLE)
		return fold_record(l->book,
		    (struct slice){ a->record.data, a->record.len });
	if (a->kind == JOB_RETURN)
		return lease_return(l->book, journal, &a->wants[0].counter);
	a->verdict.e =
	    lease_grant(l->book, journal, a->wants, a->nwants, &refused);
	if (a->verdict.e == ERR_DENIED)
		a->verdict.refused = a->wants[refused].counter;
	if (a->verdict.e == ERR_OK && !journal)
		a->verdict.e = fold_record(l->book,
		    (struct slice){ a->record.data, a->record.len });
	return a->verdict.e == ERR_DENIED ? ERR_OK : a->verdict.e;
}

static bool
is_denied(const struct ledger_ask *a)
{
	return a->kind == JOB_ENTER && a->verdict.e == ERR_DENIED;
}

/* One transaction; *denied is how many found a counter full. */
static enum err
enter_list(struct ledger *l, struct worker_list *jobs, bool only_denied,
    size_t *denied)
{
	enum err e = store_begin(l->book);
	struct worker_job *j;

	*denied = 0;
	STAILQ_FOREACH(j, jobs, next)
	{
		struct ledger_ask *a = (struct ledger_ask *)j;

		if (e == ERR_OK && (!only_denied || is_denied(a)))
			e = enter(l, a);
		*denied += is_denied(a);
	}
	if (e == ERR_OK)
		e = store_commit(l->book);
	if (e != ERR_OK)
		store_rollback(l->book);
	return e;
}

/*
 * When anything fails nothing was entered.  Nobody is refused before what
 * others have in their journals is counted as what it did cost, and what the
 * dead had leased is given back.
 */
static void
enter_all(void *arg, struct worker_list *jobs)
{
	struct ledger *l = arg;
	enum err e = fold_own(l);
	const char *own = l->journal ? spend_journal_name(l->journal) : NULL;
	struct worker_job *j;
	struct why why;
	size_t denied = 0;

	if (e == ERR_OK)
		e = enter_list(l, jobs, false, &denied);
	if (e == ERR_OK && denied > 0)
		e = fold_others(l->book, store_conf(l->book)->path, own);
	if (e == ERR_OK && denied > 0)
		e = enter_list(l, jobs, true, &denied);
	if (e == ERR_OK)
		return;
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

	/* What cannot be folded now is missing from the answer, no more. */
	(void)fold_others(l->desk, store_conf(l->desk)->path, NULL);
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

const struct worker_ops ledger_writer = { enter_all, look_for_work, FOLD_MS };
const struct worker_ops ledger_clerk = { answer_all, look_for_keys, LOOK_MS };
