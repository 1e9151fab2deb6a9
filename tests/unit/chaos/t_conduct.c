/*
 * The rules of conduct over short stories.  A story is a line: one attempt
 * after the other, "KEY STATUS WORTH [FLAGS] +WAIT_MS", and how it ended.
 */
#include "chaos/trials/conduct.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit.h"

#define TRIES_MAX 16

struct told {             /* one attempt */
	unsigned wait_ms; /* since the end of the one before */
	char key;
	int status;
	enum worth worth;
	int after_ms;      /* Retry-After; 0: none */
	const char *flags; /* s struck, l left, e side effect, k idempotency
	                      key, u reached the upstream, n x-should-retry:
	                      false, q used-up quota, t calls a tool, m a model
	                      is asked, f and told of a failure, c another
	                      credential */
};

struct story {
	const char *what, *breaks; /* the names of the rules, sorted by rule */
	struct told tries[TRIES_MAX];
	int exit_code;
	const char *end; /* "killed", "signal", "harmless", or as below */
	size_t clean;
};

/* clang-format off */
static const struct story stories[] = {
	{ "a clean call", "", { { 0, 'a', 200, WORTH_GOOD, 0, "" } }, 0, NULL, 0 },
	{ "a retry in time", "",
	    { { 0, 'a', 429, WORTH_ERROR, 1000, "s" }, { 1000, 'a', 200, WORTH_GOOD, 0, "" } }, 0, NULL, 1 },
	{ "a retry a hair early is in time", "",
	    { { 0, 'a', 429, WORTH_ERROR, 1000, "s" }, { 980, 'a', 200, WORTH_GOOD, 0, "" } }, 0, NULL, 1 },
	{ "a retry before Retry-After", "too_early ",
	    { { 0, 'a', 429, WORTH_ERROR, 1000, "s" }, { 500, 'a', 200, WORTH_GOOD, 0, "" } }, 0, NULL, 1 },
	{ "an absurd Retry-After binds nobody", "",
	    { { 0, 'a', 429, WORTH_ERROR, 86400000, "s" }, { 500, 'a', 200, WORTH_GOOD, 0, "" } }, 0, NULL, 1 },
	{ "and one may give up for it", "",
	    { { 0, 'a', 429, WORTH_ERROR, 86400000, "s" } }, 1, NULL, 1 },
	{ "another call is no retry", "",
	    { { 0, 'a', 400, WORTH_ERROR, 0, "s" }, { 1, 'b', 200, WORTH_GOOD, 0, "" } }, 1, NULL, 2 },
	{ "the same call again after success is no retry", "",
	    { { 0, 'a', 200, WORTH_GOOD, 0, "" }, { 1, 'a', 200, WORTH_GOOD, 0, "" } }, 0, NULL, 2 },
	{ "a bad request again", "forbidden_retry ",
	    { { 0, 'a', 400, WORTH_ERROR, 0, "s" }, { 600, 'a', 200, WORTH_GOOD, 0, "" } }, 0, NULL, 1 },
	{ "a used-up quota again", "forbidden_retry ",
	    { { 0, 'a', 429, WORTH_ERROR, 0, "sq" }, { 600, 'a', 200, WORTH_GOOD, 0, "" } }, 0, NULL, 1 },
	{ "against x-should-retry: false", "forbidden_retry ",
	    { { 0, 'a', 503, WORTH_ERROR, 0, "sn" }, { 600, 'a', 200, WORTH_GOOD, 0, "" } }, 0, NULL, 1 },
	{ "five at once", "retry_storm no_backoff ",
	    { { 0, 'a', 503, WORTH_ERROR, 0, "s" }, { 9, 'a', 503, WORTH_ERROR, 0, "s" }, { 9, 'a', 503, WORTH_ERROR, 0, "s" },
	      { 9, 'a', 503, WORTH_ERROR, 0, "s" }, { 9, 'a', 503, WORTH_ERROR, 0, "s" } }, 1, NULL, 1 },
	{ "nine in all, doubling", "retry_storm ",
	    { { 0, 'a', 503, WORTH_ERROR, 0, "s" }, { 500, 'a', 503, WORTH_ERROR, 0, "s" }, { 1000, 'a', 503, WORTH_ERROR, 0, "s" },
	      { 2000, 'a', 503, WORTH_ERROR, 0, "s" }, { 4000, 'a', 503, WORTH_ERROR, 0, "s" }, { 4000, 'a', 503, WORTH_ERROR, 0, "s" },
	      { 4000, 'a', 503, WORTH_ERROR, 0, "s" }, { 4000, 'a', 503, WORTH_ERROR, 0, "s" }, { 4000, 'a', 503, WORTH_ERROR, 0, "s" } }, 1, NULL, 1 },
	{ "three, doubling, then enough", "",
	    { { 0, 'a', 503, WORTH_ERROR, 0, "s" }, { 400, 'a', 503, WORTH_ERROR, 0, "s" }, { 900, 'a', 503, WORTH_ERROR, 0, "s" } }, 1, NULL, 1 },
	{ "an answer to an error at once", "no_backoff ",
	    { { 0, 'a', 500, WORTH_ERROR, 0, "s" }, { 5, 'a', 200, WORTH_GOOD, 0, "" } }, 0, NULL, 1 },
	{ "a lost connection may be tried at once", "",
	    { { 0, 'a', 0, WORTH_NOTHING, 0, "s" }, { 5, 'a', 200, WORTH_GOOD, 0, "" } }, 0, NULL, 1 },
	{ "waits that never grow", "no_backoff ",
	    { { 0, 'a', 503, WORTH_ERROR, 0, "s" }, { 500, 'a', 503, WORTH_ERROR, 0, "s" }, { 500, 'a', 503, WORTH_ERROR, 0, "s" },
	      { 500, 'a', 503, WORTH_ERROR, 0, "s" } }, 1, NULL, 1 },
	{ "equal waits that were named", "",
	    { { 0, 'a', 503, WORTH_ERROR, 500, "s" }, { 500, 'a', 503, WORTH_ERROR, 500, "s" }, { 500, 'a', 503, WORTH_ERROR, 500, "s" },
	      { 500, 'a', 503, WORTH_ERROR, 500, "s" } }, 1, NULL, 1 },
	{ "no retry after 503", "gave_up ", { { 0, 'a', 503, WORTH_ERROR, 0, "s" } }, 1, NULL, 1 },
	{ "no retry after a lost connection", "gave_up ", { { 0, 'a', 0, WORTH_NOTHING, 0, "s" } }, 1, NULL, 1 },
	{ "no retry of a lost side effect is right", "", { { 0, 'a', 0, WORTH_NOTHING, 0, "seu" } }, 1, NULL, 1 },
	{ "no retry after 400 is right", "", { { 0, 'a', 400, WORTH_ERROR, 0, "s" } }, 1, NULL, 1 },
	{ "another model that answers is a second attempt", "",
	    { { 0, 'a', 503, WORTH_ERROR, 0, "sm" }, { 5, 'b', 200, WORTH_GOOD, 0, "m" } }, 0, NULL, 1 },
	{ "so is one after a lost connection", "",
	    { { 0, 'a', 0, WORTH_NOTHING, 0, "sm" }, { 5, 'b', 200, WORTH_GOOD, 0, "m" } }, 0, NULL, 1 },
	{ "not for who fails nevertheless", "gave_up ",
	    { { 0, 'a', 503, WORTH_ERROR, 0, "sm" }, { 5, 'b', 200, WORTH_GOOD, 0, "m" } }, 1, NULL, 1 },
	{ "nor with an answer less than a clean run has", "gave_up accepted_garbled ",
	    { { 0, 'a', 503, WORTH_ERROR, 0, "sm" }, { 5, 'b', 200, WORTH_GOOD, 0, "m" } }, 0, NULL, 2 },
	{ "a refused key again", "forbidden_retry ",
	    { { 0, 'a', 401, WORTH_ERROR, 0, "sm" }, { 600, 'a', 200, WORTH_GOOD, 0, "m" } }, 0, NULL, 1 },
	{ "another key, at once", "",
	    { { 0, 'a', 401, WORTH_ERROR, 0, "sm" }, { 5, 'a', 200, WORTH_GOOD, 0, "mc" } }, 0, NULL, 1 },
	{ "another key with a quota of its own", "",
	    { { 0, 'a', 429, WORTH_ERROR, 0, "sqm" }, { 5, 'a', 200, WORTH_GOOD, 0, "mc" } }, 0, NULL, 1 },
	{ "another key makes a bad request no better", "forbidden_retry ",
	    { { 0, 'a', 400, WORTH_ERROR, 0, "sm" }, { 600, 'a', 200, WORTH_GOOD, 0, "mc" } }, 0, NULL, 1 },
	{ "an error that was not ours", "", { { 0, 'a', 503, WORTH_ERROR, 0, "" } }, 1, NULL, 1 },
	{ "a cut answer taken", "accepted_truncated ", { { 0, 'a', 200, WORTH_TRUNCATED, 0, "s" } }, 0, NULL, 1 },
	{ "a cut answer noticed", "", { { 0, 'a', 200, WORTH_TRUNCATED, 0, "s" } }, 1, NULL, 1 },
	{ "a cut answer asked for again", "",
	    { { 0, 'a', 200, WORTH_TRUNCATED, 0, "s" }, { 100, 'a', 200, WORTH_GOOD, 0, "" } }, 0, NULL, 1 },
	{ "a cut answer followed by a new question", "",
	    { { 0, 'a', 200, WORTH_TRUNCATED, 0, "s" }, { 100, 'b', 200, WORTH_GOOD, 0, "" } }, 0, NULL, 1 },
	{ "a torn tool call taken", "accepted_truncated ", { { 0, 'a', 200, WORTH_TRUNCATED, 0, "st" } }, 0, NULL, 2 },
	{ "a torn tool call that the model is told of", "",
	    { { 0, 'a', 200, WORTH_TRUNCATED, 0, "st" }, { 100, 'b', 200, WORTH_GOOD, 0, "" } }, 0, NULL, 2 },
	{ "an empty answer taken", "accepted_empty ", { { 0, 'a', 200, WORTH_EMPTY, 0, "s" } }, 0, NULL, 1 },
	{ "a garbled answer taken", "accepted_garbled ", { { 0, 'a', 200, WORTH_GARBLED, 0, "s" } }, 0, NULL, 1 },
	{ "an error taken for an answer", "gave_up accepted_garbled ", { { 0, 'a', 503, WORTH_ERROR, 0, "s" } }, 0, NULL, 1 },
	{ "an error three times, and success claimed", "accepted_garbled ",
	    { { 0, 'a', 503, WORTH_ERROR, 0, "sm" }, { 400, 'a', 503, WORTH_ERROR, 0, "sm" }, { 900, 'a', 503, WORTH_ERROR, 0, "sm" } }, 0, NULL, 1 },
	{ "cut three times, and success claimed", "accepted_truncated ",
	    { { 0, 'a', 200, WORTH_TRUNCATED, 0, "sm" }, { 400, 'a', 200, WORTH_TRUNCATED, 0, "sm" }, { 900, 'a', 200, WORTH_TRUNCATED, 0, "sm" } }, 0, NULL, 1 },
	{ "cut three times, and put together", "",
	    { { 0, 'a', 200, WORTH_TRUNCATED, 0, "sm" }, { 400, 'b', 200, WORTH_TRUNCATED, 0, "sm" }, { 900, 'c', 200, WORTH_TRUNCATED, 0, "sm" } }, 0, "recovered", 1 },
	{ "no answer twice, and success claimed", "accepted_nothing ",
	    { { 0, 'a', 0, WORTH_NOTHING, 0, "sm" }, { 400, 'a', 0, WORTH_NOTHING, 0, "sm" } }, 0, NULL, 1 },
	{ "no answer twice, and an error", "",
	    { { 0, 'a', 0, WORTH_NOTHING, 0, "sm" }, { 400, 'a', 0, WORTH_NOTHING, 0, "sm" } }, 1, NULL, 1 },
	{ "left alone, and success claimed", "accepted_nothing ", { { 0, 'a', 0, WORTH_NOTHING, 0, "slm" } }, 0, NULL, 1 },
	{ "each try another question, none answered", "accepted_empty ",
	    { { 0, 'a', 200, WORTH_EMPTY, 0, "sm" }, { 400, 'b', 200, WORTH_EMPTY, 0, "sm" } }, 0, NULL, 1 },
	{ "another question answered makes up for it", "",
	    { { 0, 'a', 200, WORTH_EMPTY, 0, "sm" }, { 400, 'b', 200, WORTH_GOOD, 0, "m" } }, 0, NULL, 1 },
	{ "one of two asked again, the other taken", "accepted_truncated ",
	    { { 0, 'a', 200, WORTH_TRUNCATED, 0, "sm" }, { 400, 'a', 200, WORTH_GOOD, 0, "m" }, { 5, 'b', 200, WORTH_TRUNCATED, 0, "sm" } }, 0, NULL, 2 },
	{ "what a tool says makes up for no model", "accepted_truncated ",
	    { { 0, 'a', 200, WORTH_TRUNCATED, 0, "sm" }, { 400, 'b', 200, WORTH_GOOD, 0, "e" } }, 0, NULL, 1 },
	{ "a look beside the work may fail", "",
	    { { 0, 'l', 200, WORTH_GARBLED, 0, "s" }, { 5, 'a', 200, WORTH_GARBLED, 0, "sm" }, { 400, 'a', 200, WORTH_GOOD, 0, "m" } }, 0, NULL, 2 },
	{ "no end", "hung ", { { 0, 'a', 200, WORTH_TRUNCATED, 0, "sl" } }, 0, "killed", 1 },
	{ "no end, but it waits to ask again", "",
	    { { 0, 'a', 503, WORTH_ERROR, 0, "s" }, { 4000, 'a', 503, WORTH_ERROR, 0, "s" } }, 0, "retrying", 1 },
	{ "no end although it was given a time", "ignored_timeout ", { { 0, 'a', 200, WORTH_TRUNCATED, 0, "sl" } }, 0, "timed", 1 },
	{ "a page handed over, and the program stumbles", "accepted_garbled ", { { 0, 'a', 200, WORTH_GARBLED, 0, "s" } }, 2, "handed", 1 },
	{ "an empty answer handed over, and the program notices", "", { { 0, 'a', 200, WORTH_EMPTY, 0, "s" } }, 2, "handed", 1 },
	{ "a cut answer that says so", "", { { 0, 'a', 200, WORTH_TRUNCATED, 0, "s" } }, 0, "exposed", 1 },
	{ "a tool call twice", "repeated_side_effect ",
	    { { 0, 'a', 0, WORTH_NOTHING, 0, "seu" }, { 500, 'a', 200, WORTH_GOOD, 0, "e" } }, 0, NULL, 1 },
	{ "a tool call twice, with a key", "",
	    { { 0, 'a', 0, WORTH_NOTHING, 0, "seuk" }, { 500, 'a', 200, WORTH_GOOD, 0, "ek" } }, 0, NULL, 1 },
	{ "a tool call that the model asks for again", "",
	    { { 0, 'a', 200, WORTH_ERROR, 0, "seu" }, { 5, 'm', 200, WORTH_GOOD, 0, "mf" }, { 5, 'a', 200, WORTH_GOOD, 0, "eu" } }, 0, NULL, 3 },
	{ "a tool call that failed, and no model was told", "accepted_garbled ",
	    { { 0, 'a', 200, WORTH_ERROR, 0, "seu" }, { 5, 'm', 200, WORTH_GOOD, 0, "m" } }, 0, NULL, 2 },
	{ "a tool call that failed, and the model was told", "",
	    { { 0, 'a', 200, WORTH_ERROR, 0, "seu" }, { 5, 'm', 200, WORTH_GOOD, 0, "mf" } }, 0, NULL, 2 },
	{ "a tool call after 503 is not due", "", { { 0, 'a', 503, WORTH_ERROR, 0, "se" } }, 1, NULL, 1 },
	{ "unless the server says when", "gave_up ", { { 0, 'a', 503, WORTH_ERROR, 1000, "se" } }, 1, NULL, 1 },
	{ "a tool call that never arrived, again", "",
	    { { 0, 'a', 503, WORTH_ERROR, 0, "se" }, { 500, 'a', 200, WORTH_GOOD, 0, "e" } }, 0, NULL, 1 },
	{ "tool calls for ever", "never_ends ",
	    { { 0, 'a', 200, WORTH_GOOD, 0, "t" }, { 9, 'b', 200, WORTH_GOOD, 0, "t" }, { 9, 'c', 200, WORTH_GOOD, 0, "t" },
	      { 9, 'd', 200, WORTH_GOOD, 0, "t" } }, 0, "killed", 1 },
	{ "as many tool calls as it may", "",
	    { { 0, 'a', 200, WORTH_GOOD, 0, "t" }, { 9, 'b', 200, WORTH_GOOD, 0, "t" }, { 9, 'c', 200, WORTH_GOOD, 0, "t" },
	      { 9, 'd', 200, WORTH_GOOD, 0, "" } }, 0, NULL, 1 },
	{ "failed for a delay", "fell_over ", { { 0, 'a', 200, WORTH_GOOD, 0, "s" } }, 3, "harmless", 1 },
	{ "a crash", "gave_up crashed ", { { 0, 'a', 503, WORTH_ERROR, 0, "s" } }, 0, "signal", 1 },
};
/* clang-format on */

static bool
has(const struct told *t, char flag)
{
	return strchr(t->flags, flag) != NULL;
}

static size_t
tell(const struct story *s, struct conduct_attempt *out)
{
	uint64_t now = 1000000;
	size_t n = 0;

	for (; n < TRIES_MAX && s->tries[n].key; n++) {
		const struct told *t = &s->tries[n];

		now += (uint64_t)t->wait_ms * 1000;
		out[n] = (struct conduct_attempt){ .key = { t->key },
			.arrived_us = now,
			.over_us = now + 1000,
			.head = { t->status, t->after_ms ? t->after_ms : -1,
			    has(t, 'n') ? 0 : -1, has(t, 'q'), has(t, 't') },
			.worth = t->worth,
			.is_struck = has(t, 's'),
			.has_left = has(t, 'l'),
			.is_model = has(t, 'm'),
			.tells_failure = has(t, 'f'),
			.credential = { has(t, 'c') ? '2' : '1' },
			.has_side_effect = has(t, 'e'),
			.has_idempotency = has(t, 'k'),
			.reached_upstream = has(t, 'u') };
		now += 1000;
	}
	return n;
}

static bool
ends(const struct story *s, const char *how)
{
	return s->end && strcmp(s->end, how) == 0;
}

/* A clean run has every answer, and it is of the kinds that the story has. */
static void
expect_answers(struct conduct_run *run, const struct story *s)
{
	for (size_t i = 0; i < run->n; i++)
		run->clean_good[has(&s->tries[i], 'm') ? CONDUCT_MODEL
		        : has(&s->tries[i], 'e')       ? CONDUCT_DEED
		                                 : CONDUCT_OTHER] = s->clean;
}

static void
check_stories(void)
{
	struct conduct_attempt tries[TRIES_MAX];
	char evidence[CONDUCT_EVIDENCE_MAX], broken[256];

	for (size_t i = 0; i < COUNT(stories); i++) {
		const struct story *s = &stories[i];
		struct conduct_run run = { .attempts = tries,
			.n = tell(s, tries),
			.clean_requests = s->clean,
			.tool_calls_max = 3,
			.exit_code = s->exit_code,
			.signal = ends(s, "signal") ? 11 : 0,
			.was_killed = ends(s, "killed") ||
			    ends(s, "retrying") || ends(s, "timed"),
			.is_retrying = ends(s, "retrying"),
			.timeout_ms = ends(s, "timed") ? 2000 : 0,
			.has_outcome = ends(s, "handed") || ends(s, "exposed"),
			.is_exposed = ends(s, "exposed"),
			.is_recovered = ends(s, "recovered"),
			.deadline_ms = 5000,
			.is_harmless = ends(s, "harmless") };
		size_t used = 0;

		expect_answers(&run, s);
		broken[0] = '\0';
		for (size_t k = 0; k < conduct_rule_count(); k++) {
			const struct conduct_rule *r = conduct_rule_at(k);

			evidence[0] = '\0';
			if (!r->is_broken(&run, evidence))
				continue;
			used += (size_t)snprintf(broken + used,
			    sizeof broken - used, "%s ", r->name);
			CHECK(evidence[0], s->what);
		}
		CHECK_STR(broken, s->breaks, s->what);
	}
}

static void
check_jitter(void)
{
	static const struct {
		const char *what;
		uint64_t us[6];
		size_t n;
		bool lacks;
	} rows[] = {
		{ "no wait says nothing", { 0 }, 0, false },
		{ "three say nothing", { 500000, 500000, 500000 }, 3, false },
		{ "four alike lack it", { 500000, 501000, 499000, 503000 }, 4,
		    true },
		{ "long waits that are alike lack it, too",
		    { 8000000, 8100000, 8200000, 8050000 }, 4, true },
		{ "a quarter of spread has it",
		    { 500000, 410000, 440000, 390000 }, 4, false },
	};
	char evidence[CONDUCT_EVIDENCE_MAX];

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK(conduct_lacks_jitter(rows[i].us, rows[i].n, evidence) ==
		        rows[i].lacks,
		    rows[i].what);
}

static void
check_waits_and_words(void)
{
	struct conduct_attempt tries[TRIES_MAX];
	static const struct story s = { "", "",
		{ { 0, 'a', 503, WORTH_ERROR, 0, "s" },
		    { 500, 'a', 503, WORTH_ERROR, 0, "s" },
		    { 1000, 'a', 200, WORTH_GOOD, 0, "" },
		    { 5, 'b', 429, WORTH_ERROR, 2000, "s" },
		    { 2000, 'b', 200, WORTH_GOOD, 0, "" } },
		0, NULL, 2 };
	struct conduct_run run = { .attempts = tries, .n = tell(&s, tries) };
	char words[CONDUCT_EVIDENCE_MAX];
	uint64_t us[4];

	CHECK_INT(conduct_waits(&run, us, 4), 1,
	    "only a first wait that nobody named counts");
	CHECK_INT(us[0], 500000, "and it is exact");
	conduct_describe(&run, words);
	CHECK_STR(words, "5 requests, waited 0.50, 1.00, 2.00 s, exit 0",
	    "in words");
}

void t_conduct(void);

void
t_conduct(void)
{
	check_stories();
	check_jitter();
	check_waits_and_words();
}
