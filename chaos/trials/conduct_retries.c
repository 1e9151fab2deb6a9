/*
 * Conduct between an error and the next attempt: whether a retry was due, too
 * early, too often, without backoff, or of what must not be asked twice; and
 * over many runs, whether the waits have jitter.
 */
#include "chaos/trials/conduct_priv.h"

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

static size_t
tries_of(const struct conduct_run *run, size_t i)
{
	size_t n = 0;

	for (; i < run->n; i = conduct_next_of(run, i))
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
is_final(const struct conduct_attempt *a)
{
	static const int statuses[] = { 400, 401, 402, 403, 404, 405, 410, 413,
		414, 415, 422, 501, 505 };

	return a->head.should_retry != 1 &&
	    (a->head.is_final || a->head.should_retry == 0 ||
	        is_among(a->head.status, statuses, COUNT(statuses)));
}

/* It would pass, and nothing of an answer was given away yet. */
static bool
is_passing(const struct conduct_attempt *a)
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

/* The answer was about who asked, and another one asks (RFC 9110, 15.5.2 and
 * 15.5.4): a token that was renewed, a second key with a quota of its own. */
static bool
is_renewed(const struct conduct_run *run, size_t i, size_t j)
{
	static const int statuses[] = { 401, 402, 403, 429 };
	const struct conduct_attempt *a = &run->attempts[i];

	return j < run->n && a->head.should_retry != 0 && is_final(a) &&
	    is_among(a->head.status, statuses, COUNT(statuses)) &&
	    strcmp(a->credential, run->attempts[j].credential) != 0;
}

/* ---- retries */

bool
conduct_too_early(const struct conduct_run *run, char *evidence)
{
	for (size_t i = 0; i < run->n; i++) {
		int64_t ms = run->attempts[i].head.retry_after_ms;
		size_t j = conduct_next_of(run, i);

		if (j == run->n || ms <= 0 || ms > CREDIBLE_MS ||
		    conduct_wait_us(run, i, j) + EARLY_US >=
		        (uint64_t)ms * 1000)
			continue;
		return conduct_say(evidence,
		    "came back after %.2f s, was told %.2f s",
		    conduct_seconds(conduct_wait_us(run, i, j)),
		    (double)ms / 1e3);
	}
	return false;
}

bool
conduct_forbidden_retry(const struct conduct_run *run, char *evidence)
{
	for (size_t i = 0; i < run->n; i++) {
		const struct conduct_attempt *a = &run->attempts[i];
		size_t j = conduct_next_of(run, i);

		if (!is_final(a) || j == run->n || is_renewed(run, i, j))
			continue;
		return conduct_say(evidence, "asked again after %d%s",
		    a->head.status,
		    a->head.should_retry == 0 ? " with x-should-retry: false"
		        : a->head.is_final && a->head.status == 429
		        ? " with a used-up quota"
		        : "");
	}
	return false;
}

bool
conduct_retry_storm(const struct conduct_run *run, char *evidence)
{
	for (size_t i = 0; i < run->n; i++) {
		size_t tries = tries_of(run, i), last = i, k;

		if (!conduct_is_first(run, i))
			continue;
		if (tries > STORM_TRIES)
			return conduct_say(evidence, "%zu attempts of one call",
			    tries);
		for (k = 1; k < STORM_BURST && last < run->n; k++)
			last = conduct_next_of(run, last);
		if (last < run->n &&
		    run->attempts[last].arrived_us -
		            run->attempts[i].arrived_us <
		        STORM_US)
			return conduct_say(evidence,
			    "%u attempts of one call within %.2f s",
			    STORM_BURST,
			    conduct_seconds(run->attempts[last].arrived_us -
			        run->attempts[i].arrived_us));
	}
	return false;
}

/* Do the waits of this call stay as they are, from first to last? */
static bool
is_flat(const struct conduct_run *run, size_t i, uint64_t *ret_us)
{
	size_t j = conduct_next_of(run, i);
	uint64_t first = conduct_wait_us(run, i, j), most = first;

	for (; j < run->n; i = j, j = conduct_next_of(run, j)) {
		uint64_t wait = conduct_wait_us(run, i, j);

		/* Told how long to wait, a client owes no growth of its own. */
		if (run->attempts[i].head.retry_after_ms >= 0)
			return false;
		most = wait > most ? wait : most;
	}
	*ret_us = most;
	return most < first + first / 5 + ALIKE_US;
}

bool
conduct_no_backoff(const struct conduct_run *run, char *evidence)
{
	for (size_t i = 0; i < run->n; i++) {
		const struct conduct_attempt *a = &run->attempts[i];
		size_t j = conduct_next_of(run, i);
		uint64_t wait;

		if (j == run->n || a->head.retry_after_ms >= 0)
			continue;
		wait = conduct_wait_us(run, i, j);
		if (a->worth == WORTH_ERROR && wait < HASTE_US &&
		    !is_renewed(run, i, j))
			return conduct_say(evidence,
			    "came back %.0f ms after %d",
			    conduct_seconds(wait) * 1e3, a->head.status);
		if (conduct_is_first(run, i) &&
		    tries_of(run, i) >= GROWTH_TRIES && is_flat(run, i, &wait))
			return conduct_say(evidence,
			    "%zu attempts, no wait longer than %.2f s",
			    tries_of(run, i), conduct_seconds(wait));
	}
	return false;
}

bool
conduct_gave_up(const struct conduct_run *run, char *evidence)
{
	for (size_t i = 0; i < run->n && !run->is_pipe; i++) {
		const struct conduct_attempt *a = &run->attempts[i];

		if (!a->is_struck || !conduct_is_first(run, i) ||
		    !is_passing(a) || a->head.retry_after_ms > CREDIBLE_MS ||
		    conduct_next_of(run, i) < run->n)
			continue;
		/* Another model that answered is as good as a second attempt.
		 */
		if (conduct_has_succeeded(run) &&
		    conduct_is_made_up_for(run, i))
			continue;
		if (a->worth == WORTH_NOTHING)
			return conduct_say(evidence,
			    "no second attempt after a lost connection");
		return conduct_say(evidence, "no second attempt after %d",
		    a->head.status);
	}
	return false;
}

bool
conduct_repeated_side_effect(const struct conduct_run *run, char *evidence)
{
	for (size_t i = 0; i < run->n; i++) {
		const struct conduct_attempt *a = &run->attempts[i];

		if (!a->has_side_effect || a->has_idempotency ||
		    !a->reached_upstream || conduct_next_of(run, i) == run->n)
			continue;
		return conduct_say(evidence,
		    "request %zu was carried out, its answer lost, and it "
		    "was sent again without an idempotency key",
		    i + 1);
	}
	return false;
}

/* ---- across runs */

size_t
conduct_waits(const struct conduct_run *run, uint64_t *ret_us, size_t max)
{
	size_t n = 0;

	for (size_t i = 0; i < run->n && n < max; i++) {
		size_t j = conduct_next_of(run, i);

		if (j < run->n && conduct_is_first(run, i) &&
		    run->attempts[i].is_struck && !run->attempts[i].has_left &&
		    run->attempts[i].head.retry_after_ms < 0 &&
		    conduct_wait_us(run, i, j) >= HASTE_US)
			ret_us[n++] = conduct_wait_us(run, i, j);
	}
	return n;
}

bool
conduct_lacks_jitter(const uint64_t *waits_us, size_t n,
    char evidence[CONDUCT_EVIDENCE_MAX])
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < n; i++) {
		least = waits_us[i] < least ? waits_us[i] : least;
		most = waits_us[i] > most ? waits_us[i] : most;
	}
	if (n == 0)
		return !conduct_say(evidence,
		    "it never waited of its own accord");
	conduct_say(evidence, "%zu first waits, %.0f to %.0f ms", n,
	    conduct_seconds(least) * 1e3, conduct_seconds(most) * 1e3);
	return n >= CONDUCT_WAITS_MIN && most - least < least / SPREAD;
}
