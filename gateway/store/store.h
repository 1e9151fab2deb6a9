/*
 * One connection to the file that outlives the gateway: keys that were handed
 * out, what was spent, and the requests.  SQLite, because two gateways and a
 * person with a shell share it.
 *
 * A connection belongs to one thread.  What a statement's arguments are is
 * said by letters: i an int64_t, t a text (NULL: null), b 32 bytes, s a slice
 * of bytes.
 */
#ifndef GATEWAY_STORE_H
#define GATEWAY_STORE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/slice.h"
#include <stdbool.h>
#include <stdint.h>

struct store;

struct store_conf {
	/* Of an open store it is the file's real path, without links. */
	const char *path;
	bool is_synced;    /* wait for the disk at each commit, not only for
	                    * the system */
	int64_t keep_days; /* of the list of requests; 0: for ever */
	size_t journal_bytes;
};

enum store_mode {
	STORE_MAKE, /* made when it is not there, for its owner only */
	STORE_USE,  /* must be there */
};

/*
 * ERR_NOTFOUND  there is none (STORE_USE)
 * ERR_SYNTAX    that is no store, or a newer program's, or has two names
 * ERR_ENV       it cannot be opened, read or written
 */
enum err store_open(const struct store_conf *conf, enum store_mode mode,
    struct store **ret, struct why *why);
void store_close(struct store *s); /* NULL-safe */
/* It could be made there. */
bool store_has_folder(const char *path, struct why *why);
const struct store_conf *store_conf(const struct store *s);

/* sql is a literal: it is prepared once and found by its address. */
enum err store_do(struct store *s, const char *sql, const char *types, ...);
/* Whether the last store_do changed a row. */
bool store_has_changed(const struct store *s);
/* The first column of the first row; ERR_NOTFOUND: there is no row. */
enum err store_int(struct store *s, int64_t *ret, const char *sql,
    const char *types, ...);
/* A number and bytes of every row, until fn says false. */
typedef bool store_blob_fn(void *arg, int64_t number, struct slice bytes);
enum err store_blobs(struct store *s, store_blob_fn *fn, void *arg,
    const char *sql, const char *types, ...);
/*
 * Every row as an object of JSON, with commas between; a column's name says
 * what it is: X_nano becomes dollars as X_usd, X_json stands as it is, as X.
 */
enum err store_rows(struct store *s, struct buf *out, const char *sql,
    const char *types, ...);

/* Reads all pages, unless they are more than pages_max (0: however many).
 * ERR_ENV: one of them is damaged, which opening it need not find. */
enum err store_check(struct store *s, int64_t pages_max, struct why *why);
/* What the last failure was, in one line that names the file. */
enum err store_why(struct store *s, struct why *why);

/* Everything between is in force together; store_commit may fail, and then
 * nothing is.  store_rollback is right after any failure. */
enum err store_begin(struct store *s);
enum err store_commit(struct store *s);
void store_rollback(struct store *s);

#endif
