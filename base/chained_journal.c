/*
 * The journal.  A record becomes a line in three steps: its body is written
 * without prev, hash and wall; the hash is taken over the previous hash and
 * that body; then the three are added and the whole is written, sorted.
 * Checking walks the same steps backwards, one line at a time.
 */
#include "base/chained_journal.h"

#include "base/files.h"
#include "base/jlenient.h"
#include "base/mem.h"
#include "base/sorted_json.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_BYTES_MAX (4u << 20)
#define FILE_BYTES_MAX ((size_t)1 << 30)

static const char genesis[DIGEST_HEX] =
    "0000000000000000000000000000000000000000000000000000000000000000";

/* What a hash of the chain is not of; what the order-free one is not of, as two
 * runs of one scenario may log in another order; and what a line is without. */
static const char *const outside_hash[] = { "hash", "prev", "wall", NULL };
static const char *const outside_set[] = { "hash", "prev", "seq", "wall",
	NULL };
static const char *const nothing[] = { NULL };

/* A line being written or checked, and a text of some of its members. */
struct scratch {
	struct sorted_json members;
	struct buf text;
};

/* The hashes of the records alone, for the order-free hash. */
struct hashset {
	uint8_t (*items)[DIGEST_BYTES]; /* owned */
	size_t n, size;
};

struct journal {
	char *path; /* owned */
	int fd;
	enum journal_sync sync;
	uint64_t lines, records;
	bool closed; /* the last line closes it */
	char ended[JOURNAL_WORD_MAX];
	off_t bytes; /* whole lines */
	char head[DIGEST_HEX];
	struct hashset set; /* of the records since it was opened */
	struct scratch scratch;
};

static void
scratch_init(struct scratch *s)
{
	sorted_json_init(&s->members, LINE_BYTES_MAX);
	buf_init(&s->text, LINE_BYTES_MAX);
}

static void
scratch_done(struct scratch *s)
{
	sorted_json_done(&s->members);
	buf_done(&s->text);
}

/* ---- hashes */

static void
hashset_add(struct hashset *s, const uint8_t hash[DIGEST_BYTES])
{
	if (s->n == s->size) {
		s->size = s->size ? s->size * 2 : 64;
		s->items = xreallocarray(s->items, s->size, DIGEST_BYTES);
	}
	memcpy(s->items[s->n++], hash, DIGEST_BYTES);
}

static int
compare_hashes(const void *a, const void *b)
{
	return memcmp(a, b, DIGEST_BYTES);
}

static void
hashset_digest(const struct hashset *s, char out[DIGEST_HEX])
{
	static const uint8_t none;
	uint8_t *sorted =
	    xmemdup(s->n ? (const void *)s->items : &none, s->n * DIGEST_BYTES);

	qsort(sorted, s->n, DIGEST_BYTES, compare_hashes);
	digest_sha256_hex(sorted, s->n * DIGEST_BYTES, out);
	free(sorted);
}

/* SHA-256(prev || body). */
static enum err
chain_hash(const char *prev, struct scratch *line, char out[DIGEST_HEX])
{
	enum err e = sorted_json_put(&line->members, outside_hash, &line->text);
	uint8_t raw[DIGEST_BYTES];
	struct digest *d;

	if (e != ERR_OK)
		return e;
	d = digest_new();
	digest_adds(d, prev);
	digest_add(d, line->text.data, line->text.len);
	digest_finish(d, raw);
	digest_hex(raw, out);
	return ERR_OK;
}

/* Adds the hash of the record without its place in the chain; what follows the
 * clock by its own account is not the same again. */
static void
remember(struct hashset *set, json_t *record, struct scratch *line)
{
	uint8_t raw[DIGEST_BYTES];

	if (json_is_true(json_object_get(record, "clock")) ||
	    sorted_json_put(&line->members, outside_set, &line->text) != ERR_OK)
		return;
	digest_sha256(line->text.data, line->text.len, raw);
	hashset_add(set, raw);
}

/* ---- reading */

struct chain {
	const char *path; /* borrowed */
	uint64_t lines, records;
	bool closed;
	char ended[JOURNAL_WORD_MAX];
	struct journal_reader reader;
	char head[DIGEST_HEX];
	struct hashset set;
	size_t run_from; /* records before the run that is read */
	struct scratch scratch;
};

static void
chain_init(struct chain *c, const char *path)
{
	*c = (struct chain){ .path = path };
	memcpy(c->head, genesis, sizeof genesis);
	scratch_init(&c->scratch);
}

static void
chain_done(struct chain *c)
{
	scratch_done(&c->scratch);
	free(c->set.items);
}

static enum err
broken(const char *path, uint64_t line, const char *what, struct why *why)
{
	return why_set(why, ERR_SYNTAX, "%s:%llu: %s", path,
	    (unsigned long long)line, what);
}

/*
 * A good line, taken in.  A closing line must count what stands before it:
 * one that is moved to another place would have to be a record.
 */
static enum err
keep_line(struct chain *c, json_t *line, struct why *why)
{
	json_t *closed = json_object_get(line, "closed");

	/* Records behind a closing line are another run's, of a program
	 * that was started again: the set's hash is the last one's alone. */
	if (c->closed)
		c->run_from = c->set.n;
	c->closed = closed != NULL;
	(void)snprintf(c->ended, sizeof c->ended, "%s",
	    jlenient_text(line, "ended"));
	if (!closed) {
		c->records++;
		remember(&c->set, line, &c->scratch);
		if (c->reader.on_line)
			c->reader.on_line(line, c->reader.arg);
		return ERR_OK;
	}
	if (!json_is_integer(closed) ||
	    json_integer_value(closed) != (json_int_t)c->records)
		return broken(c->path, c->lines,
		    "closed is not the number of records before it", why);
	if (c->reader.on_closing)
		c->reader.on_closing(line, c->reader.arg);
	return ERR_OK;
}

/* One line against the chain so far. */
static enum err
check_line(struct chain *c, json_t *line, struct why *why)
{
	const char *path = c->path;
	const char *prev = json_string_value(json_object_get(line, "prev"));
	const char *hash = json_string_value(json_object_get(line, "hash"));
	json_t *seq = json_object_get(line, "seq");
	uint64_t at = c->lines + 1;
	char want[DIGEST_HEX];

	if (!prev || !hash || !json_is_integer(seq))
		return broken(path, at, "expected seq, prev and hash", why);
	if (json_integer_value(seq) != (json_int_t)at)
		return broken(path, at,
		    "seq does not follow: a line was removed or reordered",
		    why);
	if (strcmp(prev, c->head) != 0)
		return broken(path, at,
		    "prev is not the hash of the line before", why);
	sorted_json_clear(&c->scratch.members);
	sorted_json_add_all(&c->scratch.members, line);
	if (chain_hash(c->head, &c->scratch, want) != ERR_OK ||
	    strcmp(want, hash) != 0)
		return broken(path, at,
		    "hash does not fit: the line was edited", why);
	memcpy(c->head, want, sizeof want);
	c->lines = at;
	return keep_line(c, line, why);
}

/* Byte for byte what append_line() writes: a space or another order of keys
 * changes no hash, and the file all the same. */
static bool
is_as_written(struct scratch *line, const char *p, size_t n)
{
	return sorted_json_put(&line->members, nothing, &line->text) ==
	    ERR_OK &&
	    line->text.len == n && memcmp(line->text.data, p, n) == 0;
}

/*
 * Walks the whole lines of text; *ret_whole is the length of what was good.
 * A last line without LF is torn: told by *ret_whole < len.
 */
static enum err
walk(struct chain *c, const char *text, size_t len, size_t *ret_whole,
    struct why *why)
{
	const char *p = text, *end = text + len, *lf;
	enum err e = ERR_OK;

	while (e == ERR_OK && p < end &&
	    (lf = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		json_t *line = json_loadb(p, (size_t)(lf - p),
		    JSON_REJECT_DUPLICATES, NULL);

		if (!json_is_object(line) || *p != '{' || lf[-1] != '}')
			e = broken(c->path, c->lines + 1,
			    "expected a JSON object and nothing beside it",
			    why);
		else
			e = check_line(c, line, why);
		if (e == ERR_OK &&
		    !is_as_written(&c->scratch, p, (size_t)(lf - p)))
			e = broken(c->path, c->lines,
			    "not as it was written: spaces, escapes or the "
			    "order of keys were changed",
			    why);
		json_decref(line);
		if (e == ERR_OK)
			p = lf + 1;
	}
	*ret_whole = (size_t)(p - text);
	return e;
}

enum err
journal_read(const char *path, const struct journal_reader *reader,
    struct journal_facts *ret, struct why *why)
{
	struct chain c;
	size_t len, whole = 0;
	char *text = NULL;
	enum err e;

	chain_init(&c, path);
	c.reader = *reader;
	e = files_read_kept(path, FILE_BYTES_MAX, &text, &len, why);
	if (e != ERR_OK)
		return e;
	e = walk(&c, text, len, &whole, why);
	if (e == ERR_OK && whole < len) {
		e = broken(path, c.lines + 1, "torn: the line has no end", why);
		if (ret)
			ret->is_torn = true;
	}
	if (e == ERR_OK && ret) {
		*ret = (struct journal_facts){ .records = c.records,
			.lines = c.lines,
			.closed = c.closed };
		if (c.closed)
			memcpy(ret->ended, c.ended, sizeof ret->ended);
		memcpy(ret->head, c.head, sizeof ret->head);
		hashset_digest(&(struct hashset){ c.set.items + c.run_from,
		                   c.set.n - c.run_from, 0 },
		    ret->set_hash);
	}
	chain_done(&c);
	free(text);
	return e;
}

enum err
journal_check(const char *path, void (*on_line)(json_t *line, void *arg),
    void *arg, struct journal_facts *ret, struct why *why)
{
	const struct journal_reader reader = { .on_line = on_line, .arg = arg };

	return journal_read(path, &reader, ret, why);
}

/* ---- writing */

static enum err
fail_errno(const struct journal *j, struct why *why)
{
	return why_set(why, ERR_IO, "%s: %s", j->path, strerror(errno));
}

/* Takes over an existing chain, cutting a torn last line. */
static enum err
adopt(struct journal *j, size_t *ret_cut_bytes, struct why *why)
{
	struct chain c;
	size_t len = 0, whole = 0;
	char *text = NULL;
	enum err e;

	chain_init(&c, j->path);
	e = files_read_kept(j->path, FILE_BYTES_MAX, &text, &len, why);
	if (e == ERR_OK)
		e = walk(&c, text, len, &whole, why);
	/* A kill in the midst of a write leaves a line without its end: it
	 * was never acknowledged, so cutting it loses nothing. */
	if (e == ERR_OK && whole < len && ftruncate(j->fd, (off_t)whole) < 0)
		e = fail_errno(j, why);
	free(text);
	chain_done(&c);
	if (e != ERR_OK)
		return e;
	j->lines = c.lines;
	j->closed = c.closed;
	memcpy(j->ended, c.ended, sizeof j->ended);
	j->records = c.records;
	j->bytes = (off_t)whole;
	memcpy(j->head, c.head, sizeof c.head);
	if (ret_cut_bytes)
		*ret_cut_bytes = len - whole;
	return ERR_OK;
}

static enum err
keep_alone(struct journal *j, struct why *why)
{
	struct stat s;

	/* What is thrown away is everybody's. */
	if (fstat(j->fd, &s) < 0 || !S_ISREG(s.st_mode) ||
	    flock(j->fd, LOCK_EX | LOCK_NB) == 0)
		return ERR_OK;
	return why_set(why, ERR_ENV, "%s: %s", j->path,
	    errno == EWOULDBLOCK ? "another process writes to it"
	                         : strerror(errno));
}

enum err
journal_open(const char *path, enum journal_sync sync, struct journal **ret,
    size_t *ret_cut_bytes, struct why *why)
{
	struct journal *j = xcalloc(1, sizeof *j);
	enum err e;

	j->path = xstrdup(path);
	j->sync = sync;
	scratch_init(&j->scratch);
	j->fd = -1;
	e = files_open_kept(path, &j->fd, why);
	if (e != ERR_OK && e != ERR_SYNTAX)
		e = ERR_IO;
	if (e == ERR_OK && sync == JOURNAL_ALONE)
		e = keep_alone(j, why);
	if (e == ERR_OK)
		e = adopt(j, ret_cut_bytes, why);
	if (e != ERR_OK) {
		journal_close(j);
		return e;
	}
	*ret = j;
	return ERR_OK;
}

void
journal_close(struct journal *j)
{
	if (!j)
		return;
	if (j->fd >= 0)
		close(j->fd);
	scratch_done(&j->scratch);
	free(j->set.items);
	free(j->path);
	free(j);
}

/* The whole line or nothing: a partial write is cut again. */
static enum err
write_line(struct journal *j, const char *line, size_t n, struct why *why)
{
	size_t done = 0;

	while (done < n) {
		ssize_t w = write(j->fd, line + done, n - done);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			break;
		done += (size_t)w;
	}
	if (done == n && (j->sync != JOURNAL_FSYNC || fdatasync(j->fd) == 0)) {
		j->bytes += (off_t)n;
		return ERR_OK;
	}
	fail_errno(j, why);
	if (ftruncate(j->fd, j->bytes) < 0)
		return why_prefix(why, ERR_IO, "torn line left");
	return ERR_IO;
}

static void
add_text(struct sorted_json *s, const char *key, const char *text)
{
	json_t *value = json_string(text);

	sorted_json_add(s, key, value);
	json_decref(value);
}

static void
add_number(struct sorted_json *s, const char *key, uint64_t number)
{
	json_t *value = json_integer((json_int_t)number);

	sorted_json_add(s, key, value);
	json_decref(value);
}

/* One more line of the chain, of a record that may have a wall time; its
 * members stay in the scratch. */
static enum err
append_line(struct journal *j, json_t *record, struct why *why)
{
	struct sorted_json *members = &j->scratch.members;
	struct buf *line = &j->scratch.text;
	char hash[DIGEST_HEX];
	enum err e;

	sorted_json_clear(members);
	sorted_json_add_all(members, record);
	add_number(members, "seq", j->lines + 1);
	e = chain_hash(j->head, &j->scratch, hash);
	if (e == ERR_OK) {
		add_text(members, "prev", j->head);
		add_text(members, "hash", hash);
		e = sorted_json_put(members, nothing, line);
	}
	if (e == ERR_OK)
		e = buf_addc(line, '\n');
	if (e != ERR_OK)
		return why_set(why, ERR_TOOBIG, "%s: a record over %u bytes",
		    j->path, LINE_BYTES_MAX);
	e = write_line(j, line->data, line->len, why);
	if (e == ERR_OK) {
		memcpy(j->head, hash, sizeof hash);
		j->lines++;
	}
	return e;
}

enum err
journal_append(struct journal *j, json_t *record, struct why *why)
{
	enum err e = append_line(j, record, why);

	if (e == ERR_OK) {
		remember(&j->set, record, &j->scratch);
		j->records++;
		j->closed = false;
	}
	return e;
}

enum err
journal_end(struct journal *j, struct why *why)
{
	return journal_end_with(j, NULL, NULL, why);
}

enum err
journal_end_with(struct journal *j, const char *word, json_t *extra,
    struct why *why)
{
	json_t *body;
	enum err e;

	if (j->closed && json_object_size(extra) == 0 &&
	    strcmp(j->ended, word ? word : "") == 0)
		return ERR_OK;
	body = extra ? json_copy(extra) : json_object();
	if (word)
		json_object_set_new(body, "ended", json_string(word));
	json_object_set_new(body, "closed",
	    json_integer((json_int_t)j->records));
	e = append_line(j, body, why);
	json_decref(body);
	j->closed = e == ERR_OK;
	(void)snprintf(j->ended, sizeof j->ended, "%s", word ? word : "");
	return e;
}

uint64_t
journal_count(const struct journal *j)
{
	return j->records;
}

void
journal_set_hash(const struct journal *j, char out[DIGEST_HEX])
{
	hashset_digest(&j->set, out);
}
