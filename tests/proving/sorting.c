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
	struct op op; /* its holdouts are the witness cases */
	struct answer answers[WITNESS_CASES_MAX];
};

/* A mutant beside its original. */
struct comparison {
	struct original *original;       /* borrowed */
	const struct contract *contract; /* borrowed */
	bool ran[WITNESS_CASES_MAX];     /* nothing ended the child before */
	bool equal[WITNESS_CASES_MAX];   /* the same values */
	bool matches[WITNESS_CASES_MAX]; /* as its contract means it */
};

struct court {
	const struct sorting *s;
	struct lab *lab;
	const struct kernel *kernel;
	bool has_barriers;
	struct original forward, backward;
};

static size_t
values_of(const struct op_instance *in)
{
	return (size_t)in->out.rows * in->out.cols;
}

static bool
witness_number(const struct original *o, const struct op_instance *in,
    size_t *ret)
{
	for (size_t i = 0; i < o->op.nholdouts; i++)
		if (in->c == &o->op.holdouts[i]) {
			*ret = i;
			return true;
		}
	return false; /* the smoke case */
}

static void
keep_output(const struct op_instance *in, const float *got, void *arg)
{
	struct original *o = arg;
	struct answer *a;
	size_t i;

	if (!witness_number(o, in, &i))
		return;
	a = &o->answers[i];
	a->of = (struct op_instance){ .op = &o->op,
		.c = in->c,
		.shape = in->shape };
	a->n = values_of(in);
	a->values = xcalloc(a->n + 1, sizeof *a->values);
	memcpy(a->values, got, a->n * sizeof *got);
}

static void
compare_output(const struct op_instance *in, const float *got, void *arg)
{
	struct comparison *c = arg;
	const struct answer *a;
	size_t i;

	if (!witness_number(c->original, in, &i))
		return;
	a = &c->original->answers[i];
	c->equal[i] = contract_matches(CONTRACT_EQUAL, a->n, got, a->values);
	c->matches[i] = c->equal[i] ||
	    contract_matches(c->contract->match, a->n, got, a->values);
}

/* Judges by witness cases only, showing outputs to on_output. */
static void
judge_witness(const struct court *c, const struct original *o,
    const struct candidate *candidate,
    void (*on_output)(const struct op_instance *, const float *, void *),
    void *arg, struct lab_report *r)
{
	struct lab_request rq = { .op = &o->op,
		.candidate = candidate,
		.upto = LAB_STAGE_HOLDOUTS,
		.skip = ~(1U << LAB_STAGE_HOLDOUTS),
		.seed = c->s->seed,
		.on_output = on_output,
		.arg = arg };

	lab_judge(c->lab, &rq, r);
}

static bool
failing_stage(const struct lab_report *r, enum lab_stage *ret)
{
	for (size_t i = 0; i < r->nstages; i++)
		if (r->stages[i].status == LAB_STAGE_FAILED) {
			*ret = r->stages[i].stage;
			return true;
		}
	return false;
}

/* The verifier's word; true: it refuses. */
static bool
is_refused(const struct court *c, const struct candidate *candidate,
    uint32_t skip, struct lab_report *r)
{
	struct lab_request rq = { .op = c->kernel->op,
		.candidate = candidate,
		.upto = LAB_NSTAGES - 1,
		.skip = skip,
		.seed = c->s->seed };
	enum lab_stage ignored;

	lab_judge(c->lab, &rq, r);
	return failing_stage(r, &ignored);
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
answer_witness(const struct court *c, struct original *o,
    const struct candidate *candidate, struct finding *f)
{
	struct lab_report r;

	witness_op(c->kernel->op, &o->op);
	judge_witness(c, o, candidate, keep_output, o, &r);
	if (r.verdict == LAB_VERIFIED_CORRECT)
		return true;
	quote(f, &r);
	return false;
}

static void
judge_kernel(struct court *c, struct finding *f)
{
	const struct candidate *good = &c->kernel->candidate;
	struct candidate reversed;
	struct lab_report r;
	bool passed;

	passed = !is_refused(c, good, 0, &r);
	if (!passed)
		quote(f, &r);
	passed = answer_witness(c, &c->forward, good, f) && passed;
	if (c->has_barriers) {
		backwards(good, &reversed);
		passed =
		    answer_witness(c, &c->backward, &reversed, f) && passed;
		free(reversed.source);
	}
	f->fate = passed ? FATE_GOOD : FATE_REFUSED;
}

/* ---- a mutant */

/* Does it keep to its contract?  unequal: some witness tells it apart. */
static void
hold_to_contract(const struct comparison *c, struct finding *f)
{
	const struct original *o = c->original;

	f->kept = true;
	for (size_t i = 0; i < o->op.nholdouts; i++) {
		const struct op_instance *of = &o->answers[i].of;

		if (!c->ran[i])
			continue;
		if (c->contract->agrees(of) && !c->matches[i])
			f->kept = false;
		if (c->contract->parts(of) && !c->equal[i])
			f->parted = true;
	}
}

static bool
is_equal_everywhere(const struct comparison *c)
{
	for (size_t i = 0; i < c->original->op.nholdouts; i++)
		if (!c->equal[i])
			return false;
	return true;
}

static double
worst_ratio(const struct lab_report *r)
{
	double worst = 0;

	for (size_t i = 0; i < r->ncases; i++)
		worst = fmax(worst, r->cases[i].bound_ratio);
	return worst;
}

static void
see_which_ran(const struct lab_report *r, struct comparison *c)
{
	for (size_t k = 0; k < r->ncases; k++)
		for (size_t i = 0; i < c->original->op.nholdouts; i++)
			c->ran[i] |= r->cases[k].name ==
			    c->original->op.holdouts[i].name;
}

/* What the witnesses say, in one order of work items. */
static enum fate
sort_in_order(const struct court *c, const struct candidate *mutant,
    struct comparison *cmp, struct finding *f)
{
	struct lab_report r;

	judge_witness(c, cmp->original, mutant, compare_output, cmp, &r);
	if (r.smoke != 1) {
		quote(f, &r);
		return FATE_LOUD;
	}
	see_which_ran(&r, cmp);
	f->ratio = worst_ratio(&r);
	if (r.verdict != LAB_VERIFIED_CORRECT)
		return FATE_SURVIVED; /* until the verifier has spoken */
	return is_equal_everywhere(cmp) ? FATE_EQUIVALENT : FATE_ROUNDING;
}

static enum fate
sort_mutant(struct court *c, const struct candidate *mutant,
    const struct contract *contract, struct finding *f)
{
	struct comparison cmp = { .original = &c->forward,
		.contract = contract };
	enum fate fate = sort_in_order(c, mutant, &cmp, f);
	struct candidate reversed;

	hold_to_contract(&cmp, f);
	if (fate == FATE_LOUD || fate == FATE_SURVIVED || !c->has_barriers)
		return fate;
	backwards(mutant, &reversed);
	cmp = (struct comparison){ .original = &c->backward,
		.contract = contract };
	if (sort_in_order(c, &reversed, &cmp, f) != FATE_EQUIVALENT) {
		fate = FATE_SURVIVED;
		f->in_order = f->parted = true;
	}
	free(reversed.source);
	return fate;
}

/* Every stage that would refuse it: leave out the one that does, ask again. */
static void
find_killers(const struct court *c, const struct candidate *mutant,
    struct finding *f)
{
	uint32_t all = 0;
	enum lab_stage killer = f->killer;
	struct lab_report r;

	for (int i = LAB_STAGE_SMOKE + 1; i < LAB_NSTAGES; i++)
		all |= 1U << i;
	f->killers = 1U << killer;
	while (c->s->all_killers && killer > LAB_STAGE_SMOKE &&
	    (all & ~f->killers) != 0 && is_refused(c, mutant, f->killers, &r)) {
		failing_stage(&r, &killer);
		f->killers |= 1U << killer;
	}
}

static void
judge_mutant(struct court *c, const struct mutant *m, struct finding *f)
{
	const struct contract *contract =
	    contract_find(corrupt_at(m->operator)->name);
	struct candidate mutant = { 0 };
	struct lab_report r;

	f->fate = FATE_LOUD;
	if (!mutant_make(c->s->corpus, m, &mutant))
		return;
	f->fate = sort_mutant(c, &mutant, contract, f);
	if (f->fate != FATE_LOUD && is_refused(c, &mutant, 0, &r)) {
		quote(f, &r);
		failing_stage(&r, &f->killer);
		f->gap = f->fate != FATE_SURVIVED;
		f->fate = FATE_KILLED;
		find_killers(c, &mutant, f);
	}
	candidate_done(&mutant);
}

static void
original_done(struct original *o)
{
	for (size_t i = 0; i < WITNESS_CASES_MAX; i++)
		free(o->answers[i].values);
}

void
sorting_kernel(const struct sorting *s, struct lab *lab, size_t kernel,
    void (*tell)(const struct finding *f, void *arg), void *arg)
{
	struct court c = { .s = s,
		.lab = lab,
		.kernel = &s->corpus->items[kernel] };
	struct finding f = { .kernel = (uint32_t)kernel };
	uint64_t start_us = clock_mono_us();
	bool good;

	c.has_barriers = strstr(c.kernel->text, "barrier(") != NULL;
	judge_kernel(&c, &f);
	f.ms = (double)(clock_mono_us() - start_us) / 1e3;
	tell(&f, arg);
	good = f.fate == FATE_GOOD;
	for (size_t i = 0; good && i < s->mutants->n; i++) {
		if (s->mutants->items[i].kernel != kernel)
			continue;
		f = (struct finding){ .kernel = (uint32_t)kernel,
			.mutant = (uint32_t)i };
		start_us = clock_mono_us();
		judge_mutant(&c, &s->mutants->items[i], &f);
		f.ms = (double)(clock_mono_us() - start_us) / 1e3;
		tell(&f, arg);
	}
	original_done(&c.forward);
	original_done(&c.backward);
}
