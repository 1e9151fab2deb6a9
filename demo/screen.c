/*
 * Only characters that every terminal gives one column are ever put here, so
 * a cell is a character and no table of widths is needed.
 */
#include "demo/screen.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define CSI "\033["

/* The tones as "select graphic rendition" numbers: the sixteen colours that
 * follow the terminal's own theme. */
static const char *const tone_codes[TONE_NTONES] = {
	[TONE_PLAIN] = "0",
	[TONE_DIM] = "0;2",
	[TONE_HEAD] = "0;1",
	[TONE_GOOD] = "0;32",
	[TONE_BAD] = "0;1;31",
	[TONE_DOUBT] = "0;33",
	[TONE_FAULT] = "0;35",
	[TONE_CAME] = "0;36",
	[TONE_MADE] = "0;35",
	[TONE_ROUTE] = "0;34",
};

static unsigned
at_most(unsigned v, unsigned max)
{
	return v < max ? v : max;
}

void
screen_init(struct screen *s, unsigned width, unsigned height)
{
	s->width = at_most(width ? width : 1, SCREEN_WIDTH_MAX);
	s->height = at_most(height ? height : 1, SCREEN_HEIGHT_MAX);
	s->cells = xcalloc((size_t)s->width * s->height, sizeof *s->cells);
}

void
screen_done(struct screen *s)
{
	free(s->cells);
	*s = (struct screen){ .width = 0 };
}

void
screen_clear(struct screen *s)
{
	memset(s->cells, 0, (size_t)s->width * s->height * sizeof *s->cells);
}

/* Bytes of the UTF-8 character at p, which is well formed: it is ours. */
static size_t
character_bytes(const char *p)
{
	size_t n = 1;

	while (((unsigned char)p[n] & 0xc0) == 0x80)
		n++;
	return n;
}

unsigned
screen_put(struct screen *s, unsigned x, unsigned y, unsigned end,
    enum tone tone, const char *text)
{
	if (end > s->width)
		end = s->width;
	while (*text && x < end && y < s->height) {
		struct cell *c = &s->cells[(size_t)y * s->width + x++];
		size_t n = character_bytes(text);

		if (n < sizeof c->text) {
			memcpy(c->text, text, n);
			c->text[n] = '\0';
		}
		c->tone = (unsigned char)tone;
		text += n;
	}
	return x;
}

unsigned
screen_run(const struct screen *s, unsigned x, unsigned y, enum tone *ret_tone,
    char *text)
{
	const struct cell *row = &s->cells[(size_t)y * s->width];
	size_t at = 0;

	*ret_tone = (enum tone)row[x].tone;
	for (; x < s->width && row[x].tone == (unsigned char)*ret_tone; x++) {
		const char *c = row[x].text[0] ? row[x].text : " ";
		size_t n = strlen(c);

		memcpy(text + at, c, n);
		at += n;
	}
	text[at] = '\0';
	return x;
}

void
screen_row(const struct screen *s, unsigned y, char *text)
{
	enum tone tone;
	size_t n = 0;

	for (unsigned x = 0; x < s->width;) {
		x = screen_run(s, x, y, &tone, text + n);
		n += strlen(text + n);
	}
	while (n > 0 && text[n - 1] == ' ')
		text[--n] = '\0';
}

static void
paint_row(const struct screen *s, unsigned y, bool is_coloured, struct buf *out)
{
	char text[SCREEN_WIDTH_MAX * 4 + 1];
	enum tone tone;

	buf_addf(out, CSI "%u;1H", y + 1);
	for (unsigned x = 0; x < s->width;) {
		x = screen_run(s, x, y, &tone, text);
		/* Blanks at the end are left to "erase to the end": a terminal
		 * that shrinks would wrap them. */
		if (x == s->width) {
			size_t n = strlen(text);

			while (n > 0 && text[n - 1] == ' ')
				text[--n] = '\0';
		}
		if (is_coloured && tone != TONE_PLAIN)
			buf_addf(out, CSI "%sm%s" CSI "0m", tone_codes[tone],
			    text);
		else
			buf_adds(out, text);
	}
	buf_adds(out, CSI "K");
}

void
screen_paint(const struct screen *was, const struct screen *now,
    bool is_coloured, struct buf *out)
{
	bool is_new =
	    !was || was->width != now->width || was->height != now->height;
	size_t row_bytes = now->width * sizeof *now->cells;

	if (is_new)
		buf_adds(out, CSI "H" CSI "2J");
	for (unsigned y = 0; y < now->height; y++) {
		size_t at = (size_t)y * now->width;

		if (is_new ||
		    memcmp(was->cells + at, now->cells + at, row_bytes) != 0)
			paint_row(now, y, is_coloured, out);
	}
}
