/*
 * One candidate before the judge: what the stages of lab_judge() share.
 * Private to lab/.  How it is built, launched and judged case by case stands
 * in trial_build.h, trial_launch.h and trial_run.h.
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
#include "lab/run/order.h"
#include "lab/run/tool_process.h"
#include "lab/stages/open_lab.h"
#include "lab/stages/request.h"
#include "lab/stages/seed_commitment.h"
#include "ops/covering_array.h"
#include "ops/drawn_shapes.h"
#include "ops/error_spread.h"
#include "ops/metamorphic_relations.h"
#include "ops/suspect_cause.h"

/* Which stage a case is for. */
enum trial_group {
	TRIAL_SMOKE, /* looked at as by eye, see ops/element_judge.h */
	TRIAL_EXACT,
	TRIAL_HOLDOUT,
	TRIAL_ARRAY, /* holdouts of the covering array, see ops/covering_array.h
	              */
	TRIAL_SIMULATED, /* for Oclgrind alone */
	TRIAL_RELATION,  /* the undisclosed shapes, and the first's variations
	                  */
	TRIAL_SOUGHT,    /* for code that has not run yet: see input_search.h */
};

#define TRIAL_CASES_MAX (LAB_CASES_MAX + LAB_OTHERS_MAX + ARRAY_CASES_MAX)
#define TRIAL_SIDE_MAX  DTYPE_NDTYPES

/* Shapes that are launched on the device as well, and all that are sought. */
#define TRIAL_SOUGHT_MAX 192

/* Elements of a case of which the machine judges a part beside what the device
 * has made of the rest. */
#define TRIAL_PART_MAX ((size_t)1 << 17)

struct child_handle;
struct cover;
struct huge_launch;
struct side_child;

/* A case with everything that the parent knows of it. */
struct trial_case {
	enum trial_group group;
	const struct op_case *c;
	const struct op_relation *relation; /* of a variation; borrowed */
	struct op_instance *in;             /* owned */
	enum err geometry_err;
	struct why geometry_why;
	struct order_geometry geometry;
	/* A sought one of too many work items for a device. */
	bool is_machines;
	bool is_vast;   /* a sought one that is launched behind all others */
	bool is_plain;  /* a sought one whose values are as they were drawn */
	bool is_pooled; /* its errors are looked at with those of others */
	/* Owned: what it came out as, packed; NULL: not run, or not kept. */
	float *got;
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
	    *workers[DTYPE_NDTYPES]; /* owned; one a storage type */
	struct side_child *replays[DTYPE_NDTYPES]; /* stage_replay's */
	struct side_child *side[TRIAL_SIDE_MAX];   /* owned: all of these */
	size_t nside;
	struct cover *covers[DTYPE_NDTYPES]; /* owned; stage_coverage's */
	/* Owned: in the device's place, see device_fallback.h. */
	struct cover *fallbacks[DTYPE_NDTYPES];
	bool doubted[DTYPE_NDTYPES]; /* asked for already */
	unsigned nparts;             /* their launches that were run in part */
	struct huge_launch *huge[DTYPE_NDTYPES]; /* owned; see huge_launch.h */
	/* How a storage type's errors are spread, over its cases. */
	struct spread spreads[DTYPE_NDTYPES];
	unsigned nfar; /* their launches that were judged */
	struct op_case sought[TRIAL_SOUGHT_MAX];
	struct op_mix mixes[TRIAL_SOUGHT_MAX]; /* of sought ones */
	size_t nsought;
	/* What the cases that were judged came out as, in their order. */
	struct cause_case evidence[TRIAL_CASES_MAX];
	size_t nevidence;
	/* Processor time of all launches, and what their sizes allow them. */
	uint64_t launches_us, sizes_us;
	enum lab_stage stage;      /* that runs now */
	size_t nsteps, nsteps_all; /* its cases, and those looked at */
	bool has_turn;  /* heavy_turn.h's, until its builds have ended */
	bool skipped;   /* the running stage skips itself; note says why */
	char note[128]; /* a stage's remark, for its row in the report */
};

typedef bool stage_fn(struct trial *t);
typedef void stage_start_fn(struct trial *t);
stage_fn stage_text, stage_ir, stage_build, stage_smoke, stage_exact,
    stage_holdouts, stage_oclgrind, stage_replay, stage_schedule,
    stage_relations, stage_coverage;
stage_start_fn stage_ir_start, stage_oclgrind_start, stage_build_turn,
    stage_build_start, stage_schedule_plan, stage_schedule_start,
    stage_replay_start, stage_coverage_plan, stage_coverage_start;

/* Draws the cases that will be needed and works out their geometry. */
void trial_init(struct trial *t, struct lab *l, const struct lab_request *rq,
    struct lab_report *r);
void trial_done(struct trial *t);
/* Its builds have ended: somebody else may do something heavy. */
void trial_end_turn(struct trial *t);
/* For who waits: the running stage looks at so many cases; it has looked at
 * one more. */
void trial_expect_steps(struct trial *t, size_t n);
void trial_step(struct trial *t);
/* Is this stage asked for? */
bool trial_wants(const struct trial *t, enum lab_stage s);

/* A case of a shape that was sought; NULL: there are enough.  Until a build
 * starts, it is launched on the device too. */
struct trial_case *trial_seek(struct trial *t, const struct op_shape *shape,
    enum dtype dtype, enum op_data data);
/* The same with the values of a mix. */
struct trial_case *trial_seek_mixed(struct trial *t,
    const struct op_shape *shape, enum dtype dtype, const struct op_mix *mix);
/* Takes the last one back. */
void trial_unseek(struct trial *t);

/* Does it run in every build, not in the first alone? */
bool trial_is_run_again(const struct trial_case *tc);
/* Is its output looked at after it was judged? */
bool trial_keeps_output(const struct trial_case *tc);
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
/* A compiler that could not write its files calls that an error of the text it
 * compiled: is it that?  text: what it said. */
bool trial_lacks_room(const struct trial *t, const char *text);
void trial_fail_room(struct trial *t, enum dtype d);
/* The running stage says nothing of the candidate, for this reason.  Returns
 * true, which is what the stage returns then. */
bool trial_skip(struct trial *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
