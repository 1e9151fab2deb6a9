/*
 * One candidate before the judge: what the stages of lab_judge() share.
 * Private to lab/.
 *
 * A stage is one file stage_NAME.c and one row in stage_table.c.  It returns
 * true when the candidate may go on; otherwise it has called trial_fail(). What
 * a stage needs and can be made beside other work is begun by its start
 * function; trial_done() ends whatever is under way.
 */
#ifndef LAB_TRIAL_H
#define LAB_TRIAL_H

#include "lab/read/prelude.h"
#include "lab/read/text_depends.h"
#include "lab/run/child_handle.h"
#include "lab/run/order.h"
#include "lab/run/pack.h"
#include "lab/run/tool.h"
#include "lab/stages/request.h"
#include "lab/stages/seed.h"
#include "ops/array.h"
#include "ops/judge.h"
#include "ops/relation.h"
#include "ops/shapes.h"
#include "ops/suspect_cause.h"

struct lab {
	struct lab_conf conf;
	struct zygote *zygote; /* owned */
	struct zygote *tools;  /* owned */
	char *scratch;         /* owned */
	int scratch_fd;        /* its lock */
	char *clang;           /* owned; NULL: not installed */
	char *oclgrind;        /* owned; NULL: not installed */
};

/* Which stage a case is for. */
enum trial_group {
	TRIAL_SMOKE, /* looked at as by eye, see ops/judge.h */
	TRIAL_EXACT,
	TRIAL_HOLDOUT,
	TRIAL_ARRAY,     /* holdouts of the covering array, see ops/array.h */
	TRIAL_SIMULATED, /* for Oclgrind alone */
	TRIAL_RELATION,  /* the undisclosed shapes, and the first's variations
	                  */
	TRIAL_SOUGHT,    /* for code that has not run yet: see seek.h */
};

#define TRIAL_CASES_MAX (LAB_CASES_MAX + LAB_OTHERS_MAX + ARRAY_CASES_MAX)
#define TRIAL_LANES_MAX DTYPE_NDTYPES

/* Shapes that are launched on the device as well, and all that are sought. */
#define TRIAL_SOUGHT_MAX 96

struct lane;
struct cover;

/* A case with everything that the parent knows of it. */
struct trial_case {
	enum trial_group group;
	const struct op_case *c;
	const struct op_relation *relation; /* of a variation; borrowed */
	struct op_instance *in;             /* owned */
	enum err geometry_err;
	struct why geometry_why;
	struct order_geometry geometry;
	float *got; /* owned: what it came out as, packed; NULL: not run */
};

struct trial {
	struct lab *lab;
	const struct lab_request *rq;
	struct lab_report *r;
	struct seed seed;
	unsigned
	    depends; /* enum text_depends: what the candidate's text can see */
	struct op_case tiny[DTYPE_NDTYPES];          /* of TRIAL_SIMULATED */
	struct op_case undisclosed[SHAPES_NCLASSES]; /* of TRIAL_RELATION */
	struct array *array;                         /* owned; of TRIAL_ARRAY */
	struct trial_case cases[TRIAL_CASES_MAX];    /* the smoke case first */
	size_t ncases;
	size_t align; /* what the candidate asks of a buffer's address */
	/* What is compiled, a storage type each: expanded where clang is there,
	 * else the candidate's text behind its prelude.  Owned. */
	char *texts[DTYPE_NDTYPES];
	struct tool *lowered[DTYPE_NDTYPES];   /* owned; stage_ir's */
	struct tool *simulated[DTYPE_NDTYPES]; /* owned; stage_oclgrind's */
	struct child_handle
	    *workers[DTYPE_NDTYPES];         /* owned; one a storage type */
	struct lane *replays[DTYPE_NDTYPES]; /* stage_replay's */
	struct lane *lanes[TRIAL_LANES_MAX]; /* owned: all of these */
	size_t nlanes;
	struct cover *covers[DTYPE_NDTYPES]; /* owned; stage_coverage's */
	/* Owned: in the device's place, see fallback.h. */
	struct cover *fallbacks[DTYPE_NDTYPES];
	bool doubted[DTYPE_NDTYPES]; /* asked for already */
	unsigned nparts;             /* their launches that were run in part */
	struct op_case sought[TRIAL_SOUGHT_MAX];
	size_t nsought;
	/* What the cases that were judged came out as, in their order. */
	struct cause_case evidence[TRIAL_CASES_MAX];
	size_t nevidence;
	bool skipped;   /* the running stage skips itself; note says why */
	char note[128]; /* a stage's remark, for its row in the report */
};

typedef bool stage_fn(struct trial *t);
typedef void stage_start_fn(struct trial *t);
stage_fn stage_text, stage_ir, stage_build, stage_smoke, stage_exact,
    stage_holdouts, stage_oclgrind, stage_replay, stage_schedule,
    stage_relations, stage_coverage;
stage_start_fn stage_ir_start, stage_oclgrind_start, stage_build_start,
    stage_schedule_plan, stage_schedule_start, stage_replay_start,
    stage_coverage_plan;

/* Draws the cases that will be needed and works out their geometry. */
void trial_init(struct trial *t, struct lab *l, const struct lab_request *rq,
    struct lab_report *r);
void trial_done(struct trial *t);
/* Is this stage asked for? */
bool trial_wants(const struct trial *t, enum lab_stage s);

/* A case of a shape that was sought; NULL: there are enough.  Until a build
 * starts, it is launched on the device too. */
struct trial_case *trial_seek(struct trial *t, const struct op_shape *shape,
    enum dtype dtype, enum op_data data);

/* Does it run in every build, not in the first alone? */
bool trial_is_run_again(const struct trial_case *tc);
/* Does any case need this storage type? */
bool trial_needs(const struct trial *t, enum dtype dtype);
/* Is it looked at by itself where one type is enough for most kernels? */
bool trial_looks_at(const struct trial *t, enum dtype dtype);

/* Elements of all tensors, a product's counted as its work. */
uint64_t trial_elements(const struct op_instance *in);
/* Work items of a launch; where they are fewer than the rows, a group a row. */
uint64_t trial_work(const struct op *op, const struct op_shape *s,
    const struct order_geometry *g);

/* Records a verdict; the first one stays. */
void trial_fail(struct trial *t, enum lab_verdict v, const char *class,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* The running stage says nothing of the candidate, for this reason.  Returns
 * true, which is what the stage returns then. */
bool trial_skip(struct trial *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* How a program is built. */
struct trial_build {
	enum dtype dtype;
	const struct child_handle *beside; /* replay from its cache; or NULL */
};

/* Starts a child and sends it a build; then waits for the build's end.
 * false: trial_fail() was called, and *ret may be a child that failed. */
bool trial_build_start(struct trial *t, const struct trial_build *b,
    struct child_handle **ret);
bool trial_build_await(struct trial *t, const struct trial_build *b,
    struct child_handle *w);
/* The same once the build has ended. */
bool trial_build_ended(struct trial *t, const struct trial_build *b,
    struct child_handle *w, enum child_handle_event event,
    const struct order_answer *a);

/* What one case came to: NULL class when it passed. */
struct trial_outcome {
	enum lab_verdict verdict;
	const char *class;
	char detail[WHY_MAX];
	bool alive; /* the child can go on */
	struct judge_result values;
	double got, want; /* of values.worst, once values were compared */
	bool is_compared;
};

void trial_set_outcome(struct trial_outcome *o, enum lab_verdict v,
    const char *class, const char *detail);

/* Where a launch happens. */
struct trial_launch {
	struct child_handle *worker;
	bool elsewhere; /* see trial_ends_exactly() */
	bool once;      /* one launch, from this poison */
	enum pack_poison poison;
};

/* Elsewhere, a case's buffers lie at the other end of their pages, or end with
 * their pages to the byte: which of both, the secret seed says. */
bool trial_ends_exactly(const struct trial *t, const struct trial_case *tc);

/*
 * Launches a case on the device, or in the machine where that has taken its
 * place: three times, from two poisons, or once, and looks at memory:
 * writes outside, elements never written, launches that differ.  got: out.rows
 * * out.cols.  false: *o says what was found.
 */
bool trial_launch(struct trial *t, const struct trial_launch *where,
    const struct trial_case *tc, float *got, struct trial_outcome *o);

/*
 * Its steps.  Start: lays the buffers out and sends the first launch, unless
 * the geometry is empty.  Ended: what the child has answered to it, or not.
 * Inspect: memory, once all launches have run.  false: *o says what was found.
 */
#define TRIAL_LAUNCHES 3
struct trial_flight {
	struct pack pack;
	struct order_launch launch;
	void *outputs[TRIAL_LAUNCHES]; /* in the worker's arena */
};
bool trial_launch_start(struct trial *t, const struct trial_launch *where,
    const struct trial_case *tc, struct trial_flight *ret,
    struct trial_outcome *o);
bool trial_launch_ended(struct trial *t, const struct trial_launch *where,
    const struct trial_case *tc, enum child_handle_event event,
    const struct order_answer *a, struct trial_outcome *o);
bool trial_launch_inspect(const struct trial_launch *where,
    const struct trial_case *tc, const struct trial_flight *f, float *got,
    struct trial_outcome *o);

/* Compares with the reference by the error bound, into o->values and o. */
void trial_compare(const struct trial_case *tc, const float *got,
    struct trial_outcome *o);

/*
 * Runs one case in the child of its storage type, judges it, and appends its
 * result to the report.  *ret_alive: the child can run another case.
 * false: the case failed and trial_fail() was called.
 */
bool trial_run(struct trial *t, struct trial_case *tc, bool *ret_alive);
/* The same with one launch, for a case among hundreds: only one that fails is
 * reported. */
bool trial_run_quietly(struct trial *t, struct trial_case *tc);
/* Records a failed outcome of a case, with its message. */
void trial_fail_case(struct trial *t, const struct trial_case *tc,
    const struct trial_outcome *o);

/*
 * Builds and runs a kernel that is known to be good.  false: so does the lab
 * fail, and nothing may be said about the candidate.  *ret_features (may be
 * NULL): the sandbox of the child.
 */
bool control_passes(struct lab *l, uint32_t *ret_features);
extern const char control_source[]; /* kernel "control", (out, uint) */

#endif
