/*
 * What the lab found: the smoke test, the hidden holdouts one by one, the
 * stages that look for races and luck, the verdict.
 *
 * Figures come from the kernel's record, the word "verified" only from the
 * ledger: a record is a file that somebody may have edited.
 */
#include "demo/story.h"

#include "base/jlenient.h"
#include "base/mem.h"
#include "ops/op.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_STEPS_MAX 16
#define TICKS_MAX      200 /* more cases are counted, not drawn */

static const json_t *
stage_of(const json_t *judged, const char *name)
{
	size_t i;
	json_t *stage;

	json_array_foreach(json_object_get(judged, "stages"), i, stage)
		if (strcmp(jlenient_text(stage, "name"), name) == 0)
			return stage;
	return NULL;
}

static bool
has_passed(const json_t *judged, const char *name)
{
	return strcmp(jlenient_text(stage_of(judged, name), "status"),
	           "passed") == 0;
}

static void
tell_smoke(struct story *s, struct evidence *ev, const struct subject *about,
    bool has_passed_it)
{
	bool is_lie = story_is_corrupted(ev, about, about->number);
	struct beat *b;

	if (has_passed_it) {
		b = story_beat(s, about, BEAT_SMOKE, is_lie ? 2600 : 1200,
		    is_lie
		        ? "The quick look: one small launch, public, the same "
		          "for both agents. It passes, as chaos chose a "
		          "change that such a look misses."
		        : "The quick look: one small launch with ordinary "
		          "values, public, the same for both agents.");
		story_line(b, TONE_DOUBT, "~",
		    is_lie ? "smoke test passes, on the changed kernel"
		           : "smoke test passes");
	} else {
		b = story_beat(s, about, BEAT_SMOKE, 1500,
		    "Even a quick look sees this one.");
		story_line(b, TONE_BAD, "✗", "smoke test fails");
	}
}

/* The bar so far: a tick or a cross a case, and the count. */
static void
put_ticks(struct beat *b, const json_t *cases, size_t from, size_t upto)
{
	char bar[TICKS_MAX * 4 + 32];
	size_t at = 0, passed = 0, ran = upto - from;
	size_t n = json_array_size(cases) - from;
	struct line *l;
	char *text;

	for (size_t i = from; i < upto; i++) {
		bool ok = json_is_true(
		    json_object_get(json_array_get(cases, i), "passed"));

		passed += ok;
		if (i - from < TICKS_MAX)
			at += (size_t)snprintf(bar + at, sizeof bar - at, "%s",
			    ok ? "✓" : "✗");
	}
	if (passed < ran)
		story_line(b, TONE_BAD, "▪",
		    ran == n ? "gate: %zu/%zu hidden holdouts FAILED"
		             : "gate: %zu/%zu hidden holdouts FAILED so far",
		    ran - passed, ran);
	else
		story_line(b, ran == n ? TONE_GOOD : TONE_PLAIN, "▪",
		    ran == n ? "gate: %zu/%zu hidden holdouts passed"
		             : "gate: %zu/%zu hidden holdouts run",
		    ran, n);
	bar[at] = '\0';
	/* The ticks are ours and stand behind the text that was made safe. */
	l = &b->lines[b->nlines - 1];
	text = xasprintf("%s %s", l->text, bar);
	free(l->text);
	l->text = text;
}

/* Is it a case of small integers, which the gate looks at beside its holdouts?
 * The record lists both. */
static bool
is_exact(const char *op, const char *name)
{
	const struct op *o = op_find(op);

	for (size_t i = 0; o && i < o->nexact; i++)
		if (strcmp(o->exact[i].name, name) == 0)
			return true;
	return false;
}

/* Where the holdouts begin among n cases: they are the last ones, and where
 * the ledger claims it says how many. */
static size_t
first_holdout(const struct evidence *ev, const struct subject *about,
    const json_t *cases)
{
	const json_t *claimed =
	    json_object_get(evidence_ledger(ev, about->op, about->number,
	                        "verified_correct"),
	        "holdouts");
	size_t n = json_array_size(cases), from = 0;

	if (json_is_integer(claimed) && json_integer_value(claimed) >= 0 &&
	    (size_t)json_integer_value(claimed) <= n)
		return n - (size_t)json_integer_value(claimed);
	for (; from < n; from++) {
		const char *name =
		    jlenient_text(json_array_get(cases, from), "name");

		if (strcmp(name, "smoke") != 0 && !is_exact(about->op, name))
			break;
	}
	return from;
}

static void
tell_holdouts(struct story *s, const struct evidence *ev,
    const struct subject *about, const json_t *judged)
{
	const json_t *cases = json_object_get(judged, "cases");
	size_t n = json_array_size(cases), step;
	size_t from = first_holdout(ev, about, cases);

	if (from == n)
		return;
	step = (n - from + TICK_STEPS_MAX - 1) / TICK_STEPS_MAX;
	for (size_t upto = from + step;; upto += step) {
		struct beat *b;

		if (upto > n)
			upto = n;
		b = story_beat(s, about, BEAT_HOLDOUTS, upto < n ? 140 : 1200,
		    "The gate, before any claim: hidden holdouts, which are "
		    "shapes, storage types and values that no model has seen.");
		b->is_update = upto > from + step;
		put_ticks(b, cases, from, upto);
		if (upto == n)
			return;
	}
}

/* Is what is wrong with this kernel the model's own doing?  Only a log of
 * chaos that holds can say so. */
static bool
is_models_own(const struct evidence *ev, const struct subject *about)
{
	return ev->knows_chaos && !story_is_corrupted(ev, about, about->number);
}

/* How far beyond its bound an error is, where want is right; 0: it is not
 * known. */
static void
put_ratio(struct beat *b, double ratio, const json_t *want)
{
	if (ratio >= 5)
		story_line(b, TONE_BAD, " ",
		    "about 10^%.0f times the error allowed", log10(ratio));
	else if (ratio > 0 && json_is_number(want))
		story_line(b, TONE_BAD, " ",
		    "%.1f times the error allowed beside %.3g", ratio,
		    json_number_value(want));
	else if (ratio > 0)
		story_line(b, TONE_BAD, " ", "beyond the error allowed");
}

/* What was found where no case failed: "race", "compile_error". */
static void
put_class(struct beat *b, const json_t *judged)
{
	const char *class = jlenient_text(judged, "class");

	story_line(b, TONE_BAD, "✗", "judged wrong: %.30s",
	    *class ? class : jlenient_text(judged, "verdict"));
}

/* What is said of a catch: of chaos only where it struck. */
static const char *
words_of_catch(const struct evidence *ev, const struct subject *about)
{
	if (story_is_corrupted(ev, about, about->number))
		return "Caught: no claim is made. The gate was not told that "
		       "chaos had changed it.";
	return is_models_own(ev, about)
	    ? "Caught, and this time chaos had no part in it. The gate knows "
	      "nothing of who made the mistake."
	    : "Caught: no claim is made.";
}

/* The first case that failed, with the size of its error. */
static void
tell_failure(struct story *s, const struct evidence *ev,
    const struct subject *about, const json_t *judged)
{
	bool is_own = is_models_own(ev, about);
	struct beat *b =
	    story_beat(s, about, BEAT_CAUGHT, 4500, words_of_catch(ev, about));
	size_t i;
	json_t *c;

	json_array_foreach(json_object_get(judged, "cases"), i, c) {
		const json_t *ratio = json_object_get(c, "bound_ratio");
		const json_t *got = json_object_get(c, "got"),
		             *want = json_object_get(c, "expected");
		double off =
		    json_number_value(json_object_get(c, "max_abs_diff"));

		/* Of the element that is furthest beyond its own bound. */
		if (off > 0 && json_is_number(got) && json_is_number(want))
			off = fabs(
			    json_number_value(got) - json_number_value(want));
		if (json_is_true(json_object_get(c, "passed")))
			continue;
		/* What differs from launch to launch may be off by nothing. */
		if (off > 0)
			story_line(b, TONE_BAD, "✗",
			    "\"%.60s\" (%.10s): off by %.3g",
			    jlenient_text(c, "name"), jlenient_text(c, "dtype"),
			    off);
		else
			story_line(b, TONE_BAD, "✗", "\"%.60s\" (%.10s): %.30s",
			    jlenient_text(c, "name"), jlenient_text(c, "dtype"),
			    jlenient_text(judged, "class"));
		put_ratio(b, json_number_value(ratio), want);
		break;
	}
	if (b->nlines == 0)
		put_class(b, judged);
	if (is_own)
		story_line(b, TONE_CAME, "·", "%s", story_own_mistake(ev));
	if (*jlenient_text(judged, "suspect"))
		story_line(b, TONE_DIM, " ", "suspected: %.100s",
		    jlenient_text(judged, "suspect"));
	story_fold(b, 1);
}

/* The stages behind the values, in one line each. */
static void
tell_stages(struct story *s, const struct subject *about, const json_t *judged)
{
	static const struct {
		const char *stage, *what;
	} rows[] = {
		{ "coverage", "every branch ran that can" },
		{ "oclgrind", "a simulated GPU saw no race, no stray access" },
		{ "replay", "bit-equal in a fresh process" },
		{ "schedule", "other orders of work items agree" },
		{ "relations", "inputs that belong together agree" },
	};
	struct beat *b = NULL;

	for (size_t i = 0; i < COUNT(rows); i++) {
		if (!has_passed(judged, rows[i].stage))
			continue;
		if (!b)
			b = story_beat(s, about, BEAT_STAGES, 2400,
			    "Right values are not enough: races, luck and "
			    "order are looked for too.");
		story_line(b, TONE_PLAIN, "✓", "%s: %s", rows[i].stage,
		    rows[i].what);
		story_fold(b, 0);
	}
}

/* The record alone says that it passed: the run was stopped before the claim,
 * or the ledger is gone. */
static void
tell_unclaimed(struct story *s, const struct subject *about)
{
	struct beat *b = story_beat(s, about, BEAT_UNCLAIMED, 2400,
	    "A record is no claim: what the ledger does not say is not "
	    "verified.");

	story_line(b, TONE_DOUBT, "?", "%s passed, and no ledger claims it",
	    about->op);
}

static void
tell_verdict(struct story *s, struct evidence *ev, const struct subject *about,
    const json_t *judged)
{
	struct beat *b;

	if (!evidence_is_in_ledger(ev, about->op, about->number,
	        "verified_correct")) {
		if (strcmp(jlenient_text(judged, "verdict"),
		        "verified_correct") == 0)
			tell_unclaimed(s, about);
		else
			tell_failure(s, ev, about, judged);
		return;
	}
	tell_stages(s, about, judged);
	b = story_beat(s, about, BEAT_VERIFIED, 2400,
	    "Only now is it claimed, in a ledger whose every line holds the "
	    "hash of the line before.");
	if (ev->broken)
		story_line(b, TONE_DOUBT, "?",
		    "%s: a ledger that is not as the run left it says "
		    "verified_correct",
		    about->op);
	else
		story_line(b, TONE_GOOD, "★", "%s verified, and claimed",
		    about->op);
}

/* A verdict whose record does not hold it: what the ledger says is told, and
 * that the figures are missing. */
static void
tell_lost(struct story *s, struct evidence *ev, const struct subject *about)
{
	struct beat *b;

	if (!evidence_is_in_ledger(ev, about->op, about->number,
	        "verified_correct"))
		return;
	b = story_beat(s, about, BEAT_VERIFIED, 2400,
	    "The ledger says so; the record with the figures is missing.");
	story_line(b, ev->broken ? TONE_DOUBT : TONE_GOOD,
	    ev->broken ? "?" : "★",
	    "%s: the ledger says verified_correct, its record lacks the "
	    "figures",
	    about->op);
}

/* A claim, looked at again; not of a run whose files do not hold, where there
 * is none. */
static void
tell_judged(struct story *s, const struct evidence *ev,
    const struct subject *about, const json_t *span)
{
	const char *verdict = jlenient_text(span, "status");
	bool is_right = strcmp(verdict, "verified_correct") == 0;
	struct beat *b;

	if (ev->broken)
		return;
	b = story_beat(s, about, BEAT_JUDGED, 1400,
	    "The judge, after the claim: the same tests with other secret "
	    "values, for both agents alike.");
	if (is_right)
		story_line(b, TONE_DIM, "◆", "judge: right");
	else
		story_line(b, TONE_BAD, "◆", "judge: %.30s", verdict);
}

void
story_lab(struct story *s, struct evidence *ev, const struct subject *about,
    const json_t *span)
{
	const json_t *record = evidence_kernel(ev, about->op, about->iteration);
	const json_t *judged = json_object_get(record, "judged");

	if (strcmp(about->role, "naive") == 0) {
		/* The naive agent looks at nothing else. */
		const char *verdict = jlenient_text(span, "status");

		if (strcmp(verdict, "smoke_passed") == 0)
			tell_smoke(s, ev, about, true);
		return;
	}
	if (strcmp(about->role, "audit") == 0)
		tell_judged(s, ev, about, span);
	if (strcmp(about->role, "kernelforge") != 0)
		return;
	if (!judged) {
		tell_lost(s, ev, about);
		return;
	}
	if (json_is_boolean(json_object_get(judged, "smoke")))
		tell_smoke(s, ev, about,
		    json_is_true(json_object_get(judged, "smoke")));
	tell_holdouts(s, ev, about, judged);
	tell_verdict(s, ev, about, judged);
}

static void
put_silently_wrong(struct beat *b, const char *op, const json_t *failing)
{
	size_t n = json_array_size(failing), i;
	const char *what = "holdout";
	json_t *name;

	json_array_foreach(failing, i, name)
		if (json_is_string(name) &&
		    is_exact(op, json_string_value(name)))
			what = "hidden case";
	story_line(b, TONE_BAD, "◆", "judge: SILENTLY WRONG (%zu %s%s)", n,
	    what, n == 1 ? " fails" : "s fail");
}

void
story_claim(struct story *s, struct evidence *ev, const char *op)
{
	const struct subject about = { .pane = PANE_NAIVE, .op = op };
	const struct subject answer = { .role = "naive",
		.op = op,
		.number = 1 };
	const json_t *line = evidence_claim(ev, op);
	struct beat *b;

	if (!line)
		return;
	b = story_beat(s, &about, BEAT_CLAIM, 2400,
	    "The naive agent claims what a quick look lets through. Then the "
	    "judge looks.");
	if (!json_is_true(json_object_get(line, "claimed"))) {
		story_line(b, TONE_DIM, " ", "claims nothing for %s", op);
		return;
	}
	story_line(b, TONE_HEAD, "!", "claims: %s is correct", op);
	if (json_is_true(json_object_get(line, "silent_wrong"))) {
		b->hold_ms = 3600;
		b->explain = "The judge, after the claim, on the hidden "
		             "holdouts: the claim is false.";
		put_silently_wrong(b, op,
		    json_object_get(line, "failing_cases"));
		if (is_models_own(ev, &answer))
			story_line(b, TONE_CAME, "·", "%s",
			    story_own_mistake(ev));
	} else if (json_is_true(json_object_get(line, "correct")))
		story_line(b, TONE_DIM, "◆",
		    ev->broken ? "judge: right, says a run that does not hold"
		               : "judge: right");
	else
		story_line(b, TONE_DOUBT, "◆", "judge: not known");
}

void
story_refused(struct story *s, struct evidence *ev, const char *op)
{
	struct subject about = { .pane = PANE_FORGE, .op = op };
	struct beat *b;

	for (;;) {
		if (evidence_is_in_ledger(ev, op, about.number + 1,
		        "verified_correct"))
			return;
		if (!evidence_is_in_ledger(ev, op, about.number + 1,
		        "attempted"))
			break;
		about.number++;
	}
	if (about.number == 0)
		return;
	b = story_beat(s, &about, BEAT_REFUSED, 5000,
	    "No try passed the gate, so KernelForge says so, and claims "
	    "nothing.");
	story_line(b, TONE_DOUBT, "✗",
	    "%s NOT VERIFIED after %d tr%s: no claim", op, about.number,
	    about.number == 1 ? "y" : "ies");
}
