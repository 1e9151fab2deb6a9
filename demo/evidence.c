/*
 * Reads a run directory without trusting it: caps on every file, a torn last
 * line is left out, and a line that is no JSON object is passed over with a
 * note.  Whether the files hold is not judged here: the agent's judge, which
 * `ledger check` and `report` ask too, looks at all of them, and the figures
 * are the ones that it counted.  Of a run that goes on only the chains can be
 * looked at, as far as they are written.
 */
#include "demo/evidence.h"

#include "agent/telling/run_report.h"
#include "base/chained_journal.h"
#include "base/files.h"
#include "base/jlenient.h"
#include "base/mem.h"
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

static bool
is_there(struct evidence *ev, const char *name)
{
	char *path = files_join(ev->dir, name);
	bool is = is_readable(ev, path, NULL);

	free(path);
	return is;
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

static bool
has_ended(const struct evidence *ev)
{
	return json_is_integer(json_object_get(ev->run, "exit"));
}

/* text: taken over; NULL, or behind the first, is nothing. */
static void
set_broken(struct evidence *ev, char *text)
{
	if (ev->broken)
		free(text);
	else
		ev->broken = text;
}

/* What is wrong with one journal so far, owned; NULL: nothing. */
static char *
find_break(struct evidence *ev, const char *name)
{
	char *path = files_join(ev->dir, name), *found = NULL;
	struct journal_facts f = { .is_torn = false };
	struct why why;

	/* Who writes may be within a line. */
	if (!is_readable(ev, path, NULL)) {
		if (files_exists(path))
			found = xasprintf("%s: cannot be read", name);
	} else if (journal_check(path, NULL, NULL, &f, &why) != ERR_OK &&
	    !f.is_torn)
		found = xstrdup(run_report_within(ev->dir, why.text));
	free(path);
	return found;
}

static void
check_chains(struct evidence *ev)
{
	static const char *const journals[] = { "ledger.jsonl", "naive.jsonl",
		"chaos.jsonl" };

	for (size_t i = 0; i < COUNT(journals); i++)
		set_broken(ev, find_break(ev, journals[i]));
}

/* The scorecard as its file should be, in its order. */
static json_t *
counted(const struct run_report *r)
{
	json_t *card = scorecard_json(&r->scorecard), *read;
	char *text = json_dumps(card, JSON_SORT_KEYS);

	read = text ? json_loads(text, 0, NULL) : NULL;
	free(text);
	json_decref(card);
	return read;
}

static void
take_verdict(struct evidence *ev, const struct run_report *r)
{
	size_t n = json_array_size(r->problems);
	const char *first = json_string_value(json_array_get(r->problems, 0));

	if (n > 0)
		set_broken(ev,
		    n == 1 ? xstrdup(first)
		           : xasprintf("%s (and %zu more: see kernelforge "
		                       "ledger check)",
		                 first, n - 1));
	ev->naive_absent = r->scorecard.naive.absent;
	if (r->ledger_chain.is_torn)
		add_gap(ev, "ledger.jsonl: its last line is torn");
	if (r->naive_chain.is_torn)
		add_gap(ev, "naive.jsonl: its last line is torn");
	if (r->chaos_chain.is_torn)
		add_gap(ev, "chaos.jsonl: its last line is torn");
	/* The file may be edited, or another build's: what is shown is what
	 * follows from the journals.  Of a run that goes on later nothing
	 * does. */
	json_decref(ev->scorecard);
	ev->scorecard = has_ended(ev) ? counted(r) : NULL;
}

/* One judge for all who tell of a run. */
static void
judge(struct evidence *ev)
{
	struct run_report *r = NULL;
	struct why why;
	enum err e = run_report_load(ev->dir, RUN_REPORT_LOOK, &r, &why);

	if (e == ERR_NOTFOUND) {
		/* What the chains alone can tell still counts. */
		check_chains(ev);
		ev->knows_chaos = ev->has_chaos && !ev->broken;
		set_broken(ev,
		    xstrdup("run.json: missing, so nothing says what the run's "
		            "files were"));
	} else if (e != ERR_OK)
		set_broken(ev, xstrdup(run_report_within(ev->dir, why.text)));
	if (e != ERR_OK)
		return;
	run_report_check_all_files(r);
	take_verdict(ev, r);
	ev->knows_chaos = ev->has_chaos && !ev->broken;
	run_report_free(r);
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

const json_t *
evidence_ledger(const struct evidence *ev, const char *op, int number,
    const char *state)
{
	return json_array_get(index_get(ev,
	                          question_key("ledger", op, state, number)),
	    0);
}

bool
evidence_is_in_ledger(const struct evidence *ev, const char *op, int number,
    const char *state)
{
	return evidence_ledger(ev, op, number, state);
}

const json_t *
evidence_claim(const struct evidence *ev, const char *op)
{
	return json_array_get(index_get(ev, xasprintf("claim/%s", op)), 0);
}

enum err
evidence_load(const char *dir, bool goes_on, struct evidence *ret,
    struct why *why)
{
	struct stat st;

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
	ret->has_chaos = is_there(ret, "chaos.jsonl");
	ret->has_gateway = is_there(ret, "gateway.jsonl");
	if (goes_on) {
		check_chains(ret);
		ret->knows_chaos = ret->has_chaos && !ret->broken;
	} else
		judge(ret);
	make_index(ret);
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
