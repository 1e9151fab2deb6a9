/*
 * Lines are appended by one write() each: a run that is killed loses the
 * verdict that it was about to reach, and no other.
 */
#include "tests/proving/daybook.h"

#include "base/digest.h"
#include "base/files.h"
#include "base/mem.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DAYBOOK_BYTES_MAX ((size_t)512 << 20)
#define PROGRAM_BYTES_MAX ((size_t)512 << 20)
#define BUILD_DIGITS      12

struct daybook {
	char *path;  /* owned */
	char *build; /* owned */
	int fd;
	json_t *lines;  /* owned: by seed and key, the last line of each */
	json_t *builds; /* owned: how many verdicts of each count */
	char *last;     /* owned: the seed of the last line; NULL: none */
	bool is_broken; /* it could not be written */
};

/* By its bytes: a version says too little of a tree that is worked on. */
static enum err
name_program(char **ret, struct why *why)
{
	char hex[DIGEST_HEX], *bytes;
	size_t n;
	enum err e =
	    files_read("/proc/self/exe", PROGRAM_BYTES_MAX, &bytes, &n, why);

	if (e != ERR_OK)
		return e;
	digest_sha256_hex(bytes, n, hex);
	hex[BUILD_DIGITS] = '\0';
	*ret = xstrdup(hex);
	free(bytes);
	return ERR_OK;
}

/* A record lock: the workers, and what they start, do not inherit it. */
static enum err
lock(const struct daybook *j, struct why *why)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	if (fcntl(j->fd, F_SETLK, &lock) == 0)
		return ERR_OK;
	if (errno == EACCES || errno == EAGAIN)
		return why_set(why, ERR_EXISTS,
		    "%s: another run keeps its verdicts there", j->path);
	return why_set(why, ERR_IO, "%s: %s", j->path, strerror(errno));
}

/* ---- lines */

const char *
daybook_text(const json_t *said, const char *field)
{
	const char *text = json_string_value(json_object_get(said, field));

	return text ? text : "";
}

double
daybook_number(const json_t *said, const char *field)
{
	return json_number_value(json_object_get(said, field));
}

/* Takes the line over. */
static void
keep_line(struct daybook *j, json_t *line)
{
	const char *seed = daybook_text(line, "seed");
	json_t *of = json_object_get(j->lines, seed);

	/* Whoever goes on with the last seed holds it. */
	if (!j->last || strcmp(j->last, seed) != 0) {
		free(j->last);
		j->last = xstrdup(seed);
	}
	if (json_is_true(json_object_get(line, "forget"))) {
		json_object_clear(of);
		json_decref(line);
		return;
	}
	if (!of) {
		of = json_object();
		json_object_set_new(j->lines, seed, of);
	}
	json_object_set_new(of, daybook_text(line, "key"), line);
}

static enum err
read_line(struct daybook *j, const char *text, size_t len, size_t number,
    struct why *why)
{
	json_t *line = json_loadb(text, len, JSON_REJECT_DUPLICATES, NULL);

	if (daybook_text(line, "seed")[0] && daybook_text(line, "build")[0]) {
		keep_line(j, line);
		return ERR_OK;
	}
	json_decref(line);
	return why_set(why, ERR_SYNTAX, "%s:%zu: no verdict of a run", j->path,
	    number);
}

/* By the descriptor that is there: closing another one of the same file would
 * give the lock back. */
static enum err
read_file(const struct daybook *j, char **ret, size_t *ret_n, struct why *why)
{
	struct stat st;
	size_t size, n = 0;
	char *text;

	if (fstat(j->fd, &st) != 0)
		return why_set(why, ERR_IO, "%s: %s", j->path, strerror(errno));
	size = (size_t)st.st_size;
	if (size > DAYBOOK_BYTES_MAX)
		return why_set(why, ERR_TOOBIG, "%s: too large", j->path);
	text = xmalloc(size + 1);
	while (n < size) {
		ssize_t got = pread(j->fd, text + n, size - n, (off_t)n);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	*ret = text;
	*ret_n = n;
	return ERR_OK;
}

static enum err
read_lines(struct daybook *j, struct why *why)
{
	size_t n = 0, at = 0, number = 0;
	char *text = NULL;
	enum err e = read_file(j, &text, &n, why);

	if (e != ERR_OK)
		return e;
	while (e == ERR_OK && at < n) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t len = end ? (size_t)(end - text) - at : 0;

		if (!end)
			break;
		e = read_line(j, text + at, len, ++number, why);
		at += len + 1;
	}
	free(text);
	if (e == ERR_OK && at < n && ftruncate(j->fd, (off_t)at) != 0)
		e = why_set(why, ERR_IO, "%s: %s", j->path, strerror(errno));
	return e;
}

enum err
daybook_open(const char *path, const char *build, struct daybook **ret,
    struct why *why)
{
	struct daybook *j = xcalloc(1, sizeof *j);
	enum err e = ERR_OK;

	j->path = xstrdup(path);
	j->lines = json_object();
	j->builds = json_object();
	j->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (j->fd < 0)
		e = why_set(why, ERR_IO, "%s: %s", path, strerror(errno));
	if (e == ERR_OK)
		e = lock(j, why);
	if (e == ERR_OK && build)
		j->build = xstrdup(build);
	else if (e == ERR_OK)
		e = name_program(&j->build, why);
	if (e == ERR_OK)
		e = read_lines(j, why);
	if (e == ERR_OK)
		*ret = j;
	else
		daybook_close(j);
	return e;
}

void
daybook_close(struct daybook *j)
{
	if (!j)
		return;
	if (j->fd >= 0)
		close(j->fd);
	json_decref(j->lines);
	json_decref(j->builds);
	free(j->path);
	free(j->build);
	free(j->last);
	free(j);
}

json_t *
daybook_find(const struct daybook *j, const char *seed, const char *key)
{
	return json_object_get(json_object_get(j->lines, seed), key);
}

bool
daybook_is_own(const struct daybook *j, const json_t *said)
{
	return strcmp(daybook_text(said, "build"), j->build) == 0;
}

void
daybook_recall(struct daybook *j, const json_t *said)
{
	const char *build = daybook_text(said, "build");
	json_int_t n = json_integer_value(json_object_get(j->builds, build));

	json_object_set_new(j->builds, build, json_integer(n + 1));
}

static bool
append(struct daybook *j, const char *text)
{
	size_t n = strlen(text);

	return write(j->fd, text, n) == (ssize_t)n;
}

static void
write_line(struct daybook *j, const char *seed, json_t *line)
{
	char *text, *ended;

	json_object_set_new(line, "build", json_string(j->build));
	json_object_set_new(line, "seed", json_string(seed));
	text = json_dumps(line, JSON_COMPACT | JSON_SORT_KEYS);
	ended = xasprintf("%s\n", text);
	/* Nothing behind a line that was cut off. */
	if (!j->is_broken && !append(j, ended)) {
		fprintf(stderr, "%s: %s; verdicts are not kept\n", j->path,
		    strerror(errno));
		j->is_broken = true;
	}
	free(ended);
	free(text);
	keep_line(j, line);
}

void
daybook_add(struct daybook *j, const char *seed, const char *key,
    json_t *fields)
{
	if (!fields)
		return;
	json_object_set_new(fields, "key", json_string(key));
	write_line(j, seed, fields);
	daybook_recall(j, fields);
}

void
daybook_forget(struct daybook *j, const char *seed)
{
	write_line(j, seed, json_pack("{s:b}", "forget", 1));
}

void
daybook_print(const struct daybook *j, FILE *out)
{
	const char *between = "judged by build ", *build;
	json_t *n;

	json_object_foreach(j->builds, build, n) {
		fprintf(out, "%s%s%s: %lld", between, build,
		    strcmp(build, j->build) == 0 ? " (this one)" : "",
		    (long long)json_integer_value(n));
		between = "; by ";
	}
	if (json_object_size(j->builds) > 0)
		fputc('\n', out);
}

/* ---- work that is numbered */

void
daybook_key(const struct daybook_range *r, size_t i, char out[DAYBOOK_KEY_MAX])
{
	if (r->only)
		snprintf(out, DAYBOOK_KEY_MAX, "%zu of %s", r->first + i,
		    r->only);
	else
		snprintf(out, DAYBOOK_KEY_MAX, "%zu", r->first + i);
}

static bool
has_all(const struct daybook *j, const struct daybook_range *r,
    const char *seed)
{
	char key[DAYBOOK_KEY_MAX];

	for (size_t i = 0; i < r->n; i++) {
		daybook_key(r, i, key);
		if (!daybook_find(j, seed, key))
			return false;
	}
	return true;
}

const char *
daybook_seed(struct daybook *j, const struct daybook_range *r,
    const char *asked, const char *fresh)
{
	if (j && asked && has_all(j, r, asked))
		daybook_forget(j, asked);
	if (asked)
		return asked;
	if (j && j->last && !has_all(j, r, j->last))
		return j->last;
	return fresh;
}
