/*
 * A pane shows the end of what it has: the newest beat whole, older ones by
 * what they came to, and what went by stands in the report.  Lines are wrapped
 * at words, so that nothing is cut at any width from some twenty columns on.
 */
#include "demo/layout_area.h"

#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BESIDE_COLUMNS_MIN  100 /* narrower: one above the other */
#define AIRY_ROWS_MIN       26  /* from here on a row is left free */
#define AIRY_WHOLE_ROWS_MIN 20
#define ROW_BYTES           (SCREEN_WIDTH_MAX * 4 + 1)
#define RULE_MIN            4

/* A pane's text, already wrapped. */
struct rows {
	struct {
		enum tone tone;
		char *text; /* owned */
	} * rows;           /* owned */
	size_t n;
	unsigned width;
	enum tone tone; /* of the rows that are added */
};

/* The beats that a pane shows, the newest first. */
struct picks {
	size_t beats[SCREEN_HEIGHT_MAX], n;
	size_t nwhole; /* so many of them with their details */
	size_t rows;   /* that they fill */
	bool is_cut;   /* older ones went by */
};

size_t
layout_columns(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

/* Bytes of the longest head of text that fits, at a word's end if it can. */
static size_t
fitting(const char *text, unsigned width)
{
	size_t columns = 0, at = 0, word = 0;

	while (text[at]) {
		if (((unsigned char)text[at] & 0xc0) != 0x80 &&
		    ++columns > width)
			return word > 0 ? word : at;
		if (text[at] == ' ')
			word = at + 1;
		at++;
	}
	return at;
}

void
layout_wrap(const char *mark, const char *text, unsigned width,
    void (*put)(const char *row, void *arg), void *arg)
{
	const char *rest = text;
	char row[ROW_BYTES];
	bool is_first = true;

	if (width < 8)
		width = 8;
	do {
		size_t n =
		    fitting(rest, width - (*mark ? is_first ? 2 : 4 : 0));
		size_t seen;

		if (n > ROW_BYTES - 8)
			n = ROW_BYTES - 8;
		seen = n; /* no row ends in the space that it was cut at */
		while (seen > 0 && rest[seen - 1] == ' ')
			seen--;
		if (*mark)
			snprintf(row, sizeof row, "%s %.*s",
			    is_first ? mark : "   ", (int)seen, rest);
		else
			snprintf(row, sizeof row, "%.*s", (int)seen, rest);
		put(row, arg);
		rest += n;
		rest += strspn(rest, " ");
		is_first = false;
	} while (*rest);
}

static void
add_row(const char *text, void *arg)
{
	struct rows *r = arg;

	r->rows = xreallocarray(r->rows, r->n + 1, sizeof *r->rows);
	r->rows[r->n].tone = r->tone;
	r->rows[r->n++].text = xstrdup(text);
}

static void
count_row(const char *row, void *arg)
{
	unsigned *n = arg;

	(void)row;
	++*n;
}

unsigned
layout_rows(const struct line *l, unsigned width)
{
	unsigned n = 0;

	layout_wrap(l->mark, l->text, width, count_row, &n);
	return n;
}

/* Does it begin with a line that says whose try it tells of? */
static bool
has_head(const struct beat *b)
{
	return b->kind == BEAT_ASKED || b->kind == BEAT_BACK;
}

/* Its rows, an empty one before a head among them. */
static size_t
rows_of_beat(const struct beat *b, bool is_whole, unsigned width)
{
	size_t n = has_head(b),
	       lines = b->nlines - (is_whole ? 0 : b->ndetails);

	for (size_t l = 0; l < lines; l++)
		n += layout_rows(&b->lines[l], width);
	return n;
}

/* A beat that the next one overwrites is not shown. */
static bool
is_overwritten(const struct story *s, size_t shown, size_t i)
{
	return i + 1 < shown && s->beats[i + 1].is_update;
}

/* What begins in the middle of a try has a row above it that names the try. */
static bool
wants_head(const struct story *s, const struct picks *p)
{
	return p->is_cut && p->n > 1 &&
	    !has_head(&s->beats[p->beats[p->n - 1]]);
}

/* Above the first row no empty one is wanted. */
static size_t
rows_filled(const struct story *s, const struct picks *p)
{
	return p->rows + wants_head(s, p) -
	    has_head(&s->beats[p->beats[p->n - 1]]);
}

static void
drop_oldest(const struct story *s, unsigned width, struct picks *p)
{
	p->rows -= rows_of_beat(&s->beats[p->beats[--p->n]], false, width);
	p->is_cut = true;
}

/*
 * Which of a pane's last beats fit into `room` rows: the newest whole, those
 * before it without their details, and with them as far as there is room
 * left.  No beat is shown from its middle on.  They are read backwards, so
 * that a picture costs its own size and not the story's.
 */
static void
pick(const struct story *s, size_t shown, enum pane pane, size_t room,
    unsigned width, struct picks *p)
{
	size_t at = shown > 0 ? s->beats[shown - 1].newest[pane] : 0;

	while (at > 0 && !p->is_cut && p->n < SCREEN_HEIGHT_MAX) {
		size_t i = at - 1;

		at = i > 0 ? s->beats[i - 1].newest[pane] : 0;
		if (is_overwritten(s, shown, i))
			continue;
		p->rows += rows_of_beat(&s->beats[i], p->n == 0, width);
		p->beats[p->n++] = i;
		while (p->n > 1 && rows_filled(s, p) > room)
			drop_oldest(s, width, p);
	}
	for (p->nwhole = 1; p->nwhole < p->n; p->nwhole++) {
		const struct beat *b = &s->beats[p->beats[p->nwhole]];
		size_t more = rows_of_beat(b, true, width) -
		    rows_of_beat(b, false, width);

		if (rows_filled(s, p) + more > room)
			break;
		p->rows += more;
	}
}

static void
put_beat(const struct beat *b, bool is_whole, struct rows *r)
{
	size_t lines = b->nlines - (is_whole ? 0 : b->ndetails);

	if (has_head(b) && r->n > 0)
		add_row("", r);
	for (size_t l = 0; l < lines; l++) {
		r->tone = b->lines[l].tone;
		layout_wrap(b->lines[l].mark, b->lines[l].text, r->width,
		    add_row, r);
	}
}

/* Whose try the first beat goes on with, where its own head went by. */
static void
put_lost_head(const struct beat *b, struct rows *r)
{
	char text[STORY_OP_BYTES + 32];

	if (b->number > 0)
		snprintf(text, sizeof text, "  %s, try %d ...", b->op,
		    b->number);
	else
		snprintf(text, sizeof text, "  %s ...", b->op);
	r->tone = TONE_HEAD;
	add_row(text, r);
}

static void
draw_pane(const struct story *s, size_t shown, enum pane pane,
    const char *title, struct area a, struct screen *out)
{
	struct rows r = { .width = a.width };
	size_t room = a.height - 1;
	struct picks p = { .n = 0 };

	screen_put(out, a.x, a.y, a.x + a.width, TONE_HEAD, title);
	pick(s, shown, pane, room, a.width, &p);
	if (wants_head(s, &p))
		put_lost_head(&s->beats[p.beats[p.n - 1]], &r);
	for (size_t i = p.n; i-- > 0;)
		put_beat(&s->beats[p.beats[i]], i < p.nwhole, &r);
	r.tone = TONE_DIM;
	if (r.n == 0)
		add_row("  has not begun yet", &r);
	/* One beat that is too long for the pane is read from its beginning. */
	for (size_t i = 0; i < r.n && i < room; i++)
		screen_put(out, a.x, a.y + 1 + (unsigned)i, a.x + a.width,
		    r.rows[i].tone, r.rows[i].text);
	for (size_t i = 0; i < r.n; i++)
		free(r.rows[i].text);
	free(r.rows);
}

#define EXPLAIN_MARK "»"
#define NAIVE_TITLE  "NAIVE AGENT: claims after a quick look"
#define FORGE_TITLE  "KERNELFORGE: claims what passed its gate"

static void
draw_panes(const struct story *s, size_t shown, struct area a,
    struct screen *out)
{
	struct area naive = a, forge = a;

	if (a.width >= BESIDE_COLUMNS_MIN) {
		naive.width = a.width * 9 / 20;
		forge.x = naive.width + 2;
		forge.width = a.width - forge.x;
	} else {
		/* Who speaks has the room. */
		naive.height =
		    shown > 0 && s->beats[shown - 1].newest[PANE_FORGE] > 0
		    ? a.height / 4
		    : a.height * 3 / 4;
		if (naive.height < 2)
			naive.height = 2;
		forge.y = a.y + naive.height;
		forge.height =
		    a.height > naive.height + 1 ? a.height - naive.height : 1;
	}
	draw_pane(s, shown, PANE_NAIVE, NAIVE_TITLE, naive, out);
	draw_pane(s, shown, PANE_FORGE, FORGE_TITLE, forge, out);
}

void
layout_paint_row(const char *row, void *arg)
{
	struct painter *p = arg;

	screen_put(p->out, p->a.x, p->a.y++, p->a.x + p->a.width, p->tone, row);
}

static void
draw_rule(unsigned y, struct screen *out)
{
	for (unsigned x = 0; x < out->width; x++)
		screen_put(out, x, y, x + 1, TONE_DIM, "─");
}

/* A rule that is heavy as far as the story is, where its length is known. */
static void
draw_progress(const struct story *s, size_t shown, unsigned y,
    struct screen *out)
{
	const struct beat *now = &s->beats[shown - 1];
	const struct beat *end = &s->beats[s->nbeats - 1];
	uint64_t total_ms = end->at_ms + end->hold_ms;
	uint64_t columns = out->width;

	draw_rule(y, out);
	if (!s->is_over || total_ms == 0)
		return;
	columns = columns * (now->at_ms + now->hold_ms) / total_ms;
	for (unsigned x = 0; x < columns; x++)
		screen_put(out, x, y, x + 1, TONE_ROUTE, "━");
}

/* What the marks mean, on every picture, as some are seen alone; in the order
 * in which a story meets them. */
static void
draw_legend(const struct story *s, unsigned y, struct screen *out)
{
	static const struct {
		enum tone tone;
		const char *text;
	} marks[] = {
		{ TONE_CAME, "· as sent" },
		{ TONE_FAULT, "≠ chaos" },
		{ TONE_DOUBT, "~ looks right" },
		{ TONE_BAD, "✗ wrong" },
		{ TONE_ROUTE, "↑ escalated" },
		{ TONE_GOOD, "✓ passed" },
		{ TONE_GOOD, "★ verified" },
		{ TONE_HEAD, "◆ judge" },
		{ TONE_ROUTE, "↻ retried" },
	};
	unsigned x = 0;

	draw_rule(y, out);
	for (size_t i = 0; i < COUNT(marks); i++) {
		size_t columns = layout_columns(marks[i].text);

		if (marks[i].tone == TONE_FAULT && !s->has_chaos)
			continue;
		if (x + columns + 1 > out->width)
			break;
		x = screen_put(out, x, y, out->width, marks[i].tone,
		    marks[i].text);
		x = screen_put(out, x, y, out->width, TONE_DIM, "  ");
	}
	/* A dash or two of the rule would look like a mark cut off. */
	if (out->width - x < RULE_MIN)
		screen_put(out, x, y, out->width, TONE_DIM, "    ");
}

static void
draw_title(const struct story *s, size_t shown, unsigned parts,
    struct screen *out)
{
	char count[48] = "";
	unsigned x;

	x = screen_put(out, 0, 0, out->width, TONE_HEAD, "KernelForge ");
	screen_put(out, x, 0, out->width, TONE_DIM, s->title);
	/* How many there will be is known when the run has ended. */
	if ((parts & LAYOUT_COUNTED) && s->is_over)
		snprintf(count, sizeof count, "%zu/%zu", shown, s->nbeats);
	else if (parts & LAYOUT_COUNTED)
		snprintf(count, sizeof count, "%zu", shown);
	if (out->width > layout_columns(s->title) + 12 + strlen(count) + 2)
		screen_put(out, out->width - (unsigned)strlen(count), 0,
		    out->width, TONE_DIM, count);
	if (s->alarm[0])
		screen_put(out, 0, 1, out->width, TONE_BAD, s->alarm);
	else
		draw_legend(s, 1, out);
}

/* A rule, and two rows at least, so that a picture does not jump when the
 * next sentence is shorter. */
static unsigned
foot_rows(const struct beat *b, bool explains, unsigned width)
{
	unsigned n = 0;

	if (!explains)
		return 0;
	layout_wrap(EXPLAIN_MARK, b->explain, width, count_row, &n);
	return 1 + (n > 2 ? n : 2);
}

void
layout_draw(const struct story *s, size_t shown, unsigned parts,
    struct screen *out)
{
	/* Looked at only when something is shown. */
	const struct beat *last = s->beats + (shown > 0 ? shown - 1 : 0);
	unsigned foot = foot_rows(last, (parts & LAYOUT_EXPLAINED) && shown > 0,
	    out->width);
	struct area a = { .x = 0, .y = 2, .width = out->width };
	bool is_whole = shown > 0 && last->pane == PANE_BOTH;

	if (out->height >= (is_whole ? AIRY_WHOLE_ROWS_MIN : AIRY_ROWS_MIN))
		a.y++;
	screen_clear(out);
	a.height = out->height > foot + a.y + 2 ? out->height - foot - a.y : 2;
	draw_title(s, shown, parts, out);
	if (is_whole)
		layout_draw_whole(s, last, a, out);
	else
		draw_panes(s, shown, a, out);
	if (foot > 0 && out->height > foot + 4) {
		struct painter p = { .out = out, .a = a, .tone = TONE_HEAD };

		p.a.y = out->height - foot;
		draw_progress(s, shown, p.a.y++, out);
		layout_wrap(EXPLAIN_MARK, last->explain, a.width,
		    layout_paint_row, &p);
	}
}
