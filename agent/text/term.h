/*
 * What a terminal shows: tables, colours, one live line.
 *
 * Colours only on a terminal and never with NO_COLOR.  Progress is one line
 * that is rewritten on a terminal, and one line a step in a pipe.
 */
#ifndef AGENT_TERM_H
#define AGENT_TERM_H

#include "base/buf.h"
#include <stdbool.h>
#include <stdio.h>

#define TERM_COLUMNS_MAX 8

enum term_colour {
	TERM_PLAIN,
	TERM_BOLD,
	TERM_DIM,
	TERM_GOOD,
	TERM_BAD,
	TERM_WARN,
	TERM_NCOLOURS
};

struct term_table {
	size_t ncolumns;
	size_t ncells;
	struct term_cell {
		char *text; /* owned; UTF-8 */
		enum term_colour colour;
	} * cells; /* owned, row after row; the first row is the head */
};

/* What begins that colour on f; "" where it has none, or may have none. */
const char *term_code(enum term_colour c, FILE *f);

void term_table_init(struct term_table *t, size_t ncolumns);
/* The next cell, row after row; text is copied. */
void term_table_add(struct term_table *t, enum term_colour c, const char *text);
void term_table_addf(struct term_table *t, enum term_colour c, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));
/* As wide as f's terminal; where even that is too narrow for its columns, each
 * row is its cells one below the other. */
void term_table_print(const struct term_table *t, FILE *f);
/* Text of several lines, each wrapped at words to f's width; as it is where
 * nobody says a width. */
void term_print_wrapped(const char *text, FILE *f);
/* The same as GitHub Markdown; '|' in a cell is escaped. */
void term_table_markdown(const struct term_table *t, struct buf *out);
void term_table_done(struct term_table *t);

/* ---- progress, on standard error */

void term_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Ends the live line so that other output starts on a fresh one. */
void term_progress_end(void);

#endif
