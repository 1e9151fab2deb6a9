/*
 * One reader per type, in a table indexed by the type.  A reader returns
 * what it expected when the value does not fit, NULL when it was taken.
 */
#include "gateway/text/conf_field.h"

#include "base/mask.h"
#include "gateway/text/short_text.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FINDINGS_MAX 65536

/* ---- findings */

void
findings_init(struct findings *f, const char *file)
{
	memset(f, 0, sizeof *f);
	f->file = file;
	buf_init(&f->text, FINDINGS_MAX);
}

void
findings_done(struct findings *f)
{
	buf_done(&f->text);
}

/* "FILE:LINE: PATH: what", cut when it is longer than a line may be. */
static void
compose(const struct findings *f, const struct ynode *at, const char *what,
    char out[WHY_MAX])
{
	char path[YNODE_PATH_MAX];

	if (!at) {
		mask_format(out, WHY_MAX, "%s", what);
		return;
	}
	ynode_path(at, path);
	mask_format(out, WHY_MAX, "%s:%u: %s: %s", f->file, at->line, path,
	    what);
}

void
findings_error(struct findings *f, const struct ynode *at, const char *fmt, ...)
{
	char what[WHY_MAX], line[WHY_MAX];
	va_list ap;

	va_start(ap, fmt);
	mask_vformat(what, sizeof what, fmt, ap);
	va_end(ap);
	compose(f, at, what, line);
	if (f->errors++ == 0)
		memcpy(f->first_error, line, sizeof line);
	buf_addf(&f->text, "error: %s\n", line);
}

void
findings_warn(struct findings *f, const struct ynode *at, const char *fmt, ...)
{
	char what[WHY_MAX], line[WHY_MAX];
	va_list ap;

	va_start(ap, fmt);
	mask_vformat(what, sizeof what, fmt, ap);
	va_end(ap);
	compose(f, at, what, line);
	f->warnings++;
	buf_addf(&f->text, "warning: %s\n", line);
}

/* ---- statuses */

void
status_set_add(struct status_set *s, int status)
{
	if (status >= 0 && status < 640)
		s->bits[status / 64] |= UINT64_C(1) << (status % 64);
}

bool
status_set_has(const struct status_set *s, int status)
{
	return status >= 0 && status < 640 &&
	    (s->bits[status / 64] >> (status % 64) & 1);
}

/* ---- scalars */

/* 010 is eight to some readers of YAML and ten to others. */
static bool
is_octal(const char *s)
{
	s += *s == '-';
	return s[0] == '0' && s[1] != '\0';
}

static bool
scalar_int(const struct ynode *n, int64_t *ret)
{
	char *end;
	long long v;

	if (n->kind != YNODE_SCALAR || n->text[0] == '\0' ||
	    n->text[0] == ' ' || n->text[0] == '+' || is_octal(n->text))
		return false;
	errno = 0;
	v = strtoll(n->text, &end, 10);
	if (errno || *end)
		return false;
	*ret = v;
	return true;
}

static bool
scalar_real(const struct ynode *n, double *ret)
{
	char *end;
	double v;

	if (n->kind != YNODE_SCALAR || !n->plain ||
	    !strchr("-.0123456789", n->text[0]) || n->text[0] == '\0')
		return false;
	v = strtod(n->text, &end);
	if (*end || !isfinite(v))
		return false;
	*ret = v;
	return true;
}

static bool
scalar_bool(const struct ynode *n, bool *ret)
{
	if (n->kind != YNODE_SCALAR || !n->plain ||
	    (strcmp(n->text, "true") != 0 && strcmp(n->text, "false") != 0))
		return false;
	*ret = n->text[0] == 't';
	return true;
}

/* Text that a header, a log line and a terminal may all carry. */
static bool
is_printable(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || (unsigned char)*s > 0x7e)
			return false;
	return true;
}

bool
cfield_is_string(const struct ynode *n)
{
	bool b;
	double r;

	if (n->kind != YNODE_SCALAR || ynode_is_null(n))
		return false;
	return !n->plain || (!scalar_bool(n, &b) && !scalar_real(n, &r));
}

/* ---- readers, by type */

typedef const char *read_fn(const struct cfield *row, const struct ynode *n,
    void *to);

static const char *
read_string(const struct cfield *row, const struct ynode *n, void *to)
{
	(void)row;
	if (!cfield_is_string(n) || n->text[0] == '\0' ||
	    !is_printable(n->text))
		return "a printable string";
	*(const char **)to = n->text;
	return NULL;
}

/* No control characters, C1's neither; YAML is valid UTF-8. */
static bool
is_text(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < 0x20 || *s == 0x7f ||
		    ((unsigned char)*s == 0xc2 && (unsigned char)s[1] < 0xa0))
			return false;
	return true;
}

static const char *
read_text(const struct cfield *row, const struct ynode *n, void *to)
{
	(void)row;
	if (!cfield_is_string(n) || n->text[0] == '\0' || !is_text(n->text))
		return "a string without control characters";
	*(const char **)to = n->text;
	return NULL;
}

static const char *
read_int(const struct cfield *row, const struct ynode *n, void *to)
{
	int64_t v;

	if (!n->plain || !scalar_int(n, &v))
		return "an integer";
	if ((double)v < row->min || (double)v > row->max)
		return "an integer in range";
	*(int64_t *)to = v;
	return NULL;
}

static const char *
read_real(const struct cfield *row, const struct ynode *n, void *to)
{
	double v;

	if (!scalar_real(n, &v))
		return "a number";
	if (v < row->min || v > row->max)
		return "a number in range";
	*(double *)to = v;
	return NULL;
}

static const char *
read_bool(const struct cfield *row, const struct ynode *n, void *to)
{
	(void)row;
	return scalar_bool(n, to) ? NULL : "true or false";
}

static const char *
read_enum(const struct cfield *row, const struct ynode *n, void *to)
{
	if (!cfield_is_string(n))
		return "a string";
	for (int i = 0; row->names[i]; i++) {
		if (strcmp(row->names[i], n->text) == 0) {
			*(int *)to = i;
			return NULL;
		}
	}
	return "one of the names the manual lists";
}

static const char *
read_statuses(const struct cfield *row, const struct ynode *n, void *to)
{
	static const char want[] = "a list of statuses from 100 to 599";
	struct status_set set = { { 0 } };
	int64_t v;

	(void)row;
	if (n->kind != YNODE_SEQ)
		return want;
	for (const struct ynode *c = n->first; c; c = c->next) {
		if (!scalar_int(c, &v) || v < 100 || v > 599)
			return want;
		status_set_add(&set, (int)v);
	}
	*(struct status_set *)to = set;
	return NULL;
}

static const char *
read_strings(const struct cfield *row, const struct ynode *n, void *to)
{
	(void)row;
	if (n->kind != YNODE_SEQ)
		return "a list of strings";
	for (const struct ynode *c = n->first; c; c = c->next)
		if (!cfield_is_string(c) || !is_printable(c->text))
			return "a list of strings";
	*(const struct ynode **)to = n;
	return NULL;
}

static const char *
read_strmap(const struct cfield *row, const struct ynode *n, void *to)
{
	(void)row;
	if (n->kind != YNODE_MAP)
		return "a map to strings";
	for (const struct ynode *c = n->first; c; c = c->next)
		if (c->kind != YNODE_SCALAR)
			return "a map to strings";
	*(const struct ynode **)to = n;
	return NULL;
}

static const char *
read_map(const struct cfield *row, const struct ynode *n, void *to)
{
	(void)row;
	if (n->kind != YNODE_MAP)
		return "a map";
	*(const struct ynode **)to = n;
	return NULL;
}

static const char *
read_list(const struct cfield *row, const struct ynode *n, void *to)
{
	(void)row;
	if (n->kind != YNODE_SEQ)
		return "a list";
	*(const struct ynode **)to = n;
	return NULL;
}

static const char *
read_any(const struct cfield *row, const struct ynode *n, void *to)
{
	(void)row;
	*(const struct ynode **)to = n;
	return NULL;
}

static const char *
read_ignored(const struct cfield *row, const struct ynode *n, void *to)
{
	(void)row;
	(void)n;
	(void)to;
	return NULL;
}

static read_fn *const readers[CF_NTYPES] = {
	[CF_STRING] = read_string,
	[CF_TEXT] = read_text,
	[CF_INT] = read_int,
	[CF_REAL] = read_real,
	[CF_BOOL] = read_bool,
	[CF_ENUM] = read_enum,
	[CF_STATUSES] = read_statuses,
	[CF_STRINGS] = read_strings,
	[CF_STRMAP] = read_strmap,
	[CF_MAP] = read_map,
	[CF_LIST] = read_list,
	[CF_ANY] = read_any,
	[CF_IGNORED] = read_ignored,
};

/* ---- maps */

/* What stands there, for a person: `"abc"`, `a list`. */
static void
describe(const struct ynode *n, char *out, size_t size)
{
	if (n->kind == YNODE_MAP)
		snprintf(out, size, "a map");
	else if (n->kind == YNODE_SEQ)
		snprintf(out, size, "a list");
	else if (ynode_is_null(n))
		snprintf(out, size, "nothing");
	else if (n->plain)
		snprintf(out, size, "%.60s", n->text);
	else
		snprintf(out, size, "\"%.60s\"", n->text);
}

static void
read_value(const struct cfield *row, const struct ynode *n, char *dst,
    struct findings *f)
{
	const char *want = readers[row->type](row, n, dst + row->offset);
	char found[80], names[256] = "";
	struct short_text l;

	if (!want)
		return;
	describe(n, found, sizeof found);
	if (row->type == CF_ENUM) {
		short_text_init(&l, names, sizeof names);
		for (size_t i = 0; row->names[i]; i++) {
			short_text_add(&l, i ? ", " : ": ");
			short_text_add(&l, row->names[i]);
		}
	} else if (row->type == CF_INT || row->type == CF_REAL) {
		snprintf(names, sizeof names, " from %.15g to %.15g", row->min,
		    row->max);
	}
	findings_error(f, n, "found %s, expected %s%s", found, want, names);
}

void
cfield_read(const struct ynode *map, const struct cfield *rows, size_t n,
    void *dst, struct findings *f)
{
	char found[80];
	size_t i;

	if (map->kind != YNODE_MAP) {
		describe(map, found, sizeof found);
		findings_error(f, map, "found %s, expected a map", found);
		return;
	}
	for (const struct ynode *c = map->first; c; c = c->next) {
		for (i = 0; i < n && strcmp(rows[i].key, c->key) != 0; i++)
			;
		if (i == n)
			findings_warn(f, c, "unknown key, ignored");
		else
			read_value(&rows[i], c, dst, f);
	}
	for (i = 0; i < n; i++)
		if (rows[i].required && !ynode_get(map, rows[i].key))
			findings_error(f, map, "the key %s is missing",
			    rows[i].key);
}
