/*
 * What may stand outside functions, kind by kind, as clang writes it for a
 * kernel.  A section, an alias, an initialiser that runs before a kernel does,
 * a linker option: all of these are a word that is not on a list here.
 *
 * A constant's value holds numbers only: an address in it would be written by
 * the loader, and a table of addresses is how code is reached around a kernel.
 */
#include "lab/read/ir_gate_priv.h"

#include <stdio.h>
#include <string.h>

/* In front of a global's type. */
static const char *const global_words[] = {
	"addrspace",
	"constant",
	"dso_local",
	"global",
	"internal",
	"local_unnamed_addr",
	"private",
	"unnamed_addr",
};

/* In front of a function's name: linkage, convention, what it returns. */
static const char *const function_words[] = {
	"addrspace",
	"declare",
	"define",
	"dso_local",
	"internal",
	"local_unnamed_addr",
	"noundef",
	"private",
	"signext",
	"spir_func",
	"spir_kernel",
	"target", /* ("spirv.Event"), an event_t, since LLVM 16 */
	"unnamed_addr",
	"zeroext",
};

/* The types that have names of their own; i1 to i64 are told by their form. */
static const char *const type_words[] = { "double", "float", "half", "void",
	"x" };

/* Behind the arguments of a function. */
static const char *const tail_words[] = { "align", "local_unnamed_addr",
	"unnamed_addr" };

/* Since LLVM 16 what memory a function touches is said as memory(...). */
static const char *const attribute_words[] = {
	"alwaysinline",
	"argmem",
	"argmemonly",
	"cold",
	"convergent",
	"hot",
	"inaccessiblemem",
	"inaccessiblememonly",
	"inlinehint",
	"memory",
	"mustprogress",
	"nocallback",
	"nofree",
	"noinline",
	"none",
	"norecurse",
	"nosync",
	"nounwind",
	"optnone",
	"read",
	"readnone",
	"readonly",
	"readwrite",
	"speculatable",
	"willreturn",
	"write",
	"writeonly",
};

static const char *const attribute_keys[] = {
	"frame-pointer",
	"min-legal-vector-width",
	"no-trapping-math",
	"stack-protector-buffer-size",
	"uniform-work-group-size",
};

static const char *const metadata_names[] = {
	"llvm.dbg.cu",
	"llvm.ident",
	"llvm.module.flags",
	"opencl.ocl.version",
	"opencl.spir.version",
	"opencl.used.extensions",
	"opencl.used.optional.core.features",
};

static bool
is_one_of(struct slice word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_is(word, words[i]))
			return true;
	return false;
}

/* A number, or i8 and its kin. */
static bool
is_number_or_integer(struct slice w)
{
	for (size_t i = *w.p == 'i' ? 1 : 0; i < w.n; i++)
		if (w.p[i] < '0' || w.p[i] > '9')
			return false;
	return true;
}

static enum err
refuse(struct why *why, const char *what, struct slice word)
{
	return why_set(why, ERR_DENIED, "%s is refused (" SLICE_FMT ")", what,
	    SLICE_ARG(ir_cut(word.p, word.n < 40 ? word.n : 40)));
}

/* Are all words of s types, numbers or of the list? */
static bool
has_only(struct slice s, const char *const *words, size_t n, struct slice *odd)
{
	struct slice w;
	size_t at = 0;

	while ((w = ir_next_word(s, &at)).n > 0)
		if (!is_one_of(w, words, n) &&
		    !is_one_of(w, type_words, COUNT(type_words)) &&
		    !is_number_or_integer(w)) {
			*odd = w;
			return false;
		}
	return true;
}

enum err
ir_add_bytes(uint64_t *sum, uint64_t bytes, uint64_t max, const char *what,
    struct why *why)
{
	*sum += bytes < IR_COUNT_MAX ? bytes : IR_COUNT_MAX;
	if (*sum <= max)
		return ERR_OK;
	return why_set(why, ERR_TOOBIG,
	    "more than %llu bytes of %s arrays: expected fewer",
	    (unsigned long long)max, what);
}

/* The value of a constant: numbers, nested. */
static bool
is_plain_value(struct slice value, struct slice *odd)
{
	static const char *const words[] = { "align", "c", "false", "poison",
		"true", "undef", "zeroinitializer", "null", "addrspace" };
	struct slice w;
	size_t at = 0;

	*odd = ir_from(value, "@");
	if (odd->n > 0)
		return false;
	while ((w = ir_next_word(value, &at)).n > 0) {
		bool is_number = (*w.p >= '0' && *w.p <= '9') || *w.p == '-';

		*odd = w;
		if (!is_number && !is_number_or_integer(w) &&
		    !is_one_of(w, type_words, COUNT(type_words)) &&
		    !is_one_of(w, words, COUNT(words)))
			return false;
	}
	return true;
}

/* Where the type begins, behind "constant " or "global ". */
static size_t
find_type(struct slice line)
{
	size_t at = ir_find_word(line, "constant");

	return at ? at : ir_find_word(line, "global");
}

/* What is no array is taken for the largest scalar.  More than every device
 * has is not a limit of this machine, so it is refused. */
static enum err
add_local(struct ir_sizes *sizes, uint64_t bytes, struct why *why)
{
	enum err e = ir_add_bytes(&sizes->local_bytes, bytes ? bytes : 8,
	    IR_LOCAL_BYTES_MAX, "local", why);

	return e == ERR_OK ? e : why_prefix(why, ERR_DENIED, "not portable");
}

/* Only constants with their values, and the arrays of a work group. */
static enum err
check_global(struct slice line, struct ir_sizes *sizes, struct why *why)
{
	struct slice name = ir_name_at(ir_cut(line.p + 1, line.n - 1)), odd;
	size_t type = find_type(line);
	struct slice head = ir_cut(line.p + 1 + name.n,
	    type > 1 + name.n ? type - 1 - name.n : 0);
	bool constant = ir_find_word(head, "constant") != 0;

	/* Globals of that name are orders to LLVM: llvm.global_ctors has code
	 * run before any kernel. */
	if (name.n == 0 || !type || slice_begins(name, "llvm."))
		return why_set(why, ERR_DENIED,
		    "a program-scope variable is refused");
	if (!has_only(head, global_words, COUNT(global_words), &odd))
		return refuse(why, "a program-scope variable of this kind",
		    odd);
	if (!is_plain_value(ir_cut(line.p + type, line.n - type), &odd))
		return refuse(why, "this in a constant's value", odd);
	if (ir_number_after(line, "align") > IR_ALIGN_MAX)
		return why_set(why, ERR_TOOBIG,
		    "an alignment over %d: expected less", IR_ALIGN_MAX);
	/* SPIR's numbers for OpenCL's address spaces: 2 is __constant, 3 is
	 * __local. */
	if (constant && ir_find_word(head, "addrspace(2"))
		return ir_add_bytes(&sizes->const_bytes, ir_array_bytes(line),
		    IR_CONST_BYTES_MAX, "constant", why);
	if (!constant && ir_find_word(head, "addrspace(3") &&
	    ir_find_word(head, "internal"))
		return add_local(sizes, ir_array_bytes(line), why);
	return why_set(why, ERR_DENIED, "a program-scope variable is refused");
}

/* Does the type's text speak of a pointer, or of a struct that holds one? */
static bool
holds_pointer(struct slice type, const struct ir_structs *structs)
{
	if (memchr(type.p, '*', type.n) || ir_find_word(type, "ptr"))
		return true;
	for (size_t i = 0; i < type.n; i++) {
		struct slice rest = ir_cut(type.p + i, type.n - i), name;

		if (*rest.p != '%')
			continue;
		name = ir_name_at(ir_cut(rest.p + 1, rest.n - 1));
		for (size_t k = 0; k < structs->n; k++)
			if (slice_same(structs->holding[k],
			        ir_cut(rest.p, name.n + 1)))
				return true;
	}
	return false;
}

/* "%struct.S = type { ... }".  LLVM prints a type after those it holds. */
static enum err
check_type(struct slice line, struct ir_structs *structs, struct why *why)
{
	struct slice name = ir_name_at(ir_cut(line.p + 1, line.n - 1));
	struct slice body = ir_from(line, " = type ");
	uint64_t sum = 0;

	if (name.n == 0 || body.n == 0)
		return why_set(why, ERR_DENIED,
		    "a type with an odd name is refused");
	/* OpenCL's own types, such as event_t's: nothing can be loaded from
	 * one. */
	if (ir_find_word(body, "opaque"))
		return ERR_OK;
	/* An index that leaves an array inside a structure would reach the
	 * pointer beside it, where no guard zone lies between. */
	if (holds_pointer(body, structs)) {
		if (memchr(body.p, '[', body.n))
			return why_set(why, ERR_DENIED,
			    "a structure with pointers and arrays is refused "
			    "(" SLICE_FMT ")",
			    SLICE_ARG(name));
		if (structs->n == IR_STRUCTS_MAX)
			return why_set(why, ERR_TOOBIG,
			    "more than %d structured types: expected fewer",
			    IR_STRUCTS_MAX);
		structs->holding[structs->n++] = ir_cut(line.p, name.n + 1);
	}
	return ir_add_bytes(&sum, ir_array_bytes(line), IR_PRIVATE_BYTES_MAX,
	    "structured", why);
}

/* The end of the arguments that open at from: behind their parenthesis. */
static size_t
behind_arguments(struct slice line, size_t from)
{
	int depth = 0;

	for (size_t i = from; i < line.n; i++) {
		depth += line.p[i] == '(';
		depth -= line.p[i] == ')';
		if (line.p[i] == ')' && depth == 0)
			return i + 1;
	}
	return line.n;
}

/* "define" and "declare": what stands before the name and behind the list. */
static enum err
check_function(struct slice line, struct why *why)
{
	struct slice at = ir_from(line, "@"), odd, tail;
	struct slice head = ir_cut(line.p, line.n - at.n);
	size_t name = line.n - at.n + 1;
	size_t end;

	if (at.n == 0 || slice_begins(at, "@\""))
		return why_set(why, ERR_DENIED,
		    "a function with an odd name is refused");
	if (!has_only(head, function_words, COUNT(function_words), &odd))
		return refuse(why, "a function of this kind", odd);
	name += ir_name_at(ir_cut(at.p + 1, at.n - 1)).n;
	end = behind_arguments(line, name);
	tail = ir_cut(line.p + end, line.n - end);
	if (!has_only(tail, tail_words, COUNT(tail_words), &odd))
		return refuse(why, "a function of this kind", odd);
	return ERR_OK;
}

/* "attributes #0 = { words "key"="value" }": keys as LLVM wrote them. */
static enum err
check_attributes(struct slice line, const char *raw, struct why *why)
{
	struct slice body = ir_from(line, "{"), odd;
	bool is_key = true;

	if (!has_only(body, attribute_words, COUNT(attribute_words), &odd))
		return refuse(why, "this attribute", odd);
	for (size_t i = 0; i < line.n; i++) {
		size_t n;

		if (raw[i] != '"')
			continue;
		for (n = 1; i + n < line.n && raw[i + n] != '"'; n++)
			;
		odd = ir_cut(raw + i + 1, n - 1);
		if (is_key &&
		    !is_one_of(odd, attribute_keys, COUNT(attribute_keys)))
			return refuse(why, "this attribute", odd);
		i += n;
		/* A value may say anything: it is one of a key that was let
		 * through. */
		is_key = i + 1 >= line.n || raw[i + 1] != '=';
	}
	return ERR_OK;
}

/* "!llvm.ident = ..." by its name; "!3 = ..." holds what the others name. */
static enum err
check_metadata(struct slice line, struct why *why)
{
	struct slice name = ir_name_at(ir_cut(line.p + 1, line.n - 1));

	if (name.n > 0 && *name.p >= '0' && *name.p <= '9')
		return ERR_OK;
	if (is_one_of(name, metadata_names, COUNT(metadata_names)))
		return ERR_OK;
	return refuse(why, "this metadata", name);
}

enum err
ir_check_outside(struct slice line, const char *raw, struct ir_sizes *sizes,
    struct ir_structs *structs, struct why *why)
{
	static const char *const harmless[] = { ";", "source_filename = ",
		"target datalayout = ", "target triple = ", "}" };

	if (line.n == 0)
		return ERR_OK;
	for (size_t i = 0; i < COUNT(harmless); i++)
		if (slice_begins(line, harmless[i]))
			return ERR_OK;
	if (slice_begins(line, "@"))
		return check_global(line, sizes, why);
	if (slice_begins(line, "%"))
		return check_type(line, structs, why);
	if (slice_begins(line, "define ") || slice_begins(line, "declare "))
		return check_function(line, why);
	if (slice_begins(line, "attributes #"))
		return check_attributes(line, raw, why);
	if (slice_begins(line, "!"))
		return check_metadata(line, why);
	return refuse(why, "what the compiler makes of it",
	    ir_name_at(line).n > 0 ? ir_name_at(line) : line);
}
