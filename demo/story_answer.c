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
	    ? "The kernel failed its proof, so the gateway goes to a stronger "
	      "model. (Chaos had changed that kernel; no agent can know it.)"
	    : "The kernel failed its proof, so the gateway goes to a stronger "
	      "model.";
}

static void
tell_head(struct story *s, const struct evidence *ev,
    const struct subject *about, const json_t *decision)
{
	struct beat *b = story_beat(s, about, BEAT_ASKED, 1200,
	    about->pane == PANE_NAIVE
	        ? "The naive agent asks a model for a kernel."
	        : "KernelForge asks the same model for the same kernel.");
	const char *model = jlenient_text(decision, "model");

	if (about->number > 1)
		b->explain = "What failed is told to the model without the "
		             "hidden inputs or their answers.";
	story_head(b);
	if (strcmp(jlenient_text(decision, "reason"), "quality-escalation") ==
	    0) {
		b->hold_ms = 3000;
		b->explain = reason_to_escalate(ev, about);
		story_line(b, TONE_ROUTE, "↑", "gateway escalates: %.40s",
		    model);
		story_line(b, TONE_DIM, " ",
		    "why, in its answer's HTTP header x-tfy-routing: "
		    "reason=%.40s",
		    jlenient_text(decision, "reason"));
		story_fold(b, 2);
		return;
	}
	if (*model)
		story_line(b, TONE_PLAIN, "▸", "asks %.40s", model);
	story_fold(b, 1);
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
	{ "http_error", 500, 599, "the provider is down",
	  "On purpose, the provider fails for a moment: a short outage, called a "
	  "brownout." },
	{ "llm_empty",  0, 999, "an empty answer", NULL },
	{ "sse_cut",    0, 999, "the answer breaks off", NULL },
	{ "stall",      0, 999, "the answer pauses in its middle", NULL },
	{ "ttft",       0, 999, "the first word of the answer comes late", NULL },
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
		const struct fault_words *words = words_of(event);
		struct beat *b;
		char with[32] = "";

		if (is_corruption(event))
			continue;
		if (json_is_integer(status))
			snprintf(with, sizeof with, " %lld",
			    json_integer_value(status));
		b = story_beat(s, about, BEAT_FAULT, 3200,
		    words && words->explain ? words->explain : ANY_FAULT);
		story_line(b, TONE_FAULT, "≠",
		    "chaos: %s%s%.30s%s, rule \"%.30s\"%s%s",
		    words ? words->what : "", words ? " (" : "",
		    jlenient_text(event, "fault"), with,
		    jlenient_text(event, "rule"), words ? ")" : "",
		    is_naive_spared(ev, about, event)
		        ? ", for KernelForge alone"
		        : "");
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
is_struck_alike(const struct evidence *ev, const struct subject *about)
{
	const struct subject naive = { .role = "naive", .op = about->op };

	return about->pane == PANE_FORGE && story_is_corrupted(ev, &naive, 1);
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
		    is_struck_alike(ev, about)
		        ? "Chaos strikes KernelForge as it struck the naive "
		          "agent: its kernel is rewritten too, and nobody is "
		          "told."
		        : "On purpose, chaos rewrites the kernel on its way; "
		          "nobody is told.");
		story_line(b, TONE_FAULT, "≠",
		    "chaos changed the kernel: %.30s, line %lld",
		    jlenient_text(event, "operator"),
		    json_integer_value(json_object_get(event, "line")));
		story_line(b, TONE_DIM, " ",
		    "the model's line, then chaos's version:");
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
	return is_struck_alike(ev, about) &&
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
	struct beat *b = story_beat(s, about, BEAT_INTACT,
	    was_changed ? 2600 : 900,
	    was_changed ? "This time chaos let the answer pass: what is judged "
	                  "now is what the model wrote."
	                : "Nothing was changed on the way: what is judged is "
	                  "what the model wrote.");

	story_line(b, TONE_CAME, "·", "arrived as the model wrote it");
	if (struck && *own && strcmp(struck, own) != 0) {
		story_line(b, TONE_DIM, " ",
		    "chaos changed only %.40s's answers: this one is %.40s's",
		    struck, own);
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
	else if (ev->has_chaos && !ev->broken)
		tell_intact(s, ev, about);
}
