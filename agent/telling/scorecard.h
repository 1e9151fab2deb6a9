/*
 * The scorecard: what was claimed, what was true, which models were asked.
 * Pure: standings, the baseline's lines and the audits in; numbers out.
 *
 * Both columns are measured alike: a kernel that was claimed is run again by
 * the whole lab with other seeds (the baseline's "correct", our "audit").
 */
#ifndef AGENT_SCORECARD_H
#define AGENT_SCORECARD_H

#include "agent/ledger/op_standing.h"
#include "agent/run/claim_truth.h"
#include "agent/telling/speed.h"
#include "agent/text/term.h"
#include <jansson.h>

struct scorecard_side {
	long claimed, total;
	long truths[TRUTH_NTRUTHS]; /* of what was claimed */
	json_t *routes; /* owned: object of "PROVIDER/MODEL" to answers */
	/* Why there is nothing to count; static, NULL: it was not run. */
	const char *absent;
};

struct scorecard {
	struct scorecard_side naive, forge;
	json_t *ops;        /* owned: design.md's array */
	json_t *other_labs; /* owned: other_labs.h's array */
	struct speed speed;
	/* The files behind it do not hold: nothing of it is shown as good. */
	bool is_unsound;
	/* What its last row is called; static, NULL: models were asked. */
	const char *routing;
};

struct scorecard_input { /* all borrowed */
	const struct standings *standings;
	json_t *ops;    /* array of names: what the run was asked for */
	json_t *naive;  /* array of naive.jsonl lines */
	json_t *audits; /* object of op to verdict name */
	/* For the baseline's routes; the standings have theirs shown. */
	struct model_asked asked;
};

void scorecard_make(const struct scorecard_input *in, struct scorecard *ret);
void scorecard_done(struct scorecard *s);

/* One of no operators, to which others are added: the shards of a run. */
void scorecard_init(struct scorecard *s);
void scorecard_add(struct scorecard *to, const struct scorecard *from);

json_t *scorecard_json(const struct scorecard *s);
/* Claims of which the lab could not tell the truth. */
long scorecard_unknown(const struct scorecard *s);
/* "not run", or why the baseline's lines cannot be read. */
const char *scorecard_absent(const struct scorecard_side *s);
/* Who played the models, by run.json's word; NULL: nobody, they were asked. */
void scorecard_set_players(struct scorecard *s, const char *answers);
/* "Model routing (scripts)": what went by the names of models. */
const char *scorecard_routing_label(const struct scorecard *s);
/* What the baseline did with an operator (a row of ops), in words. */
const char *scorecard_naive_word(const struct scorecard *s, json_t *row);
/* The four rows, and the table by operator. */
void scorecard_table(const struct scorecard *s, struct term_table *ret);
void scorecard_detail(const struct scorecard *s, struct term_table *ret);

#endif
