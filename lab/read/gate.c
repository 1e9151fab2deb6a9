/*
 * The text gate walks the tokens twice: once for words that are refused
 * wherever they stand, once for the argument list of the entry.
 *
 * The argument list is compared by kind, not by spelling: a pointer to
 * global memory, an integer, a real.  That a kernel reads half values through
 * a float pointer is for the holdouts to find.
 */
#include "lab/read/gate.h"

#include "cltext/clcode.h"
#include "cltext/cllex.h"
#include <string.h>

#define NITEMS(a) (sizeof(a) / sizeof(a)[0])

/* What the tokens of one parameter say of it. */
struct param {
	bool pointer, global, is_const;
	bool integer, real, wide; /* wide: not 32 bits */
};

static const char *const directives[] = {
	"__include_macros",
	"embed",
	"import",
	"include",
	"include_next",
};

static const char *const asm_words[] = { "__asm", "__asm__", "asm" };

/* Pragmas that bring back macros, or what OpenCL C has not. */
static const char *const pragma_words[] = {
	"__cl_clang_function_pointers",
	"__cl_clang_variadic_functions",
	"pop_macro",
	"push_macro",
};

static const char *const attribute_words[] = {
	"__constructor__",
	"__destructor__",
	"__section__",
	"constructor",
	"destructor",
	"section",
};

static const char *const kernel_words[] = { "__kernel", "kernel", NULL };

/* clang-format off */
static const struct {
	const char *word;
	size_t flag; /* offset of a bool in struct param */
} param_words[] = {
	{ "*",        offsetof(struct param, pointer)  },
	{ "__global", offsetof(struct param, global)   },
	{ "char",     offsetof(struct param, wide)     },
	{ "const",    offsetof(struct param, is_const) },
	{ "double",   offsetof(struct param, wide)     },
	{ "float",    offsetof(struct param, real)     },
	{ "global",   offsetof(struct param, global)   },
	{ "int",      offsetof(struct param, integer)  },
	{ "long",     offsetof(struct param, wide)     },
	{ "short",    offsetof(struct param, wide)     },
	{ "size_t",   offsetof(struct param, wide)     },
	{ "uint",     offsetof(struct param, integer)  },
	{ "ulong",    offsetof(struct param, wide)     },
	{ "unsigned", offsetof(struct param, integer)  },
};
/* clang-format on */

static const char *const kind_texts[] = {
	[OP_IN] = "const __global KF_T *",
	[OP_OUT] = "__global KF_T *",
	[OP_POSITIONS] = "const __global int *",
	[OP_UINT] = "uint",
	[OP_REAL] = "float",
};

static enum err check_words(const struct cllex *l, struct why *why);
static enum err check_entry(const struct op *op, const struct candidate *c,
    const struct clcode *code, struct why *why);

enum err
gate_check(const struct op *op, const struct candidate *c, struct why *why)
{
	size_t bytes = strlen(c->source);
	struct clcode code;
	struct cllex l;
	enum err e;

	if (bytes == 0 || bytes > CANDIDATE_SOURCE_MAX)
		return why_set(why, ERR_TOOBIG,
		    "source of %zu bytes: expected 1 to %d", bytes,
		    CANDIDATE_SOURCE_MAX);
	cllex_init(&l, c->source, bytes);
	clcode_init(&code, &l);
	e = check_words(&l, why);
	if (e == ERR_OK)
		e = check_entry(op, c, &code, why);
	clcode_done(&code);
	cllex_done(&l);
	return e;
}

enum err
gate_check_expanded(const char *text, struct why *why)
{
	struct cllex l;
	enum err e;

	cllex_init(&l, text, strlen(text));
	e = check_words(&l, why);
	cllex_done(&l);
	return e == ERR_OK ? e : why_prefix(why, e, "once expanded");
}

static bool
is_one_of(const struct cllex *l, size_t i, const char *const *words, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (cllex_is(l, i, words[k]))
			return true;
	return false;
}

/* The name of the directive that opens at i, past comments; ntoks: none. */
static size_t
directive_name(const struct cllex *l, size_t i)
{
	for (i++; i < l->ntoks && l->toks[i].in_directive; i++)
		if (l->toks[i].kind != CLTOK_COMMENT)
			return i;
	return l->ntoks;
}

static enum err
refuse(const struct cllex *l, size_t i, const char *what, struct why *why)
{
	struct slice text = cllex_text(l, i);

	return why_set(why, ERR_DENIED,
	    "line %u: %s is refused (" SLICE_FMT ")", l->toks[i].line, what,
	    SLICE_ARG(text));
}

static enum err
check_words(const struct cllex *l, struct why *why)
{
	bool attribute = false;

	for (size_t i = 0; i < l->ntoks; i++) {
		const struct cltok *t = &l->toks[i];
		size_t name;

		if (t->kind == CLTOK_DIRECTIVE) {
			name = directive_name(l, i);
			if (name < l->ntoks &&
			    is_one_of(l, name, directives, NITEMS(directives)))
				return refuse(l, name, "including a file", why);
		}
		if (t->kind != CLTOK_IDENT)
			continue;
		attribute |= cllex_is(l, i, "__attribute__") ||
		    cllex_is(l, i, "__attribute");
		if (is_one_of(l, i, asm_words, NITEMS(asm_words)))
			return refuse(l, i, "inline assembly", why);
		if (is_one_of(l, i, pragma_words, NITEMS(pragma_words)))
			return refuse(l, i, "this pragma", why);
		if (attribute &&
		    is_one_of(l, i, attribute_words, NITEMS(attribute_words)))
			return refuse(l, i, "this attribute", why);
	}
	return ERR_OK;
}

/* Is i the name in a definition "__kernel ... NAME ("? */
static bool
is_definition(const struct clcode *code, size_t i, const char *entry)
{
	static const char *const ends[] = { ";", "{", "}", NULL };

	if (!clcode_is(code, i, entry) || !clcode_is(code, i + 1, "("))
		return false;
	while (i-- > 0 && !clcode_is_any(code, i, ends))
		if (clcode_is_any(code, i, kernel_words))
			return true;
	return false;
}

static struct param
read_param(const struct clcode *code, size_t from, size_t end)
{
	struct param p = { 0 };

	for (size_t i = from; i < end; i++)
		for (size_t k = 0; k < NITEMS(param_words); k++)
			if (clcode_is(code, i, param_words[k].word))
				*((bool *)((char *)&p + param_words[k].flag)) =
				    true;
	return p;
}

static bool
fits(const struct param *p, enum op_arg_kind kind)
{
	switch (kind) {
	case OP_IN:
		return p->pointer && p->global;
	case OP_OUT:
		return p->pointer && p->global && !p->is_const;
	case OP_POSITIONS:
		return p->pointer && p->global && p->integer && !p->wide;
	case OP_UINT:
		return !p->pointer && p->integer && !p->wide && !p->real;
	case OP_REAL:
		return !p->pointer && p->real && !p->wide && !p->integer;
	}
	return false;
}

/* The end of the parameter that begins at i: its comma, or close. */
static size_t
param_end(const struct clcode *code, size_t i, size_t close)
{
	static const char *const comma[] = { ",", NULL };

	return clcode_find(code, i, close, comma);
}

static enum err
check_arguments(const struct op *op, const struct clcode *code, size_t open,
    struct why *why)
{
	size_t close = code->mate[open], at = open + 1, n = 0;
	unsigned line = clcode_line(code, open);

	while (at < close) {
		size_t end = param_end(code, at, close);
		struct param p = read_param(code, at, end);

		if (n < op->nargs && !fits(&p, op->args[n].kind))
			return why_set(why, ERR_DENIED,
			    "line %u: argument %zu: expected \"%s%s%s\"",
			    clcode_line(code, at), n + 1,
			    kind_texts[op->args[n].kind],
			    op->args[n].kind >= OP_UINT ? " " : "",
			    op->args[n].name);
		n++;
		at = end + 1;
	}
	if (n != op->nargs)
		return why_set(why, ERR_DENIED,
		    "line %u: %zu arguments: %s takes %zu", line, n, op->name,
		    op->nargs);
	return ERR_OK;
}

static enum err
check_entry(const struct op *op, const struct candidate *c,
    const struct clcode *code, struct why *why)
{
	size_t found = 0;

	for (size_t i = 0; i < code->n; i++) {
		enum err e;

		if (!is_definition(code, i, c->entry))
			continue;
		found++;
		e = check_arguments(op, code, i + 1, why);
		if (e != ERR_OK)
			return e;
	}
	if (found == 0)
		return why_set(why, ERR_DENIED,
		    "no __kernel function \"%.64s\" in the source", c->entry);
	return ERR_OK;
}
