/*
 * Forms are found in tokens, not in text, so that comments, strings and white
 * space cannot hide or feign one; what is not surely such a form is none.
 */
#include "cltext/kernel_form.h"

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
