/*
 * Names are found by how they are used, not by how they are spelled: a `dim`
 * is a parameter somewhere divided by two; a half is a name given to that; a
 * pair variable is one taken modulo half, compared with half, left over when
 * rows of half are subtracted, or divided by dim among floats.
 */
#include "cltext/rope_form.h"

#include <string.h>

static void find_dims(struct rope_form *f);
static void find_halves(struct rope_form *f);
static void find_halves_defined(struct rope_form *f);
static void find_pairs(struct rope_form *f);
static void find_exponents(struct rope_form *f);
static bool ends_modulo_half(const struct rope_form *f, size_t from,
    size_t end);
static bool is_name(const struct slice *list, size_t n, struct slice name);
static void add_name(struct slice *list, size_t *n, struct slice name);

static const char *const int_types[] = { "uint", "int", "size_t", "ulong",
	"long", "unsigned", NULL };
static const char *const compares[] = { "<", ">=", "<=", ">", NULL };

void
rope_form_init(struct rope_form *f, const struct clcode *c)
{
	*f = (struct rope_form){ .c = c };
	find_dims(f);
	find_halves_defined(f);
	find_halves(f);
	find_pairs(f);
	find_exponents(f);
}

/* `/ 2` or `>> 1` at token i, comments aside. */
static bool
is_by_two(const struct cllex *l, size_t i)
{
	struct slice s = cllex_text(l, i + 1);

	if (s.n == 0 || s.p[0] != (cllex_is(l, i, "/") ? '2' : '1'))
		return false;
	return (cllex_is(l, i, "/") || cllex_is(l, i, ">>")) &&
	    strspn(s.p + 1, "uUlL") >= s.n - 1;
}

/* Anywhere, macros included. */
static bool
is_halved(const struct cllex *l, struct slice name)
{
	for (size_t i = 0; i < l->ntoks; i++)
		if (is_name(&name, 1, cllex_text(l, i)) && is_by_two(l, i + 1))
			return true;
	return false;
}

static void
find_dims(struct rope_form *f)
{
	const struct clcode *c = f->c;

	for (size_t i = 1; i + 1 < c->n; i++)
		if (clcode_is_ident(c, i) &&
		    clcode_is_any(c, i - 1, int_types) &&
		    (clcode_is(c, i + 1, ",") || clcode_is(c, i + 1, ")")))
			add_name(f->dims, &f->ndims, clcode_text(c, i));
	/* From the end, because the last one takes the place of each that
	 * goes. */
	for (size_t k = f->ndims; k-- > 0;)
		if (!is_halved(c->l, f->dims[k]))
			f->dims[k] = f->dims[--f->ndims];
}

/* #define HALF (dim / 2) */
static void
find_halves_defined(struct rope_form *f)
{
	const struct cllex *l = f->c->l;

	for (size_t i = 0; i + 4 < l->ntoks; i++) {
		size_t j = i + 3;

		if (l->toks[i].kind != CLTOK_DIRECTIVE ||
		    !cllex_is(l, i + 1, "define"))
			continue;
		j += cllex_is(l, j, "(");
		if (is_name(f->dims, f->ndims, cllex_text(l, j)) &&
		    is_by_two(l, j + 1))
			add_name(f->halves, &f->nhalves, cllex_text(l, i + 2));
	}
}

static void
find_halves(struct rope_form *f)
{
	const struct clcode *c = f->c;
	size_t from, end;

	for (size_t i = 0; i < c->n; i++)
		if (clcode_assigns(c, i, &from, &end) &&
		    rope_form_half(f, from) == end)
			add_name(f->halves, &f->nhalves, clcode_text(c, i));
}

size_t
rope_form_half(const struct rope_form *f, size_t i)
{
	const struct clcode *c = f->c;
	size_t j = i, depth = 0;

	for (;;) {
		size_t past = clcode_skip_cast(c, j);

		if (past == j && !clcode_is(c, j, "("))
			break;
		depth += past == j;
		j = past == j ? j + 1 : past;
	}
	if (is_name(f->halves, f->nhalves, clcode_text(c, j)))
		j += 1;
	else if (is_name(f->dims, f->ndims, clcode_text(c, j)) &&
	    is_by_two(c->l, c->tok[j] + 1))
		j += 3;
	else
		return i;
	for (; depth > 0; depth--)
		if (!clcode_is(c, j++, ")"))
			return i;
	return j;
}

static void
find_pairs(struct rope_form *f)
{
	const struct clcode *c = f->c;
	size_t from, end;

	for (size_t i = 0; i < c->n; i++) {
		if (!clcode_is_ident(c, i))
			continue;
		if (clcode_is_any(c, i + 1, compares) &&
		    rope_form_half(f, i + 2) > i + 2)
			add_name(f->pairs, &f->npairs, clcode_text(c, i));
		if (clcode_assigns(c, i, &from, &end) &&
		    ends_modulo_half(f, from, end))
			add_name(f->pairs, &f->npairs, clcode_text(c, i));
	}
}

/* `i % half`, or `i - row * half`. */
static bool
ends_modulo_half(const struct rope_form *f, size_t from, size_t end)
{
	static const char *const ops[] = { "%", "-", NULL };
	const struct clcode *c = f->c;
	size_t i = clcode_skip_cast(c, from), op;

	if (clcode_is(c, i, "(") && c->mate[i] == end - 1)
		from = i + 1, end--;
	op = clcode_find(c, from, end, ops);
	if (op == end)
		return false;
	if (clcode_is(c, op, "%"))
		return rope_form_half(f, op + 1) == end;
	for (i = op + 1; i < end; i++)
		if (rope_form_half(f, i) > i &&
		    (clcode_is(c, i - 1, "*") ||
		        clcode_is(c, rope_form_half(f, i), "*")))
			return true;
	return false;
}

static bool
is_float_word(const struct clcode *c, size_t i)
{
	static const char *const words[] = { "float", "convert_float",
		"native_recip", NULL };
	struct slice s = clcode_text(c, i);

	return clcode_is_any(c, i, words) ||
	    (s.n > 1 && s.p[0] >= '0' && s.p[0] <= '9' &&
	        memchr(s.p, '.', s.n));
}

/* In `-2.0f * (float)d / (float)dim`, the name nearest before the slash. */
static void
find_exponents(struct rope_form *f)
{
	static const char *const skip[] = { "float", "convert_float", "int",
		"uint", "size_t", NULL };
	static const char *const stop[] = { ",", ";", "=", "{", "}", NULL };
	const struct clcode *c = f->c;

	for (size_t i = 1; i + 1 < c->n; i++) {
		size_t past = i + 1, name = 0;
		bool floats = false;

		if (!clcode_is(c, i, "/"))
			continue;
		while (is_float_word(c, past) || clcode_is(c, past, "(") ||
		    (clcode_is(c, past, ")") && clcode_is_ident(c, past - 1)))
			floats |= is_float_word(c, past++);
		if (!is_name(f->dims, f->ndims, clcode_text(c, past)) &&
		    !is_name(f->halves, f->nhalves, clcode_text(c, past)))
			continue;
		for (size_t k = i; k-- > 0 && !clcode_is_any(c, k, stop);) {
			floats |= is_float_word(c, k);
			if (!name && clcode_is_ident(c, k) &&
			    !clcode_is_any(c, k, skip))
				name = k;
		}
		if (floats && name)
			add_name(f->pairs, &f->npairs, clcode_text(c, name));
	}
}

bool
rope_form_is_pair(const struct rope_form *f, struct slice name)
{
	return is_name(f->pairs, f->npairs, name);
}

bool
rope_form_in_scope(const struct rope_form *f, size_t i)
{
	const struct clcode *c = f->c;
	size_t from, end, k = 0;

	while (k < i &&
	    !(clcode_assigns(c, k, &from, &end) &&
	        is_name(f->pairs, 1, clcode_text(c, k))))
		k++;
	if (k == i)
		return false;
	/* The blocks that are over are stepped over; a brace that closes one
	 * which was open at the declaration ends its scope. */
	for (; k < i; k++) {
		if (clcode_is(c, k, "{") && c->mate[k] < i)
			k = c->mate[k];
		else if (clcode_is(c, k, "}"))
			return false;
	}
	return true;
}

static bool
is_name(const struct slice *list, size_t n, struct slice name)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].n == name.n &&
		    memcmp(list[i].p, name.p, name.n) == 0)
			return true;
	return false;
}

static void
add_name(struct slice *list, size_t *n, struct slice name)
{
	if (*n < ROPE_NAMES_MAX && !is_name(list, *n, name))
		list[(*n)++] = name;
}
