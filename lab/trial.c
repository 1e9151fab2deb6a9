/*
 * Cases, children and the report: what every stage needs of a trial.
 */
#include "lab/trial.h"

#include "base/digest.h"
#include "base/log.h"
#include "base/mem.h"
#include "lab/geometry.h"
#include "lab/sandbox.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_case(struct trial *t, const struct op_case *c);
static struct order_build *make_build(const struct trial *t, enum dtype dtype);
static void fail_build(struct trial *t, enum dtype dtype,
    enum worker_event event, const struct order_answer *a);

void
trial_init(struct trial *t, struct lab *l, const struct lab_request *rq,
    struct lab_report *r)
{
	*t = (struct trial){ .lab = l, .rq = rq, .r = r };
	seed_init(&t->seed, rq->seed, rq->nonce);
	lab_seed_commit(t->seed.seed, t->seed.nonce, r->seed_commit);
	seed_reveal(&t->seed, r->seed_reveal);
	digest_sha256_hex(rq->candidate->source, strlen(rq->candidate->source),
	    r->source_sha256);
	add_case(t, rq->op->smoke);
	for (size_t i = 0; i < rq->op->nholdouts; i++)
		if (rq->upto > LAB_STAGE_SMOKE)
			add_case(t, &rq->op->holdouts[i]);
}

static void
add_case(struct trial *t, const struct op_case *c)
{
	struct trial_case *tc = &t->cases[t->ncases];

	if (t->ncases == LAB_CASES_MAX)
		fatalx("%s has more than %d cases", t->rq->op->name,
		    LAB_CASES_MAX);
	t->ncases++;
	tc->c = c;
	tc->in = op_instance_new(t->rq->op, c, t->seed.seed);
	tc->geometry_err = geometry_eval(t->rq->op, &tc->in->shape,
	    t->rq->candidate, &tc->geometry, &tc->geometry_why);
}

void
trial_done(struct trial *t)
{
	for (size_t i = 0; i < DTYPE_NDTYPES; i++)
		worker_stop(t->workers[i]);
	for (size_t i = 0; i < t->ncases; i++)
		op_instance_free(t->cases[i].in);
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
trial_build_start(struct trial *t, enum dtype dtype)
{
	struct order_build *o;
	struct why why;

	if (worker_start(t->lab->zygote, t->lab->scratch, &t->workers[dtype],
	        &why) != ERR_OK) {
		trial_fail(t, LAB_ERROR, "lab_error", "%s", why.text);
		return false;
	}
	o = make_build(t, dtype);
	worker_build(t->workers[dtype], o, t->lab->conf.build_deadline_ms);
	free(o);
	return true;
}

bool
trial_build_await(struct trial *t, enum dtype dtype)
{
	struct order_answer a = { 0 };
	enum worker_event event = worker_await(t->workers[dtype], &a);
	char missing[64];

	if (event != WORKER_ANSWER || a.kind != ANSWER_BUILT) {
		fail_build(t, dtype, event, &a);
		return false;
	}
	sandbox_missing(a.features | zygote_features(t->lab->zygote), missing,
	    sizeof missing);
	if (missing[0])
		snprintf(t->note, sizeof t->note, "sandbox without %s",
		    missing);
	return true;
}

/* One program in a storage type, with every geometry that will be launched,
 * each once. */
static void
add_geometry(struct order_build *o, const struct order_geometry *g)
{
	for (uint32_t i = 0; i < o->ngeometries; i++)
		if (memcmp(&o->geometries[i], g, sizeof *g) == 0)
			return;
	if (o->ngeometries < ORDER_GEOMETRIES_MAX && !geometry_is_empty(g))
		o->geometries[o->ngeometries++] = *g;
}

static struct order_build *
make_build(const struct trial *t, enum dtype dtype)
{
	struct order_build *o = xcalloc(1, sizeof *o);
	const struct op *op = t->rq->op;

	o->kind = ORDER_BUILD;
	o->nargs = (uint32_t)op->nargs;
	for (size_t i = 0; i < op->nargs; i++)
		o->args[i] = (uint32_t)op->args[i].kind;
	for (size_t i = 0; i < t->ncases; i++)
		if (t->cases[i].c->dtype == dtype &&
		    t->cases[i].geometry_err == ERR_OK)
			add_geometry(o, &t->cases[i].geometry);
	snprintf(o->entry, sizeof o->entry, "%s", t->rq->candidate->entry);
	o->source_bytes = (uint32_t)snprintf(o->source, sizeof o->source,
	    "%s%s", prelude_text(dtype), t->rq->candidate->source);
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
};

static void
fail_build(struct trial *t, enum dtype dtype, enum worker_event event,
    const struct order_answer *a)
{
	const char *name = dtype_name(dtype);
	char end[64];

	if (event == WORKER_TIMEOUT) {
		trial_fail(t, LAB_TIMEOUT, "timeout",
		    "%s: the build took longer than %u ms", name,
		    t->lab->conf.build_deadline_ms);
	} else if (event == WORKER_ANSWER &&
	    a->kind < sizeof build_failures / sizeof build_failures[0] &&
	    build_failures[a->kind].class) {
		trial_fail(t, build_failures[a->kind].verdict,
		    build_failures[a->kind].class, "%s: %s: %s", name,
		    build_failures[a->kind].phrase, a->text);
	} else if (!control_passes(t->lab, NULL)) {
		trial_fail(t, LAB_ERROR, "lab_error",
		    "%s: the build ended early, and so does a good kernel's",
		    name);
	} else {
		worker_describe_end(t->workers[dtype], end, sizeof end);
		trial_fail(t, LAB_CRASH, "crash",
		    "%s: the compiler ended early: %s", name, end);
	}
}
