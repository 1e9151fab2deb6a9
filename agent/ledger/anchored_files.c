/*
 * Anchors are made by one walk over the directory and checked by making them
 * again and comparing: what is in one object and not in the other was added,
 * removed or changed.
 */
#include "agent/ledger/anchored_files.h"

#include "base/chained_journal.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/mem.h"
#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define ANCHOR_FILE_MAX ((size_t)256 * 1024 * 1024)

static const struct {
	const char *name;
	bool late, is_journal;
} anchor_files[] = {
	{ "chaos.jsonl", true, true },
	{ "gateway.jsonl", true, false },
	{ "ledger.jsonl", false, true },
	{ "naive.jsonl", false, true },
	{ "trace.jsonl", false, false },
	{ "used.json", false, false },
};

#define NFILES COUNT(anchor_files)

static void
add_file(json_t *files, const char *dir, const char *name)
{
	char *path = files_join(dir, name), *text = NULL;
	char hash[DIGEST_HEX];
	size_t len;

	if (files_read(path, ANCHOR_FILE_MAX, &text, &len, NULL) == ERR_OK) {
		digest_sha256_hex(text, len, hash);
		json_object_set_new(files, name, json_string(hash));
	}
	free(text);
	free(path);
}

static void
add_journal(json_t *journals, const char *dir, const char *name)
{
	char *path = files_join(dir, name);
	struct journal_facts f;

	if (journal_check(path, NULL, NULL, &f, NULL) == ERR_OK)
		json_object_set_new(journals, name,
		    json_pack("{s:I, s:s}", "lines", (json_int_t)f.lines,
		        "head", f.head));
	free(path);
}

/* All files below dir/sub, two folders deep as kernels/OP/FILE is. */
static void
add_tree(json_t *files, const char *dir, const char *sub, int depth)
{
	char *path = files_join(dir, sub);
	DIR *d = opendir(path);
	struct dirent *e;

	free(path);
	while (d && (e = readdir(d)) != NULL) {
		char *name;

		if (e->d_name[0] == '.')
			continue;
		name = files_join(sub, e->d_name);
		/* Some file systems do not say what a name is (readdir(3)):
		 * there both are tried, and one of them finds nothing. */
		if ((e->d_type == DT_DIR || e->d_type == DT_UNKNOWN) &&
		    depth > 0)
			add_tree(files, dir, name, depth - 1);
		if (e->d_type != DT_DIR || depth == 0)
			add_file(files, dir, name);
		free(name);
	}
	if (d)
		(void)closedir(d);
}

json_t *
anchor_make(const char *dir, bool late)
{
	json_t *journals = json_object(), *files = json_object();

	for (size_t i = 0; i < NFILES; i++) {
		/* The chaos proxy and the gateway still write theirs when the
		 * agent is done; `report` anchors them once both have ended. */
		if (anchor_files[i].late && !late)
			continue;
		if (anchor_files[i].is_journal)
			add_journal(journals, dir, anchor_files[i].name);
		else
			add_file(files, dir, anchor_files[i].name);
	}
	add_tree(files, dir, "kernels", 1);
	return json_pack("{s:o, s:o, s:b}", "journals", journals, "files",
	    files, "late", late);
}

static void __attribute__((format(printf, 2, 3)))
add_problem(json_t *problems, const char *fmt, ...)
{
	va_list ap;
	json_t *text;

	va_start(ap, fmt);
	text = json_vsprintf(fmt, ap);
	va_end(ap);
	json_array_append_new(problems, text ? text : json_string("a file"));
}

static bool
is_there(const char *dir, const char *name)
{
	char *path = files_join(dir, name);
	bool is = files_exists(path);

	free(path);
	return is;
}

/* Every name of was, then what is only in now.  A journal that is there and
 * has no anchor any more is broken, and who walked its chain has said where. */
static void
compare(const char *dir, json_t *was, json_t *now, json_t *problems)
{
	const char *name;
	json_t *value;

	json_object_foreach(was, name, value) {
		json_t *found = json_object_get(now, name);

		if (!found && json_is_object(value) && is_there(dir, name))
			continue;
		if (!found)
			add_problem(problems, "%s: gone, or cannot be read",
			    name);
		else if (!json_equal(found, value))
			add_problem(problems, "%s: changed since the run ended",
			    name);
	}
	json_object_foreach(now, name, value)
		if (!json_object_get(was, name))
			add_problem(problems, "%s: no part of the run", name);
}

void
anchor_check(const char *dir, json_t *anchors, json_t *problems)
{
	json_t *now =
	    anchor_make(dir, json_is_true(json_object_get(anchors, "late")));

	compare(dir, json_object_get(anchors, "journals"),
	    json_object_get(now, "journals"), problems);
	compare(dir, json_object_get(anchors, "files"),
	    json_object_get(now, "files"), problems);
	json_decref(now);
}

/* ---- the start of a journal that goes on */

struct start {
	json_int_t lines;
	const char *head;
	json_int_t seen;
	bool found;
};

/* A closing line is not shown, so an anchor on one is found in `prev`. */
static void
on_line(json_t *line, void *arg)
{
	struct start *s = arg;
	const char *prev = json_string_value(json_object_get(line, "prev"));
	json_int_t seq = json_integer_value(json_object_get(line, "seq"));

	if (seq == s->lines + 1 && prev && strcmp(prev, s->head) == 0)
		s->found = true;
}

static void
check_start(const char *dir, const char *name, json_t *anchor, json_t *problems)
{
	char *path = files_join(dir, name);
	const char *head = json_string_value(json_object_get(anchor, "head"));
	struct start s = {
		.lines = json_integer_value(json_object_get(anchor, "lines")),
		.head = head ? head : "",
	};
	struct journal_facts f = { 0 };

	/* A torn last line is cut when the run goes on: it is no change. */
	(void)journal_check(path, on_line, &s, &f, NULL);
	if (!s.found &&
	    !(f.lines == (uint64_t)s.lines && strcmp(f.head, s.head) == 0))
		add_problem(problems, "%s: changed since the run ended", name);
	free(path);
}

void
anchor_check_start(const char *dir, json_t *anchors, json_t *problems)
{
	json_t *journals = json_object_get(anchors, "journals"), *anchor;
	const char *name;

	json_object_foreach(journals, name, anchor)
		check_start(dir, name, anchor, problems);
}

void
anchor_drop_late(json_t *anchors)
{
	for (size_t i = 0; i < NFILES; i++)
		if (anchor_files[i].late) {
			json_object_del(json_object_get(anchors, "journals"),
			    anchor_files[i].name);
			json_object_del(json_object_get(anchors, "files"),
			    anchor_files[i].name);
		}
	json_object_set_new(anchors, "late", json_false());
}
