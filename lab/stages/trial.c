/*
 * Which cases a trial has, and what every stage needs to know of them: whether
 * it is wanted, which storage types it looks at, how a failure is put on
 * record.
 */
#include "lab/stages/trial.h"

#include "base/digest.h"
#include "base/log.h"
#include "lab/run/child_handle.h"
#include "lab/run/geometry.h"
#include "lab/stages/heavy_turn.h"
#include "lab/stages/huge_launch.h"
#include "lab/stages/side_child.h"
#include "lab/stages/simulated_size.h"
#include "ops/drawn_shapes.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

/* A case of the array with more elements runs once. */
#define AGAIN_MAX           8192
#define SOUGHT_POSITION_MAX 5000
/* Of both signs, and most of them beyond sixteen bits. */
#define MIXED_POSITION_MIN  (-70000)
#define MIXED_POSITION_SPAN 270000
#define SOUGHT_WORK_MAX     ((uint64_t)6 << 20)
/* A case of the array with more of them has its inputs while it is looked at:
 * few are, and hold nearly all that the array holds. */
#define HELD_MAX 16384
/* Of a scratch folder: with less nothing that failed to compile tells anything. */
#define SCRATCH_MIN ((uint64_t)8 << 20)
/* Nobody asks more of a buffer than OpenCL promises. */
#define ALIGN_MAX 128

static void add_case(struct trial *t, enum trial_group group,
    const struct op_case *c);
static void add_array(struct trial *t);
static void add_relations(struct trial *t);

static void
tell_steps(const struct trial *t)
{
	if (t->rq->on_step)
		t->rq->on_step(t->stage, t->nsteps, t->nsteps_all, t->rq->arg);
}

void
trial_expect_steps(struct trial *t, size_t n)
{
	t->nsteps = 0;
	t->nsteps_all = n;
	tell_steps(t);
}

void
trial_step(struct trial *t)
{
	t->nsteps++;
	tell_steps(t);
}

bool
trial_wants(const struct trial *t, enum lab_stage s)
{
	const struct lab_request *rq = t->rq;

	return rq->upto >= s &&
	    !(lab_stage_may_be_left_out(s) && (rq->skip >> s & 1) != 0);
}

/* Are cases of this storage type drawn? */
static bool
is_asked_for(const struct trial *t, enum dtype dtype)
{
	return t->rq->storage == 0 || (t->rq->storage >> dtype & 1) != 0;
}

static void
add_public_cases(struct trial *t)
{
	const struct op *op = t->rq->op;

	add_case(t, TRIAL_SMOKE, op->smoke);
	for (size_t i = 0; i < op->nexact && trial_wants(t, LAB_STAGE_EXACT);
	     i++)
		if (is_asked_for(t, op->exact[i].dtype))
			add_case(t, TRIAL_EXACT, &op->exact[i]);
	for (size_t i = 0;
	     i < op->nholdouts && trial_wants(t, LAB_STAGE_HOLDOUTS); i++)
		if (is_asked_for(t, op->holdouts[i].dtype))
			add_case(t, TRIAL_HOLDOUT, &op->holdouts[i]);
}

void
trial_init(struct trial *t, struct lab *l, const struct lab_request *rq,
    struct lab_report *r)
{
	const struct op *op = rq->op;
	struct shapes_rounds rounds = { 0 };

	*t = (struct trial){ .lab = l, .rq = rq, .r = r };
	t->align = l->clang && trial_wants(t, LAB_STAGE_IR) ? 1 : ALIGN_MAX;
	seed_init(&t->seed, rq->seed, rq->nonce);
	lab_seed_commit(t->seed.seed, t->seed.nonce, r->seed_commit);
	seed_reveal(&t->seed, r->seed_reveal);
	digest_sha256_hex(rq->candidate->source, strlen(rq->candidate->source),
	    r->source_sha256);
	t->depends = text_depends_on(rq->candidate->source);
	if (t->depends & TEXT_DEPENDS_GROUP)
		rounds_of(op, rq->candidate, &rounds);
	add_public_cases(t);
	if (trial_wants(t, LAB_STAGE_HOLDOUTS))
		add_array(t);
	for (int d = 0; d < DTYPE_NDTYPES && trial_wants(t, LAB_STAGE_OCLGRIND);
	     d++)
		if (trial_looks_at(t, (enum dtype)d)) {
			shapes_tiny(op, t->seed.seed, &rounds, &t->tiny[d]);
			t->tiny[d].dtype = (enum dtype)d;
			add_case(t, TRIAL_SIMULATED, &t->tiny[d]);
		}
	if (trial_wants(t, LAB_STAGE_RELATIONS))
		add_relations(t);
}

/* Takes the instance over. */
static struct trial_case *
add_instance(struct trial *t, enum trial_group group, struct op_instance *in)
{
	struct trial_case *tc = &t->cases[t->ncases];

	if (t->ncases == TRIAL_CASES_MAX)
		fatalx("%s has more than %d cases", t->rq->op->name,
		    TRIAL_CASES_MAX);
	t->ncases++;
	tc->group = group;
	tc->c = in->c;
	tc->in = in;
	tc->geometry_err = geometry_eval(t->rq->op, &in->shape,
	    t->rq->candidate, &tc->geometry, &tc->geometry_why);
	return tc;
}

static void
add_case(struct trial *t, enum trial_group group, const struct op_case *c)
{
	add_instance(t, group, op_instance_new(t->rq->op, c, t->seed.seed));
}

/* 0 where the launch's geometry is in error: the case then says so. */
static uint64_t
count_work(const struct op_shape *s, void *arg)
{
	const struct trial *t = arg;
	struct order_geometry g;

	if (geometry_eval(t->rq->op, s, t->rq->candidate, &g, NULL) != ERR_OK)
		return 0;
	return trial_work(t->rq->op, s, &g);
}

uint64_t
trial_work(const struct op *op, const struct op_shape *s,
    const struct order_geometry *g)
{
	uint64_t items, rows = 0;

	(void)geometry_groups(g, &items);
	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_OUT)
			rows = op->extent(s, i).rows;
	return items < rows ? rows * geometry_group_items(g) : items;
}

uint64_t
trial_elements(const struct op_instance *in)
{
	const struct op_shape *s = &in->shape;
	uint64_t n = (uint64_t)in->out.rows * in->out.cols;

	for (size_t i = 0; i < in->op->nargs; i++)
		if (in->op->args[i].kind == OP_IN) {
			struct op_extent e = in->op->extent(s, i);

			n += (uint64_t)e.rows * e.cols;
		}
	return s->k > 1 ? n * 4 : n;
}

static void
add_array(struct trial *t)
{
	t->array = array_new(t->rq->op, t->seed.seed, count_work, t);
	t->r->array = t->array->account;
	for (size_t i = 0; i < t->array->ncases; i++) {
		struct op_instance *in;

		if (!is_asked_for(t, t->array->cases[i].dtype))
			continue;
		in = op_instance_plan(t->rq->op, &t->array->cases[i],
		    t->seed.seed);

		if (trial_elements(in) <= HELD_MAX)
			op_instance_hold(in);
		add_instance(t, TRIAL_ARRAY, in);
	}
}

static struct trial_case *
seek_case(struct trial *t, const struct op_case *sought)
{
	struct op_case *c = &t->sought[t->nsought];
	struct trial_case *tc;

	if (t->nsought == TRIAL_SOUGHT_MAX)
		return NULL;
	t->nsought++;
	*c = *sought;
	c->name = "sought";
	add_case(t, TRIAL_SOUGHT, c);
	tc = &t->cases[t->ncases - 1];
	tc->is_machines = tc->geometry_err == ERR_OK &&
	    trial_work(t->rq->op, &tc->in->shape, &tc->geometry) >
	        SOUGHT_WORK_MAX;
	return tc;
}

struct trial_case *
trial_seek(struct trial *t, const struct op_shape *shape, enum dtype dtype,
    enum op_data data)
{
	const struct op_case c = { .dtype = dtype,
		.data = data,
		.position_max = SOUGHT_POSITION_MAX,
		.shape = *shape };

	return seek_case(t, &c);
}

struct trial_case *
trial_seek_mixed(struct trial *t, const struct op_shape *shape,
    enum dtype dtype, const struct op_mix *mix)
{
	struct op_mix *own = &t->mixes[t->nsought];
	const struct op_case c = { .dtype = dtype,
		.mix = own,
		.position_max = MIXED_POSITION_SPAN,
		.shape = *shape };

	if (t->nsought == TRIAL_SOUGHT_MAX)
		return NULL;
	*own = *mix;
	own->position_min = MIXED_POSITION_MIN;
	return seek_case(t, &c);
}

void
trial_unseek(struct trial *t)
{
	op_instance_free(t->cases[--t->ncases].in);
	t->cases[t->ncases] = (struct trial_case){ 0 };
	t->nsought--;
}

/* An undisclosed shape, what its relations make of it, then the others. */
static void
add_relations(struct trial *t)
{
	const struct op *op = t->rq->op;
	const struct op_instance *base;

	for (int i = 0; i < SHAPES_NCLASSES; i++)
		shapes_undisclosed(op, (enum shapes_class)i, t->seed.seed,
		    &t->undisclosed[i]);
	add_case(t, TRIAL_RELATION, &t->undisclosed[0]);
	base = t->cases[t->ncases - 1].in;
	for (size_t i = 0; i < op->nrelations; i++)
		add_instance(t, TRIAL_RELATION,
		    relation_apply(&op->relations[i], base))
		    ->relation = &op->relations[i];
	for (int i = 1; i < SHAPES_NCLASSES; i++)
		add_case(t, TRIAL_RELATION, &t->undisclosed[i]);
}

void
trial_done(struct trial *t)
{
	for (size_t i = 0; i < t->nside; i++)
		side_child_free(t->side[i]);
	for (size_t i = 0; i < DTYPE_NDTYPES; i++) {
		tool_stop(t->lowered[i]);
		tool_stop(t->simulated[i]);
		free(t->texts[i]);
	}
	for (size_t i = 0; i < DTYPE_NDTYPES; i++) {
		child_handle_stop(t->workers[i]);
		cover_free(t->covers[i]);
		cover_free(t->fallbacks[i]);
		huge_launch_free(t->huge[i]);
	}
	for (size_t i = 0; i < t->ncases; i++) {
		op_instance_free(t->cases[i].in);
		free(t->cases[i].got);
	}
	array_free(t->array);
	trial_end_turn(t);
}

void
trial_end_turn(struct trial *t)
{
	if (t->has_turn)
		heavy_turn_end();
	t->has_turn = false;
}

bool
trial_is_run_again(const struct trial_case *tc)
{
	size_t n = (size_t)tc->in->out.rows * tc->in->out.cols;

	return tc->group <= TRIAL_HOLDOUT ||
	    (tc->group == TRIAL_ARRAY && n <= AGAIN_MAX);
}

bool
trial_needs(const struct trial *t, enum dtype dtype)
{
	for (size_t i = 0; i < t->ncases; i++)
		if (t->cases[i].c->dtype == dtype)
			return true;
	return false;
}

bool
trial_keeps_output(const struct trial_case *tc)
{
	size_t n = (size_t)tc->in->out.rows * tc->in->out.cols;

	return tc->group != TRIAL_ARRAY || n <= TRIAL_PART_MAX;
}

/* A kernel that cannot tell its storage types apart is one program. */
bool
trial_looks_at(const struct trial *t, enum dtype dtype)
{
	return dtype == t->rq->op->smoke->dtype ||
	    ((t->depends & TEXT_DEPENDS_STORAGE) != 0 && trial_needs(t, dtype));
}

/* A message quotes the candidate and is cut at its cap: whole UTF-8 cannot be
 * promised, ASCII can. */
static void
keep_ascii(char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || (unsigned char)*text > '~')
			*text = '?';
}

void
trial_fail(struct trial *t, enum lab_verdict v, const char *class,
    const char *fmt, ...)
{
	va_list ap;

	if (t->r->class[0] != '\0')
		return;
	t->r->verdict = v;
	t->r->class = class;
	va_start(ap, fmt);
	vsnprintf(t->r->message, sizeof t->r->message, fmt, ap);
	va_end(ap);
	keep_ascii(t->r->message);
}

bool
trial_lacks_room(const struct trial *t, const char *text)
{
	struct statvfs is;

	if (statvfs(t->lab->scratch, &is) == 0 &&
	    (uint64_t)is.f_bavail * is.f_frsize < SCRATCH_MIN)
		return true;
	/* Room may have come back since; and the candidate may say so itself,
	 * as a message of its own (#error). */
	return strstr(text, strerror(ENOSPC)) &&
	    !strstr(t->rq->candidate->source, "space");
}

void
trial_fail_room(struct trial *t, enum dtype d)
{
	trial_fail(t, LAB_ERROR, "lab_error",
	    "%s: was not built: too little room is left in %s", dtype_name(d),
	    t->lab->scratch);
}

bool
trial_skip(struct trial *t, const char *fmt, ...)
{
	va_list ap;

	t->skipped = true;
	va_start(ap, fmt);
	vsnprintf(t->note, sizeof t->note, fmt, ap);
	va_end(ap);
	return true;
}
