/* What the machine has found, in the words of a verdict. */
#include "lab/stages/coverage_count.h"

#include <stdio.h>
#include <string.h>

static const char *
class_of(const char *text)
{
	static const char *const classes[] = { "race", "out_of_bounds",
		"input_write", "divergence", "misaligned", "timeout" };

	for (size_t i = 0; i < COUNT(classes); i++)
		if (strncmp(text, classes[i], strlen(classes[i])) == 0)
			return classes[i];
	return "crash";
}

/* "race: a work item reads what another one writes (line 8)" */
void
cover_finding(const struct trial *t, const struct order_answer *a,
    struct trial_outcome *o)
{
	const char *class = class_of(a->text), *what = strchr(a->text, ':');
	const struct op *op = t->rq->op;
	char where[32] = "", of[64] = "", detail[WHY_MAX];

	if (a->count_line > 0)
		snprintf(where, sizeof where, " (line %u)", a->count_line);
	if (a->fault_arg < op->nargs)
		snprintf(of, sizeof of, " of \"%s\"",
		    op->args[a->fault_arg].name);
	snprintf(detail, sizeof detail, "%s%s%s", what ? what + 2 : "", of,
	    where);
	trial_set_outcome(o,
	    strcmp(class, "crash") == 0         ? LAB_CRASH
	        : strcmp(class, "timeout") == 0 ? LAB_TIMEOUT
	                                        : LAB_VERIFIED_INCORRECT,
	    class, detail);
}

void
cover_memory_finding(const struct pack_finding *found, struct trial_outcome *o)
{
	if (found->out_of_bounds > 0)
		trial_set_outcome(o, LAB_VERIFIED_INCORRECT, "out_of_bounds",
		    "writes outside the elements of its output");
	else if (found->unwritten > 0)
		trial_set_outcome(o, LAB_VERIFIED_INCORRECT, "unwritten",
		    "output elements were never written");
}
