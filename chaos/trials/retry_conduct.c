/*
 * The rules of conduct.  To add one: a predicate and a row.  A predicate
 * walks the attempts, finds the first that breaks the rule, and says so in
 * one line with numbers.
 *
 * Bounds are generous where clients differ by taste: a rule names what is
 * wrong under every reading, not what we would have done.
 */
#include "chaos/trials/retry_conduct.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EARLY_US     25000u   /* timers and networks are this coarse */
#define CREDIBLE_MS  60000    /* a longer Retry-After binds nobody */
#define HASTE_US     100000u  /* a retry after an error sooner than this */
#define STORM_TRIES  8u       /* of one call */
#define STORM_BURST  5u       /* of one call ... */
#define STORM_US     1000000u /* ... within this */
#define GROWTH_TRIES 4u       /* attempts from which waits must grow */
#define ALIKE_US     15000u   /* waits that differ by less are equal */
#define SPREAD       20u      /* jitter is a twentieth of a wait, or more */

/* Sections of RFC 9110 and RFC 9112, and what the operators of large services
 * have written down. */
#define NORM_HTTP "https://www.rfc-editor.org/rfc/rfc9110.html"
#define NORM_WIRE "https://www.rfc-editor.org/rfc/rfc9112.html"
#define NORM_BACKOFF                                                           \
	"https://aws.amazon.com/builders-library/"                             \
	"timeouts-retries-and-backoff-with-jitter/"
#define NORM_OVERLOAD "https://sre.google/sre-book/handling-overload/"

typedef bool retry_conduct_predicate(const struct retry_conduct_run *run,
    char evidence[RETRY_CONDUCT_EVIDENCE_MAX]);

static retry_conduct_predicate too_early, forbidden_retry, retry_storm,
    no_backoff, gave_up, accepted_truncated, accepted_empty, accepted_garbled,
    hung, ignored_timeout, never_ends, repeated_side_effect, did_twice, did_not,
    did_other, left_wrong, not_resumed, fell_over, crashed;

/* clang-format off */
static const struct retry_conduct_rule rules[] = {	/* in the order of a story */
	{ "too_early",            "retried before Retry-After",               1, NORM_HTTP "#section-10.2.3", too_early            },
	{ "forbidden_retry",      "retried what must not be retried",         1, NORM_HTTP "#section-15.5", forbidden_retry      },
	{ "retry_storm",          "retry storm",                              1, NORM_OVERLOAD, retry_storm          },
	{ "no_backoff",           "no backoff",                               1, NORM_BACKOFF, no_backoff           },
	{ "gave_up",              "gave up although a retry was due",         2, NORM_HTTP "#section-15.6.4", gave_up              },
	{ "accepted_truncated",   "accepted a truncated answer",              3, NORM_WIRE "#section-8", accepted_truncated   },
	{ "accepted_empty",       "accepted an empty answer",                 3, NULL, accepted_empty       },
	{ "accepted_garbled",     "accepted a garbled answer",                3, NULL, accepted_garbled     },
	{ "hung",                 "hung past its deadline",                   2, NORM_WIRE "#section-9.5", hung                 },
	{ "ignored_timeout",      "waited past the time-out that it was given", 3, NORM_WIRE "#section-9.5", ignored_timeout      },
	{ "never_ends",           "went on calling tools for ever",           2, NULL, never_ends           },
	{ "repeated_side_effect", "repeated a side effect",                   3, NORM_HTTP "#section-9.2.2", repeated_side_effect },
	{ "effect_twice",         "did the same twice",                       3, NORM_HTTP "#section-9.2.2", did_twice            },
	{ "effect_lost",          "did not do all that it should",            3, NULL, did_not              },
	{ "effect_other",         "did what nobody asked for",                3, NULL, did_other            },
	{ "wrong_state",          "left a wrong state behind",                3, NULL, left_wrong           },
	{ "not_resumed",          "did not finish what a crash had cut off",  2, NULL, not_resumed          },
	{ "fell_over",            "failed although every answer was whole",   2, NULL, fell_over            },
	{ "crashed",              "crashed",                                  3, NULL, crashed              },
};
/* clang-format on */

/* Over all runs, so it has no predicate. */
const struct retry_conduct_rule retry_conduct_jitter = { "no_jitter",
	"no jitter", 1, NORM_BACKOFF, NULL };

size_t
retry_conduct_rule_count(void)
{
	return COUNT(rules);
}

const struct retry_conduct_rule *
retry_conduct_rule_at(size_t i)
{
	return &rules[i];
}

static bool __attribute__((format(printf, 2, 3)))
say(char evidence[RETRY_CONDUCT_EVIDENCE_MAX], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(evidence, RETRY_CONDUCT_EVIDENCE_MAX, fmt, ap);
	va_end(ap);
	return true;
}

static double
seconds(uint64_t us)
{
	return (double)us / 1e6;
}

/* ---- calls and their attempts */

/* The index of the attempt that retries attempt i; n: there is none. */
static size_t
next_of(const struct retry_conduct_run *run, size_t i)
{
	const struct retry_conduct_attempt *a = &run->attempts[i];

	/* The same request again after a good answer is a new call: programs do
	 * ask twice. */
	if (a->worth == WORTH_GOOD && !a->has_left)
		return run->n;
	/* A tool that is called again behind a question to the model was asked
	 * for again. */
	for (size_t j = i + 1;
	     j < run->n && (a->is_model || !run->attempts[j].is_model); j++)
		if (strcmp(run->attempts[j].key, a->key) == 0)
			return j;
	return run->n;
}

/* From the end of attempt i to the start of attempt j. */
static uint64_t
wait_us(const struct retry_conduct_run *run, size_t i, size_t j)
{
	uint64_t end = run->attempts[i].over_us;
	uint64_t start = run->attempts[j].arrived_us;

	return start > end ? start - end : 0;
}

static bool
is_first(const struct retry_conduct_run *run, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (next_of(run, j) == i)
			return false;
	return true;
}

static size_t
tries_of(const struct retry_conduct_run *run, size_t i)
{
	size_t n = 0;

	for (; i < run->n; i = next_of(run, i))
		n++;
	return n;
}

/* ---- what an answer asks for */

static bool
is_among(int status, const int *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == status)
			return true;
	return false;
}

/* The same request will meet the same answer. */
static bool
is_final(const struct retry_conduct_attempt *a)
{
	static const int statuses[] = { 400, 401, 402, 403, 404, 405, 410, 413,
		414, 415, 422, 501, 505 };

	return a->head.should_retry != 1 &&
	    (a->head.is_final || a->head.should_retry == 0 ||
	        is_among(a->head.status, statuses, COUNT(statuses)));
}

/* It would pass, and nothing of an answer was given away yet. */
static bool
is_passing(const struct retry_conduct_attempt *a)
{
	static const int statuses[] = { 408, 425, 429, 500, 502, 503, 504, 520,
		522, 524, 529 };

	if (is_final(a) || a->has_left)
		return false;
	/* Nobody knows whether it was carried out (RFC 9110, 9.2.2): not to ask
	 * again is right too, unless the server says when. */
	if (a->has_side_effect && a->head.retry_after_ms < 0)
		return false;
	if (a->worth == WORTH_NOTHING)
		return true;
	return is_among(a->head.status, statuses, COUNT(statuses));
}

/* ---- retries */

static bool
too_early(const struct retry_conduct_run *run, char *evidence)
{
	for (size_t i = 0; i < run->n; i++) {
		int64_t ms = run->attempts[i].head.retry_after_ms;
		size_t j = next_of(run, i);

		if (j == run->n || ms <= 0 || ms > CREDIBLE_MS ||
		    wait_us(run, i, j) + EARLY_US >= (uint64_t)ms * 1000)
			continue;
		return say(evidence, "came back after %.2f s, was told %.2f s",
		    seconds(wait_us(run, i, j)), (double)ms / 1e3);
	}
	return false;
}

static bool
forbidden_retry(const struct retry_conduct_run *run, char *evidence)
{
	for (size_t i = 0; i < run->n; i++) {
		const struct retry_conduct_attempt *a = &run->attempts[i];

		if (!is_final(a) || next_of(run, i) == run->n)
			continue;
		return say(evidence, "asked again after %d%s", a->head.status,
		    a->head.should_retry == 0 ? " with x-should-retry: false"
		        : a->head.is_final && a->head.status == 429
		        ? " with a used-up quota"
		        : "");
	}
	return false;
}

static bool
retry_storm(const struct retry_conduct_run *run, char *evidence)
{
	for (size_t i = 0; i < run->n; i++) {
		size_t tries = tries_of(run, i), last = i, k;

		if (!is_first(run, i))
			continue;
		if (tries > STORM_TRIES)
			return say(evidence, "%zu attempts of one call", tries);
		for (k = 1; k < STORM_BURST && last < run->n; k++)
			last = next_of(run, last);
		if (last < run->n &&
		    run->attempts[last].arrived_us -
		            run->attempts[i].arrived_us <
		        STORM_US)
			return say(evidence,
			    "%u attempts of one call within %.2f s",
			    STORM_BURST,
			    seconds(run->attempts[last].arrived_us -
			        run->attempts[i].arrived_us));
	}
	return false;
}

/* Do the waits of this call stay as they are, from first to last? */
static bool
is_flat(const struct retry_conduct_run *run, size_t i, uint64_t *ret_us)
{
	size_t j = next_of(run, i);
	uint64_t first = wait_us(run, i, j), most = first;

	for (; j < run->n; i = j, j = next_of(run, j)) {
		uint64_t wait = wait_us(run, i, j);

		/* Told how long to wait, a client owes no growth of its own. */
		if (run->attempts[i].head.retry_after_ms >= 0)
			return false;
		most = wait > most ? wait : most;
	}
	*ret_us = most;
	return most < first + first / 5 + ALIKE_US;
}

static bool
no_backoff(const struct retry_conduct_run *run, char *evidence)
{
	for (size_t i = 0; i < run->n; i++) {
		const struct retry_conduct_attempt *a = &run->attempts[i];
		size_t j = next_of(run, i);
		uint64_t wait;

		if (j == run->n || a->head.retry_after_ms >= 0)
			continue;
		wait = wait_us(run, i, j);
		if (a->worth == WORTH_ERROR && wait < HASTE_US)
			return say(evidence, "came back %.0f ms after %d",
			    seconds(wait) * 1e3, a->head.status);
		if (is_first(run, i) && tries_of(run, i) >= GROWTH_TRIES &&
		    is_flat(run, i, &wait))
			return say(evidence,
			    "%zu attempts, no wait longer than %.2f s",
			    tries_of(run, i), seconds(wait));
	}
	return false;
}

static bool
gave_up(const struct retry_conduct_run *run, char *evidence)
{
	for (size_t i = 0; i < run->n && !run->is_pipe; i++) {
		const struct retry_conduct_attempt *a = &run->attempts[i];

		if (!a->is_struck || !is_first(run, i) || !is_passing(a) ||
		    a->head.retry_after_ms > CREDIBLE_MS ||
		    next_of(run, i) < run->n)
			continue;
		if (a->worth == WORTH_NOTHING)
			return say(evidence,
			    "no second attempt after a lost connection");
		return say(evidence, "no second attempt after %d",
		    a->head.status);
	}
	return false;
}

/* ---- answers */

/*
 * After a torn tool call it goes on talking to the model: what it says there
 * may well be that the arguments were no good, and that is right.  So is to
 * tell the model that a tool has failed.
 */
static bool
is_told_to_model(const struct retry_conduct_run *run, size_t i)
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
accepted(const struct retry_conduct_run *run, enum worth worth, size_t *ret)
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
		    next_of(run, i) == run->n) {
			*ret = i;
			return true;
		}
	return false;
}

static bool
accepted_truncated(const struct retry_conduct_run *run, char *evidence)
{
	size_t i = 0;

	return !run->is_exposed && accepted(run, WORTH_TRUNCATED, &i) &&
	    say(evidence, "request %zu: the answer was cut, exit 0", i + 1);
}

static bool
accepted_empty(const struct retry_conduct_run *run, char *evidence)
{
	size_t i = 0;

	return accepted(run, WORTH_EMPTY, &i) &&
	    say(evidence, "request %zu: the answer was empty, exit 0", i + 1);
}

static bool
accepted_garbled(const struct retry_conduct_run *run, char *evidence)
{
	size_t i = 0;

	return (accepted(run, WORTH_GARBLED, &i) ||
	           accepted(run, WORTH_ERROR, &i)) &&
	    say(evidence, "request %zu: the answer was %s, %s", i + 1,
	        run->attempts[i].worth == WORTH_ERROR ? "an error" : "garbled",
	        run->exit_code ? "handed over as one" : "exit 0");
}

/* ---- the end */

/* Answers that asked for a tool, and were not the last word. */
static size_t
tool_calls(const struct retry_conduct_run *run)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n; i++)
		n += run->attempts[i].head.calls_tool;
	return n;
}

static bool
goes_on(const struct retry_conduct_run *run)
{
	return run->tool_calls_max && tool_calls(run) > run->tool_calls_max;
}

static bool
never_ends(const struct retry_conduct_run *run, char *evidence)
{
	return goes_on(run) &&
	    say(evidence, "the model was let call tools %zu times, %s",
	        tool_calls(run),
	        run->was_killed ? "stopped" : "before it ended");
}

static bool
is_hanging(const struct retry_conduct_run *run)
{
	return run->was_killed && !run->is_retrying && !goes_on(run);
}

static bool
hung(const struct retry_conduct_run *run, char *evidence)
{
	return is_hanging(run) && run->timeout_ms == 0 &&
	    say(evidence, "still there after %.1f s, killed",
	        (double)run->deadline_ms / 1e3);
}

static bool
ignored_timeout(const struct retry_conduct_run *run, char *evidence)
{
	return is_hanging(run) && run->timeout_ms > 0 &&
	    say(evidence, "still there after %.1f s, was given %.1f s",
	        (double)run->deadline_ms / 1e3, (double)run->timeout_ms / 1e3);
}

static bool
repeated_side_effect(const struct retry_conduct_run *run, char *evidence)
{
	for (size_t i = 0; i < run->n; i++) {
		const struct retry_conduct_attempt *a = &run->attempts[i];

		if (!a->has_side_effect || a->has_idempotency ||
		    !a->reached_upstream || next_of(run, i) == run->n)
			continue;
		return say(evidence,
		    "request %zu was carried out, its answer lost, and it "
		    "was sent again without an idempotency key",
		    i + 1);
	}
	return false;
}

/* ---- effects */

/* Success is said: the effects must be there. */
static bool
has_succeeded(const struct retry_conduct_run *run)
{
	return run->exit_code == 0 && !run->signal && !run->was_killed;
}

static bool
did_twice(const struct retry_conduct_run *run, char *evidence)
{
	return run->effect_twice &&
	    say(evidence, "more than once: %.100s", run->effect_twice);
}

/* The model knew last that its tool had failed, and what it then said was for
 * the user: nobody was told that all was done. */
static bool
has_told_failure(const struct retry_conduct_run *run)
{
	size_t i = run->n;

	while (i > 0 && !run->attempts[i - 1].is_model)
		i--;
	return i > 0 && run->attempts[i - 1].tells_failure;
}

static bool
did_not(const struct retry_conduct_run *run, char *evidence)
{
	return run->effect_lost && has_succeeded(run) &&
	    !has_told_failure(run) &&
	    say(evidence, "exit 0 without: %.100s", run->effect_lost);
}

static bool
did_other(const struct retry_conduct_run *run, char *evidence)
{
	return run->effect_other &&
	    say(evidence, "not in a clean run: %.100s", run->effect_other);
}

static bool
left_wrong(const struct retry_conduct_run *run, char *evidence)
{
	return run->is_wrong_state && has_succeeded(run) &&
	    say(evidence, "exit 0, and the look at the final state fails");
}

static bool
not_resumed(const struct retry_conduct_run *run, char *evidence)
{
	return run->has_crashed && !has_succeeded(run) && !run->was_killed &&
	    say(evidence, "begun again it ended with %s %d",
	        run->signal ? "signal" : "exit",
	        run->signal ? run->signal : run->exit_code);
}

static bool
fell_over(const struct retry_conduct_run *run, char *evidence)
{
	return run->is_harmless && !run->was_killed && !run->signal &&
	    run->exit_code != 0 && say(evidence, "exit %d", run->exit_code);
}

static bool
crashed(const struct retry_conduct_run *run, char *evidence)
{
	return run->signal && !run->was_killed &&
	    say(evidence, "died of signal %d", run->signal);
}

/* ---- across runs */

size_t
retry_conduct_waits(const struct retry_conduct_run *run, uint64_t *ret_us,
    size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n && n < max; i++) {
		size_t j = next_of(run, i);

		if (j < run->n && is_first(run, i) &&
		    run->attempts[i].is_struck && !run->attempts[i].has_left &&
		    run->attempts[i].head.retry_after_ms < 0 &&
		    wait_us(run, i, j) >= HASTE_US)
			ret_us[n++] = wait_us(run, i, j);
	}
	return n;
}

bool
retry_conduct_lacks_jitter(const uint64_t *waits_us, size_t n,
    char evidence[RETRY_CONDUCT_EVIDENCE_MAX])
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < n; i++) {
		least = waits_us[i] < least ? waits_us[i] : least;
		most = waits_us[i] > most ? waits_us[i] : most;
	}
	if (n == 0)
		return !say(evidence, "it never waited of its own accord");
	say(evidence, "%zu first waits, %.0f to %.0f ms", n,
	    seconds(least) * 1e3, seconds(most) * 1e3);
	return n >= RETRY_CONDUCT_WAITS_MIN && most - least < least / SPREAD;
}

/* ---- in words */

static size_t
say_waits(const struct retry_conduct_run *run, char *out, size_t size)
{
	size_t at = 0, n = 0;

	for (size_t i = 0; i < run->n && n < 4; i++) {
		size_t j = next_of(run, i);

		if (j == run->n || at >= size)
			continue;
		at += (size_t)snprintf(out + at, size - at, "%s%.2f",
		    n++ ? ", " : ", waited ", seconds(wait_us(run, i, j)));
	}
	if (n && at < size)
		snprintf(out + at, size - at, " s");
	return n;
}

void
retry_conduct_describe(const struct retry_conduct_run *run,
    char out[RETRY_CONDUCT_EVIDENCE_MAX])
{
	char waits[64] = "", end[32];

	say_waits(run, waits, sizeof waits);
	if (run->was_killed)
		snprintf(end, sizeof end, "%s",
		    run->is_retrying ? "still retrying" : "killed");
	else if (run->signal)
		snprintf(end, sizeof end, "signal %d", run->signal);
	else
		snprintf(end, sizeof end, "exit %d", run->exit_code);
	snprintf(out, RETRY_CONDUCT_EVIDENCE_MAX, "%zu request%s%s, %s", run->n,
	    run->n == 1 ? "" : "s", waits, end);
}
