/*
 * How often loops go round.
 *
 * A loop is a block that an edge from behind goes back to; each edge is told
 * what it means to the loops that it enters, repeats or leaves.
 *
 * A loop that is left before a round has done anything has not gone round.
 * What its test does, a comparison of numbers that it reads, is nothing;
 * writing a variable or memory is something.  So "while (n--)" and "do" go
 * round once at least.
 */
#include "lab/probe/program_combine.h"

#include "base/mem.h"
#include "lab/probe/builtin.h"
#include <stdlib.h>
#include <string.h>

#define LOOPS_MAX 256
#define STEPS_MAX 16384
#define DEEP_MAX  8 /* calls */

/* ---- what does something */

static bool
is_variable(const struct prog_function *f, int32_t slot)
{
	for (uint32_t k = 0; k < f->ncode; k++)
		if (f->code[k].op == PROG_ALLOCA && f->code[k].b &&
		    slot >= f->code[k].dst &&
		    slot < f->code[k].dst + (int32_t)f->code[k].lanes)
			return true;
	return false;
}

/* A built-in that says what a work item is, computes, or reads. */
static bool
is_quiet(const struct prog_call *c)
{
	if (!c->known || c->known->is_void || c->known->is_atomic)
		return false;
	for (uint32_t a = 0; a < c->nargs; a++)
		if (c->types[a]->kind == PROG_POINTER &&
		    !slice_begins(c->plain, "vload"))
			return false;
	return true;
}

static bool does_something(const struct program *p, const struct prog_instr *i,
    int deep);

/* To others than itself: its own variables nobody sees. */
static bool
function_does(const struct program *p, const struct prog_function *f, int deep)
{
	for (uint32_t k = 0; k < f->ncode; k++)
		if (does_something(p, &f->code[k], deep))
			return true;
	return false;
}

static bool
does_something(const struct program *p, const struct prog_instr *i, int deep)
{
	if (i->op == PROG_CALL)
		return deep == 0 ||
		    function_does(p, &p->functions[p->calls[i->aux].callee],
		        deep - 1);
	return i->op == PROG_STORE ||
	    (i->op == PROG_BUILTIN && !is_quiet(&p->calls[i->aux]));
}

static bool
block_does(const struct program *p, const struct prog_function *f, uint32_t b)
{
	for (uint32_t k = 0; k < f->blocks[b].n; k++) {
		const struct prog_instr *i = &f->code[f->blocks[b].first + k];

		if (does_something(p, i, DEEP_MAX) ||
		    (i->op == PROG_MOVE && is_variable(f, i->dst)))
			return true;
	}
	return false;
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

struct loop {
	uint32_t head, point;
	int32_t slot;
	bool *in;    /* owned: its blocks */
	bool *quiet; /* owned: from its head up to here nothing was done */
};

/* A block is quiet when it does nothing, and so are all blocks on the ways to
 * it from the head. */
static void
find_quiet(const struct program *p, const struct walk *w, struct loop *l)
{
	const struct prog_function *f = w->f;
	bool shrinks = true;

	l->quiet = xcalloc(f->nblocks, sizeof(bool));
	for (uint32_t b = 0; b < f->nblocks; b++)
		l->quiet[b] = l->in[b] && !block_does(p, f, b);
	while (shrinks) {
		shrinks = false;
		for (uint32_t e = 0; e < f->nedges; e++) {
			const struct prog_edge *edge = &f->edges[e];

			if (!l->in[edge->from] || edge->to == l->head ||
			    l->quiet[edge->from] || !l->quiet[edge->to])
				continue;
			l->quiet[edge->to] = false;
			shrinks = true;
		}
	}
	/* What leads back has been a round. */
	for (uint32_t e = 0; e < f->nedges; e++)
		if (w->is_back[e] && f->edges[e].to == l->head)
			l->quiet[f->edges[e].from] = false;
}

/* The kind of step an edge is for a loop; false: none. */
static bool
step_kind(const struct walk *w, const struct prog_edge *e, const struct loop *l,
    enum prog_step_kind *ret)
{
	if (e->to == l->head)
		*ret = w->is_back[e - w->f->edges] ? PROG_LOOP_AGAIN
		                                   : PROG_LOOP_ENTERED;
	else if (l->in[e->from] && !l->in[e->to])
		*ret =
		    l->quiet[e->from] ? PROG_LOOP_LEFT_BEFORE : PROG_LOOP_LEFT;
	else
		return false;
	return true;
}

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

			if (step_kind(w, &f->edges[e], &loops[i], &s.kind))
				f->steps[f->nsteps++] = s;
		}
		f->edges[e].nsteps = f->nsteps - f->edges[e].first_step;
	}
}

void
prog_find_loops(struct program *p, uint32_t function)
{
	struct prog_function *f = &p->functions[function];
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
			.function = function,
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
		find_body(&w, head, loops[n].in);
		find_quiet(p, &w, &loops[n++]);
	}
	if (n > 0)
		add_steps(&w, loops, n);
	for (size_t i = 0; i < n; i++) {
		free(loops[i].in);
		free(loops[i].quiet);
	}
	free(w.is_open);
	free(w.is_seen);
	free(w.is_back);
	free(w.stack);
	free(w.next);
}
