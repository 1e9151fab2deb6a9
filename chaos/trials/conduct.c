/*
 * The table of the rules of conduct.  To add one: a predicate in the
 * conduct_*.c that it belongs to, and a row.  A predicate walks the attempts,
 * finds the first that breaks the rule, and says so in one line with numbers.
 *
 * Bounds are generous where clients differ by taste: a rule names what is
 * wrong under every reading, not what we would have done.
 */
#include "chaos/trials/conduct_priv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Sections of RFC 9110 and RFC 9112, and what the operators of large services
 * have written down. */
#define NORM_HTTP "https://www.rfc-editor.org/rfc/rfc9110.html"
#define NORM_WIRE "https://www.rfc-editor.org/rfc/rfc9112.html"
#define NORM_BACKOFF                                                           \
	"https://aws.amazon.com/builders-library/"                             \
	"timeouts-retries-and-backoff-with-jitter/"
#define NORM_OVERLOAD "https://sre.google/sre-book/handling-overload/"

/* clang-format off */
static const struct conduct_rule rules[] = {	/* in the order of a story */
	{ "too_early",            "retried before Retry-After",               1, NORM_HTTP "#section-10.2.3", conduct_too_early            },
	{ "forbidden_retry",      "retried what must not be retried",         1, NORM_HTTP "#section-15.5", conduct_forbidden_retry      },
	{ "retry_storm",          "retry storm",                              1, NORM_OVERLOAD, conduct_retry_storm          },
	{ "no_backoff",           "no backoff",                               1, NORM_BACKOFF, conduct_no_backoff           },
	{ "gave_up",              "gave up although a retry was due",         2, NORM_HTTP "#section-15.6.4", conduct_gave_up              },
	{ "accepted_truncated",   "accepted a truncated answer",              3, NORM_WIRE "#section-8", conduct_accepted_truncated   },
	{ "accepted_empty",       "accepted an empty answer",                 3, NULL, conduct_accepted_empty       },
	{ "accepted_garbled",     "accepted a garbled answer",                3, NULL, conduct_accepted_garbled     },
	{ "accepted_nothing",     "claimed success without an answer",        3, NULL, conduct_accepted_nothing     },
	{ "hung",                 "hung past its deadline",                   2, NORM_WIRE "#section-9.5", conduct_hung                 },
	{ "ignored_timeout",      "waited past the time-out that it was given", 3, NORM_WIRE "#section-9.5", conduct_ignored_timeout      },
	{ "never_ends",           "went on calling tools for ever",           2, NULL, conduct_never_ends           },
	{ "repeated_side_effect", "repeated a side effect",                   3, NORM_HTTP "#section-9.2.2", conduct_repeated_side_effect },
	{ "effect_twice",         "did the same twice",                       3, NORM_HTTP "#section-9.2.2", conduct_did_twice            },
	{ "effect_lost",          "did not do all that it should",            3, NULL, conduct_did_not              },
	{ "effect_other",         "did what nobody asked for",                3, NULL, conduct_did_other            },
	{ "wrong_state",          "left a wrong state behind",                3, NULL, conduct_left_wrong           },
	{ "not_resumed",          "did not finish what a crash had cut off",  2, NULL, conduct_not_resumed          },
	{ "fell_over",            "failed although every answer was whole",   2, NULL, conduct_fell_over            },
	{ "crashed",              "crashed",                                  3, NULL, conduct_crashed              },
};
/* clang-format on */

/* Over all runs, so it has no predicate. */
const struct conduct_rule conduct_jitter = { "no_jitter", "no jitter", 1,
	NORM_BACKOFF, NULL };

size_t
conduct_rule_count(void)
{
	return COUNT(rules);
}

const struct conduct_rule *
conduct_rule_at(size_t i)
{
	return &rules[i];
}

bool __attribute__((format(printf, 2, 3)))
conduct_say(char evidence[CONDUCT_EVIDENCE_MAX], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(evidence, CONDUCT_EVIDENCE_MAX, fmt, ap);
	va_end(ap);
	return true;
}

bool
conduct_has_succeeded(const struct conduct_run *run)
{
	return run->exit_code == 0 && !run->signal && !run->was_killed;
}

double
conduct_seconds(uint64_t us)
{
	return (double)us / 1e6;
}

size_t
conduct_next_of(const struct conduct_run *run, size_t i)
{
	const struct conduct_attempt *a = &run->attempts[i];

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

uint64_t
conduct_wait_us(const struct conduct_run *run, size_t i, size_t j)
{
	uint64_t end = run->attempts[i].over_us;
	uint64_t start = run->attempts[j].arrived_us;

	return start > end ? start - end : 0;
}

bool
conduct_is_first(const struct conduct_run *run, size_t i)
{
	for (size_t j = 0; j < i; j++)
		if (conduct_next_of(run, j) == i)
			return false;
	return true;
}

/* ---- in words */

static size_t
say_waits(const struct conduct_run *run, char *out, size_t size)
{
	size_t at = 0, n = 0;

	for (size_t i = 0; i < run->n && n < 4; i++) {
		size_t j = conduct_next_of(run, i);

		if (j == run->n || at >= size)
			continue;
		at += (size_t)snprintf(out + at, size - at, "%s%.2f",
		    n++ ? ", " : ", waited ",
		    conduct_seconds(conduct_wait_us(run, i, j)));
	}
	if (n && at < size)
		snprintf(out + at, size - at, " s");
	return n;
}

void
conduct_describe(const struct conduct_run *run, char out[CONDUCT_EVIDENCE_MAX])
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
	snprintf(out, CONDUCT_EVIDENCE_MAX, "%zu request%s%s, %s", run->n,
	    run->n == 1 ? "" : "s", waits, end);
}
