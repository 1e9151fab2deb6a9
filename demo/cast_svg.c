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
		/* Columns stay columns, whatever font there is. */
		fprintf(f,
		    "<text x=\"%.1f\" y=\"%u\" class=\"%s\" "
		    "textLength=\"%.1f\">",
		    MARGIN_PX + x * COLUMN_PX, MARGIN_PX + (y + 1) * ROW_PX - 4,
		    tone_classes[tone], (next - x) * COLUMN_PX);
		put_escaped(f, text);
		fputs("</text>", f);
	}
}

/*
 * What is drawn, beat by beat: a row is written when another takes its place,
 * so two pictures are all that is kept.
 */
struct film {
	const struct screen *was;        /* the picture before */
	size_t since[SCREEN_HEIGHT_MAX]; /* by row: the beat that began it */
	uint64_t *starts;                /* of n beats and the end, in ms */
	size_t n;
};

/* The class of rows that are seen from one beat until before another. */
static void
put_class(FILE *f, const struct film *film, size_t from, size_t upto)
{
	double total = (double)film->starts[film->n];
	double a = 100.0 * (double)film->starts[from] / total;
	double b = 100.0 * (double)film->starts[upto] / total;

	fprintf(f, "<style>@keyframes k%zu-%zu{", from, upto);
	if (from > 0)
		fprintf(f, "0%%{visibility:hidden}");
	fprintf(f, "%.3f%%{visibility:visible}", a);
	if (upto < film->n)
		fprintf(f, "%.3f%%{visibility:hidden}", b);
	fprintf(f,
	    "100%%{visibility:%s}}.k%zu-%zu{animation:k%zu-%zu %.1fs "
	    "step-end infinite}</style>\n",
	    upto < film->n ? "hidden" : "visible", from, upto, from, upto,
	    total / 1000.0);
}

static void
put_span(FILE *f, const struct film *film, unsigned y, size_t from, size_t upto)
{
	if (from == 0 && upto == film->n)
		fputs("<g class=\"k\">", f);
	else
		fprintf(f, "<g class=\"k%zu-%zu%s\">", from, upto,
		    upto == film->n ? " k" : "");
	put_row(f, film->was, y);
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

/* Writes the rows that end before beat `upto`, whose picture is `now` (NULL:
 * all end).  Rows that begin together share a class. */
static void
put_ended(FILE *f, struct film *film, const struct screen *now, size_t upto)
{
	size_t classes[SCREEN_HEIGHT_MAX], n = 0; /* by where they begin */

	for (unsigned y = 0; y < film->was->height; y++) {
		size_t from = film->since[y], k = 0;

		if (now && is_same_row(film->was, now, y))
			continue;
		film->since[y] = upto;
		if (is_blank(film->was, y))
			continue;
		while (k < n && classes[k] != from)
			k++;
		if (k == n && !(from == 0 && upto == film->n)) {
			put_class(f, film, from, upto);
			classes[n++] = from;
		}
		put_span(f, film, y, from, upto);
	}
}

static void
put_head(FILE *f, const struct cast *c)
{
	unsigned width = (unsigned)(c->width * COLUMN_PX) + 2 * MARGIN_PX;
	unsigned height = c->height * ROW_PX + 2 * MARGIN_PX;

	fprintf(f,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" "
	    "role=\"img\" aria-label=\"KernelForge's demo, replayed\">\n<style>"
	    "%s@media (prefers-reduced-motion:reduce){g{animation:none!"
	    "important}}</style>\n<rect width=\"%u\" height=\"%u\" rx=\"8\" "
	    "fill=\"#12151c\"/>\n",
	    width, height, style, width, height);
}

enum err
cast_write_svg(const struct cast *c, const struct story *s, FILE *f)
{
	size_t first = c->only > 0 ? c->only - 1 : 0;
	size_t n = c->only > 0 ? 1 : s->nbeats;
	struct screen pictures[2];
	struct film film = { .n = n,
		.was = &pictures[0],
		.starts = xcalloc(n + 1, sizeof *film.starts) };

	for (size_t i = 0; i < n; i++)
		film.starts[i + 1] =
		    film.starts[i] + cast_hold_ms(c, &s->beats[first + i]);
	screen_init(&pictures[0], c->width, c->height);
	screen_init(&pictures[1], c->width, c->height);
	put_head(f, c);
	for (size_t i = 0; i < n; i++) {
		struct screen *now = &pictures[i % 2];

		layout_draw(s, first + i + 1, cast_parts(c), now);
		if (i > 0)
			put_ended(f, &film, now, i);
		film.was = now;
	}
	if (n > 0)
		put_ended(f, &film, NULL, n);
	fputs("</svg>\n", f);
	screen_done(&pictures[0]);
	screen_done(&pictures[1]);
	free(film.starts);
	return ferror(f) ? ERR_IO : ERR_OK;
}
