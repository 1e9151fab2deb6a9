/*
 * A table in memory and one way to draw it: from the top, over what was drawn
 * before.  It is drawn whole each time, because a terminal that was resized or
 * written to by somebody else is right again then after one step.
 */
#include "agent/run/progress_board.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/columns.h"
#include "base/mem.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BOARD_TEXT   64
#define BOARD_BYTES  ((size_t)64 * 1024)
#define BOARD_GAP_US 50000 /* between two drawings of cases that tick */
#define BOARD_WIDE   102   /* columns, from which the wide layout stands */

struct cell {
	char text[BOARD_TEXT];
	enum term_colour tone;
	bool is_over;
};

struct row {
	const char *op; /* borrowed */
	struct cell sides[BOARD_NSIDES];
	unsigned iteration, seen, total;
	char route[BOARD_TEXT];
	bool is_busy;
};

struct board {
	pthread_mutex_t lock; /* of all below */
	FILE *f;              /* borrowed */
	char *title;          /* owned */
	struct row *rows;     /* owned */
	size_t n, drawn;      /* drawn: lines that stand on the terminal */
	uint64_t start_us, drawn_us;
};

/* The columns in the order in which they stand. */
enum { AT_OP, AT_NAIVE, AT_TRY, AT_FORGE, AT_ROUTE, AT_CASES, AT_NCOLUMNS };

static const char *const board_heads[AT_NCOLUMNS] = { "operator", "baseline",
	"try", "KernelForge", "model", "holdouts" };
static const int board_narrow[AT_NCOLUMNS] = { 15, 14, 3, 14, 14, 8 };
static const int board_wide[AT_NCOLUMNS] = { 16, 24, 3, 24, 18, 8 };

struct board *
board_new(const char *title, const char *const *ops, size_t n, FILE *f)
{
	struct board *b = xcalloc(1, sizeof *b);

	(void)pthread_mutex_init(&b->lock, NULL);
	b->f = f;
	b->title = xstrdup(title);
	b->rows = xcalloc(n, sizeof *b->rows);
	b->n = n;
	b->start_us = clock_mono_us();
	for (size_t i = 0; i < n; i++)
		b->rows[i].op = ops[i];
	return b;
}

void
board_free(struct board *b)
{
	if (!b)
		return;
	(void)pthread_mutex_destroy(&b->lock);
	free(b->title);
	free(b->rows);
	free(b);
}

/* ---- drawing */

static void
put_cell(struct buf *out, const struct board *b, int width,
    enum term_colour tone, const char *text)
{
	const char *code = term_code(tone, b->f);

	buf_addf(out, "%s%-*.*s%s  ", code, width, width, text,
	    *code ? "\033[0m" : "");
}

static void
put_row(struct buf *out, const struct board *b, const int *widths,
    const struct row *r)
{
	const struct cell *naive = &r->sides[BOARD_NAIVE];
	const struct cell *forge = &r->sides[BOARD_FORGE];
	char try[16] = "", cases[32] = "";

	if (r->iteration)
		(void)snprintf(try, sizeof try, "%u", r->iteration);
	if (r->total)
		(void)snprintf(cases, sizeof cases, "%2u of %u", r->seen,
		    r->total);
	put_cell(out, b, widths[AT_OP], r->is_busy ? TERM_BOLD : TERM_PLAIN,
	    r->op);
	put_cell(out, b, widths[AT_NAIVE], naive->tone, naive->text);
	put_cell(out, b, widths[AT_TRY], TERM_PLAIN, try);
	put_cell(out, b, widths[AT_FORGE], forge->tone,
	    *forge->text ? forge->text : "waiting");
	put_cell(out, b, widths[AT_ROUTE], TERM_PLAIN, r->route);
	put_cell(out, b, widths[AT_CASES], TERM_PLAIN, cases);
	buf_adds(out, "\033[K\n");
}

static void
put_top(struct buf *out, const struct board *b, const int *widths)
{
	size_t over = 0, good = 0;

	for (size_t i = 0; i < b->n; i++) {
		const struct cell *c = &b->rows[i].sides[BOARD_FORGE];

		over += c->is_over;
		good += c->is_over && c->tone == TERM_GOOD;
	}
	buf_addf(out, "%.40s  %zu of %zu done, %zu verified  %llu s\033[K\n",
	    b->title, over, b->n, good,
	    (unsigned long long)((clock_mono_us() - b->start_us) / 1000000));
	for (int i = 0; i < AT_NCOLUMNS; i++)
		put_cell(out, b, widths[i], TERM_DIM, board_heads[i]);
	buf_adds(out, "\033[K\n");
}

/* Which rows there is room for: those at work, then the others. */
static size_t
choose(const struct board *b, size_t room, bool *shown)
{
	size_t n = 0;

	for (int busy = 1; busy >= 0; busy--)
		for (size_t i = 0; i < b->n && n < room; i++)
			if (b->rows[i].is_busy == (bool)busy) {
				shown[i] = true;
				n++;
			}
	return n;
}

static void
draw(struct board *b)
{
	size_t lines = (size_t)columns_rows(b->f);
	size_t room = lines > 3 ? lines - 3 : 1, n;
	const int *widths =
	    columns_given(b->f) >= BOARD_WIDE ? board_wide : board_narrow;
	bool *shown = xcalloc(b->n + 1, sizeof *shown);
	struct buf out;

	buf_init(&out, BOARD_BYTES);
	if (b->drawn > 0)
		buf_addf(&out, "\033[%zuA\r", b->drawn);
	put_top(&out, b, widths);
	n = choose(b, room, shown);
	for (size_t i = 0; i < b->n; i++)
		if (shown[i])
			put_row(&out, b, widths, &b->rows[i]);
	buf_adds(&out, "\033[J");
	(void)fwrite(out.data, 1, out.len, b->f);
	(void)fflush(b->f);
	b->drawn = n + 2;
	b->drawn_us = clock_mono_us();
	buf_done(&out);
	free(shown);
}

/* ---- what happens */

static struct row *
lock_row(struct board *b, size_t place)
{
	(void)pthread_mutex_lock(&b->lock);
	return &b->rows[place < b->n ? place : 0];
}

static void
set_cell(struct cell *c, enum term_colour tone, const char *text)
{
	(void)snprintf(c->text, sizeof c->text, "%s", text);
	c->tone = tone;
}

void
board_step(struct board *b, size_t place, enum board_side side,
    unsigned iteration, const char *text)
{
	struct row *r = lock_row(b, place);

	r->is_busy = true;
	if (side == BOARD_FORGE && iteration != r->iteration) {
		r->iteration = iteration;
		r->seen = r->total = 0;
		r->route[0] = '\0';
	}
	set_cell(&r->sides[side], TERM_PLAIN, text);
	draw(b);
	(void)pthread_mutex_unlock(&b->lock);
}

void
board_end(struct board *b, size_t place, enum board_side side,
    enum term_colour tone, const char *text)
{
	struct row *r = lock_row(b, place);

	r->is_busy = false;
	r->sides[side].is_over = true;
	set_cell(&r->sides[side], tone, text);
	draw(b);
	(void)pthread_mutex_unlock(&b->lock);
}

void
board_route(struct board *b, size_t place, const char *route)
{
	struct row *r = lock_row(b, place);
	size_t n = strcspn(route, " ");
	const char *slash = memrchr(route, '/', n);

	if (slash)
		n -= (size_t)(slash + 1 - route);
	(void)snprintf(r->route, sizeof r->route, "%.*s", (int)n,
	    slash ? slash + 1 : route);
	draw(b);
	(void)pthread_mutex_unlock(&b->lock);
}

void
board_cases(struct board *b, size_t place, unsigned seen, unsigned total)
{
	struct row *r = lock_row(b, place);

	r->seen = seen < total ? seen : total;
	r->total = total;
	/* Cases tick faster than a terminal at the end of a slow line can
	 * draw. */
	if (clock_mono_us() - b->drawn_us > BOARD_GAP_US)
		draw(b);
	(void)pthread_mutex_unlock(&b->lock);
}
