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
#define BEATS_MAX 5000 /* each is a picture in memory */

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

/* What is drawn: a picture a beat, and when each begins. */
struct film {
	const struct screen *pictures; /* n of them */
	const uint64_t *starts;        /* n + 1, in milliseconds */
	size_t n;
	bool *is_timed; /* owned: by from * (n + 1) + upto: has a class */
};

/* The class of rows that are seen from one beat until before another. */
static void
put_class(FILE *f, struct film *film, size_t from, size_t upto)
{
	bool *is_timed = &film->is_timed[from * (film->n + 1) + upto];
	double total = (double)film->starts[film->n];
	double a = 100.0 * (double)film->starts[from] / total;
	double b = 100.0 * (double)film->starts[upto] / total;

	if (*is_timed)
		return;
	*is_timed = true;
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
put_span(FILE *f, struct film *film, unsigned y, size_t from, size_t upto)
{
	const struct screen *s = &film->pictures[from];

	if (from == 0 && upto == film->n)
		fputs("<g class=\"k\">", f);
	else {
		put_class(f, film, from, upto);
		fprintf(f, "<g class=\"k%zu-%zu%s\">", from, upto,
		    upto == film->n ? " k" : "");
	}
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
put_rows(FILE *f, struct film *film, unsigned y)
{
	for (size_t from = 0, upto; from < film->n; from = upto) {
		for (upto = from + 1; upto < film->n &&
		     is_same_row(&film->pictures[from], &film->pictures[upto],
		         y);)
			upto++;
		if (!is_blank(&film->pictures[from], y))
			put_span(f, film, y, from, upto);
	}
}

static void
put_film(FILE *f, const struct cast *c, struct film *film)
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
	for (unsigned y = 0; film->n > 0 && y < film->pictures[0].height; y++)
		put_rows(f, film, y);
	fputs("</svg>\n", f);
}

enum err
cast_write_svg(const struct cast *c, const struct story *s, FILE *f)
{
	size_t first = c->only > 0 ? c->only - 1 : 0;
	size_t n = c->only > 0      ? 1
	    : s->nbeats < BEATS_MAX ? s->nbeats
	                            : BEATS_MAX;
	struct screen *pictures = xcalloc(n + 1, sizeof *pictures);
	uint64_t *starts = xcalloc(n + 1, sizeof *starts);
	struct film film = { .pictures = pictures,
		.starts = starts,
		.n = n,
		.is_timed = xcalloc((n + 1) * (n + 1), sizeof(bool)) };

	for (size_t i = 0; i < n; i++) {
		const struct beat *b = &s->beats[first + i];

		screen_init(&pictures[i], c->width, c->height);
		layout_draw(s, first + i + 1, c->explains, &pictures[i]);
		starts[i + 1] = starts[i] + cast_hold_ms(c, b);
	}
	put_film(f, c, &film);
	for (size_t i = 0; i < n; i++)
		screen_done(&pictures[i]);
	free(film.is_timed);
	free(pictures);
	free(starts);
	return ferror(f) ? ERR_IO : ERR_OK;
}
