/*
 * grid_stride: a loop over the rest of a row or grid runs only once.
 *
 * A site is a `for` that steps by more than one (a local or global size, a
 * number): its step becomes the limit, so that the second round never comes.
 */
#include "cltext/corruption_site.h"

#include "base/mem.h"
#include "cltext/kernel_form.h"
#include <stdlib.h>
#include <string.h>

static void
find(const struct clcode *c, struct corrupt_sites *sites)
{
	struct kernel_loop l;
	char *limit, *step;

	for (size_t i = kernel_body(c); i < c->n; i++) {
		if (!kernel_loop_at(c, i, &l) ||
		    !clcode_is(c, l.step + 1, "+=") ||
		    !clcode_is(c, l.cond + 1, "<") ||
		    !clcode_same(c, l.cond, l.step) ||
		    clcode_is(c, l.step + 2, "1"))
			continue;
		limit = corrupt_code_text(c, l.cond + 2, l.cond_end);
		step = corrupt_code_text(c, l.step + 2, l.step_end);
		/* One round is all that it has: nothing would change. */
		if (strcmp(step, limit) != 0)
			corrupt_site_tokens(sites, c, l.step + 2, l.step_end,
			    limit);
		free(step);
		free(limit);
	}
}

const struct corrupt_operator op_grid_stride = {
	.name = "grid_stride",
	.rewrite = "the loop over the rest runs only once",
	.invisible = "rows no longer than one round",
	.shows = "longer rows",
	.find = find,
};
