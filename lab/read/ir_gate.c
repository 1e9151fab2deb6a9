/*
 * LLVM's text is read by lines, as its printer writes them: a definition
 * opens with "define" and ends with "}", an instruction is indented, a global
 * begins with "@", a type with "%", metadata with "!".  Words inside quotes
 * are the candidate's and say nothing; they are blanked first.
 *
 * Two passes: the first one learns the names of all functions, so that the
 * second one knows at every call who is called, and by whom.
 */
#include "lab/read/ir_gate.h"

#include "base/mem.h"
#include "lab/read/ir_gate_priv.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FUNCTIONS_MAX  256
#define NAME_BYTES_MAX 128
#define NO_FUNCTION    FUNCTIONS_MAX
#define COUNT_CALLS    UINT16_MAX

struct function {
	struct slice name;
	uint16_t calls[FUNCTIONS_MAX]; /* how often, at most COUNT_CALLS */
	uint64_t instructions;         /* its own, then with what it calls */
	bool is_done; /* check_calls(): all that it calls is done */
};

struct ir {
	const char *raw, *text; /* as written, and with its quotes blanked */
	struct function functions[FUNCTIONS_MAX];
	size_t nfunctions;
	size_t current;   /* the definition that a line is in, or NO_FUNCTION */
	const char *body; /* of it */
	struct ir_sizes sizes;
	struct ir_structs structs;
	struct why *why;
	uint64_t align; /* struct ir_needs */
};

typedef enum err line_fn(struct ir *ir, struct slice line);

static line_fn learn_line, check_line;
static enum err check_calls(struct ir *ir);

/* Intrinsics that clang itself puts in, by prefix. */
static const char *const intrinsics[] = {
	"llvm.expect.",
	"llvm.fabs.",
	"llvm.fma.",
	"llvm.fmuladd.",
	"llvm.lifetime.",
	"llvm.memcpy.",
	"llvm.memmove.",
	"llvm.memset.",
};

/* The prelude.  No other function may be named like one of it. */
static const char *const prelude_functions[] = { "kf_load", "kf_store" };

/* What a kernel's body consists of; sorted. */
static const char *const opcodes[] = {
	"add",
	"alloca",
	"and",
	"ashr",
	"bitcast",
	"br",
	"call",
	"extractelement",
	"extractvalue",
	"fadd",
	"fcmp",
	"fdiv",
	"fmul",
	"fneg",
	"fpext",
	"fptosi",
	"fptoui",
	"fptrunc",
	"freeze",
	"frem",
	"fsub",
	"getelementptr",
	"icmp",
	"insertelement",
	"insertvalue",
	"load",
	"lshr",
	"mul",
	"or",
	"phi",
	"ptrtoint",
	"ret",
	"sdiv",
	"select",
	"sext",
	"shl",
	"shufflevector",
	"sitofp",
	"srem",
	"store",
	"sub",
	"switch",
	"trunc",
	"udiv",
	"uitofp",
	"unreachable",
	"urem",
	"xor",
	"zext",
};

/* Words that are refused wherever they stand in an instruction. */
static const struct {
	const char *word, *what;
} words[] = {
	{ "addrspacecast", "a pointer moved to another address space" },
	{ "afn", "arithmetic that may be rearranged" },
	{ "arcp", "arithmetic that may be rearranged" },
	{ "asm", "inline assembly" },
	{ "blockaddress", "the address of a label" },
	{ "fast", "arithmetic that may be rearranged" },
	{ "inttoptr", "a pointer made of an integer" },
	{ "ninf", "arithmetic that may be rearranged" },
	{ "nnan", "arithmetic that may be rearranged" },
	{ "nsz", "arithmetic that may be rearranged" },
	{ "reassoc", "arithmetic that may be rearranged" },
};

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
		name = ir_name_at(ir_cut(s.p + i + 1, s.n - i - 1));
		if (i + 1 + name.n < s.n && s.p[i + 1 + name.n] == '(')
			return ir_cut(s.p + i, name.n + 1);
	}
	return slice_of("");
}

static enum err
walk(struct ir *ir, line_fn *fn)
{
	const char *text = ir->text;
	enum err e = ERR_OK;

	while (*text && e == ERR_OK) {
		size_t n = strcspn(text, "\n");

		e = fn(ir, ir_cut(text, n));
		text += n + (text[n] == '\n');
	}
	return e;
}

enum err
ir_check(const char *text, struct ir_needs *ret, struct why *why)
{
	struct ir *ir = xcalloc(1, sizeof *ir);
	char *copy = xstrdup(text);
	enum err e;

	ir->why = why;
	ir->raw = text;
	ir->text = copy;
	ir->current = NO_FUNCTION;
	for (char *line = copy; *line; line += strcspn(line, "\n")) {
		line += *line == '\n';
		ir_blank_quotes(line);
	}
	e = walk(ir, learn_line);
	if (e == ERR_OK)
		e = walk(ir, check_line);
	if (e == ERR_OK)
		e = check_calls(ir);
	if (e == ERR_OK && ret)
		*ret = (struct ir_needs){ .local_bytes = ir->sizes.local_bytes,
			.align = ir->align };
	free(copy);
	free(ir);
	return e;
}

/* ---- first pass */

static size_t
find_function(const struct ir *ir, struct slice name)
{
	for (size_t i = 0; i < ir->nfunctions; i++)
		if (slice_same(ir->functions[i].name, name))
			return i;
	return NO_FUNCTION;
}

/* The name that a definition or a declaration gives; empty: quoted. */
static struct slice
defined_name(struct slice line)
{
	struct slice callee = callee_of(line);

	return callee.n > 1 ? ir_cut(callee.p + 1, callee.n - 1) : slice_of("");
}

static bool
is_of_prelude(struct slice name)
{
	for (size_t i = 0; i < COUNT(prelude_functions); i++)
		if (slice_is(name, prelude_functions[i]))
			return true;
	return false;
}

static enum err
learn_line(struct ir *ir, struct slice line)
{
	struct slice name;

	if (!slice_begins(line, "define "))
		return ERR_OK;
	name = defined_name(line);
	if (name.n == 0 || name.n > NAME_BYTES_MAX)
		return why_set(ir->why, ERR_DENIED,
		    "a function with an odd name is refused");
	if (slice_begins(name, "kf_") && !is_of_prelude(name))
		return why_set(ir->why, ERR_DENIED,
		    "a function of the lab's name is refused (" SLICE_FMT ")",
		    SLICE_ARG(name));
	if (ir->nfunctions == FUNCTIONS_MAX)
		return why_set(ir->why, ERR_TOOBIG,
		    "more than %d functions: expected fewer", FUNCTIONS_MAX);
	ir->functions[ir->nfunctions++].name = name;
	return ERR_OK;
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

/* clang hands an event over by a pointer to any address space. */
static bool
is_event_cast(struct slice op)
{
	return slice_begins(op, "addrspacecast %opencl.event_t** ");
}

static enum err
check_words(struct ir *ir, struct slice line)
{
	if (is_event_cast(ir_operation(line)))
		return ERR_OK;
	for (size_t i = 0; i < COUNT(words); i++)
		if (ir_find_word(line, words[i].word))
			return why_set(ir->why, ERR_DENIED, "%s is refused",
			    words[i].what);
	if (ir_lanes(line) > IR_LANES_MAX)
		return why_set(ir->why, ERR_DENIED,
		    "a vector of more than %d elements is refused",
		    IR_LANES_MAX);
	return ERR_OK;
}

/* A built-in's plain name out of its mangled one, "_Z3expf"; "": none. */
static void
demangle(struct slice mangled, char out[NAME_BYTES_MAX + 1])
{
	size_t n = 0, i = 2;

	out[0] = '\0';
	if (!slice_begins(mangled, "_Z"))
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
	for (size_t i = 0; i < COUNT(intrinsics); i++)
		if (slice_begins(name, intrinsics[i]))
			return true;
	return false;
}

static enum err
check_builtin_call(struct ir *ir, struct slice name)
{
	char plain[NAME_BYTES_MAX + 1];

	demangle(name, plain);
	/* Before the list, on which they are: a word of OpenCL's own needs a
	 * reason, not "it is no built-in". */
	if (strncmp(plain, "half_", 5) == 0)
		return why_set(ir->why, ERR_DENIED,
		    "%s is refused: it may err by 8,192 ulp, so nothing that "
		    "it gives here holds elsewhere",
		    plain);
	if (slice_is(name, "printf"))
		return why_set(ir->why, ERR_DENIED,
		    "printf is refused: a kernel's only output is its tensor");
	if (!is_intrinsic(name) && !ir_is_builtin(plain))
		return why_set(ir->why, ERR_DENIED,
		    "a call of \"" SLICE_FMT "\" is refused: it is no built-in "
		    "function of OpenCL C 1.2",
		    SLICE_ARG(ir_cut(name.p, name.n < 64 ? name.n : 64)));
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
	name = ir_cut(callee.p + 1, callee.n - 1);
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
		tail = ir_cut(tail.p + 1, tail.n - 1);
	/* The first comma may be one of a structure's type, "{ i32, i64 }",
	 * behind which no count stands. */
	if ((slice_begins(tail, ", i64 ") || slice_begins(tail, ", i32 ")) &&
	    tail.n > 6 && tail.p[6] != '}')
		return why_set(ir->why, ERR_DENIED,
		    "an array sized at run time is refused");
	if (ir_number_after(line, "align") > IR_ALIGN_MAX)
		return why_set(ir->why, ERR_TOOBIG,
		    "an alignment over %d: expected less", IR_ALIGN_MAX);
	return ir_add_bytes(&ir->sizes.private_bytes, ir_array_bytes(line),
	    IR_PRIVATE_BYTES_MAX, "private", ir->why);
}

static int
by_name(const void *key, const void *row)
{
	return strcmp(key, *(const char *const *)row);
}

/* "i32 0, label %sw.bb" and "]" go on with a switch. */
static bool
goes_on(struct slice op)
{
	return slice_is(op, "]") ||
	    (slice_begins(op, "i") && ir_from(op, ", label %").n > 0);
}

static bool
is_known_opcode(struct slice op)
{
	struct slice name = ir_name_at(op);
	char word[32];

	if (goes_on(op) || is_event_cast(op))
		return true;
	if (name.n >= sizeof word)
		return false;
	memcpy(word, name.p, name.n);
	word[name.n] = '\0';
	return bsearch(word, opcodes, COUNT(opcodes), sizeof opcodes[0],
	    by_name);
}

static enum err
check_instruction(struct ir *ir, struct slice line)
{
	struct slice op = ir_operation(line), name = ir_name_at(op);
	enum err e = check_words(ir, line);

	ir->functions[ir->current].instructions++;
	if (e == ERR_OK && !is_known_opcode(op))
		e = why_set(ir->why, ERR_DENIED,
		    "an instruction is refused (" SLICE_FMT ")",
		    SLICE_ARG(ir_cut(name.p, name.n < 40 ? name.n : 40)));
	if (e == ERR_OK && slice_begins(op, "call "))
		e = check_call(ir, ir_cut(op.p + 4, op.n - 4));
	if (e == ERR_OK && slice_begins(op, "alloca "))
		e = check_alloca(ir, line);
	return e;
}

/* The body of the current function, whose "}" the line is. */
static enum err
end_function(struct ir *ir, struct slice line)
{
	struct slice body = ir_cut(ir->body, (size_t)(line.p - ir->body));

	ir->current = NO_FUNCTION;
	return ir_check_pointers(body, &ir->structs, ir->why);
}

/* "..., TYPE addrspace(1)* %p, align 16": what the access takes for granted
 * of a buffer's address. */
static void
learn_align(struct ir *ir, struct slice line)
{
	static const char *const buffers[] = { "addrspace(1)* ",
		"addrspace(1) " };
	size_t to = ir_find_word(line, "align"), at = to;
	uint64_t align = ir_number_after(line, "align");

	while (at > 0 && line.p[at] != '%')
		at--;
	for (size_t i = 0; i < COUNT(buffers); i++) {
		size_t n = strlen(buffers[i]);

		if (at >= n && memcmp(line.p + at - n, buffers[i], n) == 0 &&
		    align > ir->align)
			ir->align = align;
	}
}

/* A label, a comment or an instruction. */
static enum err
check_inside(struct ir *ir, struct slice line)
{
	if (slice_begins(line, "}"))
		return end_function(ir, line);
	if (slice_begins(line, "  ")) {
		learn_align(ir, line);
		return check_instruction(ir, line);
	}
	return ERR_OK;
}

static enum err
check_line(struct ir *ir, struct slice line)
{
	enum err e;

	if (ir->current != NO_FUNCTION)
		return check_inside(ir, line);
	e = ir_check_outside(line, ir->raw + (line.p - ir->text), &ir->sizes,
	    &ir->structs, ir->why);
	if (e == ERR_OK && slice_begins(line, "define ")) {
		ir->current = find_function(ir, defined_name(line));
		ir->body = line.p + line.n;
	}
	return e;
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
	f->instructions = sum < IR_COUNT_MAX ? sum : IR_COUNT_MAX;
	f->is_done = true;
	return true;
}

/* From one that is not done to one that calls itself in the end. */
static size_t
follow(const struct ir *ir, size_t i)
{
	/* After as many steps as there are functions, wherever the walk began,
	 * it goes round in the circle. */
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
