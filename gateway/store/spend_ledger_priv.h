/*
 * What the files of a ledger share.
 *
 *	spend_ledger.c          on the loop: entries, bills, leases; it begins
 *	                        and ends
 *	spend_ledger_threads.c  the writer's thread and the desk's
 */
#ifndef GATEWAY_SPEND_LEDGER_PRIV_H
#define GATEWAY_SPEND_LEDGER_PRIV_H

#include "gateway/store/budget_lease.h"
#include "gateway/store/spend_journal.h"
#include "gateway/store/spend_ledger.h"
#include "gateway/store/store_thread.h"

struct ledger {
	struct store *book, *desk; /* of the writer and of the desk */
	struct worker *writer, *clerk;
	struct spend_journal
	    *journal;               /* NULL: each commit waits for the disk */
	struct lease_table *leases; /* the loop's */
	struct keyring *keys;       /* the loop's */
	struct ledger_counts counts;
	struct worker_list unsettled; /* bills to be tried again */
	struct event *again, *sweep;
	struct buf scratch; /* a record */
	int64_t number;     /* of this gateway, among those of the store */
	uint64_t row_ms, row;
	bool is_failing;     /* the loop's; said once */
	bool is_kicked;      /* the loop's: a fold is asked for */
	bool cannot_fold;    /* the writer's; said once */
	bool cannot_make;    /* the same of the journal's file */
	int64_t seen;        /* the desk's: version of the last keys */
	uint64_t forgets_ms; /* the desk's */
};

enum job_kind { JOB_ENTER, JOB_SETTLE, JOB_RETURN, JOB_FOLD };

struct ledger_ask {
	struct worker_job job; /* first */
	enum job_kind kind;
	struct ledger *ledger;
	struct buf record; /* what is to be entered, or the bill */
	struct lease_want wants[BOOK_COUNTERS_MAX];
	size_t nwants;
	struct ledger_verdict verdict;
	struct why why;
	/* Of an entry, the loop's: who is told. */
	ledger_fn *tell;
	void *owner;
	int64_t nano;
	bool is_more;             /* its request was entered before */
	bool is_left;             /* the owner has gone */
	struct buf with, without; /* its bill, if this was entered and if not */
};

extern const struct worker_ops ledger_writer, ledger_clerk;

#endif
