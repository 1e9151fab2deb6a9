/* Lines about a run; term.c knows what a terminal is. */
#include "agent/run/say.h"

#include "agent/text/term.h"
#include "base/clock.h"
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define SAY_BYTES 400

static void
put_place(const struct run *run, char *out, size_t size)
{
	(void)snprintf(out, size, "%-11s %-15s %2zu of %zu  try %u  %4llu s",
	    run->role ? run->role : "", run->op ? run->op : "", run->place,
	    run->scenario->nops, run->iteration,
	    (unsigned long long)((clock_mono_us() - run->start_us) / 1000000));
}

void
say_step(const struct run *run, const char *fmt, ...)
{
	char place[96], text[SAY_BYTES];
	va_list ap;

	put_place(run, place, sizeof place);
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	term_progress("%s  %s", place, text);
}

void
say_waiting(const struct run *run, const struct model_wait *w)
{
	double s = (double)w->ms / 1000;

	if (w->ms < 1000)
		return;
	if (!isatty(STDERR_FILENO) && (w->ms / 1000) % SAY_PIPE_S != 0)
		return;
	if (w->pieces > 0)
		say_step(run, "answering for %.0f s: %u tokens, %.1f a second",
		    s, w->pieces, (double)w->pieces / s);
	else
		say_step(run, "waiting for %.0f s: nothing yet", s);
}

void
say_end(const struct run *run, const char *fmt, ...)
{
	char place[96], text[SAY_BYTES];
	va_list ap;

	put_place(run, place, sizeof place);
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	term_progress_end();
	fprintf(stderr, "%s  %s\n", place, text);
}
