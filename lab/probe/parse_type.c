/*
 * Words, types and constants of LLVM's text.
 *
 * Sizes and offsets are decided here, and bounded, because the text is a
 * candidate's.
 */
#include "lab/probe/parse.h"

#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX ((uint64_t)1 << 40)
/* More than a variable may have bytes: what is laid out is counted whole. */
#define SLOTS_MAX ((uint64_t)1 << 24)
#define DEPTH_MAX 64

#define SCALAR(k, b, n)                                                        \
	{                                                                      \
		.kind = (k), .bits = (b), .bytes = (n), .align = (n),          \
		.slots = 1                                                     \
	}

const struct prog_type parse_void = { .kind = PROG_VOID };
const struct prog_type parse_i1 = SCALAR(PROG_INT, 1, 1);
const struct prog_type parse_ptr = SCALAR(PROG_POINTER, 64, 8);

static const struct {
	const char *word;
	struct prog_type type;
} scalars[] = {
	{ "i1", SCALAR(PROG_INT, 1, 1) },
	{ "i8", SCALAR(PROG_INT, 8, 1) },
	{ "i16", SCALAR(PROG_INT, 16, 2) },
	{ "i32", SCALAR(PROG_INT, 32, 4) },
	{ "i64", SCALAR(PROG_INT, 64, 8) },
	{ "half", SCALAR(PROG_FLOAT, 16, 2) },
	{ "float", SCALAR(PROG_FLOAT, 32, 4) },
	{ "double", SCALAR(PROG_FLOAT, 64, 8) },
	{ "ptr", SCALAR(PROG_POINTER, 64, 8) },
	{ "void", { .kind = PROG_VOID } },
	{ "label", { .kind = PROG_VOID } },
	{ "metadata", { .kind = PROG_VOID } },
	{ "token", { .kind = PROG_VOID } },
};

/* ---- words */

void
parse_fail(struct parse *ps, const char *what)
{
	if (ps->bad)
		return;
	ps->bad = true;
	ps->err = why_set(ps->why, ERR_SYNTAX,
	    "the IR is not of the expected form (%s): \"%.*s\"", what,
	    (int)(ps->end - ps->at < 60 ? ps->end - ps->at : 60), ps->at);
}

void
parse_limit(struct parse *ps, const char *what)
{
	if (ps->bad)
		return;
	ps->bad = true;
	ps->err = why_set(ps->why, ERR_TOOBIG,
	    "%s: expected no more than the lab's own machine runs", what);
}

void
parse_refuse(struct parse *ps, const char *what)
{
	if (ps->bad)
		return;
	ps->bad = true;
	ps->err = why_set(ps->why, ERR_DENIED, "%s is refused", what);
}

void *
parse_grow(void *p, size_t n, size_t *size, size_t bytes)
{
	if (n < *size)
		return p;
	*size = *size ? 2 * *size : 64;
	return xreallocarray(p, *size, bytes);
}

void
parse_space(struct parse *ps)
{
	while (ps->at < ps->end &&
	    (*ps->at == ' ' || *ps->at == '\n' || *ps->at == '\t'))
		ps->at++;
}

bool
parse_char(struct parse *ps, char c)
{
	parse_space(ps);
	if (ps->at == ps->end || *ps->at != c)
		return false;
	ps->at++;
	return true;
}

void
parse_expect(struct parse *ps, char c)
{
	const char what[] = { 'n', 'o', ' ', c, '\0' };

	if (!parse_char(ps, c))
		parse_fail(ps, what);
}

static bool
is_word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$' ||
	    c == '-';
}

bool
parse_word(struct parse *ps, const char *w)
{
	size_t n = strlen(w);

	parse_space(ps);
	if ((size_t)(ps->end - ps->at) < n || memcmp(ps->at, w, n) != 0 ||
	    (ps->at + n < ps->end && is_word_char(ps->at[n])))
		return false;
	ps->at += n;
	return true;
}

struct slice
parse_name(struct parse *ps)
{
	const char *from = ps->at;

	while (ps->at < ps->end && is_word_char(*ps->at))
		ps->at++;
	return (struct slice){ from, (size_t)(ps->at - from) };
}

uint64_t
parse_number(struct parse *ps)
{
	uint64_t v = 0;

	parse_space(ps);
	if (ps->at == ps->end || *ps->at < '0' || *ps->at > '9')
		parse_fail(ps, "no number");
	while (ps->at < ps->end && *ps->at >= '0' && *ps->at <= '9')
		v = v * 10 + (uint64_t)(*ps->at++ - '0');
	return v;
}

/* Past a parenthesis and what belongs to it. */
static void
skip_parentheses(struct parse *ps)
{
	int depth = 0;

	/* A spoiled text may end before its parenthesis begins. */
	while (ps->at < ps->end) {
		depth += *ps->at == '(';
		depth -= *ps->at == ')';
		ps->at++;
		if (depth <= 0)
			return;
	}
}

static bool
is_literal(struct slice w)
{
	static const char *const literals[] = { "true", "false", "null",
		"undef", "poison", "zeroinitializer", "getelementptr",
		"bitcast", "addrspacecast", "ptrtoint", "inttoptr", "c" };

	for (size_t i = 0; i < COUNT(literals); i++)
		if (slice_is(w, literals[i]))
			return true;
	return w.n == 0 || *w.p == '-' || (*w.p >= '0' && *w.p <= '9');
}

void
parse_skip_attributes(struct parse *ps, uint64_t *ret_byval)
{
	for (;;) {
		const char *from;
		struct slice w;

		parse_space(ps);
		from = ps->at;
		w = parse_name(ps);
		if (is_literal(w)) {
			ps->at = from;
			return;
		}
		if (slice_is(w, "align"))
			parse_number(ps);
		if (slice_is(w, "byval") && ret_byval && parse_char(ps, '(')) {
			*ret_byval = parse_type(ps)->bytes;
			parse_expect(ps, ')');
		} else if (ps->at < ps->end && *ps->at == '(')
			skip_parentheses(ps);
	}
}

/* ---- types */

static uint64_t
round_up(uint64_t n, uint64_t to)
{
	return to ? (n + to - 1) / to * to : n;
}

static struct prog_type *
new_type(struct parse *ps, enum prog_kind kind)
{
	struct prog_type *t = xcalloc(1, sizeof *t);
	struct program *p = ps->prog;

	p->types = parse_grow(p->types, p->ntypes, &p->types_size,
	    sizeof(struct prog_type *));
	p->types[p->ntypes++] = t;
	t->kind = kind;
	return t;
}

/* A vector's size is a power of two: three lanes take the room of four. */
static const struct prog_type *
sequence(struct parse *ps, enum prog_kind kind, uint64_t n,
    const struct prog_type *of)
{
	struct prog_type *t = new_type(ps, kind);

	if (of->slots == 0)
		parse_refuse(ps, "an array of nothing");
	else if (n > BYTES_MAX / of->bytes)
		parse_limit(ps, "a type too large");
	if (ps->bad)
		return &parse_void;
	t->of = of;
	t->count = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	t->bits = of->bits;
	t->bytes = n * of->bytes;
	t->align = of->align;
	t->slots =
	    n * of->slots < SLOTS_MAX ? (uint32_t)(n * of->slots) : SLOTS_MAX;
	if (kind != PROG_VECTOR)
		return t;
	if (n < 1 || n > PROG_LANES_MAX || of->slots != 1) {
		parse_fail(ps, "a vector of an odd kind");
		return &parse_void;
	}
	t->align = 1;
	while (t->align < t->bytes)
		t->align *= 2;
	t->bytes = t->align;
	return t;
}

const struct prog_type *
parse_vector_of(struct parse *ps, uint64_t n, const struct prog_type *of)
{
	return sequence(ps, PROG_VECTOR, n, of);
}

static const struct prog_type *
parse_fields(struct parse *ps, bool packed, struct slice name)
{
	struct prog_type *t = new_type(ps, PROG_STRUCT);
	size_t size = 0, sizes = 0;
	uint64_t slots = 0;

	t->align = 1;
	t->name = name;
	while (!ps->bad && !parse_char(ps, '}')) {
		const struct prog_type *f = parse_type(ps);
		uint32_t align = packed || f->align == 0 ? 1 : f->align;

		if (f->slots == 0)
			parse_refuse(ps, "a field that holds no value");
		t->fields = parse_grow(t->fields, t->count, &size,
		    sizeof(const struct prog_type *));
		t->offsets = parse_grow(t->offsets, t->count, &sizes,
		    sizeof *t->offsets);
		t->bytes = round_up(t->bytes, align);
		t->fields[t->count] = f;
		t->offsets[t->count++] = t->bytes;
		t->bytes += f->bytes;
		t->align = align > t->align ? align : t->align;
		slots += f->slots;
		if (t->bytes > BYTES_MAX)
			parse_limit(ps, "a type too large");
		parse_char(ps, ',');
	}
	t->bytes = round_up(t->bytes, t->align);
	t->slots = slots < SLOTS_MAX ? (uint32_t)slots : SLOTS_MAX;
	return t;
}

/* By name: the text behind "%name = type" is read on first use. */
static const struct prog_type *
parse_named(struct parse *ps, struct slice name)
{
	for (size_t i = 0; i < ps->nnamed; i++) {
		struct parse_named *n = &ps->named[i];
		const char *at = ps->at, *end = ps->end;

		if (!slice_same(n->name, name))
			continue;
		if (n->type)
			return n->type;
		if (n->busy || slice_begins(n->body, "opaque"))
			return &parse_void;
		n->busy = true;
		ps->at = n->body.p;
		ps->end = n->body.p + n->body.n;
		n->type = parse_type(ps);
		n->busy = false;
		ps->at = at;
		ps->end = end;
		return n->type;
	}
	parse_fail(ps, "an unknown type");
	return &parse_void;
}

static const struct prog_type *
parse_sequence(struct parse *ps, enum prog_kind kind, char close)
{
	const struct prog_type *of;
	uint64_t n = parse_number(ps);

	if (!parse_word(ps, "x"))
		parse_fail(ps, "no x");
	of = parse_type(ps);
	parse_expect(ps, close);
	return ps->bad ? &parse_void : sequence(ps, kind, n, of);
}

/* target("spirv.Event"): since LLVM 16 an event_t, a pointer before. */
static const struct prog_type *
parse_target(struct parse *ps)
{
	const char *end = memchr(ps->at, ')', (size_t)(ps->end - ps->at));

	if (end)
		ps->at = end + 1;
	else
		parse_fail(ps, "no type");
	return &parse_ptr;
}

/* A number that clang has for C, "long double" or _ExtInt(24). */
static bool
is_foreign(struct parse *ps)
{
	static const char *const words[] = { "fp128", "x86_fp80", "ppc_fp128",
		"bfloat" };

	for (size_t i = 0; i < COUNT(words); i++)
		if (parse_word(ps, words[i]))
			return true;
	return ps->at + 1 < ps->end && ps->at[0] == 'i' && ps->at[1] >= '1' &&
	    ps->at[1] <= '9';
}

static const struct prog_type *
parse_base_type(struct parse *ps)
{
	static const struct slice anonymous = { "", 0 };
	const struct prog_type *t;

	if (parse_char(ps, '%'))
		return parse_named(ps, parse_name(ps));
	if (parse_char(ps, '['))
		return parse_sequence(ps, PROG_ARRAY, ']');
	if (parse_char(ps, '{'))
		return parse_fields(ps, false, anonymous);
	if (parse_char(ps, '<')) {
		if (!parse_char(ps, '{'))
			return parse_sequence(ps, PROG_VECTOR, '>');
		t = parse_fields(ps, true, anonymous);
		parse_expect(ps, '>');
		return t;
	}
	for (size_t i = 0; i < COUNT(scalars); i++)
		if (parse_word(ps, scalars[i].word))
			return &scalars[i].type;
	if (parse_word(ps, "target"))
		return parse_target(ps);
	if (is_foreign(ps))
		parse_refuse(ps, "a type that OpenCL C 1.2 does not have");
	else
		parse_fail(ps, "no type");
	return &parse_void;
}

const struct prog_type *
parse_type(struct parse *ps)
{
	static _Thread_local int depth;
	const struct prog_type *t;

	if (depth > DEPTH_MAX) {
		parse_limit(ps, "types too deep");
		return &parse_void;
	}
	depth++;
	t = parse_base_type(ps);
	depth--;
	for (;;) {
		if (parse_word(ps, "addrspace")) {
			skip_parentheses(ps);
			t = &parse_ptr;
		} else if (ps->at < ps->end && *ps->at == '*') {
			ps->at++;
			t = &parse_ptr;
		} else if (ps->at + 1 < ps->end && ps->at[0] == ' ' &&
		    ps->at[1] == '(' && !ps->bad) {
			ps->at++; /* a function's type */
			skip_parentheses(ps);
		} else {
			return t;
		}
	}
}

static bool
is_type(const struct parse *ps)
{
	struct parse look = *ps;

	parse_space(&look);
	if (look.at < look.end && strchr("%[{<", *look.at))
		return true;
	for (size_t i = 0; i < COUNT(scalars); i++)
		if (parse_word(&look, scalars[i].word))
			return true;
	return parse_word(&look, "target");
}

void
parse_skip_to_type(struct parse *ps)
{
	while (!ps->bad && !is_type(ps)) {
		parse_space(ps);
		if (parse_name(ps).n == 0)
			parse_fail(ps, "no type");
		else if (ps->at < ps->end && *ps->at == '(')
			skip_parentheses(ps);
	}
}

uint64_t
parse_metadata(const struct parse *ps, uint64_t n, const char *key)
{
	struct slice s = n < ps->nmetadata ? ps->metadata[n] : slice_of("");
	size_t k = strlen(key);

	for (size_t i = 0; i + k < s.n; i++)
		if (memcmp(s.p + i, key, k) == 0)
			return strtoull(s.p + i + k, NULL, 10);
	return 0;
}
