/*
 * Reads a run directory without trusting it: caps on every file, a torn last
 * line is left out, and a line that is no JSON object is passed over with a
 * note.  The hash chains are checked by base/journal, as `ledger check` does,
 * so that a view of an edited run says so at its top.
 */
#include "demo/evidence.h"

#include "base/chained_journal.h"
#include "base/digest.h"
#include "base/files.h"
#include "base/jlenient.h"
#include "base/mem.h"
#include "base/opts.h"
#include "base/seal.h"
#include "demo/evidence_score.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX  (64u << 20)
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789_"

static void add_gap(struct evidence *ev, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void
add_gap(struct evidence *ev, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	json_array_append_new(ev->gaps, json_string(text));
}

/* A file that can be read: no pipe that would never end, and not too long.
 * One that is there and cannot is a gap, but for a NULL name. */
static bool
is_readable(struct evidence *ev, const char *path, const char *name)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return false;
	if (S_ISREG(st.st_mode) && st.st_size <= (off_t)FILE_BYTES_MAX &&
	    access(path, R_OK) == 0)
		return true;
	if (name && st.st_size > (off_t)FILE_BYTES_MAX)
		add_gap(ev, "%s: longer than %u MB, not shown", name,
		    FILE_BYTES_MAX >> 20);
	else if (name)
		add_gap(ev, "%s: cannot be read", name);
	return false;
}

static json_t *
load_lines(struct evidence *ev, const char *name)
{
	char *path = files_join(ev->dir, name);
	json_t *lines = NULL;
	size_t bad = 0;

	if (is_readable(ev, path, name))
		lines = jlenient_lines(path, FILE_BYTES_MAX, &bad);
	if (bad > 0)
		add_gap(ev, "%s: %zu lines are no JSON objects", name, bad);
	free(path);
	return lines ? lines : json_array();
}

static json_t *
load_object(struct evidence *ev, const char *name)
{
	char *path = files_join(ev->dir, name);
	json_t *o = is_readable(ev, path, name)
	    ? json_load_file(path, JSON_REJECT_DUPLICATES, NULL)
	    : NULL;

	if (!json_is_object(o) && files_exists(path))
		add_gap(ev, "%s: no JSON object", name);
	free(path);
	if (json_is_object(o))
		return o;
	json_decref(o);
	return NULL;
}

/* Is the journal as long as when the run ended, and does it end alike? */
static bool
is_as_left(const json_t *anchor, const struct journal_facts *f)
{
	return (uint64_t)json_integer_value(json_object_get(anchor, "lines")) ==
	    f->lines &&
	    strcmp(jlenient_text(anchor, "head"), f->head) == 0;
}

static char *
not_as_left(const char *name)
{
	return xasprintf("%s: not as the run left it", name);
}

/* The other files, as run.json names them since the run's end. */
static void
check_files(struct evidence *ev)
{
	json_t *anchors = json_object_get(ev->run, "anchors"), *anchor;
	const char *name;

	json_object_foreach(json_object_get(anchors, "files"), name, anchor) {
		char *path = files_join(ev->dir, name), *text = NULL;
		char hash[DIGEST_HEX] = "";
		size_t n = 0;

		if (!ev->broken && is_readable(ev, path, NULL) &&
		    files_read(path, FILE_BYTES_MAX, &text, &n, NULL) ==
		        ERR_OK) {
			digest_sha256_hex(text, n, hash);
			if (json_is_string(anchor) &&
			    strcmp(json_string_value(anchor), hash) != 0)
				ev->broken = not_as_left(name);
		}
		free(text);
		free(path);
	}
}

static bool
has_ended(const struct evidence *ev)
{
	return json_is_integer(json_object_get(ev->run, "exit"));
}

/* What is wrong with one journal, owned; NULL: nothing. */
static char *
find_break(struct evidence *ev, const char *name, const json_t *anchor)
{
	char *path = files_join(ev->dir, name), *found = NULL;
	struct journal_facts f = { .is_torn = false };
	struct why why;

	if (!is_readable(ev, path, NULL)) {
		if (anchor && !files_exists(path))
			found = xasprintf("%s: gone", name);
	} else if (journal_check(path, NULL, NULL, &f, &why) != ERR_OK) {
		/* Of a run that goes on or was killed no more is broken than
		 * the line at which that happened. */
		if (f.is_torn && !has_ended(ev))
			add_gap(ev, "%s: its last line is torn", name);
		else
			found = xstrdup(why.text);
	} else if (anchor && !is_as_left(anchor, &f))
		found = not_as_left(name);
	free(path);
	return found;
}

static void
check_chains(struct evidence *ev)
{
	const json_t *anchors =
	    json_object_get(json_object_get(ev->run, "anchors"), "journals");
	static const char *const journals[] = { "ledger.jsonl", "naive.jsonl",
		"chaos.jsonl" };

	for (size_t i = 0; i < COUNT(journals); i++) {
		char *found = find_break(ev, journals[i],
		    json_object_get(anchors, journals[i]));

		if (found && strcmp(journals[i], "naive.jsonl") == 0)
			ev->is_naive_broken = true;
		if (ev->broken)
			free(found);
		else
			ev->broken = found;
	}
}

static void
check_seal(struct evidence *ev)
{
	if (json_object_get(ev->run, "seal") && !seal_holds(ev->run))
		ev->broken = not_as_left("run.json");
}

/* Another version may count its own way. */
static void
check_score(struct evidence *ev)
{
	const char *version =
	    jlenient_text(json_object_get(ev->run, "versions"), "kernelforge");

	if (!ev->broken && ev->scorecard && has_ended(ev) &&
	    strcmp(version, opts_version()) == 0 && !evidence_score_follows(ev))
		ev->broken =
		    xstrdup("scorecard.json: not what follows from the run");
}

/* The arrays of the index are by WHAT/..., the last part being foreign. */
static char *
question_key(const char *what, const char *role, const char *op, int number)
{
	return xasprintf("%s/%s/%s/%d", what, role, op, number);
}

/* key: taken over. */
static void
index_add(struct evidence *ev, char *key, json_t *line)
{
	json_t *lines = json_object_get(ev->index, key);

	if (!lines) {
		lines = json_array();
		(void)json_object_set_new_nocheck(ev->index, key, lines);
	}
	json_array_append(lines, line);
	free(key);
}

static const json_t *
index_get(const struct evidence *ev, char *key)
{
	const json_t *lines = json_object_get(ev->index, key);

	free(key);
	return lines;
}

/* The three programs keep logs of their own, and meet by what all of them
 * write: role, operator and iteration. */
static void
make_index(struct evidence *ev)
{
	size_t i;
	json_t *line;

	json_array_foreach(ev->gateway, i, line)
		index_add(ev,
		    question_key("decision", jlenient_text(line, "role"),
		        jlenient_text(line, "op"),
		        atoi(jlenient_text(line, "iteration"))),
		    line);
	json_array_foreach(ev->chaos, i, line)
		if (strcmp(jlenient_text(line, "result"), "fired") == 0)
			index_add(ev,
			    xasprintf("fault/%s", jlenient_text(line, "key")),
			    line);
	json_array_foreach(ev->ledger, i, line)
		index_add(ev,
		    question_key("ledger", jlenient_text(line, "op"),
		        jlenient_text(line, "state"),
		        (int)json_integer_value(
		            json_object_get(line, "iteration"))),
		    line);
	json_array_foreach(ev->naive, i, line)
		index_add(ev, xasprintf("claim/%s", jlenient_text(line, "op")),
		    line);
}

const json_t *
evidence_decisions(const struct evidence *ev, const char *role, const char *op,
    int number)
{
	return index_get(ev, question_key("decision", role, op, number));
}

const json_t *
evidence_faults(const struct evidence *ev, const char *role, const char *op,
    int number)
{
	return index_get(ev, question_key("fault", role, op, number));
}

bool
evidence_is_in_ledger(const struct evidence *ev, const char *op, int number,
    const char *state)
{
	return index_get(ev, question_key("ledger", op, state, number));
}

const json_t *
evidence_claim(const struct evidence *ev, const char *op)
{
	return json_array_get(index_get(ev, xasprintf("claim/%s", op)), 0);
}

enum err
evidence_load(const char *dir, struct evidence *ret, struct why *why)
{
	struct stat st;
	char *path;

	if (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode))
		return why_set(why, ERR_NOTFOUND,
		    "%s: no such folder; expected a run directory", dir);
	*ret = (struct evidence){ .dir = xstrdup(dir),
		.gaps = json_array(),
		.kernels = json_object(),
		.index = json_object() };
	ret->trace = load_lines(ret, "trace.jsonl");
	ret->chaos = load_lines(ret, "chaos.jsonl");
	ret->gateway = load_lines(ret, "gateway.jsonl");
	ret->ledger = load_lines(ret, "ledger.jsonl");
	ret->naive = load_lines(ret, "naive.jsonl");
	/* The scorecard is written before run.json: read in the other order a
	 * run that ends between the two would look complete and be without. */
	ret->run = load_object(ret, "run.json");
	ret->scorecard = load_object(ret, "scorecard.json");
	path = files_join(dir, "chaos.jsonl");
	ret->has_chaos = is_readable(ret, path, NULL);
	free(path);
	if (ret->run) {
		check_seal(ret);
		check_chains(ret);
		check_files(ret);
	}
	make_index(ret);
	check_score(ret);
	return ERR_OK;
}

/* What was there when the run ended stands in run.json. */
static void
find_lost(struct evidence *ev, const char *kind)
{
	json_t *anchors = json_object_get(ev->run, "anchors");
	const char *name;
	json_t *anchor;

	json_object_foreach(json_object_get(anchors, kind), name, anchor) {
		char *path = files_join(ev->dir, name);

		if (!files_exists(path))
			add_gap(ev, "%s: not there", name);
		free(path);
	}
}

void
evidence_find_gaps(struct evidence *ev)
{
	if (json_array_size(ev->trace) == 0)
		add_gap(ev, "trace.jsonl: nothing in it, so no story");
	if (!ev->run)
		add_gap(ev, "run.json: not there");
	else if (!has_ended(ev))
		add_gap(ev, "run.json: the run did not end");
	else if (!json_object_get(ev->run, "seal") ||
	    !json_object_get(ev->run, "anchors"))
		add_gap(ev,
		    "run.json: no seal or no anchors, so nobody can tell "
		    "whether files were edited");
	if (!ev->scorecard)
		add_gap(ev, "scorecard.json: not there");
	find_lost(ev, "journals");
	find_lost(ev, "files");
}

void
evidence_done(struct evidence *ev)
{
	json_decref(ev->trace);
	json_decref(ev->chaos);
	json_decref(ev->gateway);
	json_decref(ev->ledger);
	json_decref(ev->naive);
	json_decref(ev->run);
	json_decref(ev->scorecard);
	json_decref(ev->kernels);
	json_decref(ev->index);
	json_decref(ev->gaps);
	free(ev->broken);
	free(ev->dir);
	*ev = (struct evidence){ 0 };
}

json_t *
evidence_kernel(struct evidence *ev, const char *op, const char *name)
{
	char *key, *path;
	json_t *record;

	/* Both come from a file that may have been edited: no path in them. */
	if (!*op || op[strspn(op, NAME_CHARACTERS)] ||
	    name[strspn(name, NAME_CHARACTERS)])
		return NULL;
	key = xasprintf("%s/%s", op, name);
	record = json_object_get(ev->kernels, key);
	if (!record) {
		path = xasprintf("kernels/%s.json", key);
		record = load_object(ev, path);
		if (record)
			json_object_set_new(ev->kernels, key, record);
		free(path);
	}
	free(key);
	return record;
}
