/*
 * How a run ended: the scorecard, whether its scenario expects that, who made
 * wrong what is wrong, and a row an operator.  Behind it, what of all that was
 * planted, and the commands to see it oneself.
 */
#include "base/jlenient.h"
#include "demo/story.h"

#include <stdio.h>
#include <string.h>

#define OP_ROW "%-15.30s %-13s  %s" /* operator, naive agent, KernelForge */

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
	const struct played_models *played = story_played(ev);
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
			    ev->naive_absent ? ev->naive_absent : "not run");
	}
	s->score[3].label = played ? played->asked : "models asked";
	put_routes(s->score[3].naive, naive);
	put_routes(s->score[3].forge, forge);
	s->is_scored = true;
}

static bool
is_verified(const json_t *op)
{
	const char *state = jlenient_text(op, "state");

	return strcmp(state, "verified_correct") == 0 ||
	    strcmp(state, "perf_measured") == 0;
}

/* What is said of KernelForge's last try at an operator. */
static const char *
forge_word(const struct evidence *ev, const json_t *op)
{
	if (!is_verified(op))
		return "no claim";
	return ev->broken ? "unsupported" : "verified";
}

/* "rope  claim WRONG  verified, try 2" */
static void
put_op(struct beat *b, const struct evidence *ev, const json_t *op)
{
	bool is_claimed = json_is_true(json_object_get(op, "naive_claimed"));
	const json_t *right = json_object_get(op, "naive_correct");
	bool is_lie = is_claimed && json_is_false(right);

	story_line(b,
	    !is_verified(op) ? TONE_DOUBT
	        : is_lie     ? TONE_HEAD
	                     : TONE_PLAIN,
	    " ", OP_ROW ", try %lld", jlenient_text(op, "op"),
	    is_lie                    ? "claim WRONG"
	        : !is_claimed         ? "no claim"
	        : json_is_true(right) ? "claim right"
	                              : "claim unknown",
	    forge_word(ev, op), number(op, "iterations"));
}

/* What is not verified comes first: the end of a long table may not fit. */
static void
put_ops(struct beat *b, const struct evidence *ev)
{
	size_t before = b->nlines, i;
	json_t *op;

	story_line(b, TONE_DIM, " ", OP_ROW, "", "naive agent", "KernelForge");
	for (int verified = 0; verified < 2; verified++)
		json_array_foreach(json_object_get(ev->scorecard, "ops"), i, op)
			if (is_verified(op) == (verified == 1))
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
	if (by_model == 0)
		story_line(b, TONE_BAD, " ",
		    "made silently wrong by chaos: %lld of the naive agent's",
		    by_chaos);
	else
		story_line(b, TONE_BAD, " ",
		    "made silently wrong by chaos: %lld of the naive agent's; "
		    "%s: %lld",
		    by_chaos,
		    story_is_scripted(ev) ? "by mistakes in the models' scripts"
		                          : "wrong as the model wrote it",
		    by_model);
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
		    "%lld of %lld operators verified (exit code %lld)", ok, ops,
		    code);
	else
		story_line(b, is_expected && code == 0 ? TONE_GOOD : TONE_DOUBT,
		    " ",
		    "%lld of %lld operators verified, %lld not claimed%s (exit "
		    "code %lld)",
		    ok, ops, ops - ok,
		    is_expected ? ", as the scenario expects" : "", code);
}

static const char *
words_of_end(const struct evidence *ev, bool has_naive)
{
	if (ev->broken)
		return "The files of this run do not hold: none of these "
		       "figures is supported.";
	if (!has_naive)
		return "What did not pass the gate is not claimed.";
	return ev->has_chaos
	    ? "Same kernels asked for, same chaos scenario: only one of the "
	      "two has a gate before its claims."
	    : "Same kernels asked for: only one of the two has a gate before "
	      "its claims.";
}

/* Only what is played from a seed is the same again. */
static void
put_hashes(struct beat *b, const struct evidence *ev)
{
	const char *fingerprint = jlenient_text(ev->run, "fingerprint");
	const char *broken = jlenient_text(ev->run, "chaos_run_hash");

	if (ev->has_chaos)
		story_line(b, TONE_DIM, " ",
		    "fingerprint %.16s, a hash of what was decided; chaos run "
		    "hash %.16s, of what was broken: the same on every run of "
		    "this seed",
		    fingerprint, broken);
	else
		story_line(b, TONE_DIM, " ",
		    "fingerprint %.16s, a hash of what was decided",
		    fingerprint);
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
	b = story_beat(s, &both, BEAT_END, 9000, words_of_end(ev, has_naive));
	put_result(b, ev);
	if (has_naive && !ev->broken) {
		put_culprits(b, ev);
		story_line(b, TONE_PLAIN, "◆",
		    "The judge looked at all claims with other values; only "
		    "KernelForge's had passed a gate.");
	}
	put_hashes(b, ev);
	put_ops(b, ev);
}

/* First answers that chaos changed: of how many operators, and of how many in
 * the same way for both agents. */
static void
count_struck(const struct evidence *ev, size_t *ret_any, size_t *ret_alike)
{
	size_t i;
	json_t *op;

	*ret_any = *ret_alike = 0;
	json_array_foreach(json_object_get(ev->scorecard, "ops"), i, op) {
		const char *name = jlenient_text(op, "op");
		const struct subject naive = { .role = "naive", .op = name },
		                     forge = { .role = "kernelforge",
			                     .op = name };
		bool is_naive = story_is_corrupted(ev, &naive, 1);

		*ret_any += is_naive || story_is_corrupted(ev, &forge, 1);
		*ret_alike += is_naive && story_is_struck_alike(ev, name);
	}
}

static void
put_chaos(struct beat *b, const struct evidence *ev, bool has_naive)
{
	size_t fired = 0, changed = 0, any, alike, i;
	json_t *event;

	json_array_foreach(ev->chaos, i, event) {
		if (strcmp(jlenient_text(event, "result"), "fired") != 0)
			continue;
		fired++;
		changed += strcmp(jlenient_text(event, "fault"),
		               "kernel_corrupt") == 0;
	}
	story_line(b, TONE_FAULT, "≠",
	    "PLANTED, chaos: %zu faults, drawn by the seed call by call; %zu "
	    "of "
	    "them change a kernel, in a way that a smoke test may miss.",
	    fired, changed);
	count_struck(ev, &any, &alike);
	if (!has_naive || any == 0)
		return;
	story_line(b, TONE_FAULT, "≠",
	    "STRUCK ALIKE: %zu of the %zu first answers that chaos changed "
	    "were changed in the same way for both agents.",
	    alike, any);
}

/* A word that can be pasted into a shell as it is. */
static bool
is_plain_word(const char *word)
{
	return *word &&
	    !word[strspn(word,
	        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	        "0123456789_")];
}

static void
put_commands(struct beat *b, const struct evidence *ev)
{
	const char *scenario = jlenient_text(ev->run, "scenario");
	const char *seed = jlenient_text(ev->run, "seed");
	bool is_again =
	    ev->has_chaos && is_plain_word(scenario) && is_plain_word(seed);

	if (is_again)
		story_line(b, TONE_HEAD, "$",
		    "./run_demo.sh --scenario %.60s --seed %.40s", scenario,
		    seed);
	story_line(b, TONE_HEAD, "$",
	    "build/kernelforge run --ops rope --base-url URL --model NAME "
	    "--out DIR");
	story_line(b, TONE_PLAIN, " ",
	    "%sthe last asks a real model (docs/live-run.md): what it gets "
	    "wrong, nobody planted.",
	    is_again ? "The first is this run again; " : "");
}

void
story_yours(struct story *s, const struct evidence *ev)
{
	const struct subject both = { .pane = PANE_BOTH, .op = "" };
	const struct played_models *played = story_played(ev);
	bool has_naive =
	    number(json_object_get(ev->scorecard, "naive"), "total") > 0;
	struct beat *b;

	if (ev->broken || !played)
		return;
	b = story_beat(s, &both, BEAT_YOURS, 9000,
	    "What this shows, and what it does not: how often a real model "
	    "errs "
	    "is for a run with one to say.");
	story_line(b, TONE_HEAD, " ", "What was planted, and what was not.");
	story_line(b, TONE_DOUBT, "▪", "PLANTED: %s.", played->planted);
	if (ev->has_chaos)
		put_chaos(b, ev, has_naive);
	story_line(b, TONE_HEAD, "◆",
	    "NOT PLANTED: the verdicts. Gate and judge are handed a kernel and "
	    "its operator, and nothing of scripts or chaos. They share their "
	    "tests: what one cannot see, neither can the other.");
	story_line(b, TONE_GOOD, "★",
	    "VERIFIED: passed every hidden holdout and the checks behind them, "
	    "on this device. What that does not mean: docs/limits.md");
	put_commands(b, ev);
}
