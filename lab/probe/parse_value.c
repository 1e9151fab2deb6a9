/*
 * Constants and operands.  A constant is written into slots as the machine
 * holds values: whole numbers zero-extended, floats by their bits, structures
 * and arrays flattened.
 */
#include "lab/probe/parse.h"

#include "base/mem.h"
#include "ops/dtype.h"
#include <stdlib.h>
#include <string.h>

#define NESTING_MAX 64

static void parse_parts(struct parse *ps, const struct prog_type *t, char close,
    uint64_t *out);

static uint64_t
mask_of(uint32_t bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* A double's value in a float type's bits. */
static uint64_t
float_bits(double v, uint32_t bits)
{
	uint64_t out = 0;
	float f = (float)v;

	if (bits == 64)
		memcpy(&out, &v, sizeof v);
	else if (bits == 32)
		memcpy(&out, &f, sizeof f);
	else
		out = dtype_f16_from_float(f);
	return out;
}

/* "0x3FF8000000000000" (a double's bits, whatever the type), "0xH3C00". */
static uint64_t
parse_float(struct parse *ps, const struct prog_type *t)
{
	char *end;
	double v;

	if (ps->at + 2 < ps->end && ps->at[0] == '0' && ps->at[1] == 'x') {
		bool is_half = ps->at[2] == 'H';
		uint64_t bits =
		    strtoull(ps->at + 2 + (is_half ? 1 : 0), &end, 16);

		ps->at = end;
		if (is_half)
			return bits & mask_of(t->bits);
		/* A float's NaN keeps its payload: no conversion. */
		if (t->bits == 32 && (bits >> 52 & 0x7ff) == 0x7ff)
			return (bits >> 32 & 0x80000000U) | 0x7f800000U |
			    (bits >> 29 & 0x7fffffU);
		memcpy(&v, &bits, sizeof v);
		return float_bits(v, t->bits);
	}
	v = strtod(ps->at, &end);
	if (end == ps->at)
		parse_fail(ps, "no number");
	ps->at = end;
	return float_bits(v, t->bits);
}

static uint64_t
parse_integer(struct parse *ps, const struct prog_type *t)
{
	bool negative = parse_char(ps, '-');
	uint64_t v = parse_number(ps);

	return (negative ? (uint64_t)0 - v : v) & mask_of(t->bits);
}

static uint64_t
parse_global(struct parse *ps)
{
	struct slice name = parse_name(ps);

	for (size_t i = 0; i < ps->nglobals; i++)
		if (slice_same(ps->globals[i].name, name))
			return ps->globals[i].pointer;
	parse_fail(ps, "an unknown variable");
	return 0;
}

/* One step of a constant address: where element i of *t lies. */
static uint64_t
step_into(struct parse *ps, const struct prog_type **t, uint64_t i)
{
	uint64_t at = 0;

	if ((*t)->kind == PROG_STRUCT && i < (*t)->count) {
		at = (*t)->offsets[i];
		*t = (*t)->fields[i];
	} else if ((*t)->kind == PROG_ARRAY || (*t)->kind == PROG_VECTOR) {
		*t = (*t)->of;
		at = i * (*t)->bytes;
	} else {
		parse_fail(ps, "an address in no array");
	}
	return at;
}

/* "T v" of one slot. */
static uint64_t
parse_one(struct parse *ps)
{
	const struct prog_type *t = parse_type(ps);
	uint64_t v = 0;

	if (t->slots != 1)
		parse_fail(ps, "no number and no address");
	else
		parse_constant(ps, t, &v);
	return v;
}

/* "getelementptr inbounds (T, T* @g, i64 0, i64 1)" behind its word. */
static uint64_t
parse_constant_gep(struct parse *ps)
{
	const struct prog_type *t;
	uint64_t p, i;
	bool is_first = true;

	parse_skip_attributes(ps, NULL);
	parse_expect(ps, '(');
	t = parse_type(ps);
	parse_expect(ps, ',');
	p = parse_one(ps);
	while (!ps->bad && parse_char(ps, ',')) {
		parse_word(ps, "inrange");
		i = parse_one(ps);
		p += is_first ? i * t->bytes : step_into(ps, &t, i);
		is_first = false;
	}
	parse_expect(ps, ')');
	return p;
}

/* An address that is another one under another type. */
static uint64_t
parse_constant_cast(struct parse *ps)
{
	uint64_t p;

	parse_expect(ps, '(');
	p = parse_one(ps);
	if (!parse_word(ps, "to"))
		parse_fail(ps, "no to");
	parse_type(ps);
	parse_expect(ps, ')');
	return p;
}

static void
parse_scalar(struct parse *ps, const struct prog_type *t, uint64_t *out)
{
	if (t->kind == PROG_POINTER) {
		if (parse_char(ps, '@'))
			*out = parse_global(ps);
		else if (parse_word(ps, "getelementptr"))
			*out = parse_constant_gep(ps);
		else if (parse_word(ps, "bitcast") ||
		    parse_word(ps, "addrspacecast"))
			*out = parse_constant_cast(ps);
		else if (parse_word(ps, "null"))
			*out = 0;
		else
			parse_fail(ps, "no address");
	} else if (t->kind == PROG_FLOAT) {
		parse_space(ps);
		*out = parse_float(ps, t);
	} else if (t->bits == 1 && parse_word(ps, "true")) {
		*out = 1;
	} else if (t->bits == 1 && parse_word(ps, "false")) {
		*out = 0;
	} else {
		*out = parse_integer(ps, t);
	}
}

/* c"bytes\00" */
static void
parse_string(struct parse *ps, const struct prog_type *t, uint64_t *out)
{
	uint32_t n = 0;

	while (ps->at < ps->end && *ps->at != '"' && n < t->slots) {
		char hex[3] = { 0 };

		if (*ps->at != '\\') {
			out[n++] = (unsigned char)*ps->at++;
			continue;
		}
		if (ps->end - ps->at < 3)
			break;
		memcpy(hex, ps->at + 1, 2);
		out[n++] = strtoull(hex, NULL, 16);
		ps->at += 3;
	}
	parse_expect(ps, '"');
}

void
parse_constant(struct parse *ps, const struct prog_type *t, uint64_t *out)
{
	memset(out, 0, t->slots * sizeof *out);
	if (ps->bad || parse_word(ps, "zeroinitializer") ||
	    parse_word(ps, "undef") || parse_word(ps, "poison"))
		return;
	if (t->kind == PROG_VECTOR) {
		parse_expect(ps, '<');
		parse_parts(ps, t, '>', out);
	} else if (t->kind == PROG_ARRAY) {
		if (parse_char(ps, 'c') && parse_char(ps, '"')) {
			parse_string(ps, t, out);
			return;
		}
		parse_expect(ps, '[');
		parse_parts(ps, t, ']', out);
	} else if (t->kind == PROG_STRUCT) {
		bool packed = parse_char(ps, '<');

		parse_expect(ps, '{');
		parse_parts(ps, t, '}', out);
		if (packed)
			parse_expect(ps, '>');
	} else {
		parse_scalar(ps, t, out);
	}
}

/* "T v, T v" up to close: the parts that t has. */
static void
parse_parts(struct parse *ps, const struct prog_type *t, char close,
    uint64_t *out)
{
	static _Thread_local int nesting;
	uint32_t at = 0, n = 0;

	if (nesting > NESTING_MAX)
		parse_limit(ps, "constants too deep");
	nesting++;
	while (!ps->bad && !parse_char(ps, close)) {
		const struct prog_type *part = parse_type(ps);

		if (n >= t->count) {
			parse_fail(ps, "more values than its type has");
			break;
		}
		parse_check_same(ps, part, t->of ? t->of : t->fields[n]);
		if (ps->bad)
			break;
		parse_constant(ps, part, out + at);
		at += part->slots;
		n++;
		parse_char(ps, ',');
	}
	if (n < t->count)
		parse_fail(ps, "less values than its type has");
	nesting--;
}

/* ---- operands */

static uint64_t
hash_of(struct slice s)
{
	uint64_t h = 14695981039346656037ULL;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 1099511628211ULL;
	return h;
}

static void
rehash(struct parse *ps, size_t n)
{
	free(ps->buckets);
	ps->buckets = xcalloc(n, sizeof *ps->buckets);
	ps->nbuckets = n;
	for (size_t i = 0; i < ps->nlocals; i++) {
		size_t k = hash_of(ps->locals[i].name) % n;

		while (ps->buckets[k])
			k = (k + 1) % n;
		ps->buckets[k] = (uint32_t)i + 1;
	}
}

struct parse_local *
parse_local(struct parse *ps, struct slice name, const struct prog_type *t)
{
	struct parse_local *l;
	size_t k;

	if (2 * ps->nlocals >= ps->nbuckets)
		rehash(ps, ps->nbuckets ? 2 * ps->nbuckets : 256);
	k = hash_of(name) % ps->nbuckets;
	while (ps->buckets[k]) {
		l = &ps->locals[ps->buckets[k] - 1];
		if (slice_same(l->name, name)) {
			if (!parse_is_same(l->type, t))
				parse_fail(ps, "a value of two types");
			return l;
		}
		k = (k + 1) % ps->nbuckets;
	}
	ps->locals = parse_grow(ps->locals, ps->nlocals, &ps->locals_size,
	    sizeof *ps->locals);
	l = &ps->locals[ps->nlocals++];
	*l = (struct parse_local){ .name = name,
		.type = t,
		.slot = (int32_t)ps->f->slots };
	ps->buckets[k] = (uint32_t)ps->nlocals;
	ps->f->slots += t->slots;
	if (ps->f->slots > 1U << 20)
		parse_limit(ps, "a function with too many values");
	return l;
}

struct parse_local *
parse_definition(struct parse *ps, struct slice name, const struct prog_type *t)
{
	struct parse_local *l = parse_local(ps, name, t);

	if (l->is_made)
		parse_fail(ps, "a value made twice");
	l->is_made = true;
	return l;
}

int32_t
parse_value(struct parse *ps, const struct prog_type *t)
{
	struct program *p = ps->prog;
	size_t at = p->nconstants;

	parse_check_value(ps, t);
	if (ps->bad)
		return 0;
	parse_space(ps);
	if (parse_char(ps, '%')) {
		struct parse_local *l = parse_local(ps, parse_name(ps), t);

		l->uses++;
		return l->slot;
	}
	while (p->constants_size <= at + t->slots)
		p->constants = parse_grow(p->constants, p->constants_size,
		    &p->constants_size, sizeof *p->constants);
	p->nconstants += t->slots;
	parse_constant(ps, t, p->constants + at);
	return prog_constant(at);
}
