/*
 * How an answer came about: who was asked, which faults struck, what the
 * gateway made of them, and what chaos changed in the kernel.
 */
#include "base/jlenient.h"
#include "demo/story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DIFF_PAIRS_MAX 4

static bool
is_corruption(const json_t *event)
{
	return strcmp(jlenient_text(event, "fault"), "kernel_corrupt") == 0;
}

bool
story_is_corrupted(const struct evidence *ev, const struct subject *about,
    int number)
{
	size_t i;
	const json_t *event;

	json_array_foreach(evidence_faults(ev, about->role, about->op, number),
	    i, event)
		if (is_corruption(event))
			return true;
	return false;
}

/* Why another model is asked now.  The agent cannot know who broke the try
 * before; who looks on can. */
static const char *
reason_to_escalate(const struct evidence *ev, const struct subject *about)
{
	return story_is_corrupted(ev, about, about->number - 1)
	    ? "The kernel did not pass the gate, so the gateway goes to a "
	      "stronger model. (Chaos had changed it; no agent can know that.)"
	    : "The kernel did not pass the gate, so the gateway goes to a "
	      "stronger model.";
}

static void
tell_head(struct story *s, const struct evidence *ev,
    const struct subject *about, const json_t *decision)
{
	struct beat *b = story_beat(s, about, BEAT_ASKED, 1200,
	    about->pane == PANE_NAIVE
	        ? "The naive agent asks a model for a kernel."
	        : "KernelForge asks the same model for the same kernel.");
	char model[STORY_MODEL_MAX];

	story_model(ev, jlenient_text(decision, "model"), model);
	if (about->number > 1)
		b->explain = "KernelForge asks again, with what it may tell of "
		             "the failure.";
	story_head(b);
	if (strcmp(jlenient_text(decision, "reason"), "quality-escalation") ==
	    0) {
		b->hold_ms = 3000;
		b->explain = reason_to_escalate(ev, about);
		story_line(b, TONE_ROUTE, "↑", "gateway escalates: %s", model);
		story_line(b, TONE_DIM, " ",
		    "why, in its answer's HTTP header x-tfy-routing: "
		    "reason=%.40s",
		    jlenient_text(decision, "reason"));
		story_fold(b, 2);
		return;
	}
	if (*jlenient_text(decision, "model"))
		story_line(b, TONE_PLAIN, "▸", "asks %s", model);
	story_fold(b, 1);
}

/*
 * What of a failure the model hears: word for word the last message of this
 * question, but for its last line, which only asks again.  So what stays
 * hidden can be seen to be missing.
 */
static void
tell_told(struct story *s, struct evidence *ev, const struct subject *about)
{
	char before[16];
	const json_t *turns;
	const char *text;
	struct beat *b;

	if (about->number < 2)
		return;
	snprintf(before, sizeof before, "%d", about->number - 1);
	turns =
	    json_object_get(evidence_kernel(ev, about->op, before), "feedback");
	text = jlenient_text(json_array_get(turns, json_array_size(turns) - 1),
	    "content");
	if (!*text)
		return;
	b = story_beat(s, about, BEAT_TOLD, 4500,
	    story_is_scripted(ev)
	        ? "So much is told. Shapes, values, seeds and expected outputs "
	          "stay hidden, and the next try meets new values. (This model "
	          "is a "
	          "script: it does not listen.)"
	        : "So much is told. Shapes, values, seeds and expected outputs "
	          "stay hidden, and the next try meets new values.");
	story_line(b, TONE_PLAIN, "▸", "the %s is told this, and no more:",
	    story_is_scripted(ev) ? "script" : "model");
	for (const char *end; (end = strchr(text, '\n')); text = end + 1)
		story_line(b, TONE_DIM, " ", "%.*s", (int)(end - text), text);
	story_fold(b, 0);
}

/* Faults as who has never met one would call them; a status of 0: any. */
/* clang-format off */
static const struct fault_words {
	const char *fault;
	int from, upto; /* the status */
	const char *what, *explain;
} fault_words[] = {
	{ "http_error", 429, 429, "the provider is too busy",
	  "On purpose, the provider says: too many requests, ask later." },
	{ "http_error", 529, 529, "the provider is overloaded",
	  "On purpose, the provider says: overloaded, ask later." },
	{ "http_error", 500, 599, "the provider is down",
	  "On purpose, the provider fails for a moment: a short outage, called a "
	  "brownout." },
	{ "llm_empty",  0, 999, "an empty answer", NULL },
	{ "sse_cut",    0, 999, "the answer breaks off", NULL },
	{ "stall",      0, 999, "the answer pauses in its middle", NULL },
	{ "ttft",       0, 999, "the first word comes late", NULL },
};
/* clang-format on */

#define ANY_FAULT                                                              \
	"A fault, injected on purpose on the way to the model or back."

static const struct fault_words *
words_of(const json_t *event)
{
	const char *fault = jlenient_text(event, "fault");
	json_int_t status =
	    json_integer_value(json_object_get(event, "status"));

	for (size_t i = 0; i < COUNT(fault_words); i++)
		if (strcmp(fault_words[i].fault, fault) == 0 &&
		    status >= fault_words[i].from &&
		    status <= fault_words[i].upto)
			return &fault_words[i];
	return NULL;
}

/* Was the naive agent's question about this operator answered, and spared
 * this fault? */
static bool
is_naive_spared(const struct evidence *ev, const struct subject *about,
    const json_t *event)
{
	size_t i;
	const json_t *other;

	if (about->pane != PANE_FORGE || !evidence_claim(ev, about->op))
		return false;
	json_array_foreach(evidence_faults(ev, "naive", about->op, 1), i, other)
		if (strcmp(jlenient_text(other, "fault"),
		        jlenient_text(event, "fault")) == 0)
			return false;
	return true;
}

/* Faults that struck this answer on its way, but for changed kernels. */
static void
tell_faults(struct story *s, const struct evidence *ev,
    const struct subject *about)
{
	size_t i;
	const json_t *event;

	json_array_foreach(evidence_faults(ev, about->role, about->op,
	                       about->number),
	    i, event) {
		const json_t *status = json_object_get(event, "status");
		const char *fault = jlenient_text(event, "fault");
		const struct fault_words *words = words_of(event);
		struct beat *b;
		char with[32] = "";

		if (is_corruption(event))
			continue;
		if (json_is_integer(status))
			snprintf(with, sizeof with, " (%lld)",
			    json_integer_value(status));
		b = story_beat(s, about, BEAT_FAULT, 3200,
		    words && words->explain ? words->explain : ANY_FAULT);
		story_line(b, TONE_FAULT, "≠", "chaos: %.60s%s%s",
		    words ? words->what : fault, with,
		    is_naive_spared(ev, about, event)
		        ? ", for KernelForge alone"
		        : "");
		story_line(b, TONE_DIM, " ",
		    "%.30s, by the scenario's rule \"%.30s\"", fault,
		    jlenient_text(event, "rule"));
		story_fold(b, 1);
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
	bool is_absorbed = false;
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
		is_absorbed = strcmp(jlenient_text(a, "cause"), "ok") == 0;
	}
	b = story_beat(s, about, BEAT_RETRIED, 2600,
	    is_absorbed ? "The gateway absorbs it: the agent never sees the "
	                  "error."
	                : "The gateway tried more than once, and had no good "
	                  "answer to give.");
	story_line(b, TONE_ROUTE, "↻", "gateway: %s", text);
}

/* The next line of a text without its indentation; false: there is none. */
static bool
next_line(const char **text, char *out, size_t size)
{
	size_t n;

	*out = '\0';
	if (!*text)
		return false;
	*text += strspn(*text, " \t");
	n = strcspn(*text, "\n");
	snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), *text);
	*text = (*text)[n] ? *text + n + 1 : NULL;
	return true;
}

/* The lines that differ, as they came and as they were made. */
static void
put_diff(struct beat *b, const char *before, const char *after)
{
	char old[160], new[160];
	size_t shown = 0;

	while (shown < DIFF_PAIRS_MAX) {
		bool has_old = next_line(&before, old, sizeof old);
		bool has_new = next_line(&after, new, sizeof new);

		if (!has_old && !has_new)
			return;
		if (strcmp(old, new) == 0)
			continue;
		if (*old)
			story_line(b, TONE_CAME, "·", "%s", old);
		if (*new)
			story_line(b, TONE_MADE, "≠", "%s", new);
		shown++;
	}
}

/* Did chaos make the naive agent's kernel of this operator wrong too? */
static bool
is_struck_too(const struct evidence *ev, const struct subject *about)
{
	const struct subject naive = { .role = "naive", .op = about->op };

	return about->pane == PANE_FORGE && story_is_corrupted(ev, &naive, 1);
}

/* The nth change that chaos made to a first answer; NULL: no more. */
static const json_t *
first_change(const struct evidence *ev, const char *role, const char *op,
    size_t nth)
{
	size_t i;
	const json_t *event;

	json_array_foreach(evidence_faults(ev, role, op, 1), i, event)
		if (is_corruption(event) && nth-- == 0)
			return event;
	return NULL;
}

bool
story_is_struck_alike(const struct evidence *ev, const char *op)
{
	static const char *const same[] = { "operator", "before", "after" };

	for (size_t n = 0;; n++) {
		const json_t *naive = first_change(ev, "naive", op, n);
		const json_t *forge = first_change(ev, "kernelforge", op, n);

		if (!naive || !forge)
			return !naive && !forge;
		for (size_t k = 0; k < COUNT(same); k++)
			if (strcmp(jlenient_text(naive, same[k]),
			        jlenient_text(forge, same[k])) != 0)
				return false;
	}
}

/* Whom else chaos strikes so: a comparison is fair where both are struck. */
static const char *
words_of_change(const struct evidence *ev, const struct subject *about)
{
	if (about->pane != PANE_FORGE || !evidence_claim(ev, about->op))
		return "On purpose, chaos rewrites the kernel on its way; "
		       "nobody "
		       "is told.";
	if (about->number > 1)
		return "Chaos rewrites this try too, for KernelForge alone: "
		       "the "
		       "naive agent asks only once.";
	return story_is_struck_alike(ev, about->op)
	    ? "Chaos strikes both agents alike: KernelForge gets the same "
	      "rewritten kernel, and nobody is told."
	    : "Chaos rewrites this kernel, and not the naive agent's in this "
	      "way: here the two are not struck alike.";
}

static void
tell_corruption(struct story *s, const struct evidence *ev,
    const struct subject *about)
{
	size_t i;
	const json_t *event;

	json_array_foreach(evidence_faults(ev, about->role, about->op,
	                       about->number),
	    i, event) {
		struct beat *b;

		if (!is_corruption(event))
			continue;
		b = story_beat(s, about, BEAT_CHANGED, 5000,
		    words_of_change(ev, about));
		story_line(b, TONE_FAULT, "≠",
		    "chaos changed the kernel: %.30s",
		    jlenient_text(event, "operator"));
		story_line(b, TONE_DIM, " ",
		    "from line %lld, the model's, then chaos's version:",
		    json_integer_value(json_object_get(event, "line")));
		put_diff(b, jlenient_text(event, "before"),
		    jlenient_text(event, "after"));
		story_fold(b, 1);
	}
}

/* The model that gave the last answer to a question, or "". */
static const char *
model_of(const struct evidence *ev, const struct subject *about, int number)
{
	const json_t *all =
	    evidence_decisions(ev, about->role, about->op, number);

	return jlenient_text(json_array_get(all, json_array_size(all) - 1),
	    "model");
}

/*
 * The one model of which chaos has changed answers for this operator until
 * now; NULL: none, or several.  Later answers are not looked at: what is told
 * while the run goes on must stay true.
 */
static const char *
struck_model(const struct evidence *ev, const struct subject *about)
{
	const struct subject naive = { .role = "naive", .op = about->op };
	const char *found =
	    story_is_corrupted(ev, &naive, 1) ? model_of(ev, &naive, 1) : NULL;

	for (int n = 1; n < about->number; n++) {
		const char *model = model_of(ev, about, n);

		if (!story_is_corrupted(ev, about, n))
			continue;
		if (found && strcmp(found, model) != 0)
			return NULL;
		found = model;
	}
	return found && *found ? found : NULL;
}

/* Did the naive agent get this kernel changed, and claim it? */
static bool
was_naive_fooled(const struct evidence *ev, const struct subject *about)
{
	return is_struck_too(ev, about) &&
	    json_is_true(
	        json_object_get(evidence_claim(ev, about->op), "silent_wrong"));
}

/* That nothing was changed is news too: without it, a better model and an
 * answer that was let through look alike. */
static void
tell_intact(struct story *s, const struct evidence *ev,
    const struct subject *about)
{
	bool was_changed = story_is_corrupted(ev, about, about->number - 1);
	const char *struck = was_changed ? struck_model(ev, about) : NULL;
	const char *own = model_of(ev, about, about->number);
	const struct played_models *played = story_played(ev);
	struct beat *b = story_beat(s, about, BEAT_INTACT,
	    was_changed ? 2600 : 900,
	    was_changed ? "This time chaos let the answer pass: what is judged "
	                  "now is what the model wrote."
	                : "Nothing was changed on the way: what is judged is "
	                  "what the model wrote.");

	story_line(b, TONE_CAME, "·", "arrived as the model wrote it");
	if (struck && *own && strcmp(struck, own) != 0) {
		story_line(b, TONE_DIM, " ",
		    "chaos changed only the other %s's answers",
		    played ? played->who : "model");
		if (was_naive_fooled(ev, about)) {
			b->hold_ms = 4500;
			b->explain =
			    "Staged, openly: to show a way out, chaos spares "
			    "the second model, for both agents. The naive one "
			    "could have asked it too, had it looked.";
		}
	}
	story_fold(b, was_changed ? 1 : 0);
}

void
story_answer(struct story *s, struct evidence *ev, const struct subject *about,
    size_t nth, const json_t *span)
{
	const json_t *decision =
	    json_array_get(evidence_decisions(ev, about->role, about->op,
	                       about->number),
	        nth);
	const json_t *a = json_object_get(span, "attributes");

	if (nth == 0) {
		tell_head(s, ev, about, decision);
		tell_told(s, ev, about);
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
	if (story_is_corrupted(ev, about, about->number))
		tell_corruption(s, ev, about);
	else if (ev->knows_chaos)
		tell_intact(s, ev, about);
}
