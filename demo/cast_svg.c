/*
 * An animated SVG: each row of the screen is a row of text that is visible
 * from one time to another.  Rows that stay the same over many beats are
 * written once, which keeps a minute of story at some hundred kilobytes.
 *
 * CSS alone moves it, so it plays in an <img>, where no script may run; who
 * prefers less motion gets the last picture.
 */
#include "demo/cast.h"

#include "base/mem.h"
#include <stdlib.h>
#include <string.h>

#define COLUMN_PX 8.4
#define ROW_PX    18
#define MARGIN_PX 12

static const char *const tone_classes[TONE_NTONES] = {
	[TONE_PLAIN] = "p",
	[TONE_DIM] = "d",
	[TONE_HEAD] = "h",
	[TONE_GOOD] = "g",
	[TONE_BAD] = "b",
	[TONE_DOUBT] = "q",
	[TONE_FAULT] = "f",
	[TONE_CAME] = "c",
	[TONE_MADE] = "f",
	[TONE_ROUTE] = "r",
};

static const char style[] =
    "text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans "
    "Mono',monospace;white-space:pre;fill:#d6dbe4}"
    ".d{fill:#7d8796}.h{font-weight:700;fill:#fff}.g{fill:#5fd38d}"
    ".b{fill:#ff6b6b;font-weight:700}.q{fill:#e8c468}.f{fill:#e07bff}"
    ".c{fill:#6fd3e8}.r{fill:#7fa7ff}"
    "g{visibility:hidden}g.k{visibility:visible}";

static void
put_escaped(FILE *f, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '<':
			fputs("&lt;", f);
			break;
		case '>':
			fputs("&gt;", f);
			break;
		case '&':
			fputs("&amp;", f);
			break;
		default:
			fputc(*text, f);
			break;
		}
}

static void
put_row(FILE *f, const struct screen *s, unsigned y)
{
	char text[SCREEN_WIDTH_MAX * 4 + 1];
	enum tone tone;

	for (unsigned x = 0, next; x < s->width; x = next) {
		next = screen_run(s, x, y, &tone, text);
		if (text[strspn(text, " ")] == '\0')
			continue;
		fprintf(f, "<text x=\"%.1f\" y=\"%u\" class=\"%s\">",
		    MARGIN_PX + x * COLUMN_PX, MARGIN_PX + (y + 1) * ROW_PX - 4,
		    tone_classes[tone]);
		put_escaped(f, text);
		fputs("</text>", f);
	}
}

/* One row from the beat `from` until before `upto`, and how it is timed. */
struct span {
	size_t from, upto;
	uint64_t from_ms, upto_ms, total_ms;
};

static void
put_span(FILE *f, const struct screen *s, unsigned y, const struct span *t,
    unsigned id)
{
	double a = 100.0 * (double)t->from_ms / (double)t->total_ms;
	double b = 100.0 * (double)t->upto_ms / (double)t->total_ms;

	fprintf(f,
	    "<style>@keyframes k%u{0%%{visibility:%s}%.3f%%{visibility:visible}"
	    "%.3f%%{visibility:%s}100%%{visibility:%s}}#r%u{animation:k%u "
	    "%.1fs step-end infinite}</style><g id=\"r%u\"%s>",
	    id, t->from == 0 ? "visible" : "hidden", a, b,
	    t->upto_ms == t->total_ms ? "visible" : "hidden",
	    t->upto_ms == t->total_ms ? "visible" : "hidden", id, id,
	    (double)t->total_ms / 1000.0, id,
	    t->upto_ms == t->total_ms ? " class=\"k\"" : "");
	put_row(f, s, y);
	fputs("</g>\n", f);
}

static bool
is_blank(const struct screen *s, unsigned y)
{
	for (unsigned x = 0; x < s->width; x++)
		if (s->cells[(size_t)y * s->width + x].text[0])
			return false;
	return true;
}

static bool
is_same_row(const struct screen *a, const struct screen *b, unsigned y)
{
	size_t at = (size_t)y * a->width;

	return memcmp(a->cells + at, b->cells + at,
	           a->width * sizeof *a->cells) == 0;
}

static void
put_rows(FILE *f, const struct screen *pictures, const uint64_t *starts,
    size_t n, unsigned y, unsigned *id)
{
	for (size_t from = 0, upto; from < n; from = upto) {
		struct span t;

		for (upto = from + 1; upto < n &&
		     is_same_row(&pictures[from], &pictures[upto], y);)
			upto++;
		t = (struct span){ from, upto, starts[from], starts[upto],
			starts[n] };
		if (!is_blank(&pictures[from], y))
			put_span(f, &pictures[from], y, &t, ++*id);
	}
}

enum err
cast_write_svg(const struct cast *c, const struct story *s, FILE *f)
{
	size_t n = s->nbeats;
	struct screen *pictures = xcalloc(n + 1, sizeof *pictures);
	uint64_t *starts = xcalloc(n + 1, sizeof *starts);
	unsigned id = 0, width, height;

	for (size_t i = 0; i < n; i++) {
		screen_init(&pictures[i], c->width, c->height);
		layout_draw(s, i + 1, c->explains, &pictures[i]);
		starts[i + 1] = starts[i] + cast_hold_ms(c, &s->beats[i]);
	}
	width = (unsigned)(c->width * COLUMN_PX) + 2 * MARGIN_PX;
	height = c->height * ROW_PX + 2 * MARGIN_PX;
	fprintf(f,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" "
	    "role=\"img\" aria-label=\"KernelForge's demo, replayed\">\n<style>"
	    "%s@media (prefers-reduced-motion:reduce){g{animation:none!"
	    "important}}</style>\n<rect width=\"%u\" height=\"%u\" rx=\"8\" "
	    "fill=\"#12151c\"/>\n",
	    width, height, style, width, height);
	for (unsigned y = 0; n > 0 && y < pictures[0].height; y++)
		put_rows(f, pictures, starts, n, y, &id);
	fputs("</svg>\n", f);
	for (size_t i = 0; i < n; i++)
		screen_done(&pictures[i]);
	free(pictures);
	free(starts);
	return ferror(f) ? ERR_IO : ERR_OK;
}
