/*
 * The code of a source: its tokens without comments and directives, numbered
 * from 0, with brackets paired.  The view that the corruption operators walk.
 */
#ifndef CLTEXT_CLCODE_H
#define CLTEXT_CLCODE_H

#include "cltext/cllex.h"

struct clcode {
	const struct cllex *l; /* borrowed */
	uint32_t *tok;         /* owned: token number of each code token */
	uint32_t *mate; /* owned: the bracket's partner; itself without one */
	size_t n;
};

void clcode_init(struct clcode *c, const struct cllex *l);
void clcode_done(struct clcode *c);

/* All take any i; past the end nothing matches. */
struct slice clcode_text(const struct clcode *c, size_t i);
bool clcode_is(const struct clcode *c, size_t i, const char *text);
bool clcode_is_ident(const struct clcode *c, size_t i);
/* The same text at i and j. */
bool clcode_same(const struct clcode *c, size_t i, size_t j);
/* Raw span of the code tokens i..j, both included. */
uint32_t clcode_at(const struct clcode *c, size_t i);
uint32_t clcode_end(const struct clcode *c, size_t i);
uint32_t clcode_line(const struct clcode *c, size_t i);

/* Is the code token i one of the words, a NULL-terminated list? */
bool clcode_is_any(const struct clcode *c, size_t i, const char *const *words);

/* From i on, the first top-level token before end that is one of the words
 * (brackets are stepped over), or end. */
size_t clcode_find(const struct clcode *c, size_t i, size_t end,
    const char *const *words);

/*
 * Is i the name that an assignment or initialiser gives a value,
 * `NAME = ...` or `NAME += ...`?  Then *from..*end is the value.
 */
bool clcode_assigns(const struct clcode *c, size_t i, size_t *from,
    size_t *end);

/* A cast at i, as in `(size_t)d`: the token after it, else i. */
size_t clcode_skip_cast(const struct clcode *c, size_t i);

#endif
