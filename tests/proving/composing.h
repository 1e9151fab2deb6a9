/*
 * What the forms of compose.c share: the style that was drawn, and the text
 * that grows.  For compose*.c only.
 */
#ifndef TESTS_PROVING_COMPOSING_H
#define TESTS_PROVING_COMPOSING_H

#include "base/buf.h"
#include "tests/proving/compose.h"
#include <stdbool.h>

struct composing {
	const struct op *op;
	struct draw *d;
	struct buf head; /* macros, types, helpers */
	struct buf body; /* of the kernel, without its braces */
	char global[3][96];
	uint32_t local[3]; /* 0: no such dimension */

	/* The style, drawn once a kernel. */
	const char *helper;  /* "static inline float" and its like */
	const char *local_q; /* "__local" or "local" */
	const char *index_t; /* of large indices */
	const char *count_t; /* of columns */
	bool by_pointer;     /* row pointers, else whole indices */
};

uint32_t compose_below(struct composing *c, uint32_t n);
/* One of n strings. */
const char *compose_of(struct composing *c, const char *const *words, size_t n);
#define COMPOSE_OF(c, ...)                                                     \
	compose_of(c, (const char *const[]){ __VA_ARGS__ },                    \
	    sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

/* for (COUNT_T VAR = from; VAR < to; step) as one of its spellings. */
void compose_loop(struct composing *c, const char *var, const char *from,
    const char *to, const char *step);

/* A tensor's row r as the style has it: declares pointers where it must. */
void compose_rows(struct composing *c, const char *r);
/* kf_load of column col in row r of tensor t; owned. */
char *compose_load(struct composing *c, const char *t, const char *r,
    const char *col);
/* kf_store statement. */
void compose_store(struct composing *c, const char *r, const char *col,
    const char *value);

/* The forms: each fills head, body, global and local. */
void compose_map(struct composing *c);    /* elementwise, one to one */
void compose_reduce(struct composing *c); /* sum, mean, max along a row */
void compose_norm(struct composing *c);   /* softmax and the norms */
void compose_rope(struct composing *c);
void compose_matmul(struct composing *c);

/* compose_group.c: a group's values in `name` become their sum (or maximum)
 * in every lane.  L lanes; the scratch is declared by compose_scratch. */
void compose_scratch(struct composing *c, uint32_t lanes);
void compose_group(struct composing *c, const char *name, bool is_max,
    uint32_t lanes);
/* The expression that puts two together. */
char *compose_join(bool is_max, const char *a, const char *b);

#endif
