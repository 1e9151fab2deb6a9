/*
 * LLVM's text is read by lines, as its printer writes them: a definition
 * opens with "define" and ends with "}", an instruction is indented, a global
 * begins with "@", a type with "%", metadata with "!".  Words inside quotes
 * are the candidate's and say nothing; they are blanked first.
 *
 * Two passes: the first one learns the names of all functions, so that the
 * second one knows at every call who is called, and by whom.
 */
#include "lab/read/ir.h"

#include "base/mem.h"
#include "base/slice.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_MAX  256
#define NAME_BYTES_MAX 128
#define NO_FUNCTION    FUNCTIONS_MAX
/* What one array may say it is, before products are formed. */
#define COUNT_MAX   ((uint64_t)1 << 40)
#define COUNT_CALLS UINT16_MAX

struct function {
	struct slice name;
	uint16_t calls[FUNCTIONS_MAX]; /* how often, at most COUNT_CALLS */
	uint64_t instructions;         /* its own, then with what it calls */
	bool is_done; /* check_calls(): all that it calls is done */
};

struct ir {
	struct function functions[FUNCTIONS_MAX];
	size_t nfunctions;
	size_t current; /* the definition that a line is in, or NO_FUNCTION */
	uint64_t local_bytes, private_bytes, const_bytes;
	struct why *why;
};

typedef enum err line_fn(struct ir *ir, struct slice line);

static line_fn learn_line, check_line, check_global, check_type;
static enum err check_calls(struct ir *ir);

/* Intrinsics that clang itself puts in, by prefix. */
static const char *const intrinsics[] = {
	"llvm.dbg.",
	"llvm.fabs.",
	"llvm.fma.",
	"llvm.fmuladd.",
	"llvm.lifetime.",
	"llvm.memcpy.",
	"llvm.memmove.",
	"llvm.memset.",
};

/* Only the lab's own functions may ask who a work item is. */
static const char *const identity_builtins[] = {
	"get_global_id",
	"get_group_id",
	"get_local_id",
};

/* Words of instructions and globals that are refused wherever they stand. */
static const struct {
	const char *word, *what;
} words[] = {
	{ "asm", "inline assembly" },
	{ "inttoptr", "a pointer made of an integer" },
};

static const char *const globals_refused[] = { "alias", "common", "extern_weak",
	"external", "ifunc", "thread_local", "appending" };

/* ---- slices of a line */

static struct slice
cut(const char *p, size_t n)
{
	return (struct slice){ p, n };
}

static bool
is_same(struct slice a, struct slice b)
{
	return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

static bool
is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '$' ||
	    c == '-';
}

static bool
begins(struct slice s, const char *with)
{
	size_t n = strlen(with);

	return s.n >= n && memcmp(s.p, with, n) == 0;
}

/* The offset behind the whole word, or 0. */
static size_t
find_word(struct slice s, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= s.n; i++)
		if (memcmp(s.p + i, word, n) == 0 &&
		    (i == 0 || !is_name_char(s.p[i - 1])) &&
		    (i == 0 || (s.p[i - 1] != '%' && s.p[i - 1] != '@')) &&
		    (i + n == s.n || !is_name_char(s.p[i + n])))
			return i + n;
	return 0;
}

/* The name at the start of s. */
static struct slice
name_of(struct slice s)
{
	size_t n = 0;

	while (n < s.n && is_name_char(s.p[n]))
		n++;
	return cut(s.p, n);
}

/*
 * What is called: the name, with its sigil, that stands right before a
 * parenthesis outside all others.  Empty: nothing that has a name.
 */
static struct slice
callee_of(struct slice s)
{
	int depth = 0;

	for (size_t i = 0; i < s.n; i++) {
		struct slice name;

		depth += s.p[i] == '(';
		depth -= s.p[i] == ')';
		if (depth > 0 || (s.p[i] != '@' && s.p[i] != '%'))
			continue;
		name = name_of(cut(s.p + i + 1, s.n - i - 1));
		if (i + 1 + name.n < s.n && s.p[i + 1 + name.n] == '(')
			return cut(s.p + i, name.n + 1);
	}
	return slice_of("");
}

/* ---- walking */

/* Blanks what is quoted: no word in it means anything. */
static void
blank_quotes(char *text)
{
	bool quoted = false;

	for (; *text && (*text != '\n' || quoted); text++) {
		if (*text == '"')
			quoted = !quoted;
		else if (quoted)
			*text = ' ';
	}
}

static enum err
walk(struct ir *ir, const char *text, line_fn *fn)
{
	enum err e = ERR_OK;

	while (*text && e == ERR_OK) {
		size_t n = strcspn(text, "\n");

		e = fn(ir, cut(text, n));
		text += n + (text[n] == '\n');
	}
	return e;
}

enum err
ir_check(const char *text, struct why *why)
{
	struct ir *ir = xcalloc(1, sizeof *ir);
	char *copy = xstrdup(text);
	enum err e;

	ir->why = why;
	ir->current = NO_FUNCTION;
	for (char *line = copy; *line; line += strcspn(line, "\n")) {
		line += *line == '\n';
		blank_quotes(line);
	}
	e = walk(ir, copy, learn_line);
	if (e == ERR_OK)
		e = walk(ir, copy, check_line);
	if (e == ERR_OK)
		e = check_calls(ir);
	free(copy);
	free(ir);
	return e;
}

/* ---- first pass */

static size_t
find_function(const struct ir *ir, struct slice name)
{
	for (size_t i = 0; i < ir->nfunctions; i++)
		if (is_same(ir->functions[i].name, name))
			return i;
	return NO_FUNCTION;
}

/* The name that a definition or a declaration gives; empty: quoted. */
static struct slice
defined_name(struct slice line)
{
	struct slice callee = callee_of(line);

	return callee.n > 1 ? cut(callee.p + 1, callee.n - 1) : slice_of("");
}

static enum err
learn_line(struct ir *ir, struct slice line)
{
	struct slice name;

	if (!begins(line, "define "))
		return ERR_OK;
	name = defined_name(line);
	if (name.n == 0 || name.n > NAME_BYTES_MAX)
		return why_set(ir->why, ERR_DENIED,
		    "a function with an odd name is refused");
	if (ir->nfunctions == FUNCTIONS_MAX)
		return why_set(ir->why, ERR_TOOBIG,
		    "more than %d functions: expected fewer", FUNCTIONS_MAX);
	ir->functions[ir->nfunctions++].name = name;
	return ERR_OK;
}

/* ---- sizes of types */

static uint64_t
scalar_bytes(struct slice type)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} rows[] = { { "i8", 1 }, { "i16", 2 }, { "half", 2 }, { "i32", 4 },
		{ "float", 4 } };

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (begins(type, rows[i].name))
			return rows[i].bytes;
	return 8; /* i64, double, pointers; a struct's own arrays count there */
}

/* "[N x " or "<N x " at the start of s: N, and what follows in *s. */
static uint64_t
take_count(struct slice *s)
{
	uint64_t n = 0;
	size_t i = 1;

	while (i < s->n && s->p[i] >= '0' && s->p[i] <= '9') {
		n = n < COUNT_MAX ? n * 10 + (uint64_t)(s->p[i] - '0') : n;
		i++;
	}
	if (i == 1 || i + 3 > s->n || memcmp(s->p + i, " x ", 3) != 0)
		return 0;
	*s = cut(s->p + i + 3, s->n - i - 3);
	return n;
}

/* Bytes of all arrays that a line speaks of, its largest one's at least. */
static uint64_t
array_bytes(struct slice s)
{
	uint64_t most = 0;

	for (size_t i = 0; i < s.n; i++) {
		struct slice rest = cut(s.p + i, s.n - i);
		uint64_t bytes = 1, n;

		if (s.p[i] != '[' || !take_count(&rest))
			continue;
		rest = cut(s.p + i, s.n - i);
		while (rest.n > 0 && (*rest.p == '[' || *rest.p == '<') &&
		    (n = take_count(&rest)) > 0)
			bytes = bytes < COUNT_MAX ? bytes * n : bytes;
		bytes *= scalar_bytes(rest);
		most = bytes > most ? bytes : most;
	}
	return most;
}

static enum err
add_bytes(struct ir *ir, uint64_t *sum, uint64_t bytes, uint64_t max,
    const char *what)
{
	*sum += bytes < COUNT_MAX ? bytes : COUNT_MAX;
	if (*sum <= max)
		return ERR_OK;
	return why_set(ir->why, ERR_TOOBIG,
	    "more than %llu bytes of %s arrays: expected fewer",
	    (unsigned long long)max, what);
}

/* ---- second pass */

static const char *
place(const struct ir *ir, char out[NAME_BYTES_MAX + 1])
{
	struct slice name = ir->functions[ir->current].name;

	memcpy(out, name.p, name.n);
	out[name.n] = '\0';
	return out;
}

static enum err
check_words(struct ir *ir, struct slice line)
{
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		if (find_word(line, words[i].word))
			return why_set(ir->why, ERR_DENIED, "%s is refused",
			    words[i].what);
	return ERR_OK;
}

static bool
is_named(const char *name, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* A built-in's plain name out of its mangled one, "_Z3expf"; "": none. */
static void
demangle(struct slice mangled, char out[NAME_BYTES_MAX + 1])
{
	size_t n = 0, i = 2;

	out[0] = '\0';
	if (!begins(mangled, "_Z"))
		return;
	for (; i < mangled.n && mangled.p[i] >= '0' && mangled.p[i] <= '9' &&
	     n < NAME_BYTES_MAX;
	     i++)
		n = n * 10 + (size_t)(mangled.p[i] - '0');
	if (n == 0 || n > NAME_BYTES_MAX || i + n > mangled.n)
		return;
	memcpy(out, mangled.p + i, n);
	out[n] = '\0';
}

static bool
is_intrinsic(struct slice name)
{
	for (size_t i = 0; i < sizeof intrinsics / sizeof intrinsics[0]; i++)
		if (begins(name, intrinsics[i]))
			return true;
	return false;
}

static enum err
check_builtin_call(struct ir *ir, struct slice name)
{
	char plain[NAME_BYTES_MAX + 1], caller[NAME_BYTES_MAX + 1];

	demangle(name, plain);
	if (!is_intrinsic(name) && !ir_is_builtin(plain))
		return why_set(ir->why, ERR_DENIED,
		    "a call of \"" SLICE_FMT "\" is refused: it is no built-in "
		    "function of OpenCL C 1.2",
		    SLICE_ARG(cut(name.p, name.n < 64 ? name.n : 64)));
	if (is_named(plain, identity_builtins,
	        sizeof identity_builtins / sizeof identity_builtins[0]) &&
	    strncmp(place(ir, caller), "kf_", 3) != 0)
		return why_set(ir->why, ERR_DENIED,
		    "%s is reached around the lab's own: refused", plain);
	return ERR_OK;
}

static enum err
check_call(struct ir *ir, struct slice line)
{
	struct slice callee = callee_of(line), name;
	size_t to;

	if (callee.n < 2 || *callee.p != '@')
		return why_set(ir->why, ERR_DENIED,
		    "a call through a pointer is refused");
	name = cut(callee.p + 1, callee.n - 1);
	to = find_function(ir, name);
	if (to == NO_FUNCTION)
		return check_builtin_call(ir, name);
	if (ir->functions[ir->current].calls[to] < COUNT_CALLS)
		ir->functions[ir->current].calls[to]++;
	return ERR_OK;
}

/* "alloca T, i64 %n": as much as the work item says, at run time. */
static enum err
check_alloca(struct ir *ir, struct slice line)
{
	struct slice tail = line;

	while (tail.n > 0 && *tail.p != ',')
		tail = cut(tail.p + 1, tail.n - 1);
	if ((begins(tail, ", i64 ") || begins(tail, ", i32 ")) && tail.n > 6 &&
	    tail.p[6] != '}')
		return why_set(ir->why, ERR_DENIED,
		    "an array sized at run time is refused");
	return add_bytes(ir, &ir->private_bytes, array_bytes(line),
	    IR_PRIVATE_BYTES_MAX, "private");
}

static enum err
check_instruction(struct ir *ir, struct slice line)
{
	enum err e = check_words(ir, line);
	size_t at = find_word(line, "call");

	ir->functions[ir->current].instructions++;
	if (e == ERR_OK && at)
		e = check_call(ir, cut(line.p + at, line.n - at));
	if (e == ERR_OK && find_word(line, "alloca"))
		e = check_alloca(ir, line);
	return e;
}

static enum err
check_line(struct ir *ir, struct slice line)
{
	if (begins(line, "define ")) {
		ir->current = find_function(ir, defined_name(line));
		return ERR_OK;
	}
	if (begins(line, "}"))
		ir->current = NO_FUNCTION;
	if (begins(line, "@"))
		return check_global(ir, line);
	if (begins(line, "%"))
		return check_type(ir, line);
	if (begins(line, "module asm"))
		return check_words(ir, line);
	if (ir->current != NO_FUNCTION && begins(line, "  "))
		return check_instruction(ir, line);
	return ERR_OK;
}

/* Only constants with their values, and the arrays of a work group. */
static enum err
check_global(struct ir *ir, struct slice line)
{
	bool constant = find_word(line, "constant") != 0;
	bool in_const = find_word(line, "addrspace(2") != 0;
	bool in_local = find_word(line, "addrspace(3") != 0;
	enum err e = check_words(ir, line);

	if (e != ERR_OK)
		return e;
	for (size_t i = 0;
	     i < sizeof globals_refused / sizeof globals_refused[0]; i++)
		if (find_word(line, globals_refused[i]))
			return why_set(ir->why, ERR_DENIED,
			    "a program-scope variable from outside is refused");
	if (constant && in_const)
		return add_bytes(ir, &ir->const_bytes, array_bytes(line),
		    IR_CONST_BYTES_MAX, "constant");
	if (!constant && in_local && find_word(line, "internal"))
		return add_bytes(ir, &ir->local_bytes, array_bytes(line),
		    IR_LOCAL_BYTES_MAX, "local");
	return why_set(ir->why, ERR_DENIED,
	    "a program-scope variable is refused");
}

static enum err
check_type(struct ir *ir, struct slice line)
{
	uint64_t sum = 0;

	return add_bytes(ir, &sum, array_bytes(line), IR_PRIVATE_BYTES_MAX,
	    "structured");
}

/* ---- who calls whom */

/* Adds up what i calls; false: one of those is not done itself. */
static bool
add_up(struct ir *ir, size_t i)
{
	struct function *f = &ir->functions[i];
	uint64_t sum = f->instructions;

	for (size_t k = 0; k < ir->nfunctions; k++) {
		if (f->calls[k] == 0)
			continue;
		if (!ir->functions[k].is_done)
			return false;
		sum += f->calls[k] * ir->functions[k].instructions;
	}
	f->instructions = sum < COUNT_MAX ? sum : COUNT_MAX;
	f->is_done = true;
	return true;
}

/* From one that is not done to one that calls itself in the end. */
static size_t
follow(const struct ir *ir, size_t i)
{
	for (size_t step = 0; step < ir->nfunctions; step++)
		for (size_t k = 0; k < ir->nfunctions; k++)
			if (ir->functions[i].calls[k] > 0 &&
			    !ir->functions[k].is_done) {
				i = k;
				break;
			}
	return i;
}

/* Round by round, who calls only what is done; who is left calls itself. */
static enum err
check_calls(struct ir *ir)
{
	size_t left = ir->nfunctions, before;
	char name[NAME_BYTES_MAX + 1];

	do {
		before = left;
		for (size_t i = 0; i < ir->nfunctions; i++)
			if (!ir->functions[i].is_done && add_up(ir, i))
				left--;
	} while (left < before);
	for (size_t i = 0; i < ir->nfunctions; i++) {
		ir->current = ir->functions[i].is_done ? i : follow(ir, i);
		if (!ir->functions[i].is_done)
			return why_set(ir->why, ERR_DENIED,
			    "recursion is refused (%s)", place(ir, name));
		if (ir->functions[i].instructions > IR_INLINED_MAX)
			return why_set(ir->why, ERR_TOOBIG,
			    "more than %d instructions once calls are inlined: "
			    "expected fewer (%s)",
			    IR_INLINED_MAX, place(ir, name));
	}
	return ERR_OK;
}
