/*
 * What is durable when.  What a request may cost stands in a journal first
 * (spend_journal.h), unless each commit is to reach the disk.  The file is in
 * WAL mode: a commit is one write(2) to the log beside it, and a second gateway
 * reads while the first writes.
 *
 * synchronous=NORMAL does not wait for the disk at a commit.  What was written
 * belongs to the system then, so kill -9 of the gateway at any time loses
 * nothing; a power cut can lose the last commits (some seconds), never damage
 * the file.  `sync: full` waits for the disk each time and loses none then
 * either, at the price of a disk's flush, some milliseconds, before a request
 * goes on.
 *
 * Another writer is waited for, at most BUSY_MS; who waits longer is told that
 * the file is locked, and refuses.
 */
#include "gateway/store/store.h"

#include "base/digest.h"
#include "base/mem.h"
#include "gateway/store/store_file.h"
#include "gateway/text/jput.h"
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUSY_MS        2000
#define BUSY_STEP_US   20000
#define STATEMENTS_MAX 48
#define APPLICATION_ID "1801872247" /* "kfgw" */
#define VERSION        4
#define GONE           SQLITE_NOTFOUND /* which SQLite says of nothing here */

struct store {
	struct store_conf conf;
	char *path; /* as it was named; owned */
	char *real; /* what stands beside it is found by this; owned */
	sqlite3 *db;
	int failed;       /* SQLite's code of the last failure */
	int failed_errno; /* the system's, where it was one; else 0 */
	struct {
		const char *sql;
		sqlite3_stmt *stmt;
	} cache[STATEMENTS_MAX];
	size_t ncache;
};

/*
 * journals says how far each is folded, leases what of a budget a gateway
 * holds.  Requests are found by time: their row is the millisecond and a number
 * within it, so that a new one is always appended and no index is kept but
 * the table itself.  Those of a busy gateway stand in segments, many in a row.
 *
 * spend holds what open requests have reserved, too: whatever ends a gateway,
 * nothing has to be repaired.
 */
static const char schema[] =
    "CREATE TABLE IF NOT EXISTS keys(id INTEGER PRIMARY KEY, name TEXT NOT "
    "NULL UNIQUE,"
    " digest BLOB NOT NULL UNIQUE, subject TEXT NOT NULL, models TEXT, rate "
    "INTEGER NOT NULL,"
    " budget INTEGER NOT NULL, per INTEGER NOT NULL, created INTEGER NOT NULL,"
    " expires INTEGER NOT NULL, revoked INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS counters(kind INTEGER, id INTEGER, span "
    "INTEGER NOT NULL,"
    " used INTEGER NOT NULL, PRIMARY KEY(kind, id)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS requests(id INTEGER PRIMARY KEY, request TEXT "
    "NOT NULL,"
    " key TEXT NOT NULL, model TEXT NOT NULL, target TEXT NOT NULL, status "
    "INTEGER NOT NULL,"
    " outcome TEXT, tokens_in INTEGER, tokens_out INTEGER, reserved INTEGER "
    "NOT NULL,"
    " cost INTEGER, estimated INTEGER, ms INTEGER, attempts TEXT, asked TEXT, "
    "answered TEXT);"
    "CREATE TABLE IF NOT EXISTS segments(id INTEGER PRIMARY KEY, first INTEGER "
    "NOT NULL,"
    " last INTEGER NOT NULL, rows BLOB NOT NULL);"
    "CREATE INDEX IF NOT EXISTS segments_by_last ON segments(last);"
    "CREATE TABLE IF NOT EXISTS spend(day INTEGER, key TEXT, model TEXT, "
    "requests INTEGER NOT NULL,"
    " tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cost INTEGER "
    "NOT NULL,"
    " PRIMARY KEY(day, key, model)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS journals(id INTEGER PRIMARY KEY "
    "AUTOINCREMENT, name TEXT NOT NULL UNIQUE, folded INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS leases(kind INTEGER, id INTEGER, journal TEXT, "
    "span INTEGER NOT NULL,"
    " amount INTEGER NOT NULL, PRIMARY KEY(kind, id, journal)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS meta(one INTEGER PRIMARY KEY CHECK(one = 1), "
    "keys_version INTEGER NOT NULL);"
    "INSERT OR IGNORE INTO meta VALUES(1, 0);"
    "PRAGMA application_id = " APPLICATION_ID ";"
    "PRAGMA user_version = 4";

/* ---- failures */

static const struct {
	int code;
	const char *phrase;
} phrases[] = {
	{ SQLITE_BUSY, "another program has locked it" },
	{ SQLITE_LOCKED, "another program has locked it" },
	{ SQLITE_FULL, "the disk is full" },
	{ SQLITE_READONLY, "it may not be written" },
	{ SQLITE_PERM, "it may not be written" },
	{ SQLITE_CORRUPT, "it is damaged" },
	/* What we ask is ours alone: a table is no longer what we made of it. */
	{ SQLITE_ERROR, "it is damaged" },
	{ SQLITE_NOTADB, "it is damaged, or no store" },
	{ GONE, "it was moved or deleted" },
	{ SQLITE_CANTOPEN, "it cannot be opened" },
	{ SQLITE_IOERR, "it cannot be read or written" },
};

/* What is written into a file without a name ends with this process, and SQLite
 * looks for that only where it has no log beside it. */
static bool
is_gone(const struct store *s)
{
	int has_moved = 0;

	return sqlite3_file_control(s->db, "main", SQLITE_FCNTL_HAS_MOVED,
	           &has_moved) == SQLITE_OK &&
	    has_moved;
}

/* Of a file that is gone SQLite says whatever it stumbles over. */
static enum err
failed(struct store *s, int code)
{
	s->failed = is_gone(s) ? GONE : code & 0xff;
	s->failed_errno =
	    s->failed == SQLITE_CANTOPEN || s->failed == SQLITE_IOERR
	    ? sqlite3_system_errno(s->db)
	    : 0;
	return ERR_ENV;
}

enum err
store_why(struct store *s, struct why *why)
{
	for (size_t i = 0; i < COUNT(phrases); i++)
		if (phrases[i].code == s->failed)
			return why_set(why, ERR_ENV, "the store %s: %s%s%s",
			    s->path, phrases[i].phrase,
			    s->failed_errno ? ": " : "",
			    s->failed_errno ? strerror(s->failed_errno) : "");
	return why_set(why, ERR_ENV, "the store %s: %s", s->path,
	    sqlite3_errstr(s->failed));
}

/* ---- statements */

static enum err
find_statement(struct store *s, const char *sql, sqlite3_stmt **ret)
{
	int rc;

	for (size_t i = 0; i < s->ncache; i++)
		if (s->cache[i].sql == sql) {
			*ret = s->cache[i].stmt;
			return ERR_OK;
		}
	if (s->ncache == STATEMENTS_MAX)
		return failed(s, SQLITE_FULL);
	rc = sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, ret,
	    NULL);
	if (rc != SQLITE_OK)
		return failed(s, rc);
	s->cache[s->ncache].sql = sql;
	s->cache[s->ncache++].stmt = *ret;
	return ERR_OK;
}

static void
bind_slice(sqlite3_stmt *stmt, int i, struct slice bytes)
{
	sqlite3_bind_blob64(stmt, i, bytes.p, bytes.n, SQLITE_STATIC);
}

/* The arguments outlive the statement's run, so nothing is copied. */
static void
bind(sqlite3_stmt *stmt, const char *types, va_list ap)
{
	for (int i = 1; *types; types++, i++) {
		if (*types == 'i')
			sqlite3_bind_int64(stmt, i, va_arg(ap, int64_t));
		else if (*types == 't')
			sqlite3_bind_text(stmt, i, va_arg(ap, const char *), -1,
			    SQLITE_STATIC);
		else if (*types == 's')
			bind_slice(stmt, i, va_arg(ap, struct slice));
		else
			sqlite3_bind_blob(stmt, i, va_arg(ap, const void *),
			    DIGEST_BYTES, SQLITE_STATIC);
	}
}

/* false: no more. */
typedef bool row_fn(sqlite3_stmt *stmt, void *arg);

/* Runs it to its end; each row is told. */
static enum err
run(struct store *s, row_fn *on_row, void *arg, const char *sql,
    const char *types, va_list ap)
{
	sqlite3_stmt *stmt;
	enum err e = find_statement(s, sql, &stmt);
	int rc;

	if (e != ERR_OK)
		return e;
	bind(stmt, types, ap);
	while ((rc = sqlite3_step(stmt)) == SQLITE_ROW)
		if (on_row && !on_row(stmt, arg)) {
			rc = SQLITE_DONE;
			break;
		}
	sqlite3_reset(stmt);
	sqlite3_clear_bindings(stmt);
	return rc == SQLITE_DONE ? ERR_OK : failed(s, rc);
}

enum err
store_do(struct store *s, const char *sql, const char *types, ...)
{
	va_list ap;
	enum err e;

	va_start(ap, types);
	e = run(s, NULL, NULL, sql, types, ap);
	va_end(ap);
	return e;
}

bool
store_has_changed(const struct store *s)
{
	return sqlite3_changes(s->db) > 0;
}

struct first {
	int64_t value;
	bool is_there;
};

static bool
keep_first(sqlite3_stmt *stmt, void *arg)
{
	struct first *f = arg;

	if (!f->is_there)
		f->value = sqlite3_column_int64(stmt, 0);
	f->is_there = true;
	return true;
}

enum err
store_int(struct store *s, int64_t *ret, const char *sql, const char *types,
    ...)
{
	struct first f = { 0, false };
	va_list ap;
	enum err e;

	va_start(ap, types);
	e = run(s, keep_first, &f, sql, types, ap);
	va_end(ap);
	if (e != ERR_OK)
		return e;
	if (!f.is_there)
		return ERR_NOTFOUND;
	*ret = f.value;
	return ERR_OK;
}

/* ---- rows as JSON */

static void
put_dollars(struct buf *b, const char *name, int64_t nano)
{
	uint64_t whole = nano < 0 ? (uint64_t)-nano : (uint64_t)nano;

	jput_put_name(b, slice_of(name));
	buf_addf(b, "%s%llu.%09llu", nano < 0 ? "-" : "",
	    (unsigned long long)(whole / 1000000000),
	    (unsigned long long)(whole % 1000000000));
}

static void
put_column(struct buf *b, sqlite3_stmt *stmt, int i)
{
	const char *name = sqlite3_column_name(stmt, i);
	const char *text = (const char *)sqlite3_column_text(stmt, i);
	struct slice said = slice_of(name);
	char shown[64];
	int n = (int)said.n;

	if (slice_ends(said, "_nano") && text) {
		snprintf(shown, sizeof shown, "%.*susd", n - 4, name);
		put_dollars(b, shown, sqlite3_column_int64(stmt, i));
		return;
	}
	if (slice_ends(said, "_nano") || slice_ends(said, "_json"))
		n -= 5;
	snprintf(shown, sizeof shown, "%.*s%s", n, name,
	    slice_ends(said, "_nano") ? "_usd" : "");
	jput_put_name(b, slice_of(shown));
	if (!text)
		buf_adds(b, "null");
	else if (slice_ends(said, "_json") ||
	    sqlite3_column_type(stmt, i) == SQLITE_INTEGER)
		buf_adds(b, text);
	else
		jput_string(b,
		    (struct slice){ text,
		        (size_t)sqlite3_column_bytes(stmt, i) });
}

static bool
put_row(sqlite3_stmt *stmt, void *arg)
{
	struct buf *b = arg;

	buf_adds(b, b->len > 0 && b->data[b->len - 1] == '}' ? ",{" : "{");
	for (int i = 0; i < sqlite3_column_count(stmt); i++)
		put_column(b, stmt, i);
	buf_addc(b, '}');
	return true;
}

enum err
store_rows(struct store *s, struct buf *out, const char *sql, const char *types,
    ...)
{
	va_list ap;
	enum err e;

	va_start(ap, types);
	e = run(s, put_row, out, sql, types, ap);
	va_end(ap);
	return e;
}

struct blobs {
	store_blob_fn *fn;
	void *arg;
};

static bool
tell_blob(sqlite3_stmt *stmt, void *arg)
{
	const struct blobs *b = arg;
	const char *bytes = sqlite3_column_blob(stmt, 1);

	return b->fn(b->arg, sqlite3_column_int64(stmt, 0),
	    (struct slice){ bytes, (size_t)sqlite3_column_bytes(stmt, 1) });
}

enum err
store_blobs(struct store *s, store_blob_fn *fn, void *arg, const char *sql,
    const char *types, ...)
{
	struct blobs b = { fn, arg };
	va_list ap;
	enum err e;

	va_start(ap, types);
	e = run(s, tell_blob, &b, sql, types, ap);
	va_end(ap);
	return e;
}

/* ---- all or nothing */

enum err
store_begin(struct store *s)
{
	if (is_gone(s))
		return failed(s, GONE);
	return store_do(s, "BEGIN IMMEDIATE", "");
}

enum err
store_commit(struct store *s)
{
	return store_do(s, "COMMIT", "");
}

void
store_rollback(struct store *s)
{
	int code = s->failed;

	if (!sqlite3_get_autocommit(s->db))
		(void)store_do(s, "ROLLBACK", "");
	s->failed = code;
}

/* ---- opening */

static enum err
execute(struct store *s, const char *sql)
{
	int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? ERR_OK : failed(s, rc);
}

/* Ours, empty, or somebody else's? */
static enum err
check_owner(struct store *s, struct why *why)
{
	int64_t id, version, tables;

	if (store_int(s, &id, "PRAGMA application_id", "") != ERR_OK ||
	    store_int(s, &version, "PRAGMA user_version", "") != ERR_OK ||
	    store_int(s, &tables, "SELECT count(*) FROM sqlite_schema", "") !=
	        ERR_OK)
		return store_why(s, why);
	if (id != strtol(APPLICATION_ID, NULL, 10) && (id || tables))
		return why_set(why, ERR_SYNTAX,
		    "the store %s is another program's database", s->path);
	if (version > VERSION)
		return why_set(why, ERR_SYNTAX,
		    "the store %s was made by a newer kf-gateway", s->path);
	return ERR_OK;
}

/* Two gateways may make the same file: the second waits and finds it done. */
static enum err
make_tables(struct store *s)
{
	enum err e = store_begin(s);

	if (e == ERR_OK)
		e = execute(s, schema);
	if (e == ERR_OK)
		e = store_commit(s);
	if (e != ERR_OK)
		store_rollback(s);
	return e;
}

/* Here SQLite waits for nobody, though another gateway may be opening it. */
static enum err
use_wal(struct store *s)
{
	enum err e;

	for (int left = BUSY_MS * 1000 / BUSY_STEP_US;; left--) {
		e = execute(s, "PRAGMA journal_mode = WAL");
		if (e == ERR_OK || s->failed != SQLITE_BUSY || left == 0)
			return e;
		usleep(BUSY_STEP_US);
	}
}

static enum err
prepare(struct store *s, enum store_mode mode, struct why *why)
{
	int64_t version;
	enum err e;

	sqlite3_busy_timeout(s->db, BUSY_MS);
	sqlite3_extended_result_codes(s->db, 1);
	if ((e = check_owner(s, why)) != ERR_OK)
		return e;
	if (execute(s,
	        s->conf.is_synced ? "PRAGMA synchronous = FULL"
	                          : "PRAGMA synchronous = NORMAL") != ERR_OK ||
	    execute(s, "PRAGMA trusted_schema = OFF") != ERR_OK ||
	    use_wal(s) != ERR_OK)
		return store_why(s, why);
	if (store_int(s, &version, "PRAGMA user_version", "") != ERR_OK)
		return store_why(s, why);
	if (version == VERSION)
		return ERR_OK;
	if (mode == STORE_USE && version == 0)
		return why_set(why, ERR_SYNTAX, "the store %s is empty",
		    s->path);
	return make_tables(s) == ERR_OK ? ERR_OK : store_why(s, why);
}

enum err
store_check(struct store *s, int64_t pages_max, struct why *why)
{
	int64_t damages, pages;

	if (store_int(s, &pages, "PRAGMA page_count", "") != ERR_OK)
		return store_why(s, why);
	if (pages_max && pages > pages_max)
		return ERR_OK;
	/* One is enough.  Not as its argument: since SQLite 3.46 that is a
	 * table's name, even if it is a number. */
	if (store_int(s, &damages,
	        "SELECT count(*) FROM (SELECT 1 FROM pragma_quick_check "
	        "WHERE quick_check <> 'ok' LIMIT 1)",
	        "") != ERR_OK)
		return store_why(s, why);
	if (damages == 0)
		return ERR_OK;
	(void)failed(s, SQLITE_CORRUPT);
	return store_why(s, why);
}

enum err
store_open(const struct store_conf *conf, enum store_mode mode,
    struct store **ret, struct why *why)
{
	struct store *s;
	char *real;
	enum err e;
	int rc;

	if (mode == STORE_USE && access(conf->path, F_OK) != 0)
		return why_set(why, ERR_NOTFOUND, "the store %s: %s",
		    conf->path, strerror(errno));
	if ((e = store_file_make(conf->path, &real, why)) != ERR_OK)
		return e;
	/* Two threads would meet in a lock of SQLite's that only counts bytes;
	 * once SQLite is at work this is refused and changes nothing. */
	sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
	s = xcalloc(1, sizeof *s);
	s->conf = *conf;
	s->path = xstrdup(conf->path);
	s->conf.path = s->real = real;
	rc = sqlite3_open_v2(s->real, &s->db,
	    SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	if (rc != SQLITE_OK) {
		(void)failed(s, rc);
		e = store_why(s, why);
	} else {
		e = prepare(s, mode, why);
	}
	if (e == ERR_OK)
		*ret = s;
	else
		store_close(s);
	return e;
}

void
store_close(struct store *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->ncache; i++)
		sqlite3_finalize(s->cache[i].stmt);
	sqlite3_close(s->db);
	free(s->path);
	free(s->real);
	free(s);
}

const struct store_conf *
store_conf(const struct store *s)
{
	return &s->conf;
}
