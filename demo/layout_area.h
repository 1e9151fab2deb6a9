/*
 * What layout.c and layout_whole.c share: a part of the screen, and text that
 * is painted into it row by row.
 */
#ifndef DEMO_LAYOUT_AREA_H
#define DEMO_LAYOUT_AREA_H

#include "demo/layout.h"

struct area {
	unsigned x, y, width, height;
};

/* arg of layout_paint_row, which puts a row and goes down by one. */
struct painter {
	struct screen *out;
	struct area a;
	enum tone tone;
};

void layout_paint_row(const char *row, void *arg);

/* Columns of a text, and rows of a line that is wrapped to width. */
size_t layout_columns(const char *text);
unsigned layout_rows(const struct line *l, unsigned width);

/* A beat that has the whole screen: the first, and the scorecard at last. */
void layout_draw_whole(const struct story *s, const struct beat *b,
    struct area a, struct screen *out);

#endif
