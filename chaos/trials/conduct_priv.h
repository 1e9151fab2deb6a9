/*
 * Shared by the rules of conduct (conduct.c has their table): which
 * attempt retries which, and how evidence is said.  Private to conduct_*.c
 * and conduct.c.
 */
#ifndef CHAOS_CONDUCT_PRIV_H
#define CHAOS_CONDUCT_PRIV_H

#include "chaos/trials/conduct.h"

typedef bool conduct_rule(const struct conduct_run *run,
    char evidence[CONDUCT_EVIDENCE_MAX]);

/* conduct_retries.c */
conduct_rule conduct_too_early, conduct_forbidden_retry, conduct_retry_storm,
    conduct_no_backoff, conduct_gave_up, conduct_repeated_side_effect;
/* conduct_answers.c */
conduct_rule conduct_accepted_truncated, conduct_accepted_empty,
    conduct_accepted_garbled, conduct_accepted_nothing;
/* conduct_effects.c */
conduct_rule conduct_did_twice, conduct_did_not, conduct_did_other,
    conduct_left_wrong;
/* conduct_endings.c */
conduct_rule conduct_never_ends, conduct_hung, conduct_ignored_timeout,
    conduct_not_resumed, conduct_fell_over, conduct_crashed;

/* Success is said: exit 0, and nobody had to kill it. */
bool conduct_has_succeeded(const struct conduct_run *run);

/* Writes the evidence; always true, as the rule that says it is broken. */
bool conduct_say(char evidence[CONDUCT_EVIDENCE_MAX], const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
double conduct_seconds(uint64_t us);

/* The index of the attempt that retries attempt i; n: there is none. */
size_t conduct_next_of(const struct conduct_run *run, size_t i);
/* Does attempt i retry none? */
bool conduct_is_first(const struct conduct_run *run, size_t i);
/* A call that was given up in the end: did the client have, by other requests,
 * as many whole answers of its kind as a clean run has? */
bool conduct_is_made_up_for(const struct conduct_run *run, size_t i);
/* From the end of attempt i to the start of attempt j. */
uint64_t conduct_wait_us(const struct conduct_run *run, size_t i, size_t j);

#endif
