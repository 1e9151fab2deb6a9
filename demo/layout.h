/*
 * Where things stand on the screen: a title, the naive agent on the left and
 * KernelForge on the right (one above the other below 100 columns), a line
 * that explains, a bar that says how far the story is.
 */
#ifndef DEMO_LAYOUT_H
#define DEMO_LAYOUT_H

#include "demo/screen.h"

/* What a picture may have beside the panes. */
enum layout_parts {
	LAYOUT_EXPLAINED =
	    1,              /* one sentence a beat, and how far the story is */
	LAYOUT_COUNTED = 2, /* which beat of how many, where one follows the
	                     * other: a still is shown in any order */
};

/* The story's first `shown` beats, from 1; parts: of enum layout_parts. */
void layout_draw(const struct story *s, size_t shown, unsigned parts,
    struct screen *out);

/*
 * Calls put for each row of a text that is wrapped at words to `width`
 * columns, the mark before its first row and the others indented; an empty
 * mark indents nothing.
 */
void layout_wrap(const char *mark, const char *text, unsigned width,
    void (*put)(const char *row, void *arg), void *arg);

/* The scorecard as a table from column x of row y on, width columns wide;
 * returns the row behind it. */
unsigned layout_draw_score(const struct story *s, unsigned x, unsigned y,
    unsigned width, struct screen *out);

#endif
