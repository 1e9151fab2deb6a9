/*
 * Forms are found in tokens, not in text, so that comments, strings and white
 * space cannot hide or feign one; what is not surely such a form is none.
 */
#include "cltext/kernel_form.h"

#include "base/mem.h"
#include <string.h>

bool
kernel_has_param(const struct clcode *c, const char *name)
{
	size_t body = kernel_body(c);

	for (size_t i = 1; i < body; i++)
		if (clcode_is(c, i, name) && clcode_is_ident(c, i - 1) &&
		    (clcode_is(c, i + 1, ",") || clcode_is(c, i + 1, ")")))
			return true;
	return false;
}

static const char *
first_param(const struct clcode *c, const char *const *names)
{
	for (; *names; names++)
		if (kernel_has_param(c, *names))
			return *names;
	return NULL;
}

const char *
kernel_length_name(const struct clcode *c)
{
	static const char *const names[] = { "cols", "dim", "k", NULL };

	return first_param(c, names);
}

const char *
kernel_rows_name(const struct clcode *c)
{
	static const char *const names[] = { "rows", "seq", "m", NULL };

	return first_param(c, names);
}

const char *
kernel_columns_of_stride(const struct clcode *c, size_t i)
{
	static const char suffix[] = "_stride";
	struct slice s = clcode_text(c, i);
	size_t n = sizeof suffix - 1;
	const char *columns = "n";

	if (!clcode_is_ident(c, i) || s.n <= n ||
	    memcmp(s.p + s.n - n, suffix, n) != 0)
		return NULL;
	if (kernel_has_param(c, "cols"))
		columns = "cols";
	else if (clcode_is(c, i, "a_stride"))
		columns = "k";
	return kernel_has_param(c, columns) ? columns : NULL;
}

/* `NAME = 0.0f` somewhere before i. */
static bool
is_accumulator(const struct clcode *c, size_t i)
{
	static const char *const zeros[] = { "0.0f", "0.f", "0", "0.0", NULL };

	for (size_t k = 1; k < i; k++)
		if (clcode_same(c, k, i) && clcode_is(c, k + 1, "=") &&
		    clcode_is_any(c, k + 2, zeros))
			return true;
	return false;
}

char *
kernel_sum_at(const struct clcode *c, size_t i, size_t *end)
{
	bool add = clcode_is(c, i + 1, "+=");
	struct slice name = clcode_text(c, i);
	uint32_t at;
	size_t from;

	if (!clcode_assigns(c, i, &from, end) || !is_accumulator(c, i) ||
	    !clcode_is(c, *end, ";") ||
	    !(add || clcode_is(c, from, "fma") || clcode_is(c, from, "mad")))
		return NULL;
	at = clcode_at(c, from);
	return xasprintf("%.*s%s(%.*s)", add ? (int)name.n : 0, name.p,
	    add ? " + " : "", (int)(clcode_end(c, *end - 1) - at),
	    c->l->source + at);
}

size_t
kernel_body(const struct clcode *c)
{
	size_t i = 0;

	while (i < c->n && !clcode_is(c, i, "{"))
		i++;
	return i < c->n ? i + 1 : c->n;
}

bool
kernel_loop_at(const struct clcode *c, size_t i, struct kernel_loop *ret)
{
	static const char *const semicolon[] = { ";", NULL };
	size_t close;

	if (!clcode_is(c, i, "for") || !clcode_is(c, i + 1, "("))
		return false;
	close = c->mate[i + 1];
	if (close <= i + 1)
		return false;
	ret->cond = clcode_find(c, i + 2, close, semicolon) + 1;
	ret->cond_end = clcode_find(c, ret->cond, close, semicolon);
	ret->step = ret->cond_end + 1;
	ret->step_end = close;
	ret->body = close + 1;
	if (ret->step >= close || ret->body >= c->n)
		return false;
	if (clcode_is(c, ret->body, "{"))
		ret->body_end = c->mate[ret->body];
	else
		ret->body_end = clcode_find(c, ret->body, c->n, semicolon);
	return true;
}

bool
kernel_call_arg(const struct clcode *c, size_t i, size_t k, size_t *from,
    size_t *end)
{
	static const char *const comma[] = { ",", NULL };
	size_t open = i + 1, close, at;

	if (!clcode_is(c, open, "(") || c->mate[open] <= open)
		return false;
	close = c->mate[open];
	for (at = open + 1; k > 0 && at < close; k--)
		at = clcode_find(c, at, close, comma) + 1;
	if (at >= close)
		return false;
	*from = at;
	*end = clcode_find(c, at, close, comma);
	return *end > at;
}

size_t
kernel_mean_divisor(const struct clcode *c, size_t i)
{
	size_t j = i + 1;

	if (i == 0 || !clcode_is(c, i, "/"))
		return i;
	j = clcode_skip_cast(c, j);
	if (!clcode_is(c, j, "cols") || clcode_is(c, j + 1, "*"))
		return i;
	/* What is elsewhere taken modulo cols is an index: dividing it by cols
	 * finds its row and no mean. */
	for (size_t k = 1; k + 1 < c->n; k++)
		if (clcode_is(c, k, "%") && clcode_same(c, k - 1, i - 1) &&
		    clcode_is(c, k + 1, "cols"))
			return i;
	return j + 1;
}
