/* The journal: chains, tampering, torn lines, the order-free hash. */
#include "tests/unit.h"

#include "base/files.h"
#include "base/journal.h"
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
	for (size_t i = 0; i < sizeof edits / sizeof edits[0]; i++) {
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
	char h1[DIGEST_HEX], h2[DIGEST_HEX], h3[DIGEST_HEX];

	append(p, abc, 3);
	append(q, cab, 3);
	journal_check(p, NULL, NULL, h1, NULL);
	journal_check(q, NULL, NULL, h2, NULL);
	CHECK_STR(h1, h2, "the set hash ignores order and wall");
	append(q, abc, 1);
	journal_check(q, NULL, NULL, h3, NULL);
	CHECK(strcmp(h1, h3) != 0, "but counts how often");
	free(p);
	free(q);
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
	free(good);
	free(path);
	free(other);
}
