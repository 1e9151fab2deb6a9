/* How wide a reader's page is, and how high. */
#ifndef BASE_COLUMNS_H
#define BASE_COLUMNS_H

#include <stdio.h>

/* The columns of f's terminal; else what COLUMNS says; else 80. */
int columns_given(FILE *f);
/* The rows of f's terminal; else 24. */
int columns_rows(FILE *f);

#endif
