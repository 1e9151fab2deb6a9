/*
 * A candidate as a .cl file: the facts are `// KEY: VALUE` lines among the
 * comments that open it, before the first line that is none.  Other comments
 * there, of both kinds, are prose; blanks stand where they like.
 */
#include "cltext/candidate.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/slice.h"
#include "cltext/candidate_check.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Answers are capped well below. */
#define FILE_TEXT_MAX ((size_t)16 * CANDIDATE_SOURCE_MAX)

static enum err read_header(const char *name, const char *text,
    struct candidate *c, struct why *why);

enum err
candidate_parse_file(const char *name, const char *text, size_t len,
    struct candidate *ret, struct why *why)
{
	struct candidate c = { 0 };
	const char *code;
	json_t *utf8;
	enum err e;

	if (len > CANDIDATE_SOURCE_MAX)
		return why_set(why, ERR_SYNTAX,
		    "%s: %zu bytes: expected at most %d", name, len,
		    CANDIDATE_SOURCE_MAX);
	/* Jansson reads the bytes as it will when a report carries them: what
	 * it refuses here could not be written there. */
	utf8 = json_stringn(text, len);
	if (!utf8 || memchr(text, '\0', len)) {
		json_decref(utf8);
		return why_set(why, ERR_SYNTAX, "%s: not UTF-8 text", name);
	}
	json_decref(utf8);
	code = candidate_behind_mark(text, len);
	c.source = xstrndup(code, len - (size_t)(code - text));
	e = read_header(name, c.source, &c, why);
	if (e != ERR_OK) {
		candidate_done(&c);
		return e;
	}
	*ret = c;
	return ERR_OK;
}

/* Splits at top-level commas; ERR_RANGE past CANDIDATE_DIMS_MAX. */
static enum err
split_sizes(struct slice v, char *out[CANDIDATE_DIMS_MAX], size_t *n)
{
	int depth = 0;
	size_t from = 0;

	/* One step past the end, which closes the last value as a comma
	 * does. */
	for (size_t i = 0; i <= v.n; i++) {
		struct slice one = { v.p + from, i - from };

		if (i < v.n && v.p[i] == '(')
			depth++;
		if (i < v.n && v.p[i] == ')')
			depth--;
		/* A comma inside parentheses belongs to a function's
		 * arguments. */
		if (i < v.n && (v.p[i] != ',' || depth > 0))
			continue;
		if (*n == CANDIDATE_DIMS_MAX)
			return ERR_RANGE;
		out[(*n)++] = slice_dup(slice_trim(one));
		from = i + 1;
	}
	return ERR_OK;
}

/* `// KEY: VALUE` at p: the value, trimmed, or an empty p. */
static struct slice
header_value(struct slice line, const char *key)
{
	size_t n = strlen(key);
	struct slice v = { line.p + 2, line.n - 2 };

	v = slice_trim(v);
	if (v.n <= n || memcmp(v.p, key, n) != 0)
		return (struct slice){ NULL, 0 };
	/* A word that only begins like the key is prose: "local memory holds a
	 * row:" is no size. */
	v = slice_trim((struct slice){ v.p + n, v.n - n });
	if (v.n == 0 || *v.p != ':')
		return (struct slice){ NULL, 0 };
	return slice_trim((struct slice){ v.p + 1, v.n - 1 });
}

static enum err
header_line(struct candidate *c, struct slice line, size_t *nlocal)
{
	struct slice v;

	if ((v = header_value(line, "entry")).p) {
		if (c->entry)
			return ERR_EXISTS;
		c->entry = slice_dup(v);
	} else if ((v = header_value(line, "global")).p) {
		return c->ndims ? ERR_EXISTS
		                : split_sizes(v, c->global, &c->ndims);
	} else if ((v = header_value(line, "local")).p) {
		return *nlocal ? ERR_EXISTS : split_sizes(v, c->local, nlocal);
	} else if ((v = header_value(line, "assume")).p) {
		if (c->nassumptions == CANDIDATE_NOTES_MAX)
			return ERR_RANGE;
		c->assumptions[c->nassumptions++] = slice_dup(v);
	}
	return ERR_OK;
}

/* The next // comment, past blanks and comments of the other kind; NULL: the
 * code begins. */
static const char *
next_comment(const char *text, size_t *line)
{
	for (;; text++) {
		const char *end = text;

		if (strncmp(text, "//", 2) == 0)
			return text;
		if (strncmp(text, "/*", 2) == 0)
			end = strstr(text + 2, "*/");
		else if (!isspace((unsigned char)*text))
			return NULL;
		/* A comment that nothing closes: what follows is not code
		 * either, and the compiler will say so. */
		if (!end)
			return NULL;
		for (; text < end; text++)
			*line += *text == '\n';
		*line += *text == '\n';
		/* Past the '*' of a comment's end; the loop's own step takes
		 * the '/'. */
		text += *text == '*';
	}
}

static enum err
read_header(const char *name, const char *text, struct candidate *c,
    struct why *why)
{
	size_t nlocal = 0, line = 1;
	enum err e;

	while ((text = next_comment(text, &line)) != NULL) {
		/* A carriage return ends the line as well, for files that come
		 * from Windows. */
		size_t n = strcspn(text, "\r\n");

		e = header_line(c, (struct slice){ text, n }, &nlocal);
		if (e == ERR_EXISTS)
			return why_set(why, ERR_SYNTAX,
			    "%s:%zu: a second line of this key", name, line);
		if (e != ERR_OK)
			return why_set(why, ERR_SYNTAX,
			    "%s:%zu: too many values", name, line);
		text += n;
	}
	e = candidate_check(c, nlocal, why);
	return e ? why_prefix(why, ERR_SYNTAX, "%s", name) : ERR_OK;
}

static void
add_list(struct buf *b, const char *key, char *const *items, size_t n)
{
	buf_addf(b, "// %s: ", key);
	for (size_t i = 0; i < n; i++)
		buf_addf(b, "%s%s", i > 0 ? ", " : "", items[i]);
	buf_addc(b, '\n');
}

static bool
same_strings(char *const *a, char *const *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return true;
}

/* Does the source open with a header that says what the fields say? */
static bool
opens_with_header(const struct candidate *c)
{
	struct candidate h = { 0 };
	bool same;

	/* A source that came from such a file still has its lines; written
	 * twice, they would be refused when it is read again. */
	if (candidate_parse_file("", c->source, strlen(c->source), &h, NULL))
		return false;
	same = h.entry && strcmp(h.entry, c->entry) == 0 &&
	    h.ndims == c->ndims && same_strings(h.global, c->global, h.ndims) &&
	    same_strings(h.local, c->local, h.ndims);
	candidate_done(&h);
	return same;
}

char *
candidate_to_file(const struct candidate *c)
{
	struct buf b;

	if (opens_with_header(c))
		return xstrdup(c->source);
	buf_init(&b, FILE_TEXT_MAX);
	buf_addf(&b, "// entry: %s\n", c->entry);
	add_list(&b, "global", c->global, c->ndims);
	add_list(&b, "local", c->local, c->ndims);
	for (size_t i = 0; i < c->nassumptions; i++) {
		size_t from = b.len;

		buf_addf(&b, "// assume: %s", c->assumptions[i]);
		/* The model's own words: a newline among them would end the
		 * comment and begin code. */
		for (char *p = b.data + from; *p; p++)
			if (iscntrl((unsigned char)*p))
				*p = ' ';
		buf_addc(&b, '\n');
	}
	buf_addf(&b, "\n%s", c->source);
	return buf_take(&b);
}
