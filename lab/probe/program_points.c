/*
 * Where a program can go one way or another.
 *
 * A comparison stands for the branches and selects on it.  A loop is a block
 * that an edge from behind goes back to; each edge is told what it means to
 * the loops that it enters, repeats or leaves.
 */
#include "lab/probe/program_combine.h"

#include "base/mem.h"
#include "lab/probe/builtin.h"
#include <stdlib.h>
#include <string.h>

#define LOOPS_MAX 256
#define STEPS_MAX 16384

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

/* ---- loops */

struct walk {
	struct prog_function *f;
	bool *is_open, *is_seen; /* of each block: on the way, seen */
	bool *is_back;           /* of each edge */
	uint32_t *stack, *next;  /* blocks; the edge to look at */
};

/* Depth first from the entry; an edge to a block that is still open goes
 * back. */
static void
find_back_edges(struct walk *w)
{
	uint32_t n = 1;

	w->stack[0] = 0;
	w->is_open[0] = w->is_seen[0] = true;
	while (n > 0) {
		uint32_t b = w->stack[n - 1], e = w->next[b];

		while (e < w->f->nedges && w->f->edges[e].from != b)
			e++;
		w->next[b] = e + 1;
		if (e >= w->f->nedges) {
			w->is_open[b] = false;
			n--;
		} else if (w->is_open[w->f->edges[e].to]) {
			w->is_back[e] = true;
		} else if (!w->is_seen[w->f->edges[e].to]) {
			uint32_t to = w->f->edges[e].to;

			w->is_open[to] = w->is_seen[to] = true;
			w->stack[n++] = to;
		}
	}
}

/* All blocks from which the back edges to head are reached without it. */
static void
find_body(const struct walk *w, uint32_t head, bool *in)
{
	const struct prog_function *f = w->f;
	bool grows = true;

	memset(in, 0, f->nblocks * sizeof *in);
	in[head] = true;
	for (uint32_t e = 0; e < f->nedges; e++)
		if (w->is_back[e] && f->edges[e].to == head)
			in[f->edges[e].from] = true;
	while (grows) {
		grows = false;
		for (uint32_t e = f->nedges; e-- > 0;)
			if (in[f->edges[e].to] && f->edges[e].to != head &&
			    !in[f->edges[e].from]) {
				in[f->edges[e].from] = true;
				grows = true;
			}
	}
}

/* The kind of step an edge is for a loop; false: none. */
static bool
step_kind(const struct walk *w, const struct prog_edge *e, uint32_t head,
    const bool *in, enum prog_step_kind *ret)
{
	if (e->to == head)
		*ret = w->is_back[e - w->f->edges] ? PROG_LOOP_AGAIN
		                                   : PROG_LOOP_ENTERED;
	else if (in[e->from] && !in[e->to])
		*ret = PROG_LOOP_LEFT;
	else
		return false;
	return true;
}

struct loop {
	uint32_t head, point;
	int32_t slot;
	bool *in; /* owned */
};

/* Each edge's steps stand together. */
static void
add_steps(const struct walk *w, const struct loop *loops, size_t n)
{
	struct prog_function *f = w->f;

	f->steps = xcalloc(STEPS_MAX, sizeof *f->steps);
	for (uint32_t e = 0; e < f->nedges; e++) {
		f->edges[e].first_step = f->nsteps;
		for (size_t i = 0; i < n && f->nsteps < STEPS_MAX; i++) {
			struct prog_step s = { .point = loops[i].point,
				.slot = loops[i].slot };

			if (step_kind(w, &f->edges[e], loops[i].head,
			        loops[i].in, &s.kind))
				f->steps[f->nsteps++] = s;
		}
		f->edges[e].nsteps = f->nsteps - f->edges[e].first_step;
	}
}

static void
find_loops(struct program *p, uint32_t k)
{
	struct prog_function *f = &p->functions[k];
	struct walk w = { .f = f,
		.is_open = xcalloc(f->nblocks, sizeof *w.is_open),
		.is_seen = xcalloc(f->nblocks, sizeof *w.is_seen),
		.is_back = xcalloc(f->nedges + 1, sizeof *w.is_back),
		.stack = xcalloc(f->nblocks + 1, sizeof *w.stack),
		.next = xcalloc(f->nblocks, sizeof *w.next) };
	struct loop loops[LOOPS_MAX];
	size_t n = 0;

	find_back_edges(&w);
	for (uint32_t e = 0; e < f->nedges && n < LOOPS_MAX; e++) {
		uint32_t head = f->edges[e].to;
		struct prog_point point = { .kind = PROG_POINT_LOOP,
			.outcomes = 3,
			.function = k,
			.block = head,
			.instr = f->blocks[head].first,
			.line = f->code[f->blocks[head].first].line };
		size_t i = 0;

		while (i < n && loops[i].head != head)
			i++;
		if (!w.is_back[e] || i < n)
			continue;
		loops[n] = (struct loop){ .head = head,
			.slot = (int32_t)f->slots++,
			.point = prog_add_point(p, &point),
			.in = xcalloc(f->nblocks, sizeof(bool)) };
		find_body(&w, head, loops[n++].in);
	}
	if (n > 0)
		add_steps(&w, loops, n);
	for (size_t i = 0; i < n; i++)
		free(loops[i].in);
	free(w.is_open);
	free(w.is_seen);
	free(w.is_back);
	free(w.stack);
	free(w.next);
}

void
prog_find_points(struct program *p)
{
	for (uint32_t k = 0; k < p->nfunctions; k++)
		if (p->functions[k].is_candidates) {
			find_choices(p, k);
			find_loops(p, k);
		}
	prog_find_combined(p);
}
