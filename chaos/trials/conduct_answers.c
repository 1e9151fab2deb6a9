/*
 * Conduct with answers that are not whole: was a cut, an empty or a garbled one
 * taken for good?
 */
#include "chaos/trials/conduct_priv.h"

/*
 * After a torn tool call it goes on talking to the model: what it says there
 * may well be that the arguments were no good, and that is right.  So is to
 * tell the model that a tool has failed.
 */
static bool
is_told_to_model(const struct conduct_run *run, size_t i)
{
	if (!run->attempts[i].is_model)
		for (size_t j = i + 1; j < run->n; j++)
			if (run->attempts[j].tells_failure)
				return true;
	return run->attempts[i].worth == WORTH_TRUNCATED &&
	    run->attempts[i].head.calls_tool && i + 1 < run->n;
}

/*
 * Did the client go on as if nothing was wrong: no retry, no request beyond
 * those of a clean run, and success at the end?
 */
static bool
accepted(const struct conduct_run *run, enum worth worth, size_t *ret)
{
	bool hands_over = run->has_outcome && worth == WORTH_GARBLED;

	/* What is no answer at all and yet handed over as one was accepted,
	 * whatever the program then makes of it. */
	if ((run->exit_code != 0 && !hands_over) || run->signal ||
	    run->was_killed)
		return false;
	if (run->is_harmless ||
	    (run->clean_requests && run->n > run->clean_requests))
		return false;
	for (size_t i = 0; i < run->n; i++)
		if (run->attempts[i].worth == worth &&
		    !is_told_to_model(run, i) && run->attempts[i].is_struck &&
		    conduct_next_of(run, i) == run->n) {
			*ret = i;
			return true;
		}
	return false;
}

bool
conduct_accepted_truncated(const struct conduct_run *run, char *evidence)
{
	size_t i = 0;

	return !run->is_exposed && accepted(run, WORTH_TRUNCATED, &i) &&
	    conduct_say(evidence, "request %zu: the answer was cut, exit 0",
	        i + 1);
}

bool
conduct_accepted_empty(const struct conduct_run *run, char *evidence)
{
	size_t i = 0;

	return accepted(run, WORTH_EMPTY, &i) &&
	    conduct_say(evidence, "request %zu: the answer was empty, exit 0",
	        i + 1);
}

bool
conduct_accepted_garbled(const struct conduct_run *run, char *evidence)
{
	size_t i = 0;

	return (accepted(run, WORTH_GARBLED, &i) ||
	           accepted(run, WORTH_ERROR, &i)) &&
	    conduct_say(evidence, "request %zu: the answer was %s, %s", i + 1,
	        run->attempts[i].worth == WORTH_ERROR ? "an error" : "garbled",
	        run->exit_code ? "handed over as one" : "exit 0");
}
