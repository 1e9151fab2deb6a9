/*
 * The board: the live display of operators that are forged side by side, a row
 * an operator, rewritten in place on a terminal.
 *
 *	operator   baseline    try  KernelForge   model            holdouts
 *	rope       claims it     2  schedule ok   deepseek-coder   14 of 14
 *
 * Every call may come from any worker.  A terminal with fewer lines than
 * operators shows those that are at work first.
 */
#ifndef AGENT_PROGRESS_BOARD_H
#define AGENT_PROGRESS_BOARD_H

#include "agent/text/term.h"
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum board_side { BOARD_NAIVE, BOARD_FORGE, BOARD_NSIDES };

struct board;

/* ops are borrowed; f is a terminal.  title: what is run. */
struct board *board_new(const char *title, const char *const *ops, size_t n,
    FILE *f);
/* Leaves the last state standing; NULL-safe. */
void board_free(struct board *b);

/* place counts from 0; texts are copied, and cut to what their column holds. */
void board_step(struct board *b, size_t place, enum board_side side,
    unsigned iteration, const char *text);
void board_end(struct board *b, size_t place, enum board_side side,
    enum term_colour tone, const char *text);
/* "PROVIDER/MODEL reason=REASON". */
void board_route(struct board *b, size_t place, const char *route);
/* Of the try at work: how many cases the lab has seen. */
void board_cases(struct board *b, size_t place, unsigned seen, unsigned total);

#endif
