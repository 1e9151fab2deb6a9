/*
 * A kernel's "define" names its metadata, "!kernel_arg_base_type !5", and a
 * line "!5 = !{...}" holds a field an argument.
 */
#include "lab/read/signature.h"

#include "base/mem.h"
#include "lab/read/ir_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPACE_GLOBAL "i32 1"

/* One argument as clang describes it. */
struct param {
	struct slice space, type, qualifiers;
};

static const char *const kind_texts[] = {
	[OP_IN] = "const __global KF_T *",
	[OP_OUT] = "__global KF_T *",
	[OP_POSITIONS] = "const __global int *",
	[OP_UINT] = "uint ",
	[OP_REAL] = "float ",
};

/* The line that begins with text, without its newline; n is 0: none. */
static struct slice
find_line(const char *ir, const char *text)
{
	for (const char *p = ir; *p; p += strcspn(p, "\n"), p += *p == '\n')
		if (strncmp(p, text, strlen(text)) == 0)
			return ir_cut(p, strcspn(p, "\n"));
	return ir_cut(ir, 0);
}

/* The definition of the kernel called entry. */
static struct slice
find_kernel(const char *ir, const char *entry)
{
	char *name = xasprintf(" spir_kernel void @%s(", entry);
	struct slice found = ir_cut(ir, 0);

	for (const char *p = ir; *p && found.n == 0;
	     p += strcspn(p, "\n"), p += *p == '\n') {
		struct slice line = ir_cut(p, strcspn(p, "\n"));

		if (slice_begins(line, "define ") && ir_from(line, name).n > 0)
			found = line;
	}
	free(name);
	return found;
}

/* The fields of the metadata that the kernel has under key; n 0: none. */
static struct slice
fields_of(const char *ir, struct slice kernel, const char *key)
{
	struct slice at = ir_from(kernel, key), number, line;
	char begin[32];

	if (at.n <= strlen(key) + 1)
		return ir_cut(ir, 0);
	at = ir_cut(at.p + strlen(key), at.n - strlen(key)); /* "!5 ..." */
	number = ir_name_at(ir_cut(at.p + 1, at.n - 1));
	if (number.n > 10)
		return ir_cut(ir, 0);
	snprintf(begin, sizeof begin, "!" SLICE_FMT " = !{", SLICE_ARG(number));
	line = find_line(ir, begin);
	if (line.n < strlen(begin) + 1)
		return ir_cut(ir, 0);
	return ir_cut(line.p + strlen(begin), line.n - strlen(begin) - 1);
}

/* Takes the next field off; a string without its quotes. */
static bool
take_field(struct slice *fields, struct slice *ret)
{
	size_t n = 0;
	bool quoted = false;

	if (fields->n == 0)
		return false;
	while (n < fields->n && (quoted || fields->p[n] != ',')) {
		quoted ^= fields->p[n] == '"';
		n++;
	}
	*ret = ir_cut(fields->p, n);
	n += n < fields->n;
	*fields = ir_cut(fields->p + n, fields->n - n);
	*ret = slice_trim(*ret);
	if (ret->n >= 3 && ret->p[0] == '!' && ret->p[1] == '"')
		*ret = ir_cut(ret->p + 2, ret->n - 3);
	return true;
}

static bool
is_pointer(const struct param *p)
{
	return p->type.n > 0 && p->type.p[p->type.n - 1] == '*' &&
	    slice_is(p->space, SPACE_GLOBAL);
}

static bool
fits(const struct param *p, enum op_arg_kind kind)
{
	switch (kind) {
	case OP_IN:
		/* To any type, for KF_T is three of them; and without const,
		 * since an input's pages cannot be written anyway. */
		return is_pointer(p);
	case OP_OUT:
		return is_pointer(p) && !ir_find_word(p->qualifiers, "const");
	case OP_POSITIONS:
		return is_pointer(p) &&
		    (slice_is(p->type, "int*") || slice_is(p->type, "uint*"));
	case OP_UINT:
		return slice_is(p->type, "uint") || slice_is(p->type, "int");
	case OP_REAL:
		return slice_is(p->type, "float");
	}
	return false;
}

/* "const __global float*" as a reader would write it. */
static void
describe(const struct param *p, char *out, size_t size)
{
	static const char *const spaces[] = { "", "__global ", "__constant ",
		"__local " };
	size_t space = 0;

	if (p->space.n == 5 && p->space.p[4] >= '1' && p->space.p[4] <= '3')
		space = (size_t)(p->space.p[4] - '0');
	snprintf(out, size, "%s%s" SLICE_FMT,
	    ir_find_word(p->qualifiers, "const") ? "const " : "", spaces[space],
	    SLICE_ARG(ir_cut(p->type.p, p->type.n < 64 ? p->type.n : 64)));
}

static enum err
check_argument(const struct op *op, size_t i, const struct param *p,
    struct why *why)
{
	char found[128];

	if (i >= op->nargs || fits(p, op->args[i].kind))
		return ERR_OK;
	describe(p, found, sizeof found);
	return why_set(why, ERR_DENIED,
	    "argument %zu: found \"%s\", expected \"%s%s\"", i + 1, found,
	    kind_texts[op->args[i].kind], op->args[i].name);
}

enum err
signature_check(const char *ir, const struct op *op, const char *entry,
    struct why *why)
{
	struct slice kernel = find_kernel(ir, entry), types, spaces, quals;
	struct param p;
	enum err e = ERR_OK;
	size_t n = 0;

	if (kernel.n == 0)
		return why_set(why, ERR_DENIED,
		    "no __kernel function \"%.64s\" in the source", entry);
	types = fields_of(ir, kernel, "!kernel_arg_base_type ");
	spaces = fields_of(ir, kernel, "!kernel_arg_addr_space ");
	quals = fields_of(ir, kernel, "!kernel_arg_type_qual ");
	for (; e == ERR_OK && take_field(&types, &p.type) &&
	     take_field(&spaces, &p.space) && take_field(&quals, &p.qualifiers);
	     n++)
		e = check_argument(op, n, &p, why);
	if (e == ERR_OK && n != op->nargs)
		e = why_set(why, ERR_DENIED, "%zu arguments: %s takes %zu", n,
		    op->name, op->nargs);
	return e;
}
