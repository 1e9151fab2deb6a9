/* How wide a reader's page is, and how high. */
#ifndef BASE_COLUMNS_H
#define BASE_COLUMNS_H

#include <stdio.h>

/* The columns of f's terminal; else what COLUMNS says; else 80. */
int columns_given(FILE *f);
/* The same without the 80: 0 where nobody says a width, as in a pipe. */
int columns_said(FILE *f);
/*
 * The last cell of a row whose cells before it end at column `at`: wrapped at
 * words under itself, or below the row where `at` leaves too little; as it is
 * where nobody says a width.  Ends the line.
 */
void columns_put_last(const char *text, int at, FILE *f);
/*
 * A row whose first cells, padded to stand under each other, are `head`, and
 * whose last begins at column `at`.  Where `at` leaves too little, the first
 * ones are set close and the last stands below them.
 */
void columns_put_row(const char *head, int at, const char *text, FILE *f);
/* A line of prose, whose further lines begin 4 in; wrapped in the same way. */
void columns_say(FILE *f, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The rows of f's terminal; else 24. */
int columns_rows(FILE *f);

#endif
