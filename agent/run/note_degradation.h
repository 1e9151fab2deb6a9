/*
 * Degradations as they happen: into the trace at once, and into the next line
 * of the ledger, of the attempt that they happened to.
 *
 * Each worker keeps its own until then (run.h: degraded), so no lock is needed.
 */
#ifndef AGENT_NOTE_DEGRADATION_H
#define AGENT_NOTE_DEGRADATION_H

#include "agent/model/model.h"
#include "agent/run/run.h"
#include "agent/text/degradation_names.h"
#include "ops/op.h"

/* detail: words of ours for the trace, or "". */
void degrade_note(struct run *run, enum degradation d, const char *detail);

/* Such an event in the trace, with its status; attributes are taken. */
void degrade_trace(struct run *run, const char *status, json_t *attributes);

/* How many of each since the last call, as an object by name; NULL: none.
 * Owned. */
json_t *degrade_take(struct run *run);
/* As degrade_take gave it, once more: of a run that was killed between. */
void degrade_put_back(struct run *run, json_t *counts);

/* Model client callbacks; arg is the run. */
void degrade_on_attempt(const struct model_attempt *a, void *arg);

/*
 * Looks at an answer that is whole: said before in this conversation, named
 * after another model than the same route named before, for another operator,
 * given by another model than was routed to.  None of this is a verdict: the
 * answer is judged as any other.
 */
void degrade_look(struct run *run, const struct op *op, json_t *messages,
    const struct model_answer *a);

#endif
