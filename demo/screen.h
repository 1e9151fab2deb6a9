/*
 * A terminal's picture as cells, and the bytes that turn one picture into the
 * next.  Everything that is shown goes through here, so nothing else knows an
 * escape sequence, and a cast holds the same bytes as a terminal gets.
 */
#ifndef DEMO_SCREEN_H
#define DEMO_SCREEN_H

#include "base/buf.h"
#include "demo/story.h"

#define SCREEN_WIDTH_MAX  400
#define SCREEN_HEIGHT_MAX 200

struct cell {
	char text[5]; /* one UTF-8 character; "" is a blank */
	unsigned char tone;
};

struct screen {
	unsigned width, height;
	struct cell *cells; /* owned: height rows of width */
};

/* Sizes are cut to what the limits allow. */
void screen_init(struct screen *s, unsigned width, unsigned height);
void screen_done(struct screen *s);
void screen_clear(struct screen *s);

/* Text from column x of row y on, cut at `end`; returns the column behind. */
unsigned screen_put(struct screen *s, unsigned x, unsigned y, unsigned end,
    enum tone tone, const char *text);

/* The bytes that make `now` of `was` (NULL: of anything). */
void screen_paint(const struct screen *was, const struct screen *now,
    bool is_coloured, struct buf *out);

/* One row as runs of equal tone, for who draws it elsewhere.  Returns the
 * column behind the run that begins at x; text: room for width * 4 + 1. */
unsigned screen_run(const struct screen *s, unsigned x, unsigned y,
    enum tone *ret_tone, char *text);

/* One row without its tones and the blanks at its end; text as above. */
void screen_row(const struct screen *s, unsigned y, char *text);

#endif
