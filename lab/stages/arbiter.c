/*
 * Each failed case is run again in Oclgrind, on the same input: all at once,
 * for the cores' sake.  A large launch is looked at in a window of groups that
 * the secret seed places: what a whole shape has wrong, each of its groups
 * has.
 */
#include "lab/stages/arbiter.h"

#include "lab/stages/simulate.h"
#include <stdio.h>
#include <string.h>

#define AT_ONCE   8
#define ITEMS_MAX 2048

/* Only where PoCL is known to go wrong is it asked. */
static bool
is_doubtful(const struct trial *t)
{
	return (t->depends & TEXT_DEPENDS_BARRIER) != 0 &&
	    (t->depends & TEXT_DEPENDS_ATOMICS) == 0;
}

static void
convict(struct trial *t, const struct arbiter_case *c, const char *finding)
{
	struct trial_outcome o = c->outcome;
	size_t n = strlen(o.detail);

	if (finding)
		snprintf(o.detail + n, sizeof o.detail - n,
		    "; Oclgrind there: %s", finding);
	trial_fail_case(t, c->tc, &o);
}

static void
fail_undecided(struct trial *t, const struct arbiter_case *c, const char *why)
{
	trial_fail(t, LAB_ERROR, "lab_error",
	    "case \"%s\" (%s): %s; whether the kernel or the device's compiler "
	    "is at fault cannot be told: %s",
	    c->tc->c->name, dtype_name(c->tc->c->dtype), c->outcome.detail,
	    why);
}

static bool
start(struct trial *t, const struct arbiter_case *c, struct tool **ret)
{
	const struct order_geometry *g = &c->tc->geometry;
	struct simulation s = {
		.text = t->texts[c->tc->c->dtype],
		.entry = t->rq->candidate->entry,
		.geometry = g,
		.in = c->tc->in,
		.groups_max = ITEMS_MAX,
		.from_seed = t->seed.seed,
	};
	struct why why;

	for (uint32_t i = 0; i < g->ndims; i++)
		s.groups_max /= g->local[i];
	s.groups_max += s.groups_max == 0;
	if (simulate_start(t->lab, &s, ret, &why) == ERR_OK)
		return true;
	trial_fail(t, LAB_ERROR, "lab_error", "%s", why.text);
	return false;
}

static bool
await(struct trial *t, const struct arbiter_case *c, struct tool *tool)
{
	struct simulate_finding f;
	char finding[128];
	const char *says;
	int status;
	enum tool_end end = tool_await(tool, &status, &says);

	simulate_read_log(says, &f);
	if (!f.class && !f.odd[0] && end == TOOL_ENDED && status == 0)
		return true;
	if (!f.class) {
		fail_undecided(t, c, "Oclgrind did not come to its end");
		return false;
	}
	snprintf(finding, sizeof finding, "%s", f.what);
	if (f.line > 0)
		snprintf(finding, sizeof finding, "%s (line %u)", f.what,
		    f.line);
	convict(t, c, finding);
	return false;
}

/* The same shape and kind of data was there before. */
static bool
is_repeated(const struct arbiter_case *cases, size_t i)
{
	const struct op_instance *in = cases[i].tc->in;

	for (size_t k = 0; k < i; k++) {
		const struct op_instance *other = cases[k].tc->in;

		if (other->c->dtype == in->c->dtype &&
		    other->c->data == in->c->data &&
		    op_shape_is_same(in->op, &other->shape, &in->shape))
			return true;
	}
	return false;
}

static bool
acquits_some(struct trial *t, const struct arbiter_case *cases, size_t from,
    size_t n)
{
	struct tool *tools[AT_ONCE] = { NULL };
	bool ok = true;

	for (size_t i = 0; i < n && ok; i++)
		ok = is_repeated(cases, from + i) ||
		    start(t, &cases[from + i], &tools[i]);
	for (size_t i = 0; i < n && ok; i++)
		ok = !tools[i] || await(t, &cases[from + i], tools[i]);
	for (size_t i = 0; i < n; i++)
		tool_stop(tools[i]);
	return ok;
}

bool
arbiter_acquits(struct trial *t, const struct arbiter_case *cases, size_t n)
{
	if (n == 0)
		return true;
	if (!is_doubtful(t)) {
		convict(t, &cases[0], NULL);
		return false;
	}
	if (!t->lab->oclgrind) {
		fail_undecided(t, &cases[0],
		    "oclgrind-kernel is not installed");
		return false;
	}
	for (size_t i = 0; i < n; i += AT_ONCE)
		if (!acquits_some(t, cases, i,
		        n - i < AT_ONCE ? n - i : AT_ONCE))
			return false;
	return true;
}
