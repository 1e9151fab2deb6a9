/*
 * What a run directory holds, as far as it can be read.
 *
 * The view believes nothing else: every line it shows comes from one of these
 * files.  A directory may be incomplete (the run goes on, or it crashed), of
 * an older version, or edited by hand; what is missing stays NULL or empty
 * and is named in `gaps`, and what is there is still shown.  What does not
 * hold, by the judge that `kernelforge ledger check` asks, is `broken`.
 */
#ifndef DEMO_EVIDENCE_H
#define DEMO_EVIDENCE_H

#include "base/err.h"
#include <jansson.h>
#include <stdbool.h>

struct evidence {
	char *dir;         /* owned */
	json_t *trace;     /* arrays, owned: the lines of NAME.jsonl */
	json_t *chaos;     /* the events, without the line that closes it */
	json_t *gateway;   /* one decision a request */
	json_t *ledger;    /* one transition a line */
	json_t *naive;     /* one claim a line */
	json_t *run;       /* owned; NULL while the run has not ended */
	json_t *scorecard; /* owned: counted from the journals, as the file
	                      should be; NULL: not yet */
	json_t *kernels;   /* owned: records that were read, by "OP/NAME" */
	json_t *index;     /* owned: what the functions below look up */
	bool has_chaos;    /* a chaos proxy kept a log of this run */
	bool knows_chaos;  /* and what it does not say did not happen */
	bool has_gateway;  /* a gateway kept one */
	json_t *gaps;      /* owned: sentences on what is missing */
	char *broken;      /* owned: the first file that does not hold, and what
	                      of it; NULL: each holds */
	const char *naive_absent; /* "broken", "gone": the baseline ran, and its
	                             claims are lost; NULL: they are there */
};

/* goes_on: its files are still written, so that only what stands there can be
 * judged, and not what is missing.  ERR_NOTFOUND: dir is no folder. */
enum err evidence_load(const char *dir, bool goes_on, struct evidence *ret,
    struct why *why);
void evidence_done(struct evidence *ev);

/* Names in `gaps` what a run that is not going on should have and has not. */
void evidence_find_gaps(struct evidence *ev);

/* kernels/OP/NAME.json, borrowed; NULL: not there, or no JSON object. */
json_t *evidence_kernel(struct evidence *ev, const char *op, const char *name);

/*
 * What the logs hold on one question of one agent, borrowed arrays in the
 * log's order, NULL: nothing.  A story asks once a span, so that its cost
 * grows with the logs and not with their product.
 */
const json_t *evidence_decisions(const struct evidence *ev, const char *role,
    const char *op, int number);
const json_t *evidence_faults(const struct evidence *ev, const char *role,
    const char *op, int number); /* those that fired */

/* What the ledger says of this try in this state, borrowed; NULL: nothing. */
const json_t *evidence_ledger(const struct evidence *ev, const char *op,
    int number, const char *state);
/* Does it say that this try came to this state? */
bool evidence_is_in_ledger(const struct evidence *ev, const char *op,
    int number, const char *state);

/* The naive agent's line on this operator, borrowed; NULL: none. */
const json_t *evidence_claim(const struct evidence *ev, const char *op);

#endif
