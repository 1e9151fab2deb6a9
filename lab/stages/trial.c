/*
 * Cases, children and the report: what every stage needs of a trial.
 */
#include "lab/stages/trial.h"

#include "base/digest.h"
#include "base/log.h"
#include "base/mem.h"
#include "lab/run/geometry.h"
#include "lab/run/sandbox.h"
#include "lab/stages/cover.h"
#include "lab/stages/lane.h"
#include "lab/stages/rounds.h"
#include "ops/shapes.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A case of the array with more elements runs once. */
#define AGAIN_MAX           8192
#define SOUGHT_POSITION_MAX 5000
/* Nobody asks more of a buffer than OpenCL promises. */
#define ALIGN_MAX 128

static void add_case(struct trial *t, enum trial_group group,
    const struct op_case *c);
static void add_array(struct trial *t);
static void add_relations(struct trial *t);
static struct order_build *make_build(const struct trial *t,
    const struct trial_build *b);
static void fail_build(struct trial *t, enum dtype dtype,
    enum child_handle_event event, const struct order_answer *a,
    struct child_handle *w);

bool
trial_wants(const struct trial *t, enum lab_stage s)
{
	const struct lab_request *rq = t->rq;

	return rq->upto >= s &&
	    !(lab_stage_may_be_left_out(s) && (rq->skip >> s & 1) != 0);
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
	add_case(t, TRIAL_SMOKE, op->smoke);
	for (size_t i = 0; i < op->nexact && trial_wants(t, LAB_STAGE_EXACT);
	     i++)
		add_case(t, TRIAL_EXACT, &op->exact[i]);
	for (size_t i = 0;
	     i < op->nholdouts && trial_wants(t, LAB_STAGE_HOLDOUTS); i++)
		add_case(t, TRIAL_HOLDOUT, &op->holdouts[i]);
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
	uint64_t items = 1, group = 1, rows = 0;

	for (uint32_t i = 0; i < g->ndims; i++) {
		items *= g->global[i];
		group *= g->local[i];
	}
	for (size_t i = 0; i < op->nargs; i++)
		if (op->args[i].kind == OP_OUT)
			rows = op->extent(s, i).rows;
	return items < rows ? rows * group : items;
}

uint64_t
trial_elements(const struct op_instance *in)
{
	const struct op_shape *s = &in->shape;
	uint64_t n = (uint64_t)in->out.rows * in->out.cols;

	for (size_t i = 0; i < in->op->nargs; i++)
		if (in->in[i]) {
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
	for (size_t i = 0; i < t->array->ncases; i++)
		add_case(t, TRIAL_ARRAY, &t->array->cases[i]);
}

struct trial_case *
trial_seek(struct trial *t, const struct op_shape *shape, enum dtype dtype,
    enum op_data data)
{
	struct op_case *c = &t->sought[t->nsought];

	if (t->nsought == TRIAL_SOUGHT_MAX)
		return NULL;
	t->nsought++;
	*c = (struct op_case){ .name = "sought",
		.dtype = dtype,
		.data = data,
		.shape = *shape,
		.position_max = SOUGHT_POSITION_MAX };
	add_case(t, TRIAL_SOUGHT, c);
	return &t->cases[t->ncases - 1];
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
	for (size_t i = 0; i < t->nlanes; i++)
		lane_free(t->lanes[i]);
	for (size_t i = 0; i < DTYPE_NDTYPES; i++) {
		tool_stop(t->lowered[i]);
		tool_stop(t->simulated[i]);
		free(t->texts[i]);
	}
	for (size_t i = 0; i < DTYPE_NDTYPES; i++) {
		child_handle_stop(t->workers[i]);
		cover_free(t->covers[i]);
		cover_free(t->fallbacks[i]);
	}
	for (size_t i = 0; i < t->ncases; i++) {
		op_instance_free(t->cases[i].in);
		free(t->cases[i].got);
	}
	array_free(t->array);
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
trial_skip(struct trial *t, const char *fmt, ...)
{
	va_list ap;

	t->skipped = true;
	va_start(ap, fmt);
	vsnprintf(t->note, sizeof t->note, fmt, ap);
	va_end(ap);
	return true;
}

static enum err
start_worker(struct trial *t, const struct trial_build *b,
    struct child_handle **ret, struct why *why)
{
	if (b->beside)
		return child_handle_start_beside(t->lab->zygote, b->beside, ret,
		    why);
	return child_handle_start(t->lab->zygote, t->lab->scratch, ret, why);
}

bool
trial_build_start(struct trial *t, const struct trial_build *b,
    struct child_handle **ret)
{
	struct order_build *o;
	struct why why;

	if (start_worker(t, b, ret, &why) != ERR_OK) {
		trial_fail(t, LAB_ERROR, "lab_error", "%s", why.text);
		return false;
	}
	o = make_build(t, b);
	child_handle_build(*ret, o, t->lab->conf.build_deadline_ms);
	free(o);
	return true;
}

bool
trial_build_await(struct trial *t, const struct trial_build *b,
    struct child_handle *w)
{
	struct order_answer a = { 0 };
	enum child_handle_event event = lanes_await(t, w, &a);

	return trial_build_ended(t, b, w, event, &a);
}

bool
trial_build_ended(struct trial *t, const struct trial_build *b,
    struct child_handle *w, enum child_handle_event event,
    const struct order_answer *a)
{
	char missing[64];

	if (event != CHILD_HANDLE_ANSWER || a->kind != ANSWER_BUILT) {
		fail_build(t, b->dtype, event, a, w);
		return false;
	}
	sandbox_missing(a->features | zygote_features(t->lab->zygote), missing,
	    sizeof missing);
	if (missing[0])
		snprintf(t->note, sizeof t->note, "sandbox without %s",
		    missing);
	return true;
}

/* Is there a work-group function for these groups in a grid this wide? */
static bool
is_served(const struct order_build *o, const struct order_geometry *g)
{
	for (uint32_t i = 0; i < o->ngeometries; i++)
		if (o->geometries[i].ndims == g->ndims &&
		    memcmp(o->geometries[i].local, g->local, sizeof g->local) ==
		        0 &&
		    geometry_width(&o->geometries[i]) >= geometry_width(g))
			return true;
	return false;
}

/*
 * One program in a storage type, with every geometry that will be launched,
 * each once, the widest first: PoCL compiles a work-group function anew for
 * grids that are wider than those it was made for, but not for narrower ones.
 * Where there are too many, the narrowest go.
 */
static void
add_geometry(struct order_build *o, const struct order_geometry *g)
{
	uint32_t at = o->ngeometries;

	for (uint32_t i = 0; i < o->ngeometries; i++)
		if (memcmp(&o->geometries[i], g, sizeof *g) == 0)
			return;
	if (geometry_is_empty(g) ||
	    (at == ORDER_GEOMETRIES_MAX && is_served(o, g)))
		return;
	if (at == ORDER_GEOMETRIES_MAX)
		at = --o->ngeometries;
	while (at > 0 &&
	    geometry_width(&o->geometries[at - 1]) < geometry_width(g)) {
		o->geometries[at] = o->geometries[at - 1];
		at--;
	}
	o->geometries[at] = *g;
	o->ngeometries++;
}

static struct order_build *
make_build(const struct trial *t, const struct trial_build *b)
{
	struct order_build *o = xcalloc(1, sizeof *o);
	const struct op *op = t->rq->op;

	o->kind = ORDER_BUILD;
	o->nargs = (uint32_t)op->nargs;
	o->is_replay = b->beside != NULL;
	for (size_t i = 0; i < op->nargs; i++)
		o->args[i] = (uint32_t)op->args[i].kind;
	for (size_t i = 0; i < t->ncases; i++) {
		if (t->cases[i].group == TRIAL_SIMULATED ||
		    t->cases[i].c->dtype != b->dtype ||
		    t->cases[i].geometry_err != ERR_OK)
			continue;
		add_geometry(o, &t->cases[i].geometry);
	}
	snprintf(o->entry, sizeof o->entry, "%s", t->rq->candidate->entry);
	o->source_bytes = (uint32_t)snprintf(o->source, sizeof o->source, "%s",
	    t->texts[b->dtype]);
	return o;
}

/* What an answer to BUILD says, other than that it worked. */
static const struct {
	enum lab_verdict verdict;
	const char *class;
	const char *phrase;
} build_failures[] = {
	[ANSWER_COMPILE_ERROR] = { LAB_COMPILE_ERROR, "compile_error",
	    "does not compile" },
	[ANSWER_LAUNCH_ERROR] = { LAB_RESOURCE, "resource",
	    "cannot be launched" },
	[ANSWER_SANDBOX] = { LAB_ERROR, "lab_error", "was not built" },
	[ANSWER_REFUSED] = { LAB_REFUSED, "refused", "refused" },
};

static void
fail_build(struct trial *t, enum dtype dtype, enum child_handle_event event,
    const struct order_answer *a, struct child_handle *w)
{
	const char *name = dtype_name(dtype);
	char end[64];

	if (event == CHILD_HANDLE_TIMEOUT) {
		trial_fail(t, LAB_TIMEOUT, "timeout",
		    "%s: the build took longer than %u ms", name,
		    t->lab->conf.build_deadline_ms);
	} else if (event == CHILD_HANDLE_ANSWER &&
	    a->kind < COUNT(build_failures) && build_failures[a->kind].class) {
		trial_fail(t, build_failures[a->kind].verdict,
		    build_failures[a->kind].class, "%s: %s: %s", name,
		    build_failures[a->kind].phrase, a->text);
	} else if (!control_passes(t->lab, NULL)) {
		trial_fail(t, LAB_ERROR, "lab_error",
		    "%s: the build ended early, and so does a good kernel's",
		    name);
	} else {
		child_handle_describe_end(w, end, sizeof end);
		trial_fail(t, LAB_CRASH, "crash",
		    "%s: the compiler ended early: %s", name, end);
	}
}
