/*
 * What a gateway has promised to count and not yet put into the store: a file
 * beside it, STORE.spend-ID, that the gateway writes into by memory alone.
 * Bytes in a shared mapping are the system's, so kill -9 at any moment loses
 * none of them; what a request costs is there before an upstream hears of it,
 * and no system call was made for it.
 *
 * A ring of records under offsets that only grow.  The owner adds at the end
 * and overwrites what has been folded; anybody who has the store open may read
 * from the offset that the store says (journal_fold.h).  The owner holds a lock
 * on the file as long as it lives: who gets that lock knows that it is dead.
 *
 * The file is allocated at once, so a full disk is said at the start and never
 * met in the midst; one that is cut short or removed under its owner is made
 * again from what the owner has in memory.  A power cut may leave any of its pages behind: each record
 * has a check, over its offset too.
 */
#ifndef GATEWAY_SPEND_JOURNAL_H
#define GATEWAY_SPEND_JOURNAL_H

#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spend_journal;
struct spend_journal_file;

/* One of our own, for its owner's eyes only.  ERR_ENV. */
enum err spend_journal_new(const char *store_path, size_t bytes,
    struct spend_journal **ret, struct why *why);
/* Whether its file is still what was made; if not, another one is made in its
 * place (ERR_ENV: it cannot be), which spend_journal_use takes.  The first two
 * belong to one thread, the last one to that which adds records. */
bool spend_journal_is_there(const struct spend_journal *j);
enum err spend_journal_make_again(struct spend_journal *j,
    struct spend_journal_file **ret, struct why *why);
void spend_journal_use(struct spend_journal *j, struct spend_journal_file *f);
/* Somebody's, by its name, to be read.  ERR_NOTFOUND: it has gone, or is none.
 */
enum err spend_journal_open(const char *store_path, const char *name,
    struct spend_journal **ret);
/* The file stays unless it is removed; NULL-safe. */
void spend_journal_free(struct spend_journal *j);
void spend_journal_remove(struct spend_journal *j);

/* The part of its file's name behind ".spend-". */
const char *spend_journal_name(const struct spend_journal *j);
bool spend_journal_is_own(const struct spend_journal *j);
/* Its owner has gone, and this process holds the lock now. */
bool spend_journal_is_dead(const struct spend_journal *j);

/* The owner's: ERR_TOOBIG when there is no room, and nothing is written.
 * is_last: may use the room that is kept for the ends of what has begun. */
enum err spend_journal_add(struct spend_journal *j, struct slice record,
    bool is_last);

/* Everything before this is folded; from any thread. */
void spend_journal_set_folded(struct spend_journal *j, uint64_t offset);
uint64_t spend_journal_end(const struct spend_journal *j);
bool spend_journal_is_folded(const struct spend_journal *j);
/* There is room for a record of so many bytes that is not the last. */
bool spend_journal_has_room(const struct spend_journal *j, size_t n);
/* The longest record that it takes. */
size_t spend_journal_record_max(const struct spend_journal *j);
/* More than half of it waits to be folded. */
bool spend_journal_is_crowded(const struct spend_journal *j);

/* The record at *at, which is moved behind it; false: there is none before
 * end, or what is there is damaged (then *at stands before end). */
bool spend_journal_next(const struct spend_journal *j, uint64_t *at,
    uint64_t end, struct slice *ret);

/* Calls fn for each journal of that store.  ERR_ENV: its folder is not to be
 * read. */
typedef void spend_journal_fn(void *arg, const char *name);
enum err spend_journal_each(const char *store_path, spend_journal_fn *fn,
    void *arg);

#endif
