/*
 * Rendering the final answer.
 *
 * A sentence of the answer is wholly ours: operator, state, numbers.  What
 * came from outside (the route) or may have been changed by whoever wrote the
 * file (class, case, cause) stands below it, a line each, in a field of its
 * own with a name, so that no foreign words can go on a sentence of ours.
 */
#include "agent/telling/final_answer.h"

#include "agent/ledger/op_standing.h"
#include "agent/text/claim_filter.h"
#include "base/buf.h"
#include <stdlib.h>
#include <string.h>

#define FINAL_ANSWER_BYTES ((size_t)1024 * 1024)
/* An error this near to its bound looks like a near miss and is none. */
#define NEAR_BOUND 0.5

/* What a state without a claim is called; indexed by the state reached. */
static const char *const answer_ends[LEDGER_NSTATES] = {
	[LEDGER_NONE] = "nothing was attempted",
	[LEDGER_ATTEMPTED] = "no usable answer",
	[LEDGER_GENERATED] = "it was not built",
	[LEDGER_COMPILED] = "it failed the smoke test",
	[LEDGER_SMOKE_PASSED] = "the holdouts were not finished",
	[LEDGER_VERIFIED_INCORRECT] = "it failed a holdout",
};

/* Classes that say it better than the state does. */
static const struct {
	const char *class, *end;
} answer_classes[] = {
	{ "parse", "its answer held no kernel" },
	{ "compile_error", "it did not compile" },
	{ "refused", "its text was refused" },
	{ "interrupted", "the run was interrupted" },
	{ OPINION_CLASS, "another lab refuses it, ours does not" },
	{ "unproven", "some of its code never ran" },
};

/* Why a run ended early: the word of the ledger's last line. */
static const struct {
	const char *word, *text;
} answer_endings[] = {
	{ "budget_iterations", "its budget of iterations was used up" },
	{ "budget_minutes", "its budget of minutes was used up" },
	{ "budget_tokens", "its budget of tokens was used up" },
	{ "budget_usd", "its budget of dollars was used up" },
	{ "environment", "this machine or the disk failed it" },
	{ "model_down", "no model could be asked any more" },
	{ "stopped", "it was asked to stop" },
	{ "unanswered", "the last question of an operator got no answer" },
};

struct rendering {
	struct buf out;
	struct buf foreign; /* all that is not ours, joined, to be judged */
	bool shows_foreign;
};

static void
put_field(struct rendering *r, const char *name, const char *text)
{
	if (!r->shows_foreign || !text || !*text)
		return;
	buf_addf(&r->out, "    %s: %s\n", name, text);
	buf_adds(&r->foreign, text);
}

/* Who else looked at it, and what that lab says: its word, not the verdict. */
static void
put_other_lab(struct rendering *r, const struct opinion *o)
{
	char *who;

	if (o->word == OPINION_NONE)
		return;
	who = opinion_who(o);
	put_field(r,
	    o->word == OPINION_REFUSED ? "refused by another lab"
	                               : "accepted by another lab",
	    who);
	free(who);
}

static void
put_operator(struct rendering *r, const struct op_standing *s, size_t number)
{
	if (!r->shows_foreign) {
		buf_addf(&r->out, "operator %zu", number);
		return;
	}
	buf_adds(&r->out, s->op);
	buf_adds(&r->foreign, s->op);
}

static void
put_verified(struct rendering *r, const struct op_standing *s, size_t number)
{
	const struct op_standing_try *t = op_standing_last(s);

	put_operator(r, s, number);
	buf_addf(&r->out, ": verified_correct in iteration %u\n", t->iteration);
	if (t->holdouts >= 0)
		buf_addf(&r->out, "    holdouts: %ld", t->holdouts);
	/* Fits 80 columns, as a terminal that wraps breaks words. */
	if (t->holdouts >= 0 && t->worst >= 0)
		buf_addf(&r->out, ", worst error %.3f of its bound%s", t->worst,
		    t->worst < NEAR_BOUND ? ""
		                          : " (one rounding may use it all)");
	if (t->holdouts >= 0)
		buf_adds(&r->out, "\n");
	put_field(r, "route", t->route);
	put_other_lab(r, &t->other);
}

static const char *
end_of(const struct op_standing_try *t)
{
	if (!ledger_has_failed(t->state))
		return "it is not finished";
	for (size_t i = 0; i < COUNT(answer_classes); i++)
		if (strcmp(t->class, answer_classes[i].class) == 0)
			return answer_classes[i].end;
	return answer_ends[t->reached];
}

static void
put_unverified(struct rendering *r, const struct op_standing *s, size_t number)
{
	const struct op_standing_try *t = op_standing_last(s);

	put_operator(r, s, number);
	buf_addf(&r->out, ": NOT VERIFIED, %s (iteration %u)\n", end_of(t),
	    t->iteration);
	put_field(r, "class", t->class);
	if (t->reached == LEDGER_ATTEMPTED)
		put_field(r, "failure", t->message);
	put_field(r, "case", json_string_value(json_array_get(t->failing, 0)));
	put_field(r, "suspected", t->suspect);
	put_other_lab(r, &t->other);
}

/* Verified operators first. */
static size_t
put_all(struct rendering *r, const struct standings *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (ledger_is_verified(all->items[i].state)) {
			put_verified(r, &all->items[i], i + 1);
			n++;
		}
	for (size_t i = 0; i < all->n; i++)
		if (!ledger_is_verified(all->items[i].state))
			put_unverified(r, &all->items[i], i + 1);
	return n;
}

/* What the run went through, by the list's own names. */
static void
put_degraded(struct buf *b, const struct standings *all)
{
	const char *before = "degraded on the way: ";

	for (int d = 1; d < DEGRADATION_NKINDS; d++) {
		unsigned n = 0;

		for (size_t i = 0; i < all->n; i++)
			n += all->items[i].degraded[d];
		if (n == 0)
			continue;
		buf_addf(b, "%s%s %u", before,
		    degradation_name((enum degradation)d), n);
		before = ", ";
	}
	if (*before == ',')
		buf_adds(b, "\n");
}

/* Whose the verdicts are, where somebody else was asked as well. */
static void
put_whose(struct buf *b, const struct standings *all)
{
	unsigned said = 0, vetoed = 0;

	for (size_t i = 0; i < all->n; i++)
		for (unsigned k = 0; k < all->items[i].iterations; k++) {
			const struct op_standing_try *t =
			    &all->items[i].tries[k];

			said += t->other.word != OPINION_NONE;
			vetoed += opinion_ended(t->state, t->class);
		}
	if (said > 0)
		buf_addf(b,
		    "Another lab spoke of %u attempts; every verdict is our "
		    "own "
		    "lab's.\n",
		    said);
	if (vetoed > 0)
		buf_addf(b,
		    "Attempts that ended by that lab's word alone, without a "
		    "verdict: %u.\n",
		    vetoed);
}

const char *
final_answer_ending(const struct ledger *l)
{
	for (size_t i = 0; i < COUNT(answer_endings); i++)
		if (strcmp(ledger_ended(l), answer_endings[i].word) == 0)
			return answer_endings[i].text;
	return NULL;
}

/* Of how many: an operator that the run never came to has no line in the
 * ledger, and would be missing from both figures. */
static void
put_sum(struct buf *b, size_t verified, size_t begun, size_t asked)
{
	if (asked == 0)
		buf_addf(b, "%zu of %zu operators in this ledger verified.\n",
		    verified, begun);
	else if (asked <= begun)
		buf_addf(b, "%zu of %zu operators verified.\n", verified,
		    begun);
	else
		buf_addf(b, "%zu of %zu operators verified; not begun: %zu.\n",
		    verified, asked, asked - begun);
}

char *
final_answer_render(const struct ledger *l, size_t asked,
    const struct model_asked *models)
{
	static const struct model_asked none = { 0 };
	struct rendering r = { .shows_foreign = true };
	struct standings all;
	size_t n;

	standings_read(l, &all);
	standings_name_models(&all, models ? models : &none);
	buf_init(&r.out, FINAL_ANSWER_BYTES);
	buf_init(&r.foreign, FINAL_ANSWER_BYTES);
	n = put_all(&r, &all);
	/* Each field was clean by itself; two that make a claim only together
	 * are found here, and then none of them is shown. */
	if (r.foreign.len && claim_is_made(r.foreign.data, r.foreign.len)) {
		buf_clear(&r.out);
		r.shows_foreign = false;
		put_all(&r, &all);
	}
	put_degraded(&r.out, &all);
	put_whose(&r.out, &all);
	if (final_answer_ending(l))
		buf_addf(&r.out, "The run ended before its time: %s.\n",
		    final_answer_ending(l));
	put_sum(&r.out, n, all.n, asked);
	buf_done(&r.foreign);
	standings_done(&all);
	return buf_take(&r.out);
}
