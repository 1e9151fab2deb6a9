/*
 * An answer is text with, perhaps, a kernel somewhere.  The candidate object
 * is looked for at each '{' (a bounded number of them, so that a hostile
 * answer of braces costs no more), then the first fence with a kernel.
 */
#include "chaos/text/kernel_rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cltext/candidate.h"

#define BRACES_MAX 64
#define FENCE      "```"
#define KERNEL     "kernel"
#define RETURNS    "void"

#define UNICODE_ESCAPE 6

_Static_assert(SPLICE_MAX >= CORRUPT_EDITS_MAX, "a site fits");

/* Where the kernel's source is: decoded text, or a range of the content. */
struct source {
	struct jtext json; /* when is_json */
	bool is_json;
	size_t at;     /* of bare code */
	size_t begins; /* it, or its object */
	struct slice text;
};

static const char *
find_text(const char *p, const char *end, const char *what)
{
	return memmem(p, (size_t)(end - p), what, strlen(what));
}

/* "__kernel", or "kernel" and a return type: the word alone may be a
 * comment's. */
static bool
has_kernel(struct slice text)
{
	const char *end = text.p + text.n, *p = text.n ? text.p : end;

	while ((p = find_text(p, end, KERNEL))) {
		const char *at = p + strlen(KERNEL);

		if (p - text.p >= 2 && p[-1] == '_' && p[-2] == '_')
			return true;
		while (at < end && strchr(" \t\r\n", *at))
			at++;
		if (end - at >= (ptrdiff_t)strlen(RETURNS) &&
		    memcmp(at, RETURNS, strlen(RETURNS)) == 0)
			return true;
		p += strlen(KERNEL);
	}
	return false;
}

static bool
find_in_object(struct slice object, size_t base, struct source *ret)
{
	static const char *const source_key[] = { "source" };
	static const char *const entry_key[] = { "entry" };
	struct jspan source, entry;
	struct jtext t;

	if (!jspan_find(object, source_key, 1, &source) ||
	    jtext_read(object, source, &t) != ERR_OK)
		return false;
	/* An object with an entry's name is a candidate, whatever its source
	 * says: its kernel may be made by a macro. */
	if (!has_kernel((struct slice){ t.p, t.n }) &&
	    !(jspan_find(object, entry_key, 1, &entry) &&
	        object.p[entry.at] == '"')) {
		jtext_done(&t);
		return false;
	}
	for (size_t i = 0; i <= t.n; i++)
		t.at[i] += (uint32_t)base;
	*ret = (struct source){ .json = t,
		.is_json = true,
		.begins = base,
		.text = { t.p, t.n } };
	return true;
}

static size_t
skip_space(struct slice s, size_t at)
{
	while (at < s.n && strchr(" \t\r\n", s.p[at]))
		at++;
	return at;
}

/* A JSON string that has no end yet, as far as its last whole escape. */
static bool
read_open_string(struct slice s, size_t at, struct jtext *ret)
{
	struct buf closed;
	size_t n = at + 1, cut = n;
	enum err e;

	while (n < s.n) {
		n += s.p[n] != '\\'                    ? 1
		    : n + 1 < s.n && s.p[n + 1] == 'u' ? UNICODE_ESCAPE
		                                       : 2;
		cut = n <= s.n ? n : cut;
	}
	buf_init(&closed, s.n + 1);
	buf_add(&closed, s.p, cut);
	buf_addc(&closed, '"');
	e = jtext_read((struct slice){ closed.data, closed.len },
	    (struct jspan){ at, cut + 1 - at }, ret);
	buf_done(&closed);
	return e == ERR_OK;
}

/* The object that begins at byte `at` is on its way, its source too: or the
 * source is here and what comes behind it is not. */
static bool
find_in_open_object(struct slice s, size_t at, struct source *ret)
{
	struct jspan key, value;
	struct jtext t;
	bool is_whole;

	for (;; at = value.at + value.n) {
		at = skip_space(s, at + (at < s.n && s.p[at] != '"'));
		if (!jspan_value(s, at, &key) || s.p[key.at] != '"')
			return false;
		at = skip_space(s, key.at + key.n);
		if (at >= s.n || s.p[at] != ':')
			return false;
		at = skip_space(s, at + 1);
		is_whole = jspan_value(s, at, &value);
		if (jspan_is_key(s, key, "source") && at < s.n &&
		    s.p[at] == '"')
			break;
		if (!is_whole)
			return false;
		value.n = skip_space(s, value.at + value.n) - value.at;
	}
	if (!(is_whole ? jtext_read(s, value, &t) == ERR_OK
	               : read_open_string(s, at, &t)))
		return false;
	if (!has_kernel((struct slice){ t.p, t.n })) {
		jtext_done(&t);
		return false;
	}
	*ret = (struct source){ .json = t,
		.is_json = true,
		.begins = at,
		.text = { t.p, t.n } };
	return true;
}

static bool
find_json(struct slice content, bool is_open, struct source *ret)
{
	size_t at = 0;

	for (int tries = 0; tries < BRACES_MAX; tries++, at++) {
		const char *brace = memchr(content.p + at, '{', content.n - at);
		struct jspan span;

		if (!brace)
			return false;
		at = (size_t)(brace - content.p);
		if (jspan_value(content, at, &span)) {
			if (find_in_object((struct slice){ brace, span.n }, at,
			        ret))
				return true;
		} else if (is_open && find_in_open_object(content, at, ret)) {
			return true;
		}
	}
	return false;
}

/* Code, not a JSON object in a fence. */
static bool
is_code(const char *open, const char *close)
{
	struct slice text = { open, (size_t)(close - open) };
	size_t at = skip_space(text, 0);

	return has_kernel(text) && text.p[at] != '{';
}

static bool
find_fenced(struct slice content, bool is_open, struct source *ret)
{
	const char *p = content.p, *end = content.p + content.n, *open, *close;

	while ((open = find_text(p, end, FENCE))) {
		open = memchr(open, '\n', (size_t)(end - open));
		close = open ? find_text(open, end, "\n" FENCE) : NULL;
		if (!close && open && is_open)
			close = end;
		if (!close)
			return false;
		open++;
		if (open < close && is_code(open, close)) {
			*ret =
			    (struct source){ .at = (size_t)(open - content.p),
				    .begins = (size_t)(open - content.p),
				    .text = { open, (size_t)(close - open) } };
			return true;
		}
		if (close == end)
			return false;
		p = close + 1 + strlen(FENCE);
	}
	return false;
}

/* The one that begins first. */
static bool
find_source(struct slice content, bool is_open, struct source *ret)
{
	struct source json = { .begins = 0 }, fenced = { .begins = 0 };
	bool has_json = content.n && find_json(content, is_open, &json);
	bool has_fence = content.n && find_fenced(content, is_open, &fenced);

	if (has_json && has_fence && fenced.begins < json.begins) {
		jtext_done(&json.json);
		has_json = false;
	}
	*ret = has_json ? json : fenced;
	return has_json || has_fence;
}

/* The whole lines from byte `at` to byte `end` of text, cut to a cap. */
static char *
lines_around(struct slice text, size_t at, size_t end)
{
	while (at > 0 && text.p[at - 1] != '\n')
		at--;
	while (end < text.n && text.p[end] != '\n')
		end++;
	if (end - at > REWRITE_LINES_MAX)
		end = at + REWRITE_LINES_MAX;
	return xstrndup(text.p + at, end - at);
}

/* before and after: the lines from the first edit to the last one. */
static void
describe(struct slice source, const struct corrupt_site *site,
    struct rewrite *ret)
{
	const struct corrupt_edit *first = &site->edits[0];
	const struct corrupt_edit *last = &site->edits[site->nedits - 1];
	size_t at = first->at, end = last->at + last->len, tail;
	char *mutant = corrupt_apply(source.p, source.n, site);
	size_t n = strlen(mutant);

	tail = source.n - end;
	ret->before = lines_around(source, at, end);
	ret->after = lines_around((struct slice){ mutant, n }, at, n - tail);
	ret->line = site->line;
	free(mutant);
}

static enum err
plan_edits(const struct source *src, const struct corrupt_site *site,
    struct splices *ret)
{
	struct splices inner = { .n = 0 };
	enum err e = ERR_OK;

	for (size_t i = 0; i < site->nedits && e == ERR_OK; i++) {
		const struct corrupt_edit *x = &site->edits[i];

		e = splices_add(&inner, src->at + x->at, x->len,
		    slice_of(x->text));
	}
	if (e == ERR_OK && src->is_json)
		e = splices_lift(&inner, &src->json, ret);
	else if (e == ERR_OK) {
		*ret = inner;
		return ERR_OK;
	}
	splices_done(&inner);
	return e;
}

/* The site to edit; ERR_AGAIN: it may be one that is still to come. */
static enum err
choose(const struct corrupt_sites *s, const struct rewrite_choice *c,
    bool is_final, size_t *ret, struct why *why)
{
	for (*ret = 0; *ret < s->n; ++*ret)
		if (c->site >= 0 ? (size_t)c->site == *ret
		                 : c->takes(*ret, c->arg))
			return ERR_OK;
	if (!is_final)
		return ERR_AGAIN;
	if (c->site >= 0)
		return why_set(why, ERR_NOTFOUND, "no site %lld, only %zu",
		    (long long)c->site, s->n);
	/* No draw hit: the last one is taken, or a rule that fired would have
	 * done nothing. */
	*ret = s->n - 1;
	return ERR_OK;
}

static enum err
plan_site(const struct source *src, const struct corrupt_sites *sites, size_t i,
    struct rewrite *ret)
{
	struct rewrite r = { .site = i };
	enum err e = plan_edits(src, &sites->items[i], &r.edits);

	if (e != ERR_OK) {
		splices_done(&r.edits);
		return e;
	}
	describe(src->text, &sites->items[i], &r);
	*ret = r;
	return ERR_OK;
}

static enum err
plan_source(const struct source *src, const struct corrupt_operator *op,
    const struct rewrite_choice *choice, struct rewrite *ret, struct why *why)
{
	struct corrupt_sites sites = { NULL, 0 };
	size_t site = 0;
	enum err e = ERR_OK;

	/* The agent refuses longer ones unread, so nobody would ever see the
	 * mistake. */
	if (src->text.n > CANDIDATE_SOURCE_MAX)
		return why_set(why, ERR_TOOBIG, "kernel too long: %zu bytes",
		    src->text.n);
	corrupt_sites_find(op, src->text.p, src->text.n, &sites);
	if (sites.n == 0)
		e = why_set(why, ERR_NOTFOUND, "no site for %s", op->name);
	if (e == ERR_OK)
		e = choose(&sites, choice, true, &site, why);
	if (e == ERR_OK)
		e = plan_site(src, &sites, site, ret);
	corrupt_sites_done(&sites);
	return e;
}

static void
source_done(struct source *src)
{
	if (src->is_json)
		jtext_done(&src->json);
}

enum err
rewrite_plan(struct slice content, const struct corrupt_operator *op,
    const struct rewrite_choice *choice, struct rewrite *ret, struct why *why)
{
	struct source src;
	enum err e;

	if (!find_source(content, false, &src))
		return why_set(why, ERR_NOTFOUND, "no kernel in the answer");
	e = plan_source(&src, op, choice, ret, why);
	source_done(&src);
	return e;
}

/* Where the last site begins, in the content: it is taken if no other is. */
static size_t
reserve_at(const struct source *src, const struct corrupt_sites *sites)
{
	size_t at = sites->items[sites->n - 1].edits[0].at;

	return src->is_json ? src->json.at[at] : src->at + at;
}

enum err
rewrite_plan_early(struct slice content, bool is_over,
    const struct corrupt_operator *op, const struct rewrite_choice *choice,
    struct rewrite *ret, size_t *ret_free)
{
	struct corrupt_sites sites = { NULL, 0 };
	struct source src;
	size_t site = 0;
	enum err e;

	if (!find_source(content, true, &src))
		return ERR_NOTFOUND;
	if (is_over) {
		e = plan_source(&src, op, choice, ret, NULL);
		source_done(&src);
		return e;
	}
	corrupt_sites_find(op, src.text.p, src.text.n, &sites);
	e = choose(&sites, choice, false, &site, NULL);
	if (e == ERR_OK)
		e = plan_site(&src, &sites, site, ret);
	else
		*ret_free = sites.n && choice->site < 0
		    ? reserve_at(&src, &sites)
		    : content.n;
	corrupt_sites_done(&sites);
	source_done(&src);
	return e;
}

void
rewrite_done(struct rewrite *r)
{
	if (!r)
		return;
	splices_done(&r->edits);
	free(r->before);
	free(r->after);
	r->before = r->after = NULL;
}
