/*
 * The scan writes each value as it comes.  When an object closes, its members
 * stand at the end of the text, so they are put in order there, where nothing
 * has to move but them; an object that came in order costs a comparison a
 * member.  What is open (containers, members) lies in two stacks with a cap.
 *
 * Numbers with a fraction, long ones, and strings with \u or \/ are read and
 * written by jansson, one token at a time.  Names with escapes, deep nesting
 * and very wide objects are left to the tree.
 */
#include "chaos/rules/canonical_json.h"

#include <stdlib.h>
#include <string.h>

#include "base/jscan.h"
#include "base/mem.h"

#define FORM         (JSON_COMPACT | JSON_SORT_KEYS | JSON_ENCODE_ANY)
#define DEPTH_MAX    32
#define MEMBERS_MAX  512
#define PLAIN_DIGITS 18  /* an integer of so many characters stays as it is */
#define PART_MAX     127 /* bytes of a pointer's part */
#define GROWTH       8   /* 1e-5 becomes 1.0000000000000001e-05 */
#define SMALL        64

struct member {
	struct slice name;
	size_t at, n; /* "name":value in the text */
	bool is_ignored;
};

struct container {
	bool is_array;
	size_t at;    /* of its bracket in the text */
	size_t first; /* of its members */
	size_t count; /* members or items so far */
};

struct work {
	struct jscan s;
	struct canon *out;
	struct buf sorted; /* owned; one object's members */
	const struct canon_ignored *ignored;
	size_t matched[CANON_IGNORED_MAX]; /* parts that lead to here */
	const char *value;                 /* of a member of the outermost */
	struct container open[DEPTH_MAX];
	size_t depth;
	struct member members[MEMBERS_MAX];
	size_t nmembers;
};

static const char *const known_names[CANON_NKNOWN] = {
	[CANON_MODEL] = "model",
	[CANON_STREAM] = "stream",
	[CANON_TOOLS] = "tools",
};

static bool
put(struct work *w, const char *p, size_t n)
{
	return buf_add(&w->out->text, p, n) == ERR_OK;
}

/* ---- ignored members */

/* "~1" is a slash and "~0" a tilde (RFC 6901, section 4). */
static void
unescape(const char *p, size_t n, char out[PART_MAX + 1])
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		out[at] = p[i];
		if (p[i] == '~' && i + 1 < n &&
		    (p[i + 1] == '0' || p[i + 1] == '1'))
			out[at] = p[++i] == '1' ? '/' : '~';
		at++;
	}
	out[at] = '\0';
}

/* Part i of a pointer; false when it has fewer. */
static bool
part_of(const char *pointer, size_t i, char out[PART_MAX + 1], bool *is_last)
{
	for (;; i--) {
		size_t n;

		if (*pointer != '/')
			return false;
		n = strcspn(++pointer, "/");
		if (n > PART_MAX)
			return false;
		if (i == 0) {
			unescape(pointer, n, out);
			*is_last = pointer[n] == '\0';
			return true;
		}
		pointer += n;
	}
}

/* SIZE_MAX: no item's; only digits are, and none in front of another is 0. */
static size_t
index_of(const char *part)
{
	if (part[0] == '\0' || part[strspn(part, "0123456789")] != '\0' ||
	    (part[0] == '0' && part[1] != '\0'))
		return SIZE_MAX;
	return strtoul(part, NULL, 10);
}

/* Follows the pointers one step, to the member of that name or (name.p NULL)
 * to that item.  Does one of them end there, at a member? */
static bool
step_into(struct work *w, struct slice name, size_t index)
{
	bool is_ignored = false, is_last, fits;
	char part[PART_MAX + 1];

	for (size_t i = 0; i < w->ignored->n; i++) {
		if (w->matched[i] != w->depth - 1 ||
		    !part_of(w->ignored->pointers[i], w->depth - 1, part,
		        &is_last))
			continue;
		fits = name.p ? slice_is(name, part) : index_of(part) == index;
		if (fits)
			w->matched[i] = w->depth;
		is_ignored |= fits && is_last && name.p;
	}
	return is_ignored;
}

static void
step_out(struct work *w)
{
	for (size_t i = 0; i < w->ignored->n; i++)
		if (w->matched[i] >= w->depth)
			w->matched[i] = w->depth - 1;
}

/* ---- around a value */

static bool
begin_value(struct work *w)
{
	static const struct slice no_name = { NULL, 0 };
	struct container *c;

	if (w->depth == 0)
		return true;
	if (w->depth == 1)
		w->value = w->s.start;
	c = &w->open[w->depth - 1];
	if (!c->is_array)
		return true;
	if (w->ignored->n)
		step_into(w, no_name, c->count);
	return c->count++ == 0 || put(w, ",", 1);
}

static void
note_known(struct work *w, struct slice name)
{
	for (int i = 0; i < CANON_NKNOWN; i++)
		if (slice_is(name, known_names[i]))
			w->out->known[i] = (struct slice){ w->value,
				(size_t)(w->s.p - w->value) };
}

static void
end_value(struct work *w)
{
	struct member *m;

	if (w->depth == 0)
		return;
	if (w->ignored->n)
		step_out(w);
	if (w->open[w->depth - 1].is_array)
		return;
	m = &w->members[w->nmembers - 1];
	m->n = w->out->text.len - m->at;
	if (w->depth == 1)
		note_known(w, m->name);
}

/* ---- scalars: none of them is a document */

static bool
put_scalar(struct work *w, const char *p, size_t n)
{
	bool good = w->depth > 0 && begin_value(w) && put(w, p, n);

	if (good)
		end_value(w);
	return good;
}

static bool
put_token(struct work *w)
{
	return put_scalar(w, w->s.start, (size_t)(w->s.p - w->s.start));
}

static bool
put_by_tree(struct work *w)
{
	json_t *v = json_loadb(w->s.start, (size_t)(w->s.p - w->s.start),
	    JSON_DECODE_ANY, NULL);
	char *text = v ? json_dumps(v, FORM) : NULL;
	bool good = text && put_scalar(w, text, strlen(text));

	free(text);
	json_decref(v);
	return good;
}

/* Has it an escape that jansson would not write? */
static bool
is_odd(struct slice text)
{
	const char *p = text.p, *end = text.p + text.n;

	while ((p = memchr(p, '\\', (size_t)(end - p)))) {
		if (p[1] == 'u' || p[1] == '/')
			return true;
		p += 2;
	}
	return false;
}

static bool
on_string(struct work *w)
{
	return w->s.escaped && is_odd(w->s.text) ? put_by_tree(w)
	                                         : put_token(w);
}

static bool
on_number(struct work *w)
{
	struct slice t = w->s.text;
	bool is_plain = t.n <= PLAIN_DIGITS && !slice_is(t, "-0");

	for (size_t i = 0; i < t.n && is_plain; i++)
		is_plain = t.p[i] == '-' || (t.p[i] >= '0' && t.p[i] <= '9');
	return is_plain ? put_token(w) : put_by_tree(w);
}

/* ---- containers */

static bool
open_container(struct work *w, bool is_array)
{
	if (w->depth == DEPTH_MAX || !begin_value(w))
		return false;
	w->open[w->depth++] = (struct container){ .is_array = is_array,
		.at = w->out->text.len,
		.first = w->nmembers };
	return put(w, is_array ? "[" : "{", 1);
}

static bool
on_array(struct work *w)
{
	return open_container(w, true);
}

static bool
on_object(struct work *w)
{
	return open_container(w, false);
}

static bool
on_key(struct work *w)
{
	struct container *c = &w->open[w->depth - 1];
	struct slice name = w->s.text;
	struct member *m;

	/* A name with an escape may be equal to one without: the tree
	 * decides. */
	if (w->s.escaped || w->nmembers == MEMBERS_MAX ||
	    (c->count++ > 0 && !put(w, ",", 1)))
		return false;
	m = &w->members[w->nmembers++];
	m->name = name;
	m->at = w->out->text.len;
	m->is_ignored = w->ignored->n && step_into(w, name, 0);
	/* With the quotes, which the scan leaves out of a text. */
	return put(w, name.p - 1, name.n + 2) && put(w, ":", 1);
}

static bool
close_container(struct work *w, const char *bracket)
{
	w->nmembers = w->open[--w->depth].first;
	if (!put(w, bracket, 1))
		return false;
	end_value(w);
	return true;
}

static bool
on_array_end(struct work *w)
{
	return close_container(w, "]");
}

static int
by_name(const void *a, const void *b)
{
	struct slice x = ((const struct member *)a)->name;
	struct slice y = ((const struct member *)b)->name;
	int order = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);

	return order ? order : (x.n > y.n) - (x.n < y.n);
}

/* No name twice, in order, and nothing to leave out: as it stands. */
static bool
is_in_order(const struct member *m, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (m[i].is_ignored ||
		    (i > 0 && by_name(&m[i - 1], &m[i]) >= 0))
			return false;
	return true;
}

/* Writes the n members behind `at` again.  False: a name stands twice. */
static bool
put_in_order(struct work *w, size_t at, struct member *m, size_t n)
{
	struct buf *text = &w->out->text, *sorted = &w->sorted;
	enum err e = ERR_OK;

	buf_clear(sorted);
	qsort(m, n, sizeof *m, by_name);
	for (size_t i = 0; i < n && e == ERR_OK; i++) {
		if (i > 0 && by_name(&m[i - 1], &m[i]) == 0)
			return false;
		if (m[i].is_ignored)
			continue;
		if (sorted->len)
			e = buf_addc(sorted, ',');
		if (e == ERR_OK)
			e = buf_add(sorted, text->data + m[i].at, m[i].n);
	}
	text->len = at;
	return e == ERR_OK && put(w, sorted->data, sorted->len);
}

static bool
on_object_end(struct work *w)
{
	struct container *c = &w->open[w->depth - 1];
	struct member *m = &w->members[c->first];
	size_t n = w->nmembers - c->first;

	return (is_in_order(m, n) || put_in_order(w, c->at + 1, m, n)) &&
	    close_container(w, "}");
}

/* ---- the document */

static bool (*const on_token[JSCAN_NTOKENS])(struct work *w) = {
	[JSCAN_OBJECT] = on_object,
	[JSCAN_OBJECT_END] = on_object_end,
	[JSCAN_ARRAY] = on_array,
	[JSCAN_ARRAY_END] = on_array_end,
	[JSCAN_KEY] = on_key,
	[JSCAN_STRING] = on_string,
	[JSCAN_NUMBER] = on_number,
	[JSCAN_TRUE] = put_token,
	[JSCAN_FALSE] = put_token,
	[JSCAN_NULL] = put_token,
};

/* Member by member: the stacks are large, and only written before read. */
static void
work_init(struct work *w, struct slice document,
    const struct canon_ignored *ignored, struct canon *out)
{
	jscan_init(&w->s, document);
	w->out = out;
	w->ignored = ignored;
	memset(w->matched, 0, sizeof w->matched);
	w->value = NULL;
	w->depth = w->nmembers = 0;
	buf_init(&w->sorted, document.n * GROWTH + SMALL);
}

bool
canon_scan(struct slice document, const struct canon_ignored *ignored,
    struct canon *ret)
{
	struct canon c = { .known = { { NULL, 0 } } };
	enum jscan_token t;
	struct work w;

	work_init(&w, document, ignored, &c);
	buf_init(&c.text, document.n * GROWTH + SMALL);
	while ((t = jscan_next(&w.s)) != JSCAN_END)
		if (!on_token[t] || !on_token[t](&w))
			break;
	buf_done(&w.sorted);
	if (t != JSCAN_END) {
		canon_done(&c);
		return false;
	}
	*ret = c;
	return true;
}

void
canon_done(struct canon *c)
{
	buf_done(&c->text);
}

/* ---- the tree */

static void
remove_member(json_t *v, const char *pointer)
{
	char name[PART_MAX + 1];
	bool is_last;

	for (size_t i = 0; part_of(pointer, i, name, &is_last); i++) {
		if (is_last && json_is_object(v))
			json_object_del(v, name);
		v = json_is_array(v) ? json_array_get(v, index_of(name))
		                     : json_object_get(v, name);
	}
}

char *
canon_tree(json_t *v, const struct canon_ignored *ignored)
{
	char *text;

	if (!v)
		return NULL;
	v = ignored->n ? json_deep_copy(v) : json_incref(v);
	for (size_t i = 0; i < ignored->n; i++)
		remove_member(v, ignored->pointers[i]);
	text = json_dumps(v, FORM);
	json_decref(v);
	return text;
}
