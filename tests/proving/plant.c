/*
 * The list of mistakes, and the text work under them: every mistake replaces
 * token spans of the kernel's source, never a regular expression's match.
 */
#include "tests/proving/plant.h"

#include "base/buf.h"
#include "base/mem.h"
#include "ops/args.h"
#include "tests/proving/planting.h"
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)1 << 20)

/* clang-format off */
static const struct {
	const char *name;
	plant_fn *plant;
} mistakes[] = {
	{ "pitch",         plant_pitch },
	{ "tail",          plant_tail },
	{ "cap",           plant_cap },
	{ "parameter",     plant_parameter },
	{ "narrow",        plant_narrow },
	{ "swap",          plant_swap },
	{ "value_out",     plant_value_out },
	{ "precision_out", plant_precision_out },
	{ "special_out",   plant_special_out },
	{ "clamp_out",     plant_clamp_out },
	{ "skip",          plant_skip },
	{ "shift",         plant_shift },
	{ "gap_write",     plant_gap_write },
	{ "sniff",         plant_sniff },
	{ "copy_above",    plant_copy_above },
	{ "value_in",      plant_value_in },
	{ "special_in",    plant_special_in },
	{ "precision_in",  plant_precision_in },
	{ "clamp_in",      plant_clamp_in },
	{ "index_in",      plant_index_in },
	{ "over_read",     plant_over_read },
	{ "position",      plant_position },
	{ "return",        plant_return },
	{ "barrier",       plant_barrier },
	{ "move_barrier",  plant_move_barrier },
	{ "uninitialised", plant_uninitialised },
	{ "start",         plant_start },
	{ "fork",          plant_fork },
	{ "operator",      plant_operator },
};
/* clang-format on */

size_t
plant_nmistakes(void)
{
	return COUNT(mistakes);
}

const char *
plant_mistake(size_t i)
{
	return mistakes[i].name;
}

uint32_t
plant_below(struct planting *p, uint32_t n)
{
	return draw_range(p->d, 0, n - 1);
}

/* ---- places */

static bool
find_body(struct planting *p)
{
	const char *entry = p->k->candidate.entry;

	for (size_t i = 0; i + 1 < p->code.n; i++) {
		size_t close;

		if (!clcode_is(&p->code, i, entry) ||
		    !clcode_is(&p->code, i + 1, "("))
			continue;
		close = p->code.mate[i + 1];
		if (!clcode_is(&p->code, close + 1, "{"))
			continue;
		p->open = close + 1;
		p->close = p->code.mate[close + 1];
		return p->close > p->open;
	}
	return false;
}

static void
split_arguments(const struct clcode *c, size_t open, struct call *ret)
{
	size_t close = c->mate[open], from = open + 1;

	ret->nargs = 0;
	for (size_t i = open + 1; i <= close; i++) {
		if (i < close && !clcode_is(c, i, ",")) {
			if (c->mate[i] > i)
				i = c->mate[i];
			continue;
		}
		if (ret->nargs < COUNT(ret->from)) {
			ret->from[ret->nargs] = from;
			ret->to[ret->nargs++] = i;
		}
		from = i + 1;
	}
	ret->end = close;
}

bool
plant_call(struct planting *p, const char *name, struct call *ret)
{
	uint32_t seen = 0;

	for (size_t i = p->open; i < p->close; i++)
		if (clcode_is(&p->code, i, name) &&
		    clcode_is(&p->code, i + 1, "(") &&
		    p->code.mate[i + 1] > i + 1 &&
		    plant_below(p, ++seen) == 0) {
			ret->at = i;
			split_arguments(&p->code, i + 1, ret);
		}
	return seen > 0;
}

char *
plant_text(const struct planting *p, size_t from, size_t to)
{
	uint32_t at = clcode_at(&p->code, from);
	uint32_t end = clcode_end(&p->code, to - 1);

	return xstrndup(p->lex.source + at, end - at);
}

/* ---- edits */

static void
add_edit(struct planting *p, uint32_t at, uint32_t len, char *text)
{
	size_t i = p->nedits;

	if (p->nedits == EDITS_MAX) {
		free(text);
		return;
	}
	while (i > 0 && p->edits[i - 1].at > at) {
		p->edits[i] = p->edits[i - 1];
		i--;
	}
	p->edits[i] = (struct edit){ at, len, text };
	p->nedits++;
}

void
plant_replace(struct planting *p, size_t from, size_t to, char *text)
{
	uint32_t at = clcode_at(&p->code, from);

	add_edit(p, at, clcode_end(&p->code, to - 1) - at, text);
}

void
plant_insert(struct planting *p, size_t before, char *text)
{
	add_edit(p, clcode_at(&p->code, before), 0, text);
}

static char *
apply_edits(const struct planting *p)
{
	const char *source = p->lex.source;
	size_t done = 0;
	struct buf b;

	buf_init(&b, TEXT_MAX);
	for (size_t i = 0; i < p->nedits; i++) {
		const struct edit *e = &p->edits[i];

		if (e->at < done)
			continue;
		buf_add(&b, source + done, e->at - done);
		buf_adds(&b, e->text);
		done = e->at + e->len;
	}
	buf_add(&b, source + done, p->lex.source_bytes - done);
	return buf_take(&b);
}

/* ---- conditions */

static char *
show(struct planting *p, char *condition)
{
	free(p->shown);
	p->shown = xstrdup(condition);
	return condition;
}

char *
plant_condition(struct planting *p, enum condition_sight sight,
    const struct condition_place *at)
{
	if (p->instead)
		return show(p, xstrdup(p->instead));
	return show(p,
	    condition_draw(p->s, p->conditions, sight, at, &p->condition));
}

char *
plant_condition_or_always(struct planting *p, enum condition_sight sight,
    const struct condition_place *at)
{
	if (p->instead || draw_range(p->conditions, 0, 2) > 0)
		return plant_condition(p, sight, at);
	p->condition = "always";
	return show(p, xstrdup("1"));
}

enum condition_sight
plant_sight(const struct planting *p)
{
	return p->has_barriers ? CONDITION_LAUNCH : CONDITION_ITEM;
}

char *
plant_float(struct planting *p, const char *condition, const char *good,
    const char *bad)
{
	switch (plant_below(p, 3)) {
	case 0: /* bits, without a choice */
		return xasprintf("as_float((as_uint((float)(%s)) & ((uint)(%s) "
		                 "- 1u)) | (as_uint((float)(%s)) & (0u - "
		                 "(uint)(%s))))",
		    good, condition, bad, condition);
	case 1:
		return xasprintf("select((float)(%s), (float)(%s), (int)(%s))",
		    good, bad, condition);
	default:
		return xasprintf("((%s) ? (%s) : (%s))", condition, bad, good);
	}
}

char *
plant_uint(struct planting *p, const char *condition, const char *good,
    const char *bad)
{
	switch (plant_below(p, 3)) {
	case 0:
		return xasprintf("((%s) - (uint)(%s) * ((%s) - (uint)(%s)))",
		    good, condition, good, bad);
	case 1:
		return xasprintf("select((uint)(%s), (uint)(%s), (uint)(%s))",
		    good, bad, condition);
	default:
		return xasprintf("((%s) ? (uint)(%s) : (%s))", condition, bad,
		    good);
	}
}

char *
plant_fill(const char *form, const char *value)
{
	char *text = xstrdup(form), *slot;

	while ((slot = strchr(text, '$')) != NULL) {
		char *more = xasprintf("%.*s%s%s", (int)(slot - text), text,
		    value, slot + 1);

		free(text);
		text = more;
	}
	return text;
}

void
planted_done(struct planted *p)
{
	free(p->text);
	free(p->shown);
}

bool
plant_draw(size_t i, const struct kernel *k, const struct scene *s,
    struct draw place, struct draw *conditions, const char *instead,
    struct planted *ret)
{
	struct planting p = { .k = k,
		.s = s,
		.d = &place,
		.conditions = conditions,
		.instead = instead,
		.condition = "always" };
	bool ok;

	cllex_init(&p.lex, k->text, k->len);
	clcode_init(&p.code, &p.lex);
	p.has_barriers = strstr(k->text, "barrier(") != NULL;
	ok = find_body(&p) && mistakes[i].plant(&p) && p.nedits > 0;
	if (ok)
		*ret = (struct planted){ mistakes[i].name, p.condition,
			apply_edits(&p), p.shown, p.by_order };
	else
		free(p.shown);
	for (size_t e = 0; e < p.nedits; e++)
		free(p.edits[e].text);
	clcode_done(&p.code);
	cllex_done(&p.lex);
	return ok;
}
