/*
 * Names, since nobody knows all macros of all compilers.  C keeps names that
 * begin with two underscores, or one and a capital letter, for compilers: of
 * these only OpenCL C's keywords may stand in a text, wherever.  Any other
 * name is a macro only where the text says #define, or where the lists below
 * have it; and a condition may name nothing else.
 *
 * Where names are pasted together none of their parts may begin like a
 * compiler's, and a condition gets numbers only: there, unlike in the text
 * that is left, nobody would see the name.
 */
#include "lab/read/text_macros.h"

#include "base/units.h"
#include "cltext/cllex.h"
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What begins like a compiler's name and is the language's. */
static const char *const keywords[] = {
	"_Pragma",
	"_Static_assert",
	"__VA_ARGS__",
	"__alignof",
	"__alignof__",
	"__attribute",
	"__attribute__",
	"__const",
	"__const__",
	"__constant",
	"__extension__",
	"__global",
	"__inline",
	"__inline__",
	"__kernel",
	"__local",
	"__private",
	"__read_only",
	"__read_write",
	"__restrict",
	"__restrict__",
	"__signed",
	"__signed__",
	"__typeof",
	"__typeof__",
	"__volatile",
	"__volatile__",
	"__write_only",
};

/* Functions that a compiler knows are no macros; the IR gate judges them. */
#define BUILTINS "__builtin_"

/* Macros that are the same on every device: a version that the option of the
 * contract says, and the byte order of all devices that there are. */
static const char *const constants[] = {
	"CHAR_BIT",
	"CHAR_MAX",
	"CHAR_MIN",
	"CL_VERSION_1_0",
	"CL_VERSION_1_1",
	"CL_VERSION_1_2",
	"HUGE_VAL",
	"HUGE_VALF",
	"INFINITY",
	"INT_MAX",
	"INT_MIN",
	"KF_DTYPE",
	"KF_T",
	"LONG_MAX",
	"LONG_MIN",
	"MAXFLOAT",
	"NAN",
	"NULL",
	"SCHAR_MAX",
	"SCHAR_MIN",
	"SHRT_MAX",
	"SHRT_MIN",
	"UCHAR_MAX",
	"UINT_MAX",
	"ULONG_MAX",
	"USHRT_MAX",
	"__ENDIAN_LITTLE__",
	"__OPENCL_C_VERSION__",
	"defined",
	"false",
	"true",
};

static const char *const constant_families[] = { "CLK_", "DBL_", "FLT_", "M_" };

/* What differs, under names that are not kept for compilers. */
static const char *const differing_families[] = {
	"CL_VERSION_",
	"FP_FAST_",
	"POCL",
	"cl_",
	"cles_",
};

#define EXTENSIONS "cl_khr_"

/* Of macros that stand for macros, in a condition. */
#define DEPTH_MAX 4

struct text {
	struct cllex l;
	bool pastes;
	struct why *why;
};

static bool
is_in(struct slice s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_is(s, words[i]))
			return true;
	return false;
}

static bool
begins_with_one_of(struct slice s, const char *const *families, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_begins(s, families[i]))
			return true;
	return false;
}

static bool
is_constant(struct slice s)
{
	return is_in(s, constants, COUNT(constants)) ||
	    begins_with_one_of(s, constant_families, COUNT(constant_families));
}

/* _X, __x */
static bool
is_kept_for_compilers(struct slice s)
{
	return s.n > 1 && s.p[0] == '_' &&
	    (s.p[1] == '_' || isupper((unsigned char)s.p[1])) &&
	    !slice_begins(s, BUILTINS) && !is_in(s, keywords, COUNT(keywords));
}

static bool
differs(struct slice s)
{
	if (is_constant(s) || slice_begins(s, EXTENSIONS))
		return false;
	return is_kept_for_compilers(s) ||
	    begins_with_one_of(s, differing_families,
	        COUNT(differing_families));
}

static bool
is_name(const struct cllex *l, size_t i)
{
	return i < l->ntoks && l->toks[i].kind == CLTOK_IDENT;
}

/* The first token behind the directive that opens at i. */
static size_t
directive_end(const struct cllex *l, size_t i)
{
	for (i++; i < l->ntoks && l->toks[i].in_directive &&
	     l->toks[i].kind != CLTOK_DIRECTIVE;
	     i++)
		;
	return i;
}

/* Is the token at i the word of a directive that defines name? */
static bool
defines(const struct cllex *l, size_t i, struct slice name)
{
	size_t at = cllex_next_any(l, i);
	struct slice s = { "", 0 };

	if (l->toks[i].kind != CLTOK_DIRECTIVE || !cllex_is(l, at, "define"))
		return false;
	at = cllex_next_any(l, at);
	if (is_name(l, at))
		s = cllex_text(l, at);
	return slice_same(s, name);
}

/*
 * The text defines the name, and so does it all names in what it stands for:
 * an argument's is none of them.  Where names are pasted together it stands
 * for none.
 */
static bool
is_own(const struct text *t, struct slice name, int depth)
{
	const struct cllex *l = &t->l;
	bool is_defined = false;

	for (size_t i = 0; i < l->ntoks; i++) {
		if (!defines(l, i, name))
			continue;
		is_defined = true;
		/* Past the #, the word and the name. */
		for (size_t k = cllex_next_any(l,
		         cllex_next_any(l, cllex_next_any(l, i)));
		     k < directive_end(l, i); k++) {
			struct slice s = cllex_text(l, k);

			if (is_name(l, k) && !is_constant(s) &&
			    (t->pastes || depth == 0 ||
			        !is_own(t, s, depth - 1)))
				return false;
		}
	}
	return is_defined;
}

static enum err
refuse(const struct text *t, size_t i, const char *what)
{
	struct slice s = cllex_text(&t->l, i);

	return why_set(t->why, ERR_DENIED,
	    "line %u: %s is refused (" SLICE_FMT ")", t->l.toks[i].line, what,
	    SLICE_ARG(s));
}

static enum err
check_name(const struct text *t, size_t i)
{
	struct slice s = cllex_text(&t->l, i);

	if (differs(s))
		return refuse(t, i,
		    "a name that compilers and devices give each their own "
		    "meaning");
	if (t->pastes && s.p[0] == '_' && !is_in(s, keywords, COUNT(keywords)))
		return refuse(t, i,
		    "a part of a compiler's name beside ## (pasting)");
	return ERR_OK;
}

/* Each name of the condition that opens at i. */
static enum err
check_condition(const struct text *t, size_t i)
{
	const struct cllex *l = &t->l;
	size_t word = cllex_next_any(l, i), end = directive_end(l, i);
	enum err e = ERR_OK;

	for (i = cllex_next_any(l, word); i < end && e == ERR_OK; i++) {
		struct slice s = cllex_text(l, i);

		if (is_name(l, i) && !is_constant(s) &&
		    !slice_begins(s, EXTENSIONS) && !is_own(t, s, DEPTH_MAX))
			e = refuse(t, i,
			    "a condition on a macro that the text does not "
			    "define itself");
	}
	return e;
}

static bool
is_condition(const struct cllex *l, size_t word)
{
	return cllex_is(l, word, "if") || cllex_is(l, word, "ifdef") ||
	    cllex_is(l, word, "ifndef") || cllex_is(l, word, "elif");
}

/* Words for people, and what text_gate.c looks at. */
static bool
is_no_code(const struct cllex *l, size_t word)
{
	return cllex_is(l, word, "error") || cllex_is(l, word, "warning") ||
	    cllex_is(l, word, "pragma");
}

/* Past the list of an attribute that opens at i, whose names are judged by
 * text_gate.c; the arguments of these are code. */
static enum err
check_attribute(const struct text *t, size_t *i)
{
	const struct cllex *l = &t->l;
	enum err e = ERR_OK;
	size_t at = cllex_next_any(l, *i);
	int depth = 0;

	for (; at < l->ntoks && e == ERR_OK; at = cllex_next_any(l, at)) {
		depth += cllex_is(l, at, "(");
		depth -= cllex_is(l, at, ")");
		if (depth <= 0)
			break;
		if (depth > 2 && is_name(l, at))
			e = check_name(t, at);
	}
	*i = at < l->ntoks ? at : l->ntoks - 1;
	return e;
}

static enum err
check_tokens(const struct text *t)
{
	const struct cllex *l = &t->l;
	enum err e = ERR_OK;

	for (size_t i = 0; i < l->ntoks && e == ERR_OK; i++) {
		size_t word = cllex_next_any(l, i);

		if (l->toks[i].kind == CLTOK_DIRECTIVE && is_no_code(l, word))
			i = directive_end(l, i) - 1;
		else if (l->toks[i].kind == CLTOK_DIRECTIVE &&
		    is_condition(l, word))
			e = check_condition(t, i);
		else if (cllex_is(l, i, "__attribute__") ||
		    cllex_is(l, i, "__attribute"))
			e = check_attribute(t, &i);
		else if (is_name(l, i))
			e = check_name(t, i);
	}
	return e;
}

enum err
text_macros_check(const char *source, struct why *why)
{
	struct text t = { .why = why };
	enum err e;

	cllex_init(&t.l, source, strlen(source));
	for (size_t i = 0; i < t.l.ntoks; i++)
		if (cllex_is(&t.l, i, "##"))
			t.pastes = true;
	e = check_tokens(&t);
	cllex_done(&t.l);
	return e;
}

/* Whole, behind a byte and in front of one. */
static bool
lists(const char *list, char before, const char *name, char after)
{
	size_t n = strlen(name);

	for (const char *p = list; (p = strstr(p, name)) != NULL; p += n)
		if ((p == list || p[-1] == before) &&
		    (p[n] == after || p[n] == '\0'))
			return true;
	return false;
}

void
text_macros_extensions(const char *source, const char *list, char *out,
    size_t size)
{
	size_t at = strlen(out);
	struct cllex l;

	cllex_init(&l, source, strlen(source));
	for (size_t i = 0; i < l.ntoks; i++) {
		struct slice s = cllex_text(&l, i);
		char name[64];

		if (l.toks[i].kind == CLTOK_DIRECTIVE &&
		    is_no_code(&l, cllex_next_any(&l, i)))
			i = directive_end(&l, i) - 1;
		else if (is_name(&l, i) && slice_begins(s, EXTENSIONS) &&
		    s.n < sizeof name && at + s.n + 5 <= size) {
			memcpy(name, s.p, s.n);
			name[s.n] = '\0';
			if (!lists(out, ' ', name, ' '))
				at += (size_t)snprintf(out + at, size - at,
				    "%s%s%s", at ? " " : "",
				    lists(list, '+', name, ',') ? "" : "no ",
				    name);
		}
	}
	cllex_done(&l);
}
