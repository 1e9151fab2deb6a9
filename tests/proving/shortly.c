/* See the header: two requests. */
#include "tests/proving/shortly.h"

/* By a case; what failed before any ran, or in the lab, the whole verdict may
 * see otherwise. */
static bool
is_killed(const struct lab_report *r)
{
	for (size_t i = 0; i < r->nstages; i++)
		if (r->stages[i].status == LAB_STAGE_FAILED)
			return r->verdict != LAB_ERROR &&
			    (r->stages[i].stage == LAB_STAGE_EXACT ||
			        r->stages[i].stage == LAB_STAGE_HOLDOUTS);
	return false;
}

void
shortly_judge(struct lab *lab, const struct lab_request *rq,
    enum dtype wrong_in, bool check, struct lab_report *ret)
{
	struct lab_request first = *rq;

	first.upto = LAB_STAGE_HOLDOUTS;
	first.storage = 1U << wrong_in;
	lab_judge(lab, &first, ret);
	if (check || !is_killed(ret))
		lab_judge(lab, rq, ret);
}
