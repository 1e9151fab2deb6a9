/*
 * What a gateway may let in without asking the store: a share of what is left
 * of a budget, or of a key's requests a minute, that the store holds for it in
 * a row of its own and all others take for spent.
 *
 * A lease is a sixty-fourth of what is left and at least what is asked for
 * now, so that near its end a budget is judged request by request.  What lies
 * unused for a second is given back; a dead gateway's is given back with its
 * journal.  Counters without a limit need none.
 */
#ifndef GATEWAY_BUDGET_LEASE_H
#define GATEWAY_BUDGET_LEASE_H

#include "gateway/store/spend_book.h"

#define LEASE_IDLE_MS 1000

/* ---- in the store, within a transaction */

/* What one request needs of one counter. */
struct lease_want {
	struct book_counter counter;
	int64_t taken; /* what was left of the gateway's own lease */
	bool is_alone; /* nobody else asks for more: a share is leased */
	int64_t grant; /* what was added to it */
};

/* ERR_DENIED: *refused is the index of the counter that is full, and nothing
 * is granted.  journal NULL: judged alone, nothing is held. */
enum err lease_grant(struct store *s, const char *journal,
    struct lease_want *wants, size_t n, size_t *refused);
enum err lease_return(struct store *s, const char *journal,
    const struct book_counter *c);

/* ---- in memory, on the loop */

struct lease_table;

struct lease_table *lease_table_new(void);
void lease_table_free(struct lease_table *t);

/* Uses of each lease what the counters say; false: one has no room for that,
 * and nothing is used. */
bool lease_use(struct lease_table *t, const struct book_counters *all,
    uint64_t now_ms);
/* What is left of it, which is nobody's from now on until it is put back. */
void lease_take(struct lease_table *t, struct lease_want *w);
/* What was taken and granted, but for what is used of it. */
void lease_put(struct lease_table *t, const struct lease_want *w, int64_t used,
    uint64_t now_ms);

/* Forgets those that were not used lately; tells of each what was left, in
 * amount. */
typedef void lease_fn(void *arg, const struct book_counter *c);
void lease_sweep(struct lease_table *t, uint64_t now_ms, lease_fn *fn,
    void *arg);

#endif
