/* The board shows each operator once, and what is at work before all else. */
#include "agent/run/progress_board.h"
#include "base/mem.h"
#include "tests/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY 60

/* What stands on the terminal after the last drawing; owned. */
static char *
last_screen(FILE *f)
{
	long n = ftell(f);
	char *text = xcalloc((size_t)n + 1, 1), *at = text, *next, *screen;

	rewind(f);
	if (fread(text, 1, (size_t)n, f) != (size_t)n)
		text[0] = '\0';
	while ((next = strstr(at, "A\r")) != NULL)
		at = next + 2;
	screen = xstrdup(at);
	free(text);
	return screen;
}

static size_t
count(const char *text, const char *word)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, word)) != NULL; p++)
		n++;
	return n;
}

static void
test_rows(void)
{
	static const char *const ops[] = { "rope", "gelu", "matmul" };
	static const struct {
		const char *what, *shown;
		size_t times;
	} rows[] = {
		{ "the title and what is done",
		    "full_suite  2 of 3 done, 1 verified  ", 1 },
		{ "a baseline that was measured", "silently wrong", 1 },
		{ "verified: the title, a claim, a failure", "verified  ", 3 },
		{ "a failure", "NOT verified", 1 },
		{ "who answered, and no more", "deepseek-coder  ", 1 },
		{ "what a route says beside it", "reason", 0 },
		{ "cases, no more than there are", "14 of 14", 1 },
		{ "cases of the try before", "3 of 14", 0 },
		{ "who has not begun", "waiting", 1 },
	};
	FILE *f = tmpfile();
	struct board *b = board_new("full_suite", ops, 3, f);
	char *screen;

	board_end(b, 0, BOARD_NAIVE, TERM_BAD, "silently wrong");
	board_step(b, 0, BOARD_FORGE, 1, "smoke ok");
	board_cases(b, 0, 3, 14);
	board_step(b, 0, BOARD_FORGE, 2, "holdouts ok");
	board_route(b, 0, "models/deepseek-coder reason=fallback");
	board_cases(b, 0, 400, 14);
	board_end(b, 0, BOARD_FORGE, TERM_GOOD, "verified");
	board_end(b, 1, BOARD_FORGE, TERM_BAD, "NOT verified");
	screen = last_screen(f);
	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK_INT(count(screen, rows[i].shown), rows[i].times,
		    rows[i].what);
	free(screen);
	board_free(b);
	(void)fclose(f);
}

static void
test_more_than_fit(void)
{
	static char names[MANY][16];
	const char *ops[MANY];
	FILE *f = tmpfile();
	struct board *b;
	char *screen;

	for (size_t i = 0; i < MANY; i++) {
		(void)snprintf(names[i], sizeof names[i], "op_%02zu", i);
		ops[i] = names[i];
	}
	b = board_new("many", ops, MANY, f);
	board_step(b, MANY - 1, BOARD_FORGE, 1, "build ok");
	screen = last_screen(f);
	CHECK(count(screen, "\n") <= 23, "no more lines than 24");
	CHECK_INT(count(screen, "op_59"), 1, "what is at work is shown");
	CHECK_INT(count(screen, "op_00"), 1, "then the others in their order");
	free(screen);
	board_free(b);
	(void)fclose(f);
}

void
t_progress_board(void)
{
	test_rows();
	test_more_than_fit();
}
