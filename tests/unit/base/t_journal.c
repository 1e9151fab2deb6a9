/* The journal: chains, tampering, torn lines, the order-free hash. */
#include "tests/unit.h"

#include "base/chained_journal.h"
#include "base/files.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void
append(const char *path, const char *const *records, size_t n)
{
	struct journal *j = NULL;
	struct why why;

	if (!CHECK(journal_open(path, JOURNAL_FLUSH, &j, NULL, &why) == ERR_OK,
	        path))
		return;
	for (size_t i = 0; i < n; i++) {
		json_t *r = json_loads(records[i], 0, NULL);

		CHECK(journal_append(j, r, &why) == ERR_OK, records[i]);
		json_decref(r);
	}
	journal_close(j);
}

static const char *const abc[] = { "{\"a\":1,\"wall\":123}", "{\"b\":2}",
	"{\"c\":3}" };

static const struct {
	const char *what;
	const char *find, *put; /* edit of the good file's text */
	enum err want;
	const char *reason; /* must stand in the reason */
} edits[] = {
	/* clang-format off */
	{ "untouched", "", "", ERR_OK, "" },
	{ "wall may change", "\"wall\":123", "\"wall\":9", ERR_OK, "" },
	{ "a value edited", "\"b\":2", "\"b\":3", ERR_SYNTAX, ":2: hash" },
	{ "a key added", "\"c\":3", "\"c\":3,\"d\":4", ERR_SYNTAX, ":3: hash" },
	{ "not an object", "{\"a\"", "{{\"a\"", ERR_SYNTAX, ":1: expected" },
	{ "a space behind a key", "\"b\":2", "\"b\": 2", ERR_SYNTAX, ":2: not as it was written" },
	{ "a space before the end", "\"seq\":3}", "\"seq\":3 }", ERR_SYNTAX, ":3: not as it was written" },
	{ "an escape for a letter", "\"b\":2", "\"\\u0062\":2", ERR_SYNTAX, ":2: not as it was written" },
	{ "a key taken out", "{\"a\":1,", "{", ERR_SYNTAX, ":1: hash" },
	{ "another order of keys", "\"seq\":1,\"wall\":123}", "\"wall\":123,\"seq\":1}", ERR_SYNTAX, ":1: not as it was written" },
	{ "seq edited", "\"seq\":3", "\"seq\":4", ERR_SYNTAX, ":3: seq" },
	/* clang-format on */
};

static char *
replaced(const char *text, const char *find, const char *put)
{
	const char *at = strstr(text, find);

	return xasprintf("%.*s%s%s", (int)(at - text), text, put,
	    at + strlen(find));
}

static void
check_edits(const char *good, const char *path)
{
	for (size_t i = 0; i < COUNT(edits); i++) {
		char *text = replaced(good, edits[i].find, edits[i].put);
		struct why why = { "" };

		files_write(path, text, strlen(text), NULL);
		CHECK_INT(journal_check(path, NULL, NULL, NULL, &why),
		    edits[i].want, edits[i].what);
		CHECK(strstr(why.text, edits[i].reason) != NULL, why.text);
		free(text);
	}
}

static void
check_removed_line(const char *good, const char *path)
{
	const char *second = strchr(good, '\n') + 1;
	struct why why;

	files_write(path, second, strlen(second), NULL);
	CHECK_INT(journal_check(path, NULL, NULL, NULL, &why), ERR_SYNTAX,
	    "first line removed");
}

static void
check_torn(const char *good, const char *path)
{
	struct journal *j = NULL;
	size_t cut = 0, len = strlen(good);
	struct why why;

	files_write(path, good, len - 5, NULL);
	CHECK_INT(journal_check(path, NULL, NULL, NULL, &why), ERR_SYNTAX,
	    "torn last line is told");
	CHECK_INT(journal_open(path, JOURNAL_FSYNC, &j, &cut, &why), ERR_OK,
	    "and cut when opened");
	CHECK(cut > 0, "cut bytes are told");
	CHECK_INT(journal_count(j), 2, "two lines are left");
	journal_close(j);
	append(path, &abc[2], 1);
	CHECK_INT(journal_check(path, NULL, NULL, NULL, &why), ERR_OK,
	    "the chain goes on after the cut");
}

static void
check_set_hash(const char *dir)
{
	const char *const cab[] = { "{\"c\":3}", "{\"a\":1,\"wall\":7}",
		"{\"b\":2}" };
	char *p = files_join(dir, "one"), *q = files_join(dir, "two");
	struct journal_facts f1, f2, f3;

	append(p, abc, 3);
	append(q, cab, 3);
	journal_check(p, NULL, NULL, &f1, NULL);
	journal_check(q, NULL, NULL, &f2, NULL);
	CHECK_STR(f1.set_hash, f2.set_hash,
	    "the set hash ignores order and wall");
	append(q, abc, 1);
	journal_check(q, NULL, NULL, &f3, NULL);
	CHECK(strcmp(f1.set_hash, f3.set_hash) != 0, "but counts how often");
	free(p);
	free(q);
}

static void
count_records(json_t *line, void *arg)
{
	CHECK(!json_object_get(line, "closed"), "records only");
	++*(size_t *)arg;
}

/* What stands in path after `keep` of its lines are kept. */
static struct journal_facts
facts_of_head(const char *path, const char *text, size_t keep)
{
	struct journal_facts f = { .records = 99 };
	const char *end = text;
	struct why why = { "" };

	for (size_t i = 0; i < keep; i++)
		end = strchr(end, '\n') + 1;
	files_write(path, text, (size_t)(end - text), NULL);
	CHECK_INT(journal_check(path, NULL, NULL, &f, &why), ERR_OK, why.text);
	return f;
}

/* path holds a closed run, and behind it one record. */
static void
check_second_run(const char *path, const char *other)
{
	struct journal *j = NULL;
	struct journal_facts f, alone;
	struct why why = { "" };
	json_t *late = json_pack("{ss sb}", "rule", "slow", "clock", 1);
	char hash[DIGEST_HEX];

	remove(other);
	append(other, &abc[2], 1);
	(void)journal_check(other, NULL, NULL, &alone, NULL);
	(void)journal_check(path, NULL, NULL, &f, NULL);
	CHECK_STR(f.set_hash, alone.set_hash, "the run before has no part");
	CHECK_INT(journal_open(other, JOURNAL_FLUSH, &j, NULL, &why), ERR_OK,
	    "opened");
	CHECK_INT(journal_append(j, late, &why), ERR_OK, "appended");
	journal_set_hash(j, hash);
	CHECK_INT(journal_end(j, &why), ERR_OK, "ended");
	journal_close(j);
	CHECK_INT(journal_check(other, NULL, NULL, &f, &why), ERR_OK, why.text);
	CHECK_INT(f.records, 2, "what follows the clock is a record");
	CHECK_STR(f.set_hash, alone.set_hash, "and not in the set hash");
	CHECK(strcmp(hash, alone.set_hash) != 0, "what was there is not ours");
	json_decref(late);
}

/* A closed journal says where it ends, and may be gone on with. */
static void
check_end(const char *dir)
{
	char *path = files_join(dir, "ended"), *open = files_join(dir, "open");
	char *text = NULL, *moved;
	struct journal *j = NULL;
	struct journal_facts f, plain;
	size_t records = 0;
	struct why why = { "" };

	append(path, abc, 2);
	CHECK_INT(journal_open(path, JOURNAL_FLUSH, &j, NULL, &why), ERR_OK,
	    "opened");
	CHECK_INT(journal_end(j, &why), ERR_OK, "ended");
	CHECK_INT(journal_end(j, &why), ERR_OK, "ended twice is ended once");
	CHECK_INT(journal_count(j), 2, "the closing line is no record");
	journal_close(j);
	append(open, abc, 2);
	(void)journal_check(open, NULL, NULL, &plain, NULL);
	CHECK(!plain.closed, "a journal that nobody ended is open");
	CHECK_INT(journal_check(path, count_records, &records, &f, &why),
	    ERR_OK, why.text);
	CHECK(f.closed && f.lines == 3 && f.records == 2, "it is closed");
	CHECK_INT(records, 2, "who reads it sees records");
	CHECK_STR(f.set_hash, plain.set_hash, "the set hash is of records");

	files_read(path, 1 << 20, &text, NULL, NULL);
	for (size_t keep = 0; keep < 3; keep++)
		CHECK(!facts_of_head(open, text, keep).closed,
		    "a journal whose end was cut off is open");
	append(path, &abc[2], 1);
	(void)journal_check(path, NULL, NULL, &f, NULL);
	CHECK(!f.closed && f.records == 3, "gone on with, it is open again");
	check_second_run(path, open);
	moved = replaced(text, "\"closed\":2", "\"closed\":1");
	files_write(open, moved, strlen(moved), NULL);
	CHECK_INT(journal_check(open, NULL, NULL, NULL, NULL), ERR_SYNTAX,
	    "an edited closing line");
	free(moved);
	free(text);
	free(open);
	free(path);
}

void
t_journal(void)
{
	const char *dir = unit_tmpdir();
	char *path = files_join(dir, "good"), *other = files_join(dir, "other");
	char *good = NULL;

	append(path, abc, 2);
	append(path, &abc[2], 1);
	files_read(path, 1 << 20, &good, NULL, NULL);
	CHECK(good != NULL, "the journal was written");
	if (good) {
		check_edits(good, other);
		check_removed_line(good, other);
		check_torn(good, other);
	}
	check_set_hash(dir);
	check_end(dir);
	free(good);
	free(path);
	free(other);
}
