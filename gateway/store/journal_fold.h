/*
 * From journals into the store: a batch of records in one transaction, with
 * the offset up to which the journal is folded, so that each record counts
 * once whoever folds it and whenever anybody is killed.
 *
 * Anybody may fold any journal: a gateway its own every moment, who asks for
 * spend all of them first, and whoever finds one whose owner has gone folds
 * and removes it, and gives its leases back.
 */
#ifndef GATEWAY_JOURNAL_FOLD_H
#define GATEWAY_JOURNAL_FOLD_H

#include "gateway/store/spend_journal.h"
#include "gateway/store/store.h"

/* A new journal is known from here on; *number differs from that of all
 * others. */
enum err fold_register(struct store *s, const char *journal, int64_t *number);
/* It is folded and its owner goes: its leases too. */
enum err fold_forget(struct store *s, const char *journal);

/* ERR_NOTFOUND: the store knows no such journal, or it is damaged under an
 * owner who lives and has it whole; nothing is folded.
 * *is_damaged: some of it could not be read and is lost. */
enum err fold_journal(struct store *s, struct spend_journal *j,
    bool *is_damaged);

/* All journals but that one (NULL: all); those of the dead are removed.  The
 * first failure ends it. */
enum err fold_others(struct store *s, const char *store_path, const char *own);

/* One record without a journal, within the caller's transaction. */
enum err fold_record(struct store *s, struct slice record);

#endif
