/*
 * How a run ended: by itself, by a signal, not at all, or, begun again after a
 * crash, without finishing what that had cut off.
 */
#include "chaos/trials/conduct_priv.h"

/* Answers that asked for a tool, and were not the last word. */
static size_t
tool_calls(const struct conduct_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n; i++)
		n += run->attempts[i].head.calls_tool;
	return n;
}

static bool
goes_on(const struct conduct_run *run)
{
	return run->tool_calls_max && tool_calls(run) > run->tool_calls_max;
}

bool
conduct_never_ends(const struct conduct_run *run, char *evidence)
{
	return goes_on(run) &&
	    conduct_say(evidence, "the model was let call tools %zu times, %s",
	        tool_calls(run),
	        run->was_killed ? "stopped" : "before it ended");
}

static bool
is_hanging(const struct conduct_run *run)
{
	return run->was_killed && !run->is_retrying && !goes_on(run);
}

bool
conduct_hung(const struct conduct_run *run, char *evidence)
{
	return is_hanging(run) && run->timeout_ms == 0 &&
	    conduct_say(evidence, "still there after %.1f s, killed",
	        (double)run->deadline_ms / 1e3);
}

bool
conduct_ignored_timeout(const struct conduct_run *run, char *evidence)
{
	return is_hanging(run) && run->timeout_ms > 0 &&
	    conduct_say(evidence, "still there after %.1f s, was given %.1f s",
	        (double)run->deadline_ms / 1e3, (double)run->timeout_ms / 1e3);
}

bool
conduct_not_resumed(const struct conduct_run *run, char *evidence)
{
	return run->has_crashed && !conduct_has_succeeded(run) &&
	    !run->was_killed &&
	    conduct_say(evidence, "begun again it ended with %s %d",
	        run->signal ? "signal" : "exit",
	        run->signal ? run->signal : run->exit_code);
}

bool
conduct_fell_over(const struct conduct_run *run, char *evidence)
{
	return run->is_harmless && !run->was_killed && !run->signal &&
	    run->exit_code != 0 &&
	    conduct_say(evidence, "exit %d", run->exit_code);
}

bool
conduct_crashed(const struct conduct_run *run, char *evidence)
{
	return run->signal && !run->was_killed &&
	    conduct_say(evidence, "died of signal %d", run->signal);
}
