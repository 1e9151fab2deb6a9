/*
 * Lifting is what makes JSON inside JSON exact: an edit of OpenCL C becomes
 * an edit of the answer's content, and that an edit of the HTTP body, without
 * anything in between being parsed and printed again.
 */
#include "chaos/text/json_splice.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define ESCAPED_MAX (1u << 20)

enum err
splices_add(struct splices *s, size_t at, size_t n, struct slice text)
{
	if (s->n == SPLICE_MAX)
		return ERR_TOOBIG;
	s->items[s->n++] = (struct splice){ at, n, slice_dup(text) };
	return ERR_OK;
}

enum err
splices_insert(struct splices *s, size_t at, size_t n, struct slice text)
{
	enum err e = splices_add(s, at, n, text);

	/* Kept in order here, because edits come in the order of the places
	 * that are asked for and are applied in the order of the text. */
	for (size_t i = s->n - 1; e == ERR_OK && i > 0; i--) {
		struct splice last = s->items[i];

		if (s->items[i - 1].at <= last.at)
			break;
		s->items[i] = s->items[i - 1];
		s->items[i - 1] = last;
	}
	return e;
}

void
splices_done(struct splices *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->items[i].text);
	s->n = 0;
}

bool
splices_change(const struct splices *s, struct slice text)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct splice *x = &s->items[i];

		if (strlen(x->text) != x->n ||
		    memcmp(x->text, text.p + x->at, x->n) != 0)
			return true;
	}
	return false;
}

enum err
splices_apply(const struct splices *s, struct slice text, struct buf *out)
{
	size_t from = 0;
	enum err e = ERR_OK;

	for (size_t i = 0; i < s->n && e == ERR_OK; i++) {
		const struct splice *x = &s->items[i];

		e = buf_add(out, text.p + from, x->at - from);
		if (e == ERR_OK)
			e = buf_adds(out, x->text);
		from = x->at + x->n;
	}
	return e == ERR_OK ? buf_add(out, text.p + from, text.n - from) : e;
}

enum err
splices_lift(const struct splices *s, const struct jtext *t,
    struct splices *ret)
{
	struct buf escaped;
	enum err e = ERR_OK;

	buf_init(&escaped, ESCAPED_MAX);
	for (size_t i = 0; i < s->n && e == ERR_OK; i++) {
		const struct splice *x = &s->items[i];
		size_t at = t->at[x->at], end = t->at[x->at + x->n];

		buf_clear(&escaped);
		e = jspan_escape(&escaped, slice_of(x->text));
		if (e == ERR_OK)
			e = splices_add(ret, at, end - at,
			    (struct slice){ escaped.data, escaped.len });
	}
	buf_done(&escaped);
	return e;
}
