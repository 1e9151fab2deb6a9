/*
 * An answer is text with, perhaps, a kernel somewhere.  The candidate object
 * is looked for at each '{' (a bounded number of them, so that a hostile
 * answer of braces costs no more), then the first fence with a kernel.
 */
#include "chaos/rewrite.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cltext/candidate.h"

#define BRACES_MAX 64
#define FENCE      "```"

_Static_assert(SPLICE_MAX >= CORRUPT_EDITS_MAX, "a site fits");

/* Where the kernel's source is: decoded text, or a range of the content. */
struct source {
	struct jtext json; /* when is_json */
	bool is_json;
	size_t at; /* of bare code */
	struct slice text;
};

static bool
find_in_object(struct slice object, size_t base, struct source *ret)
{
	static const char *const source_key[] = { "source" };
	static const char *const entry_key[] = { "entry" };
	struct jspan source, entry;
	struct jtext t;

	if (!jspan_find(object, entry_key, 1, &entry) ||
	    object.p[entry.at] != '"' ||
	    !jspan_find(object, source_key, 1, &source) ||
	    jtext_read(object, source, &t) != ERR_OK)
		return false;
	for (size_t i = 0; i <= t.n; i++)
		t.at[i] += (uint32_t)base;
	*ret =
	    (struct source){ .json = t, .is_json = true, .text = { t.p, t.n } };
	return true;
}

static bool
find_json(struct slice content, struct source *ret)
{
	size_t at = 0;

	for (int tries = 0; tries < BRACES_MAX; tries++, at++) {
		const char *brace = memchr(content.p + at, '{', content.n - at);
		struct jspan span;

		if (!brace)
			return false;
		at = (size_t)(brace - content.p);
		if (jspan_value(content, at, &span) &&
		    find_in_object((struct slice){ brace, span.n }, at, ret))
			return true;
	}
	return false;
}

static const char *
find_text(const char *p, const char *end, const char *what)
{
	return memmem(p, (size_t)(end - p), what, strlen(what));
}

static bool
find_fenced(struct slice content, struct source *ret)
{
	const char *p = content.p, *end = content.p + content.n, *open, *close;

	while ((open = find_text(p, end, FENCE))) {
		open = memchr(open, '\n', (size_t)(end - open));
		close = open ? find_text(open, end, "\n" FENCE) : NULL;
		if (!close)
			return false;
		open++;
		if (open < close && find_text(open, close, "__kernel")) {
			*ret =
			    (struct source){ .at = (size_t)(open - content.p),
				    .text = { open, (size_t)(close - open) } };
			return true;
		}
		p = close + 1 + strlen(FENCE);
	}
	return false;
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

enum err
rewrite_plan(struct slice content, const struct corrupt_operator *op,
    rewrite_pick *pick, void *arg, struct rewrite *ret, struct why *why)
{
	struct source src;
	struct corrupt_sites sites = { NULL, 0 };
	struct rewrite r = { .edits = { .n = 0 } };
	enum err e;

	if (content.n == 0 ||
	    (!find_json(content, &src) && !find_fenced(content, &src)))
		return why_set(why, ERR_NOTFOUND, "no kernel in the answer");
	if (src.text.n > CANDIDATE_SOURCE_MAX) {
		e = why_set(why, ERR_TOOBIG, "kernel too long: %zu bytes",
		    src.text.n);
		goto out;
	}
	corrupt_sites_find(op, src.text.p, src.text.n, &sites);
	if (sites.n == 0) {
		e = why_set(why, ERR_NOTFOUND, "no site for %s", op->name);
		goto out;
	}
	r.nsites = sites.n;
	r.site = pick(sites.n, arg);
	e = r.site < sites.n ? plan_edits(&src, &sites.items[r.site], &r.edits)
	                     : why_set(why, ERR_NOTFOUND,
	                           "no site %zu, only %zu", r.site, sites.n);
	if (e != ERR_OK) {
		splices_done(&r.edits);
		goto out;
	}
	describe(src.text, &sites.items[r.site], &r);
	*ret = r;
out:
	corrupt_sites_done(&sites);
	if (src.is_json)
		jtext_done(&src.json);
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
