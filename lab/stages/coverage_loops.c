/* What is told of loops: which of them went round not at all, once, and more
 * than once when they were come to in launches that count. */
#include "lab/stages/coverage_loops.h"

#include <stdio.h>
#include <string.h>

enum { NOT_AT_ALL, ONCE, MORE };

bool
coverage_loop_is_open(const struct cover *c, const struct seek *s, size_t point,
    uint32_t outcome)
{
	return outcome == MORE && cover_count(c, point, MORE) == 0 &&
	    seek_is_left_out(s, point, MORE);
}

/* Points of loops of a line before this one: the same line of another storage
 * type has as many. */
static unsigned
nth_of_line(const struct program *p, size_t point)
{
	unsigned n = 0;

	for (size_t i = 0; i < point; i++)
		n += p->points[i].kind == PROG_POINT_LOOP &&
		    p->points[i].line == p->points[point].line;
	return n;
}

void
coverage_loops_report(struct trial *t, struct cover *c)
{
	const struct program *p = cover_program(c);

	for (size_t i = 0; i < p->npoints; i++) {
		struct lab_loop loop = { .line = p->points[i].line };

		if (p->points[i].kind != PROG_POINT_LOOP ||
		    seek_is_constant_loop(cover_seek(c), i))
			continue;
		loop.nth = nth_of_line(p, i);
		loop.none = cover_count(c, i, NOT_AT_ALL) > 0;
		loop.once = cover_count(c, i, ONCE) > 0;
		loop.many = cover_count(c, i, MORE) > 0;
		lab_report_loop(&t->r->coverage, &loop);
	}
}

void
coverage_loops_note(struct trial *t)
{
	const struct lab_coverage *r = &t->r->coverage;
	size_t at = strlen(t->note);
	unsigned n = 0;

	for (size_t i = 0; i < r->nloops; i++)
		n += !r->loops[i].many;
	if (n > 0)
		snprintf(t->note + at, sizeof t->note - at,
		    "; %u loop%s never went round more than once", n,
		    n == 1 ? "" : "s");
}
