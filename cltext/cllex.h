/*
 * OpenCL C as a stream of tokens, with exact positions in the source, so
 * that a rewrite can splice bytes and leave everything else as it was.
 * Comments and literals are tokens of their own: they are not code.  Line
 * continuations, digraphs and trigraphs are seen through for what a token
 * *is*; its span stays the raw bytes.  Never fails: an odd byte is a token.
 */
#ifndef CLTEXT_CLLEX_H
#define CLTEXT_CLLEX_H

#include "base/slice.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cltok_kind {
	CLTOK_IDENT,
	CLTOK_NUMBER,
	CLTOK_STRING,
	CLTOK_CHAR,
	CLTOK_PUNCT,
	CLTOK_COMMENT,
	CLTOK_DIRECTIVE, /* '#' that opens a preprocessor line */
	CLTOK_OTHER,
};

struct cltok {
	enum cltok_kind kind;
	uint32_t at, len;             /* raw span in the source */
	uint32_t line;                /* from 1 */
	bool in_directive;            /* part of a preprocessor line */
	uint32_t plain_at, plain_len; /* span in the plain text */
};

struct cllex {
	const char *source; /* borrowed */
	size_t source_bytes;
	struct cltok *toks; /* owned */
	size_t ntoks;
	char *plain; /* owned: continuations spliced, trigraphs replaced */
};

/* source_bytes at most CANDIDATE_SOURCE_MAX. */
void cllex_init(struct cllex *l, const char *source, size_t source_bytes);
void cllex_done(struct cllex *l);

/* The token as a compiler reads it: plain text, digraphs replaced. */
struct slice cllex_text(const struct cllex *l, size_t i);
bool cllex_is(const struct cllex *l, size_t i, const char *text);
/* Next code token after i (skips comments and directives); ntoks at the end.
 * SIZE_MAX asks for the first one. */
size_t cllex_next(const struct cllex *l, size_t i);
/* The same with directives, since what a macro says may stand anywhere. */
size_t cllex_next_any(const struct cllex *l, size_t i);

#endif
