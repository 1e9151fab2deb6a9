/*
 * The book and the keys, off the loop.  A request asks to be entered and goes
 * on when it is; one thread enters all that wait in one commit.  Another
 * thread answers people's questions and looks for changed keys, so that
 * neither waits for the other.
 *
 * When the store fails (locked, full, damaged, read-only), nothing goes on
 * that cannot be entered: refusing is dear, losing money is worse.  What could
 * not be settled is tried again, and stands as what it reserved until then.
 */
#ifndef GATEWAY_LEDGER_H
#define GATEWAY_LEDGER_H

#include "base/loop.h"
#include "gateway/store/keyring.h"
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
	enum err e; /* see book_reserve; ERR_TOOBIG: too many wait */
	int64_t id;
	struct book_counter refused;
};

typedef void ledger_fn(void *owner, const struct ledger_verdict *v);

/* *entry is copied.  Tells on the loop, later; what it returns is good for
 * ledger_leave until then. */
struct ledger_ask *ledger_reserve(struct ledger *l,
    const struct book_entry *entry, ledger_fn *tell, void *owner);
/* The owner goes and is told nothing: this is its bill, without what is being
 * entered, which is added if it is entered. */
void ledger_leave(struct ledger_ask *a, struct book_bill *bill);

/* Takes the bill, which was allocated, and what it owns. */
void ledger_settle(struct ledger *l, struct book_bill *bill);

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
