/*
 * The text gate walks the tokens once.
 *
 * It stands before the IR gate (ir_gate.h) because a compiler that reads a text
 * already acts on it: it opens files, takes pragmas and attributes.  A line of
 * a message is the candidate's own, also in the expanded text, whose line
 * markers say where its lines came from.
 */
#include "lab/read/text_gate.h"

#include "cltext/clcode.h"
#include "cltext/cllex.h"
#include "lab/read/text_macros.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sorted, as are all lists here. */
static const char *const directives[] = {
	"define",
	"elif",
	"else",
	"endif",
	"error",
	"if",
	"ifdef",
	"ifndef",
	"pragma",
	"undef",
	"warning",
};

/* Those that a reader takes for what they are: they bring in a file. */
static const char *const includes[] = {
	"__include_macros",
	"embed",
	"import",
	"include",
	"include_next",
};

static const char *const asm_words[] = { "__asm", "__asm__", "asm" };

/* They tell which files this machine has. */
static const char *const file_words[] = {
	"__has_embed",
	"__has_include",
	"__has_include_next",
};

static const char *const attribute_openers[] = { "__attribute",
	"__attribute__" };

/* Without underscores around them. */
static const char *const attributes[] = {
	"aligned",
	"always_inline",
	"cold",
	"const",
	"deprecated",
	"flatten",
	"hot",
	"noinline",
	"nonnull",
	"nothrow",
	"opencl_unroll_hint",
	"overloadable",
	"packed",
	"pure",
	"reqd_work_group_size",
	"unused",
	"vec_type_hint",
	"warn_unused_result",
	"work_group_size_hint",
};

/* What is being read. */
struct reading {
	const struct cllex *l;
	bool is_expanded;
	/* A line's own number is its token's and this, modulo 2^32. */
	unsigned line_shift;
	struct why *why;
};

static enum err check_lines(const char *source, struct why *why);
static enum err check_tokens(struct reading *r);
static size_t next_in_directive(const struct cllex *l, size_t i);

enum err
text_gate_check(const struct candidate *c, struct why *why)
{
	size_t bytes = strlen(c->source);
	struct cllex l;
	struct reading r = { .l = &l, .why = why };
	enum err e;

	if (bytes == 0 || bytes > CANDIDATE_SOURCE_MAX)
		return why_set(why, ERR_TOOBIG,
		    "source of %zu bytes: expected 1 to %d", bytes,
		    CANDIDATE_SOURCE_MAX);
	cllex_init(&l, c->source, bytes);
	e = check_lines(c->source, why);
	if (e == ERR_OK)
		e = check_tokens(&r);
	cllex_done(&l);
	return e == ERR_OK ? text_macros_check(c->source, why) : e;
}

enum err
text_gate_check_expanded(const char *text, struct why *why)
{
	struct cllex l;
	struct reading r = { .l = &l, .is_expanded = true, .why = why };
	enum err e;

	cllex_init(&l, text, strlen(text));
	e = check_tokens(&r);
	cllex_done(&l);
	return e == ERR_OK ? e : why_prefix(why, e, "once expanded");
}

/* "OPENCL EXTENSION NAME : enable" behind the directive at i: NAME, or n is
 * 0. */
static struct slice
extension_of(const struct cllex *l, size_t i)
{
	size_t words[6];

	for (size_t k = 0; k < COUNT(words); k++)
		words[k] = i = next_in_directive(l, i);
	if (!cllex_is(l, words[0], "pragma") ||
	    !cllex_is(l, words[1], "OPENCL") ||
	    !cllex_is(l, words[2], "EXTENSION") ||
	    cllex_is(l, words[5], "disable"))
		return (struct slice){ "", 0 };
	return cllex_text(l, words[3]);
}

void
text_gate_extensions(const char *text, char *out, size_t size)
{
	struct cllex l;
	size_t at = 0;

	out[0] = '\0';
	cllex_init(&l, text, strlen(text));
	for (size_t i = 0; i < l.ntoks; i++) {
		struct slice name = { "", 0 };
		char word[64];

		if (l.toks[i].kind == CLTOK_DIRECTIVE)
			name = extension_of(&l, i);
		if (name.n == 0 || name.n >= sizeof word)
			continue;
		memcpy(word, name.p, name.n);
		word[name.n] = '\0';
		if (!strstr(out, word) && at + name.n + 2 <= size)
			at += (size_t)snprintf(out + at, size - at, "%s%s",
			    at ? " " : "", word);
	}
	cllex_done(&l);
}

unsigned
text_gate_line_of(const char *source, const char *name)
{
	struct clcode code;
	struct cllex l;
	unsigned line = 0;

	cllex_init(&l, source, strlen(source));
	clcode_init(&code, &l);
	for (size_t i = 0; i < code.n && line == 0; i++)
		if (clcode_is(&code, i, name) && clcode_is(&code, i + 1, "("))
			line = clcode_line(&code, i);
	clcode_done(&code);
	cllex_done(&l);
	return line;
}

/* A carriage return alone ends a line for some readers and not for others. */
static enum err
check_lines(const char *source, struct why *why)
{
	unsigned line = 1;

	for (const char *p = source; *p; p++) {
		if (*p == '\r' && p[1] != '\n')
			return why_set(why, ERR_DENIED,
			    "line %u: a carriage return inside a line is "
			    "refused",
			    line);
		line += *p == '\n';
	}
	return ERR_OK;
}

static bool
is_one_of(const struct cllex *l, size_t i, const char *const *words, size_t n)
{
	for (size_t k = 0; k < n; k++)
		if (cllex_is(l, i, words[k]))
			return true;
	return false;
}

/* The next token of the directive that i is in, past comments; ntoks: none. */
static size_t
next_in_directive(const struct cllex *l, size_t i)
{
	for (i++; i < l->ntoks && l->toks[i].in_directive &&
	     l->toks[i].kind != CLTOK_DIRECTIVE;
	     i++)
		if (l->toks[i].kind != CLTOK_COMMENT)
			return i;
	return l->ntoks;
}

/* The next token of code, directives stepped over. */
static size_t
next_token(const struct cllex *l, size_t i)
{
	return l->toks[i].in_directive ? cllex_next_any(l, i)
	                               : cllex_next(l, i);
}

static enum err
refuse(const struct reading *r, size_t i, const char *what)
{
	struct slice text = cllex_text(r->l, i);

	return why_set(r->why, ERR_DENIED,
	    "line %u: %s is refused (" SLICE_FMT ")",
	    r->l->toks[i].line + r->line_shift, what, SLICE_ARG(text));
}

/* Extensions of the language begin so; clang's own, function pointers among
 * them, do not. */
static bool
is_extension(struct slice name)
{
	return slice_is(name, "all") ||
	    (name.n > 3 && memcmp(name.p, "cl_", 3) == 0);
}

/* "unroll", "OPENCL EXTENSION cl_..." or "OPENCL FP_CONTRACT ..." from i on.
 */
static bool
is_good_pragma(const struct cllex *l, size_t i)
{
	if (cllex_is(l, i, "unroll"))
		return true;
	if (!cllex_is(l, i, "OPENCL"))
		return false;
	i = next_in_directive(l, i);
	return cllex_is(l, i, "FP_CONTRACT") ||
	    (cllex_is(l, i, "EXTENSION") &&
	        is_extension(cllex_text(l, next_in_directive(l, i))));
}

/* `# 12 "kernel.cl"`, which the preprocessor leaves, or the lab's own `#line
 * 12 ...`: the next line is 12.  i: the number. */
static void
take_marker(struct reading *r, size_t i)
{
	char number[16];
	struct slice text = cllex_text(r->l, i);

	if (text.n >= sizeof number)
		return;
	memcpy(number, text.p, text.n);
	number[text.n] = '\0';
	r->line_shift =
	    (unsigned)strtoul(number, NULL, 10) - (r->l->toks[i].line + 1);
}

static enum err
check_directive(struct reading *r, size_t i)
{
	const struct cllex *l = r->l;
	size_t name = next_in_directive(l, i), what;

	if (name >= l->ntoks) /* a lone "#" */
		return ERR_OK;
	if (is_one_of(l, name, includes, COUNT(includes)))
		return refuse(r, name, "including a file");
	/* Only the preprocessor writes these: in the candidate's own text a
	 * number is no directive of the list, and lines could be forged with
	 * it. */
	if (r->is_expanded && l->toks[name].kind == CLTOK_NUMBER) {
		take_marker(r, name);
		return ERR_OK;
	}
	if (r->is_expanded && cllex_is(l, name, "line")) {
		take_marker(r, next_in_directive(l, name));
		return ERR_OK;
	}
	if (!is_one_of(l, name, directives, COUNT(directives)))
		return refuse(r, name, "this directive");
	what = next_in_directive(l, name);
	if (cllex_is(l, name, "pragma") && !is_good_pragma(l, what))
		return refuse(r, what < l->ntoks ? what : name,
		    "every pragma but unroll, OPENCL EXTENSION and OPENCL "
		    "FP_CONTRACT");
	return ERR_OK;
}

/* The same as is_good_pragma(), of a string's tokens. */
static bool
is_good_inner(const struct cllex *l)
{
	return cllex_is(l, 0, "unroll") ||
	    (cllex_is(l, 0, "OPENCL") &&
	        (cllex_is(l, 1, "FP_CONTRACT") ||
	            (cllex_is(l, 1, "EXTENSION") &&
	                is_extension(cllex_text(l, 2)))));
}

/* _Pragma("..."): its string is the pragma.  What a macro will put there is
 * seen once it is expanded. */
static enum err
check_pragma_operator(struct reading *r, size_t i)
{
	size_t at = next_token(r->l, i);
	struct slice text;
	struct cllex inner;
	bool ok = !r->is_expanded;

	if (cllex_is(r->l, at, "("))
		at = next_token(r->l, at);
	if (at < r->l->ntoks && r->l->toks[at].kind == CLTOK_STRING) {
		text = cllex_text(r->l, at);
		/* An escape would have to be undone as the compiler does it,
		 * and no pragma that is let through needs one. */
		if (text.n < 2 || memchr(text.p, '\\', text.n))
			return refuse(r, at, "this pragma");
		cllex_init(&inner, text.p + 1, text.n - 2);
		ok = is_good_inner(&inner);
		cllex_done(&inner);
	}
	return ok ? ERR_OK : refuse(r, i, "this pragma");
}

static bool
is_good_attribute(const struct cllex *l, size_t i)
{
	struct slice s = cllex_text(l, i);

	if (s.n > 4 && memcmp(s.p, "__", 2) == 0 &&
	    memcmp(s.p + s.n - 2, "__", 2) == 0) {
		s.p += 2;
		s.n -= 4;
	}
	for (size_t k = 0; k < COUNT(attributes); k++)
		if (strlen(attributes[k]) == s.n &&
		    memcmp(attributes[k], s.p, s.n) == 0)
			return true;
	return false;
}

/*
 * __attribute__((A, B(...))): its names, which stand two parentheses deep.
 * A macro may give the name, so that it is known only once expanded.
 */
static enum err
check_attribute(struct reading *r, size_t i)
{
	const struct cllex *l = r->l;
	int depth = 0;

	if (!r->is_expanded)
		return ERR_OK;
	for (i = next_token(l, i); i < l->ntoks; i = next_token(l, i)) {
		depth += cllex_is(l, i, "(");
		depth -= cllex_is(l, i, ")");
		if (depth <= 0)
			break;
		/* "const" is a keyword, and a name all the same. */
		if (depth == 2 && l->toks[i].kind == CLTOK_IDENT &&
		    !is_good_attribute(l, i))
			return refuse(r, i, "this attribute");
	}
	return ERR_OK;
}

static enum err
check_identifier(struct reading *r, size_t i)
{
	const struct cllex *l = r->l;

	if (is_one_of(l, i, asm_words, COUNT(asm_words)))
		return refuse(r, i, "inline assembly");
	if (is_one_of(l, i, file_words, COUNT(file_words)))
		return refuse(r, i, "looking for files");
	/* What a compiler calls a built-in: to declare it is to reach around
	 * the language. */
	if (slice_begins(cllex_text(l, i), "_Z"))
		return refuse(r, i, "a mangled name");
	if (cllex_is(l, i, "_Pragma"))
		return check_pragma_operator(r, i);
	if (cllex_is(l, i, "__pragma") || cllex_is(l, i, "__declspec"))
		return refuse(r, i, "this word");
	if (is_one_of(l, i, attribute_openers, COUNT(attribute_openers)))
		return check_attribute(r, i);
	return ERR_OK;
}

static enum err
check_tokens(struct reading *r)
{
	const struct cllex *l = r->l;
	enum err e = ERR_OK;

	for (size_t i = 0; i < l->ntoks && e == ERR_OK; i++)
		if (l->toks[i].kind == CLTOK_DIRECTIVE)
			e = check_directive(r, i);
		else if (l->toks[i].kind == CLTOK_IDENT)
			e = check_identifier(r, i);
	return e;
}
