/*
 * Tables are drawn with box characters; a cell's width is its number of
 * characters, which is right for what we print (no wide scripts pass the
 * operators' names).
 */
#include "agent/text/term.h"

#include "agent/text/utf8.h"
#include "base/columns.h"
#include "base/mem.h"
#include "base/terminal.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CELL_WIDTH_MIN 6

static const char *const term_codes[TERM_NCOLOURS] = {
	[TERM_PLAIN] = "",
	[TERM_BOLD] = "\033[1m",
	[TERM_DIM] = "\033[2m",
	[TERM_GOOD] = "\033[32m",
	[TERM_BAD] = "\033[1;31m",
	[TERM_WARN] = "\033[33m",
};

static _Atomic bool
    progress_is_live; /* a rewritten line stands on the terminal */

const char *
term_code(enum term_colour c, FILE *f)
{
	return terminal_is_coloured(f) ? term_codes[c] : "";
}

void
term_table_init(struct term_table *t, size_t ncolumns)
{
	*t = (struct term_table){ .ncolumns = ncolumns };
}

void
term_table_done(struct term_table *t)
{
	for (size_t i = 0; i < t->ncells; i++)
		free(t->cells[i].text);
	free(t->cells);
	*t = (struct term_table){ 0 };
}

void
term_table_add(struct term_table *t, enum term_colour c, const char *text)
{
	t->cells = xreallocarray(t->cells, t->ncells + 1, sizeof *t->cells);
	t->cells[t->ncells].text = xstrdup(text);
	t->cells[t->ncells].colour = c;
	t->ncells++;
}

void
term_table_addf(struct term_table *t, enum term_colour c, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	term_table_add(t, c, text);
}

static size_t
width_of(const char *text)
{
	size_t n = strlen(text), used, width = 0;

	for (size_t i = 0; i < n; i += used, width++)
		(void)utf8_next(text + i, n - i, &used);
	return width;
}

static void
measure(const struct term_table *t, size_t widths[TERM_COLUMNS_MAX])
{
	memset(widths, 0, TERM_COLUMNS_MAX * sizeof *widths);
	for (size_t i = 0; i < t->ncells; i++) {
		size_t w = width_of(t->cells[i].text);

		if (w > widths[i % t->ncolumns])
			widths[i % t->ncolumns] = w;
	}
}

/* left, middle, right: the corners of a rule. */
static void
put_rule(const struct term_table *t, const size_t *widths,
    const char *const corners[3], FILE *f)
{
	for (size_t c = 0; c < t->ncolumns; c++) {
		fputs(corners[c ? 1 : 0], f);
		for (size_t i = 0; i < widths[c] + 2; i++)
			fputs("─", f);
	}
	fprintf(f, "%s\n", corners[2]);
}

/* Bytes of the next line of a cell: as much as fits, to a word's end if it
 * can, at least one character. */
static size_t
cell_line(const char *text, size_t width)
{
	size_t n = strlen(text), used, at = 0, word = 0;

	for (size_t columns = 0; at < n && columns < width; columns++) {
		(void)utf8_next(text + at, n - at, &used);
		at += used;
		if (at == n || text[at] == ' ')
			word = at;
	}
	return at < n && word > 0 ? word : at;
}

/* One line of a row; rest[c] moves on.  false: nothing is left of any. */
static bool
put_line(const struct term_table *t, size_t first, const size_t *widths,
    const char **rest, FILE *f)
{
	bool coloured = terminal_is_coloured(f), more = false;

	for (size_t c = 0; c < t->ncolumns; c++) {
		const struct term_cell *cell = &t->cells[first + c];
		const char *code = coloured ? term_codes[cell->colour] : "";
		size_t n = cell_line(rest[c], widths[c]);
		char *line = xstrndup(rest[c], n);

		fprintf(f, "│ %s%s%s%*s", code, line, *code ? "\033[0m" : "",
		    (int)(widths[c] - width_of(line) + 1), "");
		rest[c] += n + strspn(rest[c] + n, " ");
		more = more || *rest[c];
		free(line);
	}
	fputs("│\n", f);
	return more;
}

static void
put_row(const struct term_table *t, size_t first, const size_t *widths, FILE *f)
{
	const char *rest[TERM_COLUMNS_MAX];

	for (size_t c = 0; c < t->ncolumns; c++)
		rest[c] = t->cells[first + c].text;
	while (put_line(t, first, widths, rest, f))
		continue;
}

/* The longest word of each column: narrower, a word would be broken. */
static void
measure_words(const struct term_table *t, size_t words[TERM_COLUMNS_MAX])
{
	memset(words, 0, TERM_COLUMNS_MAX * sizeof *words);
	for (size_t i = 0; i < t->ncells; i++)
		for (const char *p = t->cells[i].text; *p;) {
			size_t n = strcspn(p, " ");
			char *word = xstrndup(p, n);
			size_t width = width_of(word);

			if (width > words[i % t->ncolumns])
				words[i % t->ncolumns] = width;
			free(word);
			p += n + strspn(p + n, " ");
		}
}

/* The widest column that is wider than its floor; ncolumns: there is none. */
static size_t
widest_above(const struct term_table *t, const size_t *widths,
    const size_t *floors)
{
	size_t best = t->ncolumns;

	for (size_t c = 0; c < t->ncolumns; c++)
		if (widths[c] > floors[c] &&
		    (best == t->ncolumns || widths[c] > widths[best]))
			best = c;
	return best;
}

/* Takes from the widest column until the table fits: texts wrap at words, and
 * break only where even that is too wide.  false: it does not fit at all. */
static bool
fit(const struct term_table *t, size_t widths[TERM_COLUMNS_MAX], size_t room)
{
	static const size_t none[TERM_COLUMNS_MAX];
	size_t floors[TERM_COLUMNS_MAX], total = 3 * t->ncolumns + 1, c;

	measure_words(t, floors);
	for (c = 0; c < t->ncolumns; c++)
		total += widths[c];
	while (total > room) {
		c = widest_above(t, widths, floors);
		if (c == t->ncolumns) {
			c = widest_above(t, widths, none);
			if (widths[c] <= CELL_WIDTH_MIN)
				return false;
			floors[c]--;
		}
		widths[c]--;
		total--;
	}
	return true;
}

/* A line that starts `indent` columns in, what follows two more. */
static void
put_wrapped(const char *text, size_t indent, size_t room, FILE *f)
{
	bool is_first = true;

	do {
		size_t in = is_first ? indent : indent + 2, n;

		n = cell_line(text,
		    room > in + CELL_WIDTH_MIN ? room - in : CELL_WIDTH_MIN);
		fprintf(f, "%*s%.*s\n", (int)in, "", (int)n, text);
		text += n;
		text += strspn(text, " ");
		is_first = false;
	} while (*text);
}

void
term_print_wrapped(const char *text, FILE *f)
{
	const char *columns = getenv("COLUMNS");
	size_t room = (size_t)columns_given(f);

	if (!isatty(fileno(f)) && !(columns && *columns)) {
		fputs(text, f);
		return;
	}
	while (*text) {
		size_t n = strcspn(text, "\n"), in = strspn(text, " ");
		char *line = xstrndup(text, n);

		put_wrapped(line + (in < n ? in : n), in < n ? in : 0, room, f);
		free(line);
		text += n + (text[n] == '\n');
	}
}

/* Too narrow for a table: each row as its cells, one below the other. */
static void
put_records(const struct term_table *t, size_t room, FILE *f)
{
	for (size_t i = t->ncolumns; i + t->ncolumns <= t->ncells;
	     i += t->ncolumns)
		for (size_t c = 0; c < t->ncolumns; c++) {
			const char *head = t->cells[c].text;
			char *line = xasprintf("%s%s%s", head,
			    *head ? ": " : "", t->cells[i + c].text);

			put_wrapped(line, c > 0 ? 2 : 0, room, f);
			free(line);
		}
}

void
term_table_print(const struct term_table *t, FILE *f)
{
	static const char *const top[] = { "┌", "┬", "┐" };
	static const char *const mid[] = { "├", "┼", "┤" };
	static const char *const low[] = { "└", "┴", "┘" };
	size_t widths[TERM_COLUMNS_MAX];

	measure(t, widths);
	if (!fit(t, widths, (size_t)columns_given(f))) {
		put_records(t, (size_t)columns_given(f), f);
		return;
	}
	put_rule(t, widths, top, f);
	for (size_t i = 0; i + t->ncolumns <= t->ncells; i += t->ncolumns) {
		put_row(t, i, widths, f);
		if (i == 0)
			put_rule(t, widths, mid, f);
	}
	put_rule(t, widths, low, f);
}

static void
put_markdown_cell(struct buf *out, const char *text)
{
	buf_adds(out, "| ");
	for (; *text; text++) {
		if (strchr("|\\`<>*[]", *text))
			buf_addc(out, '\\');
		buf_addc(out, *text);
	}
	buf_addc(out, ' ');
}

void
term_table_markdown(const struct term_table *t, struct buf *out)
{
	for (size_t i = 0; i + t->ncolumns <= t->ncells; i += t->ncolumns) {
		for (size_t c = 0; c < t->ncolumns; c++)
			put_markdown_cell(out, t->cells[i + c].text);
		buf_adds(out, "|\n");
		for (size_t c = 0; i == 0 && c < t->ncolumns; c++)
			buf_adds(out, c ? " --- |" : "| --- |");
		if (i == 0)
			buf_adds(out, "\n");
	}
}

void
term_progress(const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	progress_is_live = terminal_is_drawn(stderr);
	if (progress_is_live)
		/* Cut, because a line that wraps cannot be rewritten: the
		 * cursor goes back to the start of its last row only. */
		fprintf(stderr, "\r\033[K%.100s", text);
	else
		fprintf(stderr, "%s\n", text);
	(void)fflush(stderr);
}

void
term_progress_end(void)
{
	if (progress_is_live)
		fputs("\r\033[K", stderr);
	progress_is_live = false;
}
