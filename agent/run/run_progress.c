/* Lines about a run; term.c knows what a terminal is. */
#include "agent/run/run_progress.h"

#include "agent/run/budget.h"
#include "agent/run/progress_board.h"
#include "agent/text/model_name.h"
#include "base/clock.h"
#include "base/terminal.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAY_BYTES 400

static void
put_place(const struct run *run, char *out, size_t size)
{
	(void)snprintf(out, size, "%-11s %-15s %2zu of %zu  try %u  %4llu s",
	    run->role ? run->role : "", run->op ? run->op : "", run->place,
	    run->scenario->nops, run->iteration,
	    (unsigned long long)((clock_mono_us() - run->start_us) / 1000000));
}

/* The claim and its measuring belong to who made it. */
static enum board_side
side_of(const struct run *run)
{
	return strcmp(run->role, "naive") == 0 ||
	        strcmp(run->role, "truth") == 0
	    ? BOARD_NAIVE
	    : BOARD_FORGE;
}

void
say_step(const struct run *run, const char *fmt, ...)
{
	char place[96], text[SAY_BYTES];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	/* Names come from command line and scenario. */
	why_clean(text);
	if (run->board) {
		board_step(run->board, run->place - 1, side_of(run),
		    run->iteration, text);
		return;
	}
	put_place(run, place, sizeof place);
	term_progress("%s  %s", place, text);
}

void
say_asking(const struct run *run, bool escalates)
{
	const struct run_scenario *s = run->scenario;

	if (escalates && !s->escalation)
		say_step(run, "asking %s, with the wish to escalate", s->model);
	else
		say_step(run, "asking %s",
		    escalates ? s->escalation : s->model);
}

void
say_route(const struct run *run, const char *route)
{
	struct model_asked asked = { run->scenario->model,
		run->scenario->escalation };
	char *shown = model_name_of_route(route, &asked);

	if (!run->board)
		say_step(run, "%s: %s",
		    strstr(route, "reason=quality-escalation")
		        ? "the escalation model answered"
		        : "answered",
		    shown);
	else if (side_of(run) == BOARD_FORGE)
		board_route(run->board, run->place - 1, shown);
	free(shown);
}

void
say_cases(const struct run *run, unsigned seen, unsigned total)
{
	if (run->board && strcmp(run->role, "kernelforge") == 0)
		board_cases(run->board, run->place - 1, seen, total);
}

/* ", $0.0042 so far", or nothing where nobody told a price. */
static void
put_cost(const struct run *run, unsigned tokens, char *out, size_t size)
{
	double usd = budget_usd(run, tokens);

	*out = '\0';
	if (usd >= 0)
		(void)snprintf(out, size, ", $%.4f so far", usd);
}

void
say_waiting(const struct run *run, const struct model_wait *w)
{
	double s = (double)w->ms / 1000;
	char cost[48];

	if (w->ms < 1000)
		return;
	if (!terminal_is_drawn(stderr) && !model_wait_reaches(w, SAY_PIPE_S))
		return;
	put_cost(run, w->pieces, cost, sizeof cost);
	if (w->pieces > 0)
		say_step(run,
		    "%s, attempt %u, for %.0f s: %u tokens, %.1f a second%s",
		    w->model, w->attempt, s, w->pieces, (double)w->pieces / s,
		    cost);
	else
		say_step(run, "%s, attempt %u, for %.0f s: nothing yet%s",
		    w->model, w->attempt, s, cost);
}

void
say_waits(const struct run *run, uint64_t ms)
{
	if (terminal_is_drawn(stderr))
		say_step(run, "nobody is asked for %llu s more",
		    (unsigned long long)(ms + 999) / 1000);
}

void
say_end(const struct run *run, enum term_colour tone, const char *brief,
    const char *text)
{
	char place[96];

	if (run->board) {
		board_end(run->board, run->place - 1, side_of(run), tone,
		    brief);
		return;
	}
	put_place(run, place, sizeof place);
	term_progress_end();
	fprintf(stderr, "%s  %s\n", place, text);
}
