/*
 * sync_drop: a barrier is removed.
 */
#include "cltext/corruption_site.h"

#include "cltext/kernel_form.h"

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	static const char *const words[] = { "barrier", "work_group_barrier",
		NULL };

	for (size_t i = kernel_body(c); i + 1 < c->n; i++)
		if (clcode_is_any(c, i, words) && clcode_is(c, i + 1, "("))
			corrupt_site_tokens(sites, c, i, c->mate[i + 1] + 1,
			    "");
}

const struct corrupt_operator op_sync_drop = {
	.name = "sync_drop",
	.rewrite = "a barrier is removed",
	.invisible = "one work item ahead of the rest, by luck",
	.shows = "race analysis, other schedules and group sizes",
	.find = find,
};
