/*
 * Where every operator stands, read off the ledger: the one source of the
 * final answer, the scorecard and the report.
 *
 * Everything here that came from outside (operator, route, class, failing
 * cases, suspected cause) has passed the claim filter; nothing that renders
 * needs to touch the ledger's raw text.
 */
#ifndef AGENT_OP_STANDING_H
#define AGENT_OP_STANDING_H

#include "agent/ledger/ledger.h"
#include "agent/ledger/opinion.h"
#include "agent/text/degradation_names.h"
#include "agent/text/model_name.h"
#include <jansson.h>

#define OP_STANDING_TEXT_MAX 160 /* characters kept of a foreign text */

struct op_standing_try {
	unsigned iteration;
	enum ledger_state state;   /* the last one reached */
	enum ledger_state reached; /* the last one before an abandonment */
	char *route; /* all owned; "" when the ledger says nothing */
	char *class;
	char *suspect;
	char *message;
	json_t *failing;  /* array of strings */
	long holdouts;    /* how many cases the verdict rests on; -1 unknown */
	double worst;     /* largest error over its bound; -1 unknown */
	json_t *speedups; /* array of objects, one a size; empty: not timed */
	double speedup;   /* their geometric mean; 0 unknown */
	struct opinion other; /* what another lab said of it */
};

struct op_standing {
	char *op;  /* owned, for people */
	char *key; /* owned, as the ledger has it: never shown */
	enum ledger_state state;
	unsigned iterations;
	unsigned degraded[DEGRADATION_NKINDS]; /* how often, in all tries */
	struct op_standing_try *tries;         /* owned, iterations of them */
};

struct standings {
	struct op_standing *items; /* in order of first appearance */
	size_t n;
};

void standings_read(const struct ledger *l, struct standings *ret);
/* Routes as a table may show them. */
void standings_name_models(struct standings *s,
    const struct model_asked *asked);
void standings_done(struct standings *s);
const struct op_standing *standings_find(const struct standings *s,
    const char *op);
/* The try that decides: the last one.  NULL when there is none. */
const struct op_standing_try *op_standing_last(const struct op_standing *s);

#endif
