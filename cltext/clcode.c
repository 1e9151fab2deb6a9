/*
 * Brackets are paired once with an explicit stack, so that stepping over a
 * parenthesis is one look-up and no text, however nested, makes a caller
 * recurse or rescan.
 */
#include "cltext/clcode.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

static void pair_brackets(struct clcode *c);

static const char *const types[] = { "char", "uchar", "short", "ushort", "int",
	"uint", "long", "ulong", "size_t", "ptrdiff_t", "half", "float",
	"double", "unsigned", "signed", "const", NULL };

void
clcode_init(struct clcode *c, const struct cllex *l)
{
	*c = (struct clcode){ .l = l };
	c->tok = xcalloc(l->ntoks + 1, sizeof *c->tok);
	c->mate = xcalloc(l->ntoks + 1, sizeof *c->mate);
	for (size_t i = cllex_next(l, SIZE_MAX); i < l->ntoks;
	     i = cllex_next(l, i))
		c->tok[c->n++] = (uint32_t)i;
	pair_brackets(c);
}

void
clcode_done(struct clcode *c)
{
	if (!c)
		return;
	free(c->tok);
	free(c->mate);
	*c = (struct clcode){ 0 };
}

struct slice
clcode_text(const struct clcode *c, size_t i)
{
	return cllex_text(c->l, i < c->n ? c->tok[i] : c->l->ntoks);
}

bool
clcode_is(const struct clcode *c, size_t i, const char *text)
{
	return slice_is(clcode_text(c, i), text);
}

bool
clcode_is_ident(const struct clcode *c, size_t i)
{
	return i < c->n && c->l->toks[c->tok[i]].kind == CLTOK_IDENT;
}

bool
clcode_same(const struct clcode *c, size_t i, size_t j)
{
	return slice_same(clcode_text(c, i), clcode_text(c, j));
}

uint32_t
clcode_at(const struct clcode *c, size_t i)
{
	return i < c->n ? c->l->toks[c->tok[i]].at
	                : (uint32_t)c->l->source_bytes;
}

uint32_t
clcode_end(const struct clcode *c, size_t i)
{
	if (i >= c->n)
		return (uint32_t)c->l->source_bytes;
	return c->l->toks[c->tok[i]].at + c->l->toks[c->tok[i]].len;
}

uint32_t
clcode_line(const struct clcode *c, size_t i)
{
	return i < c->n ? c->l->toks[c->tok[i]].line : 0;
}

bool
clcode_is_any(const struct clcode *c, size_t i, const char *const *words)
{
	struct slice s = clcode_text(c, i);

	for (; s.n > 0 && *words; words++)
		if (slice_is(s, *words))
			return true;
	return false;
}

size_t
clcode_find(const struct clcode *c, size_t i, size_t end,
    const char *const *words)
{
	while (i < end) {
		if (clcode_is_any(c, i, words))
			return i;
		/* Over a bracket and all that is in it: what is looked for
		 * stands beside it. */
		i = c->mate[i] > i ? c->mate[i] + 1 : i + 1;
	}
	return end;
}

bool
clcode_assigns(const struct clcode *c, size_t i, size_t *from, size_t *end)
{
	static const char *const assign[] = { "=", "+=", NULL };
	static const char *const stop[] = { ",", ";", ")", "]", "}", NULL };

	if (!clcode_is_ident(c, i) || !clcode_is_any(c, i + 1, assign))
		return false;
	*from = i + 2;
	*end = clcode_find(c, i + 2, c->n, stop);
	return *end > *from;
}

size_t
clcode_skip_cast(const struct clcode *c, size_t i)
{
	size_t j = i;

	if (!clcode_is(c, i, "("))
		return i;
	for (j = i + 1; clcode_is_any(c, j, types); j++)
		;
	return j > i + 1 && clcode_is(c, j, ")") ? j + 1 : i;
}

static void
pair_brackets(struct clcode *c)
{
	static const char open[] = "([{", close[] = ")]}";
	uint32_t *stack = xcalloc(c->n + 1, sizeof *stack);
	size_t depth = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct slice s = clcode_text(c, i);
		const char *hit;

		c->mate[i] = (uint32_t)i;
		if (s.n != 1 || c->l->toks[c->tok[i]].kind != CLTOK_PUNCT)
			continue;
		if (strchr(open, s.p[0]))
			stack[depth++] = (uint32_t)i;
		hit = strchr(close, s.p[0]);
		if (!hit || depth == 0)
			continue;
		/* It closes nothing and stays its own mate: a text that does
		 * not compile is still walked over, and nobody trusts its
		 * shape. */
		if (clcode_text(c, stack[depth - 1]).p[0] != open[hit - close])
			continue;
		c->mate[i] = stack[--depth];
		c->mate[stack[depth]] = (uint32_t)i;
	}
	free(stack);
}
