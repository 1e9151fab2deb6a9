/*
 * Where a program can go one way or another.
 *
 * A comparison stands for the branches and selects on it.
 */
#include "lab/probe/program_combine.h"

#include "base/mem.h"
#include "lab/probe/builtin.h"
#include <stdlib.h>
#include <string.h>

uint32_t
prog_add_point(struct program *p, const struct prog_point *point)
{
	if (p->npoints % 64 == 0)
		p->points =
		    xreallocarray(p->points, p->npoints + 64, sizeof *point);
	p->points[p->npoints] = *point;
	p->points[p->npoints].first = (uint32_t)p->ncounters;
	p->ncounters += point->outcomes;
	return (uint32_t)p->npoints++;
}

/* The slots that hold comparisons, which are counted themselves; owned. */
static bool *
find_compared(const struct prog_function *f)
{
	bool *is = xcalloc(f->slots + 1, sizeof *is);

	for (uint32_t i = 0; i < f->ncode; i++)
		if (f->code[i].op == PROG_ICMP || f->code[i].op == PROG_FCMP)
			is[f->code[i].dst] = true;
	return is;
}

/* How many outcomes does an instruction have by itself? */
static uint32_t
outcomes_of(const struct program *p, const bool *is_compared,
    const struct prog_instr *i, enum prog_point_kind *ret)
{
	*ret = PROG_POINT_BRANCH;
	switch ((int)i->op) {
	case PROG_ICMP:
	case PROG_FCMP:
		*ret = PROG_POINT_COMPARE;
		return 2;
	case PROG_BRANCH:
		return prog_is_constant(i->a) || is_compared[i->a] ? 0 : 2;
	case PROG_SELECT:
		return prog_is_constant(i->c) || is_compared[i->c] ? 0 : 2;
	case PROG_SWITCH:
		*ret = PROG_POINT_SWITCH;
		return p->switches[i->aux].n + 1;
	case PROG_BUILTIN:
		*ret = PROG_POINT_CHOICE;
		return builtin_outcomes(p->calls[i->aux].known);
	default:
		return 0;
	}
}

static void
find_choices(struct program *p, uint32_t k)
{
	struct prog_function *f = &p->functions[k];
	bool *is_compared = find_compared(f);

	for (uint32_t b = 0; b < f->nblocks; b++)
		for (uint32_t j = 0; j < f->blocks[b].n; j++) {
			uint32_t at = f->blocks[b].first + j;
			struct prog_point point = { .function = k,
				.block = b,
				.instr = at,
				.line = f->code[at].line };

			point.outcomes = outcomes_of(p, is_compared,
			    &f->code[at], &point.kind);
			if (point.outcomes > 0)
				f->code[at].point = prog_add_point(p, &point);
		}
	free(is_compared);
}

void
prog_find_points(struct program *p)
{
	for (uint32_t k = 0; k < p->nfunctions; k++)
		if (p->functions[k].is_candidates) {
			find_choices(p, k);
			prog_find_loops(p, k);
		}
	prog_find_combined(p);
}
