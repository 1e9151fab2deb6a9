/*
 * Side children: a small machine each, building, then launching case after
 * case, then ended.  It moves when its child has answered, died or passed its
 * deadline, which child_handle_await_any() tells of all children at once.
 */
#include "lab/stages/side_child.h"

#include "base/mem.h"
#include "lab/run/geometry.h"
#include <stdlib.h>
#include <sys/resource.h>

#define NICENESS 2

enum side_child_state {
	SIDE_CHILD_BUILDING,
	SIDE_CHILD_LAUNCHING,
	SIDE_CHILD_ENDED
};

/* How the child took an order. */
struct reply {
	enum child_handle_event event;
	struct order_answer answer;
};

struct side_child {
	enum side_child_state state;
	struct trial_build build;
	struct trial_launch where;    /* its worker is owned */
	struct reply built, launched; /* the last launch */
	struct trial_flight flight;
	struct side_child_case cases[TRIAL_CASES_MAX];
	size_t ncases, at; /* at: the case that is under way */
};

bool
side_child_start(struct trial *t, const struct trial_build *b,
    const struct trial_launch *where, struct side_child **ret)
{
	struct side_child *l = xcalloc(1, sizeof *l);

	l->build = *b;
	l->where = *where;
	t->side[t->nside++] = *ret = l;
	if (!trial_build_start(t, b, &l->where.worker))
		return false;
	/* What the judge waits for goes first. */
	setpriority(PRIO_PROCESS, (id_t)child_handle_pid(l->where.worker),
	    NICENESS);
	return true;
}

void
side_child_add(struct side_child *l, struct trial_case *tc)
{
	l->cases[l->ncases++].tc = tc;
}

size_t
side_child_count(const struct side_child *l)
{
	return l->ncases;
}

struct side_child_case *
side_child_at(struct side_child *l, size_t i)
{
	return &l->cases[i];
}

void
side_child_free(struct side_child *l)
{
	if (!l)
		return;
	child_handle_stop(l->where.worker);
	for (size_t i = 0; i < l->ncases; i++)
		free(l->cases[i].got);
	free(l);
}

/* Launches the next case that has anything to launch. */
static void
advance(struct trial *t, struct side_child *l)
{
	for (; l->at < l->ncases; l->at++) {
		struct side_child_case *c = &l->cases[l->at];
		const struct op_instance *in = c->tc->in;

		c->got = xcalloc((size_t)in->out.rows * in->out.cols + 1,
		    sizeof *c->got);
		if (!trial_launch_start(t, &l->where, c->tc, &l->flight, &c->o))
			continue;
		/* OpenCL 1.2 launches nothing of size zero: the memory is
		 * judged as it was laid out. */
		if (!geometry_is_empty(&c->tc->geometry))
			return;
		trial_launch_inspect(&l->where, c->tc, &l->flight, c->got,
		    &c->o);
	}
	/* Nothing is asked of it any more. */
	child_handle_stop(l->where.worker);
	l->where.worker = NULL;
	l->state = SIDE_CHILD_ENDED;
}

static bool
is_answer(const struct reply *r, enum answer_kind kind)
{
	return r->event == CHILD_HANDLE_ANSWER && r->answer.kind == kind;
}

static void
end_build(struct trial *t, struct side_child *l)
{
	if (!is_answer(&l->built, ANSWER_BUILT)) {
		l->state = SIDE_CHILD_ENDED;
		return;
	}
	l->state = SIDE_CHILD_LAUNCHING;
	advance(t, l);
}

static void
end_launch(struct trial *t, struct side_child *l)
{
	struct side_child_case *c = &l->cases[l->at];

	trial_launch_charge(t, &l->where, c->tc);
	if (!is_answer(&l->launched, ANSWER_RAN) ||
	    trial_launches_are_spent(t)) {
		l->state = SIDE_CHILD_ENDED;
		return;
	}
	trial_launch_inspect(&l->where, c->tc, &l->flight, c->got, &c->o);
	l->at++;
	advance(t, l);
}

/* Its child has something to say. */
static void
step(struct trial *t, struct side_child *l)
{
	bool building = l->state == SIDE_CHILD_BUILDING;
	struct reply *r = building ? &l->built : &l->launched;

	r->event = child_handle_await(l->where.worker, &r->answer);
	if (building)
		end_build(t, l);
	else
		end_launch(t, l);
}

/* Waits until w, which may be NULL, or some side child has something to say,
 * and sees to that one.  true: it is w. */
static bool
attend(struct trial *t, struct child_handle *w)
{
	struct child_handle *workers[1 + TRIAL_SIDE_MAX];
	struct side_child *side[1 + TRIAL_SIDE_MAX] = { NULL };
	size_t n = 0, i;

	if (w)
		workers[n++] = w;
	for (i = 0; i < t->nside; i++)
		if (t->side[i]->state != SIDE_CHILD_ENDED) {
			side[n] = t->side[i];
			workers[n++] = t->side[i]->where.worker;
		}
	i = child_handle_await_any(workers, n);
	if (side[i])
		step(t, side[i]);
	return !side[i];
}

/* A launch ended the child: the rest cannot be launched any more. */
static void
judge_end(struct trial *t, struct side_child *l)
{
	struct side_child_case *c = &l->cases[l->at];

	trial_launch_ended(t, &l->where, c->tc, l->launched.event,
	    &l->launched.answer, &c->o);
	for (size_t i = l->at + 1; i < l->ncases; i++)
		l->cases[i].o = c->o;
}

bool
side_child_finish(struct trial *t, struct side_child *l)
{
	while (l->state != SIDE_CHILD_ENDED)
		attend(t, NULL);
	if (!trial_build_ended(t, &l->build, l->where.worker, l->built.event,
	        &l->built.answer))
		return false;
	if (l->at < l->ncases)
		judge_end(t, l);
	return true;
}

enum child_handle_event
side_children_await(struct trial *t, struct child_handle *w,
    struct order_answer *ret)
{
	while (!attend(t, w))
		;
	return child_handle_await(w, ret);
}
