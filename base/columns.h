/* How wide a reader's page is. */
#ifndef BASE_COLUMNS_H
#define BASE_COLUMNS_H

#include <stdio.h>

/* The columns of f's terminal; else what COLUMNS says; else 80. */
int columns_given(FILE *f);

#endif
