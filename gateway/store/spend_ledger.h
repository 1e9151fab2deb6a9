/*
 * The book and the keys, off the loop.  A request asks to be entered and goes
 * on when it is: at once, by its journal, where its key's budget is leased;
 * else when a thread has asked the store.  The same thread folds the journal
 * into the store.  Another answers people's questions and looks for changed
 * keys, so that neither waits for the other.
 *
 * A store that is `sync: full` has no journal: everything waits for the disk.
 *
 * Nothing goes on that cannot be entered: refusing is dear, losing money is
 * worse.  While the store fails (locked, full, damaged, read-only), the journal
 * takes what needs no new lease, as long as it has room.  What could not be
 * settled is tried again, and stands as what it reserved until then.
 */
#ifndef GATEWAY_SPEND_LEDGER_H
#define GATEWAY_SPEND_LEDGER_H

#include "base/loop.h"
#include "gateway/store/client_keyring.h"
#include "gateway/store/spend_book.h"

struct ledger;
struct ledger_ask;

/* Opens (and makes) the store; its keys are there when this returns. */
enum err ledger_new(struct loop *l, const struct store_conf *conf,
    struct ledger **ret, struct why *why);
/* Settles what waits; NULL-safe. */
void ledger_free(struct ledger *l);

/* The keys as they are now; NULL-safe. */
struct keyring *ledger_keys(const struct ledger *l);
const struct store_conf *ledger_conf(const struct ledger *l);

struct ledger_counts {
	uint64_t refused;   /* requests that could not be entered */
	uint64_t unsettled; /* bills that wait for a store that fails */
	uint64_t lost;      /* bills dropped: these stand as reserved */
};
struct ledger_counts ledger_counts(const struct ledger *l);

/* ---- a request's way */

struct ledger_verdict {
	/* ERR_DENIED: a counter is full.  Others: the store failed, or too many
	 * wait. */
	enum err e;
	int64_t id;
	struct book_counter refused;
};

typedef void ledger_fn(void *owner, const struct ledger_verdict *v);

/*
 * Enters what an attempt may cost; nothing of *entry is kept.  NULL: *now is
 * the verdict.  Else it is told later, on the loop, and what is returned is
 * good for ledger_leave until then.
 */
struct ledger_ask *ledger_reserve(struct ledger *l, struct book_entry *entry,
    struct ledger_verdict *now, ledger_fn *tell, void *owner);
/* The owner goes and is told nothing: this is its bill, without what is being
 * entered, which is added if it is entered.  Nothing of it is kept. */
void ledger_leave(struct ledger_ask *a, const struct book_bill *bill);

/* Nothing of *bill is kept. */
void ledger_settle(struct ledger *l, const struct book_bill *bill);

/* ---- people's questions */

/* In a thread of its own, with a connection of its own; *out is what the
 * asker is told. */
typedef enum err ledger_desk_fn(struct store *s, void *question,
    struct buf *out, struct why *why);
typedef void ledger_told_fn(void *question, enum err e, const struct buf *out,
    const struct why *why);

/* question belongs to told, which is always called, on the loop. */
void ledger_ask(struct ledger *l, ledger_desk_fn *work, ledger_told_fn *told,
    void *question);

#endif
