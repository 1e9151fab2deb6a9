/*
 * What another process wrote: torn ends, foreign lines and missing files cost
 * themselves and nothing else; and the lists of a folder's files.
 */
#include "base/jlenient.h"
#include "tests/unit.h"

#include "base/files.h"
#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define FILE_MAX 64

static const struct {
	const char *what, *text;
	size_t lines, bad;
} rows[] = {
	{ "an empty file", "", 0, 0 },
	{ "two objects", "{\"a\":1}\n{\"a\":2}\n", 2, 0 },
	{ "a torn last line", "{\"a\":1}\n{\"a\":2", 1, 0 },
	{ "a whole line without its newline", "{\"a\":1}\n{\"a\":2}", 1, 0 },
	{ "a line between that is no JSON", "{\"a\":1}\nno\n{\"a\":2}\n", 2,
	    1 },
	{ "JSON that is no object", "[1]\n{\"a\":2}\n7\n", 1, 2 },
	{ "a key that stands twice", "{\"a\":1,\"a\":2}\n{\"a\":2}\n", 1, 1 },
	{ "empty lines", "\n\n{\"a\":2}\n", 1, 2 },
	{ "more than the cap",
	    "{\"a\":1}\n{\"a\":1}\n{\"a\":1}\n{\"a\":1}\n{\"a\":1}\n{\"a\":1}\n"
	    "{\"a\":1}\n{\"a\":1}\n{\"a\":1}\n",
	    0, 0 },
};

static void
check_lines(const char *dir)
{
	char *path = files_join(dir, "lines.jsonl");
	size_t bad = 7;
	json_t *lines = jlenient_lines(path, FILE_MAX, &bad);

	CHECK(json_array_size(lines) == 0 && bad == 0, "a file not there");
	json_decref(lines);
	for (size_t i = 0; i < COUNT(rows); i++) {
		CHECK(files_write(path, rows[i].text, strlen(rows[i].text),
		          NULL) == ERR_OK,
		    rows[i].what);
		lines = jlenient_lines(path, FILE_MAX, &bad);
		CHECK_INT(json_array_size(lines), rows[i].lines, rows[i].what);
		CHECK_INT(bad, rows[i].bad, rows[i].what);
		json_decref(lines);
	}
	remove(path);
	free(path);
}

static void
check_text(void)
{
	json_t *o = json_pack("{s:s, s:i}", "name", "rope", "size", 4);

	CHECK_STR(jlenient_text(o, "name"), "rope", "a text");
	CHECK_STR(jlenient_text(o, "size"), "", "no text");
	CHECK_STR(jlenient_text(o, "none"), "", "not there");
	CHECK_STR(jlenient_text(NULL, "name"), "", "no object");
	json_decref(o);
}

static void
check_list(const char *dir)
{
	static const char *const names[] = { "a/2.cl", "a/1.cl", "a/.hidden.cl",
		"a/1.txt", "a/.cl", "b/0.cl" };
	static const char *const want[] = { "a/1.cl", "a/2.cl", "b/0.cl" };
	char *a = files_join(dir, "a"), *b = files_join(dir, "b");
	char *dirs = xasprintf("%s:%s/none:%s", a, dir, b), **paths;
	size_t n = 0;

	(void)files_mkdirs(a, NULL);
	(void)files_mkdirs(b, NULL);
	for (size_t i = 0; i < COUNT(names); i++) {
		char *path = files_join(dir, names[i]);

		(void)files_write(path, "", 0, NULL);
		free(path);
	}
	paths = files_list(dirs, ".cl");
	for (; paths[n]; n++)
		CHECK_STR(n < COUNT(want) ? paths[n] + strlen(dir) + 1 : "",
		    n < COUNT(want) ? want[n] : "none", "folder by folder");
	CHECK_INT(n, COUNT(want), "all of them, and the hidden left out");
	files_list_free(paths);
	files_remove_tree(a);
	files_remove_tree(b);
	free(dirs);
	free(a);
	free(b);
}

void
t_jlenient(void)
{
	check_lines(unit_tmpdir());
	check_text();
	check_list(unit_tmpdir());
}
