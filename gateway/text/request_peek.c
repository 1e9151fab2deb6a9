/*
 * The pass over the body keeps nothing but the table of
 * members; the splice walks that table once, copying the gaps between the
 * replaced values.
 */
#include "gateway/text/request_peek.h"

#include <string.h>

static enum err
bad(const struct jscan *s, struct why *why)
{
	return why_set(why, ERR_SYNTAX, "body: byte %zu: expected %s",
	    jscan_offset(s), s->fault);
}

size_t
peek_bytes(const struct peek *k)
{
	return offsetof(struct peek, members) + k->n * sizeof k->members[0];
}

const struct peek_member *
peek_find(const struct peek *k, struct slice name)
{
	for (size_t i = 0; i < k->n; i++)
		if (slice_same(k->members[i].name, name))
			return &k->members[i];
	return NULL;
}

/* The scanner stands after a name: takes it and its value. */
static enum err
take_member(struct jscan *s, struct peek *k, struct why *why)
{
	struct peek_member *m = &k->members[k->n];
	const char *start;

	if (k->n == PEEK_MEMBERS_MAX)
		return why_set(why, ERR_TOOBIG,
		    "body: more than %d members at the top level",
		    PEEK_MEMBERS_MAX);
	if (s->escaped)
		return why_set(why, ERR_SYNTAX,
		    "body: byte %zu: escapes in a member name at the top level",
		    jscan_offset(s));
	if (peek_find(k, s->text))
		return why_set(why, ERR_SYNTAX,
		    "body: member \"%.*s\" stands twice",
		    (int)(s->text.n < 64 ? s->text.n : 64), s->text.p);
	m->name = s->text;
	m->type = jscan_next(s);
	start = s->start;
	if (m->type == JSCAN_OBJECT || m->type == JSCAN_ARRAY)
		jscan_skip(s);
	if (s->fault)
		return bad(s, why);
	m->value = (struct slice){ start, (size_t)(s->p - start) };
	k->n++;
	return ERR_OK;
}

enum err
peek_read(struct slice body, struct peek *ret, struct why *why)
{
	struct jscan s;
	enum jscan_token t;
	enum err e;

	ret->body = body;
	ret->n = 0;
	jscan_init(&s, body);
	if ((t = jscan_next(&s)) != JSCAN_OBJECT)
		return t == JSCAN_ERROR
		    ? bad(&s, why)
		    : why_set(why, ERR_SYNTAX, "body: expected a JSON object");
	ret->inside = jscan_offset(&s);
	while ((t = jscan_next(&s)) == JSCAN_KEY)
		if ((e = take_member(&s, ret, why)) != ERR_OK)
			return e;
	if (t != JSCAN_OBJECT_END || jscan_next(&s) != JSCAN_END)
		return bad(&s, why);
	return ERR_OK;
}

bool
peek_string(const struct peek *k, const char *name, char *out, size_t size)
{
	const struct peek_member *m = peek_get(k, name);

	if (!m || m->type != JSCAN_STRING)
		return false;
	return jscan_unescape((struct slice){ m->value.p + 1, m->value.n - 2 },
	    out, size);
}

bool
peek_is_true(const struct peek *k, const char *name)
{
	const struct peek_member *m = peek_get(k, name);

	return m && m->type == JSCAN_TRUE;
}

static const struct peek_edit *
edit_of(const struct peek_member *m, const struct peek_edit *edits, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_is(m->name, edits[i].name))
			return &edits[i];
	return NULL;
}

static enum err
add_member(struct buf *out, const char *comma, const struct peek_edit *edit)
{
	enum err e = buf_addf(out, "%s\"%s\":", comma, edit->name);

	return e == ERR_OK ? buf_adds(out, edit->json) : e;
}

/* The members the body lacks go first, just inside the brace. */
static enum err
add_missing(const struct peek *k, const struct peek_edit *edits, size_t n,
    struct buf *out)
{
	const char *comma = "";
	enum err e;

	for (size_t i = 0; i < n; i++) {
		if (peek_get(k, edits[i].name))
			continue;
		if ((e = add_member(out, comma, &edits[i])) != ERR_OK)
			return e;
		comma = ",";
	}
	return *comma && k->n > 0 ? buf_addc(out, ',') : ERR_OK;
}

enum err
peek_splice(const struct peek *k, const struct peek_edit *edits, size_t n,
    struct buf *out)
{
	const char *from = k->body.p, *end = k->body.p + k->body.n;
	const struct peek_edit *edit;
	enum err e;

	if ((e = buf_add(out, from, k->inside)) != ERR_OK ||
	    (e = add_missing(k, edits, n, out)) != ERR_OK)
		return e;
	from += k->inside;
	for (size_t i = 0; i < k->n; i++) {
		const struct slice *v = &k->members[i].value;

		if (!(edit = edit_of(&k->members[i], edits, n)))
			continue;
		if ((e = buf_add(out, from, (size_t)(v->p - from))) != ERR_OK ||
		    (e = buf_adds(out, edit->json)) != ERR_OK)
			return e;
		from = v->p + v->n;
	}
	return buf_add(out, from, (size_t)(end - from));
}
