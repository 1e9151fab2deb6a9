/*
 * A hash-chained journal: one JSON object a line, keys sorted, each line
 * carrying `seq` (from 1), `prev` (hash of the line before, 64 zeros at the
 * start) and `hash`.
 *
 *	hash[i] = SHA-256( prev as 64 hex digits || body[i] )
 *
 * where body is the compact, key-sorted JSON of the record without `prev`,
 * `hash` and `wall`.  Wall times stand outside the hash on purpose: two runs
 * of one seed have equal hashes.  Anybody can check a chain with jq and
 * sha256sum; docs/journal.md shows how.
 *
 * The journal is append-only.  A crash loses at most the line in flight: a
 * torn last line is detected when the file is opened again, and cut.
 *
 * A chain alone cannot tell a file whose last lines were cut off from one that
 * is shorter.  So a writer that is done ends its journal with a line
 *
 *	{"closed":N, "seq":..., "prev":..., "hash":...}
 *
 * where N is the number of records before it; `ended` beside it says in a word
 * why, where that was before its time.  It is a link of the chain but
 * no record: it is not shown to who reads the records and not part of the set
 * hash.  A journal that is opened again goes on behind it.
 */
#ifndef BASE_CHAINED_JOURNAL_H
#define BASE_CHAINED_JOURNAL_H

#include "base/digest.h"
#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct journal;

#define JOURNAL_WORD_MAX 32

enum journal_sync {
	JOURNAL_FLUSH, /* written to the file before append returns */
	JOURNAL_FSYNC, /* and on the disk */
	JOURNAL_ALONE, /* as FLUSH, and refused (ERR_ENV) while another has it
	                  open so: two writers would break the chain */
};

/*
 * Opens path for appending, making it when missing.  An existing chain is
 * checked first; a torn last line is cut and *ret_cut_bytes (may be NULL)
 * says how long it was.  ERR_SYNTAX for a broken chain, or a pipe or a device
 * but the null device; ERR_IO.
 */
enum err journal_open(const char *path, enum journal_sync sync,
    struct journal **ret, size_t *ret_cut_bytes, struct why *why);
void journal_close(struct journal *j); /* NULL-safe */

/*
 * Appends record (a JSON object, borrowed; must not hold seq, prev, hash or
 * closed).  ERR_IO leaves the file at the last whole line and says why.
 */
enum err journal_append(struct journal *j, json_t *record, struct why *why);

/* Appends the closing line, unless the last line is one.  Errors as
 * journal_append. */
enum err journal_end(struct journal *j, struct why *why);
/* As journal_end, with why the writer ended; NULL: it was done.  A last line
 * that closes with another word is followed by one with this.  extra: an object
 * whose members the closing line gets too; borrowed, or NULL. */
enum err journal_end_with(struct journal *j, const char *word, json_t *extra,
    struct why *why);

uint64_t journal_count(const struct journal *j); /* records so far */

/*
 * Order-free hash of what was appended since it was opened: SHA-256 over the
 * sorted record hashes (records without seq, prev, hash, wall).  Equal for
 * equal sets of records whatever order concurrency gave them: the chaos
 * run_hash.
 */
void journal_set_hash(const struct journal *j, char out[DIGEST_HEX]);

/* What a whole journal is, for whoever checks it. */
struct journal_facts {
	uint64_t records, lines;
	bool closed;  /* the last line is a closing line */
	bool is_torn; /* with ERR_SYNTAX: all lines hold but for the last, whose
	                 writer was cut off */
	char ended[JOURNAL_WORD_MAX]; /* its word, or "" */
	char head[DIGEST_HEX];     /* hash of the last line; 64 zeros: none */
	char set_hash[DIGEST_HEX]; /* of the records behind the closing line of
	                              the run before, or all */
};

/*
 * Reads and checks a whole journal.  Calls on_line (may be NULL) for each
 * good record with the parsed object (borrowed).  ERR_SYNTAX names the first
 * line that was removed, reordered, edited or torn; *ret (may be NULL) is
 * filled on success, but for is_torn.  That it is not closed is a fact, not an
 * error: it may still be written.
 */
enum err journal_check(const char *path,
    void (*on_line)(json_t *line, void *arg), void *arg,
    struct journal_facts *ret, struct why *why);

/* Who also asks what closing lines say; NULL: not asked. */
struct journal_reader {
	void (*on_line)(json_t *line, void *arg);
	void (*on_closing)(json_t *line, void *arg);
	void *arg;
};
enum err journal_read(const char *path, const struct journal_reader *reader,
    struct journal_facts *ret, struct why *why);

#endif
