/*
 * Whole numbers that a program makes of nothing but constants and of what its
 * header says: "(get_local_size(0) << 7) - 1", or what a loop of doublings ends
 * at.
 *
 * A work item is followed from its beginning under a few launches, its
 * arithmetic done, its loops gone round.  What a buffer holds is unknown, and
 * so is what is made of that; at a condition that is unknown it goes where it
 * has not been.  A factor, a divisor or a step that is the same in two of the
 * launches is taken for a constant.  Nothing is proved by any of this: what
 * comes out are sizes that are worth a launch.
 */
#include "lab/probe/condition_priv.h"

#include "base/mem.h"
#include "lab/probe/arithmetic.h"
#include "lab/probe/builtin.h"
#include <stdlib.h>
#include <string.h>

#define STEPS_MAX  60000 /* of an item */
#define DEPTH_MAX  12
#define MEMORY_MAX 128 /* numbers in private and local memory */
#define VALUES     4   /* that an operand is kept with */
#define SIDES      2
#define VARIES     (VALUES + 1)

/* What an operand was; n is VARIES where that is too much to keep. */
struct seen {
	uint64_t v[VALUES];
	uint8_t n;
};

struct kept {
	uint64_t at, v;
};

struct dry {
	const struct cond *c;
	const struct cond_place *at;
	struct seen *seen; /* owned: SIDES of each instruction */
	size_t *first;     /* owned: of each function, in these */
	struct kept memory[MEMORY_MAX];
	size_t nmemory;
	uint32_t left, depth;
};

struct frame {
	const struct prog_function *f;
	uint64_t *v;   /* owned */
	bool *known;   /* owned: of each slot */
	bool *visited; /* owned: of each block */
	uint32_t pc;
};

static bool
get(const struct dry *d, const struct frame *fr, int32_t operand, uint64_t *ret)
{
	if (prog_is_constant(operand)) {
		*ret = d->c->p->constants[-operand - 1];
		return true;
	}
	*ret = fr->v[operand];
	return fr->known[operand];
}

static void
set(struct frame *fr, int32_t slot, bool known, uint64_t v)
{
	fr->known[slot] = known;
	fr->v[slot] = v;
}

/* ---- what operands are */

static void
note(struct seen *s, uint64_t v)
{
	for (uint8_t k = 0; k < s->n && k < VALUES; k++)
		if (s->v[k] == v)
			return;
	if (s->n < VALUES)
		s->v[s->n] = v;
	if (s->n < VARIES)
		s->n++;
}

static struct seen *
seen_of(const struct dry *d, const struct frame *fr, const struct prog_instr *i)
{
	size_t f = (size_t)(fr->f - d->c->p->functions);

	return &d->seen[(d->first[f] + (size_t)(i - fr->f->code)) * SIDES];
}

/* ---- memory */

static struct kept *
find_kept(struct dry *d, uint64_t at)
{
	for (size_t k = 0; k < d->nmemory; k++)
		if (d->memory[k].at == at)
			return &d->memory[k];
	return NULL;
}

static void
load(struct dry *d, struct frame *fr, const struct prog_instr *i)
{
	const struct program *p = d->c->p;
	uint64_t at, v = 0, bytes = i->bits / 8, offset;
	bool known = get(d, fr, i->a, &at);
	const struct kept *m = known ? find_kept(d, at) : NULL;

	offset = at - prog_pointer(PROG_CONSTANT, 0);
	if (known && at >> PROG_REGION_SHIFT == PROG_CONSTANT && bytes > 0 &&
	    bytes <= sizeof v && offset <= p->image_bytes &&
	    bytes <= p->image_bytes - offset)
		memcpy(&v, p->image + offset, bytes);
	else if (m)
		v = m->v & arith_mask(i->bits);
	else
		known = false;
	set(fr, i->dst, known, v);
}

static void
store(struct dry *d, struct frame *fr, const struct prog_instr *i)
{
	uint64_t at, v;
	bool known = get(d, fr, i->a, &v);
	struct kept *m;

	if (!get(d, fr, i->b, &at) || i->lanes > 1)
		return;
	m = find_kept(d, at);
	if (known && !m && d->nmemory < MEMORY_MAX)
		m = &d->memory[d->nmemory++];
	if (m && known)
		*m = (struct kept){ at, v };
	else if (m)
		*m = d->memory[--d->nmemory];
}

static void
address(const struct dry *d, struct frame *fr, const struct prog_instr *i)
{
	const struct prog_gep *g = &d->c->p->geps[i->aux];
	uint64_t p, index;
	bool known = get(d, fr, i->a, &p);

	p += g->offset;
	for (uint32_t k = 0; k < g->n; k++) {
		known &= get(d, fr, g->index[k], &index);
		p += (uint64_t)arith_extend(index, g->bits[k]) * g->stride[k];
	}
	set(fr, i->dst, known, p);
}

/* ---- arithmetic */

static uint64_t
real(enum prog_op op, uint64_t a, uint64_t b, uint32_t bits)
{
	double x = builtin_value(a, bits), y = builtin_value(b, bits);

	return builtin_to_bits(op == PROG_FADD ? x + y
	        : op == PROG_FSUB              ? x - y
	        : op == PROG_FMUL              ? x * y
	                                       : x / y,
	    bits);
}

static void
combine(const struct dry *d, struct frame *fr, const struct prog_instr *i,
    uint32_t lane)
{
	int32_t k = (int32_t)lane;
	int32_t a_at = prog_is_constant(i->a) ? i->a - k : i->a + k;
	int32_t b_at = prog_is_constant(i->b) ? i->b - k : i->b + k;
	bool is_cast = i->op >= PROG_TRUNC && i->op <= PROG_SITOFP;
	uint64_t a, b = 0, v = 0;
	bool known = get(d, fr, a_at, &a);

	if (!is_cast && i->op != PROG_FNEG)
		known &= get(d, fr, b_at, &b);
	if (!known || i->op == PROG_FCMP || i->op == PROG_FREM)
		known = false;
	else if (is_cast)
		v = arith_cast(i, a);
	else if (i->op == PROG_FNEG)
		v = a ^ (uint64_t)1 << (i->bits - 1);
	else if (i->op == PROG_ICMP)
		v = arith_compare_whole(i->aux, a, b, i->from_bits);
	else if (i->op >= PROG_FADD)
		v = real(i->op, a, b, i->bits);
	else
		v = arith_whole(i->op, a, b, i->bits);
	if (i->op != PROG_ICMP)
		v &= arith_mask(i->bits);
	set(fr, i->dst + k, known, v);
}

/* Who the item is, and what a few functions of whole numbers are. */
static void
ask(const struct dry *d, struct frame *fr, const struct prog_instr *i)
{
	const struct prog_call *call = &d->c->p->calls[i->aux];
	bool is_min = slice_is(call->plain, "min");
	enum cond_identity which;
	uint64_t a, b, v = 0;
	bool known = false;

	if (cond_asks(d->c, i, &which, &a)) {
		v = cond_identity(which, a, d->at);
		known = true;
	} else if (call->nargs >= 2 && call->types[0]->kind == PROG_INT &&
	    get(d, fr, call->args[0], &a) && get(d, fr, call->args[1], &b)) {
		known = is_min || slice_is(call->plain, "max") ||
		    slice_is(call->plain, "mul24");
		v = slice_is(call->plain, "mul24") ? a * b
		    : (a < b) == is_min            ? a
		                                   : b;
	}
	set(fr, i->dst, known, v & arith_mask(i->bits));
}

static void
pick(const struct dry *d, struct frame *fr, const struct prog_instr *i)
{
	uint64_t a, b, which;
	bool known;

	if (i->op == PROG_EXTRACT) {
		known = get(d, fr, i->b, &b) && !prog_is_constant(i->a) &&
		    get(d, fr, i->a + (int32_t)(b % i->from->slots), &a);
		set(fr, i->dst, known, known ? a : 0);
		return;
	}
	known = get(d, fr, i->c, &which);
	a = b = 0;
	if (known)
		known = which & 1 ? get(d, fr, i->a, &a) : get(d, fr, i->b, &b);
	set(fr, i->dst, known, which & 1 ? a : b);
}

/* ---- ways */

static void
go(struct dry *d, struct frame *fr, uint32_t e)
{
	const struct prog_function *f = fr->f;
	const struct prog_edge *edge = &f->edges[e];

	for (uint32_t k = 0; k < edge->n; k++) {
		const struct prog_move *m = &f->moves[edge->first + k];
		uint64_t v;
		bool known = get(d, fr, m->src, &v);

		for (uint32_t s = 0; s < m->slots; s++)
			set(fr, m->dst + (int32_t)s, known && m->slots == 1, v);
	}
	fr->visited[edge->to] = true;
	fr->pc = f->blocks[edge->to].first;
}

/* Where nothing tells: to where it has not been, else the last one. */
static uint32_t
any_way(const struct frame *fr, const uint32_t *edges, uint32_t n)
{
	uint32_t k = 0;

	while (k + 1 < n && fr->visited[fr->f->edges[edges[k]].to])
		k++;
	return edges[k];
}

static void
choose(struct dry *d, struct frame *fr, const struct prog_instr *i)
{
	const struct prog_switch *s;
	uint64_t v;
	bool known = get(d, fr, i->a, &v);
	uint32_t k = 0;

	if (i->op == PROG_BRANCH) {
		const uint32_t both[] = { i->aux, i->aux + 1 };

		go(d, fr, known ? both[!(v & 1)] : any_way(fr, both, 2));
		return;
	}
	s = &d->c->p->switches[i->aux];
	while (k < s->n && s->values[k] != v)
		k++;
	go(d, fr, known ? s->edges[k] : any_way(fr, s->edges, s->n + 1));
}

static bool follow(struct dry *d, const struct prog_function *f,
    const struct frame *caller, const struct prog_call *by, uint64_t *ret);

static void
call(struct dry *d, struct frame *fr, const struct prog_instr *i)
{
	const struct prog_call *call = &d->c->p->calls[i->aux];
	const struct prog_function *f = &d->c->p->functions[call->callee];
	uint64_t v = 0;
	bool known = false;

	if (f->is_candidates && d->depth < DEPTH_MAX)
		known = follow(d, f, fr, call, &v);
	for (uint32_t k = 0; k < i->lanes; k++)
		set(fr, i->dst + (int32_t)k, known && i->lanes == 1, v);
}

/* ---- an item */

static void
forget(struct frame *fr, const struct prog_instr *i)
{
	for (uint32_t k = 0; k < i->lanes && cond_has_result(i); k++)
		fr->known[i->dst + (int32_t)k] = false;
}

static void
execute(struct dry *d, struct frame *fr, const struct prog_instr *i)
{
	uint64_t v;
	bool known;

	if (i->op == PROG_MOVE) {
		for (int32_t k = 0; k < (int32_t)i->lanes; k++) {
			known = get(d, fr,
			    prog_is_constant(i->a) ? i->a - k : i->a + k, &v);
			set(fr, i->dst + k, known, v);
		}
	} else if (i->op == PROG_ALLOCA && !i->b) {
		/* Each call has its own; of the depths all are told apart. */
		set(fr, i->dst, true,
		    prog_pointer(PROG_PRIVATE,
		        i->aux + ((uint64_t)d->depth << 24)));
	} else if (i->op == PROG_JUMP) {
		go(d, fr, i->aux);
	} else if (i->op == PROG_BRANCH || i->op == PROG_SWITCH) {
		choose(d, fr, i);
	} else if (i->op == PROG_CALL) {
		call(d, fr, i);
	} else if (i->op == PROG_STORE) {
		store(d, fr, i);
	} else if (i->op >= PROG_ADD && i->op <= PROG_SITOFP &&
	    i->op != PROG_SELECT) {
		for (uint32_t k = 0; k < i->lanes; k++)
			combine(d, fr, i, k);
	} else if (i->op == PROG_LOAD && i->lanes == 1) {
		load(d, fr, i);
	} else if (i->op == PROG_GEP && i->lanes == 1) {
		address(d, fr, i);
	} else if (i->op == PROG_BUILTIN && i->lanes == 1) {
		ask(d, fr, i);
	} else if ((i->op == PROG_SELECT || i->op == PROG_EXTRACT) &&
	    i->lanes == 1) {
		pick(d, fr, i);
	} else {
		forget(fr, i);
	}
}

/* Factors, divisors, steps and what is compared with. */
static void
look_at(struct dry *d, const struct frame *fr, const struct prog_instr *i)
{
	struct seen *s = seen_of(d, fr, i);
	uint64_t v;

	if (i->lanes != 1 || i->bits < 8 ||
	    (i->op != PROG_ADD && i->op != PROG_SUB && i->op != PROG_MUL &&
	        i->op != PROG_ICMP &&
	        !(i->op >= PROG_UDIV && i->op <= PROG_SREM)))
		return;
	if ((i->op < PROG_UDIV || i->op == PROG_ICMP) && get(d, fr, i->a, &v))
		note(&s[0], v);
	if (get(d, fr, i->b, &v))
		note(&s[1], v);
}

static void
give_arguments(const struct dry *d, struct frame *fr,
    const struct frame *caller, const struct prog_call *by)
{
	for (uint32_t k = 0; k < fr->f->nparams; k++) {
		const struct prog_type *t = fr->f->types[k];
		int32_t to = fr->f->params[k];
		uint64_t v = 0;
		bool known = t->kind == PROG_INT || t->kind == PROG_FLOAT ||
		    t->kind == PROG_POINTER;

		if (by && known)
			known = get(d, caller, by->args[k], &v);
		else if (!by && k < MACHINE_ARGS_MAX && t->kind == PROG_INT)
			v = d->at->args[k];
		else
			known = false;
		set(fr, to, known, v);
	}
}

/* Is what it returns known?  caller, by: NULL for a kernel. */
static bool
follow(struct dry *d, const struct prog_function *f, const struct frame *caller,
    const struct prog_call *by, uint64_t *ret)
{
	struct frame fr = { .f = f,
		.v = xcalloc(f->slots + 1, sizeof *fr.v),
		.known = xcalloc(f->slots + 1, sizeof *fr.known),
		.visited = xcalloc(f->nblocks + 1, sizeof *fr.visited) };
	bool known = false;

	d->depth++;
	give_arguments(d, &fr, caller, by);
	while (d->left > 0) {
		const struct prog_instr *i = &f->code[fr.pc++];

		d->left--;
		if (i->op == PROG_RETURN && i->lanes == 1)
			known = get(d, &fr, i->a, ret);
		if (i->op == PROG_RETURN || i->op == PROG_UNREACHABLE)
			break;
		look_at(d, &fr, i);
		execute(d, &fr, i);
	}
	d->depth--;
	free(fr.v);
	free(fr.known);
	free(fr.visited);
	return known;
}

/* ---- what is the same in two launches */

static bool
has(const struct seen *s, uint64_t v)
{
	for (uint8_t k = 0; s->n < VARIES && k < s->n; k++)
		if (s->v[k] == v)
			return true;
	return false;
}

/* Of a sum or a comparison, which counters are in, one number alone. */
static bool
is_kept(const struct prog_instr *i, const struct seen *s)
{
	return s->n > 0 && s->n < VARIES && (i->op >= PROG_MUL || s->n == 1) &&
	    (i->op != PROG_ICMP || s->n == 1);
}

static size_t
collect(const struct dry *d, const struct seen *before, uint64_t *out, size_t n,
    size_t max)
{
	for (size_t f = 0; f < d->c->p->nfunctions; f++)
		for (uint32_t k = 0; k < d->c->p->functions[f].ncode; k++) {
			const struct prog_instr *i =
			    &d->c->p->functions[f].code[k];

			for (uint32_t s = 0; s < SIDES; s++) {
				size_t at = (d->first[f] + k) * SIDES + s;
				const struct seen *now = &d->seen[at];

				if (prog_is_constant(s ? i->b : i->a) ||
				    !is_kept(i, now))
					continue;
				for (uint8_t v = 0; v < now->n; v++)
					if (has(&before[at], now->v[v]))
						n = cond_add_once(out, n, max,
						    now->v[v]);
			}
		}
	return n;
}

size_t
cond_constants_made(const struct cond *c, const struct cond_place *at,
    size_t nplaces, uint64_t *out, size_t max)
{
	struct dry d = { .c = c };
	struct seen *before;
	size_t all = 0, n = 0;

	d.first = xcalloc(c->p->nfunctions + 1, sizeof *d.first);
	for (size_t f = 0; f < c->p->nfunctions; f++) {
		d.first[f] = all;
		all += c->p->functions[f].ncode;
	}
	d.seen = xcalloc(all * SIDES + 1, sizeof *d.seen);
	before = xcalloc(all * SIDES + 1, sizeof *before);
	for (size_t k = 0; k < nplaces; k++) {
		uint64_t none;

		d.at = &at[k];
		d.left = STEPS_MAX;
		d.nmemory = 0;
		memset(d.seen, 0, all * SIDES * sizeof *d.seen);
		follow(&d, &c->p->functions[c->kernel], NULL, NULL, &none);
		n = collect(&d, before, out, n, max);
		memcpy(before, d.seen, all * SIDES * sizeof *d.seen);
	}
	free(d.first);
	free(d.seen);
	free(before);
	return n;
}
