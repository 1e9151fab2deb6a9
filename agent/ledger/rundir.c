/*
 * Files of a run directory.  A trace that cannot be written is said once and
 * then left alone: it is a witness, not the record.
 */
#include "agent/ledger/rundir.h"

#include "base/clock.h"
#include "base/files.h"
#include "base/jfield.h"
#include "base/log.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/units.h"
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rundir {
	char *dir;                 /* owned */
	int lock;                  /* holds the directory */
	FILE *trace;               /* owned; NULL after a failure */
	pthread_mutex_t writing;   /* of trace and spans */
	uint64_t spans;            /* numbers given out */
	uint64_t mono_us, wall_ms; /* one moment in both clocks */
};

static enum err
open_trace(struct rundir *d, struct why *why)
{
	char *path = rundir_file(d, "trace.jsonl");
	enum err e = ERR_OK;

	int fd = open(path,
	    O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644);

	if (fd >= 0)
		d->trace = fdopen(fd, "a");
	if (!d->trace) {
		e = why_set(why, ERR_IO, "%s: %s", path, strerror(errno));
		if (fd >= 0)
			(void)close(fd);
	}
	free(path);
	return e;
}

/*
 * What a run adds to is its own: a link that lies there would lead its lines
 * and its kernels into somebody else's files.  (What it replaces as a whole is
 * renamed into place and follows nothing.)
 */
static enum err
check_no_links(const char *dir, struct why *why)
{
	static const char *const names[] = { ".lock", "trace.jsonl",
		"ledger.jsonl", "naive.jsonl", "kernels" };
	char *path[COUNT(names) + 1] = { NULL };
	enum err e = ERR_OK;
	FTSENT *f;
	FTS *walk;

	for (size_t i = 0; i < COUNT(names); i++)
		path[i] = files_join(dir, names[i]);
	walk = fts_open(path, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	while (walk && e == ERR_OK && (f = fts_read(walk)))
		if (f->fts_info == FTS_SL || f->fts_info == FTS_SLNONE)
			e = why_set(why, ERR_EXISTS,
			    "%s: found a symbolic link, expected a file of the "
			    "run: give another --out",
			    f->fts_path);
	if (walk)
		fts_close(walk);
	for (size_t i = 0; i < COUNT(names); i++)
		free(path[i]);
	return e;
}

/*
 * A record lock, not flock: it is not inherited by the lab's children, so it
 * ends with this process even where they live a moment longer.  The file is
 * opened nowhere else (closing any descriptor of it would drop the lock), and
 * it stays: removing it would let two processes lock two files of one name.
 */
enum err
rundir_lock(const char *dir, int *ret_fd, struct why *why)
{
	char *path = files_join(dir, ".lock");
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	enum err e = ERR_OK;

	if (fd < 0)
		e = why_set(why, errno == ENOENT ? ERR_NOTFOUND : ERR_IO,
		    "%s: %s", dir, strerror(errno));
	else if (fcntl(fd, F_SETLK, &lock) < 0) {
		lock.l_pid = 0;
		(void)fcntl(fd, F_GETLK, &lock);
		e = why_set(why, ERR_EXISTS,
		    "%s is in use by process %ld: wait for it, or give another "
		    "--out",
		    dir, (long)lock.l_pid);
	}
	free(path);
	if (e == ERR_OK)
		*ret_fd = fd;
	else if (fd >= 0)
		(void)close(fd);
	return e;
}

static bool
holds(const char *dir, const char *name)
{
	char *path = files_join(dir, name);
	bool exists = files_exists(path);

	free(path);
	return exists;
}

static enum err
check_holds_run(const char *dir, bool resume, struct why *why)
{
	if (!resume && (holds(dir, "run.json") || holds(dir, "ledger.jsonl")))
		return why_set(why, ERR_EXISTS,
		    "%s holds a run: give another --out or --resume", dir);
	if (resume && !holds(dir, "run.json"))
		return why_set(why, ERR_NOTFOUND,
		    "%s holds no run to resume: no run.json", dir);
	return resume ? rundir_check_kinds(dir, why) : ERR_OK;
}

enum err
rundir_open(const char *dir, bool resume, struct rundir **ret, struct why *why)
{
	struct rundir *d;
	int lock = -1;
	enum err e = ERR_OK;

	/* Asked before the folder is made, or a mistyped name would leave an
	 * empty one; and again once it is locked. */
	if (resume)
		e = check_holds_run(dir, true, why);
	if (e == ERR_OK)
		e = files_mkdirs(dir, why);
	if (e == ERR_OK)
		e = check_no_links(dir, why);
	if (e == ERR_OK)
		e = rundir_lock(dir, &lock, why);
	if (e != ERR_OK)
		return e;
	d = xcalloc(1, sizeof *d);
	d->dir = xstrdup(dir);
	d->lock = lock;
	(void)pthread_mutex_init(&d->writing, NULL);
	d->mono_us = clock_mono_us();
	d->wall_ms = clock_wall_ms();
	e = check_holds_run(dir, resume, why);
	if (e == ERR_OK)
		e = open_trace(d, why);
	if (e != ERR_OK) {
		rundir_close(d);
		return e;
	}
	*ret = d;
	return ERR_OK;
}

void
rundir_close(struct rundir *d)
{
	if (!d)
		return;
	if (d->trace)
		(void)fclose(d->trace);
	(void)close(d->lock);
	(void)pthread_mutex_destroy(&d->writing);
	free(d->dir);
	free(d);
}

const char *
rundir_path(const struct rundir *d)
{
	return d->dir;
}

char *
rundir_file(const struct rundir *d, const char *name)
{
	return files_join(d->dir, name);
}

enum err
rundir_write_json(const char *dir, const char *name, json_t *value,
    struct why *why)
{
	char *path = files_join(dir, name);
	char *text = json_dumps(value,
	    JSON_INDENT(2) | JSON_SORT_KEYS | JSON_REAL_PRECISION(9));
	char *line = text ? xasprintf("%s\n", text) : NULL;
	enum err e;

	if (!line)
		e = why_set(why, ERR_IO, "%s: cannot be written as JSON", path);
	else if (strlen(line) > RUNDIR_JSON_MAX)
		e = why_set(why, ERR_TOOBIG, "%s: longer than %zu bytes", path,
		    RUNDIR_JSON_MAX);
	else {
		mask_text(line);
		e = files_write(path, line, strlen(line), why);
	}

	free(line);
	free(text);
	free(path);
	return e;
}

enum err
rundir_check_kinds(const char *dir, struct why *why)
{
	char *path[] = { xstrdup(dir), NULL };
	FTS *walk = fts_open(path, FTS_LOGICAL | FTS_NOCHDIR, NULL);
	enum err e = ERR_OK;
	FTSENT *f;

	while (walk && e == ERR_OK && (f = fts_read(walk)))
		if (f->fts_info == FTS_DEFAULT)
			e = why_set(why, ERR_SYNTAX,
			    "%s: found a pipe or a device, expected a file",
			    f->fts_path);
	if (walk)
		fts_close(walk);
	free(path[0]);
	return e;
}

enum err
rundir_read_json(const char *dir, const char *name, json_t **ret,
    struct why *why)
{
	char *path = files_join(dir, name), *text = NULL;
	size_t len;
	enum err e = files_read_kept(path, RUNDIR_JSON_MAX, &text, &len, why);

	/* As it was written: blanks around it are an edit, too. */
	if (e == ERR_OK &&
	    (len < 3 || *text != '{' || text[len - 1] != '\n' ||
	        text[len - 2] != '}'))
		e = why_set(why, ERR_SYNTAX,
		    "%s: expected a JSON object, a line's end and nothing "
		    "beside them",
		    path);

	if (e == ERR_OK)
		e = jfield_parse(path, text, len, ret, why);
	free(text);
	free(path);
	return e;
}

static char *
kernel_name(const char *op, const char *try, const char *suffix)
{
	return xasprintf("kernels/%s/%s%s", op, try, suffix);
}

static enum err
make_kernel_folder(const struct rundir *d, const char *op, struct why *why)
{
	char *folder = xasprintf("%s/kernels/%s", d->dir, op);
	enum err e = files_mkdirs(folder, why);

	free(folder);
	return e;
}

enum err
rundir_write_kernel(const struct rundir *d, const char *op, const char *try,
    const struct candidate *c, struct why *why)
{
	char *name = kernel_name(op, try, ".cl");
	char *path = rundir_file(d, name), *text = candidate_to_file(c);
	enum err e = make_kernel_folder(d, op, why);

	/* A model may say a key again that it was shown, or a part of it, and
	 * hide it in escapes. */
	mask_answer(text);
	if (e == ERR_OK)
		e = files_write(path, text, strlen(text), why);
	free(text);
	free(path);
	free(name);
	return e;
}

enum err
rundir_write_record(const struct rundir *d, const char *op, const char *try,
    json_t *record, struct why *why)
{
	char *name = kernel_name(op, try, ".json");
	enum err e = make_kernel_folder(d, op, why);

	if (e == ERR_OK)
		e = rundir_write_json(d->dir, name, record, why);
	free(name);
	return e;
}

json_t *
rundir_read_record(const char *dir, const char *op, const char *try)
{
	char *name = kernel_name(op, try, ".json");
	json_t *record = NULL;

	/* An operator's name from a hostile ledger stays inside the folder. */
	if (!strchr(op, '/') && op[0] != '.')
		(void)rundir_read_json(dir, name, &record, NULL);
	free(name);
	return record;
}

uint64_t
rundir_span_id(struct rundir *d)
{
	uint64_t id;

	(void)pthread_mutex_lock(&d->writing);
	id = ++d->spans;
	(void)pthread_mutex_unlock(&d->writing);
	return id;
}

static void
write_span(struct rundir *d, const char *text)
{
	(void)pthread_mutex_lock(&d->writing);
	if (d->trace &&
	    (fprintf(d->trace, "%s\n", text) < 0 || fflush(d->trace) != 0)) {
		log_warn("trace", "cannot write: %s", strerror(errno));
		(void)fclose(d->trace);
		d->trace = NULL;
	}
	(void)pthread_mutex_unlock(&d->writing);
}

void
rundir_trace(struct rundir *d, uint64_t id, const struct rundir_span *span)
{
	char start[CLOCK_ISO_BYTES];
	json_t *line = json_object();
	char *text;

	/* From one moment in both clocks: a wall clock that is set meanwhile
	 * would put spans before their parents. */
	clock_iso(d->wall_ms + (span->start_us - d->mono_us) / 1000, start);
	json_object_set_new(line, "span",
	    json_integer((json_int_t)(id ? id : rundir_span_id(d))));
	json_object_set_new(line, "parent",
	    json_integer((json_int_t)span->parent));
	json_object_set_new(line, "name", json_string(span->name));
	json_object_set_new(line, "start", json_string(start));
	json_object_set_new(line, "ms",
	    json_real((double)(span->end_us - span->start_us) / 1000));
	json_object_set_new(line, "status", json_string(span->status));
	if (span->attributes)
		json_object_set_new(line, "attributes", span->attributes);
	text = json_dumps(line,
	    JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(6));
	if (text) {
		mask_text(text);
		write_span(d, text);
	}
	free(text);
	json_decref(line);
}

void
rundir_end_trace(struct rundir *d)
{
	if (d->trace)
		(void)fclose(d->trace);
	d->trace = NULL;
}
