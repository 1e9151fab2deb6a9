/*
 * Mistakes of flow: a way out, a barrier that is missing or stands too early,
 * scratch that nothing filled, a maximum that starts too high, and every
 * corruption operator of cltext behind a condition.
 */
#include "tests/proving/planting.h"

#include "base/buf.h"
#include "base/mem.h"
#include "cltext/corruption.h"
#include "ops/args.h"
#include <stdlib.h>
#include <string.h>

#define BODY_MAX ((size_t)1 << 18)

bool
plant_return(struct planting *p)
{
	char *condition = plant_condition(p, plant_sight(p), NULL);

	plant_insert(p, p->open + 1,
	    xasprintf("if (%s) return;\n\t", condition));
	free(condition);
	return true;
}

static bool
find_barrier(struct planting *p, struct call *ret)
{
	return plant_call(p, "barrier", ret) &&
	    clcode_is(&p->code, ret->end + 1, ";");
}

bool
plant_barrier(struct planting *p)
{
	char *condition, *whole;
	struct call c;

	if (!find_barrier(p, &c))
		return false;
	p->by_order = true;
	condition = plant_condition_or_always(p, CONDITION_LAUNCH, NULL);
	whole = plant_text(p, c.at, c.end + 2);
	plant_replace(p, c.at, c.end + 2,
	    strcmp(condition, "1") == 0
	        ? xstrdup(";")
	        : xasprintf("if (!(%s)) %s", condition, whole));
	free(condition);
	free(whole);
	return true;
}

/* In front of the statement that it stood behind. */
bool
plant_move_barrier(struct planting *p)
{
	struct call c;
	size_t i;

	if (!find_barrier(p, &c) || c.at < p->open + 3 ||
	    !clcode_is(&p->code, c.at - 1, ";"))
		return false;
	for (i = c.at - 2; i > p->open; i--) {
		if (p->code.mate[i] < i)
			i = p->code.mate[i];
		else if (clcode_is(&p->code, i, ";") ||
		    clcode_is(&p->code, i, "{") || clcode_is(&p->code, i, "}"))
			break;
	}
	p->by_order = true;
	plant_insert(p, i + 1, plant_text(p, c.at, c.end + 2));
	plant_replace(p, c.at, c.end + 2, xstrdup(";"));
	return i > p->open;
}

/* `float acc = 0.0f;` loses its start. */
bool
plant_uninitialised(struct planting *p)
{
	uint32_t seen = 0;
	size_t found = 0;
	char *condition;

	for (size_t i = p->open + 1; i + 4 < p->close; i++)
		if (clcode_is(&p->code, i, "float") &&
		    !clcode_is(&p->code, i - 1, "const") &&
		    clcode_is_ident(&p->code, i + 1) &&
		    clcode_is(&p->code, i + 2, "=") &&
		    clcode_is(&p->code, i + 4, ";") &&
		    plant_below(p, ++seen) == 0)
			found = i;
	if (found == 0)
		return false;
	condition = plant_condition_or_always(p, plant_sight(p), NULL);
	char *name = plant_text(p, found + 1, found + 2);
	char *value = plant_text(p, found + 3, found + 4);

	plant_replace(p, found, found + 5,
	    xasprintf("float %s; if (!(%s)) %s = %s;", name, condition, name,
	        value));
	free(condition);
	free(name);
	free(value);
	return true;
}

/* A maximum that starts at a number, not at -infinity. */
bool
plant_start(struct planting *p)
{
	static const char *const bad[] = { "-FLT_MAX", "-1e30f", "-65504.0f",
		"-1000.0f", "-1e9f", "0.0f", "-1e20f" };
	uint32_t seen = 0;
	size_t found = 0;
	char *condition;

	for (size_t i = p->open + 1; i < p->close; i++)
		if (clcode_is(&p->code, i, "-") &&
		    clcode_is(&p->code, i + 1, "INFINITY") &&
		    plant_below(p, ++seen) == 0)
			found = i;
	if (found == 0)
		return false;
	condition = plant_condition_or_always(p, plant_sight(p), NULL);
	plant_replace(p, found, found + 2,
	    plant_float(p, condition, "-INFINITY",
	        bad[plant_below(p, COUNT(bad))]));
	free(condition);
	return true;
}

/* ---- corruption operators */

/* One site of one operator inside the body. */
static bool
draw_site(struct planting *p, struct corrupt_sites *ret, size_t *ret_site)
{
	uint32_t open = clcode_at(&p->code, p->open);
	uint32_t close = clcode_at(&p->code, p->close);

	for (int tries = 0; tries < 12; tries++) {
		size_t n = plant_below(p, (uint32_t)corrupt_count());
		const struct corrupt_site *s;

		corrupt_sites_find(corrupt_at(n), p->k->text, p->k->len, ret);
		*ret_site = ret->n > 0 ? plant_below(p, (uint32_t)ret->n) : 0;
		s = ret->n > 0 ? &ret->items[*ret_site] : NULL;
		if (s && s->nedits > 0 && s->edits[0].at > open &&
		    s->edits[s->nedits - 1].at < close) {
			p->by_order =
			    strcmp(corrupt_at(n)->name, "sync_drop") == 0;
			return true;
		}
		corrupt_sites_done(ret);
	}
	return false;
}

/* Moves the body's declarations of local memory out of text[0..n): only a
 * kernel's outermost block may have them. */
static void
split_locals(struct planting *p, struct buf *locals, struct buf *rest)
{
	size_t from = p->open + 1;

	for (size_t i = p->open + 1; i < p->close; i++) {
		char *text;
		size_t end = i;

		if (!clcode_is(&p->code, i, "__local") ||
		    !(clcode_is(&p->code, i - 1, ";") ||
		        clcode_is(&p->code, i - 1, "{")))
			continue;
		while (end < p->close && !clcode_is(&p->code, end, ";"))
			end++;
		text = plant_text(p, i, end + 1);
		if (strchr(text, '=')) { /* a pointer to it, no array */
			free(text);
			continue;
		}
		buf_addf(locals, "%s\n\t", text);
		free(text);
		if (i > from) {
			text = plant_text(p, from, i);
			buf_adds(rest, text);
			free(text);
		}
		from = end + 1;
		i = end;
	}
	if (p->close > from) {
		char *text = plant_text(p, from, p->close);

		buf_adds(rest, text);
		free(text);
	}
}

static void
locals_and_rest(struct planting *p, struct buf *locals, struct buf *rest)
{
	buf_init(locals, BODY_MAX);
	buf_init(rest, BODY_MAX);
	split_locals(p, locals, rest);
}

/* The corrupted text's body as another planting, to be cut the same way. */
static bool
bad_body(const struct planting *p, const char *text, struct buf *locals,
    struct buf *rest)
{
	struct planting bad = { .k = p->k, .s = p->s, .d = p->d };
	bool found = false;

	cllex_init(&bad.lex, text, strlen(text));
	clcode_init(&bad.code, &bad.lex);
	for (size_t i = 0; i + 1 < bad.code.n && !found; i++) {
		size_t close = bad.code.mate[i + 1];

		found = clcode_is(&bad.code, i, p->k->candidate.entry) &&
		    clcode_is(&bad.code, i + 1, "(") &&
		    clcode_is(&bad.code, close + 1, "{");
		bad.open = close + 1;
	}
	if (found) {
		bad.close = bad.code.mate[bad.open];
		locals_and_rest(&bad, locals, rest);
	}
	clcode_done(&bad.code);
	cllex_done(&bad.lex);
	return found;
}

bool
plant_fork(struct planting *p)
{
	struct buf locals, good, bad_locals, bad;
	struct corrupt_sites sites;
	char *text, *condition;
	bool same;
	size_t site;

	if (!draw_site(p, &sites, &site))
		return false;
	text = corrupt_apply(p->k->text, p->k->len, &sites.items[site]);
	corrupt_sites_done(&sites);
	if (!bad_body(p, text, &bad_locals, &bad)) {
		free(text);
		return false;
	}
	locals_and_rest(p, &locals, &good);
	char *l = buf_take(&locals), *bl = buf_take(&bad_locals);
	char *g = buf_take(&good), *b = buf_take(&bad);

	same = strcmp(l, bl) == 0;
	condition = plant_condition(p, plant_sight(p), NULL);
	if (same)
		plant_replace(p, p->open, p->close + 1,
		    xasprintf("{\n\t%sif (%s) {\n\t%s\n\t} else "
		              "{\n\t%s\n\t}\n}",
		        l, condition, b, g));
	free(condition);
	free(text);
	free(l);
	free(bl);
	free(g);
	free(b);
	return same;
}

/* The bare operator, as a chaos proxy would. */
bool
plant_operator(struct planting *p)
{
	struct corrupt_sites sites;
	const struct corrupt_site *s;
	size_t site;

	if (!draw_site(p, &sites, &site))
		return false;
	s = &sites.items[site];
	for (size_t i = 0; i < s->nedits; i++) {
		struct edit *e = &p->edits[p->nedits++];

		*e = (struct edit){ s->edits[i].at, s->edits[i].len,
			xstrdup(s->edits[i].text) };
	}
	corrupt_sites_done(&sites);
	return true;
}
