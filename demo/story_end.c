/*
 * How a run ended: the scorecard, whether its scenario expects that, who made
 * wrong what is wrong, and a row an operator.
 */
#include "base/jlenient.h"
#include "demo/story.h"

#include <stdio.h>
#include <string.h>

#define OP_ROW "%-15.30s %-14s %s" /* operator, naive agent, KernelForge */

static long long
number(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static void
put_share(char out[64], long long n, long long total)
{
	snprintf(out, 64, "%lld of %lld (%.0f %%)", n, total,
	    total > 0 ? 100.0 * (double)n / (double)total : 0.0);
}

/* "deepseek-v4-flash x3, deepseek-coder x1" */
static void
put_routes(char out[64], json_t *side)
{
	const char *key, *between = "";
	json_t *count;
	int at = 0;

	out[0] = '\0';
	json_object_foreach(json_object_get(side, "routes"), key, count) {
		const char *model = strrchr(key, '/');

		if (at < 64)
			at += snprintf(out + at, 64 - (size_t)at, "%s%s x%lld",
			    between, model ? model + 1 : key,
			    json_integer_value(count));
		between = ", ";
	}
	story_make_safe(out);
}

static void
read_score(struct story *s, const struct evidence *ev)
{
	json_t *naive = json_object_get(ev->scorecard, "naive");
	json_t *forge = json_object_get(ev->scorecard, "kernelforge");
	long long total = number(forge, "total");
	static const struct {
		const char *label, *key;
	} rows[] = {
		{ "claimed correct", "claimed" },
		{ "right on hidden holdouts", "correct" },
		{ "silently wrong", "silent_wrong" },
	};

	for (size_t i = 0; i < 3; i++) {
		s->score[i].label = rows[i].label;
		put_share(s->score[i].forge, number(forge, rows[i].key), total);
		if (number(naive, "total") > 0)
			put_share(s->score[i].naive, number(naive, rows[i].key),
			    number(naive, "total"));
		else
			snprintf(s->score[i].naive, 64, "%s",
			    ev->is_naive_broken ? "broken" : "not run");
	}
	s->score[3].label = "models asked";
	put_routes(s->score[3].naive, naive);
	put_routes(s->score[3].forge, forge);
	s->is_scored = true;
}

static bool
is_proved(const json_t *op)
{
	const char *state = jlenient_text(op, "state");

	return strcmp(state, "verified_correct") == 0 ||
	    strcmp(state, "perf_measured") == 0;
}

/* What is said of KernelForge's last try at an operator. */
static const char *
forge_word(const struct evidence *ev, const json_t *op)
{
	if (!is_proved(op))
		return "no claim";
	return ev->broken ? "unproved" : "proved";
}

/* "rope  claimed, WRONG  proved, try 2" */
static void
put_op(struct beat *b, const struct evidence *ev, const json_t *op)
{
	bool is_claimed = json_is_true(json_object_get(op, "naive_claimed"));
	const json_t *right = json_object_get(op, "naive_correct");
	bool is_lie = is_claimed && json_is_false(right);

	story_line(b,
	    !is_proved(op) ? TONE_DOUBT
	        : is_lie   ? TONE_HEAD
	                   : TONE_PLAIN,
	    " ", OP_ROW ", try %lld", jlenient_text(op, "op"),
	    is_lie                    ? "claimed, WRONG"
	        : !is_claimed         ? "no claim"
	        : json_is_true(right) ? "claimed, right"
	                              : "claimed, not known",
	    forge_word(ev, op), number(op, "iterations"));
}

/* What has no proof comes first: the end of a long table may not fit. */
static void
put_ops(struct beat *b, const struct evidence *ev)
{
	size_t before = b->nlines, i;
	json_t *op;

	story_line(b, TONE_DIM, " ", OP_ROW, "", "naive agent", "KernelForge");
	for (int proved = 0; proved < 2; proved++)
		json_array_foreach(json_object_get(ev->scorecard, "ops"), i, op)
			if (is_proved(op) == (proved == 1))
				put_op(b, ev, op);
	b->ntable = b->nlines - before;
}

/* Who made the naive agent's kernels wrong: chaos, or the models. */
static void
put_culprits(struct beat *b, const struct evidence *ev)
{
	long long by_chaos = 0, by_model = 0;
	size_t i;
	json_t *line;

	json_array_foreach(ev->naive, i, line) {
		const struct subject about = { .role = "naive",
			.op = jlenient_text(line, "op") };

		if (!json_is_true(json_object_get(line, "silent_wrong")))
			continue;
		if (story_is_corrupted(ev, &about, 1))
			by_chaos++;
		else
			by_model++;
	}
	if (!ev->has_chaos || by_chaos + by_model == 0)
		return;
	if (by_model > 0)
		story_line(b, TONE_BAD, " ",
		    "the naive agent's silently wrong: %lld changed by chaos, "
		    "%lld wrong as the model wrote it",
		    by_chaos, by_model);
	else
		story_line(b, TONE_BAD, " ",
		    "the naive agent's silently wrong: %lld changed by chaos",
		    by_chaos);
}

/* How the run ended, and whether its scenario expects that. */
static void
put_result(struct beat *b, const struct evidence *ev)
{
	long long ops =
	    number(json_object_get(ev->scorecard, "kernelforge"), "total");
	long long ok = number(json_object_get(ev->run, "counts"), "verified");
	long long code = number(ev->run, "exit");
	bool is_expected =
	    json_array_size(json_object_get(ev->run, "expectations")) > 0;
	size_t i;
	json_t *e;

	json_array_foreach(json_object_get(ev->run, "expectations"), i, e)
		is_expected &= json_is_true(json_object_get(e, "held"));
	if (ev->broken)
		story_line(b, TONE_DOUBT, " ",
		    "%lld of %lld operators claimed, by files that do not hold "
		    "(exit code %lld)",
		    ok, ops, code);
	else if (ok == ops)
		story_line(b, code == 0 ? TONE_GOOD : TONE_DOUBT, " ",
		    "%lld of %lld operators proved (exit code %lld)", ok, ops,
		    code);
	else
		story_line(b, is_expected && code == 0 ? TONE_GOOD : TONE_DOUBT,
		    " ",
		    "%lld of %lld operators proved, %lld not claimed%s (exit "
		    "code %lld)",
		    ok, ops, ops - ok,
		    is_expected ? ", as the scenario expects" : "", code);
}

/* The last beat: what the run came to.  Its table is drawn by the layout. */
void
story_end(struct story *s, const struct evidence *ev)
{
	const struct subject both = { .pane = PANE_BOTH, .op = "" };
	bool has_naive =
	    number(json_object_get(ev->scorecard, "naive"), "total") > 0;
	struct beat *b;

	read_score(s, ev);
	s->is_over = true;
	b = story_beat(s, &both, BEAT_END, 9000,
	    ev->broken ? "The files of this run were changed: none of these "
	                 "figures is proved."
	        : has_naive ? "Same kernels asked for, same chaos scenario: "
	                      "only one of the two proves what it claims."
	                    : "What has no proof is not claimed.");
	put_result(b, ev);
	if (has_naive && !ev->broken) {
		put_culprits(b, ev);
		story_line(b, TONE_PLAIN, " ",
		    "Every claim was judged again with other values; only "
		    "KernelForge's had passed that before.");
	}
	story_line(b, TONE_DIM, " ",
	    "fingerprint %.16s, a hash of what was decided; chaos run hash "
	    "%.16s, of what was broken: the same on every run of this seed",
	    jlenient_text(ev->run, "fingerprint"),
	    jlenient_text(ev->run, "chaos_run_hash"));
	put_ops(b, ev);
}
