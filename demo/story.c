/*
 * The order of the story is the trace's: a span is written when it ends, so
 * the file's order is the order in which things became known.  Each kind of
 * span has one function that tells it.
 *
 * A story that is read while the run goes on must not change what was already
 * shown.  So it stops at the first span whose kernel record is not there yet;
 * the next reading goes further.
 */
#include "demo/story.h"

#include "base/jlenient.h"
#include "base/mem.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPANS_MAX 100000

const char *
story_pane_name(enum pane pane)
{
	static const char *const names[PANE_NPANES] = { [PANE_NAIVE] = "naive",
		[PANE_FORGE] = "forge",
		[PANE_BOTH] = "both" };

	return names[pane];
}

const char *
story_kind_name(enum beat_kind kind)
{
	static const char *const names[BEAT_NKINDS] = {
		[BEAT_BEGIN] = "begin",
		[BEAT_ASKED] = "asked",
		[BEAT_BACK] = "back",
		[BEAT_FAULT] = "fault",
		[BEAT_RETRIED] = "retried",
		[BEAT_UNUSABLE] = "unusable",
		[BEAT_CHANGED] = "changed",
		[BEAT_INTACT] = "intact",
		[BEAT_SMOKE] = "smoke",
		[BEAT_CLAIM] = "claim",
		[BEAT_HOLDOUTS] = "holdouts",
		[BEAT_CAUGHT] = "caught",
		[BEAT_TOLD] = "told",
		[BEAT_STAGES] = "stages",
		[BEAT_VERIFIED] = "verified",
		[BEAT_JUDGED] = "judged",
		[BEAT_REFUSED] = "refused",
		[BEAT_UNCLAIMED] = "unclaimed",
		[BEAT_GAPS] = "gaps",
		[BEAT_END] = "end",
		[BEAT_YOURS] = "yours",
	};

	return names[kind];
}

/* Models, files and providers wrote some of this: no escape sequence, no
 * bidi mark and no wide character reaches a terminal. */
void
story_make_safe(char *text)
{
	for (unsigned char *p = (unsigned char *)text; *p; p++)
		if (*p == '\t')
			*p = ' ';
		else if (*p < 0x20 || *p >= 0x7f)
			*p = '?';
}

static struct beat *
add_beat(struct story *s, const struct subject *about, enum beat_kind kind,
    uint32_t hold_ms, const char *explain)
{
	size_t n = s->nbeats++;
	struct beat *b;

	/* Room is doubled, whenever n is a power of two. */
	if ((n & (n - 1)) == 0)
		s->beats = xreallocarray(s->beats, n > 0 ? 2 * n : 1,
		    sizeof *s->beats);
	b = &s->beats[n];
	*b = (struct beat){ .pane = about->pane,
		.kind = kind,
		.number = about->number,
		.hold_ms = hold_ms,
		.explain = explain };
	snprintf(b->op, sizeof b->op, "%s", about->op);
	story_make_safe(b->op);
	if (n > 0)
		memcpy(b->newest, b[-1].newest, sizeof b->newest);
	if (n > 0)
		b->at_ms = b[-1].at_ms + b[-1].hold_ms;
	b->newest[about->pane] = n + 1;
	return b;
}

void
story_head(struct beat *b)
{
	story_line(b, TONE_HEAD, " ",
	    b->pane == PANE_NAIVE ? "%s" : "%s, try %d", b->op, b->number);
}

/* Did the pane last tell of another operator, or of another try? */
static bool
comes_back(const struct story *s, const struct subject *about)
{
	const struct beat *last = s->nbeats ? &s->beats[s->nbeats - 1] : NULL;

	if (!last || last->newest[about->pane] == 0)
		return false;
	last = &s->beats[last->newest[about->pane] - 1];
	return *last->op && *about->op &&
	    (strcmp(last->op, about->op) != 0 ||
	        (about->number > 0 && last->number != about->number));
}

struct beat *
story_beat(struct story *s, const struct subject *about, enum beat_kind kind,
    uint32_t hold_ms, const char *explain)
{
	if (kind != BEAT_ASKED && comes_back(s, about))
		story_head(add_beat(s, about, BEAT_BACK, 300,
		    "Several operators are worked on side by side."));
	return add_beat(s, about, kind, hold_ms, explain);
}

void
story_line(struct beat *b, enum tone tone, const char *mark, const char *fmt,
    ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	story_make_safe(text);
	b->lines = xreallocarray(b->lines, b->nlines + 1, sizeof *b->lines);
	b->lines[b->nlines++] =
	    (struct line){ .tone = tone, .mark = mark, .text = xstrdup(text) };
}

void
story_fold(struct beat *b, size_t kept)
{
	b->ndetails = b->nlines > kept ? b->nlines - kept : 0;
}

static bool
subject_of(const json_t *span, struct subject *ret)
{
	const json_t *a = json_object_get(span, "attributes");
	const char *role = jlenient_text(a, "role");
	bool is_naive =
	    strcmp(role, "naive") == 0 || strcmp(role, "truth") == 0;

	*ret = (struct subject){ .pane = is_naive ? PANE_NAIVE : PANE_FORGE,
		.role = role,
		.op = jlenient_text(a, "op"),
		.number =
		    (int)json_integer_value(json_object_get(a, "iteration")) };
	if (is_naive)
		snprintf(ret->iteration, sizeof ret->iteration, "naive");
	else
		snprintf(ret->iteration, sizeof ret->iteration, "%d",
		    ret->number);
	return *role && *ret->op;
}

/* How many answers to the same question were told before; counts this one. */
static size_t
count_answer(json_t *answers, const struct subject *about)
{
	char *key =
	    xasprintf("%s/%s/%d", about->role, about->op, about->number);
	json_int_t n = json_integer_value(json_object_get(answers, key));

	(void)json_object_set_new_nocheck(answers, key, json_integer(n + 1));
	free(key);
	return (size_t)n;
}

/* false: the story cannot go on yet. */
static bool
tell(struct story *s, struct evidence *ev, bool goes_on, size_t i,
    json_t *answers)
{
	const json_t *span = json_array_get(ev->trace, i);
	const char *name = jlenient_text(span, "name");
	struct subject about;

	if (strcmp(name, "naive") == 0) {
		const json_t *a = json_object_get(span, "attributes");

		story_claim(s, ev, jlenient_text(a, "op"));
		return true;
	}
	if (strcmp(name, "forge") == 0) {
		const json_t *a = json_object_get(span, "attributes");

		story_refused(s, ev, jlenient_text(a, "op"));
		return true;
	}
	if (!subject_of(span, &about))
		return true;
	if (strcmp(name, "model.attempt") == 0)
		story_answer(s, ev, &about, count_answer(answers, &about),
		    span);
	else if (strcmp(name, "tool.lab") == 0) {
		if (goes_on && !evidence_kernel(ev, about.op, about.iteration))
			return false;
		story_lab(s, ev, &about, span);
	}
	return true;
}

/* clang-format off */
static const struct played_models players[] = {
	{ "replay", "recorded models", "recording", "recordings asked",
	  "the models are played from a recording",
	  "not chaos: wrong as the model had written it for the recording" },
	{ "script", "scripted models", "script", "scripts asked",
	  "the models are scripts that we wrote, under names of real ones that "
	  "had no part in it, the same for both agents, their own mistakes among "
	  "them",
	  "not chaos: a mistake in the model's script, planted too" },
	{ "standin", "stand-in models", "stand-in", "stand-ins asked",
	  "the models are stand-ins that make up their answers",
	  "not chaos: wrong as the stand-in made it up" },
};
/* clang-format on */

const struct played_models *
story_played(const struct evidence *ev)
{
	for (size_t i = 0; i < COUNT(players); i++)
		if (strcmp(players[i].answers,
		        jlenient_text(ev->run, "answers")) == 0)
			return &players[i];
	return NULL;
}

bool
story_is_scripted(const struct evidence *ev)
{
	return strcmp(jlenient_text(ev->run, "answers"), "script") == 0;
}

void
story_model(const struct evidence *ev, const char *name,
    char out[STORY_MODEL_MAX])
{
	const struct played_models *p = story_played(ev);

	if (p)
		snprintf(out, STORY_MODEL_MAX, "the %s \"%.40s\"", p->who,
		    name);
	else
		snprintf(out, STORY_MODEL_MAX, "%.40s", name);
}

const char *
story_own_mistake(const struct evidence *ev)
{
	const struct played_models *p = story_played(ev);

	return p ? p->mistake : "not chaos: wrong as the model wrote it";
}

static void
read_title(struct story *s, const struct evidence *ev)
{
	const struct played_models *played = story_played(ev);

	if (ev->run)
		snprintf(s->title, sizeof s->title, "%.60s, seed %.20s%s%s",
		    jlenient_text(ev->run, "scenario"),
		    jlenient_text(ev->run, "seed"), played ? ", " : "",
		    played ? played->title : "");
	story_make_safe(s->title);
	if (ev->broken) {
		char *alarm = xasprintf("EVIDENCE BROKEN: %s", ev->broken);

		why_fit(alarm, s->alarm, sizeof s->alarm);
		free(alarm);
	}
	story_make_safe(s->alarm);
}

#define GAPS_SHOWN 8

static bool
is_run(const struct evidence *ev)
{
	return ev->run || ev->scorecard || json_array_size(ev->trace) > 0 ||
	    json_array_size(ev->ledger) > 0 || json_array_size(ev->naive) > 0 ||
	    json_array_size(ev->chaos) > 0;
}

/* What is missing is said, so that a story with holes does not pass for one
 * without. */
static void
tell_gaps(struct story *s, struct evidence *ev)
{
	const struct subject both = { .pane = PANE_BOTH, .op = "" };
	size_t n, i;
	json_t *gap;
	struct beat *b;

	evidence_find_gaps(ev);
	n = json_array_size(ev->gaps);
	if (n == 0 || !is_run(ev))
		return;
	b = story_beat(s, &both, BEAT_GAPS, 4000,
	    "Not all of this run is there: what is missing is not shown.");
	story_line(b, TONE_BAD, "?", "MISSING of this run:");
	json_array_foreach(ev->gaps, i, gap)
		if (i < GAPS_SHOWN)
			story_line(b, TONE_DOUBT, "?", "%s",
			    json_string_value(gap));
	if (n > GAPS_SHOWN)
		story_line(b, TONE_DOUBT, "?", "and %zu more", n - GAPS_SHOWN);
}

/* Does the first question of the trace come from the naive agent? */
static bool
begins_naive(const struct evidence *ev)
{
	struct subject about;
	size_t i;
	json_t *span;

	json_array_foreach(ev->trace, i, span)
		if (subject_of(span, &about))
			return about.pane == PANE_NAIVE;
	return false;
}

/* Who plays.  Of the run it takes only what is known from its first span on,
 * since of a run that goes on nothing may change. */
static void
tell_begin(struct story *s, const struct evidence *ev)
{
	const struct subject both = { .pane = PANE_BOTH, .op = "" };
	bool has_naive = begins_naive(ev);
	const struct played_models *played = story_played(ev);
	struct beat *b = story_beat(s, &both, BEAT_BEGIN, 9000,
	    ev->has_chaos ? "What breaks here is broken on purpose, by a seed: "
	                    "the next run of it breaks the same way."
	                  : "Every line here is read from the run's files.");

	story_line(b, TONE_HEAD, " ",
	    has_naive ? "Two agents ask language models for the same GPU "
	                "kernels."
	              : "An agent asks language models for GPU kernels.");
	if (has_naive)
		story_line(b, TONE_PLAIN, "▸",
		    "NAIVE AGENT runs one quick smoke test, then claims that "
		    "the kernel is correct.");
	story_line(b, TONE_PLAIN, "▸",
	    "KERNELFORGE claims only what passed its gate: hidden holdouts "
	    "(test cases that no model has seen), then checks for races, luck "
	    "and order. That is \"verified\": evidence, no formal proof.");
	if (ev->has_chaos)
		story_line(b, TONE_FAULT, "≠",
		    "CHAOS is a proxy between them and the models. On purpose, "
		    "it makes calls fail and rewrites kernels on their way.");
	if (ev->has_gateway)
		story_line(b, TONE_ROUTE, "↻",
		    "GATEWAY asks again when a call fails, and goes to a "
		    "stronger model when a kernel did not pass.");
	story_line(b, TONE_HEAD, "◆",
	    "JUDGE looks at each claim%s after it was made, with other secret "
	    "values. It makes the scorecard, and no claim.",
	    has_naive ? ", of either agent," : "");
	if (played)
		story_line(b, TONE_DOUBT, "▪",
		    "PLANTED: %s%s. NOT PLANTED: gate and judge, which run "
		    "each kernel and are told nothing of this.",
		    played->planted,
		    ev->has_chaos ? "; and what chaos does" : "");
}

/* Of evidence that does not hold nothing is shown as verified. */
static void
take_green(struct story *s)
{
	for (size_t i = 0; i < s->nbeats; i++)
		for (size_t l = 0; l < s->beats[i].nlines; l++)
			if (s->beats[i].lines[l].tone == TONE_GOOD)
				s->beats[i].lines[l].tone = TONE_DOUBT;
}

void
story_read(struct evidence *ev, bool goes_on, struct story *ret)
{
	size_t n = json_array_size(ev->trace);
	json_auto_t *answers = json_object(); /* told, by question */
	size_t i = 0;

	*ret = (struct story){ .has_chaos = ev->has_chaos };
	read_title(ret, ev);
	if (n > SPANS_MAX)
		n = SPANS_MAX;
	/* The other programs write their lines on an answer a moment after its
	 * span, so the newest span waits for the one behind it. */
	if (goes_on && n > 0)
		n--;
	if (n > 0)
		tell_begin(ret, ev);
	while (i < n && tell(ret, ev, goes_on, i, answers))
		i++;
	if (json_array_size(ev->trace) > SPANS_MAX)
		json_array_append_new(ev->gaps,
		    json_sprintf("trace.jsonl: the first %d spans are shown",
		        SPANS_MAX));
	if (!goes_on)
		tell_gaps(ret, ev);
	if (!goes_on && ev->run && ev->scorecard) {
		story_end(ret, ev);
		story_yours(ret, ev);
	}
	if (ev->broken)
		take_green(ret);
}

void
story_done(struct story *s)
{
	for (size_t i = 0; i < s->nbeats; i++) {
		for (size_t l = 0; l < s->beats[i].nlines; l++)
			free(s->beats[i].lines[l].text);
		free(s->beats[i].lines);
	}
	free(s->beats);
	*s = (struct story){ .nbeats = 0 };
}
