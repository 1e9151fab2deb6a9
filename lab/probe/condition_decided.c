/*
 * Loops that constants alone decide: a tree over 64, 32, ..., 1 goes round as
 * often in each launch, and nothing is told by counting it.
 *
 * All that is ever given to a variable of the test counts, and whether it is
 * given in every round, or on every way to the loop: what a branch chooses is
 * decided by what decides the branch.
 */
#include "lab/probe/builtin.h"
#include "lab/probe/condition_loops.h"

#define SEEN_MAX  64
#define DEPTH_MAX 24
#define LOOKS_MAX 2000

struct look {
	const struct cond *c;
	const struct cond_loop *l;
	const bool *is_fixed; /* local sizes */
	struct cond_value seen[SEEN_MAX];
	size_t nseen;
	uint32_t left; /* what may be looked at still */
};

static bool is_constant(struct look *k, struct cond_value v, int depth);

/* Does each way to the loop, or each round of it or of one around it, come
 * through a block? */
static bool
is_sure(const struct look *k, uint32_t block)
{
	const struct cond_function *cf = &k->c->functions[k->l->f];
	const struct prog_function *f = &k->c->p->functions[k->l->f];

	for (const struct cond_loop *l = k->l; l; l = l->around) {
		bool is = l->in[block];

		for (uint32_t e = 0; is && e < f->nedges; e++)
			if (f->edges[e].to == l->head &&
			    l->in[f->edges[e].from])
				is = cond_stands_before(cf, block,
				    f->edges[e].from);
		if (is)
			return true;
	}
	return cond_stands_before(cf, block, k->l->head);
}

/* A variable: all that is given to it. */
static bool
is_always_constant(struct look *k, struct cond_value v, int depth)
{
	const struct prog_function *f = &k->c->p->functions[v.f];

	for (size_t i = 0; i < k->nseen; i++)
		if (k->seen[i].f == v.f && k->seen[i].v == v.v)
			return true;
	if (k->nseen == SEEN_MAX || v.f != k->l->f)
		return false;
	k->seen[k->nseen++] = v;
	for (uint32_t i = 0; i < f->nmoves; i++)
		if (v.v >= f->moves[i].dst &&
		    v.v < f->moves[i].dst + (int32_t)f->moves[i].slots)
			return false;
	for (uint32_t i = 0; i < f->ncode; i++) {
		const struct prog_instr *in = &f->code[i];

		if (!cond_has_result(in) || (in->op == PROG_ALLOCA && in->b) ||
		    v.v < in->dst || v.v >= in->dst + (int32_t)in->lanes)
			continue;
		if (in->op != PROG_MOVE || in->lanes != 1 ||
		    !is_sure(k, k->c->functions[v.f].block[i]) ||
		    !is_constant(k, (struct cond_value){ v.f, in->a }, depth))
			return false;
	}
	return true;
}

/* A parameter of a function that is called in several places. */
static bool
is_constant_wherever_called(struct look *k, struct cond_value v, int depth)
{
	const struct program *p = k->c->p;
	int32_t param = k->c->functions[v.f].param[v.v];

	if (v.f == k->c->kernel || param < 0)
		return false;
	for (uint32_t f = 0; f < p->nfunctions; f++)
		for (uint32_t i = 0; i < p->functions[f].ncode; i++) {
			const struct prog_instr *in = &p->functions[f].code[i];

			if (in->op == PROG_CALL &&
			    p->calls[in->aux].callee == v.f &&
			    !is_constant(k,
			        (struct cond_value){ f,
			            p->calls[in->aux].args[param] },
			        depth))
				return false;
		}
	return true;
}

static bool
is_built_in_constant(struct look *k, uint32_t f, const struct prog_instr *i,
    int depth)
{
	const struct prog_call *call = &k->c->p->calls[i->aux];
	enum cond_identity which;
	uint64_t d;

	if (cond_asks(k->c, i, &which, &d))
		return which == COND_LOCAL_SIZE && k->is_fixed[d];
	if (call->nargs == 0 || !call->known || call->known->is_atomic)
		return false;
	for (uint32_t a = 0; a < call->nargs; a++)
		if (call->types[a]->kind == PROG_POINTER ||
		    !is_constant(k, (struct cond_value){ f, call->args[a] },
		        depth))
			return false;
	return !slice_begins(call->plain, "get_");
}

static bool
is_constant(struct look *k, struct cond_value v, int depth)
{
	const struct prog_instr *i;

	v = cond_resolve(k->c, v);
	if (prog_is_constant(v.v))
		return true;
	i = cond_maker(k->c, v);
	if (depth == 0 || k->left == 0)
		return false;
	depth--;
	k->left--;
	if (!i && k->c->functions[v.f].param[v.v] >= 0)
		return is_constant_wherever_called(k, v, depth);
	if (!i)
		return is_always_constant(k, v, depth);
	if (i->op == PROG_BUILTIN)
		return is_built_in_constant(k, v.f, i, depth);
	if (i->op != PROG_MOVE && (i->op < PROG_ADD || i->op > PROG_SITOFP))
		return false;
	if (!is_constant(k, (struct cond_value){ v.f, i->a }, depth))
		return false;
	if (i->op >= PROG_TRUNC || i->op == PROG_FNEG || i->op == PROG_MOVE)
		return true;
	return is_constant(k, (struct cond_value){ v.f, i->b }, depth) &&
	    (i->op != PROG_SELECT ||
	        is_constant(k, (struct cond_value){ v.f, i->c }, depth));
}

bool
cond_constants_decide(const struct cond *c, size_t point, const bool *is_fixed)
{
	struct look k = { .c = c,
		.l = cond_loop_of(c, point),
		.is_fixed = is_fixed,
		.left = LOOKS_MAX };
	const struct prog_function *f;

	if (!k.l)
		return false;
	f = &c->p->functions[k.l->f];
	for (uint32_t e = 0; e < f->nedges; e++) {
		const struct prog_block *b = &f->blocks[f->edges[e].from];
		const struct prog_instr *last = &f->code[b->first + b->n - 1];

		if (!k.l->in[f->edges[e].from] || k.l->in[f->edges[e].to] ||
		    last->op == PROG_JUMP)
			continue;
		k.nseen = 0;
		if (!is_constant(&k, (struct cond_value){ k.l->f, last->a },
		        DEPTH_MAX))
			return false;
	}
	return true;
}
