/*
 * Comparison is by output, case by case: the original's values are kept, a
 * mutant's are compared as the lab shows them.  A case without values (the
 * mutant crashed, or wrote where it must not) is a difference.
 *
 * A kernel with barriers runs a second time with its work items numbered
 * backwards: the CPU device runs items in order, and would hide that one
 * leans on another's work.
 */
#include "tests/proving/sorting.h"

#include "base/clock.h"
#include "base/mem.h"
#include "tests/proving/contract.h"
#include "tests/proving/witness.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One case as the original answers it. */
struct answer {
	struct op_instance of; /* without values: what a contract looks at */
	float *values;         /* owned; NULL: no answer */
	size_t n;
};

struct original {
	struct witness suite;
	struct answer answers[LAB_CASES_MAX];
};

/* A mutant beside its original, case by case. */
struct comparison {
	struct original *original;       /* borrowed */
	const struct contract *contract; /* borrowed */
	bool ran[LAB_CASES_MAX];         /* nothing ended the child before */
	bool equal[LAB_CASES_MAX];       /* the same values */
	bool matches[LAB_CASES_MAX];     /* as its contract means it */
};

struct court {
	const struct sorting *s;
	struct lab *lab;
	const struct kernel *kernel;
	bool has_barriers;
	struct original forward, backward;
};

/* What to judge by, and who is shown the outputs. */
struct hearing {
	const struct op *op;
	const struct candidate *candidate;
	uint32_t skip;
	bool early; /* ends with the holdouts; what comes later is not begun */
	void (*on_output)(const struct op_instance *, const float *, void *);
	void *arg;
};

#define ONLY_HOLDOUTS (~(1U << LAB_STAGE_HOLDOUTS))

static void
keep_output(const struct op_instance *in, const float *got, void *arg)
{
	struct original *o = arg;
	size_t i = witness_number(&o->suite, in->c);
	struct answer *a;

	if (i == SIZE_MAX)
		return;
	a = &o->answers[i];
	a->of = (struct op_instance){ .op = &o->suite.op,
		.c = in->c,
		.shape = in->shape };
	a->n = (size_t)in->out.rows * in->out.cols;
	free(a->values);
	a->values = xcalloc(a->n + 1, sizeof *a->values);
	memcpy(a->values, got, a->n * sizeof *got);
}

static void
compare_output(const struct op_instance *in, const float *got, void *arg)
{
	struct comparison *c = arg;
	size_t i = witness_number(&c->original->suite, in->c);
	const struct answer *a;

	if (i == SIZE_MAX)
		return;
	a = &c->original->answers[i];
	c->equal[i] = contract_matches(CONTRACT_EQUAL, a->n, got, a->values);
	c->matches[i] = c->equal[i] ||
	    contract_matches(c->contract->match, a->n, got, a->values);
}

/* The stage that refuses; false: none does. */
static bool
hear(const struct court *c, const struct hearing *h, struct lab_report *r,
    enum lab_stage *ret_killer)
{
	struct lab_request rq = { .op = h->op,
		.candidate = h->candidate,
		.upto = h->early ? LAB_STAGE_HOLDOUTS : LAB_NSTAGES - 1,
		.skip = h->skip,
		.seed = c->s->seed,
		.on_output = h->on_output,
		.arg = h->arg };

	lab_judge(c->lab, &rq, r);
	for (size_t i = 0; i < r->nstages; i++)
		if (r->stages[i].status == LAB_STAGE_FAILED) {
			*ret_killer = r->stages[i].stage;
			return true;
		}
	return false;
}

static void
backwards(const struct candidate *c, struct candidate *ret)
{
	*ret = *c;
	ret->source = witness_reverse(c->source);
}

static void
quote(struct finding *f, const struct lab_report *r)
{
	snprintf(f->class, sizeof f->class, "%s", r->class);
	snprintf(f->message, sizeof f->message, "%s", r->message);
}

/* ---- the known-good kernel */

static bool
answer_all(const struct court *c, struct original *o,
    const struct candidate *candidate, uint32_t skip, struct finding *f)
{
	struct hearing h = { .op = &o->suite.op,
		.candidate = candidate,
		.skip = skip,
		.on_output = keep_output,
		.arg = o };
	enum lab_stage killer;
	static struct lab_report r;

	witness_init(&o->suite, c->kernel->op);
	if (!hear(c, &h, &r, &killer) && r.verdict == LAB_VERIFIED_CORRECT)
		return true;
	quote(f, &r);
	return false;
}

static void
judge_kernel(struct court *c, struct finding *f)
{
	const struct candidate *good = &c->kernel->candidate;
	struct finding ignored = { 0 };
	struct candidate reversed;
	bool passed = answer_all(c, &c->forward, good, 0, f);

	if (passed && c->has_barriers) {
		backwards(good, &reversed);
		/* A device that gets it wrong backwards says nothing. */
		c->has_barriers = answer_all(c, &c->backward, &reversed,
		    ONLY_HOLDOUTS, &ignored);
		free(reversed.source);
	}
	f->fate = passed ? FATE_GOOD : FATE_REFUSED;
}

/* ---- a mutant */

static size_t
ncases(const struct comparison *c)
{
	return c->original->suite.op.nholdouts;
}

static void
see_which_ran(const struct lab_report *r, struct comparison *c)
{
	for (size_t k = 0; k < r->ncases; k++)
		for (size_t i = 0; i < ncases(c); i++)
			c->ran[i] |= r->cases[k].name ==
			    c->original->suite.cases[i].name;
}

/* Does it agree where its contract says so, and part where that may be? */
static void
hold_to_contract(const struct comparison *c, struct finding *f)
{
	f->kept = true;
	f->breach[0] = '\0';
	for (size_t i = 0; i < ncases(c); i++) {
		const struct op_instance *of = &c->original->answers[i].of;

		/* Of a case that the lab's machine judged in the device's
		 * place the original has no answer to compare with. */
		if (!c->ran[i] || !of->op)
			continue;
		if (c->contract->agrees(of) && !c->matches[i]) {
			f->kept = false;
			snprintf(f->breach, sizeof f->breach, "%s",
			    of->c->name);
		}
		if (c->contract->parts(of) && !c->equal[i])
			f->parted = true;
	}
}

static bool
is_equal_everywhere(const struct comparison *c)
{
	for (size_t i = 0; i < ncases(c); i++)
		if (!c->equal[i] && c->original->answers[i].of.op)
			return false;
	return true;
}

static bool
is_witness(const struct comparison *c, const char *name)
{
	for (size_t i = c->original->suite.nholdouts; i < ncases(c); i++)
		if (name == c->original->suite.cases[i].name)
			return true;
	return false;
}

/* Did a holdout fail, one of the operator's own or one that the seed draws
 * whatever the suite is, or only witnesses? */
static bool
failed_holdout(const struct comparison *c, const struct lab_report *r)
{
	for (size_t k = 0; k < r->ncases; k++)
		if (!r->cases[k].passed && !is_witness(c, r->cases[k].name))
			return true;
	return false;
}

static double
worst_ratio(const struct lab_report *r)
{
	double worst = 0;

	for (size_t i = 0; i < r->ncases; i++)
		worst = fmax(worst, r->cases[i].bound_ratio);
	return worst;
}

/* Do holdouts or witnesses refuse it, items in this order? */
static bool
is_wrong(const struct court *c, const struct candidate *mutant,
    struct comparison *cmp)
{
	struct hearing h = { .op = &cmp->original->suite.op,
		.candidate = mutant,
		.skip = ONLY_HOLDOUTS,
		.on_output = compare_output,
		.arg = cmp };
	enum lab_stage ignored;
	static struct lab_report r;
	bool refused = hear(c, &h, &r, &ignored);

	see_which_ran(&r, cmp);
	return refused;
}

/* One whose last bits differ from its original's forwards may differ in them
 * backwards as well. */
static bool
is_told_apart_backwards(struct court *c, const struct candidate *mutant,
    const struct comparison *forwards)
{
	struct comparison cmp = { .original = &c->backward,
		.contract = forwards->contract };
	struct candidate reversed;
	bool wrong;

	if (!c->has_barriers)
		return false;
	backwards(mutant, &reversed);
	wrong = is_wrong(c, &reversed, &cmp);
	free(reversed.source);
	return wrong ||
	    (is_equal_everywhere(forwards) && !is_equal_everywhere(&cmp));
}

/* Would no other stage refuse it?  Leave out the one that did, ask again; the
 * last one speaks when all others had nothing to say. */
static bool
is_sole_killer(const struct court *c, const struct candidate *mutant,
    enum lab_stage killer)
{
	struct hearing h = { .op = c->kernel->op,
		.candidate = mutant,
		.skip = 1U << killer };
	enum lab_stage ignored;
	static struct lab_report r;

	return killer == LAB_NSTAGES - 1 || !hear(c, &h, &r, &ignored);
}

/* Refused, by a stage other than the holdouts: is it wrong, as far as holdouts
 * and witnesses can see?  A race that was observed is wrong by itself, and so
 * is a look at memory that nobody wrote: what a device finds there is luck. */
static void
look_for_gap(struct court *c, const struct candidate *mutant,
    struct comparison *cmp, struct finding *f)
{
	if (is_wrong(c, mutant, cmp) || !is_equal_everywhere(cmp)) {
		hold_to_contract(cmp, f);
		return;
	}
	f->kept = true;
	f->in_order = is_told_apart_backwards(c, mutant, cmp);
	f->parted = f->in_order || strcmp(f->class, "race") == 0 ||
	    strcmp(f->class, "uninitialised") == 0 ||
	    strstr(f->message, "data race");
	f->gap = !f->parted;
}

/* Nothing refused it. */
static enum fate
sort_unrefused(struct court *c, const struct candidate *mutant,
    const struct comparison *cmp, struct finding *f)
{
	if (is_told_apart_backwards(c, mutant, cmp)) {
		f->in_order = f->parted = true;
		return FATE_SURVIVED;
	}
	return is_equal_everywhere(cmp) ? FATE_EQUIVALENT : FATE_ROUNDING;
}

/* Most mutants go no further than the holdouts: those meet them first, without
 * what later stages prepare, and only who passes meets everything. */
static bool
hear_early(const struct court *c, struct hearing *h, struct lab_report *r,
    enum lab_stage *ret_killer)
{
	h->early = true;
	if (hear(c, h, r, ret_killer) || r->smoke != 1)
		return true;
	h->early = false;
	return hear(c, h, r, ret_killer);
}

/* By the operator's own cases, no witness among them. */
static bool
is_refused(const struct court *c, const struct candidate *mutant,
    struct lab_report *r, enum lab_stage *ret_killer)
{
	struct hearing h = { .op = c->kernel->op, .candidate = mutant };

	return hear_early(c, &h, r, ret_killer);
}

static enum fate
sort_mutant(struct court *c, const struct candidate *mutant,
    struct comparison *cmp, struct finding *f)
{
	struct hearing h = { .op = &c->forward.suite.op,
		.candidate = mutant,
		.on_output = compare_output,
		.arg = cmp };
	static struct lab_report r;
	bool refused = hear_early(c, &h, &r, &f->killer);

	if (refused)
		quote(f, &r);
	if (r.smoke != 1)
		return FATE_LOUD;
	see_which_ran(&r, cmp);
	hold_to_contract(cmp, f);
	if (!refused) {
		f->ratio = worst_ratio(&r);
		return sort_unrefused(c, mutant, cmp, f);
	}
	if (f->killer != LAB_STAGE_HOLDOUTS) {
		look_for_gap(c, mutant, cmp, f);
		/* A guard that can never act is code that never ran: nothing
		 * is claimed of it, and nothing says that it is wrong. */
		if (f->gap && strcmp(f->class, "unproven") == 0) {
			f->gap = false;
			return FATE_EQUIVALENT;
		}
	} else if (!failed_holdout(cmp, &r)) {
		if (!is_refused(c, mutant, &r, &f->killer))
			return FATE_SURVIVED;
		quote(f, &r);
	}
	f->sole = c->s->sole && is_sole_killer(c, mutant, f->killer);
	return FATE_KILLED;
}

static void
judge_mutant(struct court *c, const struct mutant *m, struct finding *f)
{
	struct comparison cmp = { .original = &c->forward,
		.contract = contract_find(corrupt_at(m->operator)->name) };
	struct candidate mutant = { 0 };

	f->fate = FATE_LOUD;
	if (mutant_make(c->s->corpus, m, &mutant))
		f->fate = sort_mutant(c, &mutant, &cmp, f);
	candidate_done(&mutant);
}

static void
original_done(struct original *o)
{
	for (size_t i = 0; i < LAB_CASES_MAX; i++)
		free(o->answers[i].values);
}

void
sorting_kernel(const struct sorting *s, struct lab *lab, size_t kernel,
    void (*tell)(const struct finding *f, void *arg), void *arg)
{
	struct court *c = xcalloc(1, sizeof *c); /* too large for a stack */
	struct finding f = { .kernel = (uint32_t)kernel };
	uint64_t start_us = clock_mono_us();
	bool good;

	c->s = s;
	c->lab = lab;
	c->kernel = &s->corpus->items[kernel];
	c->has_barriers = strstr(c->kernel->text, "barrier(") != NULL;
	judge_kernel(c, &f);
	f.ms = (double)(clock_mono_us() - start_us) / 1e3;
	tell(&f, arg);
	good = f.fate == FATE_GOOD;
	for (size_t i = 0; good && i < s->mutants->n; i++) {
		if (s->mutants->items[i].kernel != kernel ||
		    (s->judged && s->judged[i]))
			continue;
		f = (struct finding){ .kernel = (uint32_t)kernel,
			.mutant = (uint32_t)i };
		start_us = clock_mono_us();
		judge_mutant(c, &s->mutants->items[i], &f);
		f.ms = (double)(clock_mono_us() - start_us) / 1e3;
		tell(&f, arg);
	}
	original_done(&c->forward);
	original_done(&c->backward);
	free(c);
}
