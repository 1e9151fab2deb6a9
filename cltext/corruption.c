/*
 * What all corruption operators share: the list of sites and the splice. Edits
 * of a site never overlap and are kept in order, so that applying them is one
 * pass over the source.
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>
#include <string.h>

static int by_position(const void *a, const void *b);

void
corrupt_sites_find(const struct corrupt_operator *op, const char *source,
    size_t source_bytes, struct corrupt_sites *ret)
{
	struct cllex l;
	struct clcode c;

	*ret = (struct corrupt_sites){ 0 };
	cllex_init(&l, source, source_bytes);
	clcode_init(&c, &l);
	if (c.n <= CORRUPT_TOKENS_MAX)
		op->find(&c, ret);
	clcode_done(&c);
	cllex_done(&l);
}

struct corrupt_site *
corrupt_site_new(struct corrupt_sites *s, uint32_t line)
{
	s->items = xreallocarray(s->items, s->n + 1, sizeof *s->items);
	s->items[s->n] = (struct corrupt_site){ .line = line };
	return &s->items[s->n++];
}

bool
corrupt_site_edit(struct corrupt_site *site, uint32_t at, uint32_t end,
    const char *text)
{
	struct corrupt_edit *e;

	if (site->nedits == CORRUPT_EDITS_MAX)
		return false;
	for (size_t i = 0; i < site->nedits; i++) {
		e = &site->edits[i];
		if (at < e->at + e->len + (e->len == 0) && e->at < end)
			return false;
	}
	e = &site->edits[site->nedits++];
	*e = (struct corrupt_edit){ at, end - at, xstrdup(text) };
	/* corrupt_apply() goes through the text once. */
	qsort(site->edits, site->nedits, sizeof *e, by_position);
	return true;
}

void
corrupt_site_tokens(struct corrupt_sites *s, const struct clcode *c,
    size_t from, size_t end, const char *text)
{
	struct corrupt_site *site;

	if (from >= end || end > c->n)
		return;
	site = corrupt_site_new(s, clcode_line(c, from));
	corrupt_site_edit(site, clcode_at(c, from), clcode_end(c, end - 1),
	    text);
}

/* form with every "$" replaced by what, and every "@" by name; owned. */
static char *
fill(const char *form, const char *what, const char *name)
{
	char *text = xstrdup("");

	for (const char *p = form; *p;) {
		size_t n = strcspn(p, "$@");
		const char *put = p[n] == '$' ? what : p[n] ? name : "";
		char *longer = xasprintf("%s%.*s%s", text, (int)n, p, put);

		free(text);
		text = longer;
		p += n + (p[n] != '\0');
	}
	return text;
}

void
corrupt_site_named_forms(struct corrupt_sites *s, const struct clcode *c,
    size_t from, size_t end, const char *const *forms, size_t n,
    const char *name)
{
	char *what = corrupt_code_text(c, from, end);

	for (size_t i = 0; i < n; i++) {
		char *text = fill(forms[i], what, name);

		corrupt_site_tokens(s, c, from, end, text);
		free(text);
	}
	free(what);
}

void
corrupt_site_forms(struct corrupt_sites *s, const struct clcode *c, size_t from,
    size_t end, const char *const *forms, size_t n)
{
	corrupt_site_named_forms(s, c, from, end, forms, n, "");
}

void
corrupt_site_stores(struct corrupt_sites *s, const struct clcode *c,
    const char *const *forms, size_t n, const char *name)
{
	size_t from, end;

	for (size_t i = kernel_body(c); i < c->n; i++)
		if (clcode_is(c, i, "kf_store") &&
		    kernel_call_arg(c, i, 2, &from, &end))
			corrupt_site_named_forms(s, c, from, end, forms, n,
			    name);
}

void
corrupt_site_loads(struct corrupt_sites *s, const struct clcode *c,
    const char *const *forms, size_t n)
{
	for (size_t i = kernel_body(c); i + 1 < c->n; i++)
		if (clcode_is(c, i, "kf_load") && c->mate[i + 1] > i + 1)
			corrupt_site_forms(s, c, i, c->mate[i + 1] + 1, forms,
			    n);
}

void
corrupt_site_insert(struct corrupt_sites *s, const struct clcode *c, size_t at,
    const char *text)
{
	struct corrupt_site *site = corrupt_site_new(s, clcode_line(c, at));

	corrupt_site_edit(site, clcode_at(c, at), clcode_at(c, at), text);
}

void
corrupt_site_cut_back(struct corrupt_sites *s, const struct clcode *c,
    size_t from, size_t end)
{
	struct corrupt_site *site = corrupt_site_new(s, clcode_line(c, from));

	corrupt_site_edit(site, clcode_end(c, from - 1), clcode_end(c, end - 1),
	    "");
}

void
corrupt_site_cut_on(struct corrupt_sites *s, const struct clcode *c,
    size_t from, size_t end)
{
	struct corrupt_site *site = corrupt_site_new(s, clcode_line(c, from));

	corrupt_site_edit(site, clcode_at(c, from), clcode_at(c, end), "");
}

char *
corrupt_code_text(const struct clcode *c, size_t from, size_t end)
{
	uint32_t at = clcode_at(c, from);

	if (from >= end || end > c->n)
		return xstrdup("");
	return xstrndup(c->l->source + at, clcode_end(c, end - 1) - at);
}

void
corrupt_site_drop(struct corrupt_sites *s)
{
	struct corrupt_site *site = &s->items[--s->n];

	for (size_t i = 0; i < site->nedits; i++)
		free(site->edits[i].text);
}

void
corrupt_sites_done(struct corrupt_sites *s)
{
	if (!s)
		return;
	while (s->n > 0)
		corrupt_site_drop(s);
	free(s->items);
	*s = (struct corrupt_sites){ 0 };
}

char *
corrupt_apply(const char *source, size_t source_bytes,
    const struct corrupt_site *site)
{
	size_t size = source_bytes + 1, from = 0, len = 0;
	char *out;

	for (size_t i = 0; i < site->nedits; i++)
		size += strlen(site->edits[i].text);
	out = xmalloc(size);
	for (size_t i = 0; i < site->nedits; i++) {
		const struct corrupt_edit *e = &site->edits[i];
		size_t text = strlen(e->text);

		memcpy(out + len, source + from, e->at - from);
		len += e->at - from;
		memcpy(out + len, e->text, text);
		len += text;
		from = e->at + e->len;
	}
	memcpy(out + len, source + from, source_bytes - from);
	out[len + source_bytes - from] = '\0';
	return out;
}

static int
by_position(const void *a, const void *b)
{
	const struct corrupt_edit *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}
