/*
 * An operator's card: what the baseline said, then every try as a line of
 * steps, with its route, its failing case, and the injected corruption where
 * the chaos log knows one.
 */
#include "agent/telling/page_parts.h"

#include "agent/ledger/ledger.h"
#include "agent/text/html.h"
#include "base/files.h"
#include "base/jlenient.h"
#include "base/mem.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ASSUMPTIONS_SHOWN 5
#define KERNEL_BYTES_MAX  ((size_t)64 * 1024)
#define OP_CHARACTERS     "abcdefghijklmnopqrstuvwxyz0123456789_"

static const struct {
	enum ledger_state state;
	const char *label;
} page_steps[] = {
	{ LEDGER_ATTEMPTED, "attempted" },
	{ LEDGER_GENERATED, "generated" },
	{ LEDGER_COMPILED, "compiled" },
	{ LEDGER_SMOKE_PASSED, "smoke passed" },
	{ LEDGER_VERIFIED_CORRECT, "holdouts" },
};

/* What became of a question. */
enum answer { ANSWER_NONE, ANSWER_CAME, ANSWER_WRONG };

/* The same edit of the same line: a reader has seen it once. */
static bool
is_same_change(const json_t *a, const json_t *b)
{
	return strcmp(jlenient_text(a, "before"), jlenient_text(b, "before")) ==
	    0 &&
	    strcmp(jlenient_text(a, "after"), jlenient_text(b, "after")) == 0;
}

static void
put_injected(struct buf *b, json_t *line)
{
	buf_adds(b, "<p class=\"small fault\">&#9670; injected: <code>");
	html_field(b, jlenient_text(line, "fault"), 60);
	buf_adds(b, "</code> by rule <code>");
	html_field(b, jlenient_text(line, "rule"), 60);
	buf_adds(b, "</code></p>");
}

/* *shown: the change that this card has shown last, or NULL. */
static void
put_change(struct buf *b, json_t *line, const json_t **shown)
{
	const char *before = jlenient_text(line, "before");
	const char *after = jlenient_text(line, "after");

	if (*shown && is_same_change(*shown, line)) {
		buf_adds(b,
		    "<p class=\"small fault\">&#9670; chaos made the same "
		    "change as above</p>");
		return;
	}
	*shown = line;
	buf_adds(b,
	    "<figure class=\"diff mono\"><figcaption>chaos changed this answer "
	    "on its way: <b class=\"fault\">");
	html_field(b, jlenient_text(line, "operator"), 60);
	buf_addf(b,
	    "</b>, line %lld</figcaption><div class=\"side\"><div "
	    "class=\"cap\">"
	    "what came from the model</div>",
	    (long long)json_integer_value(json_object_get(line, "line")));
	html_lines(b, before, "<div class=\"came\">", "</div>");
	buf_adds(b,
	    "</div><div class=\"side\"><div class=\"cap\">what was made of it, "
	    "and judged</div>");
	html_lines(b, after, "<div class=\"made\">", "</div>");
	buf_adds(b, "</div></figure>");
}

/* Whose mistake a kernel is that chaos left alone; of a played model it is
 * ours, and was planted like chaos. */
static void
put_whole(const struct run_report *r, enum answer answer, struct buf *b)
{
	bool is_script =
	    strcmp(jlenient_text(r->run, "answers"), "script") == 0;

	buf_addf(b,
	    "<p class=\"small whole\">the answer came as the model%s%s</p>",
	    is_script ? "'s script has it" : " wrote it",
	    answer != ANSWER_WRONG ? ""
	        : is_script ? ": this mistake is the script's, planted too"
	                    : ": this mistake is the model's own");
}

/* What the chaos log has for one try, by its session id.  That it left an
 * answer alone is said too: else a better model and an answer that was let
 * through look alike. */
static void
put_faults(const struct run_report *r, const char *role, const char *op,
    unsigned iteration, enum answer answer, const json_t **shown, struct buf *b)
{
	char *key = xasprintf("%s/%s/%u", role, op, iteration);
	bool is_changed = false;
	size_t i;
	json_t *line;

	json_array_foreach(r->chaos, i, line) {
		if (strcmp(jlenient_text(line, "key"), key) != 0 ||
		    strcmp(jlenient_text(line, "result"), "fired") != 0)
			continue;
		if (json_object_get(line, "before")) {
			is_changed = true;
			put_change(b, line, shown);
		} else
			put_injected(b, line);
	}
	/* Only a log that is whole can say that nothing happened. */
	if (answer != ANSWER_NONE && !is_changed && r->chaos_run_hash[0])
		put_whole(r, answer, b);
	free(key);
}

/* What was judged, folded. */
static void
put_kernel(const struct run_report *r, const char *op, const char *try,
    struct buf *b)
{
	char *name = xasprintf("kernels/%s/%s.cl", op, try);
	char *path = files_join(r->dir, name), *text = NULL;

	/* The name may come from a file that was edited: no path in it. */
	if (*op && !op[strspn(op, OP_CHARACTERS)] &&
	    files_read(path, KERNEL_BYTES_MAX, &text, NULL, NULL) == ERR_OK &&
	    *text) {
		buf_adds(b,
		    "<details><summary>The kernel, as it was judged</summary>"
		    "<pre class=\"mono code\" tabindex=\"0\">");
		html_code(b, text);
		buf_adds(b, "</pre></details>");
	}
	free(text);
	free(path);
	free(name);
}

static void
put_naive(const struct run_report *r, json_t *row, const char *op,
    const json_t **shown, struct buf *b)
{
	bool right = json_is_true(json_object_get(row, "naive_correct"));
	bool claimed = json_is_true(json_object_get(row, "naive_claimed"));
	const char *class = "warn";
	enum answer answer = claimed && !right ? ANSWER_WRONG : ANSWER_CAME;

	if (!*jlenient_text(row, "naive_route"))
		answer = ANSWER_NONE;
	if (claimed)
		class = right ? "good" : "bad";
	if (!json_object_get(row, "naive_route"))
		return;
	buf_addf(b,
	    "<div class=\"try\"><div class=\"who\"><b>Naive</b>"
	    "<span class=\"tag %s\">%s</span><code class=\"soft\">",
	    class, scorecard_naive_word(&r->scorecard, row));
	html_field(b, jlenient_text(row, "naive_route"), 120);
	buf_adds(b, "</code></div>");
	put_faults(r, "naive", op, 1, answer, shown, b);
	put_kernel(r, op, "naive", b);
	buf_adds(b, "</div>\n");
}

/* done: green, stop: where it ended, plain: never reached. */
static const char *
step_class(bool is_done, bool is_stop)
{
	if (is_stop)
		return " class=\"stop\"";
	return is_done ? " class=\"done\"" : "";
}

static void
put_steps(const struct op_standing_try *t, struct buf *b)
{
	bool stopped = false;

	buf_adds(b, "<ol class=\"steps\">");
	for (size_t i = 0; i < COUNT(page_steps); i++) {
		enum ledger_state s = page_steps[i].state;
		bool is_done = ledger_is_verified(t->reached) ||
		    (t->reached >= s && s != LEDGER_VERIFIED_CORRECT);
		bool is_stop =
		    !is_done && !stopped && ledger_has_failed(t->state);

		stopped = stopped || is_stop;
		buf_addf(b, "<li%s>%s</li>", step_class(is_done, is_stop),
		    page_steps[i].label);
	}
	buf_adds(b, "</ol>");
}

/* What the model itself was unsure of. */
static void
put_assumptions(const json_t *record, struct buf *b)
{
	size_t i;
	json_t *a;

	json_array_foreach(json_object_get(record, "assumptions"), i, a) {
		if (i == ASSUMPTIONS_SHOWN)
			break;
		buf_adds(b,
		    i ? "; "
		      : "<p class=\"small soft wrap\">the model "
		        "assumed: ");
		html_text(b, json_is_string(a) ? json_string_value(a) : "?",
		    OP_STANDING_TEXT_MAX);
	}
	if (i > 0)
		buf_adds(b, "</p>");
}

static void
put_evidence(const struct op_standing_try *t, struct buf *b)
{
	buf_addf(b,
	    "<span class=\"good small\">%ld holdouts, worst error %.3f of its "
	    "bound</span>",
	    t->holdouts, t->worst);
	if (t->worst >= PAGE_NEAR_BOUND)
		buf_adds(b,
		    "<span class=\"soft small\">no near miss: one rounding to "
		    "the storage type may use all of it</span>");
}

/* Another lab's word, with who it was: beside the verdict, which is ours. */
static void
put_other_lab(const struct op_standing_try *t, struct buf *b)
{
	char *who;

	if (t->other.word == OPINION_NONE)
		return;
	who = opinion_who(&t->other);
	buf_adds(b, "<p class=\"small soft wrap\">another lab, <code>");
	html_field(b, who, OP_STANDING_TEXT_MAX);
	buf_addf(b, "</code>, %s it%s</p>", opinion_word_name(t->other.word),
	    opinion_ended(t->state, t->class)
	        ? "; ours found nothing wrong: not claimed, and not proved "
	          "wrong"
	        : "; the verdict is our own lab's");
	free(who);
}

static void
put_try(const struct run_report *r, const struct op_standing *st,
    const struct op_standing_try *t, const json_t **shown, struct buf *b)
{
	enum answer answer = ANSWER_NONE;
	const json_t *record;
	char try[16];

	if (t->reached >= LEDGER_GENERATED)
		answer = t->state == LEDGER_VERIFIED_INCORRECT ? ANSWER_WRONG
		                                               : ANSWER_CAME;

	snprintf(try, sizeof try, "%u", t->iteration);
	record = page_record(r, st->key, try);
	buf_addf(b, "<div class=\"try\"><div class=\"who\"><b>Iteration %u</b>",
	    t->iteration);
	if (ledger_is_verified(t->state))
		put_evidence(t, b);
	buf_adds(b, "<code class=\"soft\">");
	html_field(b, t->route, OP_STANDING_TEXT_MAX);
	buf_adds(b, "</code></div>");
	put_steps(t, b);
	put_faults(r, "kernelforge", st->key, t->iteration, answer, shown, b);
	put_assumptions(record, b);
	page_put_failure(record, t, b);
	put_other_lab(t, b);
	put_kernel(r, st->key, try, b);
	buf_adds(b, "</div>\n");
}

static const char *
state_class(bool is_verified, bool is_unsound)
{
	if (!is_verified)
		return "bad";
	return is_unsound ? "warn" : "good";
}

void
page_put_op(const struct run_report *r, json_t *row, struct buf *b)
{
	const char *op = jlenient_text(row, "op");
	const struct op_standing *st = standings_find(&r->standings, op);
	enum ledger_state s = st ? st->state : LEDGER_NONE;
	const char *truth = jlenient_text(row, "truth");
	bool is_unsound = r->scorecard.is_unsound && ledger_is_verified(s);
	const json_t *shown = NULL;

	buf_adds(b, "<section class=\"card\"><div class=\"head\"><h3>");
	html_field(b, op, LEDGER_OP_MAX);
	buf_addf(b, "</h3><span class=\"tag %s\">%s</span>",
	    state_class(ledger_is_verified(s), is_unsound),
	    is_unsound ? "claimed, unsupported" : ledger_state_label(s));
	if (*truth && !r->scorecard.is_unsound)
		buf_addf(b, " <span class=\"tag %s\">judge: %s</span>",
		    truth_find(truth) == TRUTH_RIGHT ? "plain" : "bad",
		    truth_name(truth_find(truth)));
	buf_adds(b, "</div>\n");
	put_naive(r, row, op, &shown, b);
	for (unsigned i = 0; st && i < st->iterations; i++)
		put_try(r, st, &st->tries[i], &shown, b);
	if (st)
		page_put_cases(r, st, b);
	buf_adds(b, "</section>\n");
}
