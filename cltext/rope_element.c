/*
 * With one work item an element, a kernel asks on which side of half its
 * element e lies and looks half further or half back for the partner.  In the
 * interleaved layout the side is the parity and the partner is a neighbour:
 *
 *	e < half ? e : e - half		becomes	e / 2
 *	e % half			becomes	e / 2
 *	e < half, e >= half		becomes	e % 2 == 0, e % 2 == 1
 *	... + half, ... - half		becomes	... + 1, ... - 1
 */
#include "cltext/rope_element.h"

#include "base/mem.h"
#include "cltext/corruption_site.h"
#include <stdlib.h>

static bool is_element_form(const struct rope_form *f);
static size_t pair_number_end(const struct rope_form *f, size_t i);
static bool edit_at(const struct rope_form *f, struct corrupt_site *site,
    size_t i, size_t *next);

bool
rope_element_find(const struct rope_form *f, struct corrupt_sites *sites)
{
	struct corrupt_site *site;
	size_t next;

	if (!is_element_form(f))
		return false;
	site = corrupt_site_new(sites, 0);
	for (size_t i = 0; i < f->c->n; i = next) {
		next = i + 1;
		if (!edit_at(f, site, i, &next)) {
			corrupt_site_drop(sites);
			return true;
		}
		if (site->nedits > 0 && site->line == 0)
			site->line = clcode_line(f->c, i);
	}
	return true;
}

/* Half is subtracted from something. */
static bool
is_element_form(const struct rope_form *f)
{
	for (size_t i = 1; i < f->c->n; i++)
		if (clcode_is(f->c, i, "-") && clcode_is_ident(f->c, i - 1) &&
		    rope_form_half(f, i + 1) > i + 1)
			return true;
	return false;
}

/* `e < half ? e : e - half` or `e >= half ? e - half : e` at i: its end. */
static size_t
pair_number_end(const struct rope_form *f, size_t i)
{
	const struct clcode *c = f->c;
	bool below = clcode_is(c, i + 1, "<");
	size_t past = rope_form_half(f, i + 2), minus, j;

	if (!below && !clcode_is(c, i + 1, ">="))
		return i;
	if (past == i + 2 || !clcode_is(c, past, "?") ||
	    !clcode_same(c, past + 1, i))
		return i;
	minus = below ? past + 4 : past + 2;
	if (!clcode_is(c, minus, "-"))
		return i;
	j = rope_form_half(f, minus + 1);
	if (j == minus + 1 || (!below && !clcode_is(c, j, ":")))
		return i;
	return below ? j : j + 2;
}

/* What token i calls for; *next past it.  False: the site is full. */
static bool
edit_at(const struct rope_form *f, struct corrupt_site *site, size_t i,
    size_t *next)
{
	static const char *const ops[] = { "+", "-", "%", "<", ">=", NULL };
	const struct clcode *c = f->c;
	size_t past = pair_number_end(f, i);
	const char *text = "1";

	if (past > i) {
		*next = past;
		return corrupt_site_edit(site, clcode_at(c, i + 1),
		    clcode_end(c, past - 1), "/ 2");
	}
	past = rope_form_half(f, i + 1);
	if (past == i + 1 || i == 0 || !clcode_is_any(c, i, ops))
		return true;
	*next = past;
	if (clcode_is(c, i, "+") || clcode_is(c, i, "-"))
		i++;
	else if (clcode_is(c, i, "%"))
		text = "/ 2";
	else
		text = clcode_is(c, i, "<") ? "% 2 == 0" : "% 2 == 1";
	return corrupt_site_edit(site, clcode_at(c, i), clcode_end(c, past - 1),
	    text);
}
