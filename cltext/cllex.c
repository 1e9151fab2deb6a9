/*
 * The lexer works in two passes, as translation phases 1 to 3 of C do.
 *
 * The first makes the plain text: trigraphs replaced, backslash-newline
 * spliced away (also with blanks between, as clang accepts), and for each
 * plain byte the raw offset it came from.  The second cuts the plain text
 * into tokens.  So `inc\<newline>lude` is one identifier whose span covers
 * both raw lines, and nobody above has to know.
 *
 * Everything is one forward scan; memory is a constant factor of the source.
 */
#include "cltext/cllex.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

struct scan {
	const char *p; /* plain text */
	size_t n;
	uint32_t *raw;  /* raw offset of each plain byte, and of the end */
	uint32_t *line; /* line of each plain byte */
};

static void make_plain(struct cllex *l, struct scan *s);
static size_t splice_len(const char *p, size_t n);
static char trigraph(const char *p, size_t n);
static void cut_tokens(struct cllex *l, const struct scan *s);
static size_t token_end(const struct scan *s, size_t i, enum cltok_kind *kind);
static size_t comment_end(const struct scan *s, size_t i);
static size_t quoted_end(const struct scan *s, size_t i);
static size_t number_end(const struct scan *s, size_t i);
static size_t punct_len(const char *p, size_t n);

/* Longest first. */
static const char *const puncts[] = {
	"%:%:",
	"<<=",
	">>=",
	"...",
	"->",
	"++",
	"--",
	"<<",
	">>",
	"<=",
	">=",
	"==",
	"!=",
	"&&",
	"||",
	"*=",
	"/=",
	"%=",
	"+=",
	"-=",
	"&=",
	"^=",
	"|=",
	"##",
	"<:",
	":>",
	"<%",
	"%>",
	"%:",
};

static const struct {
	const char *digraph, *means;
} digraphs[] = {
	{ "<:", "[" },
	{ ":>", "]" },
	{ "<%", "{" },
	{ "%>", "}" },
	{ "%:", "#" },
	{ "%:%:", "##" },
};

void
cllex_init(struct cllex *l, const char *source, size_t source_bytes)
{
	struct scan s = { 0 };

	*l = (struct cllex){ .source = source, .source_bytes = source_bytes };
	make_plain(l, &s);
	cut_tokens(l, &s);
	free(s.raw);
	free(s.line);
}

void
cllex_done(struct cllex *l)
{
	if (!l)
		return;
	free(l->toks);
	free(l->plain);
	*l = (struct cllex){ 0 };
}

struct slice
cllex_text(const struct cllex *l, size_t i)
{
	struct slice s = { "", 0 };

	if (i >= l->ntoks)
		return s;
	s.p = l->plain + l->toks[i].plain_at;
	s.n = l->toks[i].plain_len;
	if (l->toks[i].kind != CLTOK_PUNCT &&
	    l->toks[i].kind != CLTOK_DIRECTIVE)
		return s;
	/* A digraph is its token in all but spelling (C11 6.4.6): whoever asks
	 * for '#' must not be evaded by "%:". */
	for (size_t d = 0; d < COUNT(digraphs); d++)
		if (slice_is(s, digraphs[d].digraph))
			return slice_of(digraphs[d].means);
	return s;
}

bool
cllex_is(const struct cllex *l, size_t i, const char *text)
{
	return slice_is(cllex_text(l, i), text);
}

size_t
cllex_next(const struct cllex *l, size_t i)
{
	do
		i = cllex_next_any(l, i);
	while (i < l->ntoks && l->toks[i].in_directive);
	return i;
}

size_t
cllex_next_any(const struct cllex *l, size_t i)
{
	for (i++; i < l->ntoks; i++)
		if (l->toks[i].kind != CLTOK_COMMENT)
			return i;
	return l->ntoks;
}

static void
make_plain(struct cllex *l, struct scan *s)
{
	const char *p = l->source;
	size_t n = l->source_bytes, at = 0, out = 0;
	uint32_t line = 1;

	l->plain = xmalloc(n + 1);
	s->raw = xcalloc(n + 1, sizeof *s->raw);
	s->line = xcalloc(n + 1, sizeof *s->line);
	while (at < n) {
		size_t skip = splice_len(p + at, n - at);
		char tri = trigraph(p + at, n - at);

		/* A splice joins the lines, but what follows is on the next one
		 * for whoever counts them. */
		if (skip > 0) {
			line++;
			at += skip;
			continue;
		}
		s->raw[out] = (uint32_t)at;
		s->line[out] = line;
		if (!tri)
			tri = p[at];
		l->plain[out++] = tri;
		line += p[at] == '\n';
		/* No trigraph stands for a question mark, so an equal byte is a
		 * plain one. */
		at += tri == p[at] ? 1 : 3;
	}
	l->plain[out] = '\0';
	s->raw[out] = (uint32_t)n;
	s->line[out] = line;
	s->p = l->plain;
	s->n = out;
}

/* Length of a backslash-newline at p, 0 if there is none. */
static size_t
splice_len(const char *p, size_t n)
{
	size_t i;

	if (p[0] == '\\')
		i = 1;
	else if (trigraph(p, n) == '\\')
		i = 3;
	else
		return 0;
	while (i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == '\r'))
		i++;
	return i < n && p[i] == '\n' ? i + 1 : 0;
}

static char
trigraph(const char *p, size_t n)
{
	static const char from[] = "=(/)'<!>-", to[] = "#[\\]^{|}~";
	const char *hit;

	if (n < 3 || p[0] != '?' || p[1] != '?' || p[2] == '\0')
		return '\0';
	hit = strchr(from, p[2]);
	if (!hit)
		return '\0';
	return to[hit - from];
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_word(char c)
{
	/* clang takes '$' into a name, so a lexer that did not would cut the
	 * tokens elsewhere than the compiler. */
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	    c == '$' || is_digit(c);
}

static void
cut_tokens(struct cllex *l, const struct scan *s)
{
	bool line_start = true, directive = false;
	size_t i = 0, room = 0;

	while (i < s->n) {
		struct cltok t = { .plain_at = (uint32_t)i };
		size_t end;

		/* A newline inside a comment was taken with it: a comment is
		 * one blank, and a directive goes on behind it (C11 5.1.1.2,
		 * phase 3). */
		if (s->p[i] == '\n')
			line_start = true, directive = false;
		if (s->p[i] == '\n' || is_blank(s->p[i])) {
			i++;
			continue;
		}
		end = token_end(s, i, &t.kind);
		t.plain_len = (uint32_t)(end - i);
		t.at = s->raw[i];
		t.len = s->raw[end - 1] + 1 - t.at;
		/* The last byte may be spelled with three. */
		if (trigraph(l->source + s->raw[end - 1],
		        l->source_bytes - s->raw[end - 1]))
			t.len += 2;
		t.line = s->line[i];
		if (l->ntoks == room) {
			room = room ? room * 2 : 256;
			l->toks = xreallocarray(l->toks, room, sizeof t);
		}
		l->toks[l->ntoks++] = t;
		if (t.kind == CLTOK_PUNCT && line_start &&
		    cllex_is(l, l->ntoks - 1, "#")) {
			l->toks[l->ntoks - 1].kind = CLTOK_DIRECTIVE;
			directive = true;
		}
		l->toks[l->ntoks - 1].in_directive = directive;
		/* A comment in front of a '#' leaves it the first of its line
		 * (C11 6.10). */
		if (t.kind != CLTOK_COMMENT)
			line_start = false;
		i = end;
	}
}

/* Where the token that begins at i ends. */
static size_t
token_end(const struct scan *s, size_t i, enum cltok_kind *kind)
{
	char c = s->p[i], next = s->p[i + 1]; /* NUL at the end */
	size_t len;

	if (c == '/' && (next == '/' || next == '*')) {
		*kind = CLTOK_COMMENT;
		return comment_end(s, i);
	}
	if (c == '"' || c == '\'') {
		*kind = c == '"' ? CLTOK_STRING : CLTOK_CHAR;
		return quoted_end(s, i);
	}
	if (is_digit(c) || (c == '.' && is_digit(next))) {
		*kind = CLTOK_NUMBER;
		return number_end(s, i);
	}
	if (is_word(c)) {
		*kind = CLTOK_IDENT;
		while (i < s->n && is_word(s->p[i]))
			i++;
		return i;
	}
	len = punct_len(s->p + i, s->n - i);
	*kind = len > 0 ? CLTOK_PUNCT : CLTOK_OTHER;
	return i + (len > 0 ? len : 1);
}

static size_t
comment_end(const struct scan *s, size_t i)
{
	const char *hit;

	if (s->p[i + 1] == '/')
		hit = memchr(s->p + i, '\n', s->n - i);
	else
		/* From behind the opening, whose star cannot close it: a
		 * slash right behind it ends nothing. */
		hit = i + 2 < s->n ? memmem(s->p + i + 2, s->n - i - 2, "*/", 2)
		                   : NULL;
	if (!hit)
		return s->n;
	return (size_t)(hit - s->p) + (s->p[i + 1] == '/' ? 0 : 2);
}

/* An unterminated literal ends with its line. */
static size_t
quoted_end(const struct scan *s, size_t i)
{
	char quote = s->p[i];

	for (i++; i < s->n && s->p[i] != '\n'; i++) {
		if (s->p[i] == quote)
			return i + 1;
		if (s->p[i] == '\\' && i + 1 < s->n && s->p[i + 1] != '\n')
			i++;
	}
	return i;
}

/* A preprocessing number: 1u, 0x1.8p-3f, 1e+5, .5f. */
static size_t
number_end(const struct scan *s, size_t i)
{
	/* C11 6.4.8 has it wider than any number: "0x1e+5" is one token, and is
	 * an error only when it is used. */
	for (i++; i < s->n; i++) {
		char c = s->p[i], before = s->p[i - 1];

		if (is_word(c) || c == '.')
			continue;
		if ((c == '+' || c == '-') && strchr("eEpP", before))
			continue;
		break;
	}
	return i;
}

static size_t
punct_len(const char *p, size_t n)
{
	for (size_t i = 0; i < COUNT(puncts); i++) {
		size_t len = strlen(puncts[i]);

		if (len <= n && memcmp(p, puncts[i], len) == 0)
			return len;
	}
	return p[0] != '\0' &&
	    strchr("[](){}.,;:?~!%^&*-+=|<>/#", p[0]) != NULL;
}
