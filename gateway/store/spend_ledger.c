/*
 * The loop writes the journal and uses up leases, both by memory alone; what
 * needs the store goes to the writer's thread, which commits all that waits at
 * once.
 */
#include "gateway/store/spend_ledger_priv.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/mem.h"
#include "gateway/store/journal_fold.h"
#include "gateway/store/journal_record.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#define WAITING_MAX   16384
#define QUESTIONS_MAX 64
#define UNSETTLED_MAX 100000
#define AGAIN_S       1
#define SWEEP_S       1
#define CHECKED_PAGES 65536 /* at the start: a quarter of a gigabyte */
#define ROW_BITS      8     /* of a row within its millisecond and gateway */
#define NUMBER_MASK   0xfff

static struct slice
bytes_of(const struct buf *b)
{
	return (struct slice){ b->data, b->len };
}

/* ---- on the loop: how the store fares */

static void
note_state(struct ledger *l, enum err e, const char *why)
{
	bool fails = e != ERR_OK && e != ERR_DENIED;

	if (fails && !l->is_failing)
		log_error("store", "%s; requests are refused until it works",
		    e == ERR_TOOBIG ? "more is spent than the store takes in"
		                    : why);
	else if (!fails && l->is_failing)
		log_info("store", "it works again");
	l->is_failing = fails;
}

static struct ledger_ask *
new_ask(struct ledger *l, enum job_kind kind,
    void (*done)(struct worker_job *j))
{
	struct ledger_ask *a = xcalloc(1, sizeof *a);

	a->job.done = done;
	a->kind = kind;
	a->ledger = l;
	buf_init(&a->record, RECORD_BYTES_MAX);
	buf_init(&a->with, RECORD_BYTES_MAX);
	buf_init(&a->without, RECORD_BYTES_MAX);
	return a;
}

static void
free_ask(struct ledger_ask *a)
{
	buf_done(&a->record);
	buf_done(&a->with);
	buf_done(&a->without);
	free(a);
}

static void
on_folded(struct worker_job *j)
{
	struct ledger_ask *a = (struct ledger_ask *)j;

	a->ledger->is_kicked = false;
	free_ask(a);
}

/* The thread looks by itself, but this will not wait. */
static void
kick(struct ledger *l)
{
	struct ledger_ask *a;

	if (l->is_kicked)
		return;
	a = new_ask(l, JOB_FOLD, on_folded);
	if (worker_put(l->writer, &a->job, false) == ERR_OK)
		l->is_kicked = true;
	else
		free_ask(a);
}

static enum err
add_record(struct ledger *l, bool is_last)
{
	enum err e =
	    spend_journal_add(l->journal, bytes_of(&l->scratch), is_last);

	if (e != ERR_OK || spend_journal_is_crowded(l->journal))
		kick(l);
	return e;
}

/* ---- bills */

static void
settle_again(struct ledger *l, struct ledger_ask *a)
{
	if (l->counts.unsettled >= UNSETTLED_MAX) {
		l->counts.lost++;
		free_ask(a);
		return;
	}
	l->counts.unsettled++;
	STAILQ_INSERT_TAIL(&l->unsettled, &a->job, next);
	loop_arm(l->again, AGAIN_S * US_PER_S);
}

static void
on_settled(struct worker_job *j)
{
	struct ledger_ask *a = (struct ledger_ask *)j;

	note_state(a->ledger, a->verdict.e, a->why.text);
	if (a->verdict.e == ERR_OK)
		free_ask(a);
	else
		settle_again(a->ledger, a);
}

/* A bill that is written down already; takes it. */
static void
settle_written(struct ledger *l, struct ledger_ask *a)
{
	enum err e;

	if (!l->journal) {
		e = worker_put(l->writer, &a->job, true);
	} else {
		e = spend_journal_add(l->journal, bytes_of(&a->record), true);
		if (e == ERR_OK)
			free_ask(a);
		else
			kick(l);
	}
	if (e != ERR_OK)
		settle_again(l, a);
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
		settle_written(l, (struct ledger_ask *)j);
	}
}

/* Bodies that would fill the journal are the first to go. */
static void
write_bill(const struct ledger *l, const struct book_bill *bill, struct buf *b)
{
	struct book_bill plain;

	buf_clear(b);
	if (record_put_bill(b, bill) == ERR_OK &&
	    (!l->journal || b->len <= spend_journal_record_max(l->journal)))
		return;
	buf_clear(b);
	plain = *bill;
	plain.asked = plain.answered = NULL;
	(void)record_put_bill(b, &plain);
}

void
ledger_settle(struct ledger *l, const struct book_bill *bill)
{
	struct ledger_ask *a;

	if (l->journal) {
		write_bill(l, bill, &l->scratch);
		if (add_record(l, true) == ERR_OK)
			return;
	}
	a = new_ask(l, JOB_SETTLE, on_settled);
	write_bill(l, bill, &a->record);
	settle_written(l, a);
}

/* Its owner had gone before it was entered, or refused. */
static void
settle_left(struct ledger *l, const struct ledger_ask *left)
{
	bool is_entered = left->verdict.e == ERR_OK && !l->journal;
	const struct buf *bill = is_entered ? &left->with : &left->without;
	struct ledger_ask *a;

	if (bill->len == 0)
		return;
	a = new_ask(l, JOB_SETTLE, on_settled);
	(void)buf_add(&a->record, bill->data, bill->len);
	settle_written(l, a);
}

void
ledger_leave(struct ledger_ask *a, const struct book_bill *bill)
{
	struct book_bill with = *bill;

	a->is_left = true;
	if (a->is_more)
		write_bill(a->ledger, bill, &a->without);
	with.reserved += a->nano;
	for (size_t i = 0; i < with.counters.n; i++)
		if (with.counters.list[i].kind != BOOK_KEY_RATE)
			with.counters.list[i].amount -=
			    a->wants[i].counter.amount;
	write_bill(a->ledger, &with, &a->with);
}

/* ---- reservations */

/* Rows of two gateways differ by their numbers, and one's by their order. */
static int64_t
next_row(struct ledger *l, uint64_t now_ms)
{
	if (now_ms > l->row_ms) {
		l->row_ms = now_ms;
		l->row = 0;
	} else if (++l->row >> ROW_BITS) {
		l->row_ms++;
		l->row = 0;
	}
	return (int64_t)(l->row_ms << BOOK_ROW_BITS |
	    (uint64_t)(l->number & NUMBER_MASK) << ROW_BITS | l->row);
}

/* What the store has granted is there; now it is used, and written down. */
static void
enter_granted(struct ledger_ask *a)
{
	struct ledger *l = a->ledger;
	uint64_t now_ms = clock_mono_ms();

	for (size_t i = 0; i < a->nwants; i++) {
		const struct lease_want *w = &a->wants[i];
		bool uses = a->verdict.e == ERR_OK && !a->is_left;

		if (w->counter.limit != BOOK_NO_LIMIT)
			lease_put(l->leases, w, uses ? w->counter.amount : 0,
			    now_ms);
	}
	if (a->verdict.e != ERR_OK || a->is_left)
		return;
	a->verdict.e =
	    spend_journal_add(l->journal, bytes_of(&a->record), false);
	if (a->verdict.e != ERR_OK)
		kick(l);
}

static void
on_entered(struct worker_job *j)
{
	struct ledger_ask *a = (struct ledger_ask *)j;

	if (a->verdict.e != ERR_OK)
		for (size_t i = 0; i < a->nwants; i++)
			a->wants[i].grant = 0;
	if (a->ledger->journal)
		enter_granted(a);
	note_state(a->ledger, a->verdict.e, a->why.text);
	a->ledger->counts.refused +=
	    a->verdict.e != ERR_OK && a->verdict.e != ERR_DENIED;
	if (a->is_left)
		settle_left(a->ledger, a);
	else
		a->tell(a->owner, &a->verdict);
	free_ask(a);
}

/* By memory alone; false: the thread has to ask the store, or to make room in
 * the journal. */
static bool
enter_now(struct ledger *l, const struct book_entry *entry)
{
	if (!spend_journal_has_room(l->journal, RECORD_FIXED_MAX) ||
	    (!entry->is_more &&
	        !lease_use(l->leases, &entry->counters, clock_mono_ms())))
		return false;
	buf_clear(&l->scratch);
	(void)record_put_entry(&l->scratch, entry);
	(void)add_record(l, false);
	return true;
}

struct ledger_ask *
ledger_reserve(struct ledger *l, struct book_entry *entry,
    struct ledger_verdict *now, ledger_fn *tell, void *owner)
{
	struct ledger_ask *a;

	if (!entry->is_more)
		entry->id = next_row(l, entry->now_ms);
	*now = (struct ledger_verdict){ .id = entry->id };
	if (l->journal && enter_now(l, entry))
		return NULL;
	a = new_ask(l, JOB_ENTER, on_entered);
	a->tell = tell;
	a->owner = owner;
	a->verdict.id = entry->id;
	a->nano = entry->nano;
	a->is_more = entry->is_more;
	(void)record_put_entry(&a->record, entry);
	a->nwants = entry->counters.n;
	for (size_t i = 0; i < a->nwants; i++) {
		struct lease_want *w = &a->wants[i];

		w->counter = entry->counters.list[i];
		if (entry->is_more) /* judged already */
			w->counter.limit = BOOK_NO_LIMIT;
		else if (l->journal && w->counter.limit != BOOK_NO_LIMIT)
			lease_take(l->leases, w);
	}
	if (worker_put(l->writer, &a->job, false) != ERR_OK) {
		a->verdict.e = ERR_TOOBIG;
		worker_tell(l->writer, &a->job);
	}
	return a;
}

/* ---- leases that lie unused */

static void
on_returned(struct worker_job *j)
{
	struct ledger_ask *a = (struct ledger_ask *)j;

	if (a->verdict.e != ERR_OK) {
		a->wants[0].taken = a->wants[0].counter.amount;
		lease_put(a->ledger->leases, &a->wants[0], 0, clock_mono_ms());
	}
	free_ask(a);
}

static void
give_back(void *arg, const struct book_counter *c)
{
	struct ledger *l = arg;
	struct ledger_ask *a = new_ask(l, JOB_RETURN, on_returned);

	a->wants[0].counter = *c;
	if (worker_put(l->writer, &a->job, true) == ERR_OK)
		return;
	a->verdict.e = ERR_TOOBIG;
	worker_tell(l->writer, &a->job);
}

static void
on_sweep(evutil_socket_t fd, short what, void *arg)
{
	struct ledger *l = arg;

	(void)fd;
	(void)what;
	lease_sweep(l->leases, clock_mono_ms(), give_back, l);
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

/* A number of its own, and what earlier ones have left in their journals. */
static enum err
begin_journal(struct ledger *l, const struct store_conf *conf, struct why *why)
{
	char drawn[24];
	const char *name = drawn;
	uint64_t random;
	enum err e;

	digest_random(&random, sizeof random);
	snprintf(drawn, sizeof drawn, "full-%llx", (unsigned long long)random);

	if (!conf->is_synced) {
		e = spend_journal_new(conf->path, conf->journal_bytes,
		    &l->journal, why);
		if (e != ERR_OK)
			return e;
		name = spend_journal_name(l->journal);
	}
	e = fold_register(l->book, name, &l->number);
	if (e == ERR_OK && !l->journal)
		e = fold_forget(l->book, name);
	if (e == ERR_OK)
		e = fold_others(l->book, conf->path, name);
	return e == ERR_OK ? e : store_why(l->book, why);
}

static enum err
open_all(struct ledger *l, const struct store_conf *conf, struct why *why)
{
	enum err e = store_open(conf, STORE_MAKE, &l->book, why);

	if (e == ERR_OK)
		e = store_open(conf, STORE_MAKE, &l->desk, why);
	/* Later it would be money that nobody counts. */
	if (e == ERR_OK)
		e = store_check(l->desk, CHECKED_PAGES, why);
	if (e == ERR_OK)
		e = begin_journal(l, store_conf(l->book), why);
	if (e == ERR_OK && (e = keyring_read(l->desk, &l->keys)) != ERR_OK)
		e = store_why(l->desk, why);
	return e;
}

static void
start_sweep(struct ledger *l, struct loop *loop)
{
	l->sweep = event_new(loop_base(loop), -1, EV_PERSIST, on_sweep, l);
	loop_arm(l->sweep, SWEEP_S * US_PER_S);
}

enum err
ledger_new(struct loop *loop, const struct store_conf *conf,
    struct ledger **ret, struct why *why)
{
	struct ledger *l = xcalloc(1, sizeof *l);
	enum err e;

	STAILQ_INIT(&l->unsettled);
	buf_init(&l->scratch, RECORD_BYTES_MAX);
	if ((e = open_all(l, conf, why)) != ERR_OK) {
		if (l->journal)
			spend_journal_remove(l->journal);
		spend_journal_free(l->journal);
		store_close(l->book);
		store_close(l->desk);
		free(l);
		return e;
	}
	l->leases = lease_table_new();
	l->seen = keyring_version(l->keys);
	l->again = evtimer_new(loop_base(loop), on_again, l);
	start_sweep(l, loop);
	l->writer = worker_new(loop, WAITING_MAX, &ledger_writer, l);
	l->clerk = worker_new(loop, QUESTIONS_MAX, &ledger_clerk, l);
	*ret = l;
	return ERR_OK;
}

/* What cannot be folded now stays, and the next who opens the store does it. */
static void
end_journal(struct ledger *l)
{
	bool is_damaged;

	if (!l->journal)
		return;
	if (fold_journal(l->book, l->journal, &is_damaged) == ERR_OK) {
		spend_journal_remove(l->journal);
		(void)fold_forget(l->book, spend_journal_name(l->journal));
	}
	spend_journal_free(l->journal);
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
	end_journal(l);
	event_free(l->again);
	event_free(l->sweep);
	lease_table_free(l->leases);
	buf_done(&l->scratch);
	keyring_unref(l->keys);
	store_close(l->book);
	store_close(l->desk);
	free(l);
}
