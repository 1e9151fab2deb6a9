/*
 * rope_interleaved: the split-half pair (d, d + dim/2) becomes (2d, 2d + 1).
 *
 * An index is a sum.  Follow every memory access to the terms its index is
 * made of, through parentheses, casts, pointers and the variables they were
 * kept in; on the way
 *
 *	the pair's number	d	becomes	2 * d
 *	half the row		dim / 2	becomes	1
 *
 * and both elements of a pair, read and written, land where the interleaved
 * layout has them; everything else (angles, guards, the decoding of work
 * items) is left alone.  Where d is no term of its own (an index such as
 * i + row * half) the accesses get "+ d" instead.
 *
 * What is half and what is d are found by use: half is a parameter divided by
 * two, or a name for that; d is what is taken modulo half, compared with half
 * or divided by dim in the exponent.  A kernel with one work item an element
 * subtracts half somewhere; that form is rope_element.c's.  When an access
 * adds half but not d exactly once, nothing is touched.
 */
#include "cltext/rope_form.h"

#include "base/mem.h"
#include "cltext/corruption_site.h"
#include "cltext/rope_element.h"
#include <stdlib.h>
#include <string.h>

#define RANGES_MAX 64

struct range {
	size_t from, end; /* code tokens */
};

/* The terms of one access. */
struct access {
	struct range todo[RANGES_MAX];
	size_t ntodo, done;
	unsigned pairs, halves; /* terms met */
	bool branches;          /* a variable with several values */
	bool lost;              /* something that we do not understand */
};

struct walk {
	const struct clcode *c;
	const struct rope_form *f;
	bool *pair;     /* by code token: becomes 2 * d */
	uint32_t *half; /* by code token: where the half there ends, or 0 */
	size_t naccess_half, naccess_pair;
	size_t index_end[RANGES_MAX]; /* kf_load, kf_store: last index token */
	size_t nindex;
	bool ok;
};

static void walk_accesses(struct walk *w);
static void walk_access(struct walk *w, struct access *a);
static void walk_term(struct walk *w, struct access *a, struct range t,
    bool minus);
static bool add_edits(const struct walk *w, struct corrupt_sites *sites);
static void push(struct access *a, size_t from, size_t end);

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	struct rope_form f;
	struct walk w = { .c = c, .f = &f, .ok = true };

	rope_form_init(&f, c);
	if (rope_element_find(&f, sites))
		return;
	w.pair = xcalloc(c->n + 1, sizeof *w.pair);
	w.half = xcalloc(c->n + 1, sizeof *w.half);
	if (f.npairs > 0)
		walk_accesses(&w);
	if (w.ok && w.naccess_half > 0 && !add_edits(&w, sites))
		corrupt_site_drop(sites);
	free(w.pair);
	free(w.half);
}

/* kf_load(P, INDEX), kf_store(P, INDEX, V) and P[INDEX]. */
static void
walk_accesses(struct walk *w)
{
	static const char *const calls[] = { "kf_load", "kf_store", NULL };
	static const char *const comma[] = { ",", NULL };
	const struct clcode *c = w->c;

	for (size_t i = 0; i + 1 < c->n && w->ok; i++) {
		struct access a = { 0 };
		size_t open = i + 1, end = c->mate[open], mid;

		if (clcode_is_any(c, i, calls) && clcode_is(c, open, "(")) {
			mid = clcode_find(c, open + 1, end, comma);
			if (mid + 1 >= end)
				continue;
			push(&a, open + 1, mid);
			end = clcode_find(c, mid + 1, end, comma);
			push(&a, mid + 1, end);
			if (w->nindex < RANGES_MAX)
				w->index_end[w->nindex++] = end - 1;
		} else if (clcode_is_ident(c, i) && clcode_is(c, open, "[") &&
		    !(i > 0 &&
		        (clcode_is_ident(c, i - 1) ||
		            clcode_is(c, i - 1, "&")))) {
			push(&a, i, open);
			push(&a, open + 1, end);
		} else {
			continue;
		}
		walk_access(w, &a);
	}
}

static void
walk_access(struct walk *w, struct access *a)
{
	static const char *const sum[] = { "+", "-", "?", ":", NULL };

	while (a->done < a->ntodo) {
		struct range r = a->todo[a->done++];
		size_t end;

		for (size_t i = r.from; i < r.end; i = end + 1) {
			bool minus = i > 0 && clcode_is(w->c, i - 1, "-");

			end = clcode_find(w->c, i, r.end, sum);
			if (end > i)
				walk_term(w, a, (struct range){ i, end },
				    minus);
		}
	}
	if (a->halves > 0) {
		w->naccess_half++;
		w->naccess_pair += a->pairs > 0;
	}
	if (a->lost || (a->pairs > 1 && !a->branches))
		w->ok = false;
}

static void
walk_term(struct walk *w, struct access *a, struct range t, bool minus)
{
	const struct clcode *c = w->c;
	size_t past = rope_form_half(w->f, t.from), i = t.from, seen = 0;
	size_t from, end;

	if (past == t.end) {
		a->lost |= minus;
		a->halves++;
		w->half[t.from] = (uint32_t)past;
		return;
	}
	while (clcode_skip_cast(c, i) > i)
		i = clcode_skip_cast(c, i);
	if (clcode_is(c, i, "(") && c->mate[i] == t.end - 1) {
		push(a, i + 1, t.end - 1);
		return;
	}
	if (clcode_is(c, i, "&") && clcode_is(c, i + 2, "[")) {
		push(a, i + 1, i + 2);
		push(a, i + 3, c->mate[i + 2]);
		return;
	}
	if (i + 1 != t.end || !clcode_is_ident(c, i))
		return;
	if (rope_form_is_pair(w->f, clcode_text(c, i))) {
		a->lost |= minus;
		a->pairs++;
		w->pair[i] = true;
		return;
	}
	for (size_t k = 0; k < c->n; k++)
		if (clcode_same(c, k, i) && clcode_assigns(c, k, &from, &end)) {
			push(a, from, end);
			seen += clcode_is(c, k + 1, "=");
		}
	a->branches |= seen > 1;
}

/* Each range once; more than fit, and the access is not understood. */
static void
push(struct access *a, size_t from, size_t end)
{
	for (size_t i = 0; i < a->ntodo; i++)
		if (a->todo[i].from == from)
			return;
	if (a->ntodo == RANGES_MAX)
		a->lost = true;
	else
		a->todo[a->ntodo++] = (struct range){ from, end };
}

static bool
add_text(struct corrupt_site *site, uint32_t at, uint32_t end,
    const char *prefix, struct slice name)
{
	char *text = xasprintf("%s" SLICE_FMT, prefix, SLICE_ARG(name));
	bool ok = corrupt_site_edit(site, at, end, text);

	free(text);
	return ok;
}

static bool
add_edits(const struct walk *w, struct corrupt_sites *sites)
{
	const struct clcode *c = w->c;
	struct corrupt_site *site = corrupt_site_new(sites, 0);
	bool ok = true;

	/* Some accesses with the pair's number and some without: whatever is
	 * edited then, two elements would land on one place. */
	if (w->naccess_pair != 0 && w->naccess_pair != w->naccess_half)
		return false;
	for (size_t i = 0; i < c->n && ok; i++) {
		if (w->half[i])
			ok = corrupt_site_edit(site, clcode_at(c, i),
			    clcode_end(c, w->half[i] - 1), "1");
		else if (w->pair[i])
			ok = add_text(site, clcode_at(c, i), clcode_end(c, i),
			    "2 * ", clcode_text(c, i));
	}
	for (size_t i = 0; i < w->nindex && ok && !w->naccess_pair; i++) {
		ok = rope_form_in_scope(w->f, w->index_end[i]) &&
		    add_text(site, clcode_end(c, w->index_end[i]),
		        clcode_end(c, w->index_end[i]), " + ", w->f->pairs[0]);
	}
	for (size_t i = 0; i < c->n && ok; i++)
		if (clcode_at(c, i) >= site->edits[0].at) {
			site->line = clcode_line(c, i);
			break;
		}
	return ok;
}

const struct corrupt_operator op_rope_interleaved = {
	.name = "rope_interleaved",
	.rewrite = "pair (d, d + dim/2) becomes (2d, 2d + 1)",
	.invisible = "position 0: every rotation is the identity",
	.shows = "any other position",
	.find = find,
};
