/*
 * Shares of a launch far out.  Who counts elements in a number that is too
 * narrow lets the last groups write once more what the first ones write, with
 * the right values, and nobody what lies at the end.
 *
 * Where each group writes so many elements that all groups together have just
 * enough, two of them that write the same leave others to nobody.  No more than
 * a group's share is ever to spare: a last tile may lie over the one before.
 */
#include "lab/stages/huge_launch_priv.h"

#define FAR_BITS     32    /* of a number that counts elements */
#define GROUPS_MIN   16    /* of a launch */
#define ELEMENTS_MAX 65536 /* of a group */
#define NEAR         8     /* groups that are neighbours, or nearly so */
#define THERE        3     /* groups about a place */
#define PROOF        16    /* groups: the last ones, and some from all over */

struct share {
	bool is_known;
	uint64_t n, first, last; /* elements, of all rows without gaps */
};

static uint64_t
without_gaps(const struct huge_launch_run *r, uint64_t element)
{
	return element / r->out.stride * r->out.cols + element % r->out.stride;
}

/* Of the groups that the order names. */
static bool
ask(struct trial *t, struct huge_launch *f, struct cover *c,
    struct huge_launch_run *r, struct share *ret)
{
	const struct machine_written *w = huge_written(f, r);
	struct order_answer a = { 0 };

	if (!huge_ask(t, f, c, r, &a))
		return false;
	*ret = (struct share){ .is_known = a.count_end == MACHINE_DONE &&
		    !a.is_inexact && a.skipped == 0 && a.nwritten > 0,
		.n = a.nwritten,
		.first = UINT64_MAX,
		.last = without_gaps(r, a.last_written) };
	for (uint64_t i = 0; i < a.nwritten && i < HUGE_WRITTEN_MAX; i++) {
		uint64_t at = without_gaps(r, w[i].element);

		ret->first = at < ret->first ? at : ret->first;
	}
	return true;
}

static void
name_groups(struct huge_launch_run *r, uint64_t first, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		cover_add_group(&r->order, first + i);
}

/* Do the last groups leave the end to others, and has nobody more than a share
 * to write? */
static bool
prove(struct trial *t, struct huge_launch *f, struct cover *c,
    struct huge_launch_run *r, uint64_t share)
{
	uint64_t all = (uint64_t)r->out.rows * r->out.cols;
	struct trial_outcome o = { 0 };
	struct share of;

	r->order.ngroups = 0;
	name_groups(r, r->all_groups - PROOF / 2, PROOF / 2);
	for (int i = 0; i < PROOF / 2; i++)
		cover_add_group(&r->order, draw_bits(&f->dice) % r->all_groups);
	if (!ask(t, f, c, r, &of))
		return false;
	if (!of.is_known || of.n > r->order.ngroups * share ||
	    of.last == all - 1)
		return true;
	trial_set_outcome(&o, LAB_VERIFIED_INCORRECT, "unwritten",
	    "work groups that lie far apart write the same elements, and none "
	    "has any to spare");
	return huge_fail(t, f, r, &o);
}

bool
huge_judge_shares(struct trial *t, struct huge_launch *f, struct cover *c,
    struct huge_launch_run *r)
{
	uint64_t all = (uint64_t)r->out.rows * r->out.cols, n = r->all_groups;
	uint64_t place, to_spare;
	struct share one, there, both;

	if (all >> FAR_BITS == 0 || n < GROUPS_MIN ||
	    r->group_elements > ELEMENTS_MAX)
		return true;
	/* The last one may have less to do than the others. */
	r->order.ngroups = 0;
	name_groups(r, n - 2, 1);
	if (!ask(t, f, c, r, &one))
		return false;
	if (!one.is_known || one.n > all || (n - 1) * one.n >= all ||
	    n * one.n < all)
		return true;
	to_spare = n * one.n - all;
	place = one.first / one.n;
	if (place + NEAR >= n)
		return true;
	/* Whose place is it? */
	place -= place > 0;
	r->order.ngroups = 0;
	name_groups(r, place, THERE);
	if (!ask(t, f, c, r, &there))
		return false;
	name_groups(r, n - 2, 1);
	if (!ask(t, f, c, r, &both))
		return false;
	if (!there.is_known || !both.is_known ||
	    there.n + one.n <= both.n + to_spare)
		return true;
	return prove(t, f, c, r, one.n);
}
