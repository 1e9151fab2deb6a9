/*
 * How an answer came about: who was asked, which faults struck, what the
 * gateway made of them, and what chaos changed in the kernel.
 *
 * The three programs keep logs of their own and meet here by what all of them
 * write: role, operator and iteration.
 */
#include "base/jlenient.h"
#include "demo/story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIFF_PAIRS_MAX 4

/* The nth decision of the gateway on this question, NULL: it has none. */
static json_t *
find_decision(const struct evidence *ev, const struct subject *about,
    size_t nth)
{
	size_t i;
	json_t *d;

	json_array_foreach(ev->gateway, i, d) {
		if (strcmp(jlenient_text(d, "role"), about->role) == 0 &&
		    strcmp(jlenient_text(d, "op"), about->op) == 0 &&
		    atoi(jlenient_text(d, "iteration")) == about->number &&
		    nth-- == 0)
			return d;
	}
	return NULL;
}

/* Chaos keys its draws by "role/op/iteration". */
static bool
is_event_of(const json_t *event, const struct subject *about)
{
	char key[128];

	snprintf(key, sizeof key, "%s/%s/%d", about->role, about->op,
	    about->number);
	return strcmp(jlenient_text(event, "key"), key) == 0 &&
	    strcmp(jlenient_text(event, "result"), "fired") == 0;
}

static bool
is_corruption(const json_t *event)
{
	return strcmp(jlenient_text(event, "fault"), "kernel_corrupt") == 0;
}

bool
story_is_corrupted(struct evidence *ev, const struct subject *about)
{
	size_t i;
	json_t *event;

	json_array_foreach(ev->chaos, i, event)
		if (is_corruption(event) && is_event_of(event, about))
			return true;
	return false;
}

static void
tell_head(struct story *s, const struct subject *about, const json_t *decision)
{
	struct beat *b = story_beat(s, about, BEAT_ASKED, 1200,
	    about->pane == PANE_NAIVE
	        ? "The naive agent asks a cheap model for a kernel."
	        : "KernelForge asks the same cheap model for the same kernel.");
	const char *model = jlenient_text(decision, "model");

	if (about->number > 1)
		b->explain = "What failed is told to the model without the "
		             "hidden inputs or their answers.";
	story_line(b, TONE_HEAD, " ",
	    about->pane == PANE_NAIVE ? "%s" : "%s, try %d", about->op,
	    about->number);
	if (strcmp(jlenient_text(decision, "reason"), "quality-escalation") ==
	    0) {
		b->hold_ms = 3000;
		b->explain = "The cheap model failed on proof, so the gateway "
		             "routes to the expensive one.";
		story_line(b, TONE_ROUTE, "↑", "escalated: %.40s", model);
		story_line(b, TONE_DIM, " ", "x-tfy-routing: reason=%.40s",
		    jlenient_text(decision, "reason"));
	} else if (*model)
		story_line(b, TONE_PLAIN, "▸", "asks %.40s", model);
}

/* Faults that struck this answer on its way, but for changed kernels. */
static void
tell_faults(struct story *s, struct evidence *ev, const struct subject *about)
{
	size_t i;
	json_t *event;

	json_array_foreach(ev->chaos, i, event) {
		const json_t *status = json_object_get(event, "status");
		struct beat *b;

		if (is_corruption(event) || !is_event_of(event, about))
			continue;
		b = story_beat(s, about, BEAT_FAULT, 2200,
		    "A brownout, injected on purpose: the provider says no.");
		if (json_is_integer(status))
			story_line(b, TONE_FAULT, "≠",
			    "chaos: %.30s %lld (rule %.30s)",
			    jlenient_text(event, "fault"),
			    json_integer_value(status),
			    jlenient_text(event, "rule"));
		else
			story_line(b, TONE_FAULT, "≠",
			    "chaos: %.30s (rule %.30s)",
			    jlenient_text(event, "fault"),
			    jlenient_text(event, "rule"));
	}
}

/* "gateway: 503 -> asked again -> 200": the attempts header in words. */
static void
tell_attempts(struct story *s, const struct subject *about,
    const json_t *decision)
{
	const json_t *attempts = json_object_get(decision, "attempts");
	const char *last = "";
	char text[256];
	int at = 0;
	size_t i;
	json_t *a;
	struct beat *b;

	if (json_array_size(attempts) < 2)
		return;
	text[0] = '\0';
	json_array_foreach(attempts, i, a) {
		const char *target = jlenient_text(a, "target");
		long long status =
		    json_integer_value(json_object_get(a, "status"));
		char what[32];

		if (status > 0)
			snprintf(what, sizeof what, "%lld", status);
		else
			snprintf(what, sizeof what, "%.30s",
			    jlenient_text(a, "cause"));
		if (at < (int)sizeof text)
			at += snprintf(text + at, sizeof text - (size_t)at,
			    i == 0 ? "%s%s" : " -> %s -> %s",
			    i == 0                          ? ""
			        : strcmp(target, last) == 0 ? "asked again"
			                                    : "next target",
			    what);
		last = target;
	}
	b = story_beat(s, about, BEAT_RETRIED, 2600,
	    "The gateway absorbs it: the agent never sees the error.");
	story_line(b, TONE_ROUTE, "↻", "gateway: %s", text);
}

/* The nth line of a text without its indentation. */
static bool
line_of(const char *text, size_t nth, char *out, size_t size)
{
	size_t n;

	while (nth-- > 0) {
		text = strchr(text, '\n');
		if (!text++)
			return false;
	}
	text += strspn(text, " \t");
	n = strcspn(text, "\n");
	snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), text);
	return true;
}

/* The lines that differ, as they came and as they were made. */
static void
put_diff(struct beat *b, const char *before, const char *after)
{
	char old[160], new[160];
	size_t shown = 0;

	for (size_t i = 0; shown < DIFF_PAIRS_MAX; i++) {
		bool has_old = line_of(before, i, old, sizeof old);
		bool has_new = line_of(after, i, new, sizeof new);

		if (!has_old && !has_new)
			return;
		if (has_old && has_new && strcmp(old, new) == 0)
			continue;
		if (has_old && *old)
			story_line(b, TONE_CAME, "-", "%s", old);
		if (has_new && *new)
			story_line(b, TONE_MADE, "+", "%s", new);
		shown++;
	}
}

static void
tell_corruption(struct story *s, struct evidence *ev,
    const struct subject *about)
{
	size_t i;
	json_t *event;

	json_array_foreach(ev->chaos, i, event) {
		struct beat *b;

		if (!is_corruption(event) || !is_event_of(event, about))
			continue;
		b = story_beat(s, about, BEAT_CHANGED, 5000,
		    "Chaos rewrites the kernel in flight: it still compiles, "
		    "and it is wrong.");
		story_line(b, TONE_FAULT, "≠",
		    "chaos changed the kernel: %.30s, line %lld",
		    jlenient_text(event, "operator"),
		    json_integer_value(json_object_get(event, "line")));
		story_line(b, TONE_DIM, " ",
		    "- as the model wrote it   + as it arrived");
		put_diff(b, jlenient_text(event, "before"),
		    jlenient_text(event, "after"));
	}
}

void
story_answer(struct story *s, struct evidence *ev, const struct subject *about,
    size_t nth, const json_t *span)
{
	const json_t *decision = find_decision(ev, about, nth);
	const json_t *a = json_object_get(span, "attributes");

	if (nth == 0) {
		tell_head(s, about, decision);
		tell_faults(s, ev, about);
	}
	tell_attempts(s, about, decision);
	if (strcmp(jlenient_text(span, "status"), "good") != 0) {
		struct beat *b = story_beat(s, about, BEAT_UNUSABLE, 2200,
		    "An answer that cannot be used is asked for again.");

		story_line(b, TONE_DOUBT, "✗", "answer %zu: %.40s, then %.30s",
		    nth + 1, jlenient_text(span, "status"),
		    jlenient_text(a, "decision"));
		return;
	}
	tell_corruption(s, ev, about);
}
