/*
 * Where the pointers of a function come from.
 *
 * A pointer is an argument, an array, or one of these and an index.  Three
 * roads lead around this, and all show in unoptimised text:
 *
 *	memory	an integer is stored, a pointer loaded from the same place: by
 *		a cast to or from a type that holds a pointer (a union is one)
 *	index	an address as a number goes into an index, where it cancels
 *		the pointer that it is added to
 *	copy	memcpy over a pointer's bytes
 *
 * LLVM 15 took the types from pointers: there the first road shows in the uses
 * of one name only, and the third not at all.
 *
 * A number that was an address is followed through the function's variables
 * until nothing new is marked.  It may be moved, and something added to it;
 * its low bits (a look at alignment) and the difference of two addresses are
 * numbers like others.  What else an address is used for is refused.
 *
 * An index that runs out of its array still reaches anything; that is for the
 * guard zones and the sandbox.
 */
#include "lab/read/ir_gate_priv.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define MARKS_MAX    1024
#define LOW_BITS_MAX 4096

/* A place in memory, and what it was first used for. */
struct place {
	struct slice name;
	bool has_pointer;
};

/* A pointer that was cast to bytes, and what it pointed to. */
struct raw {
	struct slice name, type;
};

struct flow {
	const struct ir_structs *structs;
	struct slice marked[MARKS_MAX]; /* values that hold an address */
	size_t nmarked;
	struct raw raws[MARKS_MAX];
	size_t nraws;
	struct place places[MARKS_MAX];
	size_t nplaces;
	struct slice slots[MARKS_MAX]; /* variables: what alloca gave */
	size_t nslots;
	struct why *why;
};

typedef enum err line_fn(struct flow *f, struct slice line);

static line_fn learn_line, follow_line;

static enum err
walk(struct flow *f, struct slice body, line_fn *fn)
{
	enum err e = ERR_OK;

	while (body.n > 0 && e == ERR_OK) {
		const char *end = memchr(body.p, '\n', body.n);
		size_t n = end ? (size_t)(end - body.p) : body.n;

		/* Instructions are indented; labels and comments are not. */
		if (n > 1 && body.p[0] == ' ')
			e = fn(f, ir_cut(body.p, n));
		n += end != NULL;
		body = ir_cut(body.p + n, body.n - n);
	}
	return e;
}

enum err
ir_check_pointers(struct slice body, const struct ir_structs *structs,
    struct why *why)
{
	struct flow *f = xcalloc(1, sizeof *f);
	size_t before;
	enum err e;

	f->structs = structs;
	f->why = why;
	e = walk(f, body, learn_line);
	/* Over and over, because a loop's end marks values that stand above it
	 * (phi). */
	do {
		before = f->nmarked;
		if (e == ERR_OK)
			e = walk(f, body, follow_line);
	} while (e == ERR_OK && f->nmarked > before);
	free(f);
	return e;
}

static enum err
refuse(struct flow *f, const char *what)
{
	return why_set(f->why, ERR_DENIED, "%s is refused", what);
}

static bool
is_among(struct slice name, const struct slice *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_same(names[i], name))
			return true;
	return false;
}

static enum err
add_name(struct flow *f, struct slice *names, size_t *n, struct slice name)
{
	if (name.n == 0 || is_among(name, names, *n))
		return ERR_OK;
	if (*n == MARKS_MAX)
		return why_set(f->why, ERR_TOOBIG,
		    "more than %d addresses in one function: expected fewer",
		    MARKS_MAX);
	names[(*n)++] = name;
	return ERR_OK;
}

/* The next value in s from *at on, "%name"; n is 0 at the end.  Names of
 * types are values' equals here: they are never marked. */
static struct slice
next_value(struct slice s, size_t *at)
{
	while (*at < s.n) {
		size_t from = (*at)++;
		struct slice name;

		if (s.p[from] != '%')
			continue;
		name = ir_name_at(ir_cut(s.p + from + 1, s.n - from - 1));
		*at += name.n;
		return ir_cut(s.p + from, name.n + 1);
	}
	return ir_cut(s.p + s.n, 0);
}

static size_t
count_marked(const struct flow *f, struct slice s)
{
	struct slice v;
	size_t at = 0, n = 0;

	while ((v = next_value(s, &at)).n > 0)
		n += is_among(v, f->marked, f->nmarked);
	return n;
}

/* Without the '*' and address space at its end: what is pointed to. */
static struct slice
pointee(struct slice type)
{
	struct slice rest;

	if (type.n == 0 || type.p[type.n - 1] != '*')
		return ir_cut(type.p, 0);
	type.n--;
	for (size_t i = type.n; i-- > 0;) {
		rest = ir_cut(type.p + i, type.n - i);
		if (!slice_begins(rest, " addrspace("))
			continue;
		if (memchr(rest.p, ')', rest.n) == rest.p + rest.n - 1)
			type.n = i;
		break;
	}
	return type;
}

static bool
holds_pointer(const struct flow *f, struct slice type)
{
	struct slice v;
	size_t at = 0;

	if (memchr(type.p, '*', type.n) || ir_find_word(type, "ptr"))
		return true;
	while ((v = next_value(type, &at)).n > 0)
		if (is_among(v, f->structs->holding, f->structs->n))
			return true;
	return false;
}

/* The parenthesis that closes a cast, not that of an address space. */
static bool
ends_type(struct slice s, size_t i)
{
	return s.p[i] == ')' && (i == 0 || s.p[i - 1] == '*');
}

/* Of "bitcast FROM %v to TO", in an instruction or inside parentheses. */
static bool
split_cast(struct slice s, struct slice *from, struct slice *to)
{
	struct slice rest = ir_from(s, " to "), all = s, nested;
	size_t end = s.n - rest.n;

	if (rest.n == 0)
		return false;
	/* The value may be an expression itself: its type stands before it. */
	nested = ir_from(ir_cut(s.p, end), " getelementptr");
	if (nested.n == 0)
		nested = ir_from(ir_cut(s.p, end), " bitcast");
	end -= nested.n;
	/* The value is the last word before " to ". */
	while (nested.n == 0 && end > 0 && all.p[end - 1] != ' ')
		end--;
	while (end > 0 && all.p[end - 1] == ' ')
		end--;
	*from = ir_cut(all.p, end);
	*to = ir_cut(rest.p + 4, rest.n - 4);
	for (size_t i = 0; i < to->n; i++)
		if (to->p[i] == ',' || to->p[i] == '!' || ends_type(*to, i))
			*to = ir_cut(to->p, i);
	while (to->n > 0 && to->p[to->n - 1] == ' ')
		to->n--;
	return true;
}

static bool
is_bytes(struct slice type)
{
	return slice_is(type, "i8*") || slice_is(type, "i8 addrspace(3)*") ||
	    slice_is(type, "i8 addrspace(1)*");
}

static enum err
add_raw(struct flow *f, struct slice name, struct slice type)
{
	if (f->nraws == MARKS_MAX)
		return why_set(f->why, ERR_TOOBIG,
		    "more than %d casts in one function: expected fewer",
		    MARKS_MAX);
	f->raws[f->nraws++] = (struct raw){ name, type };
	return ERR_OK;
}

/* Does a cast between pointers turn a pointer's memory into something else,
 * or something else into a pointer's memory? */
static bool
changes_kind(const struct flow *f, struct slice from, struct slice to)
{
	struct slice a = pointee(from), b = pointee(to);

	return !slice_same(a, b) &&
	    (holds_pointer(f, a) || holds_pointer(f, b));
}

/* A constant's bytes, to be copied: see is_whole_copy(). */
static bool
is_constant_bytes(struct slice from, struct slice to)
{
	return slice_is(to, "i8 addrspace(2)*") &&
	    ir_from(from, " addrspace(2)*").n > 0;
}

/* A cast between pointers: what it points to may not change its kind. */
static enum err
learn_cast(struct flow *f, struct slice line, struct slice op)
{
	struct slice from, to, a, b;

	if (!split_cast(ir_cut(op.p + 8, op.n - 8), &from, &to))
		return refuse(f, "a cast of this form");
	if (to.n == 0 || to.p[to.n - 1] != '*')
		return ERR_OK;
	a = pointee(from);
	b = pointee(to);
	if (!changes_kind(f, from, to))
		return ERR_OK;
	if (is_bytes(to) && !holds_pointer(f, b))
		return add_raw(f, ir_result(line), a);
	return refuse(f, "a pointer's own memory as something else");
}

static const struct raw *
find_raw(const struct flow *f, struct slice name)
{
	for (size_t i = 0; i < f->nraws; i++)
		if (slice_same(f->raws[i].name, name))
			return &f->raws[i];
	return NULL;
}

/* A whole structure is copied, or cleared: clang's own use of bytes. */
static bool
is_whole_copy(const struct flow *f, struct slice op, const struct raw *r)
{
	struct slice v;
	size_t at = 0, same = 0;

	/* Zeros make null pointers, which lead nowhere. */
	if (ir_from(op, "@llvm.memset.").n > 0)
		return ir_from(op, ", i8 0, ").n > 0;
	if (ir_from(op, "@llvm.memcpy.").n == 0)
		return false;
	while ((v = next_value(op, &at)).n > 0) {
		const struct raw *other = find_raw(f, v);

		same += other && slice_same(other->type, r->type);
	}
	if (same == 2)
		return true;
	/* from a constant of that type: "bitcast (TYPE addrspace(2)* @..." */
	op = ir_from(op, "bitcast (");
	op = op.n > 9 ? ir_cut(op.p + 9, op.n - 9) : op;
	return op.n > r->type.n && memcmp(op.p, r->type.p, r->type.n) == 0 &&
	    slice_begins(ir_cut(op.p + r->type.n, op.n - r->type.n),
	        " addrspace(2)* @");
}

static enum err
check_raws(struct flow *f, struct slice op)
{
	struct slice v;
	size_t at = 0;

	while ((v = next_value(op, &at)).n > 0) {
		const struct raw *r = find_raw(f, v);

		if (r && !is_whole_copy(f, op, r))
			return refuse(f, "a pointer's own memory as bytes");
	}
	return ERR_OK;
}

/* "ptr", "ptr addrspace(1)", "float*" before the value that it is the type of.
 */
static bool
is_pointer_type(struct slice type)
{
	return slice_begins(type, "ptr ") || slice_is(type, "ptr") ||
	    memchr(type.p, '*', type.n);
}

static enum err
use_place(struct flow *f, struct slice name, bool has_pointer)
{
	for (size_t i = 0; i < f->nplaces; i++)
		if (slice_same(f->places[i].name, name))
			return f->places[i].has_pointer == has_pointer
			    ? ERR_OK
			    : refuse(f,
			          "a pointer's own memory as something "
			          "else");
	if (f->nplaces == MARKS_MAX)
		return why_set(f->why, ERR_TOOBIG,
		    "more than %d places in one function: expected fewer",
		    MARKS_MAX);
	f->places[f->nplaces++] = (struct place){ name, has_pointer };
	return ERR_OK;
}

/*
 * "load TYPE, ptr %place" and "store TYPE VALUE, ptr %place".  Since LLVM 15 no
 * cast shows that a place changes its kind; its uses do.
 */
static enum err
learn_use(struct flow *f, struct slice op)
{
	const char *comma = memchr(op.p, ',', op.n), *sign;
	bool is_store = slice_begins(op, "store ");
	size_t verb = is_store ? 6 : 5, at = 0;
	struct slice type, to;

	if (!comma || (!is_store && !slice_begins(op, "load ")))
		return ERR_OK;
	type = ir_cut(op.p + verb, (size_t)(comma - op.p) - verb);
	if (slice_begins(type, "volatile "))
		type = ir_cut(type.p + 9, type.n - 9);
	while (is_store && type.n > 0 && type.p[type.n - 1] != ' ')
		type.n--;
	to = ir_cut(comma, op.n - (size_t)(comma - op.p));
	sign = memchr(to.p, '%', to.n);
	/* An array's name, or an expression: no variable of the function. */
	if (!slice_begins(to, ", ptr ") || !sign ||
	    memchr(to.p, '@', (size_t)(sign - to.p)))
		return ERR_OK;
	return use_place(f, next_value(to, &at), is_pointer_type(type));
}

/* Once over each line: variables and casts. */
static enum err
learn_line(struct flow *f, struct slice line)
{
	struct slice op = ir_operation(line), inner;
	enum err e = learn_use(f, op);

	if (e != ERR_OK)
		return e;
	if (slice_begins(op, "alloca "))
		return add_name(f, f->slots, &f->nslots, ir_result(line));
	if (slice_begins(op, "bitcast "))
		return learn_cast(f, line, op);
	/* In an operand, a cast of an array's address. */
	for (inner = ir_from(op, "bitcast ("); inner.n > 0;
	     inner = ir_from(inner, "bitcast (")) {
		struct slice from, to;

		inner = ir_cut(inner.p + 9, inner.n - 9);
		if (!split_cast(inner, &from, &to))
			return refuse(f, "a cast of this form");
		if (changes_kind(f, from, to) && !is_constant_bytes(from, to))
			return refuse(f,
			    "a pointer's own memory as something else");
	}
	return check_raws(f, op);
}

/* "and i64 %x, 15", "urem i64 %x, 16": the low bits of a number. */
static bool
takes_low_bits(struct slice op)
{
	const char *comma = memchr(op.p, ',', op.n);
	uint64_t n = 0;
	size_t i;

	if (!comma ||
	    (!slice_begins(op, "and ") && !slice_begins(op, "urem ") &&
	        !slice_begins(op, "srem ")))
		return false;
	op = ir_cut(comma + 2, op.n - (size_t)(comma + 2 - op.p));
	for (i = 0; i < op.n && op.p[i] >= '0' && op.p[i] <= '9'; i++)
		n = n < IR_COUNT_MAX ? n * 10 + (uint64_t)(op.p[i] - '0') : n;
	return i > 0 && i == op.n && n <= LOW_BITS_MAX;
}

static enum err
follow_store(struct flow *f, struct slice op)
{
	const char *comma = memchr(op.p, ',', op.n);
	struct slice value =
	    ir_cut(op.p, comma ? (size_t)(comma - op.p) : op.n);
	struct slice to = ir_cut(op.p + value.n, op.n - value.n), slot;
	size_t at = 0;

	if (count_marked(f, value) == 0)
		return ERR_OK;
	slot = next_value(to, &at);
	if (!is_among(slot, f->slots, f->nslots))
		return refuse(f, "an address kept in memory as a number");
	return add_name(f, f->marked, &f->nmarked, slot);
}

/* What may be done with an address as a number, and gives one.  Shifting it,
 * comparing it, giving it away would each tell it bit by bit. */
static const char *const keeping[] = { "add ", "freeze ", "load ", "phi ",
	"select ", "sext ", "sub ", "trunc ", "zext " };

/* What becomes of numbers that were addresses. */
static enum err
follow_line(struct flow *f, struct slice line)
{
	struct slice op = ir_operation(line), result = ir_result(line);
	size_t n;

	if (slice_begins(op, "ptrtoint "))
		return add_name(f, f->marked, &f->nmarked, result);
	if (ir_from(op, "ptrtoint ").n > 0)
		return refuse(f, "an array's address as a number");
	n = count_marked(f, op);
	if (n == 0 || takes_low_bits(op) ||
	    (slice_begins(op, "sub ") && n == 2))
		return ERR_OK;
	if (slice_begins(op, "store "))
		return follow_store(f, op);
	if (slice_begins(op, "getelementptr "))
		return refuse(f, "a pointer made of an address");
	for (size_t i = 0; i < COUNT(keeping); i++)
		if (slice_begins(op, keeping[i]))
			return add_name(f, f->marked, &f->nmarked, result);
	return refuse(f, "reckoning with an address as a number");
}
