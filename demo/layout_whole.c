/*
 * Beats that have the whole screen: who plays, what is missing, and at last
 * the scorecard with a table by operator.  What matters less is left out where
 * the table would not fit.
 */
#include "demo/layout_area.h"

#include <stdio.h>
#include <string.h>

#define TABLE_ROWS_MAX 6 /* more of them stand side by side */

/* The tone of a figure: a silent wrong is bad, none of them is good. */
static enum tone
score_tone(const struct story *s, size_t row, const char *value)
{
	if (strcmp(value, "broken") == 0)
		return TONE_BAD;
	if (strcmp(value, "not run") == 0)
		return TONE_DIM;
	if (row == 2 && value[0] == '0')
		return s->alarm[0] ? TONE_PLAIN : TONE_GOOD;
	if (row == 2)
		return TONE_BAD;
	return row == 0 ? TONE_DOUBT : TONE_PLAIN;
}

/* Wraps a text into columns x to end from row y on; the row behind it. */
static unsigned
put_wrapped(struct screen *out, unsigned x, unsigned y, unsigned end,
    enum tone tone, const char *text)
{
	struct painter p = { .out = out,
		.a = { .x = x, .y = y, .width = end > x ? end - x : 1 },
		.tone = tone };

	layout_wrap("", text, p.a.width, layout_paint_row, &p);
	return p.a.y;
}

unsigned
layout_draw_score(const struct story *s, unsigned x, unsigned y, unsigned width,
    struct screen *out)
{
	/* Three columns where they fit, else each label on a line of its own.
	 */
	unsigned label = width >= 60 ? 26 : 0;
	unsigned side = (width - label) / 2;
	unsigned middle = x + label + side;

	put_wrapped(out, x + label, y, middle - 1, TONE_HEAD, "Naive");
	y = put_wrapped(out, middle, y, x + width, TONE_HEAD, "KernelForge");
	for (size_t i = 0; i < STORY_SCORE_ROWS; i++) {
		const struct score_row *r = &s->score[i];
		unsigned left, right;

		left = put_wrapped(out, x, y, x + width, TONE_PLAIN, r->label);
		y = label == 0 ? left : y;
		left = put_wrapped(out, x + label, y, middle - 1,
		    score_tone(s, i, r->naive), r->naive);
		right = put_wrapped(out, middle, y, x + width,
		    score_tone(s, i, r->forge), r->forge);
		y = left > right ? left : right;
	}
	return y;
}

static void
put_more(const struct painter *p, size_t left)
{
	char more[64];

	snprintf(more, sizeof more, "... and %zu more, in report.html", left);
	screen_put(p->out, p->a.x, p->a.y, p->a.x + p->a.width, TONE_DIM, more);
}

/* The table at a beat's end, as it stands: its head, and its rows; many of
 * them in two halves, side by side, where both fit. */
struct table {
	const struct line *head; /* borrowed; the rows are behind it */
	size_t rows, halves;
	size_t high;   /* of a half */
	size_t column; /* how wide a half is */
};

static struct table
table_of(const struct beat *b, unsigned width)
{
	struct table t = { .head = b->lines + (b->nlines - b->ntable),
		.rows = b->ntable > 0 ? b->ntable - 1 : 0,
		.halves = 1 };

	for (size_t i = 0; i < b->ntable; i++)
		if (layout_columns(t.head[i].text) > t.column)
			t.column = layout_columns(t.head[i].text);
	t.column += 2; /* a mark's room before it */
	if (t.rows > TABLE_ROWS_MAX && width >= 2 * t.column)
		t.halves = 2;
	t.high = (t.rows + t.halves - 1) / t.halves;
	return t;
}

/* clang-format off */
static const struct {
	const char *word;
	enum tone tone;
} results[] = {
	{ " verified", TONE_GOOD },
	{ "WRONG",   TONE_BAD },
};
/* clang-format on */

/* A row, with what it came to in that word's own tone. */
static void
put_table_row(const struct line *l, unsigned x, const struct painter *p)
{
	unsigned end = p->a.x + p->a.width;

	screen_put(p->out, x, p->a.y, end, l->tone, l->text);
	for (size_t i = 0; i < COUNT(results); i++) {
		const char *at = strstr(l->text, results[i].word);

		/* The text is ASCII: a byte is a column. */
		if (at)
			screen_put(p->out, x + (unsigned)(at - l->text), p->a.y,
			    end, results[i].tone, results[i].word);
	}
}

static void
draw_table(const struct table *t, unsigned end, struct painter *p)
{
	for (size_t y = 0; y <= t->high; y++, p->a.y++) {
		if (p->a.y + (y < t->high ? 1 : 0) >= end) {
			put_more(p,
			    t->rows - (y > 0 ? (y - 1) * t->halves : 0));
			return;
		}
		for (size_t half = 0; half < t->halves; half++) {
			size_t i = y > 0 ? half * t->high + y : 0;

			if (i > t->rows)
				continue;
			put_table_row(&t->head[i],
			    p->a.x + 2 + (unsigned)(half * t->column), p);
		}
	}
}

/* The rows of a beat's lines before its table, without those that matter less
 * if there is no room for them; and of the table. */
static size_t
rows_of_whole(const struct beat *b, bool is_tight, unsigned width)
{
	size_t n = b->ntable > 0 ? table_of(b, width).high + 1 : 0;

	for (size_t i = 0; i < b->nlines - b->ntable; i++)
		if (!is_tight || b->lines[i].tone != TONE_DIM)
			n += layout_rows(&b->lines[i], width);
	return n;
}

static bool
is_last_of_mark(const struct beat *b, size_t i)
{
	return i + 1 < b->nlines &&
	    strcmp(b->lines[i].mark, b->lines[i + 1].mark) != 0;
}

/* Air between lines of different marks, or none: it takes no line's room. */
static bool
has_room_for_air(const struct beat *b, size_t room, unsigned width)
{
	size_t n = rows_of_whole(b, false, width);

	for (size_t i = 0; i < b->nlines; i++)
		n += is_last_of_mark(b, i);
	return (b->kind == BEAT_BEGIN || b->kind == BEAT_YOURS) && n <= room;
}

static void
draw_lines(const struct beat *b, bool is_tight, unsigned end, struct painter *p)
{
	bool has_air = has_room_for_air(b, end - p->a.y, p->a.width);

	for (size_t i = 0; i < b->nlines - b->ntable; i++) {
		const struct line *l = &b->lines[i];
		unsigned last = i + 1 < b->nlines ? 1 : 0; /* its room */

		if (is_tight && l->tone == TONE_DIM)
			continue;
		if (p->a.y + layout_rows(l, p->a.width) + last > end) {
			put_more(p, b->nlines - i);
			p->a.y = end;
			return;
		}
		p->tone = l->tone;
		layout_wrap(l->mark, l->text, p->a.width, layout_paint_row, p);
		p->a.y += has_air && is_last_of_mark(b, i) ? 1 : 0;
	}
}

void
layout_draw_whole(const struct story *s, const struct beat *b, struct area a,
    struct screen *out)
{
	struct painter p = { .out = out, .a = a };
	unsigned end = a.y + a.height;
	bool is_tight;
	struct table t;

	p.a.x += 2;
	p.a.width -= a.width > 4 ? 4 : 0;
	if (b->kind == BEAT_END)
		p.a.y = layout_draw_score(s, p.a.x, p.a.y, p.a.width, out);
	is_tight = p.a.y + 1 + rows_of_whole(b, false, p.a.width) > end;
	if (b->kind == BEAT_END &&
	    p.a.y + 1 + rows_of_whole(b, is_tight, p.a.width) <= end)
		p.a.y++;
	draw_lines(b, is_tight && b->ntable > 0, end, &p);
	if (b->ntable == 0 || p.a.y >= end)
		return;
	t = table_of(b, p.a.width);
	if (end > p.a.y + t.high + 1)
		p.a.y++;
	draw_table(&t, end, &p);
}
