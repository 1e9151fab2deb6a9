/*
 * One case before the judge: launch, compare with the reference, report.
 *
 * The reference is computed after the candidate has run, here in the parent:
 * expected values never exist where candidate code could look.
 */
#include "lab/stages/trial_run.h"

#include "base/mem.h"
#include "lab/run/child_handle.h"
#include "lab/stages/device_fallback.h"
#include "lab/stages/heavy_turn.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void report_case(struct trial *t, const struct trial_case *tc,
    const struct trial_outcome *o);

/* Elements of an input and output from which on a case takes tens of megabytes
 * while it is looked at. */
#define LARGE_ELEMENTS ((uint64_t)1 << 19)
/* Of an output whose pages are worth giving back. */
#define WIDE_ELEMENTS ((size_t)1 << 16)

/* Small integers, every sum of them exact: nothing may differ. */
static void
compare_exact(const struct trial_case *tc, const float *got, const double *y,
    struct trial_outcome *o)
{
	size_t n = (size_t)tc->in->out.rows * tc->in->out.cols, wrong = 0;
	char detail[128];

	for (size_t i = 0; i < n; i++)
		wrong += got[i] != dtype_round(tc->c->dtype, (float)y[i]);
	if (wrong == 0)
		return;
	snprintf(detail, sizeof detail,
	    "%zu of %zu elements are not exact, the largest difference is %.3g",
	    wrong, n, o->values.max_abs_diff);
	trial_set_outcome(o, LAB_VERIFIED_INCORRECT, "wrong", detail);
}

/* spread: NULL, or where the errors are added to. */
static void
compare(const struct trial_case *tc, const float *got, struct spread *spread,
    struct trial_outcome *o)
{
	struct judge_want want;

	op_instance_hold(tc->in);
	judge_want_init(&want, tc->in);
	judge_compare(&want, got, &o->values);
	if (want.n > 0) {
		o->is_compared = true;
		o->got = (double)got[o->values.worst];
		o->want = want.y[o->values.worst];
	}
	if (tc->group == TRIAL_EXACT)
		compare_exact(tc, got, want.y, o);
	else if (o->values.grade != JUDGE_VERIFIED)
		trial_set_outcome(o, LAB_VERIFIED_INCORRECT,
		    judge_grade_name(o->values.grade), "");
	if (tc->group == TRIAL_SMOKE && o->class &&
	    judge_smoke(want.n, got, want.y))
		o->class = NULL;
	if (spread && !o->class)
		spread_add(spread, tc->in, &want, got);
	judge_want_done(&want);
	op_instance_release(tc->in);
}

void
trial_compare(const struct trial_case *tc, const float *got,
    struct trial_outcome *o)
{
	compare(tc, got, NULL, o);
}

void
trial_compare_first(struct trial *t, const struct trial_case *tc,
    const float *got, struct trial_outcome *o)
{
	bool is_pooled = tc->group == TRIAL_HOLDOUT ||
	    tc->group == TRIAL_ARRAY || tc->is_pooled;

	compare(tc, got, is_pooled ? &t->spreads[tc->c->dtype] : NULL, o);
}

static void
run_held(struct trial *t, struct trial_case *tc, bool once,
    struct trial_outcome *o)
{
	const struct trial_launch where = { .worker = t->workers[tc->c->dtype],
		.once = once };
	size_t n = (size_t)tc->in->out.rows * tc->in->out.cols;

	free(tc->got);
	tc->got = xcalloc(n + 1, sizeof *tc->got);
	if (trial_launch(t, &where, tc, tc->got, o)) {
		if (t->rq->on_output)
			t->rq->on_output(tc->in, tc->got, t->rq->arg);
		trial_compare_first(t, tc, tc->got, o);
	}
	if (o->class && fallback_acquits(t, tc, o))
		*o = (struct trial_outcome){ .alive = true };
	else if (o->class)
		fallback_names(t, tc, o);
}

static void
give_output_back(const struct trial *t, const struct trial_case *tc)
{
	struct child_handle *w = t->workers[tc->c->dtype];

	if (w)
		child_handle_trim(w);
}

static void
run(struct trial *t, struct trial_case *tc, bool once, struct trial_outcome *o)
{
	size_t out = (size_t)tc->in->out.rows * tc->in->out.cols;
	bool is_large = tc->group == TRIAL_ARRAY &&
	    trial_elements(tc->in) >= LARGE_ELEMENTS;

	if (is_large)
		heavy_turn_take();
	/* Drawn once for the launch, the judgement and what may follow. */
	op_instance_hold(tc->in);
	run_held(t, tc, once, o);
	op_instance_release(tc->in);
	if (!trial_keeps_output(tc)) {
		free(tc->got);
		tc->got = NULL;
	}
	if (is_large || out > WIDE_ELEMENTS)
		give_output_back(t, tc);
	if (is_large)
		heavy_turn_end();
	trial_step(t);
}

bool
trial_run(struct trial *t, struct trial_case *tc, bool *ret_alive)
{
	struct trial_outcome o;

	run(t, tc, false, &o);
	report_case(t, tc, &o);
	*ret_alive = o.alive;
	return !o.class;
}

bool
trial_run_quietly(struct trial *t, struct trial_case *tc)
{
	struct trial_outcome o;

	run(t, tc, true, &o);
	if (o.class)
		report_case(t, tc, &o);
	return !o.class;
}

/* "largest difference 0.53, about 10^4 times the error bound" */
static void
describe_values(const struct judge_result *v, char *out, size_t size)
{
	if (isinf(v->bound_ratio) || isnan(v->bound_ratio))
		snprintf(out, size,
		    "NaN or infinity where it must not be, or none where it "
		    "must; what lies beside the rows may be either");
	else
		snprintf(out, size,
		    "largest difference %.3g, about 10^%d times the error "
		    "bound",
		    v->max_abs_diff, (int)lround(log10(v->bound_ratio)));
}

static void
say_failure(struct trial *t, const struct trial_case *tc,
    const struct trial_outcome *o)
{
	char detail[WHY_MAX];

	snprintf(detail, sizeof detail, "%s", o->detail);
	if (detail[0] == '\0')
		describe_values(&o->values, detail, sizeof detail);
	trial_fail(t, o->verdict, o->class, "case \"%s\" (%s): %s: %s",
	    tc->c->name, dtype_name(tc->c->dtype), o->class, detail);
}

static void
add_case(struct trial *t, const struct trial_case *tc,
    const struct trial_outcome *o)
{
	struct lab_case_result *c = &t->r->cases[t->r->ncases];

	if (t->r->ncases == COUNT(t->r->cases))
		return;
	t->r->ncases++;
	*c = (struct lab_case_result){ .name = tc->c->name,
		.dtype = tc->c->dtype,
		.passed = !o->class,
		.max_abs_diff = o->values.max_abs_diff,
		.max_rel_diff = o->values.max_rel_diff,
		.bound_ratio = o->values.bound_ratio,
		.worst = o->values.worst,
		.shape = tc->in->shape,
		.out_cols = tc->in->out.cols,
		.is_compared = o->is_compared,
		.got = o->got,
		.want = o->want };
	memcpy(c->errors, o->values.errors, sizeof c->errors);
}

/* Once a verdict stands, another failure is not what it rests on. */
void
trial_fail_case(struct trial *t, const struct trial_case *tc,
    const struct trial_outcome *o)
{
	if (t->r->class[0] == '\0')
		add_case(t, tc, o);
	say_failure(t, tc, o);
}

static void
report_case(struct trial *t, const struct trial_case *tc,
    const struct trial_outcome *o)
{
	add_case(t, tc, o);
	t->evidence[t->nevidence++] = (struct cause_case){ .in = tc->in,
		.sign = cause_sign_of(o->class, &o->values) };
	if (o->class)
		say_failure(t, tc, o);
}

bool
trial_errors_are_float32(struct trial *t)
{
	for (int d = 0; d < DTYPE_NDTYPES; d++) {
		double factor;
		uint32_t length;

		if (spread_is_float32(&t->spreads[d], &factor, &length))
			continue;
		trial_fail(t, LAB_VERIFIED_INCORRECT, "inaccurate",
		    "%s: within the error bound, but over all cases with sums "
		    "of %u terms and more errors are %.3g times those of "
		    "float32 arithmetic",
		    dtype_name((enum dtype)d), length, factor);
		return false;
	}
	return true;
}
