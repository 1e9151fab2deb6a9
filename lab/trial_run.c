/*
 * One case: pack, launch twice from two poisons, inspect, and only then
 * compute the reference and compare.
 *
 * Memory hygiene comes before values: a kernel that wrote where it must not
 * is told that, whatever else it computed.
 */
#include "lab/trial.h"

#include "base/mem.h"
#include "lab/geometry.h"
#include "lab/pack.h"
#include "ops/judge.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one case came to: NULL class when it passed. */
struct outcome {
	enum lab_verdict verdict;
	const char *class;
	char detail[WHY_MAX];
	bool alive; /* the child can go on */
	struct judge_result values;
};

static bool launch_both(struct trial *t, struct trial_case *tc,
    const struct pack *p, void **outputs, struct outcome *o);
static void judge_outputs(const struct trial *t, const struct trial_case *tc,
    const struct pack *p, void *const *outputs, struct outcome *o);
static void report_case(struct trial *t, const struct trial_case *tc,
    const struct outcome *o);

static void
set_outcome(struct outcome *o, enum lab_verdict v, const char *class,
    const char *detail)
{
	o->verdict = v;
	o->class = class;
	snprintf(o->detail, sizeof o->detail, "%s", detail);
}

bool
trial_run(struct trial *t, struct trial_case *tc, bool *ret_alive)
{
	struct outcome o = { .alive = true };
	void *outputs[PACK_NPOISONS];
	struct pack p;

	if (tc->geometry_err != ERR_OK) {
		set_outcome(&o, LAB_VERIFIED_INCORRECT, "launch",
		    tc->geometry_why.text);
	} else {
		pack_plan(tc->in, &p);
		if (launch_both(t, tc, &p, outputs, &o))
			judge_outputs(t, tc, &p, outputs, &o);
	}
	report_case(t, tc, &o);
	*ret_alive = o.alive;
	return !o.class;
}

static void
outcome_of_fault(const struct trial_case *tc, const struct order_answer *a,
    struct outcome *o)
{
	const struct op *op = tc->in->op;
	const char *name =
	    a->fault_arg < op->nargs ? op->args[a->fault_arg].name : "?";
	const char *what = a->fault_write ? "write" : "read";
	char detail[128];

	if (a->fault_area == FAULT_INPUT) {
		snprintf(detail, sizeof detail, "writes its input \"%s\"",
		    name);
		set_outcome(o, LAB_VERIFIED_INCORRECT, "input_write", detail);
	} else if (a->fault_area == FAULT_GUARD) {
		snprintf(detail, sizeof detail,
		    "a %s outside the buffer of \"%s\"", what, name);
		set_outcome(o, LAB_VERIFIED_INCORRECT, "out_of_bounds", detail);
	} else if (a->fault_area == FAULT_SYSTEM) {
		set_outcome(o, LAB_SANDBOX, "sandbox",
		    "a system call that the sandbox denies");
	} else {
		snprintf(detail, sizeof detail, "a %s at an invalid address",
		    what);
		set_outcome(o, LAB_CRASH, "crash", detail);
	}
}

/* true: the launch ran to its end. */
static bool
await_launch(struct trial *t, const struct trial_case *tc, struct outcome *o)
{
	struct worker *w = t->workers[tc->c->dtype];
	struct order_answer a;
	char text[128];
	enum worker_event event = worker_await(w, &a);

	if (event == WORKER_ANSWER && a.kind == ANSWER_RAN)
		return true;
	o->alive = false;
	if (event == WORKER_TIMEOUT) {
		snprintf(text, sizeof text, "still running after %u ms",
		    t->lab->conf.deadline_ms);
		set_outcome(o, LAB_TIMEOUT, "timeout", text);
	} else if (event == WORKER_DIED) {
		worker_describe_end(w, text, sizeof text);
		set_outcome(o, LAB_CRASH, "crash", text);
	} else if (a.kind == ANSWER_FAULT) {
		outcome_of_fault(tc, &a, o);
	} else if (a.kind == ANSWER_LAUNCH_ERROR) {
		set_outcome(o, LAB_RESOURCE, "resource", a.text);
	} else {
		set_outcome(o, LAB_SANDBOX, "sandbox",
		    "the child answers what it was not asked");
	}
	return false;
}

static bool
launch_both(struct trial *t, struct trial_case *tc, const struct pack *p,
    void **outputs, struct outcome *o)
{
	struct worker *w = t->workers[tc->c->dtype];
	struct order_launch launch;
	void *input, *output;
	struct why why;

	if (worker_arenas(w, p->input_bytes, PACK_NPOISONS * p->output_bytes,
	        &input, &output, &why) != ERR_OK) {
		set_outcome(o, LAB_ERROR, "lab_error", why.text);
		return false;
	}
	pack_inputs(tc->in, p, input);
	pack_launch(tc->in, p, &tc->geometry, &launch);
	for (int i = 0; i < PACK_NPOISONS; i++) {
		outputs[i] = (char *)output + (size_t)i * p->output_bytes;
		pack_poison(tc->in, p, (enum pack_poison)i, outputs[i]);
	}
	for (int i = 0; i < PACK_NPOISONS; i++) {
		if (geometry_is_empty(&tc->geometry))
			break;
		worker_launch(w, &launch, t->lab->conf.deadline_ms);
		if (!await_launch(t, tc, o))
			return false;
		launch.regions[tc->in->out_index].map_at += p->output_bytes;
		launch.regions[tc->in->out_index].data_at += p->output_bytes;
	}
	return true;
}

static void
compare_values(const struct trial_case *tc, const float *got, size_t n,
    struct outcome *o)
{
	double *y = xcalloc(n + 1, sizeof *y);
	double *bound = xcalloc(n + 1, sizeof *bound);

	tc->in->op->reference(tc->in, y, bound);
	judge_compare(tc->c->dtype, n, got, y, bound, &o->values);
	if (o->values.grade != JUDGE_VERIFIED &&
	    !(tc->is_smoke && judge_smoke(n, got, y)))
		set_outcome(o, LAB_VERIFIED_INCORRECT,
		    judge_grade_name(o->values.grade), "");
	free(y);
	free(bound);
}

static void
judge_outputs(const struct trial *t, const struct trial_case *tc,
    const struct pack *p, void *const *outputs, struct outcome *o)
{
	size_t n = (size_t)tc->in->out.rows * tc->in->out.cols;
	float *got = xcalloc(n + 1, sizeof *got);
	struct pack_finding f;
	char detail[128];

	pack_inspect(tc->in, p, outputs[PACK_POISON_A], outputs[PACK_POISON_B],
	    got, &f);
	if (f.out_of_bounds > 0) {
		set_outcome(o, LAB_VERIFIED_INCORRECT, "out_of_bounds",
		    "writes outside the elements of its output");
	} else if (f.unwritten > 0) {
		snprintf(detail, sizeof detail,
		    "%zu of %zu output elements were never written",
		    f.unwritten, n);
		set_outcome(o, LAB_VERIFIED_INCORRECT, "unwritten", detail);
	} else if (f.unequal > 0) {
		snprintf(detail, sizeof detail,
		    "%zu of %zu output elements differ between two launches",
		    f.unequal, n);
		set_outcome(o, LAB_VERIFIED_INCORRECT, "nondeterministic",
		    detail);
	} else {
		if (t->rq->on_output)
			t->rq->on_output(tc->in, got, t->rq->arg);
		compare_values(tc, got, n, o);
	}
	free(got);
}

/* "largest difference 0.53, about 10^4 times the error bound" */
static void
describe_values(const struct judge_result *v, char *out, size_t size)
{
	if (isinf(v->bound_ratio) || isnan(v->bound_ratio))
		snprintf(out, size,
		    "NaN or infinity where it must not be, or none where it "
		    "must");
	else
		snprintf(out, size,
		    "largest difference %.3g, about 10^%d times the error "
		    "bound",
		    v->max_abs_diff, (int)lround(log10(v->bound_ratio)));
}

static const char *
suspect_of(const struct trial_case *tc, const struct judge_result *v)
{
	if (v->grade == JUDGE_INACCURATE)
		return "an approximation, or a value rounded on the way?";
	return tc->in->op->suspect ? tc->in->op->suspect(tc->in) : NULL;
}

static void
report_failure(struct trial *t, const struct trial_case *tc,
    const struct outcome *o)
{
	bool first = t->r->class[0] == '\0';
	bool values = o->detail[0] == '\0';
	const char *suspect = NULL;
	char detail[WHY_MAX];

	snprintf(detail, sizeof detail, "%s", o->detail);
	if (values) {
		describe_values(&o->values, detail, sizeof detail);
		suspect = suspect_of(tc, &o->values);
	}
	trial_fail(t, o->verdict, o->class, "case \"%s\" (%s): %s: %s",
	    tc->c->name, dtype_name(tc->c->dtype), o->class, detail);
	if (first)
		snprintf(t->r->suspect, sizeof t->r->suspect, "%s",
		    suspect ? suspect : "");
}

static void
report_case(struct trial *t, const struct trial_case *tc,
    const struct outcome *o)
{
	struct lab_case_result *c = &t->r->cases[t->r->ncases++];

	*c = (struct lab_case_result){ .name = tc->c->name,
		.dtype = tc->c->dtype,
		.passed = !o->class,
		.max_abs_diff = o->values.max_abs_diff,
		.max_rel_diff = o->values.max_rel_diff,
		.bound_ratio = o->values.bound_ratio,
		.worst = o->values.worst };
	if (o->class)
		report_failure(t, tc, o);
}
