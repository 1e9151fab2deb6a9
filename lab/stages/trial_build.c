/*
 * A child a storage type, with every geometry that its cases are launched in;
 * what an answer other than "built" means for the verdict is a table here.
 */
#include "lab/stages/trial_build.h"

#include "base/mem.h"
#include "lab/run/geometry.h"
#include "lab/run/sandbox.h"
#include "lab/stages/control_kernel.h"
#include "lab/stages/side_child.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct order_build *make_build(const struct trial *t,
    const struct trial_build *b);
static void fail_build(struct trial *t, enum dtype dtype,
    enum child_handle_event event, const struct order_answer *a,
    struct child_handle *w);

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
	enum child_handle_event event = side_children_await(t, w, &a);

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
	/* A replay finds the linked objects in its neighbour's folder, so its
	 * sandbox lets it execute nothing. */
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
	} else if (event == CHILD_HANDLE_FLOOD) {
		trial_fail(t, LAB_RESOURCE, "resource",
		    "%s: the build wrote more than %u MiB of files", name,
		    (unsigned)(CHILD_HANDLE_FILES_MAX >> 20));
	} else if (event == CHILD_HANDLE_ANSWER &&
	    trial_lacks_room(t, a->text)) {
		trial_fail_room(t, dtype);
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
