/*
 * One candidate before the judge: what the stages of lab_judge() share.
 * Private to lab/.
 *
 * A stage is one file stage_NAME.c and one row in judge.c.  It returns true
 * when the candidate may go on; otherwise it has called trial_fail().
 */
#ifndef LAB_TRIAL_H
#define LAB_TRIAL_H

#include "lab/lab.h"
#include "lab/order.h"
#include "lab/seed.h"
#include "lab/worker.h"

struct lab {
	struct lab_conf conf;
	struct zygote *zygote; /* owned */
	char *scratch;         /* owned */
};

/* A case with everything that the parent knows of it. */
struct trial_case {
	const struct op_case *c;
	struct op_instance *in; /* owned */
	enum err geometry_err;
	struct why geometry_why;
	struct order_geometry geometry;
	bool is_smoke; /* the smoke test: not by the bound, see ops/judge.h */
};

struct trial {
	struct lab *lab;
	const struct lab_request *rq;
	struct lab_report *r;
	struct seed seed;
	struct trial_case cases[LAB_CASES_MAX]; /* the smoke case first */
	size_t ncases;
	struct worker *workers[DTYPE_NDTYPES]; /* owned; one a storage type */
	char note[128]; /* a stage's remark, for its row in the report */
};

typedef bool stage_fn(struct trial *t);
stage_fn stage_text, stage_build, stage_smoke, stage_holdouts;

/* Draws the cases that will be needed and works out their geometry. */
void trial_init(struct trial *t, struct lab *l, const struct lab_request *rq,
    struct lab_report *r);
void trial_done(struct trial *t);

/* Records a verdict; the first one stays. */
void trial_fail(struct trial *t, enum lab_verdict v, const char *class,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Starts a child for a storage type and sends it the build; then waits for
 * its end.  false: trial_fail() was called. */
bool trial_build_start(struct trial *t, enum dtype dtype);
bool trial_build_await(struct trial *t, enum dtype dtype);

/*
 * Runs one case in the child of its storage type, judges it, and appends its
 * result to the report.  *ret_alive: the child can run another case.
 * false: the case failed and trial_fail() was called.
 */
bool trial_run(struct trial *t, struct trial_case *tc, bool *ret_alive);

/*
 * Builds and runs a kernel that is known to be good.  false: so does the lab
 * fail, and nothing may be said about the candidate.  *ret_features (may be
 * NULL): the sandbox of the child.
 */
bool control_passes(struct lab *l, uint32_t *ret_features);

#endif
